"""The texts of the variants are complete and agree with rules and measurements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from service.engine.cards import MATCH
from service.engine.play import Status
from service.engine.ruleset import Effect
from service.engine.scoring import Rating
from service.engine.variants import VARIANTS
from service.texts import LANGUAGES, option_texts, translate, variant_texts
from service.texts.examples import EXAMPLES, example_words, moves_of
from service.texts.odds import COMPULSORY_SHARE, ODDS
from tests.texts.reading import ENGLISH, ROOT, forms, placeholders

if TYPE_CHECKING:
    from service.engine.position import Move, Position

each_variant = pytest.mark.parametrize("key", VARIANTS)
each_language = pytest.mark.parametrize("language", LANGUAGES)

CARD = re.compile(r"(?:10|[2-9AJQK])[♣♦♥♠]")


def leaves(value: Any) -> list[str]:  # noqa: ANN401 - texts at any depth
    match value:
        case dict():
            return [leaf for inner in value.values() for leaf in leaves(inner)]
        case list():
            return [leaf for inner in value for leaf in leaves(inner)]
    return [value]


@each_language
@each_variant
def test_every_text_exists(key: str, language: str) -> None:
    texts = variant_texts(key, language)
    assert list(texts) == [
        "name",
        "summary",
        "setup",
        "move",
        "not_allowed",
        "win",
        "tips",
        "example",
        "origin",
        "odds",
        "glossary",
        "ratings",
    ]
    assert set(texts["setup"]) == {"open", "stock"}
    assert len(texts["tips"]) >= 5
    for leaf in leaves(texts):
        assert leaf.strip()
        assert "{" not in leaf
        assert "}" not in leaf


@each_language
def test_variants_have_different_names(language: str) -> None:
    names = [variant_texts(key, language)["name"] for key in VARIANTS]
    assert len(set(names)) == len(VARIANTS)


def test_ratings_and_glossaries_follow_the_rules() -> None:
    for key, ruleset in VARIANTS.items():
        texts = variant_texts(key, "en")
        codes = [rating["rating"] for rating in texts["ratings"]]
        graded = ruleset.is_stacking and ruleset.goal_length == 1
        assert codes == (list(Rating) if graded else [Rating.FULL])
        terms = {entry["term"] for entry in texts["glossary"]}
        assert {"row", "gap", "stock"} < terms
        assert ("pile" in terms) == ("sweepers" in terms) == ruleset.is_stacking
        assert ("moral victory" in terms) == graded
        assert ("run" in terms) == (ruleset.effect is Effect.REMOVE_RUN)


def test_variants_with_the_same_text_have_the_same_rules() -> None:
    rules: dict[tuple[str, str], set[object]] = {}
    for key, ruleset in VARIANTS.items():
        texts = variant_texts(key, "en")
        moves = (ruleset.effect, ruleset.offsets, ruleset.runs)
        ends = (ruleset.goal_length, ruleset.names_goal, ruleset.pins)
        rules.setdefault(("move", texts["move"]), set()).add(moves)
        rules.setdefault(("win", texts["win"]), set()).add(ends)
        rules.setdefault(("not allowed", texts["not_allowed"]), set()).add(moves)
    for text, found in rules.items():
        assert len(found) == 1, text


def test_texts_of_removal_games_do_not_mention_piles() -> None:
    for key, ruleset in VARIANTS.items():
        texts = variant_texts(key, "en")
        if not ruleset.is_stacking:
            glossary = {entry["term"] for entry in texts["glossary"]}
            assert "pile" not in glossary
            shown = [texts[k] for k in ("summary", "setup", "move", "win", "example")]
            assert "pile" not in " ".join(leaves(shown))


@each_language
def test_options(language: str) -> None:
    options = option_texts(language)
    assert list(options) == ["layout", "compulsory", "undo", "hints"]
    assert all(leaf.strip() for leaf in leaves(options))
    assert "1883" in options["compulsory"]["choices"]["true"]["name"]


# --- examples


def status_of(position: Position) -> Status:
    if position.is_won:
        return Status.WON
    return Status.LOST if position.is_stuck else Status.PLAYING


@each_variant
def test_the_example_follows_the_rules(key: str) -> None:
    ruleset, example = VARIANTS[key], EXAMPLES[key]
    start = example.start(ruleset)
    firsts: list[Move] = []
    for line, end in example.lines:
        position = start
        for move in moves_of(line):
            assert move in position.legal_moves
            position = position.apply(move)
        assert status_of(position) is end
        firsts.append(next(moves_of(line)))
    assert len(set(firsts)) == len(firsts)
    if example.all_moves:
        assert sorted(firsts) == list(start.legal_moves)


@each_variant
def test_the_example_names_only_cards_in_play(key: str) -> None:
    template = forms(ENGLISH[f"variant.{key}.example"].id)[0]
    assert not CARD.search(template)
    assert placeholders(template) <= example_words(VARIANTS[key]).keys()


def test_the_example_of_accordion_is_the_one_in_the_rules() -> None:
    words = example_words(VARIANTS["accordion"])
    assert words["row"] == "4♠ 7♥ Q♣ 4♦ K♦"
    assert (words["row_11"], words["row_12"]) == ("4♦ 7♥ Q♣ K♦", "K♦ 7♥ Q♣")
    assert words["row_21"] == "4♠ 7♥ Q♣ K♦"
    assert variant_texts("accordion", "en")["example"].startswith(
        "The row is 4♠ 7♥ Q♣ 4♦ K♦. Two moves are legal: 4♦ onto 4♠, the third pile to "
        "its left (same rank), and K♦ onto its neighbour 4♦ (same suit)."
    )


SAME_RANK_OR_SUIT = re.compile(
    r"{(?:from|to)_(\d)(\d)}[^({]*{(?:from|to)_\1\2}[^({]*\(same (\w+)"
)


@each_variant
def test_the_example_gives_the_right_reason_for_a_match(key: str) -> None:
    ruleset, example = VARIANTS[key], EXAMPLES[key]
    for line, step, what in SAME_RANK_OR_SUIT.findall(
        forms(ENGLISH[f"variant.{key}.example"].id)[0]
    ):
        position = example.start(ruleset)
        moves = list(moves_of(example.lines[int(line) - 1][0]))
        for move in moves[: int(step) - 1]:
            position = position.apply(move)
        origin, target = (position.row[place] for place in moves[int(step) - 1])
        assert MATCH[origin][target]
        same = {
            "rank": origin % 13 == target % 13,
            "suit": origin // 13 == target // 13,
        }
        assert same[what], (key, line, step)


# --- odds


COLUMNS = 11
"""The columns of the table in docs/winnability.md that has every variant."""


def measured() -> dict[str, tuple[int, int, int]]:
    """The deals, wins and unknown deals of each variant, from docs/winnability.md.

    Of two rows of a variant the last counts.
    """
    found = {}
    for line in (ROOT / "docs/winnability.md").read_text().splitlines():
        cells = [cell.strip().replace(",", "") for cell in line.strip("|").split("|")]
        variant = cells[0].partition(" ")[0]
        if variant in VARIANTS and len(cells) == COLUMNS:
            deals, won, _, unknown = map(int, cells[1:5])
            found[variant] = (deals, won, unknown)
    return found


def test_the_odds_match_the_measurements() -> None:
    table = measured()
    assert table.keys() == VARIANTS.keys()
    assert {key: odds[:3] for key, odds in ODDS.items()} == table
    share = f"| {100 * COMPULSORY_SHARE:.2f} |"
    page = (ROOT / "docs/winnability.md").read_text()
    assert share in page.split("hints of 20,000 rows followed")[1].splitlines()[0]


@pytest.mark.parametrize(
    ("language", "deals", "share"),
    [
        ("en", "1,000,000", "47%"),
        ("fr", "1\u202f000\u202f000", "47\u00a0%"),
        ("de", "1.000.000", "47\u00a0%"),
        ("nl", "1.000.000", "47%"),
        ("ar", "\u20661,000,000\u2069", "\u206647%\u2069"),
    ],
)
def test_odds_in_the_format_of_the_language(
    language: str, deals: str, share: str
) -> None:
    text = variant_texts("late-binding", language)["odds"]
    assert deals in text
    assert share in text


def test_odds_of_each_kind() -> None:
    odds = {key: variant_texts(key, "en")["odds"] for key in VARIANTS}
    assert "about 1 game in 100" in odds["accordion"]
    assert "all of the 1,000,000 deals" in odds["accordion"]
    assert "all of the 100,000 deals" in odds["bayan"]
    assert "at least 99.99% of the 100,000" in odds["accordions-revenge"]
    assert "29.1% of the 100,000" in odds["push-pin"]
    assert "98.7% of the 100,000" in odds["royal-marriage"]
    assert "From the stock" in odds["royal-marriage"]


def test_unknown_keys_are_an_error() -> None:
    with pytest.raises(KeyError):
        variant_texts("chess", "en")
    with pytest.raises(KeyError):
        variant_texts("accordion", "xx")
    with pytest.raises(KeyError):
        translate("variant.chess.name", "en")
    with pytest.raises(KeyError):
        translate("detail.malformed.json", "en", line=1)
