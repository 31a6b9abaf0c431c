"""Boards over HTTP: order, pages, sums, streaks, and crashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.engine.variants import VARIANTS
from service.games.ids import key_of
from service.store.coordination import Duties, Duty
from tests.http.board_service import BOARD, DAY, VARIANT

if TYPE_CHECKING:
    from tests.http.board_service import BoardService


def test_a_won_daily_is_on_the_boards_at_once(service: BoardService) -> None:
    won = service.win("Ada", 10)
    assert (won["ranked"], won["unranked_reason"]) == (True, None)
    score = 10 * 17 + 500 + 1190
    assert won["score"] == score
    board = service.board()
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
        assert service.entries(f"/v1/leaderboards/{path}") == [(1, "Ada", score)]
    around = service.api.get(f"/v1/games/{won['id']}/leaderboard").json
    assert around == board
    assert service.board("/v1/leaderboards/all-time")["closes_at"] is None


def test_equal_scores_are_in_order_of_finish(service: BoardService) -> None:
    for player in ("Zoe", "Ada", "Eve"):
        service.win(player, 10)
    service.win("Bob", 9)
    score = 10 * 17 + 500 + 1190
    assert service.entries() == [
        (1, "Bob", score + 1),
        (2, "Zoe", score),
        (3, "Ada", score),
        (4, "Eve", score),
    ]


def test_a_lost_game_that_ends_again_replaces_its_end(service: BoardService) -> None:
    lost = service.lose(service.start("Ada"))
    assert service.entries() == [(1, "Ada", lost["score"])]
    service.api.play(lost, "undo", count="all")
    assert service.entries() == [(1, "Ada", lost["score"])]
    service.now += 60_000
    won = service.api.play(lost, "moves", moves=service.solve(lost)).json
    assert won["status"] == "won"
    for path in (
        BOARD,
        "/v1/leaderboards/monthly/2026-12",
        "/v1/leaderboards/all-time",
    ):
        assert service.entries(path) == [(1, "Ada", won["score"])]
    statistics = service.board(f"/v1/deals/daily/{DAY}/statistics")
    assert (statistics["players"], statistics["won"]) == (1, 1)
    assert statistics["piles"] == [{"piles": 1, "players": 1}]
    player = service.api.get("/v1/players/ada").json
    assert (player["games"], player["wins"], player["streak"]) == (1, 1, 1)


def test_a_later_end_without_a_rank_removes_the_earlier_entry(
    service: BoardService,
) -> None:
    lost = service.lose(service.start("Ada"))
    service.api.play(lost, "undo", count=1)
    service.api.play(lost, "hint")
    service.api.play(lost, "finish")
    for path in (
        BOARD,
        "/v1/leaderboards/monthly/2026-12",
        "/v1/leaderboards/all-time",
    ):
        assert service.entries(path) == []
    assert service.board(f"/v1/deals/daily/{DAY}/statistics")["players"] == 0
    assert service.api.get("/v1/players/Ada").json["streak"] == 0


def test_sums_add_the_best_score_of_each_day(service: BoardService) -> None:
    first = service.win("Ada", 10)["score"]
    service.win("Ada", 20)
    service.win("Bob", 30)
    service.set_time("2026-12-02T12:00:00+00:00")
    second = service.win("Ada", 40)["score"]
    assert service.entries("/v1/leaderboards/monthly/2026-12")[0] == (
        (1, "Ada", first + second)
    )
    service.set_time("2027-01-01T12:00:00+00:00")
    third = service.win("Ada", 50)["score"]
    assert service.entries("/v1/leaderboards/monthly/2027-01") == [(1, "Ada", third)]
    assert service.entries("/v1/leaderboards/all-time")[0] == (
        (1, "Ada", first + second + third)
    )
    assert service.api.get("/v1/players/Ada").json["longest_streak"] == 2


def test_pages_show_each_entry_once_while_the_board_changes(
    service: BoardService,
) -> None:
    players = [f"P{number:02}" for number in range(25)]
    line = service.solve({})
    games = [service.start(player) for player in players]
    for game in games[::2]:
        service.now += 1000
        service.api.play(game, "moves", moves=line)
    seen, path = [], f"{BOARD}?variant={VARIANT}&limit=3"
    pages = 0
    while path:
        reply = service.api.get(path)
        seen += reply.json["entries"]
        link = reply.headers.get("Link")
        path = link.partition(">")[0].removeprefix("<") if link else ""
        service.now += 1000
        if pages < 12:
            service.api.play(games[2 * pages + 1], "moves", moves=line)
        pages += 1
    names = [entry["player"] for entry in seen]
    assert len(names) == len(set(names))
    assert set(players[::2]) <= set(names)
    board = service.board(query="&limit=100")
    ranks = [entry["rank"] for entry in board["entries"]]
    assert ranks == list(range(1, board["entries_total"] + 1))
    assert len(ranks) > len(players[::2])


def test_a_page_around_a_player(service: BoardService) -> None:
    line = service.solve({})
    games = [service.start(f"P{number}") for number in range(9)]
    for game in games:
        service.now += 1000
        service.api.play(game, "moves", moves=line)
    board = service.board(query="&limit=3&around=p4")
    assert [entry["player"] for entry in board["entries"]] == ["P3", "P4", "P5"]
    assert [entry["rank"] for entry in board["entries"]] == [4, 5, 6]
    reply = service.api.get(f"{BOARD}?variant={VARIANT}&around=nobody")
    assert (reply.status, reply.slug) == (404, "not-ranked")
    for query in ("cursor=x&around=P4", "cursor=%21", "limit=0", "limit=101"):
        assert service.api.get(f"{BOARD}?variant={VARIANT}&{query}").status == 422


def test_streaks_count_days_with_a_won_or_lost_game(service: BoardService) -> None:
    service.lose(service.start("Ada"))
    service.set_time("2026-12-02T12:00:00+00:00")
    service.api.play(service.start("Ada"), "finish")
    player = service.api.get("/v1/players/Ada").json
    assert (player["streak"], player["longest_streak"]) == (1, 1)
    service.win("Ada")
    assert service.api.get("/v1/players/Ada").json["streak"] == 2
    service.set_time("2026-12-03T23:00:00+00:00")
    assert service.api.get("/v1/players/Ada").json["streak"] == 2
    service.set_time("2026-12-04T00:00:00+00:00")
    player = service.api.get("/v1/players/Ada").json
    assert (player["streak"], player["longest_streak"]) == (0, 2)
    service.api.play(service.start("Ada", daily="2026-12-03"), "finish")
    assert service.api.get("/v1/players/Ada").json["longest_streak"] == 2


# --- crashes


def test_a_duty_of_a_killed_process_is_done_by_another(
    service: BoardService, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = service.start("Ada")
    line = service.solve(game)

    class ProcessKilledError(BaseException):
        """The process is killed after it has written the game."""

    def raise_killed(*_: object) -> None:
        raise ProcessKilledError

    with monkeypatch.context() as patch:
        patch.setattr("service.games.game_end.GameEnds.process", raise_killed)
        with pytest.raises(ProcessKilledError):
            service.api.play(game, "moves", moves=line)
    service.api = service.new_process()
    assert service.api.get(f"/v1/games/{game['id']}").json["status"] == "won"
    assert service.entries() == []
    service.now += 3000
    for _ in range(2):
        service.sweep()
        assert [player for _, player, _ in service.entries()] == ["Ada"]
    assert service.api.get("/v1/players/Ada").json["games"] == 1
    with monkeypatch.context() as patch:
        patch.setattr("service.games.leaderboards.BoardUpdater.handle", raise_killed)
        service.now += 3000
        service.sweep()  # no duty is left


def test_duties_that_cannot_be_done_yet_do_not_delay_others(
    service: BoardService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Duties of games that a newer release wrote, or whose write is not done yet."""
    duties = Duties(service.store.runner)
    with monkeypatch.context() as patch:
        patch.setattr("service.games.game_end.GameEnds.process", lambda *_: None)
        patch.setattr("service.games.game_end._DUTIES_AT_ONCE", 2)
        waiting = [key_of("", service.start("Eve")["id"]) for _ in range(5)]
        for key in waiting:
            duties.note(Duty(key, service.now - 1))
        won = service.win("Ada")
        service.now += 3000
        service.sweep()
    assert service.entries() == [(1, "Ada", won["score"])]
    assert sorted(duty.key for duty in duties.list(service.now, 10)) == sorted(waiting)


def test_a_lost_game_that_is_undone_before_its_duty_is_done(
    service: BoardService, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = service.start("Ada")
    with monkeypatch.context() as patch:
        patch.setattr("service.games.game_end.GameEnds.process", lambda *_: None)
        lost = service.lose(game)
    assert service.entries() == []
    service.api.play(game, "undo")
    assert service.entries() == [(1, "Ada", lost["score"])]


def test_the_duty_of_a_game_is_done_before_it_is_deleted(
    service: BoardService, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("service.games.game_end.GameEnds.process", lambda *_: None)
        won = service.win("Ada")
    assert service.entries() == []
    assert service.api.delete(f"/v1/games/{won['id']}").status == 204
    assert service.entries() == [(1, "Ada", won["score"])]


def test_a_game_that_did_not_end_leaves_no_duty(service: BoardService) -> None:
    game = service.start("Ada")
    duties = Duties(service.store.runner)
    key = key_of("", game["id"])
    duties.note(Duty(key, service.now))
    duties.note(Duty(key._replace(game_id="gone"), service.now))
    service.now += 3000
    service.sweep()
    assert duties.list(service.now, 10) == [Duty(key, service.now - 3000)]
    service.now += 58_000
    service.sweep()
    assert service.entries() == []
    assert duties.list(service.now, 10) == []


def test_only_known_variants_and_dates_have_boards(service: BoardService) -> None:
    for variant in VARIANTS:
        assert service.api.get(f"{BOARD}?variant={variant}").json["entries"] == []
    assert service.api.get(f"{BOARD}?variant=chess").status == 422
    assert service.api.get("/v1/leaderboards/daily/2026-02-30").status == 422
    for month in ("2026-13", "0000-01", "2026-1"):
        refused = service.api.get(f"/v1/leaderboards/monthly/{month}")
        assert refused.status == 422
        assert refused.json["detail"] == "`/month` must be a month such as `2030-12`."


def test_without_keys_nobody_lists_or_erases_a_players_games(
    service: BoardService,
) -> None:
    for reply in (
        service.api.get("/v1/players/Ada/games"),
        service.api.delete("/v1/players/Ada"),
    ):
        assert (reply.status, reply.slug) == (403, "key-required")
