"""The addresses to which the sender connects."""

from __future__ import annotations

import ssl
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from service.games.webhook_hosts import WebhookHosts, is_public, read_target
from service.webhooks import post
from tests.servers import running
from tests.webhooks.receiver import Receiver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.webhooks.conftest import Portal

PUBLIC = "93.184.215.14"


class NameServer:
    """A name server that answers each lookup with the next of its answers."""

    def __init__(self, *answers: str) -> None:
        self._answers = answers
        self.lookups = 0

    async def __call__(self, _host: str, _port: int) -> list[str]:
        self.lookups += 1
        return [self._answers[min(self.lookups, len(self._answers)) - 1]]


def outcome(portal: Portal, webhook: Any, names: NameServer | None = None) -> str:  # noqa: ANN401
    """Return the outcome of the first attempt to deliver the end of a game."""
    portal.lose()
    sender = portal.sender() if names is None else portal.sender(names)
    portal.send(lambda: bool(portal.deliveries(webhook)[0]["last_outcome"]), sender)
    return str(portal.deliveries(webhook)[0]["last_outcome"])


@pytest.mark.parametrize(
    ("address", "public"),
    [
        (PUBLIC, True),
        ("2606:4700:4700::1111", True),
        ("64:ff9b::5db8:d70e", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),  # noqa: S104 - it is refused
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
    ],
)
def test_which_addresses_are_public(address: str, *, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://portal.example.org/hook", True),
        ("https://PORTAL.example.org.:8443", True),
        ("https://a.b.example.com/", True),
        ("http://inside:9000/hook", True),
        ("https://inside", True),
        ("http://portal.example.org/hook", False),
        ("https://example.com", False),
        ("https://notexample.com", False),
        ("https://portal.example.org.evil.test", False),
        ("https://127.0.0.1", False),
        ("https://[::1]", False),
    ],
)
def test_which_hosts_may_be_called(url: str, *, allowed: bool) -> None:
    entries = ("portal.example.org", "*.example.com", "private:inside")
    assert WebhookHosts(entries).allows(read_target(url)) is allowed
    assert not WebhookHosts(()).allows(read_target(url))


def test_a_host_name_with_a_private_address_is_not_called(
    make_portal: Callable[..., Portal], receiver: Receiver
) -> None:
    portal = make_portal("localhost", "portal.example.org")
    inside = portal.subscribe(f"https://localhost:{receiver.port}/")
    assert outcome(portal, inside) == "address-not-allowed"
    moved = portal.subscribe(f"https://portal.example.org:{receiver.port}/")
    assert outcome(portal, moved, NameServer("127.0.0.1")) == "address-not-allowed"
    assert receiver.received == []


def test_a_host_name_is_not_looked_up_again_after_the_check(
    make_portal: Callable[..., Portal], receiver: Receiver
) -> None:
    """The connection is made to the address that was checked."""
    portal = make_portal("private:portal.test")
    names = NameServer("127.0.0.1", "127.0.0.2")
    other = Receiver("127.0.0.2", receiver.port)
    with running(other):
        webhook = portal.subscribe(f"http://portal.test:{receiver.port}/")
        assert outcome(portal, webhook, names) == "204"
    assert (len(receiver.received), len(other.received)) == (1, 0)
    assert names.lookups == 1


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A self-signed certificate of portal.test, with its key."""
    made = tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=portal.test"
    options = ["-addext", "subjectAltName=DNS:portal.test"]
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(made)]
    subprocess.run(
        [*command.split(), *options, *files], check=True, capture_output=True
    )
    with made.open("a") as file:
        file.write((tmp_path / "key.pem").read_text())
    return made


@pytest.fixture
def secure_receiver(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Receiver]:
    """A receiver with TLS, whose certificate is trusted."""
    receiver = Receiver()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    receiver.socket = context.wrap_socket(receiver.socket, server_side=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    post.tls_context.cache_clear()
    with running(receiver):
        yield receiver
    post.tls_context.cache_clear()


def test_a_certificate_is_checked_for_the_name_and_not_the_address(
    make_portal: Callable[..., Portal], secure_receiver: Receiver
) -> None:
    portal = make_portal("private:portal.test", "private:other.test")
    names, port = NameServer("127.0.0.1"), secure_receiver.port
    webhook = portal.subscribe(f"https://portal.test:{port}/")
    assert outcome(portal, webhook, names) == "204"
    assert secure_receiver.received[0].headers["Host"] == f"portal.test:{port}"
    other = portal.subscribe(f"https://other.test:{port}/")
    assert outcome(portal, other, names) == "connection-failed"


def test_a_failed_connection_is_recorded(portal: Portal, receiver: Receiver) -> None:
    closed = portal.subscribe(f"http://localhost:{receiver.port}/")
    receiver.shutdown()
    receiver.server_close()
    assert outcome(portal, closed) == "connection-failed"
    nowhere = portal.subscribe("http://localhost:1/")
    assert outcome(portal, nowhere) == "connection-failed"
