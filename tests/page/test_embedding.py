"""The page in a frame of another origin, as docs/embedding.md describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from docs.examples.portal import Portal
from tests.servers import running

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, FrameLocator, Page

    from tests.page.table import Ask

    Context = Callable[..., BrowserContext]

pytestmark = pytest.mark.browser

BLOCK_STORAGE = """
for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, name, {
    get() { throw new DOMException('Blocked', 'SecurityError'); },
  });
}
"""
RECORD_MESSAGES = """
window.recorded = [];
addEventListener('message', ({ origin, data }) => recorded.push({ origin, ...data }));
"""


def recorded(page: Page) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = page.evaluate("recorded")
    return messages


def wait_for_event(page: Page, event: str) -> None:
    page.wait_for_function(
        "event => recorded.some((message) => message.event === event)", arg=event
    )


def play(frame: FrameLocator, move: dict[str, int], left: int) -> None:
    cards = frame.locator(".row .card[data-card]")
    cards.nth(move["from"]).click()
    if frame.locator(".row.choosing").count():
        cards.nth(move["to"]).click()
    expect(cards).to_have_count(left)


def origin(portal: Portal) -> str:
    return f"http://localhost:{portal.server_address[1]}"


def open_portal(browser: BrowserContext, portal: Portal) -> Page:
    page = browser.new_page()
    page.add_init_script(RECORD_MESSAGES)
    page.goto(origin(portal))
    wait_for_event(page, "ready")
    return page


def test_portal_embeds_a_game_and_checks_its_score(
    portal: Portal, context: Context, address: str, ask: Ask
) -> None:
    portal.new_game = {"variant": "late-binding", "seed": "3"}
    known = set(portal.games)
    browser = context()
    browser.add_init_script(BLOCK_STORAGE)
    page = open_portal(browser, portal)
    frame = page.frame_locator("iframe")
    expect(frame.locator("#new")).to_be_hidden()
    (watch_id,) = set(portal.games) - known
    game = ask(f"games/{portal.games[watch_id]}")
    move = game["legal_moves"][0]
    count = len(game["row"])
    play(frame, move, count - 1)
    wait_for_event(page, "moved")
    # All other moves except the last are made in another window.
    plan = longest_play(ask, portal.new_game, move)
    ask(f"games/{portal.games[watch_id]}/moves", {"moves": plan[1:-1]})
    page.frames[1].evaluate("dispatchEvent(new Event('focus'))")
    left = count - len(plan)
    expect(frame.locator(".row .card[data-card]")).to_have_count(left + 1)
    play(frame, plan[-1], left)
    expect(page.locator("#result")).to_contain_text("The portal has checked it")
    score = ask(f"games/{portal.games[watch_id]}")["score"]
    assert portal.scores == {watch_id: score}
    messages = recorded(page)
    assert messages[0]["event"] == "ready"
    assert messages[-1]["event"] == "over"
    assert {message["event"] for message in messages} == {"ready", "moved", "over"}
    assert {message["origin"] for message in messages} == {address.rstrip("/")}
    assert messages[-1]["record"]["seed"] == "3"
    assert portal.games[watch_id] not in str(messages)


def longest_play(
    ask: Ask, deal: dict[str, object], first: dict[str, int]
) -> list[dict[str, int]]:
    """Moves that begin with a given one, until no move is left."""
    game, played = ask("games", deal), [first]
    game = ask(f"games/{game['id']}/moves", first)
    while game["legal_moves"]:
        played.append(game["legal_moves"][0])
        game = ask(f"games/{game['id']}/moves", played[-1])
    return played


def test_no_other_site_may_frame_it(
    context: Context, address: str, messages: list[str]
) -> None:
    with running(other := Portal(address.rstrip("/"), 0)):
        page = context().new_page()
        page.goto(origin(other))
        while not messages:
            page.wait_for_timeout(20)
        assert page.frame_locator("iframe").locator("#row").count() == 0
    assert "frame-ancestors" in messages[0]
    messages.clear()


def test_game_started_in_a_frame_sends_an_event(
    portal: Portal, context: Context, address: str
) -> None:
    page = open_portal(context(), portal)
    page.evaluate(
        "address => { document.querySelector('iframe').src = address; }",
        f"{address}?embed=1&variant=accordion&seed=42",
    )
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for(state="attached")
    expect(frame.locator(".row .card[data-card]")).to_have_count(52)
    play(frame, {"from": 13, "to": 12}, 51)
    wait_for_event(page, "moved")
    events = [message["event"] for message in recorded(page)]
    assert events[-2:] == ["started", "moved"]


def test_page_of_another_origin_uses_the_client(
    portal: Portal, context: Context, address: str
) -> None:
    page = open_portal(context(), portal)
    root = page.evaluate(
        "async (url) => new (await import(url)).Accordion().root",
        f"{address}client/accordion.js",
    )
    assert root == f"{address}v1/"
