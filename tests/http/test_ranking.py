"""Which games are ranked, until when, and which are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.http.board_service import BOARD, DAY, VARIANT

if TYPE_CHECKING:
    from tests.http.board_service import BoardService


def test_games_can_be_watched_when_the_deal_has_closed(service: BoardService) -> None:
    won = service.win("Ada")
    service.set_time("2026-12-02T00:59:59.999+00:00")
    assert service.board()["entries"][0]["watch_id"] is None
    service.set_time("2026-12-02T01:00:00+00:00")
    watch_id = service.board()["entries"][0]["watch_id"]
    assert watch_id == won["watch_id"]
    assert service.api.get(f"/v1/watch/{watch_id}").json["player"] == "Ada"


def test_a_players_best_counts_and_the_bonus_runs_from_the_first_start(
    service: BoardService,
) -> None:
    service.start("Ada")
    service.now += 100_000
    won = service.win("ADA", 10)
    assert won["score"] == 10 * 17 + 500 + 1190
    assert service.entries() == [(1, "ADA", 10 * 17 + 500 + 1090)]
    service.win("ada", 1)
    assert service.entries() == [(1, "ADA", 10 * 17 + 500 + 1090)]
    assert service.board()["entries_total"] == 1


@pytest.mark.parametrize("name", ["Ada", "ADA", "\uff21\uff44\uff41"])
def test_help_in_another_game_of_the_deal_removes_the_rank(
    service: BoardService, name: str
) -> None:
    before = service.start("Ada")
    helped = service.start(name)
    hint = service.api.play(helped, "hint")
    assert hint.status == 200
    for game, tag in ((helped, '"1.2"'), (before, '"1.2"')):
        reply = service.api.get(f"/v1/games/{game['id']}")
        assert (reply.json["ranked"], reply.json["unranked_reason"]) == (False, "help")
        assert (reply.json["version"], reply.headers["ETag"]) == (1, tag)
    late = service.win("aDa")
    assert (late["ranked"], late["unranked_reason"]) == (False, "help")
    won = service.api.play(before, "moves", moves=service.solve(before)).json
    assert (won["hints_used"], won["unranked_reason"]) == (0, "help")
    assert service.entries() == []
    reply = service.api.get(f"/v1/games/{before['id']}/leaderboard")
    assert (reply.status, reply.slug) == (404, "not-ranked")


def test_help_removes_the_rank_of_unmarked_games_at_their_end(
    service: BoardService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process was killed after it had recorded the help."""
    before, line = service.start("Ada"), service.solve({})
    with monkeypatch.context() as patch:
        patch.setattr("service.games.players.edit_session", lambda *_: None)
        service.api.play(service.start("ada"), "hint")
    assert service.api.get(f"/v1/games/{before['id']}").json["ranked"]
    won = service.api.play(before, "moves", moves=line).json
    assert (won["ranked"], won["unranked_reason"]) == (False, "help")
    assert service.entries() == []


def test_a_lost_game_loses_its_rank_when_it_goes_on_after_help(
    service: BoardService,
) -> None:
    lost = service.lose(service.start("Ada"))
    service.now += 1000
    service.api.play(service.start("Ada"), "hint")
    assert service.api.get(f"/v1/games/{lost['id']}").json["ranked"]
    assert service.entries() == [(1, "Ada", lost["score"])]
    undone = service.api.play(lost, "undo").json
    assert (undone["ranked"], undone["unranked_reason"]) == (False, "help")


def test_help_with_a_deck_of_the_same_cards_removes_the_rank(
    service: BoardService,
) -> None:
    deck = service.start(None)["row"]
    practice = service.api.start(variant=VARIANT, deck=deck, player="ADA")
    service.api.play(practice, "solution")
    assert service.win("Ada")["unranked_reason"] == "help"
    assert service.entries() == []


def test_a_deck_of_the_same_cards_starts_the_clock_of_the_bonus(
    service: BoardService,
) -> None:
    service.api.start(variant=VARIANT, deck=service.start(None)["row"], player="ADA")
    service.now += 100_000
    service.win("Ada", 10)
    assert service.entries() == [(1, "Ada", 10 * 17 + 500 + 1090)]


def test_a_name_bound_during_a_game_removes_its_rank(service: BoardService) -> None:
    game, line = service.start("Ada"), service.solve({})
    assert game["ranked"]
    assert service.start("Ada", player_key="k" * 16)["ranked"]
    won = service.api.play(game, "moves", moves=line).json
    assert (won["ranked"], won["unranked_reason"]) == (False, "player-key")
    assert service.entries() == []


def test_help_in_a_game_of_the_same_seed_removes_the_rank(
    service: BoardService,
) -> None:
    seed = service.start(None)["seed"]
    practice = service.api.start(variant=VARIANT, seed=seed, player="Ada")
    assert practice["unranked_reason"] == "deal"
    service.api.play(practice, "solution")
    assert service.win("ada")["unranked_reason"] == "help"
    assert service.entries() == []


def test_help_after_the_end_changes_no_board(service: BoardService) -> None:
    service.win("Ada")
    service.api.play(service.start("Ada"), "hint")
    assert [player for _, player, _ in service.entries()] == ["Ada"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"player": None}, "no-player"),
        ({"options": {"undo": "none"}}, "options"),
        ({"options": {"hints": "none"}}, "options"),
        ({"daily": None, "seed": "1"}, "deal"),
        ({"daily": None}, "deal"),
        ({"daily": "2026-11-30"}, "past-day"),
    ],
)
def test_games_that_are_not_ranked(
    service: BoardService, body: dict[str, object], reason: str
) -> None:
    full = {"variant": VARIANT, "daily": True, "player": "Ada"} | body
    game = service.api.start(**{k: v for k, v in full.items() if v is not None})
    assert (game["ranked"], game["unranked_reason"]) == (False, reason)
    service.api.play(game, "finish")
    assert service.entries() == []
    assert service.board("/v1/leaderboards/all-time")["entries"] == []


def test_a_game_with_a_chosen_seed_or_deck_is_not_counted(
    service: BoardService,
) -> None:
    for body in ({"seed": "1"}, {"deck": ["4S", "4D"]}):
        game = service.api.start(player="Ada", **body)
        service.api.play(game, "finish")
    reply = service.api.get("/v1/players/Ada")
    assert (reply.status, reply.slug) == (404, "player-not-found")


def test_a_game_started_before_midnight_counts_until_the_deal_closes(
    service: BoardService,
) -> None:
    service.set_time("2026-12-01T23:59:59.999+00:00")
    games = {player: service.start(player) for player in ("Ada", "Bob")}
    line = service.solve(games["Ada"])
    service.set_time("2026-12-02T00:59:59.999+00:00")
    assert service.api.play(games["Ada"], "moves", moves=line).json["ranked"]
    service.set_time("2026-12-02T01:00:00+00:00")
    late = service.api.play(games["Bob"], "moves", moves=line).json
    assert (late["ranked"], late["unranked_reason"]) == (False, "closed")
    assert [player for _, player, _ in service.entries()] == ["Ada"]
    assert service.entries(f"/v1/leaderboards/daily/{'2026-12-02'}") == []


def test_a_player_key_binds_a_name(service: BoardService) -> None:
    key = "k" * 16
    own = service.start("Ada", player_key=key)
    assert own["ranked"]
    forged = service.start("ADA")
    assert (forged["ranked"], forged["unranked_reason"]) == (False, "player-key")
    other = service.start("ada", player_key="x" * 16)
    assert other["unranked_reason"] == "player-key"
    line = service.solve(own)
    service.api.play(forged, "hint")
    service.api.play(forged, "finish")
    service.api.play(other, "moves", moves=line)
    assert service.entries() == []
    assert service.api.get("/v1/players/Ada").status == 404
    service.now += 5_000
    won = service.api.play(own, "moves", moves=line).json
    assert won["ranked"]
    assert [player for _, player, _ in service.entries()] == ["Ada"]
    assert key.encode() not in service.api.get(f"/v1/games/{own['id']}").raw


@pytest.mark.parametrize("player_key", ["k" * 15, "", "k" * 15 + "é", 7])
def test_invalid_player_keys_are_refused(
    service: BoardService, player_key: object
) -> None:
    body = {"player": "Ada", "player_key": player_key}
    assert set(service.api.post("/v1/games", body).faults) == {"/player_key"}


# --- the turn of the day


@pytest.mark.parametrize(
    ("time", "today", "asked", "reason"),
    [
        ("2026-12-02T09:00:00+14:00", "2026-12-01", "2026-12-02", None),
        ("2026-12-02T13:59:59.999+14:00", "2026-12-01", "2026-12-02", None),
        ("2026-12-02T14:00:00+14:00", "2026-12-02", "2026-12-02", ""),
        ("2026-11-30T11:59:59.999-12:00", "2026-11-30", "2026-11-30", ""),
        ("2026-11-30T12:00:00-12:00", "2026-12-01", "2026-11-30", "past-day"),
        ("2028-03-01T13:00:00+14:00", "2028-02-29", "2028-03-01", None),
        ("2028-02-28T12:00:00-12:00", "2028-02-29", "2028-02-28", "past-day"),
    ],
)
def test_the_day_is_the_day_in_utc(
    service: BoardService, time: str, today: str, asked: str, reason: str | None
) -> None:
    """`asked` is the client's local date; reason None: it has not begun in UTC."""
    service.set_time(time)
    game = service.start("Ada")
    assert (game["daily"], game["ranked"]) == (today, True)
    body = {"variant": VARIANT, "daily": asked, "player": "Ada"}
    reply = service.api.post("/v1/games", body)
    if reason is None:
        assert (reply.status, reply.slug) == (404, "not-yet")
    else:
        assert (reply.json["unranked_reason"] or "") == reason


@pytest.mark.parametrize(
    ("day", "next_day", "month", "next_month"),
    [
        ("2026-11-30", "2026-12-01", "2026-11", "2026-12"),
        ("2026-12-31", "2027-01-01", "2026-12", "2027-01"),
        ("2028-02-28", "2028-02-29", "2028-02", "2028-03"),
        ("2028-02-29", "2028-03-01", "2028-02", "2028-03"),
    ],
)
def test_a_game_counts_for_the_day_it_started_on(
    service: BoardService, day: str, next_day: str, month: str, next_month: str
) -> None:
    service.set_time(f"{day}T23:59:59.999+00:00")
    before = service.start("Ada")
    line = service.solve(before)
    service.set_time(f"{next_day}T00:00:00+00:00")
    after = service.start("Bob")
    assert (before["daily"], after["daily"]) == (day, next_day)
    service.set_time(f"{next_day}T00:59:59.999+00:00")
    won = service.api.play(before, "moves", moves=line).json
    ended = service.api.play(after, "finish").json
    boards = "/v1/leaderboards"
    score = 10 * 17 + 500
    assert (won["ranked"], won["elapsed_seconds"], won["score"]) == (True, 3600, score)
    assert service.entries(f"{boards}/daily/{day}") == [(1, "Ada", score)]
    assert service.entries(f"{boards}/daily/{next_day}") == [(1, "Bob", ended["score"])]
    assert (1, "Ada", score) in service.entries(f"{boards}/monthly/{month}")
    others = [] if month == next_day[:7] else [(1, "Bob", ended["score"])]
    assert service.entries(f"{boards}/monthly/{next_month}") == others
    closes_at = service.board(f"{boards}/monthly/{month}")["closes_at"]
    assert closes_at == f"{next_month}-01T01:00:00.000Z"
    assert service.api.get("/v1/players/Ada").json["streak"] == 1


def test_streaks_include_a_leap_day(service: BoardService) -> None:
    for day in ("2028-02-28", "2028-02-29", "2028-03-01"):
        service.set_time(f"{day}T23:59:59.999+00:00")
        service.win("Ada", 1)
    player = service.api.get("/v1/players/Ada").json
    assert (player["streak"], player["longest_streak"]) == (3, 3)


def test_a_late_end_changes_nothing(service: BoardService) -> None:
    """Boards, statistics, streaks and best scores stay as they are."""
    early = service.lose(service.start("Ada"))
    late, line = service.start("Ada"), service.solve({})
    paths = (BOARD, "/v1/leaderboards/monthly/2026-12", "/v1/leaderboards/all-time")
    before = [service.entries(path) for path in paths]
    statistics = service.board(f"/v1/deals/daily/{DAY}/statistics")
    best = service.api.get("/v1/players/Ada").json["best_scores"]
    service.set_time("2026-12-02T01:00:00+00:00")
    assert service.api.play(late, "moves", moves=line).json["status"] == "won"
    service.api.play(early, "undo", count="all")
    again = service.api.play(early, "moves", moves=line).json
    assert (again["ranked"], again["unranked_reason"]) == (False, "closed")
    assert [service.entries(path) for path in paths] == before
    assert service.board(f"/v1/deals/daily/{DAY}/statistics") == statistics
    service.win("Bob")
    player = service.api.get("/v1/players/Ada").json
    assert (player["longest_streak"], player["best_scores"]) == (1, best)


# --- copies


def test_no_response_has_the_watch_id_before_the_deal_closes(
    service: BoardService,
) -> None:
    won = service.win("Ada")
    paths = [
        f"{BOARD}?variant={VARIANT}",
        f"{BOARD}?variant={VARIANT}&around=Ada",
        f"/v1/leaderboards/monthly/2026-12?variant={VARIANT}",
        f"/v1/leaderboards/all-time?variant={VARIANT}",
        f"/v1/deals/daily/{DAY}/statistics?variant={VARIANT}",
        f"/v1/deals/daily/{DAY}?variant={VARIANT}",
        f"/v1/games/{service.start('Bob')['id']}",
        "/v1/players/Ada",
    ]
    secrets = (won["id"].encode(), won["watch_id"].encode())
    for path in paths:
        reply = service.api.get(path)
        assert reply.status == 200
        assert not any(secret in reply.raw for secret in secrets), path


def test_a_copy_of_another_players_moves_is_not_ranked(service: BoardService) -> None:
    service.win("Ada")
    copy = service.start("Bob")
    service.set_time("2026-12-02T01:00:00+00:00")
    watch_id = service.board()["entries"][0]["watch_id"]
    record = service.api.get(f"/v1/watch/{watch_id}/record").json
    steps = [
        dict(zip(("from", "to"), map(int, action.split("-")), strict=True))
        for action in record["actions"]
    ]
    for game in (copy, service.start("Bob", daily=DAY)):
        won = service.api.play(game, "moves", moves=steps).json
        assert (won["status"], won["ranked"]) == ("won", False)
    assert [player for _, player, _ in service.entries()] == ["Ada"]
    assert [one[1] for one in service.entries("/v1/leaderboards/all-time")] == ["Ada"]


def test_the_bonus_runs_from_the_first_start_under_any_spelling_of_the_name(
    service: BoardService,
) -> None:
    service.start("Straße")
    line = service.solve({})
    for name in ("STRASSE", "strasse"):
        service.now += 50_000
        game = service.start(name)
        service.api.play(game, "moves", moves=line)
    best = 10 * 17 + 500 + 1200 - 50
    assert service.entries() == [(1, "STRASSE", best)]
