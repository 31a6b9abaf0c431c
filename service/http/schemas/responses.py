"""The JSON Schemas of answers, by the names they have in OpenAPI.

Answers are encoded from flat data and pass no schema on their way; the tests hold
every answer against these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.engine.cards import RANKS, SUITS
from service.engine.deals import SOURCES
from service.engine.play import Status
from service.engine.ruleset import Effect, Layout, Reason, UndoRule
from service.engine.scoring import Rating
from service.engine.variants import VARIANTS
from service.games.records import FORMAT
from service.http.schemas.advice_responses import ADVICE_SHAPES
from service.http.schemas.json_schema import (
    VERSION,
    array_shape,
    count_shape,
    flag_shape,
    object_shape,
    or_null,
    ref,
    text_shape,
    word_shape,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.http.schemas.json_schema import Shape

_TIME: Final = {"type": "string", "format": "date-time"}
_DAY: Final = {"type": "string", "format": "date"}
_DIGEST: Final = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_SOURCE: Final = word_shape(SOURCES, "What turned the seed into cards.")
_VARIANT: Final = word_shape(VARIANTS, "The variant, by its key.")
_LEGAL_MOVES: Final = array_shape(
    ref("Move"), "Every move that would be accepted, by `from` and then by `to`."
)
_CAN_DEAL: Final = flag_shape("Whether a deal of one card would be accepted.")
_RATING: Final = word_shape(
    Rating,
    "Once the game is over: `full` when it is won; in games that go down to one pile "
    "also `strong` for 2 or 3 piles and `moral` for 4 or 5.",
)
_STATUS: Final = word_shape(
    Status,
    "`playing`; `won`; `lost`, no legal move and nothing to deal; `ended`, the player "
    "stopped.",
)
_GOAL_CARD: Final = {
    "anyOf": [ref("Card"), {"type": "null"}],
    "description": "The card that must end on top, where the variant names one.",
}
_ROW: Final = array_shape(ref("Card"), "The top cards, left to right.")

_OPTIONS: Final = {
    "layout": word_shape(
        Layout,
        "`open`, every card lies face up from the start; `stock`, each deal turns one "
        "more.",
    ),
    "compulsory": flag_shape("Whether dealing waits until no move is legal."),
    "undo": word_shape(UndoRule, "Whether actions can be taken back."),
}

_GAME: Final = {
    "id": or_null(
        text_shape("The game's id, a secret of its player: it can change the game.")
    ),
    "watch_id": text_shape(
        "What others may know the game by: it can only be looked at."
    ),
    "variant": _VARIANT,
    "options": ref("Options"),
    "source": or_null(_SOURCE),
    "seed": or_null(
        text_shape(
            "The seed of the deal; null for a deck of the player's own, and while it "
            "is hidden (see `commitment`)."
        )
    ),
    "daily": or_null({**_DAY, "description": "The day whose deal it is."}),
    "player": or_null(text_shape("The player's name.")),
    "version": VERSION,
    "status": _STATUS,
    "row": _ROW,
    "heights": array_shape(
        {"type": "integer", "minimum": 1}, "The cards in each pile, left to right."
    ),
    "stock": count_shape("The cards still to be dealt."),
    "removed": array_shape(
        ref("Card"), "The cards out of play, in removal games, in the order of dealing."
    ),
    "goal_card": _GOAL_CARD,
    "legal_moves": _LEGAL_MOVES,
    "can_deal": _CAN_DEAL,
    "can_undo": flag_shape("Whether an undo would be accepted."),
    "can_redo": flag_shape("Whether a redo would be accepted."),
    "moves": count_shape("The moves that stand; deals are not counted."),
    "hints_used": count_shape("How many hints were given."),
    "undos_used": count_shape("How many actions were taken back."),
    "score": count_shape(
        "10 for each pile or card got rid of; a win adds 500, and 1200 less one for "
        "each full second it took."
    ),
    "rating": or_null(_RATING),
    "commitment": or_null(
        {
            **_DIGEST,
            "description": "In the stock layout the SHA-256 of the seed's UTF-8. "
            "A seed of the server's own is hidden there until the game is over, and a "
            "daily one until its day is too; then it shows, for anybody to check.",
        }
    ),
    "started_at": {**_TIME, "description": "When the game started."},
    "ended_at": or_null({**_TIME, "description": "When it was won, lost or stopped."}),
    "elapsed_seconds": count_shape(
        "The full seconds it has taken, by the server's clock."
    ),
}

_DEAL: Final = {
    "source": _SOURCE,
    "seed": text_shape("The seed."),
    "variant": _VARIANT,
    "cards": array_shape(
        ref("Card"), "The cards, in the order in which they are dealt."
    ),
    "goal_card": _GOAL_CARD,
}

_RECORD: Final = {
    "format": {"type": "string", "const": FORMAT, "description": "The record's form."},
    "variant": _VARIANT,
    "options": ref("Options"),
    "actions": array_shape(
        {"type": "string", "pattern": "^(deal|finish|[0-9]{1,2}-[0-9]{1,2})$"},
        "What was done: `deal`, or a move as `from-to`; `finish` at the end where the "
        "player stopped.",
    ),
}

SHAPES: Final[Mapping[str, Shape]] = {
    "Card": text_shape(
        "A card: its rank, then its suit.",
        pattern=f"^[{RANKS}][{SUITS}]$",
        examples=["TD"],
    ),
    "CardInput": text_shape(
        "A card: its rank, then its suit; lower case, `10` for `T` and the symbols of "
        "the suits will do too.",
        pattern="^([A2-9TJQKatjqk]|10)[CDHScdhs♣♧♦♢♥♡♠♤][\ufe0e\ufe0f]?$",
        examples=["TD", "10d", "4♠"],
    ),
    "Move": object_shape(
        "A move. Stacking: pile `from` goes onto pile `to`. Removal: what leaves is a "
        "pair or what lies between, or a run from `to` to `from`.",
        {
            "from": {"type": "integer", "description": "A pile; 0 is the leftmost."},
            "to": {"type": "integer", "description": "Another, or the same."},
        },
    ),
    "Options": object_shape("How a game is played.", _OPTIONS),
    "Game": object_shape("A game.", _GAME),
    "LegalMoves": object_shape(
        "What can be done in a game.",
        {"version": VERSION, "legal_moves": _LEGAL_MOVES, "can_deal": _CAN_DEAL},
    ),
    "RowMoves": object_shape(
        "What can be done with a row.",
        {"variant": _VARIANT, "row": _ROW, "legal_moves": _LEGAL_MOVES},
    ),
    "Deal": object_shape("The deal of a seed.", _DEAL),
    "DailyDeal": object_shape(
        "The deal of a day. In a variant with the stock layout it is hidden until the "
        "day is over: `seed` and `cards` are null, and `commitment` is the SHA-256 of "
        "the seed's UTF-8.",
        {
            "date": {**_DAY, "description": "The UTC day."},
            **_DEAL,
            "seed": or_null(_DEAL["seed"]),
            "cards": or_null(_DEAL["cards"]),
            "commitment": or_null({**_DIGEST, "description": "In the stock layout."}),
        },
    ),
    "Record": {
        "description": "A game as a portable record, of a seed or of the player's own "
        "deck. While a seed is hidden in the game it is null here, and so is a deck "
        "with cards still to be dealt.",
        "anyOf": [
            object_shape(
                "A game with the deal of a seed.",
                {
                    **_RECORD,
                    "source": _SOURCE,
                    "seed": or_null(text_shape("The seed of the deal.")),
                },
            ),
            {
                **object_shape(
                    "A game with a deck of the player's own.",
                    {
                        **_RECORD,
                        "deck": or_null(array_shape(ref("Card"), "The deck.")),
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
            object_shape(
                "It holds under the rules.",
                {
                    "valid": {"const": True},
                    "status": _STATUS,
                    "score": count_shape(
                        "Its points without a time bonus: a record has no clock."
                    ),
                    "rating": or_null(_RATING),
                    "row": _ROW,
                },
            ),
            object_shape(
                "It breaks the rules.",
                {
                    "valid": {"const": False},
                    "index": count_shape(
                        "The place of the action that is refused, from 0."
                    ),
                    "reason": word_shape(
                        [*Reason, "stock-empty", "move-compulsory", "game-over"],
                        "Why it is refused.",
                    ),
                },
            ),
        ],
    },
    "Variant": object_shape(
        "A variant of the patience.",
        {
            "key": word_shape(VARIANTS, "Its name in the API."),
            "aliases": array_shape({"type": "string"}, "Other names it goes by."),
            "name": text_shape("Its name for people."),
            "summary": text_shape("What it is, in a sentence."),
            "move": text_shape("What a legal move is, in a sentence."),
            "win": text_shape("When it is won, in a sentence."),
            "effect": word_shape(Effect, "What a move does."),
            "distances": array_shape(
                {"type": "integer"}, "The values of `from` - `to` that a move can have."
            ),
            "goal_length": count_shape("The piles or cards left when it is won."),
            "deck_size": count_shape("The cards dealt in all."),
            "pinned_cards": or_null(
                array_shape(ref("Card"), "The cards dealt first and last, if any.")
            ),
            "names_goal_card": flag_shape("Whether a goal card must end on top."),
            "options": ref("Options"),
        },
    ),
    "Variants": object_shape(
        "All variants.", {"variants": array_shape(ref("Variant"), "Each of them.")}
    ),
    **ADVICE_SHAPES,
    "Health": object_shape(
        "That all is well.", {"status": {"type": "string", "const": "ok"}}
    ),
    "InputFault": object_shape(
        "One thing that does not fit.",
        {
            "pointer": text_shape(
                "Where, as a JSON pointer (RFC 6901); empty for the whole of it."
            ),
            "detail": text_shape("What, as a sentence."),
        },
    ),
    "ProblemKind": object_shape(
        "A kind of problem.",
        {
            "type": text_shape("What identifies it.", format="uri-reference"),
            "title": text_shape("What went wrong, in general."),
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "explanation": text_shape("Why it happens, and what to do about it."),
            "members": {
                "type": "object",
                "description": "Its further members, and what they mean.",
                "additionalProperties": {"type": "string"},
            },
        },
    ),
    "ProblemKinds": object_shape(
        "All kinds of problems.",
        {"problems": array_shape(ref("ProblemKind"), "Each of them.")},
    ),
}
"""Every schema of an answer, or of part of one, by its name."""
