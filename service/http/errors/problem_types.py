"""Every problem that the API can return (RFC 9457), as one table.

A problem's ``type`` is ``/problems/<slug>``, and that path explains it. Its texts are
in the catalogues of ``service.texts``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from service.http.errors.problem import Member, ProblemType

if TYPE_CHECKING:
    from collections.abc import Mapping

REQUEST_SECONDS: Final = 10
"""The time for a whole request to come."""
LONGEST_TARGET: Final = 8000
"""Characters in the longest path with its query that is read."""

_VERSION: Final = Member(
    {"type": "integer", "minimum": 1, "description": "The game's current version."}, 7
)
_INDEX: Final = Member(
    {
        "type": "integer",
        "minimum": 0,
        "description": "The index in `moves` of the action that was refused, from 0; "
        "only in the response to a batch.",
    },
    0,
    always=False,
)
_REFUSED: Final = {"version": _VERSION, "index": _INDEX}
"""Members of every refusal by the rules."""


def _available(what: str) -> Member:
    return Member({"type": "integer", "minimum": 0, "description": what}, 0)


_ALL: Final = (
    ProblemType(
        "malformed-request", 400, key="malformed.json", data={"line": 1, "column": 9}
    ),
    ProblemType(
        "unauthorized", 401, headers=("WWW-Authenticate",), key="unauthorized.missing"
    ),
    ProblemType("not-found", 404),
    ProblemType("game-not-found", 404),
    ProblemType("not-ranked", 404),
    ProblemType("player-not-found", 404, data={"name": "Ada"}),
    ProblemType("event-not-found", 404),
    ProblemType("event-not-open", 409),
    ProblemType("no-attempts-left", 409),
    ProblemType("too-many-events", 409),
    ProblemType("webhook-not-found", 404),
    ProblemType("delivery-not-found", 404),
    ProblemType("webhook-ended", 409),
    ProblemType("too-many-webhooks", 409),
    ProblemType("key-required", 403),
    ProblemType("variant-not-found", 404, data={"name": "acordion"}),
    ProblemType("not-yet", 404, data={"day": "2031-01-01", "today": "2030-12-31"}),
    ProblemType(
        "method-not-allowed", 405, headers=("Allow",), data={"methods": "GET, HEAD"}
    ),
    ProblemType(
        "illegal-move",
        409,
        {
            "reason": Member(
                {
                    "$ref": "#/components/schemas/IllegalMoveReason",
                    "description": "Why the rules refuse the move.",
                },
                "no-match",
            ),
            **_REFUSED,
        },
        key="illegal-move.no-match",
        data={"first": "4♦", "second": "Q♣"},
    ),
    ProblemType(
        "ambiguous-move",
        409,
        {
            "targets": Member(
                {
                    "type": "array",
                    "items": {"type": "integer", "minimum": 0},
                    "minItems": 2,
                    "description": "The positions that it could go to, ascending.",
                },
                [4, 6],
            ),
            **_REFUSED,
        },
        data={"position": 7, "targets": [4, 6]},
    ),
    ProblemType(
        "stock-empty",
        409,
        {"stock": _available("The cards left in the stock."), **_REFUSED},
    ),
    ProblemType(
        "move-compulsory",
        409,
        {
            "legal_moves": Member(
                {
                    "type": "array",
                    "items": {"$ref": "#/components/schemas/Move"},
                    "minItems": 1,
                    "description": "The moves to choose from.",
                },
                [{"from": 3, "to": 0}],
            ),
            **_REFUSED,
        },
    ),
    ProblemType(
        "nothing-to-undo",
        409,
        {"available": _available("The actions that can be undone."), **_REFUSED},
    ),
    ProblemType(
        "nothing-to-redo",
        409,
        {"available": _available("The actions that can be redone."), **_REFUSED},
    ),
    ProblemType("undo-not-allowed", 409, _REFUSED),
    ProblemType(
        "game-over",
        409,
        {
            "game_status": Member(
                {
                    "type": "string",
                    "enum": ["won", "ended"],
                    "description": "How the game ended.",
                },
                "won",
            ),
            **_REFUSED,
        },
        key="game-over.won",
    ),
    ProblemType(
        "game-not-over", 409, {"version": _VERSION}, key="game-not-over.playing"
    ),
    ProblemType("review-not-found", 404),
    ProblemType("hints-not-allowed", 409, {"version": _VERSION}),
    ProblemType(
        "version-mismatch",
        412,
        {"version": _VERSION},
        headers=("ETag",),
        data={"version": 7},
    ),
    ProblemType("body-too-large", 413, data={"limit": 64 * 1024}),
    ProblemType("request-timeout", 408, data={"count": REQUEST_SECONDS}),
    ProblemType("service-stopping", 503, headers=("Retry-After",)),
    ProblemType("uri-too-long", 414, data={"limit": LONGEST_TARGET}),
    ProblemType("unsupported-media-type", 415),
    ProblemType(
        "validation-error",
        422,
        {
            "errors": Member(
                {
                    "type": "array",
                    "minItems": 1,
                    "items": {"$ref": "#/components/schemas/InvalidValue"},
                    "description": "Everything that is not valid.",
                },
                [
                    {
                        "pointer": "/deck/1",
                        "detail": "`/deck/1` repeats the card 4♠.",
                    },
                    {"pointer": "/seeds", "detail": "Unknown field: `/seeds`."},
                ],
            )
        },
        data={"count": 2},
    ),
    ProblemType("precondition-required", 428),
    ProblemType("rate-limited", 429, headers=("Retry-After",), data={"count": 30}),
    ProblemType("header-fields-too-large", 431),
    ProblemType("internal-error", 500),
    ProblemType("unknown-transfer-coding", 501),
    ProblemType("store-unavailable", 503, headers=("Retry-After",)),
    ProblemType("idempotency-key-reused", 422),
    ProblemType("idempotency-in-flight", 409, headers=("Retry-After",)),
    ProblemType(
        "cards-hidden",
        409,
        {"stock": _available("The cards left in the stock."), **_REFUSED},
        data={"count": 12},
    ),
    ProblemType("seed-hidden", 409),
    ProblemType("solver-busy", 503, headers=("Retry-After",)),
    ProblemType("game-busy", 503, headers=("Retry-After",)),
)

PROBLEM_TYPES: Final[Mapping[str, ProblemType]] = MappingProxyType(
    {problem.slug: problem for problem in _ALL}
)
"""Every problem by its slug."""
