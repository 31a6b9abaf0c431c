"""The page in a frame of another origin, as docs/embedding.md describes it."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.page.prefix_proxy import ROOT
from tests.servers import running

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from types import ModuleType

    from playwright.sync_api import BrowserContext, FrameLocator, Page

    Ask = Callable[..., Any]
    Context = Callable[..., BrowserContext]
    ServePage = Callable[..., AbstractContextManager[str]]

pytestmark = pytest.mark.browser

BLOCK_STORAGE = """
for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, name, {
    get() { throw new DOMException('Blocked', 'SecurityError'); },
  });
}
"""
NOTE_MESSAGES = """
window.noted = [];
addEventListener('message', ({ origin, data }) => noted.push({ origin, ...data }));
"""


@pytest.fixture(scope="module")
def portal_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "portal", ROOT / "docs/examples/portal.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def noted(page: Page) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = page.evaluate("noted")
    return messages


def wait_for_event(page: Page, event: str) -> None:
    page.wait_for_function(
        "event => noted.some((message) => message.event === event)", arg=event
    )


def play(frame: FrameLocator, move: dict[str, int], left: int) -> None:
    cards = frame.locator(".row .card[data-card]")
    cards.nth(move["from"]).click()
    if frame.locator(".row.choosing").count():
        cards.nth(move["to"]).click()
    expect(cards).to_have_count(left)


def test_portal_has_a_game_played_and_checks_its_score(
    serve_page: ServePage, context: Context, portal_module: ModuleType, ask: Ask
) -> None:
    deal = {"variant": "late-binding", "seed": "3"}
    portal = portal_module.Portal("", 0, **deal)
    origin = f"http://localhost:{portal.server_address[1]}"
    browser = context()
    browser.add_init_script(BLOCK_STORAGE)
    with serve_page(ancestors=origin) as url, running(portal):
        portal.service = url.rstrip("/")
        page = browser.new_page()
        page.add_init_script(NOTE_MESSAGES)
        page.goto(origin)
        wait_for_event(page, "ready")
        frame = page.frame_locator("iframe")
        expect(frame.locator("#new")).to_be_hidden()
        game = ask("games", deal)
        while game["legal_moves"]:
            move = game["legal_moves"][0]
            game = ask(f"games/{game['id']}/moves", move)
            page.wait_for_timeout(360)  # Else it is a double tap where they are near.
            play(frame, move, len(game["row"]))
        expect(page.locator("#result")).to_contain_text("The portal has checked it")
        (watch_id,) = portal.games
        assert portal.scores == {watch_id: game["score"]}
        messages = noted(page)
    assert messages[0]["event"] == "ready"
    assert messages[-1]["event"] == "over"
    assert {message["event"] for message in messages} == {"ready", "moved", "over"}
    assert {message["origin"] for message in messages} == {portal.service}
    assert messages[-1]["record"]["seed"] == "3"
    assert portal.games[watch_id] not in str(messages)


def test_no_other_site_may_frame_it(
    serve_page: ServePage,
    context: Context,
    portal_module: ModuleType,
    messages: list[str],
) -> None:
    portal = portal_module.Portal("", 0)
    with serve_page() as url, running(portal):
        portal.service = url.rstrip("/")
        page = context().new_page()
        page.goto(f"http://localhost:{portal.server_address[1]}")
        while not messages:
            page.wait_for_timeout(20)
        assert page.frame_locator("iframe").locator("#row").count() == 0
    assert "frame-ancestors" in messages[0]
    messages.clear()


def test_game_started_in_a_frame_is_told(
    serve_page: ServePage, context: Context, portal_module: ModuleType
) -> None:
    portal = portal_module.Portal("", 0)
    origin = f"http://localhost:{portal.server_address[1]}"
    with serve_page(ancestors=origin) as url, running(portal):
        portal.service = url.rstrip("/")
        page = context().new_page()
        page.add_init_script(NOTE_MESSAGES)
        page.goto(origin)
        wait_for_event(page, "ready")
        page.evaluate(
            "address => { document.querySelector('iframe').src = address; }",
            f"{url}?embed=1&variant=accordion&seed=42",
        )
        page.frame_locator("iframe").locator("html[data-ready]").wait_for(
            state="attached"
        )
        expect(
            page.frame_locator("iframe").locator(".row .card[data-card]")
        ).to_have_count(52)
        play(page.frame_locator("iframe"), {"from": 13, "to": 12}, 51)
        wait_for_event(page, "moved")
        events = [message["event"] for message in noted(page)]
    assert events[-2:] == ["started", "moved"]
