"""Every text is used: the code names it, or its variant, problem or value exists."""

from __future__ import annotations

import re

from service.engine.cards import RANKS
from service.engine.play import Status
from service.engine.ruleset import Effect
from service.engine.scoring import Rating
from service.engine.variants import VARIANTS
from service.http.errors.problem_types import PROBLEM_TYPES
from service.solver.verdict import HintCode
from service.texts import option_texts, variant_texts
from tests.texts.reading import ENGLISH, ROOT

FIELDS = (
    "name",
    "summary",
    "setup.open",
    "setup.stock",
    "move",
    "not_allowed",
    "win",
    "example",
    "origin",
    "odds",
)


RESERVED_PROBLEMS: set[str] = set()
"""The slugs of problem types that have texts but do not exist yet."""
RESERVED = {
    *(f"detail.{slug}" for slug in RESERVED_PROBLEMS if f"detail.{slug}" in ENGLISH),
    "input.too-short",
}
"""The texts of details that the code does not use yet."""


def keys_of_options() -> set[str]:
    found = set()
    for option, texts in option_texts("en").items():
        found.add(f"option.{option}.name")
        for choice in texts["choices"]:
            found |= {
                f"option.{option}.{choice}.{part}" for part in ("name", "meaning")
            }
    return found


def keys_of_values() -> set[str]:
    """The keys that belong to a reason, a rank, a rating or an option."""
    return {
        *(f"hint.{reason}" for reason in HintCode),
        *(f"rank.{rank}" for rank in RANKS),
        *(
            f"rating.{rating}.{part}"
            for rating in Rating
            for part in ("name", "remark")
        ),
        *keys_of_options(),
    }


def keys_of_problems() -> set[str]:
    parts = ("title", "explanation")
    return {f"problem.{slug}.{part}" for slug in PROBLEM_TYPES for part in parts}


def keys_under(*names: str) -> set[str]:
    return {key for key in ENGLISH if key.startswith(tuple(f"{n}." for n in names))}


def test_texts_of_reasons_ranks_ratings_and_options_are_complete() -> None:
    assert keys_under("hint", "rank", "rating", "option") == keys_of_values()


def test_texts_of_pictures_are_complete() -> None:
    ends = (status for status in Status if status is not Status.PLAYING)
    words = ("progress", "piles.name", "cards.name", "row", "goal-card", *ends)
    assert keys_under("picture") == {f"picture.{word}" for word in words}


def test_texts_of_variants_have_known_fields() -> None:
    owners = ("variant", *Effect, "removal")
    for key in keys_under(*owners):
        assert re.fullmatch(
            rf"({'|'.join(owners)})(\.[a-z0-9-]+)??\.({'|'.join(FIELDS)})", key
        ), key
    shown = " ".join(str(variant_texts(key, "en")) for key in VARIANTS)
    for key in keys_under(*Effect, "removal", "tip", "glossary", "odds"):
        start = re.split(r"{", str(ENGLISH[key].id))[0]
        assert start in shown, key


def test_variants_that_have_texts_exist() -> None:
    named = {key.split(".")[1] for key in keys_under("variant")}
    assert named == VARIANTS.keys()


def test_every_problem_type_has_texts() -> None:
    assert keys_of_problems() <= ENGLISH.keys()


def test_no_text_of_a_problem_is_unused() -> None:
    reserved = {f"problem.{slug}" for slug in RESERVED_PROBLEMS}
    unused = keys_under("problem") - keys_of_problems()
    assert {key.rpartition(".")[0] for key in unused} == reserved
    sources = "".join(
        path.read_text()
        for path in (ROOT / "service").rglob("*.py")
        if path.parent.name != "texts"
    )
    named = {
        f"{kind}.{m}"
        for m in re.findall(r'"([a-z.-]+)"', sources)
        for kind in ("detail", "input")
    }
    assert keys_under("detail", "input") - {"input.body"} - named == RESERVED
