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

from tests.api.client import JSON, find_operation
from tests.trust.routes import Asked, named, operations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.api.client import Api, Reply

_DECK = ["4S", "7H", "QC", "4D", "KD"]
_LONG = "x" * 60_000
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


_NO_JSON = {
    "nothing but space": b"   ",
    "open": b'{"count": 1',
    "two values": b"{} {}",
    "single quotes": b"{'count': 1}",
    "trailing comma": b'{"count": 1,}',
    "comment": b'{"count": 1} // one',
    "not a number": b'{"count": NaN}',
    "infinity": b'{"count": -Infinity}',
    "leading zero": b'{"count": 01}',
    "plus": b'{"count": +1}',
    "hexadecimal": b'{"count": 0x1}',
    "twice": b'{"count": 1, "count": 1}',
    "twice, written in two ways": b'{"count": 1, "c\\u006funt": 1}',
    "twice, deeper": b'{"options": {"undo": "none", "undo": "none"}}',
    "half a pair": b'{"player": "\\ud800"}',
    "the other half": b'{"player": "\\udc00"}',
    "halves the wrong way": b'{"player": "\\udc00\\ud800"}',
    "half a pair as a name": b'{"\\udfff": 1}',
    "control character": b'{"player": "\x00"}',
    "line break in a string": b'{"player": "a\nb"}',
    "byte order mark": b"\xef\xbb\xbf{}",
    "no UTF-8": b'{"player": "\xff"}',
    "overlong UTF-8": b'{"player": "\xc0\x80"}',
    "surrogate in UTF-8": b'{"player": "\xed\xa0\x80"}',
    "UTF-16": '{"count": 1}'.encode("utf-16"),
    "UTF-32": '{"count": 1}'.encode("utf-32"),
    "deep": b"[" * 60_000,
    "deep and closed": b"[" * 30_000 + b"]" * 30_000,
    "deep objects": b'{"a":' * 12_000,
    "5000 digits": b'{"count": ' + b"9" * 5_000 + b"}",
    "60000 digits": b'{"count": -' + b"9" * 60_000 + b"}",
    "binary": bytes(range(256)),
    "a form": b"count=1&player=Ada",
    "a tag": b"<count>1</count>",
}


@pytest.mark.parametrize("body", _NO_JSON.values(), ids=_NO_JSON)
def test_bodies_that_are_no_json(table: _Table, body: bytes) -> None:
    for asked in operations("POST"):
        reply = table.ask(asked, data=body)
        assert (reply.status, reply.slug) == (400, "malformed-request"), asked.template


_NO_OBJECT = ["null", "true", "0", "-0.0", "1e400", '"text"', "[]", '[{"count": 1}]']


@pytest.mark.parametrize("body", _NO_OBJECT)
def test_bodies_that_are_no_object(table: _Table, body: str) -> None:
    for asked in operations("POST"):
        reply = table.ask(asked, data=body.encode())
        assert reply.faults.keys() == {""}, asked.template


_JUNK: dict[str, object] = {
    "null": None,
    "false": False,
    "zero": 0,
    "negative": -1,
    "64 bits": 2**63,
    "4000 digits": 10**4000,
    "a float": 1.5,
    "a whole float": 1.0,
    "a tiny float": 5e-324,
    "empty": "",
    "NUL": "\0",
    "controls": "\x01\x1b[31m\x7f\x85",
    "long": _LONG,
    "a lone high plane": "\U0010ffff" * 65,
    "right to left": "\u202e\u2066" * 40,
    "list": [],
    "long list": [0] * 20_000,
    "nested lists": [[[[[[[[[[]]]]]]]]]],
    "object": {},
    "many members": {str(n): n for n in range(4_000)},
    "a prototype": {"__proto__": {"x": 1}, "constructor": None},
    "a template": "{{7*7}}${7*7}%s%n",
    "a path": "../../../../etc/passwd",
    "a command": "'; FLUSHALL\r\n*1\r\n$8\r\nFLUSHALL\r\n",
}


@pytest.mark.parametrize("asked", _BODIED, ids=named)
@pytest.mark.parametrize("junk", _JUNK.values(), ids=_JUNK)
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


_VALUES = st.recursive(
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

    @given(st.dictionaries(names, _VALUES, max_size=4))
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


_QUERIES = [
    "x",
    "x=1",
    "=",
    "=1",
    "&&&x",
    "x[]=1&x[y]=2",
    "x=%",
    "x=%zz",
    "x=%00",
    "x=1;y=2",
    "x=%F0%9F%82%A1",
    "?",
    "x=" + "y" * 8000,
    "&".join(f"x{n}=1" for n in range(1000)),
    "__proto__=1",
    "x=1&x=1",
]


@on_every_operation
def test_queries_that_do_not_fit(table: _Table, asked: Asked) -> None:
    for query in _QUERIES:
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


_NAMES = [
    "nope",
    "%00",
    "%0d%0aX-Injected:%201",
    "%ff",
    "%c0%80",
    "%ed%a0%80",
    "%2e%2e",
    "%252e",
    "%F0%9F%82%A1",
    "%5c",
    "*",
    "'",
    "{game_id}",
    "<x>",
    "a" * 8000,
    "%E2%80%AE",
    "-1",
    "null",
]


@on_every_operation
def test_names_of_nothing_in_a_path(table: _Table, asked: Asked) -> None:
    for parameter in asked.parameters:
        for name in _NAMES:
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


_CHANGES = [
    "{}/",
    "{}//",
    "{}/..",
    "{}/.",
    "{}%00",
    "{}%20",
    "{}.json",
    "{};x",
    "{}%2f",
    "/.{}",
    "/..{}",
    "/%2e%2e{}",
    "/x{}",
    "{}\\..\\..",
]


@on_every_operation
def test_paths_of_nothing(table: _Table, asked: Asked) -> None:
    if asked.template == "/":
        return
    for change in _CHANGES:
        path = change.format(table.path(asked))
        reply = table.api.ask(asked.method, path, *_body_of(asked))
        assert reply.status in {404, 405, 422}, path


_FIELDS = [
    (
        "If-Match",
        ['"1', "W/", "1,2,3", "\xff", '"1"' + ', "1"' * 2000, "\t", "x" * 8000],
    ),
    ("If-None-Match", ['"x', "W/*", ",", "\xff", '"2"' * 2000, "null", '"1'[:1]]),
    ("Prefer", ["return", "return=", "return=x", ";;,,", '"', "\xff", "wait=1e9"]),
    ("Accept", ["", "x", "*", "text/html;q=x", "\xff", "a/b," * 2000]),
    ("Accept-Language", ["", "xx", "*;q=0", "en;q=1e999", ",;,", "\xff", "e" * 8000]),
    ("Accept-Encoding", ["br;q=x", "\xff", "identity;q=0"]),
    ("Accept-Charset", ["utf-7", "\xff"]),
    ("Authorization", ["", "Bearer", "Bearer \xff", "Basic ::", "x" * 8000]),
    ("Content-Encoding", ["gzip", "br", "nope"]),
    ("Content-Language", ["\xff"]),
    ("Cookie", ["session=../..", "=;=;", "\xff", "a=b;" * 2000]),
    ("Date", ["yesterday"]),
    ("Expect", ["nothing"]),
    ("Forwarded", ["for=\xff", "for=_x;proto=gopher"]),
    ("From", ["a@b\xff"]),
    ("Host", ["", "a b", "[::1", "x" * 300, "evil.example:99999", "\xff"]),
    ("If-Modified-Since", ["never", "Sat, 01 Jan 2050 00:00:00 GMT"]),
    ("If-Unmodified-Since", ["never"]),
    ("If-Range", ['"1"']),
    ("Idempotency-Key", ["x"]),
    ("Origin", ["null", "\xff", "javascript:alert(1)", "https://a, https://b"]),
    ("Range", ["bytes=0-", "bytes=-1", "bytes=5-2", "cards=1-2"]),
    ("Referer", ["\xff"]),
    ("TE", ["trailers, nope"]),
    ("Upgrade", ["websocket", "h2c"]),
    ("User-Agent", ["", "\xff" * 1000]),
    ("X-Forwarded-For", ["\xff", "1.2.3.4, ::1", "x" * 8000]),
    ("X-Forwarded-Host", ["evil.example"]),
    ("X-Forwarded-Prefix", ["/evil", "//evil.example"]),
    ("X-HTTP-Method-Override", ["DELETE"]),
    ("X-Original-URL", ["/metrics"]),
    ("X-Request-ID", ["", "a b", "\xff", "x" * 65, "a\tb"]),
]


@pytest.mark.parametrize(("name", "values"), _FIELDS, ids=[name for name, _ in _FIELDS])
def test_fields_of_a_look(table: _Table, name: str, values: list[str]) -> None:
    for value in values:
        for asked in _LOOKS:
            query = "?seed=1" if "seed" in asked.query else ""
            reply = table.api.ask("GET", table.path(asked) + query, b"", {name: value})
            assert reply.status in {200, 302, 304, 400}, (asked.template, value)
            assert "evil" not in reply.headers.get("Location", "")
            assert "\xff" not in reply.headers["X-Request-ID"]


@pytest.mark.parametrize(("name", "values"), _FIELDS, ids=[name for name, _ in _FIELDS])
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
