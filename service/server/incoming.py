"""A request that is received in parts and parsed by gunicorn.

In gunicorn's own workers the parser waits for the client; here it parses what has
arrived, and is run again when more has. tests/process/test_gunicorn.py lists the
internals of gunicorn that are relied on.
"""

from __future__ import annotations

import re
from io import BytesIO
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

from gunicorn.http.body import (  # type: ignore[attr-defined]  # the stubs lack one
    CHUNK_EXT_RE,
    LengthReader,
)
from gunicorn.http.errors import (
    LimitRequestHeaders,
    LimitRequestLine,
    UnsupportedTransferCoding,
)
from gunicorn.http.message import Request
from gunicorn.http.unreader import Unreader

from service.http.body import MAX_BODY_BYTES as MAX_BODY
from service.http.errors.problem_types import MAX_TARGET_LENGTH
from service.server.parse_errors import NoHostError

if TYPE_CHECKING:
    from typing import TypeAlias

    from gunicorn.config import Config
    from gunicorn.http.body import Body

    Address: TypeAlias = "str | tuple[str, int]"

_MAX_HEAD: Final = 64 * 1024
"""Bytes of the request line and all header fields at most."""
_MAX_CHUNKED: Final = 8 * MAX_BODY
"""Bytes of a chunked body, including its framing, that are received at most."""
_MAX_CHUNK_LINE: Final = 8190
_CHUNK_LINE: Final = re.compile(rb"([0-9A-Fa-f]+)" + CHUNK_EXT_RE.pattern)


def parser_config(config: Config) -> Config:
    """Copy gunicorn's settings to an object that its parser reads ten times as fast."""
    found = {name: setting.get() for name, setting in config.settings.items()}
    networks = config.forwarded_allow_networks
    copy: Any = SimpleNamespace(
        **found, is_ssl=False, forwarded_allow_networks=networks
    )
    return cast("Config", copy)


class IncompleteError(Exception):
    """The parser has read all that has arrived, and needs more."""


class ReceivedBytes(Unreader):
    """The bytes received so far, for gunicorn's parser to read.

    Attributes:
        is_final: Whether the input ends with these bytes.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.buf.write(data)
        self.is_final = False

    def chunk(self, size_hint: int | None = None) -> bytes:  # noqa: ARG002
        """Return no bytes, which means the end of the input.

        Raises:
            IncompleteError: More bytes are expected.
        """
        if self.is_final:
            return b""
        raise IncompleteError

    def append(self, data: bytes) -> None:
        """Add received bytes."""
        self.buf.seek(0, 2)
        self.buf.write(data)

    @property
    def data(self) -> bytes:
        """The bytes that the parser has not read yet."""
        return self.buf.getvalue()


class KnownEnd:
    """The end of a body whose length is given.

    Attributes:
        at: The offset of the end in bytes.
        is_decided: Whether no more is waited for: the whole body has arrived, or it is
            longer than the application reads.
    """

    def __init__(self, length: int) -> None:
        self.at = length
        self.is_decided = False

    def look_in(self, data: bytes) -> None:
        """Check whether what has been received of the body contains its end."""
        self.is_decided = len(data) >= self.at or self.at > MAX_BODY


class ChunkedEnd:
    """The end of a chunked body; gunicorn's parser checks the chunks themselves.

    Attributes:
        at: The offset of the end in bytes, once it has arrived; -1 before.
        is_decided: Whether no more is waited for: the whole body has arrived, it is
            longer than the application reads, or it is malformed.
    """

    def __init__(self) -> None:
        self.at = -1
        self.is_decided = False
        self._next = 0
        self._size = 0

    def look_in(self, data: bytes) -> None:
        """Look for the end, chunk by chunk, in what has been received of the body."""
        while not self.is_decided and (end := data.find(b"\r\n", self._next)) >= 0:
            line = _CHUNK_LINE.fullmatch(data, self._next, end)
            if line is None:
                self.is_decided = True
                return
            size = int(line[1], 16)
            if size == 0:
                self._look_for_trailer_end(data, end)
                return
            self._size += size
            self._next = end + 2 + size + 2
            missing = max(0, self._next - 2 - len(data))
            self.is_decided = self._size - missing > MAX_BODY
        is_endless = len(data) - self._next > _MAX_CHUNK_LINE
        is_endless = is_endless or len(data) > _MAX_CHUNKED
        self.is_decided = self.is_decided or is_endless

    def _look_for_trailer_end(self, data: bytes, start: int) -> None:
        end = data.find(b"\r\n\r\n", start)
        if end >= 0:
            self.at = end + 4
            self.is_decided = True


class Head(Request):
    """The request line and the header fields, parsed by gunicorn."""

    method: str
    uri: str
    path: str
    query: str
    version: tuple[int, int]
    body: Body
    _expected_100_continue: bool

    def take_expectation(self) -> bool:
        """Return whether the client waits for `100 Continue`; at most once true."""
        expects, self._expected_100_continue = self._expected_100_continue, False
        return expects

    def length(self) -> KnownEnd | ChunkedEnd:
        """Return an object that finds the end of the body."""
        reader = self.body.reader
        if isinstance(reader, LengthReader):
            return KnownEnd(reader.length)
        return ChunkedEnd()


class IncomingRequest:
    """A request, as much of it as has been received.

    Args:
        config: gunicorn's settings, as `parser_config` copies them.

    Attributes:
        head: The request line and the header fields; None until all have arrived.
        expects_continue: Whether the client waits for `100 Continue` to send the body.
        is_whole: Whether all of it has arrived, and nothing after it.
    """

    def __init__(self, config: Config, address: Address) -> None:
        self._config = config
        self._address = address
        self._unread = ReceivedBytes(b"")
        self._length: KnownEnd | ChunkedEnd = KnownEnd(0)
        self.head: Head | None = None
        self.expects_continue = False
        self.is_whole = False

    def feed(self, data: bytes) -> None:
        """Add received bytes; `b""` means that no more will arrive.

        Raises:
            ParseException: The bytes are not a request that HTTP and the service allow.
        """
        self._unread.append(data)
        self._unread.is_final = not data
        if self.head is None:
            self._parse()
        if self.head is not None:
            received = self._unread.data
            self._length.look_in(received)
            self.is_whole = self._length.at == len(received)

    @property
    def has_begun(self) -> bool:
        """Whether any part of it has arrived."""
        return self.head is not None or bool(self._unread.data)

    @property
    def is_ready(self) -> bool:
        """Whether the head is complete, and no more of the body is waited for."""
        if self.head is None:
            return False
        return self._length.is_decided or self._unread.is_final

    def body(self) -> BytesIO | Body:
        """Return as much of the body as has arrived, for the application to read."""
        self._unread.is_final = True
        if isinstance(self._length, ChunkedEnd) and self.head is not None:
            return self.head.body
        return BytesIO(self._unread.data[: self._length.at])

    def _parse(self) -> None:
        unread = ReceivedBytes(self._unread.data)
        try:
            head = Head(self._config, unread, self._address)
        except IncompleteError:
            _check_size(self._unread.data)
            return
        check_head(head)
        _check_size(self._unread.data[: -len(unread.data) or None])
        self.expects_continue = head.take_expectation()
        self._length = head.length()
        self.head, self._unread = head, unread


def _check_size(head: bytes) -> None:
    """Check that what has arrived of a head is not too long."""
    if len(head) > _MAX_HEAD:
        line, end, _ = head.lstrip(b"\r\n").partition(b"\r\n")
        if end and len(line) <= _MAX_HEAD:
            raise LimitRequestHeaders("too long")
        raise LimitRequestLine(len(line), MAX_TARGET_LENGTH)


def check_head(head: Head) -> None:
    """Check what gunicorn's parser accepts and the application does not see.

    Raises:
        ParseException: HTTP or the service does not allow it.
    """
    has_host = False
    for name, value in head.headers:
        if name == "HOST":
            has_host = True
        elif name == "TRANSFER-ENCODING" and value.lower() != "chunked":
            raise UnsupportedTransferCoding(value)
    if not has_host and head.version >= (1, 1):
        raise NoHostError
