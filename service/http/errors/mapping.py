"""From exceptions to problems: one row for each class that can be raised."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service.engine import errors as engine
from service.engine.ruleset import Reason
from service.games.advice import SolverBusyError
from service.games.codec import NewerFormError, StoredFormError
from service.games.create import (
    DailyCompulsoryError,
    DailyLayoutError,
    GuessableSourceError,
)
from service.games.daily import NotYetError
from service.games.events import (
    EventNotFoundError,
    EventNotOpenError,
    TooManyEventsError,
)
from service.games.idempotency import KeyReusedError, RequestInFlightError
from service.games.leaderboards import NotRankedError
from service.games.player_names import PlayerNameError
from service.games.players import NoAttemptsLeftError, PlayerNotFoundError
from service.games.records import ActionTextError
from service.games.service import (
    ChangeRefusedError,
    GameBusyError,
    GameNotFoundError,
)
from service.games.session import HintsNotAllowedError
from service.http.body import LARGEST
from service.http.errors import exceptions as api
from service.http.errors.json_pointer import point
from service.http.errors.problem import Problem
from service.http.errors.problem_types import PROBLEM_TYPES
from service.http.schemas.responses.base import moves_response
from service.solver import UnsoundLineError
from service.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


RETRY_AFTER: Final = 1
"""Seconds after which a request that met a passing fault is worth another try."""


def problem_for(error: Exception) -> Problem:
    """Tell an exception as a problem; what has no row is an internal error."""
    for kind in type(error).__mro__:
        if kind in ROWS:
            return ROWS[kind](error)
    return _INTERNAL


def invalid(*faults: api.InputFault) -> Problem:
    """Tell what does not fit in a body or a query."""
    detail = f"{len(faults)} things do not fit."
    if len(faults) == 1:
        detail = f"One thing does not fit. {faults[0].detail}"
    return Problem(
        PROBLEM_TYPES["validation-error"],
        detail,
        {"errors": [{"pointer": at, "detail": what} for at, what in faults]},
    )


_INTERNAL: Final = Problem(
    PROBLEM_TYPES["internal-error"], PROBLEM_TYPES["internal-error"].example
)


def _told(slug: str) -> Callable[[Exception], Problem]:
    """Tell every error of a class in the words of its problem's example."""
    fault = Problem(PROBLEM_TYPES[slug], PROBLEM_TYPES[slug].example)
    return lambda _: fault


def _passing(slug: str) -> Callable[[Exception], Problem]:
    """Tell an error that another try may not meet."""
    problem = PROBLEM_TYPES[slug]
    fault = Problem(problem, problem.example, headers={"Retry-After": str(RETRY_AFTER)})
    return lambda _: fault


def _illegal_move(error: engine.IllegalMoveError) -> Problem:
    origin, target = error.move
    details = {
        Reason.NO_SUCH_PILE: "The row has no such pile.",
        Reason.DISTANCE: "No pile moves that far in this variant.",
        Reason.DIRECTION: "No pile moves that way in this variant.",
        Reason.NO_MATCH: f"The cards at {origin} and {target} do not go together.",
    }
    return _illegal(error.reason, details[error.reason])


def _no_target(error: engine.NoTargetError) -> Problem:
    if error.reason is Reason.NO_SUCH_PILE:
        return _illegal(error.reason, "The row has no such pile.")
    return _illegal(error.reason, f"The pile at {error.origin} has no legal move.")


def _illegal(reason: Reason, detail: str) -> Problem:
    return Problem(PROBLEM_TYPES["illegal-move"], detail, {"reason": reason})


def _ambiguous_move(error: engine.AmbiguousMoveError) -> Problem:
    targets = " or ".join(map(str, error.targets))
    return Problem(
        PROBLEM_TYPES["ambiguous-move"],
        f"The pile at {error.origin} could go to {targets}.",
        {"targets": error.targets},
    )


def _stock_empty(error: engine.StockEmptyError) -> Problem:
    detail = f"{_count(error.stock, 'card')} left to be dealt."
    return Problem(PROBLEM_TYPES["stock-empty"], detail, {"stock": error.stock})


def _move_compulsory(error: engine.MoveCompulsoryError) -> Problem:
    problem = PROBLEM_TYPES["move-compulsory"]
    moves = moves_response(error.legal_moves)
    return Problem(problem, problem.example, {"legal_moves": moves})


def _nothing_to_undo(error: engine.NothingToUndoError) -> Problem:
    detail = f"{_count(error.available, 'action')} left to be undone."
    return Problem(
        PROBLEM_TYPES["nothing-to-undo"], detail, {"available": error.available}
    )


def _nothing_to_redo(error: engine.NothingToRedoError) -> Problem:
    detail = f"{_count(error.available, 'action')} left to be redone."
    return Problem(
        PROBLEM_TYPES["nothing-to-redo"], detail, {"available": error.available}
    )


def _count(number: int, noun: str) -> str:
    if number == 1:
        return f"There is one {noun}"
    return f"There are {number or 'no'} {noun}s"


def _game_over(error: engine.GameOverError) -> Problem:
    detail = f"The game is {error.status}."
    return Problem(PROBLEM_TYPES["game-over"], detail, {"game_status": error.status})


def _refused_at(error: engine.RefusedAtError) -> Problem:
    return _with(problem_for(error.cause), index=error.index)


def _change_refused(error: ChangeRefusedError) -> Problem:
    return _with(problem_for(error.refusal), version=error.version)


def _with(problem: Problem, **members: int) -> Problem:
    return replace(problem, members={**problem.members, **members})


def _version_mismatch(error: api.PreconditionFailedError) -> Problem:
    detail = f"The game is at version {error.version}."
    if error.is_weak:
        detail += " If-Match has a weak tag, and a weak tag never matches."
    return Problem(
        PROBLEM_TYPES["version-mismatch"],
        detail,
        {"version": error.version},
        {"ETag": error.etag},
    )


def _cards_hidden(error: engine.CardsHiddenError) -> Problem:
    detail = f"{_count(error.stock, 'card')} still to be dealt."
    return Problem(PROBLEM_TYPES["cards-hidden"], detail, {"stock": error.stock})


def _not_yet(error: NotYetError) -> Problem:
    detail = f"{error.day} has not begun in UTC; it is {error.today}."
    return Problem(PROBLEM_TYPES["not-yet"], detail)


def _unknown_variant(error: engine.UnknownVariantError) -> Problem:
    detail = f'No variant is called "{error.name}".'
    return Problem(PROBLEM_TYPES["variant-not-found"], detail)


def _seed(error: engine.SeedError) -> Problem:
    detail = f"{error.source} does not know this seed: {error.why}."
    return invalid(api.InputFault("/seed", detail))


def _unknown_source(error: engine.UnknownSourceError) -> Problem:
    detail = f'No source of deals is called "{error.name}".'
    return invalid(api.InputFault("/source", detail))


def _guessable_source(error: GuessableSourceError) -> Problem:
    detail = (
        f"A random seed of {error.source} would not stay secret in the stock layout: "
        "there are too few of them. Give one."
    )
    return invalid(api.InputFault("/seed", detail))


def _daily_layout(error: DailyLayoutError) -> Problem:
    detail = f"Daily games of this variant have the {error.layout} layout."
    return invalid(api.InputFault("/options/layout", detail))


def _unauthorized(error: api.UnauthorizedError) -> Problem:
    problem, challenge = PROBLEM_TYPES["unauthorized"], 'Bearer realm="accordion"'
    if not error.tried:
        return Problem(
            problem, problem.example, headers={"WWW-Authenticate": challenge}
        )
    challenge += ', error="invalid_token"'
    detail = "This key opens nothing here."
    return Problem(problem, detail, headers={"WWW-Authenticate": challenge})


def _rate_limited(error: api.RateLimitedError) -> Problem:
    seconds = "one second" if error.reset == 1 else f"{error.reset} seconds"
    return Problem(
        PROBLEM_TYPES["rate-limited"],
        f"There are no requests left for {seconds}.",
        headers={"Retry-After": str(error.reset)},
    )


_IN_THEIR_WORDS: Final = {
    414: "uri-too-long",
    431: "header-fields-too-large",
    501: "unknown-transfer-coding",
}


def _http(error: HTTPException) -> Problem:
    """Tell an error of the framework's own."""
    match error.code:
        case 404:
            return Problem(PROBLEM_TYPES["not-found"], "There is nothing at this path.")
        case 405:
            return _method_not_allowed(error)
        case 413:
            detail = f"A body may have {LARGEST} bytes at most."
            return Problem(PROBLEM_TYPES["body-too-large"], detail)
        case int(code) if code in _IN_THEIR_WORDS:
            problem = PROBLEM_TYPES[_IN_THEIR_WORDS[code]]
            return Problem(problem, problem.example)
        case int(code) if 400 <= code < 500:  # noqa: PLR2004 - the range of a status
            detail = error.description or PROBLEM_TYPES["malformed-request"].example
            return Problem(PROBLEM_TYPES["malformed-request"], detail)
    return _INTERNAL


def _method_not_allowed(error: HTTPException) -> Problem:
    methods = error.valid_methods if isinstance(error, MethodNotAllowed) else None
    allowed = ", ".join(sorted(methods or ()))
    return Problem(
        PROBLEM_TYPES["method-not-allowed"],
        f"The methods of this resource are {allowed}.",
        headers={"Allow": allowed},
    )


ROWS: Final[Mapping[type[Exception], Callable[[Any], Problem]]] = MappingProxyType(
    {
        api.MalformedRequestError: lambda error: Problem(
            PROBLEM_TYPES["malformed-request"], error.why
        ),
        api.InvalidInputError: lambda error: invalid(*error.faults),
        api.MediaTypeError: _told("unsupported-media-type"),
        api.PreconditionFailedError: _version_mismatch,
        api.PreconditionRequiredError: _told("precondition-required"),
        api.UnauthorizedError: _unauthorized,
        api.KeyRequiredError: _told("key-required"),
        NotRankedError: _told("not-ranked"),
        EventNotFoundError: _told("event-not-found"),
        EventNotOpenError: _told("event-not-open"),
        NoAttemptsLeftError: _told("no-attempts-left"),
        TooManyEventsError: _told("too-many-events"),
        PlayerNotFoundError: _told("player-not-found"),
        api.RateLimitedError: _rate_limited,
        HTTPException: _http,
        engine.CardError: lambda _: invalid(api.InputFault("", "This is no card.")),
        engine.UnknownVariantError: _unknown_variant,
        engine.UnknownSourceError: _unknown_source,
        engine.SeedError: _seed,
        engine.DeckError: lambda error: invalid(api.InputFault("/deck", error.why)),
        engine.GoalError: lambda error: invalid(
            api.InputFault("/goal_card", error.why)
        ),
        engine.IllegalMoveError: _illegal_move,
        engine.NoTargetError: _no_target,
        engine.AmbiguousMoveError: _ambiguous_move,
        engine.StockEmptyError: _stock_empty,
        engine.MoveCompulsoryError: _move_compulsory,
        engine.CardsHiddenError: _cards_hidden,
        engine.UndoNotAllowedError: _told("undo-not-allowed"),
        engine.NothingToUndoError: _nothing_to_undo,
        engine.NothingToRedoError: _nothing_to_redo,
        engine.GameOverError: _game_over,
        engine.RefusedAtError: _refused_at,
        ActionTextError: lambda error: invalid(
            api.InputFault(point("actions", error.index), error.why)
        ),
        ChangeRefusedError: _change_refused,
        DailyCompulsoryError: lambda _: invalid(
            api.InputFault(
                "/options/compulsory", "Moves are not compulsory in daily games."
            )
        ),
        DailyLayoutError: _daily_layout,
        PlayerNameError: lambda error: invalid(api.InputFault("/player", str(error))),
        GuessableSourceError: _guessable_source,
        KeyReusedError: _told("idempotency-key-reused"),
        RequestInFlightError: _passing("idempotency-in-flight"),
        SolverBusyError: _passing("solver-busy"),
        GameBusyError: _passing("game-busy"),
        GameNotFoundError: _told("game-not-found"),
        NotYetError: _not_yet,
        StoreUnavailableError: _passing("store-unavailable"),
        NewerFormError: _passing("store-unavailable"),
        HintsNotAllowedError: _told("hints-not-allowed"),
        StoredFormError: lambda _: _INTERNAL,
        UnsoundLineError: lambda _: _INTERNAL,
    }
)
"""How every class of exception is told; a class stands for its subclasses too."""
