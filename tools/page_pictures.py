"""Make the screenshots of the page in docs/images, from a running service.

python tools/page_pictures.py http://127.0.0.1:8000/
"""

from __future__ import annotations

import json
import shutil
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES = Path(__file__).parents[1] / "docs/images"
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 760}
SEED = "?variant=accordion&seed=42"


def ask(url: str, path: str, body: object) -> Any:  # noqa: ANN401
    """Post to the API."""
    data = json.dumps(body).encode()
    fields = {"Content-Type": "application/json"}
    request = Request(f"{url}v1/{path}", data, fields)  # noqa: S310
    with urlopen(request) as response:  # noqa: S310
        return json.load(response)


def nearly_won_game(url: str) -> str:
    """Play seed 42 up to the last move that wins; return the game's id."""
    solved = ask(url, "games", {"seed": "42"})
    line = ask(url, f"games/{solved['id']}/solution", {})["actions"]
    moves = [{"from": move["from"], "to": move["to"]} for move in line]
    game = ask(url, "games", {"seed": "42"})
    ask(url, f"games/{game['id']}/moves", {"moves": moves[:-1]})
    return str(game["id"])


def lost_game(url: str, seed: str) -> str:
    """Play the longest move farthest right until none is left; return the id."""
    game = ask(url, "games", {"seed": seed})
    while moves := game["legal_moves"]:
        move = max(moves, key=lambda move: (move["from"] - move["to"], move["from"]))
        game = ask(url, f"games/{game['id']}/moves", move)
    ask(url, f"games/{game['id']}/finish", {})
    return str(game["id"])


class PageOpener:
    """Opens the page in a new browser context for each screenshot."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self._url = url

    def open(self, path: str, **options: Any) -> Page:  # noqa: ANN401
        """Open a path of the page in a context with these options."""
        chosen = {"viewport": DESKTOP, "locale": "en"} | options
        page = self._browser.new_context(**chosen).new_page()
        page.goto(self._url + path)
        page.wait_for_selector("html[data-ready]")
        page.wait_for_timeout(400)
        return page


def save(page: Page, name: str, pause: int = 700) -> None:
    """Save a screenshot after a pause in milliseconds, for animations to end."""
    page.wait_for_timeout(pause)
    picture = Image.open(BytesIO(page.screenshot()))
    page.context.close()
    picture.convert("RGB").save(IMAGES / f"{name}.webp", quality=88, method=6)


def card(page: Page, position: int) -> Any:  # noqa: ANN401
    """Find a pile."""
    return page.locator(".row .card").nth(position)


def play_daily(url: str, player: str) -> None:
    """End a game of the deal of the day; the moves depend on the player's name."""
    key = f"key-of-the-player-{len(player)}"
    game = ask(url, "games", {"daily": True, "player": player, "player_key": key})
    while moves := game["legal_moves"]:
        move = moves[len(player) * len(moves) // 12]
        game = ask(url, f"games/{game['id']}/moves", move)


def save_all(pages: PageOpener, url: str) -> None:
    """Save every screenshot."""
    save(pages.open(SEED), "start")
    page = pages.open(SEED, color_scheme="dark")
    card(page, 4).click()
    save(page, "two-targets-dark")
    page = pages.open(SEED)
    card(page, 39).hover()
    save(page, "line-break")
    page = pages.open(f"#game={nearly_won_game(url)}")
    card(page, 1).click()
    page.wait_for_selector(".confetti")
    save(page, "won", pause=500)
    page = pages.open(SEED, locale="ar")
    card(page, 13).click()
    page.wait_for_timeout(500)
    card(page, 4).click()
    save(page, "arabic")
    page = pages.open(SEED, viewport=PHONE, has_touch=True, is_mobile=True)
    for position in (13, 9, 2):
        card(page, position).tap()
        page.wait_for_timeout(500)
    page.tap("#hint")
    page.wait_for_selector(".hinted")
    save(page, "phone-hint")
    page = pages.open(SEED, viewport=PHONE, color_scheme="dark")
    save(page, "phone-dark")
    page = pages.open("?variant=royal-marriage&seed=7", color_scheme="dark")
    for _ in range(15):
        page.click(".stock")
        page.wait_for_timeout(120)
    save(page, "stock-dark")
    page = pages.open(f"#game={lost_game(url, '100')}")
    page.get_by_role("button", name="Review").click()
    page.wait_for_selector(".timeline", timeout=120_000)
    save(page, "review")
    for player in ("Ada", "Boris", "Cléo", "Dimitri", "Eve", "Fatima", "Giuseppe"):
        play_daily(url, player)
    page = pages.open("?theme=dark")
    page.click("#new")
    page.get_by_role("button", name="Board").click()
    save(page, "board-dark")
    page = pages.open("", viewport=PHONE, has_touch=True, is_mobile=True)
    page.tap("#new")
    save(page, "phone-new")


def main(url: str) -> None:
    """Save the screenshots of the page at an address."""
    IMAGES.mkdir(exist_ok=True)
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        save_all(PageOpener(browser, url), url)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
