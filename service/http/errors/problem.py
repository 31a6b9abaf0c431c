"""Problems and their types (RFC 9457)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from service.texts import problem_detail

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.http.errors.exceptions import Violation


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a problem document in addition to those of RFC 9457.

    Attributes:
        schema: Its JSON Schema, with a description.
        example: An example of its value.
        is_required: Whether it is always present.
    """

    schema: Mapping[str, Any]
    example: Any
    is_required: bool = True


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A type of problem; ``service.texts`` has its title and its explanation.

    Attributes:
        slug: The last part of its ``type``.
        status: The HTTP status.
        error: The class of exceptions that always cause this problem, if there is one;
            their attributes are the values of its text and its members.
        members: Its additional members, by name.
        headers: The names of its header fields.
        key: The key of an example of its ``detail``; the slug if empty.
        data: The values of the placeholders of that text.
    """

    slug: str
    status: int
    error: type[Exception] | None = None
    members: Mapping[str, Member] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    key: str = ""
    data: Mapping[str, object] = field(default_factory=dict)

    @property
    def uri(self) -> str:
        """The ``type`` of the problem, a relative reference."""
        return f"/problems/{self.slug}"

    def example(self, language: str) -> str:
        """Return an example of its ``detail``."""
        return problem_detail(self.key or self.slug, language, **self.data)


@dataclass(frozen=True, slots=True)
class Problem:
    """An occurrence of a problem.

    Attributes:
        key: The key of its ``detail``; the slug of the type if empty.
        data: The values of the placeholders of that text.
        members: The values of its additional members, by name.
        headers: Its header fields.
        invalid: The invalid values of a ``validation-error``.
    """

    type: ProblemType
    key: str = ""
    data: Mapping[str, object] = field(default_factory=dict)
    members: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    invalid: tuple[Violation, ...] = ()

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.type.status

    def detail(self, language: str) -> str:
        """Return the ``detail``, in one of ``service.texts.LANGUAGES``."""
        if len(self.invalid) == 1:
            return self.invalid[0].text(language)
        return problem_detail(self.key or self.type.slug, language, **self.data)

    def texts(self, language: str) -> dict[str, list[dict[str, str]]]:
        """Return the members that are texts: ``errors`` of a ``validation-error``."""
        if "errors" not in self.type.members:
            return {}
        errors = [(value.pointer, value.text(language)) for value in self.invalid]
        errors = errors or [("", self.detail(language))]
        return {"errors": [{"pointer": at, "detail": what} for at, what in errors]}
