"""The row that a page shows, and the actions of a player."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "service/http/page"
CLIENT = ROOT / "clients/javascript"
SEED = "?variant=accordion&seed=42"
CARDS = ".row .card[data-card]"

Visit: TypeAlias = "Callable[..., Page]"
"""The fixture `visit`."""
Ask: TypeAlias = Callable[..., Any]
"""The fixture `ask`."""


def row(page: Page) -> list[str]:
    cards: list[str] = page.eval_on_selector_all(
        CARDS, "cards => cards.map(card => card.dataset.card)"
    )
    return cards


def pile(page: Page, position: int) -> Any:  # noqa: ANN401
    return page.locator(CARDS).nth(position)


def tap(page: Page, position: int) -> None:
    pile(page, position).click()


def expect_piles(page: Page, count: int) -> None:
    expect(page.locator(CARDS)).to_have_count(count)


def expect_row(page: Page, wanted: list[str]) -> None:
    page.wait_for_function(
        "wanted => [...document.querySelectorAll('.row .card[data-card]')]"
        ".map(card => card.dataset.card).join() === wanted",
        arg=",".join(wanted),
    )


def settle(page: Page) -> None:
    """Wait until the page has no unsent actions."""
    page.wait_for_function(
        "() => !JSON.parse(sessionStorage.getItem('accordion.unsent'))?.actions.length"
    )


def sent(requests: list[Request], action: str) -> list[Any]:
    """The bodies of the requests that the page has sent for an action."""
    return [
        json.loads(request.post_data or "{}")
        for request in requests
        if request.method == "POST" and request.url.endswith(f"/{action}")
    ]


def game_id(page: Page) -> str:
    identity: str = page.evaluate(
        "JSON.parse(sessionStorage.getItem('accordion.game')).id"
    )
    return identity
