"""The texts of problems and of the reasons for hints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.texts.catalogue import translate
from service.texts.formatting import card_text

if TYPE_CHECKING:
    from collections.abc import Mapping


def problem_title(slug: str, language: str) -> str:
    """Return the title of a type of problem."""
    return translate(f"problem.{slug}.title", language)


def problem_explanation(slug: str, language: str) -> str:
    """Return why a type of problem happens, and what a client can do."""
    return translate(f"problem.{slug}.explanation", language)


def problem_detail(key: str, language: str, **data: object) -> str:
    """Return the detail of one occurrence of a problem.

    Args:
        key: The key of the detail, such as ``illegal-move.no-match``.
        language: One of ``LANGUAGES``.
        data: The values of the placeholders, as for ``translate``.

    Raises:
        KeyError: There is no such text or language, or a value is missing.
    """
    return translate(f"detail.{key}", language, **data)


@dataclass(frozen=True, slots=True)
class Detail:
    """What is wrong with a value of the input, independent of language.

    Attributes:
        key: The key of the sentence, such as ``integer-range``.
        data: The values of the placeholders.
        reason: A further sentence that says why, or None.
        where: The value that ``reason`` is about, as a JSON pointer or a name.
    """

    key: str
    data: Mapping[str, object] = field(default_factory=dict)
    reason: Detail | None = None
    where: str = ""

    def text(self, language: str, pointer: str) -> str:
        """Return the sentence, followed by its reason if there is one.

        Args:
            language: One of ``LANGUAGES``.
            pointer: The JSON pointer or the name of the value; empty for the whole
                body.

        Raises:
            KeyError: There is no such text or language, or a value is missing.
        """
        where = f"`{pointer}`" if pointer else translate("input.body", language)
        sentence = translate(f"input.{self.key}", language, field=where, **self.data)
        if self.reason is None:
            return sentence
        return f"{sentence} {self.reason.text(language, self.where)}"


def hint_reason(code: str, data: Mapping[str, int | str], language: str) -> str:
    """Return the reason for a hint as text.

    Args:
        code: A ``service.solver.verdict.HintCode``.
        data: The data of the code, by the names that ``HintCode`` gives.
        language: One of ``LANGUAGES``.

    Raises:
        KeyError: There is no such code or language, or data are missing.
    """
    values = dict(data)
    if "rank" in values:
        values["rank"] = translate(f"rank.{values['rank']}", language)
    if "card" in values:
        values["card"] = card_text(str(values["card"]))
    return translate(f"hint.{code}", language, **values)
