"""The portal of examples/portal with a real service and a browser."""

from __future__ import annotations

import json
import time
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from werkzeug.serving import make_server

from examples.portal.portal import Portal, create_app
from service.access.api_keys import add_key
from tests.servers import Service, free_port, running, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext

    Context = Callable[..., BrowserContext]

pytestmark = pytest.mark.browser

VARIANT = "late-binding"
TIMEOUT_MS = 60_000
"""Long, for busy machines."""
CARDS = ".row .card[data-card]"


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[tuple[str, Portal, Service]]:
    """A portal's address, the portal, and the service that it uses."""
    port, keys = free_port(), tmp_path / "keys.json"
    key, address = (
        add_key(keys, "p", "p", date(2026, 1, 31)),
        f"http://localhost:{port}",
    )
    settings = {
        "data_dir": tmp_path / "data",
        "api_keys_file": keys,
        "webhooks": "private:localhost",
        "frame_ancestors": address,
    }
    with Service(settings) as service:
        portal = Portal(service.url, key, address, str(tmp_path / "portal.sqlite3"))
        app = create_app(portal, VARIANT)
        with running(make_server("127.0.0.1", port, app, threaded=True)):
            yield address, portal, service


def ask(service: Service, game_id: str, action: str = "", body: str = "{}") -> Any:  # noqa: ANN401
    """Call the API as a browser does, with the game's id and no key."""
    method, data = ("POST", body.encode()) if action else ("GET", None)
    fields = {"Content-Type": "application/json"}
    path = f"/v1/games/{game_id}{action}"
    return json.loads(service.request(method, path, data, fields).body)


def test_members_play_the_deal_of_the_day_and_the_portal_has_a_board(
    portal: tuple[str, Portal, Service], context: Context
) -> None:
    address, database, service = portal
    page = context().new_page()
    page.goto(address)
    page.get_by_label("Your name").fill("é & <b>Zoë")
    page.get_by_role("button", name="Play").click()
    frame = page.frame_locator("iframe")
    expect(frame.locator(CARDS)).to_have_count(18, timeout=TIMEOUT_MS)
    ((reference, game_id),) = database.query("SELECT reference, id FROM games")
    assert page.url == f"{address}/games/{reference}"
    game = ask(service, game_id)
    while game["status"] == "playing":
        game = ask(service, game_id, "/moves", json.dumps(game["legal_moves"][-1]))
    wait_until(lambda: ends(database) == [(1, game["score"])])
    # The last move is undone, and the game is ended again in the browser.
    game = ask(service, game_id, "/undo")
    page.reload()
    left = len(game["row"])
    expect(frame.locator(CARDS)).to_have_count(left, timeout=TIMEOUT_MS)
    move = game["legal_moves"][-1]
    cards = frame.locator(CARDS)
    cards.nth(move["from"]).click()
    if frame.locator(".row.choosing").count():
        cards.nth(move["to"]).click()
    expect(cards).to_have_count(left - 1, timeout=TIMEOUT_MS)
    wait_until(lambda: [end for end, _ in ends(database)] == [2])
    over = ask(service, game_id)
    assert ends(database) == [(2, over["score"])]
    page.get_by_role("link", name="Board").click()
    entry = page.locator("ol li")
    expect(entry).to_have_text(f"é & <b>Zoë: {over['score']}", timeout=TIMEOUT_MS)


def ends(portal: Portal) -> list[Any]:
    return portal.query("SELECT end, score FROM games")


def test_webhook_with_a_wrong_signature_is_refused(
    portal: tuple[str, Portal, Service], context: Context
) -> None:
    address, database, _ = portal
    database.start("Ada", VARIANT)
    forged = context().request.post(
        f"{address}/hook",
        data={"type": "game.over", "data": {"score": 9999}},
        headers={
            "webhook-id": "msg_1",
            "webhook-timestamp": str(int(time.time())),
            "webhook-signature": "v1,aGVsbG8=",
        },
    )
    assert forged.status == 400
    assert ends(database) == [(0, None)]
