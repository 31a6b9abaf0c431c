"""Lost connections, other tabs, blocked storage, refused moves, a path prefix."""

from __future__ import annotations

import shutil
import socket
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.page.table import (
    SEED,
    Ask,
    Visit,
    expect_piles,
    expect_row,
    game_id,
    pile,
    row,
    sent,
    settle,
    tap,
)
from tests.servers import free_port, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Request

    from tests.servers import Service


pytestmark = pytest.mark.browser


def test_game_goes_on_offline(visit: Visit, ask: Ask) -> None:
    page = visit(SEED)
    tap(page, 13)
    settle(page)
    page.context.set_offline(True)
    tap(page, 9)
    expect(page.locator("#notice")).to_contain_text("No connection")
    tap(page, 2)
    expect_piles(page, 49)
    page.context.set_offline(False)
    settle(page)
    expect(page.locator("#notice")).to_have_text("The connection is back.")
    state = ask(f"games/{game_id(page)}")
    assert state["moves"] == 3
    assert state["row"] == row(page)


def test_reload_in_the_middle_of_a_move_loses_nothing(visit: Visit, ask: Ask) -> None:
    page = visit(SEED)
    page.route("**/v1/games", lambda route: route.abort())
    tap(page, 13)
    expect(page.locator("#notice")).to_contain_text("No connection")
    page.unroute("**/v1/games")
    page.reload()
    expect_piles(page, 51)
    settle(page)
    state = ask(f"games/{game_id(page)}")
    assert state["moves"] == 1
    assert state["row"] == row(page)


def test_move_whose_response_is_lost_is_made_once(
    visit: Visit, requests: list[Request], ask: Ask
) -> None:
    page = visit(SEED)
    tap(page, 13)
    settle(page)
    requests.clear()
    lost: list[Any] = []

    def lose(route: Any) -> None:  # noqa: ANN401
        if lost:
            route.continue_()
            return
        lost.append(route.fetch())
        route.abort()

    page.route("**/moves", lose)
    tap(page, 9)
    settle(page)
    assert len(sent(requests, "moves")) == 2
    assert ask(f"games/{game_id(page)}")["moves"] == 2


def test_two_tabs_show_the_same_game(visit: Visit) -> None:
    page = visit(SEED)
    tap(page, 13)
    settle(page)
    other = page.context.new_page()
    other.goto(page.url)
    expect_piles(other, 51)
    tap(other, 9)
    settle(other)
    expect_row(page, row(other))
    expect(page.locator("#notice")).to_contain_text("another window")


def test_move_that_came_too_late_is_explained(
    visit: Visit, ask: Ask, messages: list[str]
) -> None:
    page = visit(SEED)
    tap(page, 13)
    settle(page)
    state = ask(f"games/{game_id(page)}/moves", {"from": 2, "to": 1})
    tap(page, 9)
    expect_row(page, state["row"])
    expect(page.locator("#notice")).to_contain_text("another window")
    assert "412" in messages.pop()


def test_blocked_storage_still_plays(
    context: Callable[..., BrowserContext], address: str
) -> None:
    browser = context()
    browser.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage'])"
        " Object.defineProperty(window, name, {get() {"
        " throw new DOMException('no', 'SecurityError'); }})"
    )
    page = browser.new_page()
    page.goto(address + SEED)
    page.wait_for_selector("html[data-ready]")
    tap(page, 13)
    expect_piles(page, 51)
    tap(page, 9)
    expect_piles(page, 50)


NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin")
PREFIX = "/games/patience/"
CONFIG = """
pid {folder}/pid; error_log stderr warn;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; scgi_temp_path {folder}/s; uwsgi_temp_path {folder}/u;
  server {{
    listen 127.0.0.1:{port};
    location {prefix} {{
      proxy_pass {service}/;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Prefix {prefix};
    }}
  }}
}}
"""


@pytest.fixture
def prefixed_url(service: Service, tmp_path: Path) -> Iterator[str]:
    """The URL of the page behind nginx, under a path prefix."""
    if NGINX is None:
        pytest.skip("no nginx here")
    port, config = free_port(), tmp_path / "nginx.conf"
    config.write_text(
        CONFIG.format(folder=tmp_path, port=port, prefix=PREFIX, service=service.url)
    )
    command = [NGINX, "-e", "stderr", "-c", str(config), "-g", "daemon off;"]
    nginx = subprocess.Popen(command)

    def listens() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    wait_until(listens)
    yield f"http://127.0.0.1:{port}{PREFIX}"
    nginx.terminate()
    nginx.wait()


def test_page_works_below_a_path(
    prefixed_url: str, context: Callable[..., BrowserContext]
) -> None:
    page = context().new_page()
    page.goto(prefixed_url + SEED)
    page.wait_for_selector("html[data-ready]")
    with page.expect_response("**/moves") as answer:
        tap(page, 13)
    assert answer.value.status == 200
    assert answer.value.url.startswith(f"{prefixed_url}v1/games/")
    page.click("#open-rules")
    expect(page.locator("dialog")).to_contain_text("Accordion")


def test_spectator_sees_the_game_live_and_cannot_play(visit: Visit, ask: Ask) -> None:
    game = ask("games", {"variant": "accordion", "seed": "42"})
    page = visit(f"#watch={game['watch_id']}")
    expect_piles(page, 52)
    pile(page, 13).click(force=True)
    expect_piles(page, 52)
    state = ask(f"games/{game['id']}/moves", {"from": 13, "to": 12})
    expect_row(page, state["row"])
    expect(pile(page, 12)).to_have_class("card last")
    expect(page.locator("#undo")).to_be_hidden()
    assert page.evaluate("sessionStorage.getItem('accordion.game')") is None


def test_unknown_game_is_explained(
    context: Callable[..., BrowserContext], address: str, messages: list[str]
) -> None:
    page = context().new_page()
    page.goto(f"{address}#game=unknownunknownunknow")
    expect(page.locator("#notice")).to_contain_text("did not work")
    assert "404" in messages.pop()
