"""What is ranked, until when, and what gains nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.http.board_world import BOARD, DAY, VARIANT

if TYPE_CHECKING:
    from tests.http.board_world import World


def test_when_the_deal_has_closed_the_games_can_be_watched(world: World) -> None:
    won = world.win("Ada")
    world.at("2026-12-02T00:59:59.999+00:00")
    assert world.board()["entries"][0]["watch_id"] is None
    world.at("2026-12-02T01:00:00+00:00")
    watch_id = world.board()["entries"][0]["watch_id"]
    assert watch_id == won["watch_id"]
    assert world.api.get(f"/v1/watch/{watch_id}").json["player"] == "Ada"


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
    lost = world.lose(world.start("Ada"))
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
def test_the_day_is_that_of_utc_wherever_the_client_is(
    world: World, time: str, today: str, asked: str, reason: str | None
) -> None:
    """`asked` is the date where the client is; None: that day has not begun."""
    world.at(time)
    game = world.start("Ada")
    assert (game["daily"], game["ranked"]) == (today, True)
    wish = {"variant": VARIANT, "daily": asked, "player": "Ada"}
    reply = world.api.post("/v1/games", wish)
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
def test_a_game_counts_for_the_day_it_began_on(
    world: World, day: str, next_day: str, month: str, next_month: str
) -> None:
    world.at(f"{day}T23:59:59.999+00:00")
    before = world.start("Ada")
    line = world.solve(before)
    world.at(f"{next_day}T00:00:00+00:00")
    after = world.start("Bob")
    assert (before["daily"], after["daily"]) == (day, next_day)
    world.at(f"{next_day}T00:59:59.999+00:00")
    won = world.api.play(before, "moves", moves=line).json
    ended = world.api.play(after, "finish").json
    boards = "/v1/leaderboards"
    score = 10 * 17 + 500
    assert (won["ranked"], won["elapsed_seconds"], won["score"]) == (True, 3600, score)
    assert world.shown(f"{boards}/daily/{day}") == [(1, "Ada", score)]
    assert world.shown(f"{boards}/daily/{next_day}") == [(1, "Bob", ended["score"])]
    assert (1, "Ada", score) in world.shown(f"{boards}/monthly/{month}")
    others = [] if month == next_day[:7] else [(1, "Bob", ended["score"])]
    assert world.shown(f"{boards}/monthly/{next_month}") == others
    closes_at = world.board(f"{boards}/monthly/{month}")["closes_at"]
    assert closes_at == f"{next_month}-01T01:00:00.000Z"
    assert world.api.get("/v1/players/Ada").json["streak"] == 1


def test_streaks_go_over_a_leap_day(world: World) -> None:
    for day in ("2028-02-28", "2028-02-29", "2028-03-01"):
        world.at(f"{day}T23:59:59.999+00:00")
        world.win("Ada", 1)
    player = world.api.get("/v1/players/Ada").json
    assert (player["streak"], player["longest_streak"]) == (3, 3)


def test_a_late_end_changes_nothing(world: World) -> None:
    """Neither boards, nor statistics, nor a streak, nor a best score."""
    early = world.lose(world.start("Ada"))
    late, line = world.start("Ada"), world.solve({})
    paths = (BOARD, "/v1/leaderboards/monthly/2026-12", "/v1/leaderboards/all-time")
    before = [world.shown(path) for path in paths]
    statistics = world.board(f"/v1/deals/daily/{DAY}/statistics")
    best = world.api.get("/v1/players/Ada").json["best_scores"]
    world.at("2026-12-02T01:00:00+00:00")
    assert world.api.play(late, "moves", moves=line).json["status"] == "won"
    world.api.play(early, "undo", count="all")
    again = world.api.play(early, "moves", moves=line).json
    assert (again["ranked"], again["unranked_reason"]) == (False, "closed")
    assert [world.shown(path) for path in paths] == before
    assert world.board(f"/v1/deals/daily/{DAY}/statistics") == statistics
    world.win("Bob")
    player = world.api.get("/v1/players/Ada").json
    assert (player["longest_streak"], player["best_scores"]) == (1, best)


# --- copies


def test_nothing_tells_how_to_watch_a_game_before_its_deal_closes(world: World) -> None:
    won = world.win("Ada")
    paths = [
        f"{BOARD}?variant={VARIANT}",
        f"{BOARD}?variant={VARIANT}&around=Ada",
        f"/v1/leaderboards/monthly/2026-12?variant={VARIANT}",
        f"/v1/leaderboards/all-time?variant={VARIANT}",
        f"/v1/deals/daily/{DAY}/statistics?variant={VARIANT}",
        f"/v1/deals/daily/{DAY}?variant={VARIANT}",
        f"/v1/games/{world.start('Bob')['id']}",
        "/v1/players/Ada",
    ]
    secrets = (won["id"].encode(), won["watch_id"].encode())
    for path in paths:
        reply = world.api.get(path)
        assert reply.status == 200
        assert not any(secret in reply.raw for secret in secrets), path


def test_a_copy_of_anothers_moves_comes_too_late(world: World) -> None:
    world.win("Ada")
    copy = world.start("Bob")
    world.at("2026-12-02T01:00:00+00:00")
    watch_id = world.board()["entries"][0]["watch_id"]
    record = world.api.get(f"/v1/watch/{watch_id}/record").json
    steps = [
        dict(zip(("from", "to"), map(int, action.split("-")), strict=True))
        for action in record["actions"]
    ]
    for game in (copy, world.start("Bob", daily=DAY)):
        won = world.api.play(game, "moves", moves=steps).json
        assert (won["status"], won["ranked"]) == ("won", False)
    assert [player for _, player, _ in world.shown()] == ["Ada"]
    assert [one[1] for one in world.shown("/v1/leaderboards/all-time")] == ["Ada"]


def test_a_restart_takes_the_time_of_the_first_start_under_any_case(
    world: World,
) -> None:
    world.start("Straße")
    line = world.solve({})
    for name in ("STRASSE", "strasse"):
        world.now += 50_000
        game = world.start(name)
        world.api.play(game, "moves", moves=line)
    best = 10 * 17 + 500 + 1200 - 50
    assert world.shown() == [(1, "STRASSE", best)]
