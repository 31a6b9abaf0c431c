"""Boards over HTTP: what is ranked, in which order, and what gains nothing."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from service.config import Settings
from service.engine.variants import VARIANTS
from service.games.ids import key_of
from service.games.use_cases import make_use_cases
from service.http.app import create_app
from service.store.duties import Duties, Duty
from tests.http.client import Api

if TYPE_CHECKING:
    from service.store.redis import RedisStore

VARIANT = "late-binding"
DAY = "2026-12-01"
BOARD = f"/v1/leaderboards/daily/{DAY}"


class World:
    """A service whose clock is set by hand."""

    def __init__(self, store: RedisStore, patch: pytest.MonkeyPatch) -> None:
        self.store = store
        self.now = 0
        patch.setattr("service.http.app.now", lambda: self.now)
        self.at(f"{DAY}T12:00:00+00:00")
        self.api = self.another()

    def another(self) -> Api:
        """Another process."""
        return Api(create_app(Settings(daily_secret="salt"), self.store))

    def sweep(self) -> None:
        """Do what processes have left undone, as each worker does now and then."""
        runner = self.store.runner
        make_use_cases(Settings(), self.store, runner, lambda: self.now).ends.sweep()

    def at(self, text: str) -> None:
        self.now = int(datetime.fromisoformat(text).timestamp() * 1000)

    def start(self, player: str | None, **wish: object) -> Any:  # noqa: ANN401
        daily = {"variant": VARIANT, "daily": True, "player": player}
        if player is None:
            daily.pop("player")
        return self.api.start(**daily | wish)

    def solve(self, game: dict[str, Any]) -> list[dict[str, int]]:
        """A line that wins, found in a game of nobody."""
        other = self.start(None)
        path = f"/v1/games/{other['id']}/solution"
        actions = self.api.post(path, {}).json["actions"]
        assert actions, game
        return [{"from": one["from"], "to": one["to"]} for one in actions]

    def win(self, player: str | None, seconds: int = 10, **wish: object) -> Any:  # noqa: ANN401
        game = self.start(player, **wish)
        line = self.solve(game)
        self.now += seconds * 1000
        won = self.api.play(game, "moves", moves=line)
        assert won.json["status"] == "won", won.raw
        return won.json

    def board(self, path: str = BOARD, query: str = "") -> Any:  # noqa: ANN401
        reply = self.api.get(f"{path}?variant={VARIANT}{query}")
        assert reply.status == 200, reply.raw
        return reply.json

    def shown(self, path: str = BOARD) -> list[tuple[int, str, int]]:
        return [
            (entry["rank"], entry["player"], entry["score"])
            for entry in self.board(path)["entries"]
        ]


@pytest.fixture
def world(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(store, monkeypatch)


def test_a_won_daily_is_on_the_boards_at_once(world: World) -> None:
    won = world.win("Ada", 10)
    assert (won["ranked"], won["unranked_reason"]) == (True, None)
    score = 10 * 17 + 500 + 1190
    assert won["score"] == score
    board = world.board()
    assert board == {
        "board": f"daily/{DAY}",
        "entries_total": 1,
        "closes_at": "2026-12-02T01:00:00.000Z",
        "entries": [
            {
                "rank": 1,
                "player": "Ada",
                "score": score,
                "rating": "full",
                "piles": 1,
                "moves": 17,
                "undos_used": 0,
                "elapsed_seconds": 10,
                "finished_at": won["ended_at"],
                "watch_id": None,
            }
        ],
    }
    for path in ("monthly/2026-12", "all-time"):
        assert world.shown(f"/v1/leaderboards/{path}") == [(1, "Ada", score)]
    around = world.api.get(f"/v1/games/{won['id']}/leaderboard").json
    assert around == board
    assert world.board("/v1/leaderboards/all-time")["closes_at"] is None


def test_when_the_deal_has_closed_the_games_can_be_watched(world: World) -> None:
    won = world.win("Ada")
    world.at("2026-12-02T00:59:59.999+00:00")
    assert world.board()["entries"][0]["watch_id"] is None
    world.at("2026-12-02T01:00:00+00:00")
    watch_id = world.board()["entries"][0]["watch_id"]
    assert watch_id == won["watch_id"]
    assert world.api.get(f"/v1/watch/{watch_id}").json["player"] == "Ada"


def test_equal_scores_are_in_the_order_of_their_finish(world: World) -> None:
    for player in ("Zoe", "Ada", "Eve"):
        world.win(player, 10)
    world.win("Bob", 9)
    score = 10 * 17 + 500 + 1190
    assert world.shown() == [
        (1, "Bob", score + 1),
        (2, "Zoe", score),
        (3, "Ada", score),
        (4, "Eve", score),
    ]


def test_a_players_best_counts_and_the_bonus_runs_from_the_first_start(
    world: World,
) -> None:
    world.start("Ada")
    world.now += 100_000
    won = world.win("ADA", 10)
    assert won["score"] == 10 * 17 + 500 + 1190
    assert world.shown() == [(1, "ADA", 10 * 17 + 500 + 1090)]
    world.win("ada", 1)
    assert world.shown() == [(1, "ADA", 10 * 17 + 500 + 1090)]
    assert world.board()["entries_total"] == 1


@pytest.mark.parametrize("name", ["Ada", "ADA", "\uff21\uff44\uff41"])
def test_help_in_another_game_of_the_deal_takes_the_rank(
    world: World, name: str
) -> None:
    before = world.start("Ada")
    helped = world.start(name)
    hint = world.api.play(helped, "hint")
    assert hint.status == 200
    for game, tag in ((helped, '"1.2"'), (before, '"1.2"')):
        reply = world.api.get(f"/v1/games/{game['id']}")
        assert (reply.json["ranked"], reply.json["unranked_reason"]) == (False, "help")
        assert (reply.json["version"], reply.headers["ETag"]) == (1, tag)
    late = world.win("aDa")
    assert (late["ranked"], late["unranked_reason"]) == (False, "help")
    won = world.api.play(before, "moves", moves=world.solve(before)).json
    assert (won["hints_used"], won["unranked_reason"]) == (0, "help")
    assert world.shown() == []
    reply = world.api.get(f"/v1/games/{before['id']}/leaderboard")
    assert (reply.status, reply.slug) == (404, "not-ranked")


def test_help_whose_other_games_were_not_marked_takes_the_rank_at_the_end(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process died after it had noted the help."""
    before, line = world.start("Ada"), world.solve({})
    with monkeypatch.context() as patch:
        patch.setattr("service.games.players.rewrite", lambda *_: None)
        world.api.play(world.start("ada"), "hint")
    assert world.api.get(f"/v1/games/{before['id']}").json["ranked"]
    won = world.api.play(before, "moves", moves=line).json
    assert (won["ranked"], won["unranked_reason"]) == (False, "help")
    assert world.shown() == []


def test_a_lost_game_loses_its_rank_when_it_goes_on_after_help(world: World) -> None:
    lost = _lose(world, world.start("Ada"))
    world.now += 1000
    world.api.play(world.start("Ada"), "hint")
    assert world.api.get(f"/v1/games/{lost['id']}").json["ranked"]
    assert world.shown() == [(1, "Ada", lost["score"])]
    undone = world.api.play(lost, "undo").json
    assert (undone["ranked"], undone["unranked_reason"]) == (False, "help")


def test_help_with_a_deck_of_the_same_cards_takes_the_rank(world: World) -> None:
    deck = world.start(None)["row"]
    practice = world.api.start(variant=VARIANT, deck=deck, player="ADA")
    world.api.play(practice, "solution")
    assert world.win("Ada")["unranked_reason"] == "help"
    assert world.shown() == []


def test_a_deck_of_the_same_cards_begins_the_time_of_the_bonus(world: World) -> None:
    world.api.start(variant=VARIANT, deck=world.start(None)["row"], player="ADA")
    world.now += 100_000
    world.win("Ada", 10)
    assert world.shown() == [(1, "Ada", 10 * 17 + 500 + 1090)]


def test_a_name_that_was_bound_meanwhile_takes_the_rank(world: World) -> None:
    game, line = world.start("Ada"), world.solve({})
    assert game["ranked"]
    assert world.start("Ada", player_key="k" * 16)["ranked"]
    won = world.api.play(game, "moves", moves=line).json
    assert (won["ranked"], won["unranked_reason"]) == (False, "player-key")
    assert world.shown() == []


def test_help_in_a_game_of_the_same_seed_takes_the_rank(world: World) -> None:
    seed = world.start(None)["seed"]
    practice = world.api.start(variant=VARIANT, seed=seed, player="Ada")
    assert practice["unranked_reason"] == "deal"
    world.api.play(practice, "solution")
    assert world.win("ada")["unranked_reason"] == "help"
    assert world.shown() == []


def test_help_after_the_end_changes_no_board(world: World) -> None:
    world.win("Ada")
    world.api.play(world.start("Ada"), "hint")
    assert [player for _, player, _ in world.shown()] == ["Ada"]


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ({"player": None}, "no-player"),
        ({"options": {"undo": "none"}}, "options"),
        ({"options": {"hints": "none"}}, "options"),
        ({"daily": None, "seed": "1"}, "deal"),
        ({"daily": None}, "deal"),
        ({"daily": "2026-11-30"}, "past-day"),
    ],
)
def test_what_is_not_ranked(world: World, wish: dict[str, object], reason: str) -> None:
    full = {"variant": VARIANT, "daily": True, "player": "Ada"} | wish
    game = world.api.start(**{k: v for k, v in full.items() if v is not None})
    assert (game["ranked"], game["unranked_reason"]) == (False, reason)
    world.api.play(game, "finish")
    assert world.shown() == []
    assert world.board("/v1/leaderboards/all-time")["entries"] == []


def test_a_chosen_seed_or_deck_counts_for_nothing(world: World) -> None:
    for wish in ({"seed": "1"}, {"deck": ["4S", "4D"]}):
        game = world.api.start(player="Ada", **wish)
        world.api.play(game, "finish")
    reply = world.api.get("/v1/players/Ada")
    assert (reply.status, reply.slug) == (404, "player-not-found")


def test_a_game_begun_before_midnight_counts_until_the_close(world: World) -> None:
    world.at("2026-12-01T23:59:59.999+00:00")
    games = {player: world.start(player) for player in ("Ada", "Bob")}
    line = world.solve(games["Ada"])
    world.at("2026-12-02T00:59:59.999+00:00")
    assert world.api.play(games["Ada"], "moves", moves=line).json["ranked"]
    world.at("2026-12-02T01:00:00+00:00")
    late = world.api.play(games["Bob"], "moves", moves=line).json
    assert (late["ranked"], late["unranked_reason"]) == (False, "closed")
    assert [player for _, player, _ in world.shown()] == ["Ada"]
    assert world.shown(f"/v1/leaderboards/daily/{'2026-12-02'}") == []


def _lose(world: World, game: dict[str, Any]) -> dict[str, Any]:
    """Play the first legal move until none is left, and not into a win."""
    while game["status"] == "playing":
        game = world.api.move(game, *game["legal_moves"][-1].values())
    assert game["status"] == "lost"
    return game


def test_a_lost_game_that_ends_again_replaces_its_end(world: World) -> None:
    lost = _lose(world, world.start("Ada"))
    assert world.shown() == [(1, "Ada", lost["score"])]
    world.api.play(lost, "undo", count="all")
    assert world.shown() == [(1, "Ada", lost["score"])]
    world.now += 60_000
    won = world.api.play(lost, "moves", moves=world.solve(lost)).json
    assert won["status"] == "won"
    for path in (
        BOARD,
        "/v1/leaderboards/monthly/2026-12",
        "/v1/leaderboards/all-time",
    ):
        assert world.shown(path) == [(1, "Ada", won["score"])]
    statistics = world.board(f"/v1/deals/daily/{DAY}/statistics")
    assert (statistics["players"], statistics["won"]) == (1, 1)
    assert statistics["piles"] == [{"piles": 1, "players": 1}]
    player = world.api.get("/v1/players/ada").json
    assert (player["games"], player["wins"], player["streak"]) == (1, 1, 1)


def test_a_later_end_without_a_rank_takes_the_earlier_one_away(world: World) -> None:
    lost = _lose(world, world.start("Ada"))
    world.api.play(lost, "undo", count=1)
    world.api.play(lost, "hint")
    world.api.play(lost, "finish")
    for path in (
        BOARD,
        "/v1/leaderboards/monthly/2026-12",
        "/v1/leaderboards/all-time",
    ):
        assert world.shown(path) == []
    assert world.board(f"/v1/deals/daily/{DAY}/statistics")["players"] == 0
    assert world.api.get("/v1/players/Ada").json["streak"] == 0


def test_sums_are_of_each_days_best(world: World) -> None:
    first = world.win("Ada", 10)["score"]
    world.win("Ada", 20)
    world.win("Bob", 30)
    world.at("2026-12-02T12:00:00+00:00")
    second = world.win("Ada", 40)["score"]
    assert world.shown("/v1/leaderboards/monthly/2026-12")[0] == (
        (1, "Ada", first + second)
    )
    world.at("2027-01-01T12:00:00+00:00")
    third = world.win("Ada", 50)["score"]
    assert world.shown("/v1/leaderboards/monthly/2027-01") == [(1, "Ada", third)]
    assert world.shown("/v1/leaderboards/all-time")[0] == (
        (1, "Ada", first + second + third)
    )
    assert world.api.get("/v1/players/Ada").json["longest_streak"] == 2


def test_a_player_key_binds_a_name(world: World) -> None:
    key = "k" * 16
    own = world.start("Ada", player_key=key)
    assert own["ranked"]
    forged = world.start("ADA")
    assert (forged["ranked"], forged["unranked_reason"]) == (False, "player-key")
    other = world.start("ada", player_key="x" * 16)
    assert other["unranked_reason"] == "player-key"
    line = world.solve(own)
    world.api.play(forged, "hint")
    world.api.play(forged, "finish")
    world.api.play(other, "moves", moves=line)
    assert world.shown() == []
    assert world.api.get("/v1/players/Ada").status == 404
    world.now += 5_000
    won = world.api.play(own, "moves", moves=line).json
    assert won["ranked"]
    assert [player for _, player, _ in world.shown()] == ["Ada"]
    assert key.encode() not in world.api.get(f"/v1/games/{own['id']}").raw


@pytest.mark.parametrize("player_key", ["k" * 15, "", "k" * 15 + "é", 7])
def test_what_is_no_player_key(world: World, player_key: object) -> None:
    wish = {"player": "Ada", "player_key": player_key}
    assert set(world.api.post("/v1/games", wish).faults) == {"/player_key"}


def test_pages_show_each_entry_once_while_others_come_and_go(world: World) -> None:
    players = [f"P{number:02}" for number in range(25)]
    line = world.solve({})
    games = [world.start(player) for player in players]
    for game in games[::2]:
        world.now += 1000
        world.api.play(game, "moves", moves=line)
    seen, path = [], f"{BOARD}?variant={VARIANT}&limit=3"
    pages = 0
    while path:
        reply = world.api.get(path)
        seen += reply.json["entries"]
        link = reply.headers.get("Link")
        path = link.partition(">")[0].removeprefix("<") if link else ""
        world.now += 1000
        if pages < 12:
            world.api.play(games[2 * pages + 1], "moves", moves=line)
        pages += 1
    names = [entry["player"] for entry in seen]
    assert len(names) == len(set(names))
    assert set(players[::2]) <= set(names)
    board = world.board(query="&limit=100")
    ranks = [entry["rank"] for entry in board["entries"]]
    assert ranks == list(range(1, board["entries_total"] + 1))
    assert len(ranks) > len(players[::2])


def test_a_page_around_a_player(world: World) -> None:
    line = world.solve({})
    games = [world.start(f"P{number}") for number in range(9)]
    for game in games:
        world.now += 1000
        world.api.play(game, "moves", moves=line)
    board = world.board(query="&limit=3&around=p4")
    assert [entry["player"] for entry in board["entries"]] == ["P3", "P4", "P5"]
    assert [entry["rank"] for entry in board["entries"]] == [4, 5, 6]
    reply = world.api.get(f"{BOARD}?variant={VARIANT}&around=nobody")
    assert (reply.status, reply.slug) == (404, "not-ranked")
    for query in ("cursor=x&around=P4", "cursor=%21", "limit=0", "limit=101"):
        assert world.api.get(f"{BOARD}?variant={VARIANT}&{query}").status == 422


def test_streaks_are_days_that_were_won_or_lost(world: World) -> None:
    _lose(world, world.start("Ada"))
    world.at("2026-12-02T12:00:00+00:00")
    world.api.play(world.start("Ada"), "finish")
    player = world.api.get("/v1/players/Ada").json
    assert (player["streak"], player["longest_streak"]) == (1, 1)
    world.win("Ada")
    assert world.api.get("/v1/players/Ada").json["streak"] == 2
    world.at("2026-12-03T23:00:00+00:00")
    assert world.api.get("/v1/players/Ada").json["streak"] == 2
    world.at("2026-12-04T00:00:00+00:00")
    player = world.api.get("/v1/players/Ada").json
    assert (player["streak"], player["longest_streak"]) == (0, 2)
    world.api.play(world.start("Ada", daily="2026-12-03"), "finish")
    assert world.api.get("/v1/players/Ada").json["longest_streak"] == 2


# --- crashes


def test_what_a_process_left_undone_is_done_by_another(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = world.start("Ada")
    line = world.solve(game)

    class Killed(BaseException):
        """The process dies behind the write of the game."""

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("service.games.game_end.GameEnds.tell", die)
        with pytest.raises(Killed):
            world.api.play(game, "moves", moves=line)
    world.api = world.another()
    assert world.api.get(f"/v1/games/{game['id']}").json["status"] == "won"
    assert world.shown() == []
    world.now += 3000
    for _ in range(2):
        world.sweep()
        assert [player for _, player, _ in world.shown()] == ["Ada"]
    assert world.api.get("/v1/players/Ada").json["games"] == 1
    with monkeypatch.context() as patch:
        patch.setattr("service.games.leaderboards.BoardKeeper.handle", die)
        world.now += 3000
        world.sweep()  # nothing is left to be done


def test_a_lost_game_that_is_undone_before_its_duty_is_done(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = world.start("Ada")
    with monkeypatch.context() as patch:
        patch.setattr("service.games.game_end.GameEnds.tell", lambda *_: None)
        lost = _lose(world, game)
    assert world.shown() == []
    world.api.play(game, "undo")
    assert world.shown() == [(1, "Ada", lost["score"])]


def test_deleting_a_game_does_its_duty_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("service.games.game_end.GameEnds.tell", lambda *_: None)
        won = world.win("Ada")
    assert world.shown() == []
    assert world.api.delete(f"/v1/games/{won['id']}").status == 204
    assert world.shown() == [(1, "Ada", won["score"])]


def test_a_game_that_did_not_end_leaves_no_duty(world: World) -> None:
    game = world.start("Ada")
    duties = Duties(world.store.runner)
    key = key_of("", game["id"])
    duties.note(Duty(key, world.now))
    duties.note(Duty(key._replace(game_id="gone"), world.now))
    world.now += 3000
    world.sweep()
    assert duties.list(world.now, 10) == [Duty(key, world.now - 3000)]
    world.now += 58_000
    world.sweep()
    assert world.shown() == []
    assert duties.list(world.now, 10) == []


def test_only_variants_that_there_are_have_boards(world: World) -> None:
    for variant in VARIANTS:
        assert world.api.get(f"{BOARD}?variant={variant}").json["entries"] == []
    assert world.api.get(f"{BOARD}?variant=chess").status == 422
    assert world.api.get("/v1/leaderboards/daily/2026-02-30").status == 422
    for month in ("2026-13", "0000-01", "2026-1"):
        refused = world.api.get(f"/v1/leaderboards/monthly/{month}")
        assert refused.status == 422
        assert refused.json["detail"] == "`/month` must be a month such as `2030-12`."


def test_without_keys_nobody_lists_or_erases(world: World) -> None:
    for reply in (
        world.api.get("/v1/players/Ada/games"),
        world.api.delete("/v1/players/Ada"),
    ):
        assert (reply.status, reply.slug) == (403, "key-required")
