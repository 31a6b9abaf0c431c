"""Texts for errors of the engine: their keys, and the values of their placeholders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from service.engine.cards import NAMES
from service.engine.errors import IllegalMoveError, InputError, NoTargetError
from service.engine.ruleset import Effect, IllegalMoveReason
from service.texts import Detail, card_text

if TYPE_CHECKING:
    from service.engine.position import Move, Position

Text: TypeAlias = "tuple[str, dict[str, Any]]"
"""The key of a text, and the values of its placeholders."""

_CARDS: Final = frozenset({"card", "first", "last"})
"""The names in ``InputError.data`` whose values can be cards."""


def detail_of(error: InputError) -> Detail:
    """Return the text about a value that the engine refuses."""
    data = {
        name: card_text(NAMES[value])
        if name in _CARDS and isinstance(value, int)
        else value
        for name, value in error.data.items()
    }
    return Detail(error.key, data)


def illegal_move(error: IllegalMoveError | NoTargetError) -> Text:
    """Return the text about a refused move or tap, with its cards or distances."""
    if isinstance(error, NoTargetError):
        return _no_target(error)
    position, move = error.position, error.move
    match error.reason:
        case IllegalMoveReason.NO_SUCH_PILE:
            exists = 0 <= move.origin < len(position.row)
            return _no_such_pile(position, move.target if exists else move.origin)
        case IllegalMoveReason.DISTANCE:
            return _distance(position, move)
        case IllegalMoveReason.DIRECTION:
            return "illegal-move.direction", {}
        case IllegalMoveReason.NO_MATCH:
            return _no_match(position, move)


def _no_target(error: NoTargetError) -> Text:
    if error.reason is IllegalMoveReason.NO_SUCH_PILE:
        return _no_such_pile(error.position, error.origin)
    return "illegal-move.no-target", {"position": error.origin}


def _no_such_pile(position: Position, place: int) -> Text:
    last = len(position.row) - 1
    return "illegal-move.no-such-pile", {"position": place, "last": last}


def _distance(position: Position, move: Move) -> Text:
    ruleset, distance = position.ruleset, abs(move.origin - move.target)
    distances = sorted({abs(offset) for offset in ruleset.offsets})
    if ruleset.effect is Effect.REMOVE_RUN:
        ends = {"least": distances[0] + 1, "most": distances[-1] + 1}
        return "illegal-move.distance.run", {**ends, "length": distance + 1}
    data = {"distances": distances, "distance": distance}
    if ruleset.is_stacking:
        return "illegal-move.distance.stack", data
    return "illegal-move.distance.pair", data


def _no_match(position: Position, move: Move) -> Text:
    row, runs = position.row, position.ruleset.runs
    if runs is None:
        first, second = (card_text(NAMES[row[place]]) for place in move)
        return "illegal-move.no-match", {"first": first, "second": second}
    values = [runs.values[card % 13] for card in row[move.target : move.origin + 1]]
    if len(values) == 1:
        return "illegal-move.single", {"value": values[0]}
    return "illegal-move.sum", {
        "values": " + ".join(map(str, values)),
        "sum": sum(values),
        "totals": sorted(runs.totals),
    }
