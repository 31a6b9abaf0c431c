"""A request, as the middleware and the operations receive it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from service.http.errors.exceptions import KeyRequiredError, RequestError
from service.http.query import read_query
from service.texts import UnknownLanguageError, negotiate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.http.operation import Operation, Route

NO_TENANT: Final = ""
"""The tenant of all games if no API keys are configured."""


class HeaderFields(Protocol):
    """The header fields of a request."""

    def get(self, name: str, /) -> str | None:
        """Return the value of a field such as ``If-Match``, or None."""


@dataclass(slots=True, eq=False, kw_only=True)
class Request:
    """A request.

    Attributes:
        method: The HTTP method; HEAD is handled as GET.
        path: The decoded path, including the prefix.
        prefix: The prefix under which the service is mounted; usually empty.
        query_string: The part after ``?``, still percent-encoded.
        read_body: Reads the body; raises the errors of ``body.read_body``.
        has_body: Whether the header fields declare a body.
        address: The IP address of the client.
        id: The id in logs and in ``X-Request-ID``.
        arrived: The arrival time in seconds, by ``time.perf_counter``.
        route: The route of the path and the method; None if there is none.
        values: The parameters of the path, by name.
        failure: The error if the request cannot be read or has no route, else None.
        tenant: The tenant whose data it concerns; set by authentication.
        key_name: The name of its API key, if it has one; set by authentication.
        has_key: Whether it has a valid API key; set by authentication.
    """

    method: str
    path: str
    prefix: str = ""
    query_string: str = ""
    fields: HeaderFields = field(default_factory=dict[str, str])
    read_body: Callable[..., bytes] = bytes
    has_body: bool = False
    address: str = ""
    id: str = ""
    arrived: float = 0.0
    route: Route | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    failure: Exception | None = None
    tenant: str = NO_TENANT
    key_name: str | None = None
    has_key: bool = False
    _body: bytes | None = None
    _language: str | None = None

    @property
    def body(self) -> bytes:
        """The body; raises the errors of ``body.read_body``."""
        if self._body is None:
            self._body = self.read_body()
        return self._body

    def require_key(self) -> None:
        """Refuse the request if it has no API key.

        Raises:
            KeyRequiredError: It has none.
        """
        if not self.has_key:
            raise KeyRequiredError

    def load_body(self) -> Any:  # noqa: ANN401 - what the operation's schema makes
        """Read the body and load it with the schema of the operation.

        Raises:
            InvalidInputError: It does not fit the schema.
            MalformedRequestError: It cannot be read, is not JSON or is missing.
            MediaTypeError: As in ``body.read_body``.
            RequestEntityTooLarge: It is too large.
        """
        return self._declared.load_body(self.body, self.fields)

    def load_query(self) -> Any:  # noqa: ANN401 - what the operation's schema makes
        """Load the query with the schema of the operation.

        Raises:
            InvalidInputError: It does not fit the schema.
            MalformedRequestError: It is not UTF-8.
        """
        return self._declared.load_query(self.query_string)

    @property
    def language(self) -> str:
        """The language of the texts in the reply.

        The parameter ``lang`` chooses it if the operation takes that parameter and its
        value is a language; otherwise ``Accept-Language`` does.
        """
        if self._language is None:
            accepted = self.fields.get("Accept-Language")
            try:
                self._language = negotiate(accepted, self._asked_language())
            except (RequestError, UnknownLanguageError):
                self._language = negotiate(accepted)
        return self._language

    def _asked_language(self) -> str | None:
        if self.route is None or "lang" not in self.route.operation.query.fields:
            return None
        return read_query(self.query_string).get("lang")

    @property
    def _declared(self) -> Operation:
        if self.route is None:
            raise LookupError("a request without a route has no operation")
        return self.route.operation
