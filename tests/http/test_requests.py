"""Requests that are malformed, too large, or for unknown paths, and CORS."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from service.config import Settings
from service.http.app import create_app
from tests.http.client import JSON, Api

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.store.redis import RedisStore

_LARGEST = 64 * 1024
_CHUNKED = {"Content-Type": JSON, "Transfer-Encoding": "chunked"}


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"{} {}",
        b"{'seed': 1}",
        b"nope",
        b'{"seed": NaN}',
        b"[Infinity]",
        b"[-Infinity]",
        b'{"seed": "1", "seed": "2"}',
        b'{"options": {"undo": "none", "undo": "none"}}',
        b'{"seed": "\\ud800"}',
        b'{"seed": "\\udc00\\ud800"}',
        b'{"\\ud800": 1}',
        b"\xff",
        b'{"seed": "\xed\xa0\x80"}',
        b"\xef\xbb\xbf{}",
        b"{}\x00",
        b'{"seed": "\x00"}',
        b"[" * 30_000,
        b'{"a":' * 12_000,
        b"9" * 5_000,
        '{"seed": "1"}'.encode("utf-16"),
    ],
    ids=lambda body: repr(body[:20]),
)
@pytest.mark.parametrize("path", ["/v1/games", "/v1/deals", "/v1/replays"])
def test_malformed_json_is_refused(api: Api, path: str, body: bytes) -> None:
    reply = api.post_bytes(path, body)
    assert (reply.status, reply.slug) == (400, "malformed-request")


def test_surrogate_pairs_are_accepted(api: Api) -> None:
    game = api.post_bytes("/v1/games", b'{"seed": "\\ud83c\\udca1"}').json
    assert game["seed"] == "🂡"


def test_a_missing_body(api: Api) -> None:
    game = api.start()
    for path in (f"/v1/games/{game['id']}/moves", "/v1/replays", "/v1/legal-moves"):
        reply = api.post(path)
        assert (reply.status, reply.slug) == (400, "malformed-request")
        assert "empty" in reply.json["detail"]


@pytest.mark.parametrize(
    "media_type",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "application/json; charset=latin-1",
        "multipart/form-data; boundary=x",
        ";;;",
    ],
)
def test_other_media_types_are_refused(api: Api, media_type: str) -> None:
    reply = api.post_bytes("/v1/games", b"{}", {"Content-Type": media_type})
    assert (reply.status, reply.slug) == (415, "unsupported-media-type")


@pytest.mark.parametrize("coding", ["gzip", "br", "x", "identity, gzip"])
def test_compressed_bodies_are_refused(api: Api, coding: str) -> None:
    reply = api.post("/v1/games", {}, {"Content-Encoding": coding})
    assert (reply.status, reply.slug) == (415, "unsupported-media-type")
    assert api.post("/v1/games", {}, {"Content-Encoding": "Identity"}).status == 201


@pytest.mark.parametrize(
    "media_type",
    ["application/json", "Application/JSON", 'application/json; charset="UTF-8"'],
)
def test_media_types_of_json_are_accepted(api: Api, media_type: str) -> None:
    reply = api.post_bytes("/v1/games", b"{}", {"Content-Type": media_type})
    assert reply.status == 201


def test_an_empty_body_needs_no_media_type(api: Api) -> None:
    fields = {"Content-Type": "application/x-www-form-urlencoded"}
    assert api.post_bytes("/v1/games", b"", fields).status == 201


def _padded(size: int) -> bytes:
    return b'{"seed": "1"' + b" " * (size - 13) + b"}"


def test_the_largest_body(api: Api) -> None:
    assert api.post_bytes("/v1/games", _padded(_LARGEST)).status == 201
    reply = api.post_bytes("/v1/games", _padded(_LARGEST + 1))
    assert (reply.status, reply.slug) == (413, "body-too-large")


def test_the_largest_body_without_a_length(api: Api) -> None:
    for size, status in ((_LARGEST, 201), (_LARGEST + 1, 413)):
        reply = api.ask(
            "POST",
            "/v1/games",
            headers=_CHUNKED,
            input_stream=io.BytesIO(_padded(size)),
            environ_overrides={"wsgi.input_terminated": True},
        )
        assert reply.status == status


class _BrokenBody(io.BytesIO):
    """A body whose framing is found to be broken while it is read."""

    def read(self, _size: int | None = -1) -> bytes:
        raise ValueError("chunk of no size")

    readinto = None  # type: ignore[assignment]


def test_a_body_with_broken_framing(api: Api) -> None:
    reply = api.ask(
        "POST",
        "/v1/games",
        headers=_CHUNKED,
        input_stream=_BrokenBody(),
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert (reply.status, reply.slug) == (400, "malformed-request")


@pytest.mark.parametrize(
    "path",
    [
        "/nope",
        "/v1",
        "/v1/",
        "//v1/games",
        "/v1//games",
        "/v1/games/",
        "/v1/games/a/b",
        "/v1/games/%2F/moves/x",
        "/V1/games",
        "/static",
        "/%00",
        "/%ff",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_unknown_paths_are_a_404(api: Api, method: str, path: str) -> None:
    reply = api.ask(method, path)
    assert (reply.status, reply.slug) == (404, "not-found")
    assert api.ask("HEAD", path).status == 404


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/x.css", "/problems/x"],
)
def test_unknown_names_in_paths_are_a_404(api: Api, path: str) -> None:
    reply = api.get(path)
    assert (reply.status, reply.slug) == (404, "not-found")


def test_a_problem_names_the_path_of_its_request(api: Api) -> None:
    assert api.get("/v1/h%C3%A9/a%20b?x=1").json["instance"] == "/v1/h%C3%A9/a%20b"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/games", "OPTIONS, POST"),
        ("PUT", "/v1/games/x", "DELETE, GET, HEAD, OPTIONS"),
        ("PATCH", "/v1/games/x/moves", "OPTIONS, POST"),
        ("DELETE", "/livez", "GET, HEAD, OPTIONS"),
        ("TRACE", "/v1/deals", "GET, HEAD, OPTIONS, POST"),
        ("BREW", "/v1/variants", "GET, HEAD, OPTIONS"),
    ],
)
def test_unsupported_methods_are_a_405(
    api: Api, method: str, path: str, allowed: str
) -> None:
    reply = api.ask(method, path)
    assert (reply.status, reply.slug) == (405, "method-not-allowed")
    assert reply.headers["Allow"] == allowed
    options = api.ask("OPTIONS", path)
    assert (options.status, options.raw) == (204, b"")
    assert options.headers["Allow"] == allowed


def test_head_is_get_without_a_body(api: Api) -> None:
    game = api.start()
    for path in (f"/v1/games/{game['id']}", "/v1/deals?seed=1", "/livez", "/docs"):
        fields = {"X-Request-ID": "one-of-mine"}
        got, head = api.get(path, fields), api.ask("HEAD", path, headers=fields)
        assert head.status == got.status == 200
        assert head.raw == b""
        assert head.headers == got.headers


@pytest.mark.parametrize(
    ("query", "faults"),
    [
        ("?x=1", {"/x"}),
        ("?x", {"/x"}),
        ("?a/b~=1", {"/a~1b~0"}),
        ("?x=1&x=2", {"/x"}),
        ("?=", {"/"}),
    ],
)
def test_unknown_query_parameters_are_refused(
    api: Api, query: str, faults: set[str]
) -> None:
    game = api.start()
    assert set(api.get(f"/v1/games/{game['id']}{query}").faults) == faults
    assert set(api.post(f"/v1/games/{game['id']}/finish{query}").faults) == faults
    assert set(api.delete(f"/v1/games/{game['id']}{query}").faults) == faults
    assert api.get(f"/v1/games/{game['id']}").json["version"] == 1


@pytest.mark.parametrize("query", ["?seed=%ff", "?%ff=1", "?seed=%ed%a0%80"])
def test_queries_that_are_not_utf_8(api: Api, query: str) -> None:
    reply = api.get(f"/v1/deals{query}")
    assert (reply.status, reply.slug) == (400, "malformed-request")


def test_an_invalid_host_is_not_an_internal_error(api: Api) -> None:
    reply = api.get("/v1/variants", {"Host": "a b/c"})
    assert reply.status in {200, 400}


def test_security_headers(api: Api) -> None:
    for path in ("/livez", "/nope", "/docs", "/static/docs.css", "/v1/variants"):
        headers = api.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


_HERE, _THERE = "https://here.example", "https://there.example"
_PREFLIGHT = {"Access-Control-Request-Method": "POST"}


def test_no_origin_unless_configured(api: Api) -> None:
    reply = api.get("/v1/variants", {"Origin": _HERE})
    assert not [name for name in reply.headers if name.startswith("Access-Control")]
    assert reply.headers["Vary"] == "Accept-Language"


def test_configured_origins(make_api: Callable[..., Api]) -> None:
    api = make_api(cors_origins=(_HERE,))
    reply = api.get("/v1/variants", {"Origin": _HERE})
    assert reply.headers["Access-Control-Allow-Origin"] == _HERE
    assert reply.headers["Vary"] == "Accept-Language, Origin"
    exposed = reply.headers["Access-Control-Expose-Headers"].split(", ")
    assert set(exposed) == {
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
    other = api.get("/v1/variants", {"Origin": _THERE})
    assert "Access-Control-Allow-Origin" not in other.headers
    assert other.headers["Vary"] == "Accept-Language, Origin"
    error = api.get("/v1/games/x", {"Origin": _HERE})
    assert error.headers["Access-Control-Allow-Origin"] == _HERE


def test_any_origin(make_api: Callable[..., Api]) -> None:
    api = make_api(cors_origins=("*",))
    reply = api.get("/livez", {"Origin": _THERE})
    assert reply.headers["Access-Control-Allow-Origin"] == "*"


def test_preflight(make_api: Callable[..., Api]) -> None:
    api = make_api(cors_origins=(_HERE,))
    reply = api.ask("OPTIONS", "/v1/games", headers={"Origin": _HERE, **_PREFLIGHT})
    assert reply.status == 204
    assert "POST" in reply.headers["Access-Control-Allow-Methods"]
    allowed = reply.headers["Access-Control-Allow-Headers"].split(", ")
    assert {"Content-Type", "If-Match", "Prefer", "Idempotency-Key"} <= set(allowed)
    refused = api.ask("OPTIONS", "/v1/games", headers={"Origin": _THERE, **_PREFLIGHT})
    assert "Access-Control-Allow-Methods" not in refused.headers


def test_behind_proxies(store: RedisStore) -> None:
    fields = {"X-Forwarded-Prefix": "/cards"}
    direct = Api(create_app(Settings(), store)).post("/v1/games", {}, fields)
    assert direct.headers["Location"].startswith("/v1/games/")
    app = create_app(Settings(trusted_proxies=1), store)
    reply = Api(app).post("/v1/games", {}, fields)
    assert reply.headers["Location"].startswith("/cards/v1/games/")
    assert Api(app).get("/nope", fields).json["instance"] == "/cards/nope"
