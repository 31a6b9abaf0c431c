"""Records: games can be replayed, and records that break the rules are refuted."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.deals import deal
from service.engine.play import Options, start
from service.engine.ruleset import Layout
from service.engine.scoring import rate, score
from service.engine.variants import find_variant
from service.games.records import (
    ActionTextError,
    Record,
    RefusedRecord,
    Replayed,
    SeedHiddenError,
    read_actions,
    record_of,
    replay,
)
from service.games.session import Session
from tests.engine.rows import read_row
from tests.engine.strategies import OPTIONS, for_every_variant, play_randomly
from tests.games.strategies import sessions

if TYPE_CHECKING:
    from service.engine.play import Play
    from service.engine.ruleset import Ruleset

ACCORDION = find_variant("accordion")
OPEN = Options(Layout.OPEN)
STOCK = Options(Layout.STOCK)
COMPULSORY = Options(Layout.STOCK, compulsory=True)


def _as_replayed(play: Play) -> Replayed:
    return Replayed(play.status, score(play, None), rate(play), play.position.row)


def _record(row: str, *actions: str, options: Options = OPEN) -> Record:
    line, finished = read_actions(list(actions))
    deck = read_row(row)
    return Record(ACCORDION, options, None, None, deck, None, line, finished)


@for_every_variant
@given(data=st.data())
def test_the_record_of_a_deck_gives_the_stored_game(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    session = data.draw(sessions(ruleset))
    own = session._replace(source=None, seed=None, server_seed=False)
    record = record_of(own, own.started_at)
    assert read_actions(record.actions) == (record.line, record.finished)
    if own.hides_cards:
        assert (record.seed, record.deck) == (None, None)
        with pytest.raises(SeedHiddenError):
            replay(record)
        record = replace(record, deck=own.play.cards)
    assert replay(record) == _as_replayed(own.play)


@for_every_variant
@given(data=st.data(), seed=st.text(min_size=1, max_size=64))
def test_the_record_of_a_seed_gives_the_stored_game(
    ruleset: Ruleset, data: st.DataObject, seed: str
) -> None:
    dealt = deal(ruleset, seed)
    begin = start(ruleset, dealt.cards, data.draw(st.sampled_from(OPTIONS)), dealt.goal)
    session = Session(
        play=play_randomly(begin, Random(data.draw(st.integers(0, 999))), 150),
        source="accordion/1",
        seed=seed,
        server_seed=data.draw(st.booleans()),
        started_at=0,
    )
    record = record_of(session, 0)
    assert record.seed == session.shown_seed(0)
    assert record.deck is None
    assert replay(replace(record, seed=seed)) == _as_replayed(session.play)


@pytest.mark.parametrize(
    ("record", "index", "reason"),
    [
        (_record("4S 7H QC 4D KD", "3-0", "3-1"), 1, "distance"),
        (_record("4S 7H QC 4D KD", "0-3"), 0, "direction"),
        (_record("4S 7H QC 4D KD", "3-0", "1-0"), 1, "no-match"),
        (_record("4S 7H QC 4D KD", "3-0", "4-3"), 1, "no-such-pile"),
        (_record("4S 7H", "deal"), 0, "stock-empty"),
        (_record("4S 7H", "deal", "deal", options=STOCK), 1, "stock-empty"),
        (_record("4S 4D", "1-0", "1-0"), 1, "game-over"),
        (_record("4S 4D", "1-0", "finish"), 1, "game-over"),
        (
            _record(
                "4S 4D 7H", "deal", "deal", options=replace(STOCK, compulsory=True)
            ),
            1,
            "move-compulsory",
        ),
    ],
)
def test_a_record_that_breaks_the_rules_is_refuted(
    record: Record, index: int, reason: str
) -> None:
    assert replay(record) == RefusedRecord(index, reason)


def test_finish_is_the_last_action() -> None:
    record = _record("4S 4D 4H", "1-0", "finish")
    assert record.actions == ["1-0", "finish"]
    replayed = replay(record)
    assert isinstance(replayed, Replayed)
    assert (replayed.status, replayed.score, replayed.rating) == ("ended", 10, "strong")


@pytest.mark.parametrize(
    ("actions", "index"),
    [
        (["1-0", "finish", "1-0"], 1),
        (["finish", "finish"], 0),
        (["Deal"], 0),
        (["deal", ""], 1),
        (["1 - 0"], 0),
        (["-1-0"], 0),
        (["100-1"], 0),
        (["1-0\n"], 0),
        (["1-\N{ARABIC-INDIC DIGIT ZERO}"], 0),
        (["1-0-0"], 0),
    ],
)
def test_invalid_actions_are_refused(actions: list[str], index: int) -> None:
    with pytest.raises(ActionTextError) as refusal:
        read_actions(actions)
    assert refusal.value.index == index
    is_end = actions[index] == "finish"
    assert refusal.value.key == ("action-after-finish" if is_end else "action")
