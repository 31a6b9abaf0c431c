"""Playing: moves, taps, batches, deals, undo, redo, the end, and every refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.http.client import Api, Reply

_DECK = ["4S", "7H", "QC", "4D", "KD"]
_WON = ["4S", "4D"]
_STOCK = {"layout": "stock"}


def _refusal(reply: Reply, slug: str, version: int) -> Any:  # noqa: ANN401
    assert (reply.status, reply.slug) == (409, slug)
    assert reply.json["version"] == version
    return reply.json


def _unchanged(api: Api, game: dict[str, Any]) -> bool:
    now: dict[str, Any] = api.get(f"/v1/games/{game['id']}").json
    return now | {"elapsed_seconds": 0} == game | {"elapsed_seconds": 0}


def test_a_move(api: Api) -> None:
    game = api.start(deck=_DECK)
    reply = api.play(game, "moves", **{"from": 3, "to": 0})
    assert reply.status == 200
    assert reply.headers["ETag"] == '"2.2"'
    assert reply.json["version"] == 2
    assert reply.json["moves"] == 1
    assert reply.json["score"] == 10
    assert reply.json["can_undo"] is True
    assert _unchanged(api, reply.json)


@pytest.mark.parametrize(
    ("origin", "target", "reason"),
    [
        (5, 4, "no-such-pile"),
        (3, -1, "no-such-pile"),
        (10**30, 0, "no-such-pile"),
        (3, 1, "distance"),
        (0, 1, "direction"),
        (0, 0, "distance"),
        (1, 0, "no-match"),
    ],
)
def test_illegal_moves(api: Api, origin: int, target: int, reason: str) -> None:
    game = api.start(deck=_DECK)
    reply = api.play(game, "moves", **{"from": origin, "to": target})
    assert _refusal(reply, "illegal-move", 1)["reason"] == reason
    assert "index" not in reply.json
    assert _unchanged(api, game)


def test_a_tap(api: Api) -> None:
    game = api.start(deck=_DECK)
    assert api.play(game, "moves", **{"from": 3}).json["row"] == [
        "4D",
        *_DECK[1:3],
        "KD",
    ]


def test_taps_without_a_move(api: Api) -> None:
    game = api.start(deck=_DECK)
    reply = api.play(game, "moves", **{"from": 1})
    assert _refusal(reply, "illegal-move", 1)["reason"] == "no-match"
    reply = api.play(game, "moves", **{"from": 9})
    assert _refusal(reply, "illegal-move", 1)["reason"] == "no-such-pile"


def test_an_ambiguous_tap(api: Api) -> None:
    game = api.start(deck=["4S", "7H", "4C", "4D"])
    reply = api.play(game, "moves", **{"from": 3})
    assert _refusal(reply, "ambiguous-move", 1)["targets"] == [0, 2]
    assert _unchanged(api, game)


def test_a_batch(api: Api) -> None:
    game = api.start(deck=_DECK)
    moves = [{"from": 3, "to": 0}, {"from": 3, "to": 0}]
    reply = api.play(game, "moves", moves=moves)
    assert reply.json["row"] == ["KD", "7H", "QC"]
    assert reply.json["version"] == 2
    assert reply.json["moves"] == 2


def test_a_batch_with_deals(api: Api) -> None:
    game = api.start(deck=_DECK, options=_STOCK)
    reply = api.play(game, "moves", moves=[{"deal": 3}, {"from": 3, "to": 0}])
    assert reply.json["row"] == ["4D", "7H", "QC"]
    assert reply.json["stock"] == 1
    reply = api.play(game, "moves", moves=[{"deal": "all"}])
    assert reply.json["row"] == ["4D", "7H", "QC", "KD"]


def test_a_batch_is_made_completely_or_not_at_all(api: Api) -> None:
    game = api.start(deck=_DECK)
    moves = [{"from": 3, "to": 0}, {"from": 2, "to": 1}]
    refusal = _refusal(api.play(game, "moves", moves=moves), "illegal-move", 1)
    assert refusal["index"] == 1
    assert refusal["reason"] == "no-match"
    moves = [{"from": 3, "to": 0}, {"deal": 1}]
    refusal = _refusal(api.play(game, "moves", moves=moves), "stock-empty", 1)
    assert (refusal["index"], refusal["stock"]) == (1, 0)
    assert _unchanged(api, game)


def test_a_batch_must_not_go_on_after_a_win(api: Api) -> None:
    game = api.start(deck=_WON)
    moves = [{"from": 1, "to": 0}, {"from": 1, "to": 0}]
    refusal = _refusal(api.play(game, "moves", moves=moves), "game-over", 1)
    assert (refusal["index"], refusal["game_status"]) == (1, "won")
    assert _unchanged(api, game)


_MOVE = {"from": 1, "to": 0}


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, {""}),
        ([], {""}),
        ({"to": 1}, {"", "/to"}),
        ({"from": "3"}, {"/from"}),
        ({"from": 3.0, "to": True}, {"/from", "/to"}),
        ({"from": None}, {""}),
        ({"type": "move"}, {"/type"}),
        ({"type": "undo"}, {"/type"}),
        ({"type": "deal", "from": 1}, {"/from"}),
        ({"type": "deal", "from": 1, "to": 0}, {"/from"}),
        ({"type": "deal", "to": 0}, {"/to"}),
        ({"type": "move", "moves": [_MOVE]}, {"/type"}),
        ({"moves": [{"type": "undo"}, {"type": "move"}]}, {"/moves/0", "/moves/1"}),
        ({"moves": [{"type": "deal", "from": 1, "to": 0}]}, {"/moves/0"}),
        ({"from": 1, "moves": [_MOVE]}, {"/from"}),
        ({"to": 1, "moves": [_MOVE]}, {"/to"}),
        ({"from": 1, "to": 0, "why": "?"}, {"/why"}),
        ({"moves": {}}, {"/moves"}),
        ({"moves": []}, {"/moves"}),
        ({"moves": [_MOVE] * 201}, {"/moves"}),
        ({"moves": [_MOVE, {"from": 1}, 3, _MOVE]}, {"/moves/1", "/moves/2"}),
        ({"moves": [{"from": 1.0, "to": 0}]}, {"/moves/0"}),
        ({"moves": [_MOVE | {"x": 1}]}, {"/moves/0"}),
        ({"moves": [{"deal": 0}, {"deal": "some"}]}, {"/moves/0", "/moves/1"}),
        ({"moves": [{"deal": True}]}, {"/moves/0"}),
        ({"moves": [{"deal": 1, "from": 1}]}, {"/moves/0"}),
    ],
)
def test_invalid_moves_are_refused(api: Api, body: object, pointers: set[str]) -> None:
    game = api.start(deck=_DECK)
    reply = api.post(f"/v1/games/{game['id']}/moves", body)
    assert set(reply.faults) == pointers
    assert _unchanged(api, game)


def test_an_action_of_a_hint_can_be_sent_as_it_is(api: Api) -> None:
    game = api.start(deck=_WON, options=_STOCK)
    row, stock = game["row"], game["stock"]
    while game["status"] == "playing":
        action = api.play(game, "hint").json["action"]
        assert action["type"] in {"move", "deal"}
        game = api.post(f"/v1/games/{game['id']}/moves", action).json
    assert (row, stock, game["status"]) == (_WON[:1], len(_WON) - 1, "won")


def test_the_actions_of_a_solution_can_be_sent_as_they_are(api: Api) -> None:
    game = api.start(deck=_WON)
    actions = api.play(game, "solution").json["actions"]
    assert api.play(game, "moves", moves=actions).json["status"] == "won"


def test_typed_steps_of_a_batch(api: Api) -> None:
    game = api.start(deck=["4S", "4D", "KC"], options=_STOCK)
    steps = [{"type": "deal"}, {"type": "move", "from": 1, "to": 0}]
    moved = api.play(game, "moves", moves=[*steps, {"type": "deal", "deal": "all"}])
    assert (moved.json["moves"], moved.json["stock"]) == (1, 0)


@pytest.mark.parametrize(
    "step", [{"deal": 0}, {"from": 1}, {"from": "1", "to": 0}, {"deal": None}, 3, None]
)
def test_the_pointer_of_an_invalid_step_names_the_step(api: Api, step: object) -> None:
    game = api.start(deck=_DECK)
    assert api.play(game, "moves", moves=[_MOVE, step]).faults == {
        "/moves/1": "`/moves/1` must be an object with the integers `from` and `to`, "
        "or with `deal`, a positive integer or `all`."
    }


def test_200_steps_at_once(api: Api) -> None:
    game = api.start(deck=_DECK)
    reply = api.play(game, "moves", moves=[_MOVE] * 200)
    assert reply.slug == "illegal-move"


def test_dealing(api: Api) -> None:
    game = api.start(deck=_DECK, options=_STOCK)
    assert (game["row"], game["stock"], game["can_deal"]) == (["4S"], 4, True)
    one = api.play(game, "deal").json
    assert (one["row"], one["stock"], one["moves"]) == (["4S", "7H"], 3, 0)
    three = api.play(game, "deal", count=2).json
    assert (three["row"], three["stock"]) == (_DECK[:4], 1)
    refusal = _refusal(api.play(game, "deal", count=2), "stock-empty", 3)
    assert refusal["stock"] == 1
    everything = api.play(game, "deal", count="all").json
    assert (everything["row"], everything["can_deal"]) == (_DECK, False)
    for count in (1, "all"):
        assert _refusal(api.play(game, "deal", count=count), "stock-empty", 4)


def test_nothing_to_deal_in_the_open_layout(api: Api) -> None:
    game = api.start(deck=_DECK)
    assert game["can_deal"] is False
    assert _refusal(api.play(game, "deal"), "stock-empty", 1)["stock"] == 0


def test_a_compulsory_move(api: Api) -> None:
    options = {"layout": "stock", "compulsory": True}
    game = api.start(deck=["4S", "4D", "KD"], options=options)
    dealt = api.play(game, "deal", count=2).json
    assert (dealt["row"], dealt["can_deal"]) == (["4S", "4D"], False)
    refusal = _refusal(api.play(game, "deal"), "move-compulsory", 2)
    assert refusal["legal_moves"] == [{"from": 1, "to": 0}]
    assert refusal["detail"] == (
        "A legal move must be made before the next card is dealt."
    )
    assert api.move(game, 1, 0)["can_deal"] is True


def test_a_batch_does_not_reveal_the_cards_it_deals(api: Api) -> None:
    """While the seed is secret, the refusal does not depend on the hidden cards."""
    batch = [{"deal": 1}, {"from": 1, "to": 0}, {"from": 99, "to": 0}]
    for _ in range(12):
        game = api.start(options=_STOCK)
        refusal = _refusal(api.play(game, "moves", moves=batch), "cards-hidden", 1)
        assert (refusal["index"], refusal["stock"]) == (1, 51)
        assert _unchanged(api, game)
    own = api.start(deck=_WON, options=_STOCK)
    assert api.play(own, "moves", moves=batch[:2]).json["status"] == "won"


def test_refusals_in_a_batch_are_explained(api: Api) -> None:
    options = {"layout": "stock", "compulsory": True}
    own = api.start(deck=["4S", "4D", "KD"], options=options)
    interrupted = api.play(own, "moves", moves=[{"deal": 2}])
    refusal = _refusal(interrupted, "move-compulsory", 1)
    assert refusal["detail"] == (
        "A move becomes legal before all of the requested cards are dealt."
    )
    assert refusal["legal_moves"] == [{"from": 1, "to": 0}]
    at_once = api.play(own, "moves", moves=[{"deal": 1}, {"deal": 1}])
    assert _refusal(at_once, "move-compulsory", 1)["detail"] == (
        "A legal move must be made before the next card is dealt."
    )
    secret = api.start(options=options)
    for steps in ([{"deal": 2}], [{"deal": 1}, {"deal": 1}]):
        hidden = api.play(secret, "moves", moves=steps)
        assert _refusal(hidden, "cards-hidden", 1)["detail"] == (
            "This action depends on a card that the same batch deals."
        )
    solution = _refusal(api.play(secret, "solution"), "cards-hidden", 1)
    assert solution["detail"] == "51 cards are still in the stock."


@pytest.mark.parametrize("action", ["deal", "undo", "redo"])
@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"count": 0}, {"/count"}),
        ({"count": -1}, {"/count"}),
        ({"count": 1.0}, {"/count"}),
        ({"count": "1"}, {"/count"}),
        ({"count": True}, {"/count"}),
        ({"number": 1}, {"/number"}),
        ([1], {""}),
    ],
)
def test_invalid_counts_are_refused(
    api: Api, action: str, body: object, pointers: set[str]
) -> None:
    game = api.start(deck=_DECK, options=_STOCK)
    reply = api.post(f"/v1/games/{game['id']}/{action}", body)
    assert set(reply.faults) == pointers


def test_undo_and_redo(api: Api) -> None:
    game = api.start(deck=_DECK, options=_STOCK)
    api.play(game, "deal", count=3)
    moved = api.move(game, 3, 0)
    undone = api.play(game, "undo").json
    assert undone["row"] == _DECK[:4]
    assert (undone["undos_used"], undone["can_redo"], undone["score"]) == (1, True, 0)
    start = api.play(game, "undo", count="all").json
    assert (start["row"], start["can_undo"], start["undos_used"]) == (["4S"], False, 4)
    assert api.play(game, "redo", count=2).json["row"] == _DECK[:3]
    again = api.play(game, "redo", count="all").json
    assert again["row"] == moved["row"]
    assert again["can_redo"] is False
    refusal = _refusal(api.play(game, "redo"), "nothing-to-redo", 7)
    assert refusal["available"] == 0
    refusal = _refusal(api.play(game, "undo", count=5), "nothing-to-undo", 7)
    assert refusal["available"] == 4
    refusal = _refusal(api.play(game, "undo", count=10**30), "nothing-to-undo", 7)
    assert _unchanged(api, again)


def test_a_new_action_clears_the_undone_actions(api: Api) -> None:
    game = api.start(deck=_DECK)
    api.move(game, 3, 0)
    api.play(game, "undo")
    assert api.move(game, 4, 3)["can_redo"] is False


def test_a_game_without_undo(api: Api) -> None:
    game = api.start(deck=_DECK, options={"undo": "none"})
    moved = api.move(game, 3, 0)
    assert moved["can_undo"] is False
    for action in ("undo", "redo"):
        assert _refusal(api.play(game, action), "undo-not-allowed", 2)


def test_a_lost_game_can_be_undone(api: Api) -> None:
    game = api.start(deck=_DECK)
    lost = api.move(game, 4, 3)
    assert lost["status"] == "lost"
    assert lost["ended_at"] is not None
    undone = api.play(game, "undo").json
    assert undone["status"] == "playing"
    assert undone["ended_at"] is None


def test_a_won_game(api: Api) -> None:
    game = api.start(deck=_WON)
    won = api.move(game, 1, 0)
    assert (won["status"], won["rating"]) == ("won", "full")
    assert won["score"] == 10 + 500 + 1200 - won["elapsed_seconds"]
    assert (won["legal_moves"], won["can_undo"]) == ([], False)
    _check_over(api, won, "won")


def test_a_finished_game(api: Api) -> None:
    game = api.start(deck=_DECK)
    ended = api.play(game, "finish").json
    assert (ended["status"], ended["rating"]) == ("ended", "moral")
    assert ended["legal_moves"] == []
    assert ended["can_undo"] is False
    _check_over(api, ended, "ended")


def _check_over(api: Api, game: dict[str, Any], status: str) -> None:
    bodies: dict[str, dict[str, Any]] = {
        "moves": {"from": 1, "to": 0},
        "deal": {},
        "undo": {},
        "redo": {},
        "finish": {},
    }
    for action, body in bodies.items():
        refusal = _refusal(api.play(game, action, **body), "game-over", game["version"])
        assert refusal["game_status"] == status
    tap = api.play(game, "moves", **{"from": 1})
    assert _refusal(tap, "game-over", game["version"])
    assert _unchanged(api, game)


def test_finish_refuses_a_body_with_members(api: Api) -> None:
    game = api.start(deck=_DECK)
    assert set(api.play(game, "finish", count=1).faults) == {"/count"}


def test_removal(api: Api) -> None:
    game = api.start(variant="push-pin", deck=["4S", "7H", "QC", "4D", "KD"])
    moved = api.move(game, 3, 0)
    assert moved["row"] == ["4S", "4D", "KD"]
    assert moved["removed"] == ["7H", "QC"]
    assert moved["heights"] == [1, 1, 1]
    assert moved["score"] == 20


@pytest.mark.parametrize("layout", ["open", "stock"])
def test_removed_cards_are_in_the_order_of_their_removal(api: Api, layout: str) -> None:
    deck = ["5H", "4S", "7H", "QC", "4D", "KD"]
    game = api.start(variant="push-pin", deck=deck, options={"layout": layout})
    if layout == "stock":
        api.play(game, "deal", count="all")
    first = api.move(game, 4, 1)
    assert first["removed"] == ["7H", "QC"]
    pairs = api.start(variant="bayan", deck=["2C", "9H", "9D", "2S", "KH"])
    assert api.move(pairs, 2, 1)["removed"] == ["9H", "9D"]
    both = api.move(pairs, 1, 0)
    assert (both["removed"], both["row"]) == (["9H", "9D", "2C", "2S"], ["KH"])
    undone = api.play(pairs, "undo").json
    assert undone["removed"] == ["9H", "9D"]


def test_a_run(api: Api) -> None:
    game = api.start(variant="seven-up", deck=["7H", "3C", "4D"])
    assert api.play(game, "moves", **{"from": 0}).json["removed"] == ["7H"]
    won = api.move(game, 1, 0)
    assert (won["status"], won["row"]) == ("won", [])
