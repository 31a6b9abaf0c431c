"""The hosts that may be called by webhooks."""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Address

_PRIVATE: Final = "private:"
_NAT64: Final = IPv6Network("64:ff9b::/96")
_LOW_BITS: Final = 0xFFFF_FFFF
_PORTS: Final = {"http": 80, "https": 443}


class Target(NamedTuple):
    """The parts of a webhook's URL.

    Attributes:
        scheme: ``http`` or ``https``.
        host: The host name or address, in lower case.
        path: The path with the query.
        authority: The value of the header field ``Host``.
    """

    scheme: str
    host: str
    port: int
    path: str
    authority: str


class WebhookHosts:
    """The hosts that may be called.

    Args:
        entries: Host names and addresses. ``*.`` before a name means all names below
            it, and ``*`` means all names. A host with the prefix ``private:`` may be
            called over ``http``, and at an address that is not public.
    """

    def __init__(self, entries: Sequence[str]) -> None:
        self._names = [each for each in entries if not each.startswith(_PRIVATE)]
        private = [each for each in entries if each.startswith(_PRIVATE)]
        self._private = {each.removeprefix(_PRIVATE) for each in private}

    def allows(self, target: Target) -> bool:
        """Whether the scheme and host of a URL may be called."""
        if target.host in self._private:
            return True
        return target.scheme == "https" and any(
            _names(entry, target.host) for entry in self._names
        )

    def allows_address(self, host: str, address: str) -> bool:
        """Whether a host may be called at an IP address."""
        return host in self._private or is_public(address)


def read_target(url: str) -> Target:
    """Parse the URL of a webhook.

    Raises:
        ValueError: It is not a URL, its scheme is not ``http`` or ``https``, it has
            user information or a fragment, or its port is 0.
    """
    parts = urlsplit(url)
    host, port = parts.hostname, parts.port
    is_plain = parts.scheme in _PORTS and "@" not in parts.netloc and "#" not in url
    if not is_plain or not host or port == 0:
        raise ValueError(url)
    query = f"?{parts.query}" if parts.query else ""
    return Target(
        parts.scheme,
        host.rstrip("."),
        port or _PORTS[parts.scheme],
        (parts.path or "/") + query,
        parts.netloc,
    )


def is_public(text: str) -> bool:
    """Whether an IP address, and any IPv4 address embedded in it, is public.

    Raises:
        ValueError: The text is not an IP address.
    """
    address = ip_address(text.partition("%")[0])
    if address.is_multicast or not address.is_global:
        return False
    inner = _embedded(address)
    return inner is None or is_public(str(inner))


def _embedded(address: IPv4Address | IPv6Address) -> object:
    """Return the IPv4 address embedded in an IPv6 address (NAT64, mapped, 6to4)."""
    if not isinstance(address, IPv6Address):
        return None
    if address in _NAT64:
        return ip_address(int(address) & _LOW_BITS)
    return address.ipv4_mapped or address.sixtofour


def _names(entry: str, host: str) -> bool:
    if entry == "*":
        return True
    return host.endswith(entry[1:]) if entry.startswith("*.") else host == entry
