"""Who may ask, and how often: API keys, their tenants, and rate limits.

All of it concerns the paths below /v1; the rest is open to everybody.
"""

from __future__ import annotations

from ipaddress import IPv4Address, ip_address, ip_network
from typing import TYPE_CHECKING, Final

from flask import g, request

from service.access.api_keys import Keys
from service.access.rate_limit import RateLimits
from service.http.errors.exceptions import RateLimitedError, UnauthorizedError

if TYPE_CHECKING:
    from flask import Flask, Response

    from service.access.api_keys import ApiKey
    from service.access.rate_limit import Standing
    from service.config import Settings

NOBODY: Final = ""
"""The tenant whose the games are where no keys are configured."""

_GUARDED: Final = "/v1"
_IPV6_SITE: Final = 64
"""The bits of an IPv6 address that one client cannot choose."""


def tenant() -> str:
    """Tell whose games this request is about."""
    name: str = g.get("tenant", NOBODY)
    return name


def guard(app: Flask, settings: Settings) -> None:
    """Have requests checked by what the settings demand; nothing is done for nothing.

    Raises:
        SettingsError: The file of keys, or the store to count in, cannot be used.
    """
    if settings.api_keys_file is None and settings.rate_limit is None:
        return
    guardian = _Guard(settings)
    app.before_request(guardian.admit)
    app.after_request(guardian.finish)


class _Guard:
    def __init__(self, settings: Settings) -> None:
        self._keys: Keys | None = None
        self._limits: RateLimits | None = None
        if settings.api_keys_file is not None:
            self._keys = Keys(settings.api_keys_file)
        if settings.rate_limit is not None:
            self._limits = RateLimits(settings.rate_limit, settings)
            self._policy = ", ".join(
                f'"{policy.name}";q={policy.quota};w={policy.window}'
                for policy in self._limits.policies
            )

    def admit(self) -> None:
        """Let a request through, or raise why not.

        Requests without a valid key count for their address, so that nobody can use
        up what belongs to a key without having it.
        """
        if request.method == "OPTIONS" or not is_guarded(request.path):
            return
        text = _bearer_token()
        key = None
        if self._keys is not None and text is not None:
            key = self._keys.find(text)
        if self._limits is not None:
            self._count(self._limits, key)
        if self._keys is not None:
            if key is None:
                raise UnauthorizedError(tried=text is not None)
            g.tenant = key.tenant

    def _count(self, limits: RateLimits, key: ApiKey | None) -> None:
        client = _address() if key is None else f"key:{key.name}"
        g.standings = standings = limits.count(client)
        if not standings[-1].met:
            raise RateLimitedError(standings[-1].reset)

    def finish(self, answer: Response) -> Response:
        """Tell the client how it stands, and keep others' caches from its answers."""
        standings: list[Standing] | None = g.get("standings")
        if standings is not None:
            answer.headers["RateLimit-Policy"] = self._policy
            answer.headers["RateLimit"] = ", ".join(
                f'"{one.name}";r={one.left};t={one.reset}' for one in standings
            )
        if self._keys is not None and is_guarded(request.path):
            caching = answer.headers.get("Cache-Control", "")
            answer.headers["Cache-Control"] = caching.replace("public", "private")
        return answer


def is_guarded(path: str) -> bool:
    """Tell whether a path is one that keys and rate limits concern."""
    return path == _GUARDED or path.startswith(f"{_GUARDED}/")


def _bearer_token() -> str | None:
    """Read the key of a request; None where it has none."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _address() -> str:
    """Name the client's address; one of IPv6 stands for its whole network."""
    try:
        address = ip_address(request.remote_addr or "")
    except ValueError:
        return "address:unknown"
    if isinstance(address, IPv4Address):
        return f"address:{address}"
    if address.ipv4_mapped is not None:
        return f"address:{address.ipv4_mapped}"
    site = ip_network((int(address), _IPV6_SITE), strict=False)
    return f"address:{site.network_address}"
