"""The documentation page, in a browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, Locator, Page

    from tests.servers import Service

pytestmark = pytest.mark.browser


def send(page: Page, name: str, status: int) -> Locator:
    """Send the request of an operation as the page has filled it in."""
    page.goto(f"{page.url.partition('#')[0]}#{name}")
    trial = page.locator(f"#{name} .trial")
    trial.get_by_role("button").click()
    output = trial.locator("pre code")
    expect(output).to_contain_text(f"{status} ")
    return output


def test_a_game_is_created_and_played_from_the_page(
    service: Service, context: Callable[..., BrowserContext]
) -> None:
    page = context().new_page()
    page.goto(f"{service.url}/docs")
    assert "$HOST" not in page.locator("main").inner_text()
    created = send(page, "createGame", 201).inner_text()
    game_id = re.findall(r'"id": "(.*)"', created)[0]
    command = page.locator("#makeMove figure code").first
    expect(command).to_contain_text(f"{service.url}/v1/games/{game_id}/moves")
    assert '"version": 2' in send(page, "makeMove", 200).inner_text()


def test_the_page_fits_a_phone(
    service: Service, context: Callable[..., BrowserContext]
) -> None:
    page = context(viewport={"width": 360, "height": 740}).new_page()
    page.goto(f"{service.url}/docs?utm_source=letter")
    width, height = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    )
    assert width == 360
    assert height < 20_000
    contents = page.get_by_role("navigation", name="Contents")
    expect(contents).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    contents.get_by_role("link", name="HintCode").click()
    expect(contents).to_be_hidden()
    kind = page.locator("#data-HintCode")
    expect(kind).to_contain_text("fewest-piles: It left the fewest piles")
    expect(kind).to_be_in_viewport()
