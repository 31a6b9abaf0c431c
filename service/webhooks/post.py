"""One attempt: a POST to a checked address, and the status of the response.

A host name is resolved once, and the connection is made to one of the addresses that
were checked, so that a name server cannot redirect it after the check.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import TypeAlias

    from service.games.webhook_hosts import Target, WebhookHosts

    Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]

SECONDS: Final = 10
"""The time-out of a whole attempt."""
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})\b")
_FIRST_FINAL: Final = 200
_BLANK: Final = frozenset({b"", b"\n", b"\r\n"})


class AttemptError(Exception):
    """An attempt without an HTTP response.

    Attributes:
        outcome: A code for the reason, such as ``timeout``.
    """

    def __init__(self, outcome: str) -> None:
        super().__init__(outcome)
        self.outcome = outcome


async def resolve(host: str, port: int) -> list[str]:
    """Return the numeric addresses of a host."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(each[4][0]) for each in found]


@dataclass(frozen=True, slots=True)
class WebhookClient:
    """Makes attempts.

    Attributes:
        hosts: The hosts and addresses that may be called.
        find: Returns the numeric addresses of a host, given its name and port.
    """

    hosts: WebhookHosts
    find: Resolve = resolve

    async def post(self, target: Target, fields: Mapping[str, str], body: bytes) -> int:
        """Make an attempt and return the status of the response.

        Raises:
            AttemptError: There was no HTTP response.
        """
        try:
            async with asyncio.timeout(SECONDS):
                addresses = await self._allowed(target)
                reader, writer = await _connect(target, addresses)
                try:
                    writer.write(_head(target, fields, len(body)) + body)
                    return await _read_status(reader)
                finally:
                    writer.transport.abort()
        except TimeoutError:
            raise AttemptError("timeout") from None
        except OSError:
            raise AttemptError("connection-failed") from None
        except ValueError:
            raise AttemptError("no-http") from None

    async def _allowed(self, target: Target) -> list[str]:
        if not self.hosts.allows(target):
            raise AttemptError("host-not-allowed")
        try:
            addresses = await self.find(target.host, target.port)
        except (socket.gaierror, UnicodeError):
            raise AttemptError("host-not-found") from None
        allows = partial(self.hosts.allows_address, target.host)
        allowed = list(filter(allows, addresses))
        if not allowed:
            raise AttemptError("address-not-allowed")
        return allowed


async def _connect(
    target: Target, addresses: Sequence[str]
) -> tuple[StreamReader, StreamWriter]:
    """Connect to the first address that accepts a connection."""
    is_secure = target.scheme == "https"
    connect = partial(
        asyncio.open_connection,
        port=target.port,
        ssl=tls_context() if is_secure else None,
        server_hostname=target.host if is_secure else None,
    )
    *others, last = addresses
    for address in others:
        with suppress(OSError):
            return await connect(address)
    return await connect(last)


@cache
def tls_context() -> ssl.SSLContext:
    """Return a TLS context that verifies certificates by the system's authorities."""
    return ssl.create_default_context()


def _head(target: Target, fields: Mapping[str, str], length: int) -> bytes:
    lines = [
        f"POST {target.path} HTTP/1.1",
        f"Host: {target.authority}",
        "User-Agent: accordion",
        "Content-Type: application/json",
        f"Content-Length: {length}",
        "Connection: close",
        *(f"{name}: {value}" for name, value in fields.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("ascii")


async def _read_status(reader: StreamReader) -> int:
    """Read the status of the final response; interim (1xx) responses are skipped."""
    while True:
        found = _STATUS.match(await reader.readline())
        if found is None:
            raise AttemptError("no-http")
        status = int(found[1])
        if status >= _FIRST_FINAL:
            return status
        while await reader.readline() not in _BLANK:
            pass
