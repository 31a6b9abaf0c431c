"""Problems and their types (RFC 9457)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    """A type of problem.

    Attributes:
        slug: The last part of its ``type``.
        status: The HTTP status.
        title: What went wrong, in general.
        explanation: Why it happens and what a client can do about it.
        example: A ``detail`` it can have.
        members: Its further members, by name.
        headers: The header fields that come with it.
    """

    slug: str
    status: int
    title: str
    explanation: str
    example: str
    members: Mapping[str, Member] = field(default_factory=dict)
    headers: tuple[str, ...] = ()

    @property
    def uri(self) -> str:
        """The problem's type, a relative reference."""
        return f"/problems/{self.slug}"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem that has happened.

    Attributes:
        type: Its type.
        detail: What happened this time, as a sentence.
        members: Its further members.
        headers: The header fields that go with it.
    """

    type: ProblemType
    detail: str
    members: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.type.status
