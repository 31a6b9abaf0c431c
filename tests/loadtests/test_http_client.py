import pytest

from loadtests.servers import Server
from loadtests.wire import Connection, ProtocolError, request
from tests.loadtests.conftest import Scripted


def test_a_request_is_written_down() -> None:
    text = request("POST", "/v1/games", {"seed": "é"}, {"If-Match": '"1"'})
    head, _, body = text.partition(b"\r\n\r\n")
    assert head.split(b"\r\n") == [
        b"POST /v1/games HTTP/1.1",
        b"Host: 127.0.0.1",
        b'If-Match: "1"',
        b"Content-Type: application/json",
        b"Content-Length: 17",
    ]
    assert body == rb'{"seed":"\u00e9"}'


def test_a_connection_is_opened_again_where_the_server_closes_it(floor: Server) -> None:
    with Connection(floor.address) as connection:
        for name in ("one", "two", "three"):
            answer = connection.send(request("GET", f"/values/{name}"))
            assert answer.status == 200
            assert answer.fields["connection"] == "close"
            assert answer.json() == {"name": name, "value": None}
        assert connection.send(request("GET", "/nowhere")).status == 404


@pytest.mark.parametrize(
    "scripted",
    [
        b'HTTP/1.1 304 NOT MODIFIED\r\nETag: "1"\r\n\r\n',
        b"HTTP/1.1 204 NO CONTENT\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ],
    indirect=True,
)
def test_a_connection_is_kept_where_the_server_keeps_it(scripted: Scripted) -> None:
    with Connection(scripted.address) as connection:
        answers = [connection.send(request("GET", f"/{i}")) for i in range(3)]
    assert len({answer.body for answer in answers}) == 1
    assert scripted.asked == ["/0", "/1", "/2"]


@pytest.mark.parametrize(
    "scripted", [b"HTTP/1.1 200 OK\r\nServer: none\r\n\r\nbody"], indirect=True
)
def test_an_answer_without_a_length_is_refused(scripted: Scripted) -> None:
    with Connection(scripted.address) as connection, pytest.raises(ProtocolError):
        connection.send(request("GET", "/"))
