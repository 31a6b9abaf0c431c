"""Sessions: time, points, counts of undos and hints, and hidden data."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.errors import NothingToUndoError, RefusedAtError
from service.engine.play import DealRequest, Options, Status, start
from service.engine.position import Move
from service.engine.ruleset import Layout
from service.engine.variants import find_variant
from service.games.session import Session, commit, day_of
from tests.engine.rows import read_row
from tests.engine.strategies import for_every_variant
from tests.games.strategies import moments, sessions

if TYPE_CHECKING:
    from service.engine.play import Step
    from service.engine.ruleset import Ruleset

STARTED = 1_795_000_000_000
DAY = date(2026, 11, 18)
HOURS = 3600 * 1000


def _session(row: str, layout: Layout = Layout.OPEN) -> Session:
    play = start(find_variant("accordion"), read_row(row), Options(layout))
    return Session(
        play=play,
        source="accordion/1",
        seed="secret",
        server_seed=True,
        started_at=STARTED,
    )


def test_the_clock_stops_when_the_game_is_over() -> None:
    playing = _session("4S 4D 4H").move(Move(1, 0), STARTED + 1500)
    assert playing.ended_at is None
    assert playing.elapsed_seconds == 1
    won = playing.move(Move(1, 0), STARTED + 3999)
    assert won.ended_at == STARTED + 3999
    assert won.elapsed_seconds == 3


def test_points_of_a_win_decrease_with_every_full_second() -> None:
    game = _session("4S 4D 4H").move(Move(1, 0), STARTED)
    points = [
        game.move(Move(1, 0), STARTED + after).score
        for after in (0, 999, 1000, 1_199_999, 1_200_000, 5_000_000)
    ]
    assert points == [1720, 1720, 1719, 521, 520, 520]


def test_a_clock_that_is_set_back_gives_no_negative_time() -> None:
    won = _session("4S 4D").move(Move(1, 0), STARTED - 5000)
    assert won.ended_at == STARTED
    assert won.elapsed_seconds == 0
    assert _session("4S 4D").elapsed_seconds == 0


def test_a_lost_game_goes_on_after_an_undo() -> None:
    lost = _session("4S 7H QC 4D KD").move(Move(4, 3), STARTED + 1000)
    assert (lost.play.status, lost.ended_at) == (Status.LOST, STARTED + 1000)
    again = lost.undo(1, STARTED + 9000)
    assert (again.play.status, again.ended_at) == (Status.PLAYING, None)
    assert again.elapsed_seconds == 9


def test_every_undone_action_is_counted() -> None:
    game = _session("4S 4D 4H 4C 7D", Layout.STOCK).deal(None, STARTED)
    game = game.undo(3, STARTED).redo(2, STARTED).undo(None, STARTED)
    assert game.undos_used == 6
    with pytest.raises(NothingToUndoError):
        game.undo(1, STARTED)


def test_finishing_a_lost_game_keeps_the_time_of_its_end() -> None:
    lost = _session("4S 7H QC 4D KD").move(Move(4, 3), STARTED + 1000)
    assert (lost.play.status, lost.ended_at) == (Status.LOST, STARTED + 1000)
    stopped = lost.finish(STARTED + 9000)
    assert (stopped.play.status, stopped.ended_at) == (Status.ENDED, STARTED + 1000)


def test_batches_taps_and_finish() -> None:
    game = _session("4S 4D 4H", Layout.STOCK).run([DealRequest(1)], STARTED)
    game = game.run([Move(1, 0)], STARTED)
    assert (game.play.moves, game.play.actions) == (1, 2)
    game = game.deal(1, STARTED).tap(1, STARTED + 7000)
    assert (game.play.status, game.ended_at) == (Status.WON, STARTED + 7000)
    stopped = _session("4S 4D").finish(STARTED + 1)
    assert (stopped.play.status, stopped.ended_at) == (Status.ENDED, STARTED + 1)


def test_a_batch_is_blind_only_if_the_seed_is_secret() -> None:
    secret = _session("4S 4D 4H", Layout.STOCK)
    steps: list[Step] = [DealRequest(1), Move(1, 0)]
    with pytest.raises(RefusedAtError):
        secret.run(steps, STARTED)
    assert secret._replace(server_seed=False).run(steps, STARTED).play.actions == 2
    dealt = secret.deal(None, STARTED)
    assert dealt.run([Move(1, 0), Move(1, 0)], STARTED).play.status == "won"


@for_every_variant
@given(data=st.data(), now=moments)
def test_only_a_game_that_is_not_over_has_no_end(
    ruleset: Ruleset, data: st.DataObject, now: int
) -> None:
    game = data.draw(sessions(ruleset))
    if game.play.can_undo:
        game = game.undo(1, now)
    elif not game.play.is_closed:
        game = game.finish(now)
    assert (game.ended_at is None) == (game.play.status is Status.PLAYING)


def test_the_commitment_is_the_digest_of_the_seed() -> None:
    digest = hashlib.sha256("Idle Year é♠".encode()).hexdigest()
    game = _session("4S 4D", Layout.STOCK)._replace(seed="Idle Year é♠")
    assert game.commitment == commit("Idle Year é♠") == digest
    assert game.finish(STARTED).commitment == digest
    assert _session("4S 4D").commitment is None
    assert game._replace(source=None, seed=None).commitment is None


def test_a_seed_of_the_server_is_hidden_until_the_game_is_over() -> None:
    game = _session("4S 4D", Layout.STOCK)
    assert game.hides_cards
    assert game.shown_seed(STARTED) is None
    dealt = game.deal(1, STARTED)
    assert not dealt.hides_cards
    assert dealt.shown_seed(STARTED) is None
    assert game._replace(server_seed=False).shown_seed(STARTED) == "secret"
    assert game.finish(STARTED).shown_seed(STARTED) == "secret"
    assert game.deal(1, STARTED).tap(1, STARTED).shown_seed(STARTED) == "secret"
    assert _session("4S 4D").shown_seed(STARTED) == "secret"


def test_a_daily_seed_is_hidden_until_its_day_is_closed() -> None:
    daily = _session("4S 4D", Layout.STOCK)._replace(daily=DAY)
    closes = int(datetime(2026, 11, 19, 1, tzinfo=UTC).timestamp()) * 1000
    over = daily.finish(STARTED)
    assert over.shown_seed(closes - 1) is None
    assert over.shown_seed(closes) == "secret"
    assert daily.shown_seed(closes + 48 * HOURS) is None
    assert _session("4S 4D")._replace(daily=DAY).shown_seed(STARTED) == "secret"


def test_days_are_in_utc() -> None:
    assert day_of(STARTED) == DAY
    assert day_of(0) == date(1970, 1, 1)
    assert [day_of(24 * HOURS + after) for after in (-1, 0)] == [
        date(1970, 1, 1),
        date(1970, 1, 2),
    ]
