"""The stored form of a session: compact, versioned bytes.

The first byte is the number of the form. Every form that was ever written can still be
read. A form newer than this release, which another release may write during an
upgrade, is refused with its own error. After the fixed head, numbers are unsigned
LEB128.
"""

from __future__ import annotations

import struct
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from service.engine.deals import SOURCES
from service.engine.play import ACTION_BYTES, Options, Play
from service.engine.position import Move, Position
from service.engine.ruleset import Layout, UndoRule
from service.engine.variants import VARIANTS
from service.games.session import (
    ActionCount,
    ActionType,
    Finished,
    Moved,
    Session,
    UnrankedReason,
)

if TYPE_CHECKING:
    from service.games.session import LastAction

FORM: Final = 4
"""The form in which sessions are written."""
_PLAN, _VERSION, _REVIEW = 2, 3, 4
"""The first forms with a plan, with a version and the fields of ``_read_more``, and
with a review. In older forms the last part has no size before it."""

_VARIANTS: Final = {ruleset.code: ruleset for ruleset in VARIANTS.values()}
_SOURCE_CODES: Final = {None: 0} | {key: one.code for key, one in SOURCES.items()}
_SOURCES: Final = {code: key for key, code in _SOURCE_CODES.items()}

_STOCK, _COMPULSORY, _NO_UNDO, _FINISHED, _SERVER_SEED, _NO_HINTS, _OWN_OPTIONS = (
    1 << bit for bit in range(7)
)
_NO_ACTION: Final = 0
_ACTION_CODES: Final = {action: code for code, action in enumerate(ActionType, 1)}
"""A code must never be used for another action."""
_ACTIONS: Final = {code: action for action, code in _ACTION_CODES.items()}
_UNRANKED: Final = {0: None, 1: UnrankedReason.HELP, 2: UnrankedReason.PLAYER_KEY}
_UNRANKED_CODES: Final = {reason: code for code, reason in _UNRANKED.items()}
_NONE: Final = 0xFF
"""The value of the goal card if there is none."""
_HEAD: Final = struct.Struct(">BBBBBQ")
"""Form, variant, flags, source, goal card, start in milliseconds since 1970."""
_LEB_BITS: Final = 7
_LEB_MORE: Final = 1 << _LEB_BITS


class StoredFormError(Exception):
    """The stored bytes are not a session."""


class NewerFormError(StoredFormError):
    """A newer release of the service wrote the session."""


def encode(session: Session) -> bytes:
    """Encode a session in the current form."""
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
    if play.ruleset.is_stacking:
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
    """Decode a session in any form.

    Args:
        data: The stored bytes.
        revision: The revision of the game in the store; used as the version for forms
            that do not contain one.

    Raises:
        NewerFormError: A newer release of the service wrote the bytes.
        StoredFormError: The bytes are damaged or not in a known form.
    """
    try:
        if data[0] > FORM:
            raise NewerFormError
        return _decode(data, revision)
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
        case ActionCount(kind, number):
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
    """Reads the parts of a form in order."""

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

    def part(self, *, has_size: bool = True) -> bytes:
        """Read a part; a part without a size is the rest of the form."""
        return self.take(self.number() if has_size else len(self._data) - self._at)

    def text(self) -> str | None:
        return self.part().decode() or None

    def action(self) -> LastAction | None:
        code = self.number()
        if code == _NO_ACTION:
            return None
        match _ACTIONS[code]:
            case ActionType.MOVE:
                return Moved(Move(*self.take(ACTION_BYTES)))
            case ActionType.FINISH:
                return Finished()
            case kind:
                return ActionCount(kind, self.number())


def _decode(data: bytes, revision: int) -> Session:
    form, variant, flags, source, goal, started_at = _HEAD.unpack_from(data)
    if not form:
        raise StoredFormError
    ruleset = _VARIANTS[variant]
    reader = _Reader(data, _HEAD.size)
    ended, day = reader.number(), reader.number()
    hints_used, undos_used = reader.number(), reader.number()
    seed, player = reader.text(), reader.text()
    cards = reader.part()
    stock = cards[len(cards) - reader.number() :]
    row = reader.part()
    heights = reader.take(len(row)) if ruleset.is_stacking else b"\x01" * len(row)
    position = Position(ruleset, row, heights, stock, None if goal == _NONE else goal)
    done = reader.part()
    undone = reader.part(has_size=form >= _PLAN)
    plan = reader.part(has_size=form >= _VERSION)
    if (len(done) | len(undone) | len(plan)) % ACTION_BYTES:
        raise StoredFormError
    options = _options(flags & (_STOCK | _COMPULSORY | _NO_UNDO))
    if form >= _VERSION:
        more = _read_more(reader, form, flags, started_at)
    else:
        is_usual = options == Options(ruleset.layout)
        more = {
            "version": revision,
            "default_options": is_usual,
            "ends": int(ended > 0),
        }
    return Session(
        play=Play(options, cards, position, done, undone, bool(flags & _FINISHED)),
        source=_SOURCES[source],
        seed=seed,
        server_seed=bool(flags & _SERVER_SEED),
        started_at=started_at,
        ended_at=started_at + ended - 1 if ended else None,
        daily=date.fromordinal(day) if day else None,
        player=player,
        hints_used=hints_used,
        undos_used=undos_used,
        plan=plan,
        **more,
    )


def _read_more(
    reader: _Reader, form: int, flags: int, started_at: int
) -> dict[str, Any]:
    """Read the fields that forms before ``_VERSION`` do not have."""
    version, acted = reader.number(), reader.number()
    has_review = form >= _REVIEW
    return {
        "version": version,
        "last_action_at": started_at + acted - 1 if acted else None,
        "ends": reader.number(),
        "unranked": _UNRANKED[reader.number()],
        "event_closes_at": reader.number() or None,
        "last_action": reader.action(),
        "reference": reader.text(),
        "event": reader.text(),
        "allows_hints": not flags & _NO_HINTS,
        "default_options": not flags & _OWN_OPTIONS,
        "key_digest": reader.part(has_size=has_review),
        "review": reader.part(has_size=has_review),
    }


@cache
def _options(flags: int) -> Options:
    return Options(
        layout=Layout.STOCK if flags & _STOCK else Layout.OPEN,
        compulsory=bool(flags & _COMPULSORY),
        undo=UndoRule.NONE if flags & _NO_UNDO else UndoRule.UNLIMITED,
    )
