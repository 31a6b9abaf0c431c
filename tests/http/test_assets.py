"""How the files of pages are sent."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.http.client import Api


def get(api: Api, path: str, **fields: str) -> tuple[int, dict[str, str], bytes]:
    names = {name.replace("_", "-"): value for name, value in fields.items()}
    reply = api.get(path, headers=names)
    return reply.status, dict(reply.headers), reply.raw


@pytest.mark.parametrize("path", ["/", "/page/main.js", "/page/page.css"])
def test_files_are_compressed_for_clients_that_accept_it(api: Api, path: str) -> None:
    _, plain, data = get(api, path)
    _, packed, small = get(api, path, Accept_Encoding="br, gzip;q=0.8")
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(small) == data
    assert len(small) < len(data) / 2
    assert plain["Vary"] == packed["Vary"] == "Accept-Encoding"
    assert plain["Content-Type"] == packed["Content-Type"]
    assert plain["ETag"] != packed["ETag"]


def test_a_file_that_the_client_has_is_not_sent_again(api: Api) -> None:
    for coding in ("identity", "gzip"):
        _, fields, _ = get(api, "/page/main.js", Accept_Encoding=coding)
        known = {"Accept_Encoding": coding, "If_None_Match": fields["ETag"]}
        status, again, data = get(api, "/page/main.js", **known)
        assert (status, data) == (304, b"")
        assert again["ETag"] == fields["ETag"]


def test_files_are_not_compressed_for_clients_that_refuse_it(api: Api) -> None:
    _, fields, _ = get(api, "/page/main.js", Accept_Encoding="gzip;q=0")
    assert "Content-Encoding" not in fields


def test_pages_of_all_origins_may_use_the_client(api: Api) -> None:
    for name in ("accordion.js", "accordion.d.ts"):
        _, fields, _ = get(api, f"/client/{name}", Origin="https://portal.example")
        assert fields["Access-Control-Allow-Origin"] == "*"
    _, fields, _ = get(api, "/page/main.js", Origin="https://portal.example")
    assert "Access-Control-Allow-Origin" not in fields
