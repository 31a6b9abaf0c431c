"""The stored form of a session: compact, versioned bytes.

A form is a number in the first byte, and every form that was ever written can
still be read. Numbers in it, other than the start time, are unsigned LEB128.
"""

from __future__ import annotations

import struct
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Final

from service.engine.deals import SOURCES
from service.engine.play import WIDTH, Options, Play
from service.engine.position import Position
from service.engine.ruleset import Layout, UndoRule
from service.engine.variants import VARIANTS
from service.games.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FORM: Final = 2
"""The form that is written."""

_VARIANTS: Final = {ruleset.code: ruleset for ruleset in VARIANTS.values()}
_SOURCE_CODES: Final = {None: 0} | {key: one.code for key, one in SOURCES.items()}
_SOURCES: Final = {code: key for key, code in _SOURCE_CODES.items()}

_STOCK, _COMPULSORY, _NO_UNDO, _FINISHED, _SERVER_SEED = (1 << bit for bit in range(5))
_NONE: Final = 0xFF
"""Stands for no goal card."""
_HEAD: Final = struct.Struct(">BBBBBQ")
"""Form, variant, flags, source, goal, start in milliseconds."""
_LEB_BITS: Final = 7
_LEB_MORE: Final = 1 << _LEB_BITS


class StoredFormError(Exception):
    """Bytes in the store that are no session."""


def encode(session: Session) -> bytes:
    """Write a session in the current form."""
    play = session.play
    position = play.position
    out = bytearray(
        _HEAD.pack(
            FORM,
            play.ruleset.code,
            _flags(session),
            _SOURCE_CODES[session.source],
            _NONE if position.goal is None else position.goal,
            session.started_at,
        )
    )
    ended = 0 if session.ended_at is None else session.ended_at - session.started_at + 1
    day = 0 if session.daily is None else session.daily.toordinal()
    for number in (ended, day, session.hints_used, session.undos_used):
        _put_number(out, number)
    for text in (session.seed, session.player):
        _put(out, b"" if text is None else text.encode())
    _put(out, play.cards)
    _put_number(out, len(position.stock))
    _put(out, position.row)
    if play.ruleset.stacks:
        out += position.heights
    _put(out, play.done)
    _put(out, play.undone)
    out += session.plan
    return bytes(out)


def decode(data: bytes) -> Session:
    """Read a session in any form.

    Raises:
        StoredFormError: The bytes are in no known form, or damaged.
    """
    try:
        return _READERS[data[0]](data)
    except (LookupError, OverflowError, ValueError, struct.error) as error:
        raise StoredFormError from error


def _flags(session: Session) -> int:
    play, options = session.play, session.play.options
    return (
        _STOCK * (options.layout is Layout.STOCK)
        | _COMPULSORY * options.compulsory
        | _NO_UNDO * (options.undo is UndoRule.NONE)
        | _FINISHED * play.finished
        | _SERVER_SEED * session.server_seed
    )


def _put_number(out: bytearray, number: int) -> None:
    while number >= _LEB_MORE:
        out.append(number & _LEB_MORE - 1 | _LEB_MORE)
        number >>= _LEB_BITS
    out.append(number)


def _put(out: bytearray, data: bytes) -> None:
    _put_number(out, len(data))
    out += data


class _Reader:
    """Takes the parts of a form, one after the other."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data = data
        self._at = start

    def number(self) -> int:
        byte = self._data[self._at]
        self._at += 1
        return byte if byte < _LEB_MORE else self._long_number(byte)

    def _long_number(self, byte: int) -> int:
        value = shift = 0
        while byte >= _LEB_MORE:
            value |= (byte - _LEB_MORE) << shift
            shift += _LEB_BITS
            byte = self._data[self._at]
            self._at += 1
        return value | byte << shift

    def take(self, size: int) -> bytes:
        part = self._data[self._at : self._at + size]
        if len(part) != size:
            raise StoredFormError
        self._at += size
        return part

    def part(self) -> bytes:
        return self.take(self.number())

    def rest(self) -> bytes:
        return self._data[self._at :]


def _decode_1(data: bytes) -> Session:
    """Read the form that had no plan: it ended with the actions taken back."""
    return _decode(data, lambda reader: (reader.rest(), b""))


def _decode_2(data: bytes) -> Session:
    return _decode(data, lambda reader: (reader.part(), reader.rest()))


def _decode(data: bytes, read_end: Callable[[_Reader], tuple[bytes, bytes]]) -> Session:
    """Read a form of which ``read_end`` takes the actions taken back and the plan."""
    _, variant, flags, source, goal, started_at = _HEAD.unpack_from(data)
    ruleset = _VARIANTS[variant]
    reader = _Reader(data, _HEAD.size)
    ended, day = reader.number(), reader.number()
    hints_used, undos_used = reader.number(), reader.number()
    seed, player = reader.part().decode(), reader.part().decode()
    cards = reader.part()
    stock = cards[len(cards) - reader.number() :]
    row = reader.part()
    heights = reader.take(len(row)) if ruleset.stacks else b"\x01" * len(row)
    position = Position(ruleset, row, heights, stock, None if goal == _NONE else goal)
    done = reader.part()
    undone, plan = read_end(reader)
    if (len(done) | len(undone) | len(plan)) % WIDTH:
        raise StoredFormError
    options = _options(flags & (_STOCK | _COMPULSORY | _NO_UNDO))
    return Session(
        play=Play(options, cards, position, done, undone, bool(flags & _FINISHED)),
        source=_SOURCES[source],
        seed=seed if source else None,
        server_seed=bool(flags & _SERVER_SEED),
        started_at=started_at,
        ended_at=started_at + ended - 1 if ended else None,
        daily=date.fromordinal(day) if day else None,
        player=player or None,
        hints_used=hints_used,
        undos_used=undos_used,
        plan=plan,
    )


@cache
def _options(flags: int) -> Options:
    return Options(
        layout=Layout.STOCK if flags & _STOCK else Layout.OPEN,
        compulsory=bool(flags & _COMPULSORY),
        undo=UndoRule.NONE if flags & _NO_UNDO else UndoRule.UNLIMITED,
    )


_READERS: Final[Mapping[int, Callable[[bytes], Session]]] = {
    1: _decode_1,
    FORM: _decode_2,
}
