"""The JSON Schemas of advice, by the names they have in OpenAPI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.http.schemas.json_schema import (
    VERSION,
    array_shape,
    object_shape,
    ref,
    text_shape,
    word_shape,
)
from service.solver.verdict import Reason, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.http.schemas.json_schema import Shape

_VERDICT: Final = word_shape(
    Verdict,
    "`winnable`, a line that wins is known; `unwinnable`, it is proved that none does; "
    "`unknown`, the time was up or cards are hidden.",
)

ADVICE_SHAPES: Final[Mapping[str, Shape]] = {
    "Action": {
        "description": "A move or a deal of one card.",
        "oneOf": [
            object_shape(
                "A move.",
                {
                    "type": {"const": "move"},
                    "from": {"type": "integer", "description": "As in a move."},
                    "to": {"type": "integer", "description": "As in a move."},
                },
            ),
            object_shape("A deal.", {"type": {"const": "deal"}}),
        ],
    },
    "Hint": object_shape(
        "A hint.",
        {
            "version": VERSION,
            "action": {
                "anyOf": [ref("Action"), {"type": "null"}],
                "description": "What to do; null when nothing can be done.",
            },
            "verdict": _VERDICT,
            "reason": object_shape(
                "Why.",
                {
                    "code": word_shape(Reason, "As a code."),
                    "text": text_shape("As a sentence, in the language of the answer."),
                },
            ),
        },
    ),
    "Solution": object_shape(
        "A line that wins.",
        {
            "version": VERSION,
            "verdict": _VERDICT,
            "actions": array_shape(
                ref("Action"), "The line, first to last; empty unless `winnable`."
            ),
        },
    ),
    "Analysis": object_shape(
        "What is known of a row.",
        {
            "verdict": _VERDICT,
            "line": array_shape(
                ref("Action"), "A line that wins; empty unless `winnable`."
            ),
            "moves": array_shape(
                object_shape(
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
}
