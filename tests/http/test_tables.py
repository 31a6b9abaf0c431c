"""The tables of the page, the client, the docs and the black-box tests are complete.

They repeat data of the code that they cannot import.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from service.engine.cards import NAMES
from service.engine.deals import SOURCES
from service.engine.variants import VARIANTS
from service.http.docs.prose import ABOUT
from service.http.schemas.deals import SEED_DESCRIPTION
from service.http.schemas.games import Game, WatchedGame
from service.texts import LANGUAGES
from service.texts.catalogue import catalogue_of
from service.texts.examples import EXAMPLES
from tests.properties import choices

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "service/http/page"
TYPES = (ROOT / "clients/javascript/accordion.d.ts").read_text()


def script(name: str, table: str) -> str:
    """The text of a table of the page's JavaScript."""
    found = re.search(
        rf"const {table} = {{(.*?)\n?}};\n", (PAGE / name).read_text(), re.DOTALL
    )
    assert found is not None
    return found[1]


def keys(table: str) -> set[str]:
    """The keys of a table with one entry on each line, or all entries on one."""
    return set(re.findall(r"(?:^|,)\s*'?([\w/-]+)'?:", table, re.MULTILINE))


def type_members(name: str) -> set[str]:
    """The members of an interface of the client."""
    found = re.search(rf"\nexport interface {name} .*?{{(.*?)\n}}", TYPES, re.DOTALL)
    assert found is not None
    return set(re.findall(r"^  (\w+)\??:", found[1], re.MULTILINE))


def type_values(name: str) -> set[str]:
    """The strings that a type of the client allows."""
    found = re.search(rf"\nexport type {name} =(.*?);", TYPES, re.DOTALL)
    assert found is not None
    return set(re.findall(r"'([^']+)'", found[1]))


def rows(page: str) -> dict[str, list[str]]:
    """The cells of the table rows in a page of docs, by the name in the first cell."""
    found = {}
    for line in (ROOT / "docs" / page).read_text().splitlines():
        first, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.fullmatch("`[^`]+`", first):
            found[first.strip("`")] = cells
    return found


# --- variants


def test_the_client_has_a_type_for_every_variant() -> None:
    assert type_values("VariantKey") == VARIANTS.keys()


def test_the_page_has_the_example_of_every_variant() -> None:
    shown = dict(
        re.findall(
            r"'?([\w-]+)'?: \[('[^']*', '[^']*')\]", script("sheets.js", "EXAMPLES")
        )
    )
    assert shown == {
        key: f"'{example.row}', '{example.lines[0][0]}'"
        for key, example in EXAMPLES.items()
    }


def test_the_page_has_the_sums_of_every_variant_with_runs() -> None:
    runs = {key for key, ruleset in VARIANTS.items() if ruleset.runs is not None}
    assert set(re.findall(r"'?([\w-]+)'?: {", script("rules.js", "RUNS"))) == runs


@pytest.mark.parametrize("key", VARIANTS)
def test_the_docs_have_the_rules_of_every_variant(key: str) -> None:
    aliases, _, _, layout = rows("rules.md")[key]
    assert aliases == ", ".join(VARIANTS[key].aliases)
    assert layout == VARIANTS[key].layout


def test_the_black_box_tests_try_every_variant() -> None:
    assert {
        key: list(ruleset.aliases) for key, ruleset in VARIANTS.items()
    } == choices.VARIANTS
    assert {
        key: ruleset.deck_size
        for key, ruleset in VARIANTS.items()
        if ruleset.deck_size < len(NAMES)
    } == choices.SIZES
    assert {
        key: tuple(NAMES[card] for card in ruleset.pins)
        for key, ruleset in VARIANTS.items()
        if ruleset.pins is not None
    } == choices.PINS


# --- sources


def test_the_client_the_page_and_the_docs_name_every_source() -> None:
    assert type_values("Source") == SOURCES.keys()
    assert keys(script("sheets.js", "SOURCES")) == SOURCES.keys()
    deals = (ROOT / "docs/deals.md").read_text()
    assert set(re.findall(r"^## `(.+?)`", deals, re.MULTILINE)) == SOURCES.keys()
    grammar = (ROOT / "docs/records.md").read_text()
    for key in SOURCES:
        assert f'"{key}"' in grammar
        assert f"`{key}`" in SEED_DESCRIPTION


# --- languages


def test_the_page_has_every_language() -> None:
    table = re.search(r"LANGUAGES = {(.*)}", (PAGE / "texts.js").read_text())
    assert table is not None
    assert keys(table[1]) == set(LANGUAGES)
    assert {file.stem for file in (PAGE / "lang").iterdir()} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_docs_name_every_language(language: str) -> None:
    name = catalogue_of(language).locale.get_language_name("en")
    for text in (ABOUT, (ROOT / "docs/languages.md").read_text().partition("##")[0]):
        assert name is not None
        assert name in text


# --- games


def test_the_client_has_every_field_of_a_game() -> None:
    watched = set(WatchedGame.__struct_fields__)
    assert type_members("WatchedState") == watched
    assert type_members("GameState") == set(Game.__struct_fields__) - watched
