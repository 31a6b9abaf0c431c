"""Rubbish of every kind at every operation there is.

The client holds each answer against the description, so that each is one of those
documented, and a problem where it is an error. Here: never a 500, the right status, and
a game that stays as it was.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.http.client import JSON, find_operation
from tests.properties.invalid_input import (
    CHANGES,
    FIELDS,
    NAMES,
    NO_JSON,
    NO_OBJECT,
    QUERIES,
    VALUES,
)
from tests.properties.operations import Asked, named, operations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.http.client import Api, Reply

_DECK = ["4S", "7H", "QC", "4D", "KD"]
_LARGEST = 64 * 1024
_REFUSED = {400, 404, 409, 412, 413, 415, 422}

_BODIED = [asked for asked in operations("POST") if asked.members]
_LOOKS = [
    asked
    for asked in operations("GET")
    if not asked.template.startswith(("/docs", "/openapi"))  # long, and all the same
]
on_every_operation = pytest.mark.parametrize("asked", operations(), ids=named)


class _Table:
    """A game on the table, and the operations asked about it."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.game = api.start(deck=_DECK)

    def path(self, asked: Asked, **values: str) -> str:
        mine = {"game_id": self.game["id"], "watch_id": self.game["watch_id"]}
        return asked.path(**mine | values)

    def ask(
        self, asked: Asked, query: str = "", data: bytes = b"", **fields: str
    ) -> Reply:
        kind = {"Content-Type": JSON} if data else {}
        headers = kind | {name.replace("_", "-"): fields[name] for name in fields}
        return self.api.ask(asked.method, self.path(asked) + query, data, headers)

    def is_untouched(self) -> bool:
        now = self.api.get(f"/v1/games/{self.game['id']}").json
        return bool(now | {"elapsed_seconds": 0} == self.game | {"elapsed_seconds": 0})


@pytest.fixture
def table(api: Api) -> Iterator[_Table]:
    """A game, which must be at the end as it was at the start."""
    table = _Table(api)
    yield table
    assert table.is_untouched()


@pytest.mark.parametrize("body", NO_JSON.values(), ids=NO_JSON)
def test_bodies_that_are_no_json(table: _Table, body: bytes) -> None:
    for asked in operations("POST"):
        reply = table.ask(asked, data=body)
        assert (reply.status, reply.slug) == (400, "malformed-request"), asked.template


@pytest.mark.parametrize("body", NO_OBJECT)
def test_bodies_that_are_no_object(table: _Table, body: str) -> None:
    for asked in operations("POST"):
        reply = table.ask(asked, data=body.encode())
        assert reply.faults.keys() == {""}, asked.template


@pytest.mark.parametrize("asked", _BODIED, ids=named)
@pytest.mark.parametrize("junk", VALUES.values(), ids=VALUES)
def test_members_that_do_not_fit(table: _Table, asked: Asked, junk: object) -> None:
    for member in asked.members:
        reply = table.ask(asked, data=_write({member: junk}))
        if _fits(member, junk):
            continue
        assert reply.status in {400, 422}, (member, reply.raw[:200])
        if reply.status == 422:
            assert any(
                pointer in ("", f"/{member}") or pointer.startswith(f"/{member}/")
                for pointer in reply.faults
            )


def _fits(member: str, junk: object) -> bool:
    """Whether it is no junk there: a seed is any text, or a number."""
    match member, junk:
        case "options", {}:
            return junk == {}
        case "seed", int() | str():
            return str(junk).isprintable() and 0 < len(str(junk)) <= 64
        case "player", str():
            return junk.isprintable() and 0 < len(junk) <= 32
        case "from" | "to", int():
            return type(junk) is int
        case "count" | "budget_ms", int():
            return type(junk) is int and junk > 0
    return False


def _write(value: object) -> bytes:
    """Write JSON; numbers of any length too."""
    return json.dumps(value).encode()[:_LARGEST]


@pytest.mark.parametrize("name", ["x", "", "__class__", "Count", "count ", "\0", "é"])
def test_members_that_there_are_not(table: _Table, name: str) -> None:
    for asked in operations("POST"):
        pointers = table.ask(asked, data=_write({name: 1})).faults
        assert f"/{name}" in pointers, asked.template


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


@pytest.mark.parametrize("asked", _BODIED, ids=named)
def test_values_of_any_kind(api: Api, asked: Asked) -> None:
    names = st.sampled_from(asked.members) | st.text(max_size=8)

    @given(st.dictionaries(names, _any_json, max_size=4))
    def try_values(body: dict[str, object]) -> None:
        table = _Table(api)
        reply = table.ask(asked, data=_write(body))
        assert reply.status in _REFUSED | {200, 201}
        assert reply.status == 200 or table.is_untouched()

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
def test_media_types_that_are_not_json(table: _Table, media_type: str) -> None:
    for asked in operations("POST"):
        reply = table.ask(asked, data=b"{}", Content_Type=media_type)
        assert (reply.status, reply.slug) == (415, "unsupported-media-type")


@pytest.mark.parametrize("coding", ["gzip", "br", "nope", "gzip, identity", "\xff"])
def test_bodies_that_are_compressed(table: _Table, coding: str) -> None:
    for asked in operations("POST"):
        reply = table.ask(asked, data=b"{}", Content_Encoding=coding)
        assert (reply.status, reply.slug) == (415, "unsupported-media-type")


@on_every_operation
def test_queries_that_do_not_fit(table: _Table, asked: Asked) -> None:
    for query in QUERIES:
        reply = table.ask(asked, f"?{query}", data=b"{}" if asked.members else b"")
        assert reply.status == 422, query
        assert len(reply.faults) >= 1
    for query in ("%ff", "x=%ff", "x=%ed%a0%80", "x=%c0%80"):
        reply = table.ask(asked, f"?{query}")
        assert (reply.status, reply.slug) == (400, "malformed-request"), query


@on_every_operation
def test_parameters_of_a_query_that_do_not_fit(table: _Table, asked: Asked) -> None:
    for name in asked.query:
        for value in ("", "\0", "\x1b", "x" * 65, "../..", "nope", "\u202e" * 65):
            others = "" if name == "seed" or "seed" not in asked.query else "&seed=1"
            reply = table.ask(asked, f"?{name}={quote(value)}{others}")
            if (name, value) not in {("seed", "../.."), ("seed", "nope")}:
                assert set(reply.faults) == {f"/{name}"}, (name, value)
        assert table.ask(asked, f"?{name}=1&{name}=1").status == 422


@on_every_operation
def test_names_of_nothing_in_a_path(table: _Table, asked: Asked) -> None:
    for parameter in asked.parameters:
        for name in NAMES:
            path = table.path(asked, **{parameter: name})
            reply = table.api.ask(asked.method, path, *_body_of(asked))
            expected = 422 if parameter == "date" else 404
            assert reply.status == expected, name
            assert "X-Injected" not in reply.headers


def _body_of(asked: Asked) -> tuple[bytes, dict[str, str]]:
    """A body that fits, with its header field."""
    if "requestBody" not in asked.described:
        return b"", {}
    (content,) = asked.described["requestBody"]["content"].values()
    if "example" in content:
        return _write(content["example"]), {"Content-Type": JSON}
    first = next(iter(content["examples"].values()))
    return _write(first["value"]), {"Content-Type": JSON}


@on_every_operation
def test_paths_of_nothing(table: _Table, asked: Asked) -> None:
    if asked.template == "/":
        return
    for change in CHANGES:
        path = change.format(table.path(asked))
        reply = table.api.ask(asked.method, path, *_body_of(asked))
        assert reply.status in {404, 405, 422}, path


@pytest.mark.parametrize(("name", "values"), FIELDS, ids=[name for name, _ in FIELDS])
def test_fields_of_a_look(table: _Table, name: str, values: list[str]) -> None:
    for value in values:
        for asked in _LOOKS:
            query = "?seed=1" if "seed" in asked.query else ""
            reply = table.api.ask("GET", table.path(asked) + query, b"", {name: value})
            assert reply.status in {200, 302, 304, 400}, (asked.template, value)
            assert "evil" not in reply.headers.get("Location", "")
            assert "\xff" not in reply.headers["X-Request-ID"]


@pytest.mark.parametrize(("name", "values"), FIELDS, ids=[name for name, _ in FIELDS])
def test_fields_of_a_write(api: Api, name: str, values: list[str]) -> None:
    for value in values:
        for asked in operations("POST", "DELETE"):
            table = _Table(api)
            data, kind = _body_of(asked)
            headers = kind | {name: value}
            reply = api.ask(asked.method, table.path(asked), data, headers)
            assert reply.status in _REFUSED | {200, 201, 204}, (asked.template, value)
            assert reply.status < 400 or table.is_untouched()
            assert "evil" not in reply.headers.get("Location", "")


@pytest.mark.parametrize(
    "key", ["", " ", "a b", "é", "\xff", "a\tb", "x" * 256, "x" * 8000, "\x7f"]
)
def test_idempotency_keys_that_are_none(table: _Table, key: str) -> None:
    for asked in operations("POST"):
        names = [one.get("$ref", "") for one in asked.described["parameters"]]
        if not any(name.endswith("/Idempotency-Key") for name in names):
            continue
        data, kind = _body_of(asked)
        headers = kind | {"Idempotency-Key": key}
        reply = table.api.ask("POST", table.path(asked), data, headers)
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
def test_methods_everywhere(table: _Table, method: str) -> None:
    for template in {asked.template: 0 for asked in operations()}:
        path = table.path(Asked(method, template, {}))
        described = "GET" if method == "HEAD" else method
        if find_operation(described, path) is not None and method != "HEAD":
            continue
        reply = table.api.ask(method, path)
        if method == "OPTIONS":
            assert (reply.status, reply.raw) == (204, b"")
        elif find_operation(described, path) is not None:
            same = table.api.get(path)
            assert (reply.status, reply.raw) == (same.status, b"")
            assert reply.headers.keys() == same.headers.keys()
        else:
            assert (reply.status, reply.raw == b"") == (405, method == "HEAD")
            assert method not in reply.headers["Allow"].split(", ")
