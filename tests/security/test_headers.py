"""Header fields for browsers: what a page may do, and CORS."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from tests.security.routes import ask, routes_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask import Flask
    from werkzeug.test import TestResponse

    from tests.http.client import Api

PAGES = ["/docs", "/problems", "/problems/illegal-move"]
HTML = {"Accept": "text/html"}
PORTAL, STRANGER = "https://portal.example", "https://stranger.example"
EXPOSED = {
    "ETag",
    "Location",
    "Link",
    "Retry-After",
    "Idempotent-Replayed",
    "RateLimit",
    "RateLimit-Policy",
    "X-Request-ID",
    "Content-Language",
    "Date",
}


def policy(answer: TestResponse) -> dict[str, str]:
    directives = answer.headers["Content-Security-Policy"].split("; ")
    return dict(directive.split(" ", 1) for directive in directives)


def assert_safe(answer: TestResponse) -> None:
    """Check that a response has each security field exactly once."""
    for name, value in {
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
    }.items():
        assert answer.headers.getlist(name) == [value], name
    assert len(answer.headers.getlist("Content-Security-Policy")) == 1
    directives = policy(answer)
    assert directives["default-src"] == directives["frame-ancestors"] == "'none'"
    is_page = answer.mimetype == "text/html"
    assert ("script-src" in directives) == is_page
    assert ("Permissions-Policy" in answer.headers) == is_page


# --- security


def test_every_route_sends_the_security_fields(
    make_app: Callable[..., Flask], keys_file: Path
) -> None:
    keys_file.write_text('{"keys": []}')
    for app in (make_app(), make_app(api_keys_file=keys_file)):
        for method, rule in routes_of(app):
            for headers in ({}, HTML):
                assert_safe(ask(app.test_client(), method, rule, headers))


def test_every_error_sends_the_security_fields(
    make_app: Callable[..., Flask], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> bytes:
        raise RuntimeError

    monkeypatch.setattr("service.http.routes.service.render", fail)
    app = make_app(rate_limit="3/day", store_timeout=5.0)
    client = app.test_client()
    answers = [
        client.get("/none"),
        client.get("/%00"),
        client.delete("/docs"),
        client.get("/metrics"),
        client.post("/v1/games", data="{", content_type="application/json"),
        client.post("/v1/games", data="x" * 70_000, content_type="application/json"),
        client.post("/v1/games", data="x", content_type="text/plain"),
        client.get("/v1/variants"),
    ]
    statuses = [answer.status_code for answer in answers]
    assert statuses == [404, 404, 405, 500, 400, 413, 415, 429]
    for answer in answers:
        assert_safe(answer)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_may_load_only_files_of_this_service(
    make_app: Callable[..., Flask], path: str
) -> None:
    answer = make_app().test_client().get(path, headers=HTML)
    assert answer.mimetype == "text/html"
    directives = policy(answer)
    assert set(directives.values()) == {"'self'", "'none'"}
    assert {directives[name] for name in ("base-uri", "form-action")} == {"'none'"}
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"


class Page(HTMLParser):
    """Collects what the policy forbids in a page, and what the page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.stopped: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        inline = [name for name in given if name == "style" or name.startswith("on")]
        if inline or tag in {"style", "iframe", "object", "embed", "base", "form"}:
            self.stopped.append(f"{tag} {inline}")
        if tag == "script" and "src" not in given:
            self.stopped.append(tag)
        if tag in {"link", "script", "img"}:
            self.loaded.append(given.get("href") or given.get("src") or "")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_obeys_its_own_policy(make_app: Callable[..., Flask], path: str) -> None:
    client = make_app().test_client()
    page = Page()
    page.feed(client.get(path, headers=HTML).get_data(as_text=True))
    assert page.stopped == []
    assert page.loaded
    for address in page.loaded:
        assert address.startswith("/")
        assert not address.startswith("//")
        with client.get(address) as loaded:
            assert loaded.status_code == 200


# --- CORS


def preflight(api: Api, origin: str, path: str = "/v1/games") -> dict[str, str]:
    asked = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,if-match",
    }
    reply = api.ask("OPTIONS", path, headers=asked)
    assert reply.status == 204
    return dict(reply.headers)


def words(text: str) -> set[str]:
    return {word.strip() for word in text.split(",")}


def cors_fields(headers: dict[str, str]) -> set[str]:
    return {name for name in headers if name.startswith("Access-Control-")}


def test_a_page_of_a_configured_origin_may_send_requests(
    make_api: Callable[..., Api],
) -> None:
    headers = preflight(make_api(cors_origins=(PORTAL,)), PORTAL)
    assert headers["Access-Control-Allow-Origin"] == PORTAL
    assert words(headers["Access-Control-Allow-Methods"]) == {
        "GET",
        "HEAD",
        "POST",
        "DELETE",
    }
    assert words(headers["Access-Control-Allow-Headers"]) >= {
        "Authorization",
        "Content-Type",
        "If-Match",
        "If-None-Match",
        "Idempotency-Key",
        "Prefer",
    }
    assert int(headers["Access-Control-Max-Age"]) > 0
    assert "Origin" in words(headers["Vary"])
    assert "Access-Control-Allow-Credentials" not in headers


def test_a_page_of_a_configured_origin_may_read_responses(
    make_api: Callable[..., Api],
) -> None:
    api = make_api(cors_origins=(PORTAL, "https://other.example"))
    for path in ("/v1/variants", "/v1/games/none", "/openapi.json"):
        headers = dict(api.get(path, {"Origin": PORTAL}).headers)
        assert headers["Access-Control-Allow-Origin"] == PORTAL
        assert words(headers["Access-Control-Expose-Headers"]) == EXPOSED
        assert "Origin" in words(headers["Vary"])
        assert "Access-Control-Allow-Methods" not in headers


@pytest.mark.parametrize(
    "origin",
    [STRANGER, "null", f"{PORTAL}.evil.example", f"{PORTAL}:8443", PORTAL.upper(), ""],
)
def test_a_page_of_another_origin_may_send_no_requests(
    make_api: Callable[..., Api], origin: str
) -> None:
    api = make_api(cors_origins=(PORTAL,))
    assert cors_fields(preflight(api, origin)) == set()
    headers = dict(api.get("/v1/variants", {"Origin": origin}).headers)
    assert cors_fields(headers) == set()
    assert "Origin" in words(headers["Vary"])


def test_pages_of_every_origin_may_send_requests_if_configured(
    make_api: Callable[..., Api],
) -> None:
    api = make_api(cors_origins=("*",))
    assert preflight(api, STRANGER)["Access-Control-Allow-Origin"] == "*"
    headers = dict(api.get("/v1/variants", {"Origin": STRANGER}).headers)
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert "Origin" not in words(headers["Vary"])
    assert "Access-Control-Allow-Credentials" not in headers


def test_without_the_setting_no_other_page_may_send_requests(
    make_api: Callable[..., Api],
) -> None:
    api = make_api()
    assert cors_fields(preflight(api, PORTAL)) == set()
    assert cors_fields(dict(api.get("/v1/variants", {"Origin": PORTAL}).headers)) == (
        set()
    )


def test_a_page_of_a_configured_origin_may_read_refusals(
    make_api: Callable[..., Api], keys_file: Path
) -> None:
    keys_file.write_text('{"keys": []}')
    api = make_api(
        cors_origins=(PORTAL,),
        api_keys_file=keys_file,
        keys_everywhere=True,
        rate_limit="1/day",
        store_timeout=5.0,
    )
    assert preflight(api, PORTAL)["Access-Control-Allow-Origin"] == PORTAL
    limited = make_api(cors_origins=(PORTAL,), rate_limit="1/day", store_timeout=5.0)
    replies = [
        one.get("/v1/variants", {"Origin": PORTAL}) for one in (api, limited, limited)
    ]
    assert [reply.status for reply in replies] == [401, 200, 429]
    for reply in replies:
        assert reply.headers["Access-Control-Allow-Origin"] == PORTAL
        assert words(reply.headers["Access-Control-Expose-Headers"]) == EXPOSED


@pytest.mark.parametrize(("path", "status"), [("/nope", 404), (f"/{'x' * 8000}", 414)])
def test_a_page_may_read_that_a_path_is_unknown_or_too_long(
    make_api: Callable[..., Api], path: str, status: int
) -> None:
    """A browser sends a preflight request first; that must succeed."""
    api = make_api(cors_origins=(PORTAL,))
    headers = preflight(api, PORTAL, path)
    assert headers["Access-Control-Allow-Origin"] == PORTAL
    assert "Authorization" in words(headers["Access-Control-Allow-Headers"])
    reply = api.get(path, {"Origin": PORTAL})
    assert reply.status == status
    assert reply.headers["Access-Control-Allow-Origin"] == PORTAL
    assert words(reply.headers["Access-Control-Expose-Headers"]) == EXPOSED
