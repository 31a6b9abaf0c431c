import pytest

from loadtests.http_client import (
    Address,
    Connection,
    ResponseError,
    build_request,
    send_all,
)
from tests.servers import CannedServer, Service


def test_a_request_is_built() -> None:
    text = build_request("POST", "/v1/games", {"seed": "é"}, {"If-Match": '"1"'})
    head, _, body = text.partition(b"\r\n\r\n")
    assert head.split(b"\r\n") == [
        b"POST /v1/games HTTP/1.1",
        b"Host: 127.0.0.1",
        b'If-Match: "1"',
        b"Content-Type: application/json",
        b"Content-Length: 17",
    ]
    assert body == rb'{"seed":"\u00e9"}'


def test_a_connection_that_the_server_closes_is_opened_again(service: Service) -> None:
    with Connection(Address(service.host, service.port)) as connection:
        for seed in ("1", "2", "3"):
            response = connection.send(build_request("GET", f"/v1/deals?seed={seed}"))
            assert response.status == 200
            assert response.headers["connection"] == "close"
            assert response.json()["seed"] == seed
        assert connection.send(build_request("GET", "/nowhere")).status == 404


@pytest.mark.parametrize(
    "canned_server",
    [
        b'HTTP/1.1 304 NOT MODIFIED\r\nETag: "1"\r\n\r\n',
        b"HTTP/1.1 204 NO CONTENT\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ],
    indirect=True,
    ids=[304, 204, 200],
)
def test_a_connection_that_the_server_keeps_is_kept(
    canned_server: CannedServer,
) -> None:
    address = Address("127.0.0.1", canned_server.port)
    with Connection(address) as connection:
        requests = [build_request("GET", f"/{i}") for i in range(3)]
        responses = [connection.send(request) for request in requests]
    assert len({response.body for response in responses}) == 1
    assert canned_server.paths == ["/0", "/1", "/2"]


@pytest.mark.parametrize(
    "canned_server",
    [
        b"HTTP/1.1 200 OK\r\nServer: none\r\n\r\nbody",
    ],
    indirect=True,
    ids=["no length"],
)
def test_a_response_without_a_length_is_an_error(canned_server: CannedServer) -> None:
    address = Address("127.0.0.1", canned_server.port)
    with Connection(address) as connection, pytest.raises(ResponseError):
        connection.send(build_request("GET", "/"))


def test_responses_are_in_the_order_of_the_requests(service: Service) -> None:
    seeds = [f"n{i}" for i in range(11)]
    requests = [build_request("GET", f"/v1/deals?seed={seed}") for seed in seeds]
    responses = send_all(Address(service.host, service.port), requests)
    assert [response.json()["seed"] for response in responses] == seeds
