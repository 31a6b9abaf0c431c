"""What is said about an error: its kind, and what was wrong this time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.texts.catalogue import say

if TYPE_CHECKING:
    from collections.abc import Mapping


def problem_title(slug: str, language: str) -> str:
    """Name a kind of problem."""
    return say(f"problem.{slug}.title", language)


def problem_explanation(slug: str, language: str) -> str:
    """Explain a kind of problem: why it happens and what a client can do."""
    return say(f"problem.{slug}.explanation", language)


def problem_detail(key: str, language: str, **data: object) -> str:
    """Say what was wrong this time.

    Args:
        key: What it was, such as ``illegal-move.no-match``.
        language: One of ``LANGUAGES``.
        data: The values of the placeholders, as for ``say``.

    Raises:
        KeyError: There is no such text or language, or a value is missing.
    """
    return say(f"detail.{key}", language, **data)


@dataclass(frozen=True, slots=True)
class Detail:
    """What is wrong with a value of the input, in no language yet.

    Attributes:
        key: What it is, such as ``integer-range``.
        data: The values of the placeholders.
        reason: Why it is wrong, as a further sentence, if there is one.
        where: The value that ``reason`` is about, as a JSON pointer or a name.
    """

    key: str
    data: Mapping[str, object] = field(default_factory=dict)
    reason: Detail | None = None
    where: str = ""

    def text(self, language: str, pointer: str) -> str:
        """Write it.

        Args:
            language: One of ``LANGUAGES``.
            pointer: Where the value is, a JSON pointer; empty for the whole body.

        Raises:
            KeyError: There is no such text or language, or a value is missing.
        """
        where = f"`{pointer}`" if pointer else say("input.body", language)
        sentence = say(f"input.{self.key}", language, field=where, **self.data)
        if self.reason is None:
            return sentence
        return f"{sentence} {self.reason.text(language, self.where)}"
