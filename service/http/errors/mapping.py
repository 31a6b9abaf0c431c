"""The problems for exceptions: one row for each class that can be raised."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service.engine import errors as engine
from service.engine.deals import SOURCES
from service.games.certified_deals import NoGradesError
from service.games.codec import NewerFormError, StoredFormError
from service.games.create import (
    DailyCompulsoryError,
    DailyLayoutError,
    GuessableSourceError,
)
from service.games.leaderboards import NotRankedError
from service.games.player_names import PlayerNameError
from service.games.record_picture import NoSuchActionError
from service.games.record_text import RecordTextError
from service.games.records import ActionTextError
from service.games.review import GameNotOverError
from service.games.snapshot import ChangeRefusedError
from service.http.body import MAX_BODY_BYTES
from service.http.errors import exceptions as api
from service.http.errors.details import detail_of, illegal_move
from service.http.errors.json_pointer import point
from service.http.errors.problem import Problem
from service.http.errors.problem_types import (
    MAX_TARGET_LENGTH,
    PROBLEM_TYPES,
    REQUEST_TIMEOUT_SECONDS,
)
from service.http.schemas.response import moves_response
from service.solver import UnsoundLineError
from service.texts import LANGUAGES, Detail, UnknownLanguageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


RETRY_AFTER: Final = 1
"""The default ``Retry-After`` after a temporary failure, in seconds."""


def problem_for(error: Exception) -> Problem:
    """Make the problem for an exception; a class without a row is an internal error."""
    for kind in type(error).__mro__:
        if kind in ROWS:
            return ROWS[kind](error)
    return _INTERNAL


def _problem(
    slug: str,
    key: str = "",
    *,
    error: Exception | None = None,
    headers: Mapping[str, str] | None = None,
    **more: object,
) -> Problem:
    """Make a problem.

    Args:
        slug: The slug of its type.
        key: As in ``Problem``.
        error: An exception whose attributes are used like ``more``.
        headers: As in ``Problem``; by default ``Retry-After``, if the type has it.
        more: The values of the placeholders of the text, and of the members.
    """
    kind = PROBLEM_TYPES[slug]
    data = {**vars(error), **more} if error else more
    members = {name: data[name] for name in kind.members if name in data}
    if headers is None:
        headers = _RETRY if "Retry-After" in kind.headers else {}
    return Problem(kind, key, data, members, headers)


_RETRY: Final = {"Retry-After": str(RETRY_AFTER)}
_INTERNAL: Final = _problem("internal-error")


def _with(problem: Problem, **members: object) -> Problem:
    return replace(problem, members={**problem.members, **members})


def _invalid(*values: api.Violation) -> Problem:
    problem = _problem("validation-error", count=len(values))
    return replace(problem, invalid=values)


def _invalid_value(pointer: str, key: str, **data: object) -> Problem:
    return _invalid(api.Violation(pointer, Detail(key, data)))


def _make(slug: str) -> Callable[[Exception], Problem]:
    """Return a function that makes a problem from the attributes of an exception."""
    return lambda error: _problem(slug, error=error)


def _value(pointer: str, key: str, **more: object) -> Callable[[Exception], Problem]:
    """Return a function that makes the problem of an invalid value.

    The values of the text are the attributes of the exception, and ``more``.
    """
    return lambda error: _invalid_value(pointer, key, **vars(error), **more)


def _input(pointer: str) -> Callable[[engine.InputError], Problem]:
    """Return a function that makes the problem of a value that the engine refuses."""
    return lambda error: _invalid(api.Violation(pointer, detail_of(error)))


def _illegal_move(error: engine.IllegalMoveError | engine.NoTargetError) -> Problem:
    key, data = illegal_move(error)
    return _problem("illegal-move", key, reason=error.reason, **data)


def _stock_empty(error: engine.StockEmptyError) -> Problem:
    key = "stock-too-small" if error.stock else "stock-empty"
    return _problem("stock-empty", key, error=error, count=error.stock)


def _move_compulsory(error: engine.MoveCompulsoryError) -> Problem:
    key = "move-compulsory.batch" if error.interrupts else "move-compulsory"
    problem = _problem("move-compulsory", key)
    return _with(problem, legal_moves=moves_response(error.legal_moves))


def _nothing_to_undo(error: engine.NothingToUndoError) -> Problem:
    count = error.available
    key = "too-many-to-undo" if count else "nothing-to-undo"
    return _problem("nothing-to-undo", key, error=error, count=count)


def _nothing_to_redo(error: engine.NothingToRedoError) -> Problem:
    count = error.available
    key = "too-many-to-redo" if count else "nothing-to-redo"
    return _problem("nothing-to-redo", key, error=error, count=count)


def _game_over(error: engine.GameOverError) -> Problem:
    key = "game-over.won" if error.status == "won" else "game-over.ended"
    return _problem("game-over", key, game_status=error.status)


def _game_not_over(error: GameNotOverError) -> Problem:
    is_lost = error.status == "lost"
    key = "game-not-over.lost" if is_lost else "game-not-over.playing"
    return _problem("game-not-over", key)


def _cards_hidden(error: engine.CardsHiddenError) -> Problem:
    key = "cards-hidden.batch" if error.in_batch else "cards-hidden"
    return _problem("cards-hidden", key, error=error, count=error.stock)


def _version_mismatch(error: api.PreconditionFailedError) -> Problem:
    key = "version-mismatch.weak" if error.is_weak else "version-mismatch"
    headers = {"ETag": error.etag}
    return _problem("version-mismatch", key, error=error, headers=headers)


def _not_ranked(error: NotRankedError) -> Problem:
    key = "not-ranked" if error.name is None else "player-not-on-board"
    return _problem("not-ranked", key, error=error)


def _unsupported_media_type(error: api.MediaTypeError) -> Problem:
    if not error.is_encoded:
        return _problem("unsupported-media-type")
    return _problem(
        "unsupported-media-type",
        "unsupported-media-type.encoding",
        headers={"Accept-Encoding": "identity"},
    )


def _unauthorized(error: api.UnauthorizedError) -> Problem:
    key, challenge = "unauthorized.missing", 'Bearer realm="accordion"'
    if error.tried:
        key, challenge = "unauthorized.invalid", f'{challenge}, error="invalid_token"'
    return _problem("unauthorized", key, headers={"WWW-Authenticate": challenge})


def _rate_limited(error: api.RateLimitedError) -> Problem:
    headers = {"Retry-After": str(error.reset)}
    return _problem("rate-limited", headers=headers, count=error.reset)


_FROM_HTTP: Final[Mapping[int, Problem]] = {
    404: _problem("not-found"),
    408: _problem("request-timeout", count=REQUEST_TIMEOUT_SECONDS),
    413: _problem("body-too-large", limit=MAX_BODY_BYTES),
    414: _problem("uri-too-long", limit=MAX_TARGET_LENGTH),
    431: _problem("header-fields-too-large"),
    501: _problem("unknown-transfer-coding"),
    503: _problem("service-stopping"),
}
"""The problems for errors of the framework, by status."""


def _http(error: HTTPException) -> Problem:
    """Make the problem for an error of the framework."""
    code = error.code or 0
    if code in _FROM_HTTP:
        return _FROM_HTTP[code]
    if isinstance(error, MethodNotAllowed):
        methods = ", ".join(sorted(error.valid_methods or ()))
        headers = {"Allow": methods}
        return _problem("method-not-allowed", headers=headers, methods=methods)
    if 400 <= code < 500:  # noqa: PLR2004 - the range of a status
        return _problem("malformed-request", "malformed.http")
    return _INTERNAL


ROWS: Final[Mapping[type[Exception], Callable[[Any], Problem]]] = {
    **{one.error: _make(slug) for slug, one in PROBLEM_TYPES.items() if one.error},
    api.MalformedRequestError: lambda error: _problem(
        "malformed-request", error.key, **error.data
    ),
    api.InvalidInputError: lambda error: _invalid(*error.values),
    api.IdempotencyKeyError: lambda error: _problem(
        "validation-error", "idempotency-key", error=error
    ),
    api.MediaTypeError: _unsupported_media_type,
    api.PreconditionFailedError: _version_mismatch,
    api.UnauthorizedError: _unauthorized,
    api.RateLimitedError: _rate_limited,
    HTTPException: _http,
    engine.CardError: _input(""),
    engine.UnknownSourceError: _value("/source", "source", choices=list(SOURCES)),
    engine.SeedError: _input("/seed"),
    engine.DeckError: _input("/deck"),
    engine.GoalError: _input("/goal_card"),
    engine.IllegalMoveError: _illegal_move,
    engine.NoTargetError: _illegal_move,
    engine.AmbiguousMoveError: lambda error: _problem(
        "ambiguous-move", error=error, position=error.origin
    ),
    engine.StockEmptyError: _stock_empty,
    engine.MoveCompulsoryError: _move_compulsory,
    engine.CardsHiddenError: _cards_hidden,
    engine.NothingToUndoError: _nothing_to_undo,
    engine.NothingToRedoError: _nothing_to_redo,
    engine.GameOverError: _game_over,
    engine.RefusedAtError: lambda error: _with(
        problem_for(error.cause), index=error.index
    ),
    ActionTextError: lambda error: _invalid_value(
        point("actions", error.index), error.key
    ),
    ChangeRefusedError: lambda error: _with(
        problem_for(error.refusal), version=error.version
    ),
    DailyCompulsoryError: _value("/options/compulsory", "compulsory-daily"),
    DailyLayoutError: _value("/options/layout", "layout-daily"),
    GameNotOverError: _game_not_over,
    GuessableSourceError: _value("/seed", "seed-needed"),
    NewerFormError: lambda _: _problem("store-unavailable"),
    NoGradesError: _value("/difficulty", "no-grades"),
    NoSuchActionError: lambda error: _invalid_value(
        "/after", "integer-range", least=0, most=error.actions
    ),
    NotRankedError: _not_ranked,
    PlayerNameError: lambda error: _invalid_value("/player", error.key, **error.data),
    RecordTextError: lambda error: _invalid(api.Violation("", error.detail)),
    StoredFormError: lambda _: _INTERNAL,
    UnknownLanguageError: _value("/lang", "choice", choices=LANGUAGES),
    UnsoundLineError: lambda _: _INTERNAL,
}
"""What makes the problem for each class of exceptions and its subclasses."""
