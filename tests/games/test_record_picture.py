"""The picture of a game: a valid SVG document that shows the position."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.cards import SUITS
from service.engine.deals import deal
from service.engine.play import Options, Play, start
from service.engine.position import Move
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.games.record_picture import (
    Arrow,
    NoSuchActionError,
    PictureOptions,
    draw_play,
)
from tests.engine.rows import read_row
from tests.engine.strategies import for_every_variant, plays

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset

SVG = "{http://www.w3.org/2000/svg}"
ACCORDION = VARIANTS["accordion"]
NAMED = PictureOptions("Accordion", "42")


def _play(row: str, layout: Layout = Layout.OPEN) -> Play:
    return start(ACCORDION, read_row(row), Options(layout))


def _read(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - the project's own text


def _texts(svg: str, tag: str) -> list[str]:
    return ["".join(found.itertext()) for found in _read(svg).iter(SVG + tag)]


def test_title_and_description_describe_the_position() -> None:
    play = _play("4S 7H QC 4D KD").move(Move(3, 0))
    root = _read(draw_play(play, NAMED))
    assert root.get("role") == "img"
    names = {found.get("id"): found.text for found in root if found.get("id")}
    title, description = (names[id_] for id_ in root.attrib["aria-labelledby"].split())
    assert title == "Accordion 42, action 1 of 1"
    assert description == (
        "4 piles · action 1 of 1. From left to right: 4♦ (2) 7♥ Q♣ K♦."
    )


def test_the_words_are_in_the_language_of_the_reader() -> None:
    options = replace(NAMED, name="Harmonika", language="de")
    play = _play("4S 7H QC 4D KD").move(Move(3, 0)).finish()
    svg = draw_play(play, options)
    assert _texts(svg, "title") == ["Harmonika 42, Aktion 1 von 1"]
    (description,) = _texts(svg, "desc")
    assert description == (
        "4 Stapel · Aktion 1 von 1 · beendet. Von links nach rechts: 4♦ (2) 7♥ Q♣ K♦."
    )


def test_arabic_starts_at_the_right() -> None:
    play = _play("4S 7H QC 4D KD")
    for language, x in (("en", "24"), ("ar", "464")):
        root = _read(draw_play(play, replace(NAMED, language=language)))
        lines = [one for one in root.iter(SVG + "text") if one.get("direction")]
        assert [one.get("x") for one in lines] == [x, x]
        assert root.get("width") == "488"


@pytest.mark.parametrize(
    ("seed", "shown"),
    [
        ("42", "42"),
        ("x" * 28, "x" * 28),
        ("x" * 29, "x" * 27 + "…"),
        ("牌" * 14, "牌" * 14),
        ("牌" * 15, "牌" * 13 + "…"),
    ],
)
def test_the_seed_is_below_the_name(seed: str, shown: str) -> None:
    root = _read(draw_play(_play("4S 7H"), PictureOptions("Accordion", seed)))
    heading = next(root.iter(SVG + "text"))
    name, below = heading.iter(SVG + "tspan")
    assert (name.text, below.text) == ("Accordion", shown)
    assert below.get("x") == heading.get("x")
    assert float(below.attrib["dy"]) >= float(below.attrib["font-size"])


def test_a_name_alone_is_the_heading() -> None:
    root = _read(draw_play(_play("4S 7H"), PictureOptions("Accordion")))
    assert [one.text for one in next(root.iter(SVG + "text"))] == ["Accordion"]


@pytest.mark.parametrize("seed", ["42", None])
def test_the_label_of_the_goal_card_is_below_the_name(seed: str | None) -> None:
    ruleset = VARIANTS["accordions-revenge"]
    dealt = deal(ruleset, "42")
    play = start(ruleset, dealt.cards, Options(Layout.OPEN), dealt.goal)
    texts = list(_read(draw_play(play, replace(NAMED, seed=seed))).iter(SVG + "text"))
    heading, label = texts[:2]
    assert label.text == "goal card"
    assert float(label.attrib["y"]) - float(heading.attrib["y"]) >= 15


def test_a_position_before_the_last_one() -> None:
    play = _play("4S 7H QC 4D KD").move(Move(3, 0)).move(Move(3, 0))
    (description,) = _texts(draw_play(play, NAMED, 1), "desc")
    assert description.startswith("4 piles · action 1 of 2. ")
    (whole,) = _texts(draw_play(play, NAMED), "desc")
    assert whole.startswith("3 piles · action 2 of 2 · lost. ")
    for after in (-1, 3):
        with pytest.raises(NoSuchActionError):
            draw_play(play, NAMED, after)


def test_hidden_cards_are_only_counted() -> None:
    svg = draw_play(_play("4S 7H QC", Layout.STOCK), NAMED)
    (description,) = _texts(svg, "desc")
    assert description.endswith("right: 4♠. 2 cards are still in the stock.")
    assert _texts(svg, "text")[1:] == [
        "4",
        "0",
        "2",
        "stock",
        *_texts(svg, "text")[-1:],
    ]


@pytest.mark.parametrize(("four_colours", "colours"), [(False, 2), (True, 4)])
def test_suits_have_two_colours_or_four(*, four_colours: bool, colours: int) -> None:
    play = _play(" ".join(f"A{suit}" for suit in SUITS))
    svg = draw_play(play, PictureOptions("Accordion", four_colours=four_colours))
    suits = [
        group
        for group in _read(svg).iter(SVG + "g")
        if group.find(SVG + "use") is not None
    ]
    assert len(suits) == 4
    assert len({group.get("fill") for group in suits}) == colours


def test_every_arrow_is_drawn() -> None:
    arrows = (Arrow(Move(3, 0), "#123456"), Arrow(Move(4, 3), "#654321"))
    options = PictureOptions("Accordion", arrows=arrows)
    svg = draw_play(_play("4S 7H QC 4D KD"), options)
    assert "#123456" in svg
    assert "#654321" in svg


@given(seed=st.text(max_size=64), name=st.text(max_size=20))
def test_any_seed_gives_a_valid_document(seed: str, name: str) -> None:
    svg = draw_play(_play("4S 7H"), PictureOptions(name, seed))
    svg.encode()
    assert len(_texts(svg, "title")) == 1


@for_every_variant
@given(data=st.data())
def test_every_game_is_drawn_within_the_picture(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    play = data.draw(plays(ruleset))
    root = _read(draw_play(play, NAMED, data.draw(st.integers(0, play.actions))))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for rect in root.iter(SVG + "rect"):
        x, y = float(rect.get("x", 0)), float(rect.get("y", 0))
        assert 0 <= x <= x + float(rect.attrib["width"]) <= width
        assert 0 <= y <= y + float(rect.attrib["height"]) <= height


def test_a_picture_loads_and_runs_nothing() -> None:
    play = start(ACCORDION, deal(ACCORDION, "42").cards, Options(Layout.OPEN))
    svg = draw_play(play, NAMED)
    assert "<style" not in svg
    assert "<script" not in svg
    assert 'style="' not in svg
    assert svg.count("http") == 1  # the name space
    assert len(svg) < 40_000
