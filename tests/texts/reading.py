"""The catalogues as Babel reads them, by message."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.pofile import read_po

from service.texts import LANGUAGES

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog, Message

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "service/texts/catalogues"
TRANSLATED = LANGUAGES[1:]


def read(name: str) -> Catalog:
    with (FOLDER / name).open("rb") as file:
        return read_po(file, abort_invalid=True)


def messages(catalogue: Catalog) -> dict[str, Message]:
    return {str(m.context): m for m in catalogue if m.id}


def forms(text: object) -> list[str]:
    """The plural forms of a text; one if it has no plural."""
    return list(text) if isinstance(text, list | tuple) else [str(text)]


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"{(\w*)}", text))


def code(text: str) -> list[str]:
    """The parts in backticks: names of the API, the same in every language."""
    return sorted(re.findall(r"`[^`]*`", text))


ENGLISH = messages(read("english.pot"))
