"""The stored form: small, lossless, and readable by later releases."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from service.engine.deals import SOURCES, deal
from service.engine.play import start
from service.engine.variants import VARIANTS
from service.games.codec import FORM, NewerFormError, StoredFormError, decode, encode
from service.games.session import Session
from tests.engine.strategies import OPTIONS, for_every_variant, play_randomly
from tests.games.stored_games import STORED, facts, new_game
from tests.games.strategies import sessions

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset


@for_every_variant
@given(data=st.data())
def test_an_encoded_session_is_decoded_unchanged(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    session = data.draw(sessions(ruleset))
    stored = encode(session)
    assert stored[0] == FORM
    assert decode(stored, 9) == session


@pytest.mark.parametrize(
    ("form", "stored_game"),
    [(form, stored_game) for form, games in STORED.items() for stored_game in games],
    ids=lambda value: value if isinstance(value, str) else value["variant"],
)
def test_stored_games_of_every_form_are_read(
    form: str, stored_game: dict[str, Any]
) -> None:
    stored = bytes.fromhex(stored_game["stored"])
    assert stored[0] == int(form)
    assert {
        "stored": stored_game["stored"],
        **facts(decode(stored, 7), int(form)),
    } == stored_game


def test_every_form_and_variant_has_a_stored_game() -> None:
    assert set(STORED) == {str(form) for form in range(1, FORM + 1)}
    newest = {stored_game["variant"] for stored_game in STORED[str(FORM)]}
    assert newest == set(VARIANTS), "run `python -m tests.games.stored_games`"


@for_every_variant
def test_a_new_stored_game_has_the_facts_that_are_read(ruleset: Ruleset) -> None:
    game = new_game(ruleset)
    session = decode(bytes.fromhex(str(game["stored"])), 7)
    assert game == {"stored": game["stored"], **facts(session, FORM)}
    assert session.play.ruleset == ruleset


@for_every_variant
@pytest.mark.parametrize("layout", ["open", "stock"])
def test_a_finished_game_is_small(ruleset: Ruleset, layout: str) -> None:
    """With a random seed of the server, a long name, and no action undone."""
    dealt = deal(ruleset, "1")
    options = next(way for way in OPTIONS if way.layout == layout)
    play = play_randomly(
        start(ruleset, dealt.cards, options, dealt.goal), Random(1), 1000
    )
    session = Session(
        play=play if play.is_closed else play.finish(),
        source="accordion/1",
        seed="x" * 32,
        server_seed=True,
        started_at=1 << 41,
        ended_at=(1 << 41) + 7 * 24 * 3600 * 1000,
        player="x" * 32,
        hints_used=200,
        undos_used=200,
    )
    assert not play.legal_moves
    assert not play.can_deal
    assert len(encode(session)) < 400


_STORED = [bytes.fromhex(game["stored"]) for game in STORED[str(FORM)]]


_LATE_DAY = [*[255] * 8, 1]
"""The bytes of a number too large for a date."""


@settings(max_examples=500)
@given(st.binary())
@example(bytes([0, 0, 1, 255, *bytes(9), *_LATE_DAY, *bytes(9)]))
def test_random_bytes_are_refused(content: bytes) -> None:
    with suppress(StoredFormError):
        assert isinstance(decode(bytes([FORM]) + content, 1), Session)


@settings(max_examples=1000)
@given(st.sampled_from(_STORED), st.data())
def test_damaged_bytes_are_read_or_refused_with_the_right_error(
    stored: bytes, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(stored)))
    stop = data.draw(st.integers(start, len(stored)))
    damage = data.draw(st.binary(max_size=12))
    with suppress(StoredFormError):
        assert isinstance(decode(stored[:start] + damage + stored[stop:], 1), Session)


@pytest.mark.parametrize("stored", _STORED)
def test_truncated_bytes_are_refused(stored: bytes) -> None:
    for size in range(len(stored)):
        with pytest.raises(StoredFormError):
            decode(stored[:size], 1)


@pytest.mark.parametrize("form", ["1", "2"])
def test_forms_without_a_version_use_the_revision(form: str) -> None:
    for stored_game in STORED[form]:
        session = decode(bytes.fromhex(stored_game["stored"]), 7)
        assert (session.version, session.last_action) == (7, None)
        assert session.ends == (session.ended_at is not None)
        assert decode(encode(session), 99) == session


def test_a_form_of_a_newer_release_is_refused_as_such() -> None:
    for form in (FORM + 1, 255):
        with pytest.raises(NewerFormError):
            decode(bytes([form]) + _STORED[0][1:], 1)


@pytest.mark.parametrize("content", [b"", b"\x00", bytes([FORM])])
def test_unknown_forms_are_refused(content: bytes) -> None:
    with pytest.raises(StoredFormError):
        decode(content, 1)


def test_codes_in_stored_games_do_not_change() -> None:
    assert {key: ruleset.code for key, ruleset in VARIANTS.items()} == {
        "accordion": 0,
        "accordion-bidirectional": 1,
        "accordions-revenge": 2,
        "23-skidoo": 3,
        "late-binding": 4,
        "bayan": 5,
        "push-pin": 6,
        "royal-marriage": 7,
        "nizhni-novgorod": 8,
        "decade": 9,
        "seven-up": 10,
    }
    assert {key: source.code for key, source in SOURCES.items()} == {
        "accordion/1": 1,
        "pysol": 2,
        "solvitaire": 3,
    }
