"""Languages, screen sizes, accessibility, and the size of the page."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from service.texts import LANGUAGES
from tests.page.table import (
    CARDS,
    CLIENT,
    PAGE,
    SEED,
    Ask,
    Visit,
    expect_piles,
    pile,
    sent,
    settle,
    tap,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, Request


pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}


# --- languages


def test_arabic_is_right_to_left_and_its_row_left_to_right(
    visit: Visit, requests: list[Request]
) -> None:
    page = visit(SEED, locale="ar")
    assert page.locator("html").get_attribute("dir") == "rtl"
    first, second = pile(page, 0).bounding_box(), pile(page, 1).bounding_box()
    assert first["x"] < second["x"]
    tap(page, 13)
    expect_piles(page, 51)
    page.click("#undo")
    expect_piles(page, 52)
    pile(page, 12).focus()
    page.keyboard.press("ArrowRight")
    expect(pile(page, 13)).to_be_focused()
    page.keyboard.press("Enter")
    expect_piles(page, 51)
    settle(page)
    assert sent(requests, "moves") == [{"from": 13, "to": 12}] * 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(visit: Visit, language: str) -> None:
    page = visit(SEED, locale=language)
    missing = page.evaluate(
        """async (language) => {
          const load = async (name) => (await import(`./page/lang/${name}.js`)).default;
          const [own, english] = [await load(language), await load('en')];
          const named = (text) => JSON.stringify(text).match(/{\\w+}/g);
          const values = (text) => [...new Set(named(text))].sort().join();
          const fits = (key) => key in own && values(own[key]) === values(english[key]);
          return Object.keys(english).filter((key) => !fits(key));
        }""",
        language,
    )
    assert missing == []
    assert page.locator("html").get_attribute("lang") == language
    assert page.locator("#undo").inner_text() != "undo"


def test_language_is_changed_in_the_settings(visit: Visit) -> None:
    page = visit(SEED)
    page.click("#open-settings")
    page.locator("dialog select").first.select_option("nl")
    page.keyboard.press("Escape")
    expect(page.locator("#undo")).to_have_text("Terug")
    page.reload()
    expect(page.locator("#undo")).to_have_text("Terug")


def test_accessible_names_have_the_pile_its_targets_and_the_move(visit: Visit) -> None:
    page = visit(SEED)
    expect(pile(page, 4)).to_have_accessible_name(
        "4: queen of hearts, can move to 1, queen of diamonds or 3, queen of clubs"
    )
    expect(page.locator("#row")).to_have_accessible_name("The row: 52 piles")
    tap(page, 13)
    expect(page.locator("#announcer")).to_have_text(
        "ten of hearts onto ten of diamonds at 12. 51 piles left."
    )
    expect(pile(page, 12)).to_have_accessible_name(
        "12: ten of hearts, 2 cards, can move to 11, five of hearts"
    )


# --- screens


@pytest.mark.parametrize("width", [320, 360, 414, 768, 1024, 1440, 2560])
def test_row_fits_every_screen(visit: Visit, width: int) -> None:
    page = visit(SEED, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = [card.bounding_box() for card in page.locator(CARDS).all()]
    assert all(
        box and box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes
    )
    assert min(box["width"] for box in boxes if box) >= 30
    columns = len({round(box["x"]) for box in boxes if box})
    assert columns == 13 if width >= 900 else columns in {8, 9, 11}


def test_targets_are_large_enough_on_a_phone(visit: Visit) -> None:
    page = visit(SEED, viewport=PHONE, has_touch=True, is_mobile=True)
    for name in ("undo", "redo", "hint", "new", "what", "open-rules", "open-settings"):
        box = page.locator(f"#{name}").bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 43, name


def test_tap_on_a_phone(visit: Visit) -> None:
    page = visit(SEED, viewport=PHONE, has_touch=True, is_mobile=True)
    pile(page, 13).tap()
    expect_piles(page, 51)


def test_reduced_motion_turns_animations_off(visit: Visit) -> None:
    page = visit(SEED, reduced_motion="reduce")
    tap(page, 13)
    assert page.evaluate("document.getAnimations().length") == 0


# --- axe-core


def violations(page: Page, axe: str) -> list[str]:
    # Through the debugger, since the page's own policy forbids the script.
    session = page.context.new_cdp_session(page)
    session.send("Runtime.evaluate", {"expression": axe})
    page.wait_for_timeout(400)  # Colours are checked after all transitions.
    found = session.send(
        "Runtime.evaluate",
        {
            "expression": "axe.run().then(({violations}) => violations.flatMap("
            "({id, nodes}) => nodes.map(({html}) => `${id}: ${html.slice(0, 160)}`)))",
            "awaitPromise": True,
            "returnByValue": True,
        },
    )
    result: list[str] = found["result"]["value"]
    return result


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit: Visit, axe: str, scheme: str) -> None:
    page = visit(SEED, color_scheme=scheme)
    violations_by_state = {"start": violations(page, axe)}
    tap(page, 4)
    violations_by_state["two targets"] = violations(page, axe)
    page.keyboard.press("Escape")
    tap(page, 13)
    page.click("#hint")
    expect(page.locator(".hinted")).to_have_count(1)
    violations_by_state["hint"] = violations(page, axe)
    for sheet in ("new", "open-rules", "open-history", "open-settings"):
        page.click(f"#{sheet}")
        page.wait_for_load_state("networkidle")
        violations_by_state[sheet] = violations(page, axe)
        page.keyboard.press("Escape")
    page.click("#new")
    page.locator("dialog .games summary").click()
    violations_by_state["variants"] = violations(page, axe)
    page.get_by_role("button", name="Board").click()
    violations_by_state["board"] = violations(page, axe)
    assert not any(violations_by_state.values()), violations_by_state


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_at_the_end(
    visit: Visit, axe: str, ask: Ask, scheme: str
) -> None:
    game = ask("games", {"variant": "late-binding", "seed": "23"})
    while moves := game["legal_moves"]:
        game = ask(f"games/{game['id']}/moves", moves[-1])
    ask(f"games/{game['id']}/finish", {})
    page = visit(f"#game={game['id']}", color_scheme=scheme)
    violations_by_state = {"end": violations(page, axe)}
    page.get_by_role("button", name="Review").click()
    expect(page.locator(".timeline")).to_be_visible()
    violations_by_state["review"] = violations(page, axe)
    assert not any(violations_by_state.values()), violations_by_state


def test_axe_finds_nothing_in_arabic_on_a_phone_at_the_end(
    visit: Visit, axe: str, ask: Ask
) -> None:
    game = ask("games", {"variant": "accordion", "seed": "42"})
    ask(f"games/{game['id']}/finish", {})
    page = visit(f"#game={game['id']}", locale="ar", viewport=PHONE)
    expect(page.locator("#result h2")).to_be_visible()
    assert violations(page, axe) == []


# --- weight


def test_client_and_page_are_small(
    record_property: Callable[[str, object], None],
) -> None:
    client = CLIENT / "accordion.js"
    languages = [file.stat().st_size for file in (PAGE / "lang").iterdir()]
    files = [client, *(file for file in PAGE.iterdir() if file.is_file())]
    page = sum(file.stat().st_size for file in files) + max(languages)
    compressed = len(gzip.compress(client.read_bytes()))
    longest = max((PAGE / "lang").iterdir(), key=lambda file: file.stat().st_size)
    sent = sum(len(gzip.compress(file.read_bytes())) for file in [*files, longest])
    record_property("client_gzip_bytes", compressed)
    record_property("page_gzip_bytes", sent)
    record_property("page_bytes", page)
    assert compressed < 6_000
    assert sent < 60_000
    assert page < 150_000


def test_first_visit_loads_little(
    visit: Visit, record_property: Callable[[str, object], None]
) -> None:
    page = visit()
    loaded = page.evaluate(
        "performance.getEntriesByType('resource')"
        ".map(({name, encodedBodySize}) => [name, encodedBodySize])"
    )
    assert all(name.startswith(page.url) for name, _ in loaded)
    record_property("requests", len(loaded) + 1)
    record_property("bytes", sum(size for _, size in loaded))
    record_property(
        "first_move_ms",
        page.evaluate("performance.measure('ready', undefined, 'playable').duration"),
    )
    assert len(loaded) <= 20
    assert sum(size for _, size in loaded) < 50_000
