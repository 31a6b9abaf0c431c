"""Rate limits: they are exact, shown to the client, and need the store."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from tests.security.conftest import bearer_fields
from tests.servers import BINARIES, StoreServer, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from flask import Flask

    from tests.http.client import Api, Reply
    from tests.servers import Service

PATH = "/v1/variants/accordion"
LONG_TIMEOUT = {"store_timeout": 5.0}
"""So that a busy machine does not look like an unreachable store."""

REMAINING = re.compile(r'"(\d+/\w+)";r=(\d+);t=(\d+)')


def remaining(headers: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """The requests left of each limit, and the seconds until it is reset."""
    items = headers["RateLimit"].split(", ")
    found = [REMAINING.fullmatch(item) for item in items]
    assert None not in found, headers["RateLimit"]
    return {one[1]: (int(one[2]), int(one[3])) for one in found if one}


@pytest.fixture
def limited(make_api: Callable[..., Api]) -> Callable[..., Api]:
    """Makes an API with a limit."""
    return lambda rate, **settings: make_api(
        rate_limit=rate, **LONG_TIMEOUT, **settings
    )


def test_a_client_is_told_what_is_left_until_it_is_refused(
    limited: Callable[..., Api],
) -> None:
    api = limited("3/hour")
    replies = [api.get(PATH) for _ in range(5)]
    assert [reply.status for reply in replies] == [200, 200, 200, 429, 429]
    left = [remaining(reply.headers)["3/hour"][0] for reply in replies]
    assert left == [2, 1, 0, 0, 0]
    assert {r.headers["RateLimit-Policy"] for r in replies} == {'"3/hour";q=3;w=3600'}
    refused = replies[-1]
    assert refused.slug == "rate-limited"
    reset = remaining(refused.headers)["3/hour"][1]
    assert refused.headers["Retry-After"] == str(reset)
    assert 0 < reset <= 3600


def test_after_the_window_the_limit_starts_again(
    limited: Callable[..., Api],
) -> None:
    api = limited("2/second")

    def is_refused() -> bool:
        return api.get(PATH).status == 429

    wait_until(is_refused)
    wait_until(lambda: remaining(api.get(PATH).headers)["2/second"][0] == 1)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", PATH, 200),
        ("POST", "/v1/games", 201),
        ("GET", "/v1/games/none", 404),
        ("GET", "/v1/none", 404),
        ("PUT", "/v1/games", 405),
        ("GET", "/v1/deals", 422),
        ("GET", f"{PATH}?x=1", 422),
    ],
)
def test_every_response_below_v1_counts_and_shows_the_limit(
    make_app: Callable[..., Flask], method: str, path: str, status: int
) -> None:
    client = make_app(rate_limit="2/day", **LONG_TIMEOUT).test_client()
    answers = [client.open(path, method=method) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [status, status, 429]
    left = [remaining(dict(answer.headers))["2/day"][0] for answer in answers]
    assert left == [1, 0, 0]


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("moves", {"from": 3, "to": 0}),
        ("moves", {"from": 1, "to": 0}),
        ("moves", {"from": "x"}),
        ("undo", {}),
        ("finish", {}),
        ("hint", {}),
        ("solution", {}),
        ("review", {}),
    ],
)
@pytest.mark.parametrize("fields", [{}, {"Idempotency-Key": "k"}, {"If-Match": '"9"'}])
def test_a_refused_request_is_not_done(
    make_api: Callable[..., Api],
    limited: Callable[..., Api],
    method: str,
    body: dict[str, object],
    fields: dict[str, str],
) -> None:
    """The first call of the store counts the request, before it does anything else."""
    free, api = make_api(), limited("1/day")
    game = free.start(deck=["4S", "7H", "QC", "4D", "KD"])
    path = f"/v1/games/{game['id']}"
    assert api.get(path).status == 200
    before = free.get(path)
    other = limited("1/day")  # as another process, which has not refused any client
    reply = other.post(f"{path}/{method}", body, fields)
    assert (reply.status, reply.slug) == (429, "rate-limited")
    assert remaining(reply.headers)["1/day"][0] == 0
    assert free.get(path).raw == before.raw
    assert free.post(f"{path}/undo", {}, fields).status in {409, 412}


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/docs", "/openapi.json"])
def test_nothing_else_is_limited(limited: Callable[..., Api], path: str) -> None:
    api = limited("1/day")
    replies = [api.get(path) for _ in range(3)]
    assert {reply.status for reply in replies} == {200}
    assert all("RateLimit" not in reply.headers for reply in replies)
    assert api.ask("OPTIONS", "/v1/games").status == 204
    assert api.get(PATH).status == 200


def test_the_first_exhausted_limit_refuses(
    limited: Callable[..., Api],
) -> None:
    api = limited("5/day,3/hour")
    replies = [api.get(PATH) for _ in range(6)]
    assert [reply.status for reply in replies] == [200] * 3 + [429] * 3
    assert replies[0].headers["RateLimit-Policy"] == (
        '"3/hour";q=3;w=3600, "5/day";q=5;w=86400'
    )
    assert remaining(replies[2].headers).keys() == {"3/hour", "5/day"}
    assert remaining(replies[2].headers)["5/day"][0] == 2
    # Requests that the shorter limit refuses do not count against the longer one.
    assert remaining(replies[5].headers).keys() == {"3/hour"}


def test_without_a_limit_nothing_is_counted_or_shown(
    make_app: Callable[..., Flask], valkey_server: StoreServer
) -> None:
    app = make_app()
    answer = app.test_client().get(PATH)
    assert "RateLimit" not in answer.headers
    assert "RateLimit-Policy" not in answer.headers
    with valkey_server.client() as client:
        assert client.keys("n:*") == []


# --- who is counted


def test_each_key_and_each_address_is_counted_separately(
    limited: Callable[..., Api], new_key: Callable[..., str], keys_file: Path
) -> None:
    ada, bob = (
        bearer_fields(new_key("ada", "portal")),
        bearer_fields(new_key("bob", "portal")),
    )
    api = limited("2/day", api_keys_file=keys_file, keys_everywhere=True)
    assert [api.get(PATH, ada).status for _ in range(3)] == [200, 200, 429]
    assert api.get(PATH, bob).status == 200
    assert [api.get(PATH).status for _ in range(3)] == [401, 401, 401]
    assert api.get(PATH, bearer_fields("accordion_guess")).status == 401
    assert api.get(PATH, bob).status == 200


def from_address(api: Api, address: str, *forwarded: str) -> Reply:
    headers = {"X-Forwarded-For": ", ".join(forwarded)} if forwarded else {}
    environ: dict[str, Any] = {"environ_base": {"REMOTE_ADDR": address}}
    return api.ask("GET", PATH, headers=headers, **environ)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8::1", "2001:db8:0:0:ffff::2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("junk", "more junk", True),
    ],
)
def test_spellings_of_an_address_and_its_network_are_one_client(
    limited: Callable[..., Api], one: str, other: str, *, same: bool
) -> None:
    api = limited("1/day")
    assert from_address(api, one).status == 200
    assert from_address(api, other).status == (429 if same else 200)


def test_no_client_can_forge_an_address(limited: Callable[..., Api]) -> None:
    api = limited("1/day")
    assert from_address(api, "192.0.2.1", "198.51.100.1").status == 200
    assert from_address(api, "192.0.2.1", "198.51.100.2").status == 429


def test_behind_a_proxy_the_address_is_the_proxys_peer(
    limited: Callable[..., Api],
) -> None:
    api = limited("1/day", trusted_proxies=1)
    assert from_address(api, "10.0.0.1", "198.51.100.1").status == 200
    assert from_address(api, "10.0.0.1", "198.51.100.2").status == 200
    forged = ("203.0.113.9", "198.51.100.1")
    assert from_address(api, "10.0.0.1", *forged).status == 429


# --- several workers, and an unreachable store


def test_two_workers_count_as_one(served: Callable[..., Service]) -> None:
    service = served(workers=2, rate_limit="60/day", store_timeout=5)
    wait_until(lambda: len(service.workers) == 2)
    one, other = service.workers

    def statuses(number: int) -> list[int]:
        with ThreadPoolExecutor(8) as threads:
            return list(
                threads.map(
                    lambda _: service.request("GET", PATH, timeout=30).status,
                    range(number),
                )
            )

    other.suspend()  # so that the first worker takes all of these
    assert statuses(20) == [200] * 20
    other.resume()
    one.suspend()  # and the second one all of these
    assert statuses(20) == [200] * 20
    one.resume()
    both = statuses(60)
    assert both.count(200) == 20
    assert both.count(429) == 40


def test_an_unreachable_store_gives_503_until_it_is_back(
    short_folder: Path, served: Callable[..., Service]
) -> None:
    binary = BINARIES["valkey"]
    assert binary is not None
    with StoreServer(binary, short_folder) as server:
        service = served(redis_url=server.url, rate_limit="900/day")
        wait_until(lambda: service.request("GET", PATH).status == 200)
        outages: list[tuple[Callable[[], None], Callable[[], None]]] = [
            (server.pause, server.resume),
            (server.kill, server.start),
        ]
        for stop_store, restore_store in outages:
            stop_store()
            refused = service.request("GET", PATH, timeout=2)
            assert refused.status == 503
            assert b"/problems/store-unavailable" in refused.body
            assert int(refused.headers["Retry-After"]) > 0
            assert "RateLimit" not in refused.headers
            assert service.request("GET", "/livez", timeout=2).status == 200
            restore_store()
            wait_until(lambda: service.request("GET", PATH).status == 200)
