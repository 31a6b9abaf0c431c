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
    """A member that a problem document has besides those of RFC 9457.

    Attributes:
        schema: Its JSON Schema, with a description.
        example: A value it can have.
        always: Whether it is always there.
    """

    schema: Mapping[str, Any]
    example: Any
    always: bool = True


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A type of problem; ``service.texts`` has its title and its explanation.

    Attributes:
        slug: The last part of its ``type``.
        status: The HTTP status.
        error: The class of exceptions that always are this problem, if there is one;
            their attributes are the values of its text and its members.
        members: Its further members, by name.
        headers: The header fields that come with it.
        key: The key of a ``detail`` that it can have; its slug if empty.
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
        """The problem's type, a relative reference."""
        return f"/problems/{self.slug}"

    def example(self, language: str) -> str:
        """Write a ``detail`` that it can have."""
        return problem_detail(self.key or self.slug, language, **self.data)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem that has happened.

    Attributes:
        type: Its type.
        key: The key of the text that says what happened this time; the slug of the
            type if empty.
        data: The values of the placeholders of that text.
        members: Its further members.
        headers: The header fields that go with it.
        invalid: What is not valid in the input, if that is the problem.
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
        """Say what happened this time, in one of ``service.texts.LANGUAGES``."""
        if len(self.invalid) == 1:
            return self.invalid[0].text(language)
        return problem_detail(self.key or self.type.slug, language, **self.data)

    def texts(self, language: str) -> dict[str, list[dict[str, str]]]:
        """Write the members that are texts: ``errors`` of a ``validation-error``."""
        if "errors" not in self.type.members:
            return {}
        errors = [(value.pointer, value.text(language)) for value in self.invalid]
        errors = errors or [("", self.detail(language))]
        return {"errors": [{"pointer": at, "detail": what} for at, what in errors]}
