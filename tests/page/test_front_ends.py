"""The page of docs/front-ends.md, served from another origin."""

from __future__ import annotations

import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.servers import Service, running

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext

pytestmark = pytest.mark.browser

_PAGE = Path(__file__).parents[2] / "docs" / "front-ends.md"


class _SilentHandler(SimpleHTTPRequestHandler):
    """Serves a folder and logs nothing."""

    def log_message(self, *_arguments: object) -> None:
        pass


def test_the_page_of_the_quick_start_plays_and_resumes(
    tmp_path: Path, context: Callable[..., BrowserContext], messages: list[str]
) -> None:
    block = re.search(r"```html\n(.*?)```", _PAGE.read_text(), re.DOTALL)
    assert block is not None
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(_SilentHandler, directory=str(tmp_path))
    )
    origin = f"http://127.0.0.1:{server.server_address[1]}"
    with (
        running(server),
        TemporaryDirectory(prefix="acc") as folder,
        Service({"data_dir": folder, "cors_origins": origin}) as service,
    ):
        html = block[1].replace("http://127.0.0.1:8000", service.url)
        (tmp_path / "index.html").write_text(html)
        page = context().new_page()
        page.goto(f"{origin}/index.html")
        cards, message = page.locator("#row button"), page.locator("#message")
        expect(cards).to_have_count(52)
        page.locator("#row button:enabled").first.click()
        expect(message).to_have_text("playing, 51 piles, 10 points")
        page.reload()
        expect(message).to_have_text("playing, 51 piles, 10 points")
        page.get_by_role("button", name="Undo").click()
        expect(message).to_have_text("playing, 52 piles, 0 points")
        page.get_by_role("button", name="Hint").click()
        expect(message).to_contain_text(" → ")
    # The first visit requests a game and an icon that do not exist (404); a tap with
    # two targets is a 409.
    messages[:] = [text for text in messages if not re.search(r"\b40[49]\b", text)]
