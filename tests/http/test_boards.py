"""Boards over HTTP: their order, their pages, sums, streaks, and crashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.engine.variants import VARIANTS
from service.games.ids import key_of
from service.store.coordination import Duties, Duty
from tests.http.board_world import BOARD, DAY, VARIANT

if TYPE_CHECKING:
    from tests.http.board_world import World


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


def test_a_lost_game_that_ends_again_replaces_its_end(world: World) -> None:
    lost = world.lose(world.start("Ada"))
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
    lost = world.lose(world.start("Ada"))
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
    world.lose(world.start("Ada"))
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
        patch.setattr("service.games.game_end.GameEnds.process", die)
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


def test_duties_that_cannot_be_done_yet_do_not_delay_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games that a newer release wrote, or that are still on their way."""
    duties = Duties(world.store.runner)
    with monkeypatch.context() as patch:
        patch.setattr("service.games.game_end.GameEnds.process", lambda *_: None)
        patch.setattr("service.games.game_end._DUTIES_AT_ONCE", 2)
        waiting = [key_of("", world.start("Eve")["id"]) for _ in range(5)]
        for key in waiting:
            duties.note(Duty(key, world.now - 1))
        won = world.win("Ada")
        world.now += 3000
        world.sweep()
    assert world.shown() == [(1, "Ada", won["score"])]
    assert sorted(duty.key for duty in duties.list(world.now, 10)) == sorted(waiting)


def test_a_lost_game_that_is_undone_before_its_duty_is_done(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = world.start("Ada")
    with monkeypatch.context() as patch:
        patch.setattr("service.games.game_end.GameEnds.process", lambda *_: None)
        lost = world.lose(game)
    assert world.shown() == []
    world.api.play(game, "undo")
    assert world.shown() == [(1, "Ada", lost["score"])]


def test_deleting_a_game_does_its_duty_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("service.games.game_end.GameEnds.process", lambda *_: None)
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
