"""From exceptions to problems: one row for each class that can be raised."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service.engine import errors as engine
from service.engine.ruleset import Reason
from service.games.advice import SolverBusyError
from service.games.codec import StoredFormError
from service.games.create import DailyLayoutError, GuessableSourceError
from service.games.daily import NotYetError
from service.games.idempotency import KeyReusedError, RequestInFlightError
from service.games.records import ActionTextError
from service.games.service import (
    ChangeRefusedError,
    GameBusyError,
    GameNotFoundError,
    VersionMismatchError,
)
from service.http.body import LARGEST
from service.http.errors import exceptions as api
from service.http.errors.json_pointer import point
from service.http.errors.problems import PROBLEMS
from service.http.schemas.views import moves_view
from service.solver import UnsoundLineError
from service.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.http.errors.problem import Problem

RETRY_AFTER: Final = 1
"""Seconds after which a request that met a passing fault is worth another try."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem that has happened.

    Attributes:
        problem: Its kind.
        detail: What happened this time, as a sentence.
        members: Its further members.
        headers: The header fields that go with it.
    """

    problem: Problem
    detail: str
    members: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


def fault_of(error: Exception) -> Fault:
    """Tell an exception as a problem; what has no row is an internal error."""
    for kind in type(error).__mro__:
        if kind in ROWS:
            return ROWS[kind](error)
    return _INTERNAL


def invalid(*faults: api.InputFault) -> Fault:
    """Tell what does not fit in a body or a query."""
    detail = f"{len(faults)} things do not fit."
    if len(faults) == 1:
        detail = f"One thing does not fit. {faults[0].detail}"
    return Fault(
        PROBLEMS["validation-error"],
        detail,
        {"errors": [{"pointer": at, "detail": what} for at, what in faults]},
    )


_INTERNAL: Final = Fault(PROBLEMS["internal-error"], PROBLEMS["internal-error"].example)


def _told(slug: str) -> Callable[[Exception], Fault]:
    """Tell every error of a class in the words of its problem's example."""
    fault = Fault(PROBLEMS[slug], PROBLEMS[slug].example)
    return lambda _: fault


def _passing(slug: str) -> Callable[[Exception], Fault]:
    """Tell an error that another try may not meet."""
    problem = PROBLEMS[slug]
    fault = Fault(problem, problem.example, headers={"Retry-After": str(RETRY_AFTER)})
    return lambda _: fault


def _illegal_move(error: engine.IllegalMoveError) -> Fault:
    origin, target = error.move
    details = {
        Reason.NO_SUCH_PILE: "The row has no such pile.",
        Reason.DISTANCE: "No pile moves that far in this variant.",
        Reason.DIRECTION: "No pile moves that way in this variant.",
        Reason.NO_MATCH: f"The cards at {origin} and {target} do not go together.",
    }
    return _illegal(error.reason, details[error.reason])


def _no_target(error: engine.NoTargetError) -> Fault:
    if error.reason is Reason.NO_SUCH_PILE:
        return _illegal(error.reason, "The row has no such pile.")
    return _illegal(error.reason, f"The pile at {error.origin} has no legal move.")


def _illegal(reason: Reason, detail: str) -> Fault:
    return Fault(PROBLEMS["illegal-move"], detail, {"reason": reason})


def _ambiguous_move(error: engine.AmbiguousMoveError) -> Fault:
    targets = " or ".join(map(str, error.targets))
    return Fault(
        PROBLEMS["ambiguous-move"],
        f"The pile at {error.origin} could go to {targets}.",
        {"targets": error.targets},
    )


def _stock_empty(error: engine.StockEmptyError) -> Fault:
    detail = f"{_count(error.stock, 'card')} left to be dealt."
    return Fault(PROBLEMS["stock-empty"], detail, {"stock": error.stock})


def _move_compulsory(error: engine.MoveCompulsoryError) -> Fault:
    problem = PROBLEMS["move-compulsory"]
    moves = moves_view(error.legal_moves)
    return Fault(problem, problem.example, {"legal_moves": moves})


def _nothing_to_undo(error: engine.NothingToUndoError) -> Fault:
    detail = f"{_count(error.available, 'action')} left to be undone."
    return Fault(PROBLEMS["nothing-to-undo"], detail, {"available": error.available})


def _nothing_to_redo(error: engine.NothingToRedoError) -> Fault:
    detail = f"{_count(error.available, 'action')} left to be redone."
    return Fault(PROBLEMS["nothing-to-redo"], detail, {"available": error.available})


def _count(number: int, noun: str) -> str:
    if number == 1:
        return f"There is one {noun}"
    return f"There are {number or 'no'} {noun}s"


def _game_over(error: engine.GameOverError) -> Fault:
    detail = f"The game is {error.status}."
    return Fault(PROBLEMS["game-over"], detail, {"game_status": error.status})


def _refused_at(error: engine.RefusedAtError) -> Fault:
    return _with(fault_of(error.cause), index=error.index)


def _change_refused(error: ChangeRefusedError) -> Fault:
    return _with(fault_of(error.refusal), version=error.version)


def _with(fault: Fault, **members: int) -> Fault:
    return Fault(
        fault.problem, fault.detail, {**fault.members, **members}, fault.headers
    )


def _version_mismatch(error: VersionMismatchError) -> Fault:
    detail = f"The game is at version {error.version}."
    return Fault(PROBLEMS["version-mismatch"], detail, {"version": error.version})


def _cards_hidden(error: engine.CardsHiddenError) -> Fault:
    detail = f"{_count(error.stock, 'card')} still to be dealt."
    return Fault(PROBLEMS["cards-hidden"], detail, {"stock": error.stock})


def _not_yet(error: NotYetError) -> Fault:
    detail = f"{error.day} has not begun in UTC; it is {error.today}."
    return Fault(PROBLEMS["not-yet"], detail)


def _unknown_variant(error: engine.UnknownVariantError) -> Fault:
    detail = f'No variant is called "{error.name}".'
    return Fault(PROBLEMS["variant-not-found"], detail)


def _seed(error: engine.SeedError) -> Fault:
    detail = f"{error.source} does not know this seed: {error.why}."
    return invalid(api.InputFault("/seed", detail))


def _unknown_source(error: engine.UnknownSourceError) -> Fault:
    detail = f'No source of deals is called "{error.name}".'
    return invalid(api.InputFault("/source", detail))


def _guessable_source(error: GuessableSourceError) -> Fault:
    detail = (
        f"A random seed of {error.source} would not stay secret in the stock layout: "
        "there are too few of them. Give one."
    )
    return invalid(api.InputFault("/seed", detail))


def _daily_layout(error: DailyLayoutError) -> Fault:
    detail = f"Daily games of this variant have the {error.layout} layout."
    return invalid(api.InputFault("/options/layout", detail))


def _unauthorized(error: api.UnauthorizedError) -> Fault:
    problem, challenge = PROBLEMS["unauthorized"], 'Bearer realm="accordion"'
    if not error.tried:
        return Fault(problem, problem.example, headers={"WWW-Authenticate": challenge})
    challenge += ', error="invalid_token"'
    detail = "This key opens nothing here."
    return Fault(problem, detail, headers={"WWW-Authenticate": challenge})


def _rate_limited(error: api.RateLimitedError) -> Fault:
    seconds = "one second" if error.reset == 1 else f"{error.reset} seconds"
    return Fault(
        PROBLEMS["rate-limited"],
        f"There are no requests left for {seconds}.",
        headers={"Retry-After": str(error.reset)},
    )


_IN_THEIR_WORDS: Final = {
    414: "uri-too-long",
    431: "header-fields-too-large",
    501: "unknown-transfer-coding",
}


def _http(error: HTTPException) -> Fault:
    """Tell an error of the framework's own."""
    match error.code:
        case 404:
            return Fault(PROBLEMS["not-found"], "There is nothing at this path.")
        case 405:
            return _method_not_allowed(error)
        case 413:
            detail = f"A body may have {LARGEST} bytes at most."
            return Fault(PROBLEMS["body-too-large"], detail)
        case int(code) if code in _IN_THEIR_WORDS:
            problem = PROBLEMS[_IN_THEIR_WORDS[code]]
            return Fault(problem, problem.example)
        case int(code) if 400 <= code < 500:  # noqa: PLR2004 - the range of a status
            detail = error.description or PROBLEMS["malformed-request"].example
            return Fault(PROBLEMS["malformed-request"], detail)
    return _INTERNAL


def _method_not_allowed(error: HTTPException) -> Fault:
    methods = error.valid_methods if isinstance(error, MethodNotAllowed) else None
    allowed = ", ".join(sorted(methods or ()))
    return Fault(
        PROBLEMS["method-not-allowed"],
        f"The methods of this resource are {allowed}.",
        headers={"Allow": allowed},
    )


ROWS: Final[Mapping[type[Exception], Callable[[Any], Fault]]] = MappingProxyType(
    {
        api.MalformedRequestError: lambda error: Fault(
            PROBLEMS["malformed-request"], error.why
        ),
        api.InvalidInputError: lambda error: invalid(*error.faults),
        api.MediaTypeError: _told("unsupported-media-type"),
        api.PreconditionRequiredError: _told("precondition-required"),
        api.UnauthorizedError: _unauthorized,
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
        DailyLayoutError: _daily_layout,
        GuessableSourceError: _guessable_source,
        KeyReusedError: _told("idempotency-key-reused"),
        RequestInFlightError: _passing("idempotency-in-flight"),
        SolverBusyError: _passing("solver-busy"),
        GameBusyError: _passing("game-busy"),
        GameNotFoundError: _told("game-not-found"),
        NotYetError: _not_yet,
        StoreUnavailableError: _passing("store-unavailable"),
        StoredFormError: lambda _: _INTERNAL,
        UnsoundLineError: lambda _: _INTERNAL,
        VersionMismatchError: _version_mismatch,
    }
)
"""How every class of exception is told; a class stands for its subclasses too."""
