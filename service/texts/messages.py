"""What is said about an error, and the reason for a hint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.texts.catalogue import translate
from service.texts.formatting import card_text

if TYPE_CHECKING:
    from collections.abc import Mapping


def problem_title(slug: str, language: str) -> str:
    """Name a kind of problem."""
    return translate(f"problem.{slug}.title", language)


def problem_explanation(slug: str, language: str) -> str:
    """Explain a kind of problem: why it happens and what a client can do."""
    return translate(f"problem.{slug}.explanation", language)


def problem_detail(key: str, language: str, **data: object) -> str:
    """Say what was wrong this time.

    Args:
        key: What it was, such as ``illegal-move.no-match``.
        language: One of ``LANGUAGES``.
        data: The values of the placeholders, as for ``translate``.

    Raises:
        KeyError: There is no such text or language, or a value is missing.
    """
    return translate(f"detail.{key}", language, **data)


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
        where = f"`{pointer}`" if pointer else translate("input.body", language)
        sentence = translate(f"input.{self.key}", language, field=where, **self.data)
        if self.reason is None:
            return sentence
        return f"{sentence} {self.reason.text(language, self.where)}"


def hint_reason(code: str, data: Mapping[str, int | str], language: str) -> str:
    """Write why an action is hinted.

    Args:
        code: The code, a ``service.solver.verdict.Reason``.
        data: Its figures, as named there.
        language: One of ``LANGUAGES``.

    Raises:
        KeyError: There is no such code or language, or a figure is missing.
    """
    values = dict(data)
    if "rank" in values:
        values["rank"] = translate(f"rank.{values['rank']}", language)
    if "card" in values:
        values["card"] = card_text(str(values["card"]))
    return translate(f"hint.{code}", language, **values)
