"""The stored form of a session: compact, versioned bytes.

A form is a number in the first byte, and every form that was ever written can
still be read. A form that is newer than this release is refused as such: another
release wrote it while the service is upgraded. Numbers in a form, other than the
start time, are unsigned LEB128.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from service.engine.deals import SOURCES
from service.engine.play import WIDTH, Options, Play
from service.engine.position import Move, Position
from service.engine.ruleset import Layout, UndoRule
from service.engine.variants import VARIANTS
from service.games.session import (
    ActionType,
    Counted,
    Finished,
    Moved,
    Session,
    UnrankedReason,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.games.session import LastAction

FORM: Final = 4
"""The form that is written."""

_VARIANTS: Final = {ruleset.code: ruleset for ruleset in VARIANTS.values()}
_SOURCE_CODES: Final = {None: 0} | {key: one.code for key, one in SOURCES.items()}
_SOURCES: Final = {code: key for key, code in _SOURCE_CODES.items()}

_STOCK, _COMPULSORY, _NO_UNDO, _FINISHED, _SERVER_SEED, _NO_HINTS, _OWN_OPTIONS = (
    1 << bit for bit in range(7)
)
_NO_ACTION: Final = 0
_ACTION_CODES: Final = {action: code for code, action in enumerate(ActionType, 1)}
"""A code, once given, is never given again."""
_ACTIONS: Final = {code: action for action, code in _ACTION_CODES.items()}
_UNRANKED: Final = {0: None, 1: UnrankedReason.HELP, 2: UnrankedReason.PLAYER_KEY}
_UNRANKED_CODES: Final = {reason: code for code, reason in _UNRANKED.items()}
_NONE: Final = 0xFF
"""Stands for no goal card."""
_HEAD: Final = struct.Struct(">BBBBBQ")
"""Form, variant, flags, source, goal, start in milliseconds."""
_FLAGS_AT: Final = 2
_LEB_BITS: Final = 7
_LEB_MORE: Final = 1 << _LEB_BITS


_Fields: TypeAlias = "dict[str, Any]"


class StoredFormError(Exception):
    """Bytes in the store that are no session."""


class NewerFormError(StoredFormError):
    """A session that a newer release of the service wrote."""


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
    _put(out, session.plan)
    acted = session.last_action_at
    acted = 0 if acted is None else acted - session.started_at + 1
    closes = session.event_closes_at or 0
    unranked = _UNRANKED_CODES[session.unranked]
    for number in (session.version, acted, session.ends, unranked, closes):
        _put_number(out, number)
    _put_action(out, session.last_action)
    for text in (session.reference, session.event):
        _put(out, b"" if text is None else text.encode())
    for part in (session.key_digest, session.review):
        _put(out, part)
    return bytes(out)


def decode(data: bytes, revision: int) -> Session:
    """Read a session in any form.

    Args:
        data: Its bytes.
        revision: The revision of the game in the store; in the forms that had no
            version of their own it was the version.

    Raises:
        NewerFormError: A newer release of the service wrote them.
        StoredFormError: The bytes are in no known form, or damaged.
    """
    try:
        form = data[0]
        if form > FORM:
            raise NewerFormError
        return _READERS[form](data, revision)
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
        | _NO_HINTS * (not session.allows_hints)
        | _OWN_OPTIONS * (not session.default_options)
    )


def _put_action(out: bytearray, action: LastAction | None) -> None:
    match action:
        case None:
            out.append(_NO_ACTION)
        case Moved(move):
            out += bytes([_ACTION_CODES[ActionType.MOVE], *move])
        case Counted(kind, number):
            out.append(_ACTION_CODES[kind])
            _put_number(out, number)
        case Finished():
            out.append(_ACTION_CODES[ActionType.FINISH])


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

    def text(self) -> str | None:
        return self.part().decode() or None

    def action(self) -> LastAction | None:
        code = self.number()
        if code == _NO_ACTION:
            return None
        match _ACTIONS[code]:
            case ActionType.MOVE:
                return Moved(Move(*self.take(WIDTH)))
            case ActionType.FINISH:
                return Finished()
            case kind:
                return Counted(kind, self.number())

    def rest(self) -> bytes:
        return self._data[self._at :]


def _decode_1(data: bytes, revision: int) -> Session:
    """Read the form that had no plan: it ended with the actions taken back."""
    fields, _ = _decode(data, lambda reader: (reader.rest(), b""))
    return _without_version(fields, revision)


def _decode_2(data: bytes, revision: int) -> Session:
    """Read the form that had no version of its own."""
    fields, _ = _decode(data, lambda reader: (reader.part(), reader.rest()))
    return _without_version(fields, revision)


def _without_version(fields: _Fields, revision: int) -> Session:
    session = Session(**fields, version=revision)
    usual = session.play.options == Options(session.play.ruleset.layout)
    has_ended = session.ended_at is not None
    return replace(session, default_options=usual, ends=int(has_ended))


def _decode_3(data: bytes, _revision: int) -> Session:
    """Read the form that had no review: it ended with the digest of the key."""
    fields, reader = _decode_newer(data)
    return Session(**fields, key_digest=reader.rest())


def _decode_4(data: bytes, _revision: int) -> Session:
    fields, reader = _decode_newer(data)
    return Session(**fields, key_digest=reader.part(), review=reader.part())


def _decode_newer(data: bytes) -> tuple[_Fields, _Reader]:
    """Read what the forms have that have a version of their own."""
    fields, reader = _decode(data, lambda reader: (reader.part(), reader.part()))
    version, acted = reader.number(), reader.number()
    flags = data[_FLAGS_AT]
    return {
        **fields,
        "version": version,
        "last_action_at": fields["started_at"] + acted - 1 if acted else None,
        "ends": reader.number(),
        "unranked": _UNRANKED[reader.number()],
        "event_closes_at": reader.number() or None,
        "last_action": reader.action(),
        "reference": reader.text(),
        "event": reader.text(),
        "allows_hints": not flags & _NO_HINTS,
        "default_options": not flags & _OWN_OPTIONS,
    }, reader


def _decode(
    data: bytes, read_lines: Callable[[_Reader], tuple[bytes, bytes]]
) -> tuple[_Fields, _Reader]:
    """Read what all forms have.

    Args:
        data: The form.
        read_lines: Takes the actions taken back and the plan.

    Returns:
        The fields of the session, and the reader of what follows.
    """
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
    undone, plan = read_lines(reader)
    if (len(done) | len(undone) | len(plan)) % WIDTH:
        raise StoredFormError
    options = _options(flags & (_STOCK | _COMPULSORY | _NO_UNDO))
    return {
        "play": Play(options, cards, position, done, undone, bool(flags & _FINISHED)),
        "source": _SOURCES[source],
        "seed": seed if source else None,
        "server_seed": bool(flags & _SERVER_SEED),
        "started_at": started_at,
        "ended_at": started_at + ended - 1 if ended else None,
        "daily": date.fromordinal(day) if day else None,
        "player": player or None,
        "hints_used": hints_used,
        "undos_used": undos_used,
        "plan": plan,
    }, reader


@cache
def _options(flags: int) -> Options:
    return Options(
        layout=Layout.STOCK if flags & _STOCK else Layout.OPEN,
        compulsory=bool(flags & _COMPULSORY),
        undo=UndoRule.NONE if flags & _NO_UNDO else UndoRule.UNLIMITED,
    )


_READERS: Final[Mapping[int, Callable[[bytes, int], Session]]] = {
    1: _decode_1,
    2: _decode_2,
    3: _decode_3,
    FORM: _decode_4,
}
