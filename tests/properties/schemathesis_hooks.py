"""Hooks of schemathesis for this service."""

from __future__ import annotations

import json
import re
from collections import deque
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData

from service.texts import DEFAULT_LANGUAGE, LANGUAGES

if TYPE_CHECKING:
    from typing import TypeAlias

    from schemathesis import Case, HookContext, Response
    from schemathesis.core.failures import Failure

    AnyCase: TypeAlias = Case[Any]

_VERSION, _KEY = '"7"', "5f0e2c1a-7d34-4b39-9c55-0a6d6a1f8e21"
"""The examples of If-Match and Idempotency-Key in the API description."""
_IS_KEY = re.compile(r"[!-~]{1,255}")
_START = "POST /v1/games"
_GAME = "kSxTzaV4QfUqNOmB1hTj"
"""The id of the game in its examples."""
_GAMES: deque[str] = deque(maxlen=8)
"""The games that were started last."""

_DEPENDS_ON_EARLIER_REQUESTS = {"version-mismatch", "idempotency-key-reused"}
"""Problems that depend on earlier requests, like all with status 409."""

_NOT_IN_THE_SCHEMA = (
    re.compile(r"`/seed` must be an integer from 0 to \d+\."),
    re.compile(r"`/seed` must be a PySolFC game number: .*"),
    re.compile(r"`/(deck|row)/\d+` repeats the card \S+\."),
    re.compile(r"`/deck` must begin with \S+ and end with \S+ in this variant\."),
    re.compile(r"`/goal_card` is required.*"),
    re.compile(r"`/goal_card` is not allowed: .*"),
    re.compile(r"`/deck` must be a list of 1 to \d+ cards\."),
    re.compile(r"`/options/layout` must be `\w+`: daily games of this variant .*"),
    re.compile(r"`/options/compulsory` must not be `true` in a daily game\."),
    re.compile(r"`/options/compulsory` requires the layout `stock`\."),
    re.compile(r"`/actions/\d+` is `finish`, which must be the last action\."),
    re.compile(r"`/seed` is required: a random seed of .*"),
    re.compile(
        r"`/(player|around|name)` must be a string of 1 to 32 visible characters\."
    ),
    re.compile(r"`/(player|around|name)` must not contain `/` or .*"),
    re.compile(r"`/around` cannot be combined with `cursor`\."),
    re.compile(r"`/cursor` must be a cursor from a `Link` of this list\."),
    re.compile(r"`/closes_at` must be after `opens_at`, by 92 days at most\."),
    re.compile(r"`/(after|four_colours)` requires `format=svg`\."),
    re.compile(r"`/after` must be an integer from 0 to \d+\."),
    re.compile(r"`/difficulty` requires a variant whose deals have grades; .*"),
    re.compile(r"The record is wrong at column \d+\. .*"),
    re.compile(r"`/player_key` requires `player`\."),
    re.compile(r"`/(winnable|difficulty)` cannot be combined with .*"),
    re.compile(r"`/url` must be an `https?` .*"),
)
"""Refusals that JSON Schema cannot express: rules about several members, or a card that
is written in two ways."""

_NO_FLOAT = re.compile(r".*integer.*")
"""To JSON Schema, 3.0 is an integer like any other; here it is not."""


@schemathesis.hook
def before_call(context: HookContext, case: AnyCase, kwargs: dict[str, Any]) -> None:  # noqa: ARG001
    """Replace the ids and versions of examples, so that writes can succeed."""
    is_example = case.path_parameters.get("game_id") == _GAME
    if _GAMES and is_example and case.method != "DELETE":
        case.path_parameters["game_id"] = _GAMES[-1]
    query = case.query or {}
    if query.get("lang") in LANGUAGES:  # the details of refusals are read below
        query["lang"] = DEFAULT_LANGUAGE
    headers = case.headers
    if headers.get("If-Match") == _VERSION:
        headers["If-Match"] = "*"
    key = headers.get("Idempotency-Key", "")
    starts = case.operation.label == _START and _IS_KEY.fullmatch(key)
    if key == _KEY or starts:
        # The first response may be about a game that was deleted since.
        headers["Idempotency-Key"] = str(uuid4())


@schemathesis.hook
def after_call(context: HookContext, case: AnyCase, response: Response) -> None:  # noqa: ARG001
    """Remember the id of a created game."""
    if case.operation.label == _START and response.status_code == 201:
        _GAMES.append(response.json()["id"])


@schemathesis.hook
def filter_failure(
    context: HookContext,  # noqa: ARG001
    failure: Failure,
    case: AnyCase,
    response: Response,
) -> bool:
    """Keep a failure, unless valid input was refused for a known reason."""
    return not isinstance(failure, RejectedPositiveData) or not _has_known_reason(
        case.body, json.loads(response.content)
    )


def _has_known_reason(body: object, problem: dict[str, Any]) -> bool:
    if problem["type"].removeprefix("/problems/") in _DEPENDS_ON_EARLIER_REQUESTS:
        return True
    reasons = (
        (*_NOT_IN_THE_SCHEMA, _NO_FLOAT) if _has_float(body) else _NOT_IN_THE_SCHEMA
    )
    details = [fault["detail"] for fault in problem.get("errors", ())]
    return bool(details) and all(
        any(reason.fullmatch(detail) for reason in reasons) for detail in details
    )


def _has_float(value: object) -> bool:
    match value:
        case dict():
            return any(map(_has_float, value.values()))
        case list():
            return any(map(_has_float, value))
    return isinstance(value, float)
