"""The page of a service with API keys: games by link, a public tenant, events."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from service.access.api_keys import add_key
from tests.page.table import expect_piles, expect_row, sent, settle, tap
from tests.servers import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import BrowserContext, Page, Request

    Context = Callable[..., BrowserContext]
    Post = Callable[[Service, str, object], Any]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="acc") as name:
        yield Path(name)


@pytest.fixture(scope="module")
def key(folder: Path) -> str:
    return add_key(folder / "keys.json", "games", "games", date(2026, 1, 31))


def keyed_service(folder: Path, key: str, **settings: object) -> Service:
    assert key
    keys = {"api_keys_file": folder / "keys.json", "store_timeout": 5}
    return Service({"data_dir": folder / "store"} | keys | settings)


@pytest.fixture(scope="module")
def public(folder: Path, key: str) -> Iterator[Service]:
    with keyed_service(folder, key, public_tenant="games", workers=2) as service:
        yield service


@pytest.fixture
def post(key: str) -> Callable[[Service, str, object], Any]:
    def send(service: Service, path: str, body: object) -> Any:  # noqa: ANN401
        fields = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        data = json.dumps(body).encode()
        answer = service.request("POST", f"/v1/{path}", data, fields, timeout=60)
        assert answer.status < 300, answer.body
        return json.loads(answer.body)

    return send


def visit(context: Context, service: Service, path: str = "") -> Page:
    page = context().new_page()
    page.goto(f"{service.url}/{path}")
    page.wait_for_selector("html[data-ready]")
    return page


def event(**body: object) -> dict[str, object]:
    now = datetime.now(UTC).replace(microsecond=0)
    times = {
        "opens_at": (now - timedelta(hours=1)).isoformat(),
        "closes_at": (now + timedelta(hours=1)).isoformat(),
    }
    return {"name": "Spring cup", "variant": "late-binding", **times} | body


def test_page_plays_games_of_the_public_tenant(
    public: Service, context: Context, requests: list[Request]
) -> None:
    page = visit(context, public, "?variant=accordion&seed=42")
    tap(page, 13)
    settle(page)
    expect_piles(page, 51)
    assert sent(requests, "moves") == [{"from": 13, "to": 12}]


def test_event_is_played_under_a_name(
    public: Service,
    context: Context,
    requests: list[Request],
    post: Post,
) -> None:
    made = post(public, "events", event(attempts=2))
    page = visit(context, public, f"?event={made['id']}")
    result = page.locator("#result")
    expect(result.locator("h2")).to_have_text("Spring cup")
    expect(result).to_contain_text("2 games for each player.")
    expect(page.locator("#tools")).to_be_hidden()
    assert {request.method for request in requests} == {"GET"}
    result.locator("input").fill("Ada")
    result.get_by_role("button", name="Play").click()
    expect(result).to_be_hidden()
    expect_piles(page, 18)
    expect(page.locator("#deal-name")).to_have_text("Spring cup")
    (body,) = sent(requests, "games")
    assert (body["event"], body["player"]) == (made["id"], "Ada")
    state = page.evaluate("JSON.parse(sessionStorage.getItem('accordion.game'))")
    game = json.loads(public.request("GET", f"/v1/games/{state['id']}").body)
    while moves := game["legal_moves"]:
        game = post(public, f"games/{game['id']}/moves", moves[-1])
    page.reload()
    expect_row(page, game["row"])
    expect(result.locator("tr.me td").nth(1)).to_have_text("Ada")
    page.goto(f"{public.url}/?event={made['id']}")
    expect_row(page, game["row"])
    result.get_by_role("button", name="Same deal again").click()
    expect_piles(page, 18)


def test_event_that_is_not_open_yet_cannot_be_played(
    public: Service, context: Context, post: Post
) -> None:
    soon = (datetime.now(UTC) + timedelta(hours=1)).replace(microsecond=0)
    later = (soon + timedelta(hours=1)).isoformat()
    made = post(public, "events", event(opens_at=soon.isoformat(), closes_at=later))
    page = visit(context, public, f"?event={made['id']}")
    expect(page.locator("#result")).to_contain_text("Opens")
    expect(page.locator("#result input")).to_have_count(0)


def test_open_events_are_offered(public: Service, context: Context, post: Post) -> None:
    post(public, "events", event(name="Summer cup"))
    page = visit(context, public)
    page.click("#new")
    page.get_by_role("link", name="Summer cup").click()
    expect(page.locator("#result h2")).to_have_text("Summer cup")


def test_without_a_public_tenant_the_page_plays_given_games(
    folder: Path,
    key: str,
    context: Context,
    post: Post,
) -> None:
    with keyed_service(folder, key, data_dir=folder / "other") as service:
        page = visit(context, service)
        expect(page.locator("#notice")).to_contain_text("started by the sites")
        expect(page.locator("#tools")).to_be_hidden()
        game = post(service, "games", {"seed": "42"})
        for name in ("game", "watch"):
            mark = game["id" if name == "game" else "watch_id"]
            page = visit(context, service, f"#{name}={mark}")
            expect_piles(page, 52)
            expect(page.locator("#new")).to_be_hidden()
