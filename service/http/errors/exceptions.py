"""What can be wrong with a request before any rule of the game is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from service.texts import DEFAULT_LANGUAGE, Detail


class Violation(NamedTuple):
    """A value of a body or a query that is not valid.

    Attributes:
        pointer: Where it is, as a JSON pointer (RFC 6901); empty for the whole.
        detail: What is wrong with it.
    """

    pointer: str
    detail: Detail

    def text(self, language: str) -> str:
        """Say what is wrong with it, as a sentence."""
        return self.detail.text(language, self.pointer)


class RequestError(Exception):
    """The root of what is raised for a request that cannot be served."""


class MalformedRequestError(RequestError):
    """A request that cannot even be read.

    Attributes:
        key: What is wrong with it: the key of a text.
        data: The values of the placeholders of that text.
    """

    def __init__(self, key: str, **data: object) -> None:
        super().__init__(f"{key} {data}" if data else key)
        self.key = key
        self.data = data


class InvalidInputError(RequestError):
    """A body or a query that can be read and does not fit.

    Attributes:
        values: What is not valid, at least one value.
    """

    def __init__(self, *values: Violation) -> None:
        super().__init__(" ".join(value.text(DEFAULT_LANGUAGE) for value in values))
        self.values = values


@dataclass(eq=False)
class IdempotencyKeyError(RequestError):
    """A header field ``Idempotency-Key`` that is not valid.

    Attributes:
        least: The characters in the shortest valid key.
        most: Those in the longest.
    """

    least: int
    most: int


@dataclass(eq=False)
class MediaTypeError(RequestError):
    """A body of another media type than JSON, or a compressed one.

    Attributes:
        is_encoded: Whether it has a ``Content-Encoding``.
    """

    is_encoded: bool = False


@dataclass(eq=False)
class PreconditionFailedError(RequestError):
    """A write with an ``If-Match`` that does not hold.

    Attributes:
        version: The current version of the game.
        etag: Its current entity tag.
        is_weak: Whether the field has a weak tag, which never matches.
    """

    version: int
    etag: str
    is_weak: bool


class PreconditionRequiredError(RequestError):
    """A write without ``If-Match`` where the service demands it."""


@dataclass(eq=False)
class UnauthorizedError(RequestError):
    """A request without one of the keys that the service demands.

    Attributes:
        tried: Whether it had a key, though none that opens anything.
    """

    tried: bool


class KeyRequiredError(RequestError):
    """A request for what only a tenant with an API key can do."""


@dataclass(eq=False)
class RateLimitedError(RequestError):
    """One request more than a client may make.

    Attributes:
        reset: The seconds after which it may make more.
    """

    reset: int
