"""What gunicorn itself answers: problem documents.

The application never sees a request that cannot be parsed.
"""

from __future__ import annotations

import logging
import signal
from contextlib import suppress
from http import HTTPStatus
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeAlias

from gunicorn.http.body import ChunkedReader, LengthReader
from gunicorn.http.errors import (
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
    UnsupportedTransferCoding,
)
from gunicorn.workers.sync import SyncWorker
from werkzeug import exceptions as http

from service.http.errors.exceptions import MalformedRequestError
from service.http.errors.mapping import problem_for
from service.http.middleware.access_log import (
    FIELD,
    NO_OPERATION,
    RequestInfo,
    choose_id,
    log_request,
)
from service.http.middleware.header_fields import DATA_FIELDS
from service.http.reply import problem_reply
from service.server.client_timeouts import PatientSocket

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping

    from gunicorn.http import Request

    from service.http.errors.problem import Problem

Address: TypeAlias = "str | int | tuple[str, int]"

STOPPING: Final = frozenset({signal.SIGTERM, signal.SIGQUIT, signal.SIGINT})
"""The signals that tell a worker to stop."""

_LOG: Final = logging.getLogger(__name__)
_PATIENCE_SECONDS: Final = 10
"""How long a worker waits for a client to send its request, or to take the answer."""
_NO_PATH: Final = ""
"""The path of a request whose path could not be read."""
_UNREAD: Final = RequestInfo(NO_OPERATION, "unknown", None)
"""What is told of a request that could not be parsed."""
_ERRORS: Final[Mapping[type[BaseException], Exception]] = {
    LimitRequestLine: http.RequestURITooLarge(),
    LimitRequestHeaders: http.RequestHeaderFieldsTooLarge(),
    UnsupportedTransferCoding: http.NotImplemented(),
    ParseException: MalformedRequestError("malformed.http"),
}


class PatientWorker(SyncWorker):
    """A worker that answers one request at a time, and has some patience."""

    def init_signals(self) -> None:
        """Take signals from now on, those included that came while it was forked."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)

    def handle(
        self, listener: socket.socket, client: socket.socket, addr: Address
    ) -> None:
        """Serve a client, and do not wait for it for ever."""
        self._begun = perf_counter()
        super().handle(listener, PatientSocket(client, _PATIENCE_SECONDS), addr)

    def handle_request(
        self,
        listener: socket.socket,
        req: Request,
        client: socket.socket,
        addr: tuple[str, int],
    ) -> bool:
        """Answer a request; if the whole of it has come, do not wait for the client.

        gunicorn would wait until the client has closed its side, which takes as long
        as the way to it and back.
        """
        done = super().handle_request(listener, req, client, addr)
        if isinstance(client, PatientSocket) and _has_come(req):
            client.hang_up()
        return done

    def handle_error(
        self,
        req: Request | None,
        client: socket.socket,
        addr: Address,  # noqa: ARG002 - addresses are not logged
        exc: BaseException,
    ) -> None:
        """Answer a request that cannot be parsed, or an error beside the application.

        Args:
            req: The request, once it is parsed.
            client: Who is to be answered.
            addr: The client's address.
            exc: What went wrong.
        """
        request_id = choose_id(None)
        if req is None and isinstance(exc, ParseException):
            kind = next(kind for kind in type(exc).__mro__ if kind in _ERRORS)
            fault = problem_for(_ERRORS[kind])
            _LOG.warning("%s: %s", fault.type.slug, type(exc).__name__)
            seconds = perf_counter() - self._begun
            log_request(_UNREAD, fault.status, seconds, request_id)
        else:
            fault = problem_for(http.InternalServerError())
            _LOG.error("beside the application", exc_info=exc)
        with suppress(OSError):
            client.sendall(_write(fault, request_id))


def _has_come(req: Request) -> bool:
    """Tell whether the client has sent the whole request, be it read or not."""
    reader = None if req.body is None else req.body.reader
    if isinstance(reader, LengthReader):
        return len(reader.unreader.take_buffered()) >= reader.length
    return isinstance(reader, ChunkedReader) and reader.parser is None


def _write(fault: Problem, request_id: str) -> bytes:
    """Write an answer as it goes over the wire."""
    answer = problem_reply(fault, _NO_PATH)
    status = answer.status
    fields = [
        *answer.fields.items(),
        ("Content-Length", str(len(answer.body))),
        *DATA_FIELDS.items(),
        (FIELD, request_id),
        ("Connection", "close"),
    ]
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        *(f"{name}: {value}" for name, value in fields),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + answer.body
