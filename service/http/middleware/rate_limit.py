"""Rate limits for each API key, and for each address of clients without a key."""

from __future__ import annotations

from functools import lru_cache, partial
from ipaddress import IPv4Address, ip_address, ip_network
from typing import TYPE_CHECKING, Final

from service.http.errors.exceptions import RateLimitedError
from service.http.middleware import error_reply
from service.http.middleware.authentication import (
    BY_ID,
    access_of,
    is_protected_request,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from service.access.rate_limit import RateLimits
    from service.http.middleware import Handler, Middleware
    from service.http.reply import Reply
    from service.http.request import Request
    from service.store.limit_counter import LimitResult

_IPV6_NETWORK: Final = 64
"""The leading bits of an IPv6 address, which a client cannot choose."""


def rate_limit(
    limits: RateLimits, concerns: Callable[[Request], bool], kind: str = ""
) -> Middleware:
    """Refuse requests over the limits, and add the ``RateLimit`` fields to replies.

    Args:
        limits: The limits.
        concerns: Returns whether the limits apply to a request.
        kind: A prefix that keeps these counts apart from those of other limits.
    """
    policy = ", ".join(
        f'"{one.name}";q={one.quota};w={one.window}' for one in limits.policies
    )

    def wrap(handler: Handler) -> Handler:
        def handle(request: Request) -> Reply:
            if not (is_protected_request(request) and concerns(request)):
                return handler(request)
            client = kind + _client(request)
            if _uses_store_first(request):
                counts, found = limits.count_along(
                    client, partial(handler, request), _refuse
                )
            else:
                counts = limits.count(client)
                found = handler(request) if counts[-1].admitted else None
            if found is None or not counts[-1].admitted:
                reply = error_reply(_refuse(counts[-1]), request)
            else:
                reply = found
            reply.fields["RateLimit-Policy"] = policy
            reply.fields["RateLimit"] = _describe(counts)
            return reply

        return handle

    return wrap


def _uses_store_first(request: Request) -> bool:
    """Return whether a request does no costly work before its first use of the store.

    A request with ``Expect`` does not qualify, since its body has to be waited for.
    """
    is_of_game = access_of(request) in BY_ID
    return is_of_game and request.fields.get("Expect") is None


def _refuse(count: LimitResult) -> RateLimitedError:
    return RateLimitedError(count.reset)


def _describe(counts: Sequence[LimitResult]) -> str:
    return ", ".join(f'"{one.name}";r={one.left};t={one.reset}' for one in counts)


def _client(request: Request) -> str:
    """Return the name to count a request under: its key, or else its address."""
    if request.key_name is not None:
        return f"key:{request.key_name}"
    return f"address:{_network(request.address)}"


@lru_cache(maxsize=4096)
def _network(text: str) -> str:
    """Return an IPv4 address, the network of an IPv6 address, or ``unknown``."""
    try:
        address = ip_address(text)
    except ValueError:
        return "unknown"
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    network = ip_network((int(address), _IPV6_NETWORK), strict=False)
    return str(network.network_address)
