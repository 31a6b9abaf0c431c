"""Invalid input of every kind for every operation.

The client checks each reply against the API description. These tests check that the
status is right and never 500, and that the game does not change.
"""

from __future__ import annotations

import json
import re
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.access.api_keys import add_key
from service.config import Settings
from service.http.app import create_app
from tests.conftest import open_store_at
from tests.http.client import JSON, Api, find_operation
from tests.properties.conftest import LONG_STORE_TIMEOUT
from tests.properties.invalid_input import (
    MALFORMED_JSON,
    NOT_OBJECTS,
    PATH_CHANGES,
    UNKNOWN_NAMES,
    UNKNOWN_QUERIES,
    WRONG_HEADERS,
    WRONG_VALUES,
)
from tests.properties.operations import Operation, operation_id, operations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.http.client import Reply
    from tests.servers import StoreServer

_DECK = ["4S", "7H", "QC", "4D", "KD"]
_LARGEST = 64 * 1024
_REFUSED = {400, 404, 409, 412, 413, 415, 422}

_WITH_BODY = [operation for operation in operations("POST") if operation.members]
_READS = [
    operation
    for operation in operations("GET")
    # These are long, and none depends on its request.
    if not operation.template.startswith(("/docs", "/openapi"))
]
_VALID_TEXTS: dict[str, Callable[[str], object]] = {
    "seed": lambda text: text.isprintable() and 0 < len(text) <= 64,
    "player": lambda text: text.isprintable() and re.fullmatch(r"[^/\\]{1,32}", text),
    "name": lambda text: text.isprintable() and 0 < len(text) <= 64,
    "reference": lambda text: re.fullmatch("[!-~]{1,64}", text),
}
"""Members that accept text, with a check whether a text is valid."""
_VALID_QUERIES = {
    ("seed", "../.."),
    ("seed", "nope"),
    ("around", "nope"),
    ("reference", "../.."),
    ("reference", "nope"),
}
"""Values of query parameters that are valid although they look invalid."""
_STATUSES_OF_UNKNOWN_NAMES = {
    "date": {422},
    "month": {422},
    "player": {200, 204, 404, 422},  # a list of no games, and nothing left to erase
}
_NOT_FOUND_PATHS = {
    "/v1/games/{game_id}/leaderboard",
    "/v1/games/{game_id}/review",
    "/v1/watch/{watch_id}/review",
    "/v1/players/{player}",
    "/v1/events/{event}",
    "/v1/leaderboards/events/{event}",
    "/v1/webhooks/{webhook}",
    "/v1/webhooks/{webhook}/deliveries",
}
"""The paths of something that does not exist, such as a board or an event."""
on_every_operation = pytest.mark.parametrize(
    "operation", operations(), ids=operation_id
)


@pytest.fixture
def api(valkey_server: StoreServer, tmp_path: Path) -> Api:
    """A tenant of an empty service with API keys, who may use every operation."""
    with valkey_server.client() as client:
        client.flushall()
    keys = tmp_path / "keys.json"
    key = add_key(keys, "portal", "portal", date(2026, 1, 31))
    store = open_store_at(
        valkey_server.url, timeout=LONG_STORE_TIMEOUT["store_timeout"]
    )
    return Api(
        create_app(
            Settings(api_keys_file=keys, webhooks=("portal.example.org",)), store
        ),
        key,
    )


class _Game:
    """A game, and the requests about it."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.state = api.start(deck=_DECK)

    def path(self, operation: Operation, **values: str) -> str:
        mine = {"game_id": self.state["id"], "watch_id": self.state["watch_id"]}
        return operation.path(**mine | values)

    def ask(
        self, operation: Operation, query: str = "", data: bytes = b"", **fields: str
    ) -> Reply:
        kind = {"Content-Type": JSON} if data else {}
        headers = kind | {name.replace("_", "-"): fields[name] for name in fields}
        return self.api.ask(
            operation.method, self.path(operation) + query, data, headers
        )

    def is_unchanged(self) -> bool:
        now = self.api.get(f"/v1/games/{self.state['id']}").json
        return bool(now | {"elapsed_seconds": 0} == self.state | {"elapsed_seconds": 0})


@pytest.fixture
def game(api: Api) -> Iterator[_Game]:
    """A game that the test must not change."""
    game = _Game(api)
    yield game
    assert game.is_unchanged()


@pytest.mark.parametrize("body", MALFORMED_JSON.values(), ids=MALFORMED_JSON)
def test_malformed_json(game: _Game, body: bytes) -> None:
    for operation in operations("POST"):
        reply = game.ask(operation, data=body)
        assert (reply.status, reply.slug) == (400, "malformed-request"), (
            operation.template
        )


@pytest.mark.parametrize("body", NOT_OBJECTS)
def test_json_that_is_not_an_object(game: _Game, body: str) -> None:
    for operation in operations("POST"):
        reply = game.ask(operation, data=body.encode())
        assert reply.faults.keys() == {""}, operation.template


@pytest.mark.parametrize("operation", _WITH_BODY, ids=operation_id)
@pytest.mark.parametrize("value", WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_wrong_values_of_members(
    game: _Game, operation: Operation, value: object
) -> None:
    for member in operation.required if value is None else operation.members:
        reply = game.ask(operation, data=_write({member: value}))
        if _is_valid(member, value):
            continue
        assert reply.status in {400, 422}, (member, reply.raw[:200])
        if reply.status == 422:
            assert any(
                pointer in ("", f"/{member}") or pointer.startswith(f"/{member}/")
                for pointer in reply.faults
            )


def _is_valid(member: str, value: object) -> bool:
    """Whether the value is valid for the member: a seed is any text or number."""
    if isinstance(value, str):
        return member in _VALID_TEXTS and bool(_VALID_TEXTS[member](value))
    match member, value:
        case "options", {}:
            return value == {}
        case "seed", int():
            return type(value) is int and 0 < len(str(value)) <= 64
        case "from" | "to", int():
            return type(value) is int
        case "count" | "budget_ms", int():
            return type(value) is int and value > 0
    return member in {"daily", "winnable"} and value is False


def _write(value: object) -> bytes:
    """Write JSON, cut off at the largest body."""
    return json.dumps(value).encode()[:_LARGEST]


@pytest.mark.parametrize("name", ["x", "", "__class__", "Count", "count ", "\0", "é"])
def test_unknown_members(game: _Game, name: str) -> None:
    for operation in operations("POST"):
        pointers = game.ask(operation, data=_write({name: 1})).faults
        assert f"/{name}" in pointers, operation.template


_any_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("operation", _WITH_BODY, ids=operation_id)
def test_values_of_any_kind(api: Api, operation: Operation) -> None:
    names = st.sampled_from(operation.members) | st.text(max_size=8)

    @given(st.dictionaries(names, _any_json, max_size=4))
    def try_values(body: dict[str, object]) -> None:
        game = _Game(api)
        reply = game.ask(operation, data=_write(body))
        assert reply.status in _REFUSED | {200, 201}
        assert reply.status == 200 or game.is_unchanged()

    try_values()


@pytest.mark.parametrize(
    "media_type",
    [
        "",
        "text/plain",
        "text/json",
        "application/json5",
        "application/problem+json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application",
        "\xff",
        "*/*",
        ";",
        "x" * 8000,
    ],
)
def test_other_media_types(game: _Game, media_type: str) -> None:
    for operation in operations("POST"):
        reply = game.ask(operation, data=b"{}", Content_Type=media_type)
        if media_type in operation.media_types:
            assert reply.status == 422
            continue
        assert (reply.status, reply.slug) == (415, "unsupported-media-type")


@pytest.mark.parametrize("coding", ["gzip", "br", "nope", "gzip, identity", "\xff"])
def test_compressed_bodies(game: _Game, coding: str) -> None:
    for operation in operations("POST"):
        reply = game.ask(operation, data=b"{}", Content_Encoding=coding)
        assert (reply.status, reply.slug) == (415, "unsupported-media-type")


@on_every_operation
def test_unknown_query_parameters(game: _Game, operation: Operation) -> None:
    data = b"{}" if operation.members else b""
    malformed = ("%ff", "x=%ff", "x=%ed%a0%80", "x=%c0%80")
    if not operation.template.startswith("/v1"):
        for query in (*UNKNOWN_QUERIES, *malformed):
            assert game.ask(operation, f"?{query}").status < 400, query
        return
    for query in UNKNOWN_QUERIES:
        reply = game.ask(operation, f"?{query}", data=data)
        assert reply.status == 422, query
        assert len(reply.faults) >= 1
    for query in malformed:
        reply = game.ask(operation, f"?{query}")
        assert (reply.status, reply.slug) == (400, "malformed-request"), query


@on_every_operation
def test_wrong_values_of_query_parameters(game: _Game, operation: Operation) -> None:
    for name in operation.query:
        for value in ("", "\0", "\x1b", "x" * 65, "../..", "nope", "\u202e" * 65):
            others = (
                "" if name == "seed" or "seed" not in operation.query else "&seed=1"
            )
            reply = game.ask(operation, f"?{name}={quote(value)}{others}")
            if (name, value) not in _VALID_QUERIES:
                assert set(reply.faults) == {f"/{name}"}, (name, value)
        assert game.ask(operation, f"?{name}=1&{name}=1").status == 422


@on_every_operation
def test_unknown_names_in_paths(game: _Game, operation: Operation) -> None:
    for parameter in operation.parameters:
        for name in UNKNOWN_NAMES:
            path = game.path(operation, **{parameter: name})
            reply = game.api.ask(operation.method, path, *_body_of(operation))
            expected = _STATUSES_OF_UNKNOWN_NAMES.get(parameter, {404})
            assert reply.status in expected, name
            assert "X-Injected" not in reply.headers


def _body_of(operation: Operation) -> tuple[bytes, dict[str, str]]:
    """A valid body, with its header field."""
    if "requestBody" not in operation.described:
        return b"", {}
    content = operation.described["requestBody"]["content"][JSON]
    if "example" in content:
        return _write(content["example"]), {"Content-Type": JSON}
    first = next(iter(content["examples"].values()))
    return _write(first["value"]), {"Content-Type": JSON}


@on_every_operation
def test_unknown_paths(game: _Game, operation: Operation) -> None:
    if operation.template == "/":
        return
    for change in PATH_CHANGES:
        path = change.format(game.path(operation))
        reply = game.api.ask(operation.method, path, *_body_of(operation))
        # With a suffix, the path names another player.
        is_name = operation.template.endswith("{player}")
        assert reply.status in {404, 405, 422} | ({204} if is_name else set()), path


@pytest.mark.parametrize(
    ("name", "values"), WRONG_HEADERS, ids=[name for name, _ in WRONG_HEADERS]
)
def test_wrong_headers_of_reads(game: _Game, name: str, values: list[str]) -> None:
    for value in values:
        for operation in _READS:
            query = "?seed=1" if "seed" in operation.query else ""
            reply = game.api.ask(
                "GET", game.path(operation) + query, b"", {name: value}
            )
            expected = {401} if name == "Authorization" else set()
            expected |= {404} if operation.template in _NOT_FOUND_PATHS else set()
            assert reply.status in {200, 302, 304, 400} | expected, (
                operation.template,
                value,
            )
            assert "evil" not in reply.headers.get("Location", "")
            assert "\xff" not in reply.headers["X-Request-ID"]


@pytest.mark.parametrize(
    ("name", "values"), WRONG_HEADERS, ids=[name for name, _ in WRONG_HEADERS]
)
def test_wrong_headers_of_writes(api: Api, name: str, values: list[str]) -> None:
    for value in values:
        for operation in operations("POST", "DELETE"):
            game = _Game(api)
            data, kind = _body_of(operation)
            headers = kind | {name: value}
            reply = api.ask(operation.method, game.path(operation), data, headers)
            expected = {401} if name == "Authorization" else set()
            assert reply.status in _REFUSED | {200, 201, 204} | expected, (
                operation.template,
                value,
            )
            assert reply.status < 400 or game.is_unchanged()
            assert "evil" not in reply.headers.get("Location", "")


@pytest.mark.parametrize(
    "key", ["", " ", "a b", "é", "\xff", "a\tb", "x" * 256, "x" * 8000, "\x7f"]
)
def test_invalid_idempotency_keys(game: _Game, key: str) -> None:
    for operation in operations("POST"):
        names = [one.get("$ref", "") for one in operation.described["parameters"]]
        if not any(name.endswith("/Idempotency-Key") for name in names):
            continue
        data, kind = _body_of(operation)
        headers = kind | {"Idempotency-Key": key}
        reply = game.api.ask("POST", game.path(operation), data, headers)
        assert set(reply.faults) == {""}


@pytest.mark.parametrize(
    "method",
    [
        "GET",
        "HEAD",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "OPTIONS",
        "TRACE",
        "BREW",
        "X-Y",
    ],
)
def test_other_methods(game: _Game, method: str) -> None:
    for template in {operation.template: 0 for operation in operations()}:
        path = game.path(Operation(method, template, {}))
        described = "GET" if method == "HEAD" else method
        if find_operation(described, path) is not None and method != "HEAD":
            continue
        reply = game.api.ask(method, path)
        if method == "OPTIONS":
            assert (reply.status, reply.raw) == (204, b"")
        elif find_operation(described, path) is not None:
            same = game.api.get(path)
            assert (reply.status, reply.raw) == (same.status, b"")
            assert reply.headers.keys() == same.headers.keys()
        else:
            assert (reply.status, reply.raw == b"") == (405, method == "HEAD")
            assert method not in reply.headers["Allow"].split(", ")
