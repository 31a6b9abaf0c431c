"""The table of problems: every exception class has a row, and every row is tested."""

from __future__ import annotations

import json
import pkgutil
from datetime import date
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from redis.exceptions import RedisError
from werkzeug import exceptions as http

import service
from service.engine import errors as engine
from service.engine.cards import parse_cards
from service.engine.position import Move, Position
from service.engine.ruleset import IllegalMoveReason, Layout
from service.engine.variants import VARIANTS
from service.games.advice import SolverBusyError
from service.games.certified_deals import NoGradesError
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
from service.games.record_picture import NoSuchActionError
from service.games.record_text import RecordTextError
from service.games.records import ActionTextError, SeedHiddenError
from service.games.review import GameNotOverError, ReviewNotFoundError
from service.games.session import HintsNotAllowedError
from service.games.snapshot import (
    ChangeRefusedError,
    GameBusyError,
    GameNotFoundError,
    VersionMismatchError,
)
from service.games.webhooks import (
    DeliveryNotFoundError,
    TooManyWebhooksError,
    WebhookEndedError,
    WebhookNotFoundError,
)
from service.http.cursor import CursorError
from service.http.errors import exceptions as api
from service.http.errors.mapping import ROWS, problem_for
from service.http.errors.problem_types import PROBLEM_TYPES
from service.http.reply import problem_reply
from service.solver import UnsoundLineError
from service.store.protocol import StoreUnavailableError
from service.store.runner import KeysMovingError
from service.texts import (
    LANGUAGES,
    Detail,
    UnknownLanguageError,
    problem_explanation,
    problem_title,
)
from tests.http.client import document, validate

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.http.client import Api

_AT_START = {
    "service.config.SettingsError",
    "service.access.api_keys.KeyFileError",
    "service.server.ServeError",
    "service.store.data_folder.EmbeddedStoreError",
    "service.solver.kernels.rules.RulesetBoundError",
}
"""Errors that prevent a start, so that no response can be about them."""
_NOT_IN_OPERATIONS = {
    "service.cli.Failure",
    "service.cli.review.Refutation",
    "service.server.incoming.IncompleteError",
    "service.server.parse_errors.NoHostError",
    "service.server.parse_errors.RequestTimeoutError",
    "service.webhooks.post.AttemptError",
}
"""Errors that only the server or the command line raises."""
_ROOTS = {
    engine.EngineError,
    engine.InputError,
    engine.RefusedError,
    api.RequestError,
}
"""Base classes, which are never raised themselves."""
_CONVERTED = {VersionMismatchError, CursorError, KeysMovingError}
"""Errors that are converted to another class, or mapped by their base class."""

_MOVE = Move(4, 3)
_CARDS = parse_cards(["4S", "7H", "QC", "4D", "KD"])
_ROW = Position(VARIANTS["accordion"], _CARDS, b"\x01" * len(_CARDS))
_INVALID = api.Violation("/x", Detail("integer"))
_REFUSALS: list[tuple[engine.RefusedError, str]] = [
    *(
        (engine.IllegalMoveError(_ROW, _MOVE, reason), "illegal-move")
        for reason in IllegalMoveReason
    ),
    (engine.NoTargetError(_ROW, 4, IllegalMoveReason.NO_MATCH), "illegal-move"),
    (engine.NoTargetError(_ROW, 99, IllegalMoveReason.NO_SUCH_PILE), "illegal-move"),
    (engine.AmbiguousMoveError(7, (4, 6)), "ambiguous-move"),
    (engine.StockEmptyError(0), "stock-empty"),
    (engine.StockEmptyError(1), "stock-empty"),
    (engine.MoveCompulsoryError((_MOVE,)), "move-compulsory"),
    (engine.MoveCompulsoryError((_MOVE,), interrupts=True), "move-compulsory"),
    (engine.UndoNotAllowedError(), "undo-not-allowed"),
    (engine.NothingToUndoError(2), "nothing-to-undo"),
    (engine.NothingToRedoError(0), "nothing-to-redo"),
    (engine.GameOverError("won"), "game-over"),
    (engine.CardsHiddenError(12), "cards-hidden"),
    (HintsNotAllowedError(), "hints-not-allowed"),
    (GameNotOverError("playing"), "game-not-over"),
    (GameNotOverError("lost"), "game-not-over"),
    (engine.CardsHiddenError(12, in_batch=True), "cards-hidden"),
    (engine.RefusedAtError(3, engine.StockEmptyError(0)), "stock-empty"),
]
_ERRORS: list[tuple[Exception, str]] = [
    *((ChangeRefusedError(7, refusal), slug) for refusal, slug in _REFUSALS),
    (api.MalformedRequestError("malformed.body-encoding"), "malformed-request"),
    (api.InvalidInputError(_INVALID), "validation-error"),
    (api.InvalidInputError(_INVALID, _INVALID), "validation-error"),
    (api.IdempotencyKeyError(1, 255), "validation-error"),
    (api.MediaTypeError(), "unsupported-media-type"),
    (api.MediaTypeError(is_encoded=True), "unsupported-media-type"),
    (UnknownLanguageError("xx"), "validation-error"),
    (api.PreconditionRequiredError(), "precondition-required"),
    (api.UnauthorizedError(tried=False), "unauthorized"),
    (api.UnauthorizedError(tried=True), "unauthorized"),
    (api.RateLimitedError(1), "rate-limited"),
    (engine.CardError("XX"), "validation-error"),
    (engine.UnknownVariantError("chess"), "variant-not-found"),
    (engine.UnknownSourceError("dice"), "validation-error"),
    (engine.SeedError("integer-range", least=0, most=9), "validation-error"),
    (engine.DeckError("card-repeated", card=3), "validation-error"),
    (engine.GoalError("goal-not-used"), "validation-error"),
    (ActionTextError(3, "action"), "validation-error"),
    (RecordTextError(7, Detail("record-no-seed")), "validation-error"),
    (NoSuchActionError(49), "validation-error"),
    (SeedHiddenError(), "seed-hidden"),
    (NoGradesError("accordion-bidirectional"), "validation-error"),
    (DailyLayoutError(Layout.OPEN), "validation-error"),
    (GuessableSourceError("solvitaire"), "validation-error"),
    (KeyReusedError(), "idempotency-key-reused"),
    (RequestInFlightError(), "idempotency-in-flight"),
    (GameBusyError(), "game-busy"),
    (GameNotFoundError(), "game-not-found"),
    (ReviewNotFoundError(), "review-not-found"),
    (NotYetError(date(2031, 1, 1), date(2030, 12, 31)), "not-yet"),
    (StoreUnavailableError("away"), "store-unavailable"),
    (SolverBusyError(), "solver-busy"),
    (StoredFormError(), "internal-error"),
    (UnsoundLineError(), "internal-error"),
    (api.PreconditionFailedError(7, '"7.9"', is_weak=False), "version-mismatch"),
    (api.PreconditionFailedError(7, '"7.9"', is_weak=True), "version-mismatch"),
    (NewerFormError(), "store-unavailable"),
    (api.KeyRequiredError(), "key-required"),
    (NotRankedError(), "not-ranked"),
    (NotRankedError("Ada"), "not-ranked"),
    (EventNotFoundError(), "event-not-found"),
    (EventNotOpenError(), "event-not-open"),
    (TooManyEventsError(), "too-many-events"),
    (NoAttemptsLeftError(), "no-attempts-left"),
    (PlayerNotFoundError("Ada"), "player-not-found"),
    (WebhookNotFoundError(), "webhook-not-found"),
    (DeliveryNotFoundError(), "delivery-not-found"),
    (WebhookEndedError(), "webhook-ended"),
    (TooManyWebhooksError(), "too-many-webhooks"),
    (PlayerNameError("player-name"), "validation-error"),
    (DailyCompulsoryError(), "validation-error"),
    (http.NotFound(), "not-found"),
    (http.MethodNotAllowed(["GET"]), "method-not-allowed"),
    (http.RequestEntityTooLarge(), "body-too-large"),
    (http.RequestURITooLarge(), "uri-too-long"),
    (http.RequestHeaderFieldsTooLarge(), "header-fields-too-large"),
    (http.NotImplemented(), "unknown-transfer-coding"),
    (http.UnsupportedMediaType(), "malformed-request"),
    (http.BadRequest(), "malformed-request"),
    (http.SecurityError(), "malformed-request"),
    (http.InternalServerError(), "internal-error"),
    (http.ServiceUnavailable(), "service-stopping"),
    (http.RequestTimeout(), "request-timeout"),
    (ZeroDivisionError(), "internal-error"),
]


def _classes() -> set[type[Exception]]:
    """Every exception class of the project."""
    for module in pkgutil.walk_packages(service.__path__, "service."):
        import_module(module.name)
    found: set[type[Exception]] = set()
    left: list[type[Exception]] = [Exception]
    while left:
        below = left.pop().__subclasses__()
        left += below
        found |= {kind for kind in below if kind.__module__.startswith("service.")}
    return found


def test_every_class_has_a_row() -> None:
    raised = {
        kind
        for kind in _classes() - _ROOTS - _CONVERTED
        if not kind.__name__.startswith("_")
        and not issubclass(kind, RedisError)  # the store converts these
        and f"{kind.__module__}.{kind.__name__}" not in _AT_START | _NOT_IN_OPERATIONS
    }
    assert raised == set(ROWS) - {http.HTTPException}


def test_every_row_is_tested_here() -> None:
    tried = {
        type(error) for error, _ in _ERRORS if not isinstance(error, http.HTTPException)
    }
    tried |= {type(refusal) for refusal, _ in _REFUSALS}
    assert tried - {ZeroDivisionError} == set(ROWS) - {http.HTTPException}
    assert {slug for _, slug in _ERRORS} == set(PROBLEM_TYPES)


@pytest.mark.parametrize(
    ("error", "slug"), _ERRORS, ids=[f"{e!r}"[:60] for e, _ in _ERRORS]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_class_has_a_problem_in_every_language(
    error: Exception, slug: str, language: str
) -> None:
    problem = problem_for(error)
    assert problem.type.slug == slug
    answer = problem_reply(problem, "/v1/games/a b", language)
    assert answer.status == PROBLEM_TYPES[slug].status
    assert answer.fields["Content-Type"] == "application/problem+json"
    assert answer.fields["Content-Language"] == language
    assert answer.fields["Vary"] == "Accept-Language"
    shown = json.loads(answer.body)
    assert shown["title"] == problem_title(slug, language)
    validate(("components", "schemas", _schema(slug)), shown)
    assert shown["detail"].endswith(".")
    assert shown["instance"] == "/v1/games/a%20b"
    assert set(PROBLEM_TYPES[slug].headers) <= set(answer.fields.keys())
    extra = set(shown) - {"type", "title", "status", "detail", "instance"}
    assert extra <= set(PROBLEM_TYPES[slug].members)


def test_a_problem_names_the_index_in_a_batch_and_the_version() -> None:
    error = engine.RefusedAtError(
        3, engine.IllegalMoveError(_ROW, _MOVE, IllegalMoveReason.NO_MATCH)
    )
    members = problem_for(ChangeRefusedError(7, error)).members
    assert members == {"reason": "no-match", "index": 3, "version": 7}


def _schema(slug: str) -> str:
    return "".join(word.capitalize() for word in slug.split("-")) + "Problem"


@pytest.mark.parametrize("slug", PROBLEM_TYPES)
def test_every_problem_is_explained(api: Api, slug: str) -> None:
    shown = api.get(f"/problems/{slug}")
    assert shown.headers["Vary"] == "Accept-Language, Accept"
    assert shown.json["type"] == f"/problems/{slug}"
    assert shown.json["status"] == PROBLEM_TYPES[slug].status
    assert shown.json["title"] == problem_title(slug, "en")
    assert shown.json["explanation"] == problem_explanation(slug, "en")
    assert shown.json in api.get("/problems").json["problems"]
    page = api.get(f"/problems/{slug}", {"Accept": "text/html,*/*;q=0.8"})
    assert page.media_type == "text/html"
    assert problem_title(slug, "en").encode() in page.raw
    french = api.get(f"/problems/{slug}", {"Accept-Language": "fr"})
    assert french.json["title"] == problem_title(slug, "fr")
    assert french.json["explanation"] == problem_explanation(slug, "fr")
    assert french.headers["Content-Language"] == "fr"
    every = api.get("/problems", {"Accept": "text/html"})
    assert f'href="/problems/{slug}"'.encode() in every.raw


@pytest.mark.parametrize("slug", PROBLEM_TYPES)
def test_every_problem_is_documented(slug: str) -> None:
    example = document()["components"]["examples"][slug]["value"]
    validate(("components", "schemas", _schema(slug)), example)
    answers = [
        answer
        for methods in document()["paths"].values()
        for operation in methods.values()
        for answer in operation["responses"].values()
    ]
    documented = {
        name
        for answer in answers
        for content in answer.get("content", {}).values()
        for name in content.get("examples", {})
    }
    assert slug in documented | {"method-not-allowed"}


def test_an_internal_error_reveals_nothing(
    make_api: Callable[..., Api], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.http.routes.rules.row_response", _fail)
    reply = make_api().post("/v1/legal-moves", {"row": ["4S"]})
    assert (reply.status, reply.slug) == (500, "internal-error")
    assert b"secret" not in reply.raw


def _fail(_position: object) -> None:
    raise RuntimeError("a secret")


def test_an_unreachable_store(unreachable_store_api: Api) -> None:
    for reply in (
        unreachable_store_api.get("/v1/games/x"),
        unreachable_store_api.post("/v1/games"),
        unreachable_store_api.post("/v1/games/x/undo"),
        unreachable_store_api.delete("/v1/games/x"),
        unreachable_store_api.get("/readyz"),
    ):
        assert (reply.status, reply.slug) == (503, "store-unavailable")
        assert reply.headers["Retry-After"] == "1"
    assert unreachable_store_api.get("/livez").status == 200
    assert unreachable_store_api.get("/v1/deals?seed=1").status == 200
    assert unreachable_store_api.post("/v1/legal-moves", {"row": ["4S"]}).status == 200
