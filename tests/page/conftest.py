"""A real service and a browser."""

from __future__ import annotations

import json
import shutil
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Request,
    sync_playwright,
)

from docs.examples.portal import Portal
from tests.node_packages import install
from tests.page.table import CLIENT, Ask, Visit
from tests.servers import Service, running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
_ARGUMENTS = (
    "--no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


@pytest.fixture(scope="session")
def portal() -> Iterator[Portal]:
    """The portal of the documentation; only this one may show the page in a frame."""
    portal = Portal("", 0)
    with running(portal):
        yield portal


@pytest.fixture(scope="session")
def service(portal: Portal) -> Iterator[Service]:
    settings = {
        "workers": 2,
        "store_timeout": 5,
        "frame_ancestors": f"http://localhost:{portal.server_address[1]}",
    }
    with (
        TemporaryDirectory(prefix="acc") as folder,
        Service(settings | {"data_dir": folder}) as running_service,
    ):
        portal.service = running_service.url
        yield running_service


@pytest.fixture(scope="session")
def address(service: Service) -> str:
    """The URL of the page."""
    return f"{service.url}/"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=_ARGUMENTS.split()
        )
        yield browser
        browser.close()


@pytest.fixture
def messages() -> list[str]:
    """The console messages of the browsers; messages left at the end fail the test."""
    return []


@pytest.fixture
def requests() -> list[Request]:
    """The requests that the browsers of a test have sent."""
    return []


@pytest.fixture
def context(
    chromium: Browser, messages: list[str], requests: list[Request]
) -> Iterator[Callable[..., BrowserContext]]:
    """Opens contexts: browsers that share no storage."""
    opened: list[BrowserContext] = []

    def make(**options: Any) -> BrowserContext:  # noqa: ANN401
        new = chromium.new_context(**({"locale": "en"} | options))
        new.on("console", lambda message: messages.append(message.text))
        new.on("weberror", lambda error: messages.append(str(error.error)))
        new.on("request", lambda request: requests.append(request))  # noqa: PLW0108
        opened.append(new)
        return new

    yield make
    for one in opened:
        one.close()
    # Chromium itself logs each request that a test has aborted.
    assert [text for text in messages if "net::ERR" not in text] == []


@pytest.fixture
def visit(context: Callable[..., BrowserContext], address: str) -> Visit:
    """Opens a path of the page in a new browser; returns when the page is ready."""

    def go(path: str = "", **options: Any) -> Page:  # noqa: ANN401
        page = context(**options).new_page()
        page.goto(address + path)
        page.wait_for_selector("html[data-ready]")
        return page

    return go


@pytest.fixture
def ask(service: Service) -> Ask:
    """Calls the API directly: ask("games", {...}) posts, ask("games/ID") gets."""

    def send(path: str, body: object = None) -> Any:  # noqa: ANN401
        method = "GET" if body is None else "POST"
        data = None if body is None else json.dumps(body).encode()
        answer = service.request(
            method,
            f"/v1/{path}",
            data,
            {"Content-Type": "application/json"},
            timeout=60,
        )
        assert answer.status < 400, answer.body
        return json.loads(answer.body)

    return send


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """The client's development packages, from its lock file."""
    return install(CLIENT)


@pytest.fixture(scope="session")
def axe(node_modules: Path) -> str:
    """The source of axe-core."""
    return (node_modules / "axe-core/axe.min.js").read_text()
