"""Reviews over HTTP: when they exist, what they contain, and that they are help."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, Any

from service.games.ids import key_of, watch_id_of
from service.store.coordination import Leases

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.store.redis import RedisStore
    from tests.http.board_service import BoardService
    from tests.http.client import Api, Reply

DECK = ["5S", "4S", "7H", "6S", "4H"]
"""4S onto 5S loses the game."""
LOST_AT_ONCE = {
    "actions": [
        {"action": "1-0", "before": "winnable", "after": "unwinnable"},
        {"action": "3-0", "before": "unwinnable", "after": "unwinnable"},
        {"action": "1-0", "before": "unwinnable", "after": "unwinnable"},
    ],
    "turning_point": 0,
    "line_from": 0,
    "accuracy": 0.0,
    "hindsight": False,
}
WAIT_SECONDS = 60


def path_of(game: Mapping[str, Any]) -> str:
    return f"/v1/games/{game['id']}/review"


def lose(api: Api, **body: object) -> Any:  # noqa: ANN401
    game = api.start(deck=DECK, **body)
    for origin, target in ((1, 0), (3, 0), (1, 0)):
        game = api.move(game, origin, target)
    assert game["status"] == "lost"
    return game


def await_review(api: Api, path: str) -> Reply:
    for _ in range(WAIT_SECONDS * 20):
        reply = api.get(path)
        if reply.status != 202:
            return reply
        sleep(0.05)
    raise AssertionError("no review")


def test_a_game_is_reviewed(api: Api) -> None:
    game = lose(api, options={"undo": "none"})
    path = path_of(game)
    asked = api.post(path)
    assert (asked.status, asked.raw) == (202, b"")
    assert asked.headers["Location"] == path
    assert asked.headers["Retry-After"] == "1"
    reply = await_review(api, path)
    review = reply.json
    line = review.pop("line")
    assert review == LOST_AT_ONCE
    again = api.start(deck=DECK)
    moves = [
        dict(zip(("from", "to"), map(int, one.split("-")), strict=True)) for one in line
    ]
    assert api.play(again, "moves", moves=moves).json["status"] == "won"
    assert api.post(path).json == reply.json
    known = {"If-None-Match": api.get(path).headers["ETag"]}
    assert api.get(path, known).status == 304
    assert api.get(f"/v1/games/{game['id']}").json["version"] == game["version"]
    assert api.delete(f"/v1/games/{game['id']}").status == 204
    assert api.get(path).slug == "game-not-found"


def test_a_stock_game_is_reviewed_in_hindsight(api: Api) -> None:
    game = api.start(deck=DECK, options={"layout": "stock"})
    api.play(game, "deal", count="all")
    api.play(game, "finish")
    api.post(path_of(game))
    review = await_review(api, path_of(game)).json
    assert review["hindsight"]
    assert [one["action"] for one in review["actions"]] == ["deal"] * 4
    assert review["accuracy"] is None


def test_a_game_that_is_not_over_is_not_reviewed(api: Api) -> None:
    game = api.start(deck=DECK)
    assert api.get(path_of(game)).slug == "review-not-found"
    playing = api.post(path_of(game))
    assert (playing.status, playing.slug) == (409, "game-not-over")
    assert playing.json["detail"] == "The game is still being played."
    lost = lose(api)
    undoable = api.post(path_of(lost))
    assert undoable.slug == "game-not-over"
    assert undoable.json["version"] == 4
    assert undoable.json["detail"].startswith("Moves of the lost game can still")
    assert api.get(path_of(lost)).slug == "review-not-found"
    api.play(lost, "finish")
    assert api.post(path_of(lost)).status == 202


def test_a_repeated_request_gets_the_same_response(api: Api) -> None:
    game = lose(api, options={"undo": "none"})
    key = {"Idempotency-Key": "k" * 16}
    assert api.post(path_of(game), {}, key).status == 202
    await_review(api, path_of(game))
    again = api.post(path_of(game), {}, key)
    assert (again.status, again.headers["Idempotent-Replayed"]) == (202, "true")
    assert again.headers["Location"] == path_of(game)


def test_a_review_in_progress_is_left_to_its_process_until_that_dies(
    api: Api, make_api: Callable[..., Api], store: RedisStore
) -> None:
    leases = Leases(store.runner)
    game = lose(api, options={"undo": "none"})
    key = key_of("", game["id"])
    assert leases.take(key)
    assert not leases.take(key)
    assert api.post(path_of(game)).status == 202
    another = make_api()
    for _ in range(10):
        assert another.get(path_of(game)).status == 202
        sleep(0.05)
    leases.end(key)
    assert await_review(another, path_of(game)).json["turning_point"] == 0


def test_a_lease_expires_unless_it_is_extended(store: RedisStore) -> None:
    leases, key = Leases(store.runner), key_of("", "x" * 20)
    assert leases.take(key)
    leases.extend(key)
    life = store.runner.read(b"PTTL", f"l:{{:{key.game_id}}}".encode())
    assert 0 < life <= 5000


def test_a_review_counts_as_help_for_later_games_of_the_deal(
    service: BoardService,
) -> None:
    first = service.start("Ada")
    service.now += 1000
    first = service.api.play(first, "finish").json
    service.now += 1000
    assert service.api.post(path_of(first)).status == 202
    await_review(service.api, path_of(first))
    assert service.api.get(f"/v1/games/{first['id']}").json["ranked"]
    assert [player for _, player, _ in service.entries()] == ["Ada"]
    second = service.start("Ada")
    assert (second["ranked"], second["unranked_reason"]) == (False, "help")
    assert service.start("Grace")["ranked"]


def test_spectators_see_no_review_before_the_deal_closes(service: BoardService) -> None:
    game = service.start("Ada")
    path = f"/v1/watch/{watch_id_of(game['id'])}/review"
    service.api.play(game, "finish")
    assert service.api.get(path).slug == "review-not-found"
    service.api.post(path_of(game))
    review = await_review(service.api, path_of(game)).json
    assert service.api.get(path).slug == "review-not-found"
    service.set_time("2026-12-02T01:00:00+00:00")
    shown = service.api.get(path)
    assert shown.json == review
    assert service.api.get(path, {"If-None-Match": shown.headers["ETag"]}).status == 304
