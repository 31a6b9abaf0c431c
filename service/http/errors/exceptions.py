"""What can be wrong with a request before any rule of the game is asked."""

from __future__ import annotations

from typing import NamedTuple


class InputFault(NamedTuple):
    """One thing that is wrong with a body or a query.

    Attributes:
        pointer: Where, as a JSON pointer (RFC 6901); empty for the whole.
        detail: What, as a sentence.
    """

    pointer: str
    detail: str


class RequestError(Exception):
    """The root of what is raised for a request that cannot be served."""


class MalformedRequestError(RequestError):
    """A request that cannot even be read.

    Attributes:
        why: What is wrong with it, as a sentence.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class InvalidInputError(RequestError):
    """A body or a query that can be read and does not fit.

    Attributes:
        faults: Everything that is wrong with it, at least one thing.
    """

    def __init__(self, *faults: InputFault) -> None:
        super().__init__("; ".join(f"{at or '/'}: {what}" for at, what in faults))
        self.faults = faults


class MediaTypeError(RequestError):
    """A body of another media type than JSON."""


class PreconditionFailedError(RequestError):
    """A write with an ``If-Match`` that does not hold.

    Attributes:
        version: The current version of the game.
        etag: Its current entity tag.
        is_weak: Whether the field has a weak tag, which never matches.
    """

    def __init__(self, version: int, etag: str, *, is_weak: bool) -> None:
        super().__init__(f"the game is at version {version}")
        self.version = version
        self.etag = etag
        self.is_weak = is_weak


class PreconditionRequiredError(RequestError):
    """A write without ``If-Match`` where the service demands it."""


class UnauthorizedError(RequestError):
    """A request without one of the keys that the service demands.

    Attributes:
        tried: Whether it had a key, though none that opens anything.
    """

    def __init__(self, *, tried: bool) -> None:
        super().__init__("no key" if not tried else "no such key")
        self.tried = tried


class KeyRequiredError(RequestError):
    """A request for what only a tenant with an API key can do."""


class RateLimitedError(RequestError):
    """One request more than a client may make.

    Attributes:
        reset: The seconds after which it may make more.
    """

    def __init__(self, reset: int) -> None:
        super().__init__(f"too many for {reset} seconds")
        self.reset = reset
