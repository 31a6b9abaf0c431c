"""From exceptions to problems: one row for each class that can be raised."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service.engine import errors as engine
from service.engine.deals import SOURCES
from service.games.advice import SolverBusyError
from service.games.codec import NewerFormError, StoredFormError
from service.games.create import (
    DailyCompulsoryError,
    DailyLayoutError,
    GuessableSourceError,
)
from service.games.daily import NotYetError
from service.games.deal_stock import NoGradesError
from service.games.events import (
    EventNotFoundError,
    EventNotOpenError,
    TooManyEventsError,
)
from service.games.idempotency import KeyReusedError, RequestInFlightError
from service.games.leaderboards import NotRankedError
from service.games.player_names import PlayerNameError
from service.games.players import NoAttemptsLeftError, PlayerNotFoundError
from service.games.record_picture import NoSuchActionError
from service.games.record_text import RecordTextError
from service.games.records import ActionTextError, SeedHiddenError
from service.games.review import GameNotOverError, ReviewNotFoundError
from service.games.session import HintsNotAllowedError
from service.games.snapshot import ChangeRefusedError, GameBusyError, GameNotFoundError
from service.games.webhooks import (
    DeliveryNotFoundError,
    TooManyWebhooksError,
    WebhookEndedError,
    WebhookNotFoundError,
)
from service.http.body import LARGEST
from service.http.errors import exceptions as api
from service.http.errors.details import detail_of, illegal_move, no_target
from service.http.errors.json_pointer import point
from service.http.errors.problem import Problem
from service.http.errors.problem_types import (
    LONGEST_TARGET,
    PROBLEM_TYPES,
    REQUEST_SECONDS,
)
from service.http.schemas.response import moves_response
from service.solver import UnsoundLineError
from service.store.protocol import StoreUnavailableError
from service.texts import LANGUAGES, Detail, UnknownLanguageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


RETRY_AFTER: Final = 1
"""Seconds after which a request that failed for a moment can be tried again."""


def problem_for(error: Exception) -> Problem:
    """Make the problem of an exception; what has no row is an internal error."""
    for kind in type(error).__mro__:
        if kind in ROWS:
            return ROWS[kind](error)
    return _INTERNAL


_INTERNAL: Final = Problem(PROBLEM_TYPES["internal-error"])


def _problem(
    slug: str,
    key: str = "",
    members: Mapping[str, object] | None = None,
    **data: object,
) -> Problem:
    return Problem(PROBLEM_TYPES[slug], key, data, members or {})


def _invalid(*values: api.InvalidValue) -> Problem:
    kind = PROBLEM_TYPES["validation-error"]
    return Problem(kind, data={"count": len(values)}, invalid=values)


def _invalid_value(pointer: str, key: str, **data: object) -> Problem:
    return _invalid(api.InvalidValue(pointer, Detail(key, data)))


def _input(pointer: str) -> Callable[[engine.InputError], Problem]:
    """Make the problem of a value that the engine cannot take."""
    return lambda error: _invalid(api.InvalidValue(pointer, detail_of(error)))


def _always(slug: str) -> Callable[[Exception], Problem]:
    """Make the same problem of every exception of a class."""
    problem = _problem(slug)
    return lambda _: problem


def _passing(slug: str) -> Callable[[Exception], Problem]:
    """Make a problem that another try may not meet."""
    problem = replace(_problem(slug), headers={"Retry-After": str(RETRY_AFTER)})
    return lambda _: problem


def _illegal_move(error: engine.IllegalMoveError) -> Problem:
    key, data = illegal_move(error.position, error.move, error.reason)
    return _problem("illegal-move", key, {"reason": error.reason}, **data)


def _no_target(error: engine.NoTargetError) -> Problem:
    key, data = no_target(error.position, error.origin, error.reason)
    return _problem("illegal-move", key, {"reason": error.reason}, **data)


def _ambiguous_move(error: engine.AmbiguousMoveError) -> Problem:
    return _problem(
        "ambiguous-move",
        members={"targets": error.targets},
        position=error.origin,
        targets=error.targets,
    )


def _stock_empty(error: engine.StockEmptyError) -> Problem:
    key = "stock-too-small" if error.stock else "stock-empty"
    return _problem("stock-empty", key, {"stock": error.stock}, count=error.stock)


def _move_compulsory(error: engine.MoveCompulsoryError) -> Problem:
    key = "move-compulsory.batch" if error.interrupts else "move-compulsory"
    moves = moves_response(error.legal_moves)
    return _problem("move-compulsory", key, {"legal_moves": moves})


def _nothing_to_undo(error: engine.NothingToUndoError) -> Problem:
    count = error.available
    key = "too-many-to-undo" if count else "nothing-to-undo"
    return _problem("nothing-to-undo", key, {"available": count}, count=count)


def _nothing_to_redo(error: engine.NothingToRedoError) -> Problem:
    count = error.available
    key = "too-many-to-redo" if count else "nothing-to-redo"
    return _problem("nothing-to-redo", key, {"available": count}, count=count)


def _game_over(error: engine.GameOverError) -> Problem:
    key = "game-over.won" if error.status == "won" else "game-over.ended"
    return _problem("game-over", key, {"game_status": error.status})


def _game_not_over(error: GameNotOverError) -> Problem:
    is_lost = error.status == "lost"
    key = "game-not-over.lost" if is_lost else "game-not-over.playing"
    return _problem("game-not-over", key)


def _cards_hidden(error: engine.CardsHiddenError) -> Problem:
    key = "cards-hidden.batch" if error.in_batch else "cards-hidden"
    return _problem("cards-hidden", key, {"stock": error.stock}, count=error.stock)


def _refused_at(error: engine.RefusedAtError) -> Problem:
    return _with(problem_for(error.cause), index=error.index)


def _change_refused(error: ChangeRefusedError) -> Problem:
    return _with(problem_for(error.refusal), version=error.version)


def _with(problem: Problem, **members: int) -> Problem:
    return replace(problem, members={**problem.members, **members})


def _version_mismatch(error: api.PreconditionFailedError) -> Problem:
    key = "version-mismatch.weak" if error.is_weak else "version-mismatch"
    version = error.version
    problem = _problem("version-mismatch", key, {"version": version}, version=version)
    return replace(problem, headers={"ETag": error.etag})


def _not_ranked(error: NotRankedError) -> Problem:
    if error.name is None:
        return _problem("not-ranked")
    return _problem("not-ranked", "player-not-on-board", name=error.name)


def _unsupported_media_type(error: api.MediaTypeError) -> Problem:
    slug = "unsupported-media-type"
    if not error.is_encoded:
        return _problem(slug)
    problem = _problem(slug, "unsupported-media-type.encoding")
    return replace(problem, headers={"Accept-Encoding": "identity"})


def _unauthorized(error: api.UnauthorizedError) -> Problem:
    problem = _problem("unauthorized", "unauthorized.missing")
    challenge = 'Bearer realm="accordion"'
    if error.tried:
        problem = _problem("unauthorized", "unauthorized.invalid")
        challenge += ', error="invalid_token"'
    return replace(problem, headers={"WWW-Authenticate": challenge})


def _rate_limited(error: api.RateLimitedError) -> Problem:
    problem = _problem("rate-limited", count=error.reset)
    return replace(problem, headers={"Retry-After": str(error.reset)})


_FROM_HTTP: Final[Mapping[int, Problem]] = {
    404: _problem("not-found"),
    408: _problem("request-timeout", count=REQUEST_SECONDS),
    413: _problem("body-too-large", limit=LARGEST),
    414: _problem("uri-too-long", limit=LONGEST_TARGET),
    431: _problem("header-fields-too-large"),
    501: _problem("unknown-transfer-coding"),
    503: replace(
        _problem("service-stopping"), headers={"Retry-After": str(RETRY_AFTER)}
    ),
}
"""Problems by the status of an error of the framework."""


def _http(error: HTTPException) -> Problem:
    """Make the problem of an error of the framework."""
    code = error.code or 0
    if code in _FROM_HTTP:
        return _FROM_HTTP[code]
    if isinstance(error, MethodNotAllowed):
        return _method_not_allowed(error)
    if 400 <= code < 500:  # noqa: PLR2004 - the range of a status
        return _problem("malformed-request", "malformed.http")
    return _INTERNAL


def _method_not_allowed(error: MethodNotAllowed) -> Problem:
    methods = ", ".join(sorted(error.valid_methods or ()))
    problem = _problem("method-not-allowed", methods=methods)
    return replace(problem, headers={"Allow": methods})


ROWS: Final[Mapping[type[Exception], Callable[[Any], Problem]]] = MappingProxyType(
    {
        api.MalformedRequestError: lambda error: _problem(
            "malformed-request", error.key, **error.data
        ),
        api.InvalidInputError: lambda error: _invalid(*error.values),
        api.IdempotencyKeyError: lambda error: _problem(
            "validation-error", "idempotency-key", least=error.least, most=error.most
        ),
        api.MediaTypeError: _unsupported_media_type,
        api.PreconditionFailedError: _version_mismatch,
        api.PreconditionRequiredError: _always("precondition-required"),
        api.UnauthorizedError: _unauthorized,
        api.KeyRequiredError: _always("key-required"),
        SeedHiddenError: _always("seed-hidden"),
        NotRankedError: _not_ranked,
        EventNotFoundError: _always("event-not-found"),
        EventNotOpenError: _always("event-not-open"),
        NoAttemptsLeftError: _always("no-attempts-left"),
        TooManyEventsError: _always("too-many-events"),
        PlayerNotFoundError: lambda error: _problem(
            "player-not-found", name=error.name
        ),
        DeliveryNotFoundError: _always("delivery-not-found"),
        TooManyWebhooksError: _always("too-many-webhooks"),
        WebhookEndedError: _always("webhook-ended"),
        WebhookNotFoundError: _always("webhook-not-found"),
        api.RateLimitedError: _rate_limited,
        HTTPException: _http,
        UnknownLanguageError: lambda _: _invalid_value(
            "/lang", "choice", choices=LANGUAGES
        ),
        engine.CardError: _input(""),
        engine.UnknownVariantError: lambda error: _problem(
            "variant-not-found", name=error.name
        ),
        engine.UnknownSourceError: lambda error: _invalid_value(
            "/source", "source", choices=list(SOURCES), name=error.name
        ),
        engine.SeedError: _input("/seed"),
        engine.DeckError: _input("/deck"),
        engine.GoalError: _input("/goal_card"),
        engine.IllegalMoveError: _illegal_move,
        engine.NoTargetError: _no_target,
        engine.AmbiguousMoveError: _ambiguous_move,
        engine.StockEmptyError: _stock_empty,
        engine.MoveCompulsoryError: _move_compulsory,
        engine.CardsHiddenError: _cards_hidden,
        engine.UndoNotAllowedError: _always("undo-not-allowed"),
        engine.NothingToUndoError: _nothing_to_undo,
        engine.NothingToRedoError: _nothing_to_redo,
        engine.GameOverError: _game_over,
        engine.RefusedAtError: _refused_at,
        ActionTextError: lambda error: _invalid_value(
            point("actions", error.index), error.key
        ),
        ChangeRefusedError: _change_refused,
        DailyCompulsoryError: lambda _: _invalid_value(
            "/options/compulsory", "compulsory-daily"
        ),
        PlayerNameError: lambda error: _invalid_value(
            "/player", error.key, **error.data
        ),
        DailyLayoutError: lambda error: _invalid_value(
            "/options/layout", "layout-daily", layout=error.layout
        ),
        GuessableSourceError: lambda error: _invalid_value(
            "/seed", "seed-needed", source=error.source
        ),
        GameNotOverError: _game_not_over,
        RecordTextError: lambda error: _invalid(api.InvalidValue("", error.detail)),
        NoSuchActionError: lambda error: _invalid_value(
            "/after", "integer-range", least=0, most=error.actions
        ),
        ReviewNotFoundError: _always("review-not-found"),
        NoGradesError: lambda error: _invalid_value(
            "/difficulty", "no-grades", variant=error.variant
        ),
        KeyReusedError: _always("idempotency-key-reused"),
        RequestInFlightError: _passing("idempotency-in-flight"),
        SolverBusyError: _passing("solver-busy"),
        GameBusyError: _passing("game-busy"),
        GameNotFoundError: _always("game-not-found"),
        NotYetError: lambda error: _problem(
            "not-yet", day=error.day, today=error.today
        ),
        StoreUnavailableError: _passing("store-unavailable"),
        NewerFormError: _passing("store-unavailable"),
        HintsNotAllowedError: _always("hints-not-allowed"),
        StoredFormError: lambda _: _INTERNAL,
        UnsoundLineError: lambda _: _INTERNAL,
    }
)
"""The problem of every class of exception; a class stands for its subclasses too."""
