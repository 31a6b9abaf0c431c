"""The worker process: handles one request at a time, and blocks on no client.

A request is handled once all of it has arrived; until then its connection waits with
the others. gunicorn's own workers either wait for one client after the other (sync), so
that a few slow clients stop the service, or balance load badly (gthread, gevent).
tests/process/test_gunicorn.py lists the internals of gunicorn that are relied on.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from time import sleep
from typing import TYPE_CHECKING, Any, Final

from gunicorn.workers import base
from gunicorn.workers.workertmp import WorkerTmp

from service.http.adapter import ARRIVED
from service.http.errors.problem_types import REQUEST_TIMEOUT_SECONDS
from service.metrics import BACKLOG
from service.server.connection import Connection
from service.server.handover import is_listening
from service.server.incoming import parser_config
from service.server.parse_errors import (
    RequestTimeoutError,
    ServiceStoppingError,
    parse_error_response,
)
from service.server.waiting import (
    CLOSING_SECONDS,
    MAX_WAITING_CONNECTIONS,
    RESPONSE_SECONDS,
    TICK,
    WaitingConnections,
    report_given_up,
)
from service.server.wsgi import AwaitedBody, EnvironMaker, respond
from service.unnamed_file import open_unnamed_file

if TYPE_CHECKING:
    from io import BytesIO
    from types import FrameType

    from gunicorn.config import Config
    from gunicorn.http.body import Body

    from service.server.incoming import Address, Head
    from service.server.waiting import Step

STOP_SIGNALS: Final = frozenset({signal.SIGTERM, signal.SIGQUIT, signal.SIGINT})
"""The signals that tell a worker to stop."""

_READING_SECONDS: Final = 0.1
"""Seconds for clients to read that the service stops."""
_END_OF_HEAD: Final = b"\r\n\r\n"
_TRANSIENT_ERRORS: Final = frozenset({errno.EAGAIN, errno.ECONNABORTED})
_TOO_MANY_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE})


class Heartbeat(WorkerTmp):
    """When a worker last notified its master: the timestamps of a file in memory.

    gunicorn's own class needs a folder that can be written to.
    """

    def __init__(self, _cfg: Config) -> None:
        self._tmp = os.fdopen(open_unnamed_file("heartbeat"), "w+b", 0)


vars(base)["WorkerTmp"] = Heartbeat  # gunicorn has no setting for it


class ClientTimeoutWorker(base.Worker):
    """A worker that handles one request at a time, and closes slow connections."""

    def __init__(self, *args: Any) -> None:  # noqa: ANN401 - gunicorn's
        super().__init__(*args)
        self._is_accepting = True
        self._awaits_handover = False
        self._is_handed_over = False
        self._awaits_body = False
        self._is_quitting = False
        self._in_application = False

    def init_signals(self) -> None:
        """Handle signals from now on, and those that arrived during the fork."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Stop at once: interrupt the application."""
        is_first, self._is_quitting = not self._is_quitting, True
        self.alive = False
        if is_first and self._in_application:
            raise ServiceStoppingError

    def run(self) -> None:
        """Handle requests until a signal to stop, and then those still waiting."""
        listener: Any = self.sockets[0]  # gunicorn's wrapper of a socket
        self._listener: socket.socket = listener.sock
        self._environs = EnvironMaker(self._listener.getsockname())
        self._application: Any = self.wsgi
        self._parser_config = parser_config(self.cfg)
        self._handover = self.app.handover  # type: ignore[attr-defined]
        if hasattr(socket, "TCP_INFO"):
            BACKLOG.look_up = listener.get_backlog
        self._selector = DefaultSelector()
        self._waiting = WaitingConnections(self._selector)
        self._selector.register(self._listener, EVENT_READ, self._accept)
        self._selector.register(self.PIPE[0], EVENT_READ, self._wake_up)
        self._selector.register(self._handover.join(), EVENT_READ, self._take_over)
        while self._should_continue():
            self._step()
        self._refuse_waiting()

    def _should_continue(self) -> bool:
        if self._is_quitting:
            return False
        self._check_for_stop()
        return self.alive or self._awaits_handover or bool(self._waiting)

    def _check_for_stop(self) -> None:
        if self.ppid != os.getppid():
            self.alive = False
        if self._is_accepting and not self.alive:
            self._stop_accepting()

    def _step(self) -> None:
        """Wait until a socket is ready or a client is too late, and act on it."""
        self.notify()
        self._check_for_stop()
        for key, _ in self._selector.select(TICK if self._waiting else self.timeout):
            key.data()
        for connection in self._waiting.late():
            self._give_up(connection)

    def _wake_up(self) -> None:
        """Read what gunicorn writes into the pipe for each signal."""
        os.read(self.PIPE[0], 64)

    def _accept(self) -> None:
        """Accept and handle queued connections while no earlier one is waiting."""
        while self.alive:
            try:
                client, address = self._listener.accept()
            except OSError as error:
                self._accept_later(error)
                return
            self._begin(client, address)
            if self._waiting:
                return
            self.notify()

    def _accept_later(self, error: OSError) -> None:
        if error.errno in _TOO_MANY_FILES and self._waiting:
            self._give_up(self._waiting.first())
        elif error.errno == errno.EINVAL:  # the master process has stopped listening
            self._stop_accepting()
        elif error.errno not in _TRANSIENT_ERRORS:
            raise error

    def _stop_accepting(self) -> None:
        """Accept no more connections, except those that the master hands over."""
        self._is_accepting = False
        stops = not is_listening(self._listener)  # else only this worker is replaced
        self._awaits_handover = stops and not self._is_handed_over
        self._selector.unregister(self._listener)
        for connection in self._waiting.waiting_for(self._receive):
            if not connection.request.has_begun:
                self._drop(connection)

    def _take_over(self) -> None:
        """Handle a connection that was queued when the service was told to stop."""
        with suppress(BlockingIOError):  # another worker has taken it
            client = self._handover.take()
            if client is None:
                self._awaits_handover, self._is_handed_over = False, True
                self._selector.unregister(self._handover.join())
            else:
                self._begin(client, client.getpeername())

    def _begin(self, client: socket.socket, address: Address) -> None:
        connection = Connection(client, address, self._parser_config)
        self._receive(connection)

    def _receive(self, connection: Connection) -> None:
        """Receive what has arrived of a request, and handle it once it is complete."""
        try:
            is_open = connection.receive()
        except OSError:
            self._drop(connection)
            return
        except Exception as error:  # noqa: BLE001 - usually one of the parser's
            self._respond(connection, parse_error_response(error, connection.arrived))
            return
        request = connection.request
        goes_on = request.is_ready or (
            request.expects_continue and not self._awaits_body
        )
        if goes_on and request.head is not None:
            self._answer(connection, request.head)
        elif not is_open:
            self._drop(connection)
        else:
            self._receive_later(connection)

    def _receive_later(self, connection: Connection) -> None:
        if connection.request.expects_continue:
            connection.send_continue()
        if self._waiting.step(connection) is None:
            self._wait(connection, EVENT_READ, self._receive, REQUEST_TIMEOUT_SECONDS)

    def _answer(self, connection: Connection, head: Head) -> None:
        """Call the application with a request, and send the response."""
        self._waiting.remove(connection)
        try:
            response = self._call_application(connection, head)
        except (Exception, ServiceStoppingError) as error:  # noqa: BLE001 - all are answered
            response = parse_error_response(error, connection.arrived)
        except SystemExit as error:  # gunicorn ends a worker that hangs
            self._respond(connection, parse_error_response(error, connection.arrived))
            raise
        self._respond(connection, response)

    def _call_application(self, connection: Connection, head: Head) -> bytes:
        environ = self._environs.make(head, connection.address)
        environ[ARRIVED] = connection.arrived
        environ["wsgi.input"] = (
            connection.request.body()
            if connection.request.is_ready
            else AwaitedBody(partial(self._await_body, connection))
        )
        self._in_application = True
        try:
            if self._is_quitting:
                raise ServiceStoppingError
            return respond(self._application, environ)
        finally:
            self._in_application = False

    def _await_body(self, connection: Connection) -> BytesIO | Body:
        """Tell a client to send the body, and handle other requests until it arrives.

        They are handled while the application waits inside this request. Only one
        request waits like this: meanwhile, other clients that expect `100 Continue` are
        told to send their bodies at once.
        """
        self._awaits_body, self._in_application = True, False
        connection.send_continue()
        self._wait(connection, EVENT_READ, self._receive_body, REQUEST_TIMEOUT_SECONDS)
        while not connection.request.is_ready and not self._is_quitting:
            self._step()
        self._waiting.remove(connection)
        self._awaits_body, self._in_application = False, True
        if self._is_quitting:
            raise ServiceStoppingError
        return connection.request.body()

    def _receive_body(self, connection: Connection) -> None:
        try:
            connection.receive()
        except OSError:
            connection.request.feed(b"")

    def _respond(self, connection: Connection, response: bytes) -> None:
        """Send as much of a response as the socket accepts, to `HEAD` only the head."""
        head = connection.request.head
        if head is not None and head.method == "HEAD":
            response = response[: response.index(_END_OF_HEAD) + len(_END_OF_HEAD)]
        connection.response = memoryview(response)
        self._send(connection)

    def _send(self, connection: Connection) -> None:
        try:
            is_sent = connection.send()
        except OSError:
            self._drop(connection)
            return
        if is_sent:
            self._end(connection)
        elif self._waiting.step(connection) != self._send:
            self._wait(connection, EVENT_WRITE, self._send, RESPONSE_SECONDS)

    def _end(self, connection: Connection) -> None:
        """Close a connection, at once or after the client has closed its end."""
        if connection.can_close() or len(self._waiting) > MAX_WAITING_CONNECTIONS:
            self._drop(connection)
            return
        connection.end()
        self._wait(connection, EVENT_READ, self._discard, CLOSING_SECONDS)

    def _discard(self, connection: Connection) -> None:
        """Discard what a client sends after its request."""
        if not connection.discard():
            self._drop(connection)

    def _wait(
        self, connection: Connection, events: int, step: Step, seconds: float
    ) -> None:
        """Wait for a client; if too many are waited for, give up the longest wait."""
        self._waiting.add(connection, events, step, seconds)
        if len(self._waiting) > MAX_WAITING_CONNECTIONS:
            self._give_up(self._waiting.first())

    def _drop(self, connection: Connection) -> None:
        self._waiting.remove(connection)
        connection.socket.close()

    def _give_up(self, connection: Connection) -> None:
        """Stop waiting for a client that is too slow."""
        step = self._waiting.step(connection)
        if step == self._discard:
            self._drop(connection)
        elif step == self._send:
            report_given_up("response")
            connection.abort()
            self._drop(connection)
        elif step is not None:
            report_given_up("request")
            self._refuse_late(connection)

    def _refuse_late(self, connection: Connection) -> None:
        """Refuse a request that did not arrive completely in time.

        A connection on which nothing has arrived is closed without a response.
        """
        if self._waiting.step(connection) == self._receive_body:
            self._waiting.remove(connection)
            connection.request.feed(b"")
        elif connection.request.has_begun:
            error = RequestTimeoutError()
            self._respond(connection, parse_error_response(error, connection.arrived))
        else:
            self._drop(connection)

    def _refuse_waiting(self) -> None:
        """Refuse the requests that have not arrived completely."""
        found = self._waiting.waiting_for(self._receive)
        connections = [each for each in found if each.request.has_begun]
        for connection in connections:
            error = ServiceStoppingError()
            self._respond(connection, parse_error_response(error, connection.arrived))
        if connections:
            sleep(_READING_SECONDS)
