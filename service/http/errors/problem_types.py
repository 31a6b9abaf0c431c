"""Every problem that the API can return (RFC 9457), as one table.

A problem's ``type`` is ``/problems/<slug>``, and that path explains it. Its texts are
in the catalogues of ``service.texts``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from service.engine.errors import UndoNotAllowedError, UnknownVariantError
from service.games.advice import SolverBusyError
from service.games.daily import NotYetError
from service.games.events import (
    EventNotFoundError,
    EventNotOpenError,
    TooManyEventsError,
)
from service.games.idempotency import KeyReusedError, RequestInFlightError
from service.games.players import NoAttemptsLeftError, PlayerNotFoundError
from service.games.records import SeedHiddenError
from service.games.review import ReviewNotFoundError
from service.games.session import HintsNotAllowedError
from service.games.snapshot import GameBusyError, GameNotFoundError
from service.games.webhooks import (
    DeliveryNotFoundError,
    TooManyWebhooksError,
    WebhookEndedError,
    WebhookNotFoundError,
)
from service.http.errors.exceptions import KeyRequiredError, PreconditionRequiredError
from service.http.errors.problem import Member, ProblemType
from service.store.protocol import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

REQUEST_TIMEOUT_SECONDS: Final = 10
"""The time within which a whole request must arrive."""
MAX_TARGET_LENGTH: Final = 8000
"""The maximum length of a path with its query, in characters."""


def _integer(
    description: str, example: int = 0, *, least: int = 0, is_required: bool = True
) -> Member:
    schema = {"type": "integer", "minimum": least, "description": description}
    return Member(schema, example, is_required)


_VERSION: Final = _integer("The game's current version.", 7, least=1)
_INDEX: Final = _integer(
    "The index in `moves` of the action that was refused, from 0; only in the response "
    "to a batch.",
    is_required=False,
)
_RETRY: Final = ("Retry-After",)
_STOCK: Final = _integer("The cards left in the stock.")


def _refusal(
    slug: str,
    error: type[Exception] | None = None,
    members: Mapping[str, Member] | None = None,
    key: str = "",
    data: Mapping[str, object] | None = None,
) -> ProblemType:
    """Make the type of a refusal by the rules of the game."""
    every = {**(members or {}), "version": _VERSION, "index": _INDEX}
    return ProblemType(slug, 409, error, every, key=key, data=data or {})


_ALL: Final = (
    ProblemType(
        "malformed-request", 400, key="malformed.json", data={"line": 1, "column": 9}
    ),
    ProblemType(
        "unauthorized", 401, headers=("WWW-Authenticate",), key="unauthorized.missing"
    ),
    ProblemType("not-found", 404),
    ProblemType("game-not-found", 404, GameNotFoundError),
    ProblemType("not-ranked", 404),
    ProblemType("player-not-found", 404, PlayerNotFoundError, data={"name": "Ada"}),
    ProblemType("event-not-found", 404, EventNotFoundError),
    ProblemType("event-not-open", 409, EventNotOpenError),
    ProblemType("no-attempts-left", 409, NoAttemptsLeftError),
    ProblemType("too-many-events", 409, TooManyEventsError),
    ProblemType("webhook-not-found", 404, WebhookNotFoundError),
    ProblemType("delivery-not-found", 404, DeliveryNotFoundError),
    ProblemType("webhook-ended", 409, WebhookEndedError),
    ProblemType("too-many-webhooks", 409, TooManyWebhooksError),
    ProblemType("key-required", 403, KeyRequiredError),
    ProblemType(
        "variant-not-found", 404, UnknownVariantError, data={"name": "acordion"}
    ),
    ProblemType(
        "not-yet", 404, NotYetError, data={"day": "2031-01-01", "today": "2030-12-31"}
    ),
    ProblemType(
        "method-not-allowed", 405, headers=("Allow",), data={"methods": "GET, HEAD"}
    ),
    _refusal(
        "illegal-move",
        members={
            "reason": Member(
                {
                    "$ref": "#/components/schemas/IllegalMoveReason",
                    "description": "Why the rules refuse the move.",
                },
                "no-match",
            )
        },
        key="illegal-move.no-match",
        data={"first": "4♦", "second": "Q♣"},
    ),
    _refusal(
        "ambiguous-move",
        members={
            "targets": Member(
                {
                    "type": "array",
                    "items": {"type": "integer", "minimum": 0},
                    "minItems": 2,
                    "description": "The positions that it could go to, ascending.",
                },
                [4, 6],
            )
        },
        data={"position": 7, "targets": [4, 6]},
    ),
    _refusal("stock-empty", members={"stock": _STOCK}),
    _refusal(
        "move-compulsory",
        members={
            "legal_moves": Member(
                {
                    "type": "array",
                    "items": {"$ref": "#/components/schemas/Move"},
                    "minItems": 1,
                    "description": "The moves to choose from.",
                },
                [{"from": 3, "to": 0}],
            )
        },
    ),
    _refusal(
        "nothing-to-undo",
        members={"available": _integer("The actions that can be undone.")},
    ),
    _refusal(
        "nothing-to-redo",
        members={"available": _integer("The actions that can be redone.")},
    ),
    _refusal("undo-not-allowed", UndoNotAllowedError),
    _refusal(
        "game-over",
        members={
            "game_status": Member(
                {
                    "type": "string",
                    "enum": ["won", "ended"],
                    "description": "How the game ended.",
                },
                "won",
            )
        },
        key="game-over.won",
    ),
    ProblemType(
        "game-not-over", 409, members={"version": _VERSION}, key="game-not-over.playing"
    ),
    ProblemType("review-not-found", 404, ReviewNotFoundError),
    ProblemType("hints-not-allowed", 409, HintsNotAllowedError, {"version": _VERSION}),
    ProblemType(
        "version-mismatch",
        412,
        members={"version": _VERSION},
        headers=("ETag",),
        data={"version": 7},
    ),
    ProblemType("body-too-large", 413, data={"limit": 64 * 1024}),
    ProblemType("request-timeout", 408, data={"count": REQUEST_TIMEOUT_SECONDS}),
    ProblemType("service-stopping", 503, headers=_RETRY),
    ProblemType("uri-too-long", 414, data={"limit": MAX_TARGET_LENGTH}),
    ProblemType("unsupported-media-type", 415),
    ProblemType(
        "validation-error",
        422,
        members={
            "errors": Member(
                {
                    "type": "array",
                    "minItems": 1,
                    "items": {"$ref": "#/components/schemas/InvalidValue"},
                    "description": "Everything that is not valid.",
                },
                [
                    {"pointer": "/deck/1", "detail": "`/deck/1` repeats the card 4♠."},
                    {"pointer": "/seeds", "detail": "Unknown field: `/seeds`."},
                ],
            )
        },
        data={"count": 2},
    ),
    ProblemType("precondition-required", 428, PreconditionRequiredError),
    ProblemType("rate-limited", 429, headers=_RETRY, data={"count": 30}),
    ProblemType("header-fields-too-large", 431),
    ProblemType("internal-error", 500),
    ProblemType("unknown-transfer-coding", 501),
    ProblemType("store-unavailable", 503, StoreUnavailableError, headers=_RETRY),
    ProblemType("idempotency-key-reused", 422, KeyReusedError),
    ProblemType("idempotency-in-flight", 409, RequestInFlightError, headers=_RETRY),
    _refusal("cards-hidden", members={"stock": _STOCK}, data={"count": 12}),
    ProblemType("seed-hidden", 409, SeedHiddenError),
    ProblemType("solver-busy", 503, SolverBusyError, headers=_RETRY),
    ProblemType("game-busy", 503, GameBusyError, headers=_RETRY),
)

PROBLEM_TYPES: Final[Mapping[str, ProblemType]] = MappingProxyType(
    {problem.slug: problem for problem in _ALL}
)
"""Every problem by its slug."""
