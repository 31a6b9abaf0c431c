"""Rewrite the samples of docs/languages.md from the catalogues.

python -m tools.language_page
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from babel import Locale

from service.texts import (
    LANGUAGES,
    Detail,
    card_text,
    hint_reason,
    problem_detail,
    problem_title,
    variant_texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE: Final = Path(__file__).parents[1] / "docs/languages.md"
_MARK: Final = "<!-- From here on written by `make texts`. -->\n"


def _accordion(language: str) -> Iterator[tuple[str, str]]:
    texts = variant_texts("accordion", language)
    yield "name", texts["name"]
    yield "summary", texts["summary"]
    yield "setup, open", texts["setup"]["open"]
    yield "setup, stock", texts["setup"]["stock"]
    yield "move", texts["move"]
    yield "not allowed", texts["not_allowed"]
    yield "win", texts["win"]
    for number, tip in enumerate(texts["tips"], 1):
        yield f"tip {number}", tip
    yield "example", texts["example"]
    yield "origin", texts["origin"]
    yield "odds", texts["odds"]
    terms = (f"{entry['term']}: {entry['meaning']}" for entry in texts["glossary"])
    yield "glossary", "<br>".join(terms)
    ratings = (f"{rating['name']}: {rating['remark']}" for rating in texts["ratings"])
    yield "ratings", "<br>".join(ratings)


def _others(language: str) -> Iterator[tuple[str, str]]:
    yield (
        "reason of a hint",
        hint_reason("sweepers", {"rank": "Q", "count": 3}, language),
    )
    yield "problem, title", problem_title("illegal-move", language)
    yield (
        "problem, detail",
        problem_detail(
            "illegal-move.no-match",
            language,
            first=card_text("7H"),
            second=card_text("QC"),
        ),
    )
    choices = ["unlimited", "none"]
    fault = Detail("choice", {"choices": choices}).text(language, "/options/undo")
    yield "fault of the input", fault


def samples() -> str:
    """Write the samples as Markdown."""
    return (
        f"{_MARK}\n## Accordion in every language\n{_side_by_side(_accordion)}\n"
        f"## A hint and a problem in every language\n{_side_by_side(_others)}"
    )


def _side_by_side(texts: Callable[[str], Iterator[tuple[str, str]]]) -> str:
    by_language = {tag: dict(texts(tag)) for tag in LANGUAGES}
    return "".join(
        f"\n### {field[0].upper()}{field[1:]}\n\n| | |\n|---|---|\n"
        + "".join(
            f"| {Locale.parse(tag, sep='-').english_name} | {found[field]} |\n"
            for tag, found in by_language.items()
        )
        for field in by_language[LANGUAGES[0]]
    )


def main() -> None:
    """Replace the samples of the page."""
    before, _, _ = PAGE.read_text().partition(_MARK)
    PAGE.write_text(before + samples())


if __name__ == "__main__":
    main()
