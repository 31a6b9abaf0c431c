"""Boards and players in the store, on each kind of server and on a cluster."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from service.store.boards import (
    After,
    Best,
    BoardKey,
    Boards,
    Page,
    Result,
    Share,
    Statistics,
)
from service.store.coordination import Choices, Duties, Duty
from service.store.players import End, Players, Start
from service.store.protocol import GameKey, PlayerKey

if TYPE_CHECKING:
    from service.store.redis import RedisStore

BOARD = BoardKey("portal", "daily/2026-12-01/accordion")
SUM = BoardKey("portal", "all-time/accordion", is_sum=True)
LIFE = 3600


def _result(player: str, score: int, finish: int) -> Result:
    return Result(player, f"game of {player}", 1, score, finish, 1, "won", player)


def _names(page: Page | None) -> list[str]:
    assert page is not None
    return [entry.player for entry in page.entries]


@pytest.fixture
def boards(any_store: RedisStore) -> Boards:
    return Boards(any_store.runner)


def test_the_order_is_exact_beyond_the_precision_of_a_double(boards: Boards) -> None:
    first = 1_800_000_000_000
    for player, score, finish in (
        ("c", 2_000_000, first + 1),
        ("a", 2_000_000, first),
        ("b", 1_999_999, first - 1),
        ("é", 2_000_000, first + 1),
        ("👩\u200d🚀", 2_000_001, first + 9),
    ):
        boards.put(BOARD, _result(player, score, finish), LIFE)
    assert _names(boards.page(BOARD, 10)) == ["👩\u200d🚀", "a", "c", "é", "b"]


def test_an_end_counts_once_and_a_later_one_replaces_it(boards: Boards) -> None:
    lost = _result("a", 400, 1000)._replace(status="lost", piles=3)
    for _ in range(3):
        assert boards.put(BOARD, lost, LIFE) == Best(1, 400, 1000)
    won = _result("a", 1500, 2000)._replace(number=2)
    assert boards.put(BOARD, won, LIFE) == Best(2, 1500, 2000)
    assert boards.put(BOARD, lost, LIFE) == Best(2, 1500, 2000)
    page = boards.page(BOARD, 10)
    assert page is not None
    assert [entry.score for entry in page.entries] == [1500]
    assert boards.statistics(BOARD) == Statistics(1, {1: 1})
    gone = _result("a", -1, 3000)._replace(number=3)
    assert boards.put(BOARD, gone, LIFE) == Best(3, -1, 0)
    assert boards.page(BOARD, 10) == Page(0, 0, [])
    assert boards.statistics(BOARD) == Statistics(0, {})


def test_the_best_of_a_players_games_counts(boards: Boards) -> None:
    rng = random.Random(1)
    results = [
        _result("a", rng.randrange(50), rng.randrange(9))._replace(game_id=str(number))
        for number in range(100)
    ]
    for result in results:
        boards.put(BOARD, result, LIFE)
    best = max(results, key=lambda one: (one.score or 0, -one.finished_at))
    page = boards.page(BOARD, 10)
    assert page is not None
    (entry,) = page.entries
    assert (entry.score, entry.finished_at) == (best.score, best.finished_at)


def test_pages_continue_after_an_entry_that_was_removed(boards: Boards) -> None:
    for number in range(9):
        boards.put(BOARD, _result(f"p{number}", 100, 1000 + number), LIFE)
    page = boards.page(BOARD, 3)
    assert _names(page) == ["p0", "p1", "p2"]
    boards.erase(BOARD, "p2")
    boards.put(BOARD, _result("p1", 200, 2000)._replace(number=2), LIFE)
    after = After(100, 1002, "p2")
    assert _names(boards.page(BOARD, 3, after)) == ["p3", "p4", "p5"]
    assert _names(boards.page(BOARD, 9, After(99, 0, ""))) == []
    assert _names(boards.page(BOARD, 1, After(101, 0, ""))) == ["p0"]
    around = boards.page(BOARD, 3, "p5")
    assert around is not None
    assert (around.start, _names(around)) == (3, ["p4", "p5", "p6"])
    assert boards.page(BOARD, 3, "nobody") is None


def test_sums_apply_each_change_once_and_in_order(boards: Boards) -> None:
    first = Share("a", "2026-12-01", Best(1, 100, 1000), "Ada")
    for _ in range(2):
        boards.add(SUM, first, 0)
    boards.add(SUM, Share("a", "2026-12-02", Best(1, 50, 5000), "Ada"), 0)
    boards.add(SUM, first._replace(best=Best(3, 300, 2000)), 0)
    boards.add(SUM, first._replace(best=Best(2, 200, 9000)), 0)
    page = boards.page(SUM, 10)
    assert page is not None
    assert [entry[1:3] for entry in page.entries] == [(350, 5000)]
    boards.add(SUM, first._replace(best=Best(4, -1, 0)), 0)
    page = boards.page(SUM, 10, "a")
    assert page is not None
    assert [entry[1:] for entry in page.entries] == [(50, 5000, "Ada")]
    boards.erase(SUM, "a")
    assert boards.page(SUM, 10) == Page(0, 0, [])


def test_starts_help_and_ends_of_a_player(any_store: RedisStore) -> None:
    players = Players(any_store.runner, note_life=LIFE, game_life=LIFE)
    key, game = PlayerKey("portal", "ada", b"d" * 16), GameKey("portal", "g1")
    start = Start(game, "deal", 5000, notes_start=True, listed_as="g1", is_ranked=True)
    assert players.note_start(key, start) == "ok"
    assert players.note_start(key._replace(digest=b""), start) == "key"
    later = start._replace(now=9000, event="e", attempts=1)
    assert players.note_start(key, later) == "ok"
    assert players.note_start(key, later) == "ok"
    second = later._replace(game=GameKey("portal", "g2"))
    assert players.note_start(key, second) == "attempts"
    end = End(
        game=game,
        deal="deal",
        number=1,
        variant="accordion",
        started_at=9000,
        ended_at=15_000,
        points=100,
        most_bonus=1200,
        status="won",
        rating="full",
        day="7",
        best_from="ranked",
        boards=["daily", "all-time"],
    )
    for _ in range(2):
        assert players.count_end(key, end) == ("ok", 1290, 5000)
    assert players.totals(key) == ({"games": 1, "wins": 1, "rating:full": 1}, ["7"])
    assert players.best(key, "accordion") == 1290
    assert players.boards(key) == ["all-time", "daily"]
    assert players.count_end(key._replace(digest=b"x"), end).state == "key"
    assert players.eligibility(key, "deal") == (False, None)
    assert players.eligibility(key._replace(digest=b"x"), "deal") == (True, None)
    assert players.note_help(key._replace(digest=b"x"), "deal", 14_000) == []
    assert players.count_end(key, end).state == "ok"
    assert players.note_help(key, "deal", 15_001) == ["g1"]
    assert players.note_help(key, "deal", 15_002) == []
    assert players.eligibility(key, "deal") == (False, 15_001)
    assert players.count_end(key, end).state == "ok"
    again = end._replace(number=2, ended_at=16_000, status="ended", rating="", day="")
    assert players.count_end(key, again) == ("help", 100, 5000)
    assert players.totals(key)[0] == {"games": 1, "wins": 0, "rating:full": 0}
    assert (players.totals(key).days, players.best(key, "accordion")) == ([], None)
    players.erase(key, ["accordion"])
    assert players.totals(key) == ({}, [])


def test_duties_and_choices(any_store: RedisStore) -> None:
    duties = Duties(any_store.runner)
    one, two = (Duty(GameKey("portal", "g1"), time) for time in (1000, 2000))
    for duty in (one, two, one):
        duties.note(duty)
    assert duties.list(1999, 10) == [one]
    assert duties.list(2000, 10) == [one, two]
    duties.delete(one)
    assert duties.list(9999, 10) == [two]
    choices = Choices(any_store.runner)
    assert choices.find("what") is None
    assert choices.choose("what", "one") == choices.choose("what", "two") == "one"
    assert choices.find("what") == "one"
