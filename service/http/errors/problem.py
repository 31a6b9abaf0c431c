"""A kind of error, as the API tells it (RFC 9457)."""

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
class Problem:
    """A kind of error.

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
    def type(self) -> str:
        """The problem's type, a relative reference."""
        return f"/problems/{self.slug}"
