"""The reason for a hint, as a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.texts.catalogue import say
from service.texts.formatting import card_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_RANK: Final = "rank"
_CARD: Final = "card"


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
    if _RANK in values:
        values[_RANK] = say(f"rank.{values[_RANK]}", language)
    if _CARD in values:
        values[_CARD] = card_text(str(values[_CARD]))
    return say(f"hint.{code}", language, **values)
