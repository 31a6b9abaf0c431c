"""The lane: moves, looks and hints in their plain form, without Flask's machinery.

They are nearly all that the service is asked, and the machinery costs more than they
do. The lane answers them as their routes would, by the same use cases, conditions and
views, and answers only what succeeds: what has another form, asks for more or is
refused goes on to Flask, for which nothing has happened yet.
"""

from __future__ import annotations

import re
from io import BytesIO
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

import orjson

from service.engine.position import Move
from service.games.advice import Advice, has_plan
from service.games.service import (
    ChangeRefusedError,
    GameNotFoundError,
    VersionMismatchError,
)
from service.http.conditions import expected_version, is_known, wants_minimal
from service.http.errors.exceptions import (
    MalformedRequestError,
    PreconditionRequiredError,
)
from service.http.middleware.access_log import BEGUN, FIELD, Seen, choose_id, tell
from service.http.middleware.authentication import NOBODY
from service.http.reply import JSON, PRIVATE, etag_of
from service.http.schemas.advice_requests import DEFAULT_BUDGET
from service.http.schemas.advice_views import hint_view
from service.http.schemas.views import game_view
from service.http.texts import choose_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from service.games.advice import Advisor
    from service.games.service import Change, Games, GameSnapshot
    from service.http.schemas.views import View

FAILED: Final = "accordion.failed"
"""Where in the environment Flask finds the error it has to answer for the lane."""

_PATH: Final = re.compile(r"/v1/(games|watch)/([A-Za-z0-9_-]{1,64})(?:/(moves|hint))?")
_BEYOND: Final = (
    "HTTP_CONTENT_ENCODING",
    "HTTP_IDEMPOTENCY_KEY",
    "HTTP_TRANSFER_ENCODING",
)
"""The header fields that ask for more than the lane does."""
_LABEL: Final = "[A-Za-z0-9-]{1,63}"
_HOST: Final = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*)?(?::[0-9]{{1,5}})?")
"""The hosts that are asked for as a rule; the others are for Flask to judge."""
_NOTHING_DONE: Final = (
    ChangeRefusedError,
    GameNotFoundError,
    PreconditionRequiredError,
    VersionMismatchError,
)
"""What is raised before anything is written, and can be found out again."""

_LENGTH: Final = re.compile(r"[0-9]{1,4}")
"""The lengths of bodies that are looked at; a batch of 200 moves takes 5 KB."""
_NUMBER: Final = rb"(?:0|[1-9][0-9]?)"
_MOVE: Final = rb'\{"from": ?%b, ?"to": ?%b\}' % (_NUMBER, _NUMBER)
_ENDS: Final = re.compile(
    rb'\{"from": ?(%b), ?"to": ?(%b)\}' % (_NUMBER, _NUMBER),
)
_BATCH: Final = re.compile(rb'\{"moves": ?\[%b(?:, ?%b){0,199}\]\}' % (_MOVE, _MOVE))


class Reply(NamedTuple):
    """An answer of the lane.

    Attributes:
        status: Its status.
        line: The status with its reason.
        fields: Its header fields, without those that all answers have.
        body: Its body.
    """

    status: int
    line: str
    fields: Sequence[tuple[str, str]]
    body: bytes = b""


class Lane:
    """The lane in front of an application.

    Args:
        app: What answers all other requests.
        games: The games.
        advisor: What gives hints.
        clock: The time in milliseconds since 1970, UTC.
        fields: The header fields that all answers have.
        require_if_match: Whether a write must say which version it is for.
        heeds_origin: Whether the answer depends on the page that asks.
    """

    def __init__(  # noqa: PLR0913 - what the routes get in several places
        self,
        app: WSGIApplication,
        games: Games,
        advisor: Advisor,
        clock: Callable[[], int],
        fields: Sequence[tuple[str, str]],
        *,
        require_if_match: bool,
        heeds_origin: bool,
    ) -> None:
        self._app = app
        self._games = games
        self._advisor = advisor
        self._clock = clock
        self._fields = fields
        self._require_if_match = require_if_match
        self._beyond = (*_BEYOND, "HTTP_ORIGIN") if heeds_origin else _BEYOND

    def __call__(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Answer a request, or have it answered."""
        begun = environ.get(BEGUN) or perf_counter()
        path = _PATH.fullmatch(environ["PATH_INFO"])
        if path is None or environ["QUERY_STRING"] or self._asks_for_more(environ):
            return self._app(environ, start_response)
        place, game_id, what = path.groups()
        served = _SERVED.get((environ["REQUEST_METHOD"], place, what))
        if served is None:
            return self._app(environ, start_response)
        seen, serve = served
        try:
            reply = serve(self, game_id, environ)
        except _NOTHING_DONE:
            reply = None
        except Exception as error:  # noqa: BLE001 - it is raised again behind Flask
            environ[FAILED] = error
            reply = None
        if reply is None:
            environ[BEGUN] = begun
            return self._app(environ, start_response)
        request_id = choose_id(environ.get("HTTP_X_REQUEST_ID"))
        start_response(reply.line, [*reply.fields, *self._fields, (FIELD, request_id)])
        tell(seen, reply.status, perf_counter() - begun, request_id)
        return (reply.body,)

    def _asks_for_more(self, environ: WSGIEnvironment) -> bool:
        if not _HOST.fullmatch(environ.get("HTTP_HOST", "")):
            return True
        return any(name in environ for name in self._beyond)

    def look(self, game_id: str, environ: WSGIEnvironment) -> Reply:
        """Look at a game of one's own."""
        return self._show(self._games.get(NOBODY, game_id), environ)

    def watch(self, watch_id: str, environ: WSGIEnvironment) -> Reply:
        """Look at another's game."""
        return self._show(self._games.watch(NOBODY, watch_id), environ)

    def _show(self, kept: GameSnapshot, environ: WSGIEnvironment) -> Reply:
        if is_known(environ.get("HTTP_IF_NONE_MATCH"), kept.version):
            fields = (("ETag", etag_of(kept.version)), ("Cache-Control", PRIVATE))
            return Reply(304, "304 NOT MODIFIED", fields)
        return self._game(kept)

    def move(self, game_id: str, environ: WSGIEnvironment) -> Reply | None:
        """Make a move or a batch of them; None where the body is another."""
        body = _read_body(environ)
        action = None if body is None else read_action(body)
        if action is None:
            return None
        kept = self._games.change(
            NOBODY, game_id, action, self._expected(game_id, environ)
        )
        if wants_minimal(environ.get("HTTP_PREFER")):
            tag = ("ETag", etag_of(kept.version))
            fields = (tag, ("Preference-Applied", "return=minimal"))
            return Reply(204, "204 NO CONTENT", fields)
        return self._game(kept)

    def hint(self, game_id: str, environ: WSGIEnvironment) -> Reply | None:
        """Give a hint within the usual time; None where the body asks for another."""
        if _has_body(environ) and _read_body(environ) != b"{}":
            return None
        advice = Advice(self._advisor.hint, self._advisor.budget(DEFAULT_BUDGET))
        expected = self._expected(game_id, environ)
        kept = self._games.change(NOBODY, game_id, advice, expected, is_cheap=has_plan)
        advice.count()
        language = choose_language(environ.get("HTTP_ACCEPT_LANGUAGE"))
        return _data(
            hint_view(kept.version, advice.given, language),
            kept.version,
            ("Content-Language", language),
            ("Vary", "Accept-Language"),
        )

    def _expected(self, game_id: str, environ: WSGIEnvironment) -> int | None:
        return expected_version(
            environ.get("HTTP_IF_MATCH"),
            lambda: self._games.get(NOBODY, game_id).version,
            required=self._require_if_match,
        )

    def _game(self, kept: GameSnapshot) -> Reply:
        return _data(game_view(kept, self._clock()), kept.version)


_SERVED: Final = {
    ("GET", "games", None): (Seen("getGame", "GET", "/v1/games/<game_id>"), Lane.look),
    ("GET", "watch", None): (
        Seen("watchGame", "GET", "/v1/watch/<watch_id>"),
        Lane.watch,
    ),
    ("POST", "games", "moves"): (
        Seen("makeMove", "POST", "/v1/games/<game_id>/moves"),
        Lane.move,
    ),
    ("POST", "games", "hint"): (
        Seen("giveHint", "POST", "/v1/games/<game_id>/hint"),
        Lane.hint,
    ),
}
"""What the lane answers, by the method and the parts of the path."""


def read_action(body: bytes) -> Change | None:
    """Read a move or a batch of moves, written as most programs write JSON.

    Returns:
        What the move's route would make of it; None where it is another body.
    """
    move = _ENDS.fullmatch(body)
    if move is not None:
        one = Move(int(move[1]), int(move[2]))
        return lambda session, now: session.move(one, now)
    if _BATCH.fullmatch(body) is None:
        return None
    steps = [Move(int(origin), int(target)) for origin, target in _ENDS.findall(body)]
    return lambda session, now: session.run(steps, now)


def _data(view: View, version: int, *more: tuple[str, str]) -> Reply:
    body = orjson.dumps(view)
    fields = (
        ("Content-Type", JSON),
        ("Content-Length", str(len(body))),
        ("ETag", etag_of(version)),
        ("Cache-Control", PRIVATE),
        *more,
    )
    return Reply(200, "200 OK", fields, body)


def _has_body(environ: WSGIEnvironment) -> bool:
    return environ.get("CONTENT_LENGTH", "") not in {"", "0"}


def _read_body(environ: WSGIEnvironment) -> bytes | None:
    """Read a body in JSON that is not too long, and leave it to be read again."""
    length = environ.get("CONTENT_LENGTH", "")
    if environ.get("CONTENT_TYPE") != JSON or not _LENGTH.fullmatch(length):
        return None
    try:
        body: bytes = environ["wsgi.input"].read(int(length))
    except OSError as error:
        raise MalformedRequestError("The body could not be read.") from error
    environ["wsgi.input"] = BytesIO(body)
    return body if len(body) == int(length) else None
