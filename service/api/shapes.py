"""The JSON Schemas of answers, by the names they have in OpenAPI.

Answers are encoded from flat data and pass no schema on their way; the tests hold
every answer against these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from service.engine.cards import RANKS, SUITS
from service.engine.deals import SOURCES
from service.engine.play import Status
from service.engine.ruleset import Effect, Layout, Reason, UndoRule
from service.engine.scoring import Rating
from service.engine.variants import VARIANTS
from service.records import FORMAT
from service.solver.verdict import Reason as Because
from service.solver.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Shape: TypeAlias = "Mapping[str, Any]"
"""A JSON Schema."""


def ref(name: str) -> Shape:
    """Refer to a schema by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object(description: str, members: Mapping[str, Shape]) -> Shape:
    """Describe an object that has all these members and no others."""
    return {
        "type": "object",
        "description": description,
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def _array(items: Shape, description: str) -> Shape:
    return {"type": "array", "items": items, "description": description}


def _text(description: str, **more: Any) -> Shape:  # noqa: ANN401 - any keyword
    return {"type": "string", "description": description, **more}


def _count(description: str) -> Shape:
    return {"type": "integer", "minimum": 0, "description": description}


def _flag(description: str) -> Shape:
    return {"type": "boolean", "description": description}


def _word(words: Iterable[str], description: str) -> Shape:
    return _text(description, enum=[str(word) for word in words])


def _or_null(shape: Shape) -> Shape:
    """Allow null too."""
    description = shape.get("description", "")
    if "type" in shape and "enum" not in shape:
        return {**shape, "type": [shape["type"], "null"]}
    bare = {key: value for key, value in shape.items() if key != "description"}
    return {"anyOf": [bare, {"type": "null"}], "description": description}


_TIME: Final = {"type": "string", "format": "date-time"}
_DAY: Final = {"type": "string", "format": "date"}
_DIGEST: Final = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_SOURCE: Final = _word(SOURCES, "What turned the seed into cards.")
_VARIANT: Final = _word(VARIANTS, "The variant, by its key.")
_VERSION: Final = {
    "type": "integer",
    "minimum": 1,
    "description": "1 at first, one more with every write; the ETag in quotes.",
}
_LEGAL_MOVES: Final = _array(
    ref("Move"), "Every move that would be accepted, by `from` and then by `to`."
)
_CAN_DEAL: Final = _flag("Whether a deal of one card would be accepted.")
_RATING: Final = _word(
    Rating,
    "Once the game is over: `full` when it is won; in games that go down to one pile "
    "also `strong` for 2 or 3 piles and `moral` for 4 or 5.",
)
_STATUS: Final = _word(
    Status,
    "`playing`; `won`; `lost`, no legal move and nothing to deal; `ended`, the player "
    "stopped.",
)
_VERDICT: Final = _word(
    Verdict,
    "`winnable`, a line that wins is known; `unwinnable`, it is proved that none does; "
    "`unknown`, the time was up or cards are hidden.",
)
_GOAL_CARD: Final = {
    "anyOf": [ref("Card"), {"type": "null"}],
    "description": "The card that must end on top, where the variant names one.",
}
_ROW: Final = _array(ref("Card"), "The top cards, left to right.")

_OPTIONS: Final = {
    "layout": _word(
        Layout,
        "`open`, every card lies face up from the start; `stock`, each deal turns one "
        "more.",
    ),
    "compulsory": _flag("Whether dealing waits until no move is legal."),
    "undo": _word(UndoRule, "Whether actions can be taken back."),
}

_GAME: Final = {
    "id": _or_null(
        _text("The game's id, a secret of its player: it can change the game.")
    ),
    "watch_id": _text("What others may know the game by: it can only be looked at."),
    "variant": _VARIANT,
    "options": ref("Options"),
    "source": _or_null(_SOURCE),
    "seed": _or_null(
        _text(
            "The seed of the deal; null for a deck of the player's own, and while it "
            "is hidden (see `commitment`)."
        )
    ),
    "daily": _or_null({**_DAY, "description": "The day whose deal it is."}),
    "player": _or_null(_text("The player's name.")),
    "version": _VERSION,
    "status": _STATUS,
    "row": _ROW,
    "heights": _array(
        {"type": "integer", "minimum": 1}, "The cards in each pile, left to right."
    ),
    "stock": _count("The cards still to be dealt."),
    "removed": _array(
        ref("Card"), "The cards out of play, in removal games, in the order of dealing."
    ),
    "goal_card": _GOAL_CARD,
    "legal_moves": _LEGAL_MOVES,
    "can_deal": _CAN_DEAL,
    "can_undo": _flag("Whether an undo would be accepted."),
    "can_redo": _flag("Whether a redo would be accepted."),
    "moves": _count("The moves that stand; deals are not counted."),
    "hints_used": _count("How many hints were given."),
    "undos_used": _count("How many actions were taken back."),
    "score": _count(
        "10 for each pile or card got rid of; a win adds 500, and 1200 less one for "
        "each full second it took."
    ),
    "rating": _or_null(_RATING),
    "commitment": _or_null(
        {
            **_DIGEST,
            "description": "In the stock layout the SHA-256 of the seed's UTF-8. "
            "A seed of the server's own is hidden there until the game is over, and a "
            "daily one until its day is too; then it shows, for anybody to check.",
        }
    ),
    "started_at": {**_TIME, "description": "When the game started."},
    "ended_at": _or_null({**_TIME, "description": "When it was won, lost or stopped."}),
    "elapsed_seconds": _count("The full seconds it has taken, by the server's clock."),
}

_DEAL: Final = {
    "source": _SOURCE,
    "seed": _text("The seed."),
    "variant": _VARIANT,
    "cards": _array(ref("Card"), "The cards, in the order in which they are dealt."),
    "goal_card": _GOAL_CARD,
}

_RECORD: Final = {
    "format": {"type": "string", "const": FORMAT, "description": "The record's form."},
    "variant": _VARIANT,
    "options": ref("Options"),
    "actions": _array(
        {"type": "string", "pattern": "^(deal|finish|[0-9]{1,2}-[0-9]{1,2})$"},
        "What was done: `deal`, or a move as `from-to`; `finish` at the end where the "
        "player stopped.",
    ),
}

SHAPES: Final[Mapping[str, Shape]] = {
    "Card": _text(
        "A card: its rank, then its suit.",
        pattern=f"^[{RANKS}][{SUITS}]$",
        examples=["TD"],
    ),
    "CardInput": _text(
        "A card: its rank, then its suit; lower case, `10` for `T` and the symbols of "
        "the suits will do too.",
        pattern="^([A2-9TJQKatjqk]|10)[CDHScdhs♣♧♦♢♥♡♠♤][\ufe0e\ufe0f]?$",
        examples=["TD", "10d", "4♠"],
    ),
    "Move": _object(
        "A move. Stacking: pile `from` goes onto pile `to`. Removal: what leaves is a "
        "pair or what lies between, or a run from `to` to `from`.",
        {
            "from": {"type": "integer", "description": "A pile; 0 is the leftmost."},
            "to": {"type": "integer", "description": "Another, or the same."},
        },
    ),
    "Options": _object("How a game is played.", _OPTIONS),
    "Game": _object("A game.", _GAME),
    "LegalMoves": _object(
        "What can be done in a game.",
        {"version": _VERSION, "legal_moves": _LEGAL_MOVES, "can_deal": _CAN_DEAL},
    ),
    "RowMoves": _object(
        "What can be done with a row.",
        {"variant": _VARIANT, "row": _ROW, "legal_moves": _LEGAL_MOVES},
    ),
    "Deal": _object("The deal of a seed.", _DEAL),
    "DailyDeal": _object(
        "The deal of a day. In a variant with the stock layout it is hidden until the "
        "day is over: `seed` and `cards` are null, and `commitment` is the SHA-256 of "
        "the seed's UTF-8.",
        {
            "date": {**_DAY, "description": "The UTC day."},
            **_DEAL,
            "seed": _or_null(_DEAL["seed"]),
            "cards": _or_null(_DEAL["cards"]),
            "commitment": _or_null({**_DIGEST, "description": "In the stock layout."}),
        },
    ),
    "Record": {
        "description": "A game as a portable record, of a seed or of the player's own "
        "deck. While a seed is hidden in the game it is null here, and so is a deck "
        "with cards still to be dealt.",
        "anyOf": [
            _object(
                "A game with the deal of a seed.",
                {
                    **_RECORD,
                    "source": _SOURCE,
                    "seed": _or_null(_text("The seed of the deal.")),
                },
            ),
            {
                **_object(
                    "A game with a deck of the player's own.",
                    {
                        **_RECORD,
                        "deck": _or_null(_array(ref("Card"), "The deck.")),
                        "goal_card": ref("Card"),
                    },
                ),
                "required": [*_RECORD, "deck"],
            },
        ],
    },
    "Replay": {
        "description": "What a record comes to.",
        "oneOf": [
            _object(
                "It holds under the rules.",
                {
                    "valid": {"const": True},
                    "status": _STATUS,
                    "score": _count(
                        "Its points without a time bonus: a record has no clock."
                    ),
                    "rating": _or_null(_RATING),
                    "row": _ROW,
                },
            ),
            _object(
                "It breaks the rules.",
                {
                    "valid": {"const": False},
                    "index": _count("The place of the action that is refused, from 0."),
                    "reason": _word(
                        [*Reason, "stock-empty", "move-compulsory", "game-over"],
                        "Why it is refused.",
                    ),
                },
            ),
        ],
    },
    "Variant": _object(
        "A variant of the patience.",
        {
            "key": _word(VARIANTS, "Its name in the API."),
            "aliases": _array({"type": "string"}, "Other names it goes by."),
            "name": _text("Its name for people."),
            "summary": _text("What it is, in a sentence."),
            "move": _text("What a legal move is, in a sentence."),
            "win": _text("When it is won, in a sentence."),
            "effect": _word(Effect, "What a move does."),
            "distances": _array(
                {"type": "integer"}, "The values of `from` - `to` that a move can have."
            ),
            "goal_length": _count("The piles or cards left when it is won."),
            "deck_size": _count("The cards dealt in all."),
            "pinned_cards": _or_null(
                _array(ref("Card"), "The cards dealt first and last, if any.")
            ),
            "names_goal_card": _flag("Whether a goal card must end on top."),
            "options": ref("Options"),
        },
    ),
    "Variants": _object(
        "All variants.", {"variants": _array(ref("Variant"), "Each of them.")}
    ),
    "Action": {
        "description": "A move or a deal of one card.",
        "oneOf": [
            _object(
                "A move.",
                {
                    "type": {"const": "move"},
                    "from": {"type": "integer", "description": "As in a move."},
                    "to": {"type": "integer", "description": "As in a move."},
                },
            ),
            _object("A deal.", {"type": {"const": "deal"}}),
        ],
    },
    "Hint": _object(
        "A hint.",
        {
            "version": _VERSION,
            "action": {
                "anyOf": [ref("Action"), {"type": "null"}],
                "description": "What to do; null when nothing can be done.",
            },
            "verdict": _VERDICT,
            "reason": _object(
                "Why.",
                {
                    "code": _word(Because, "As a code."),
                    "text": _text("As a sentence, in the language of the answer."),
                },
            ),
        },
    ),
    "Solution": _object(
        "A line that wins.",
        {
            "version": _VERSION,
            "verdict": _VERDICT,
            "actions": _array(
                ref("Action"), "The line, first to last; empty unless `winnable`."
            ),
        },
    ),
    "Analysis": _object(
        "What is known of a row.",
        {
            "verdict": _VERDICT,
            "line": _array(ref("Action"), "A line that wins; empty unless `winnable`."),
            "moves": _array(
                _object(
                    "A legal move, judged.",
                    {
                        "from": {"type": "integer", "description": "As in a move."},
                        "to": {"type": "integer", "description": "As in a move."},
                        "verdict": _VERDICT,
                    },
                ),
                "Every legal move.",
            ),
        },
    ),
    "Health": _object(
        "That all is well.", {"status": {"type": "string", "const": "ok"}}
    ),
    "InputFault": _object(
        "One thing that does not fit.",
        {
            "pointer": _text(
                "Where, as a JSON pointer (RFC 6901); empty for the whole of it."
            ),
            "detail": _text("What, as a sentence."),
        },
    ),
    "ProblemKind": _object(
        "A kind of problem.",
        {
            "type": _text("What identifies it.", format="uri-reference"),
            "title": _text("What went wrong, in general."),
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "explanation": _text("Why it happens, and what to do about it."),
            "members": {
                "type": "object",
                "description": "Its further members, and what they mean.",
                "additionalProperties": {"type": "string"},
            },
        },
    ),
    "ProblemKinds": _object(
        "All kinds of problems.",
        {"problems": _array(ref("ProblemKind"), "Each of them.")},
    ),
}
"""Every schema of an answer, or of part of one, by its name."""
