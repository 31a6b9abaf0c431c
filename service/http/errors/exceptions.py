"""Errors in a request that are found before the rules of the game apply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from service.texts import DEFAULT_LANGUAGE, Detail


class Violation(NamedTuple):
    """An invalid value in a body or a query.

    Attributes:
        pointer: The JSON pointer to it (RFC 6901); empty for the whole input.
        detail: The text about it.
    """

    pointer: str
    detail: Detail

    def text(self, language: str) -> str:
        """Return a sentence about it, in one of ``service.texts.LANGUAGES``."""
        return self.detail.text(language, self.pointer)


class RequestError(Exception):
    """The base of the errors in requests."""


class MalformedRequestError(RequestError):
    """A request that cannot be read.

    Attributes:
        key: The key of the text about the error.
        data: The values of the placeholders of that text.
    """

    def __init__(self, key: str, **data: object) -> None:
        super().__init__(f"{key} {data}" if data else key)
        self.key = key
        self.data = data


class InvalidInputError(RequestError):
    """A body or a query that can be read but is not valid.

    Attributes:
        values: The invalid values, at least one.
    """

    def __init__(self, *values: Violation) -> None:
        super().__init__(" ".join(value.text(DEFAULT_LANGUAGE) for value in values))
        self.values = values


@dataclass(eq=False)
class IdempotencyKeyError(RequestError):
    """A header field ``Idempotency-Key`` that is not valid.

    Attributes:
        least: The minimum length of a valid key, in characters.
        most: The maximum length.
    """

    least: int
    most: int


@dataclass(eq=False)
class MediaTypeError(RequestError):
    """A body of a media type that is not accepted, or a compressed body.

    Attributes:
        is_encoded: Whether it has a ``Content-Encoding``.
    """

    is_encoded: bool = False


@dataclass(eq=False)
class PreconditionFailedError(RequestError):
    """A write with an ``If-Match`` that does not match.

    Attributes:
        version: The current version of the game.
        etag: The current entity tag of the game.
        is_weak: Whether the field has a weak tag, which never matches.
    """

    version: int
    etag: str
    is_weak: bool


class PreconditionRequiredError(RequestError):
    """A write without ``If-Match``, which the service requires."""


@dataclass(eq=False)
class UnauthorizedError(RequestError):
    """A request without a valid API key, which the service requires.

    Attributes:
        tried: Whether it had a key, though not a valid one.
    """

    tried: bool


class KeyRequiredError(RequestError):
    """A request without an API key for an operation that always requires one."""


@dataclass(eq=False)
class RateLimitedError(RequestError):
    """A request over the rate limit.

    Attributes:
        reset: The seconds until the client may send more requests.
    """

    reset: int
