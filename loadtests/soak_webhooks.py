"""A portal in a soak test: its webhook fails at random, and must get every end."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from contextlib import contextmanager
from datetime import date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from statistics import quantiles
from typing import TYPE_CHECKING, Any, NamedTuple

from standardwebhooks import Webhook, WebhookVerificationError

from loadtests.http_client import build_request
from service.access.api_keys import add_key
from tests.servers import running

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from pathlib import Path

    from loadtests.soak_client import RetryingClient

_FAILING_SHARE = 0.2
_FAILURES = (500, 503, 404, 302, 0)
_NEW_GAME = {"variant": "late-binding", "seed": "3"}
_AUDIT_SECONDS = 120.0
_POLL_SECONDS = 0.5
_PAGE = 100
_MAX_SHOWN = 10


class Attempt(NamedTuple):
    """A request of the sender."""

    time: float
    id: str
    game: str
    end: int
    body: bytes
    accepted: bool
    delay: float


class Receiver(ThreadingHTTPServer):
    """Accepts deliveries, or fails at random."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._random = Random(f"receiver {seed}")
        self.secret = ""
        self.fails = True
        self.attempts: list[Attempt] = []
        self.errors: list[str] = []

    @property
    def url(self) -> str:
        """The URL of the webhook."""
        return f"http://localhost:{self.server_address[1]}/hook"

    def receive(self, body: bytes, fields: dict[str, str]) -> int:
        """Accept or refuse a delivery; return the status, 0 for no response."""
        try:
            message = Webhook(self.secret).verify(body, fields)
        except WebhookVerificationError as error:
            self.errors.append(f"a webhook does not verify: {error}")
            return 400
        failed = self.fails and self._random.random() < _FAILING_SHARE
        status = self._random.choice(_FAILURES) if failed else 204
        ended = datetime.fromisoformat(message["timestamp"]).timestamp()
        now, data = time.time(), message["data"]
        attempt = (now, fields["webhook-id"], data["watch_id"], data["end"], body)
        self.attempts.append(Attempt(*attempt, not failed, now - ended))
        return status


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.receive(body, {**self.headers})
        if status:
            self.send_response(status)
            self.end_headers()

    def log_message(self, *_message: object) -> None:
        """Write nothing."""


class Portal:
    """A tenant with a webhook, and a player whose games end, some of them twice.

    Attributes:
        key: The API key.
        settings: The settings that the service needs.
        ends: The number of acknowledged ends of each game, by its watch id.
    """

    def __init__(self, receiver: Receiver, keys: Path) -> None:
        self.key = add_key(keys, "soak", "soak", date(2026, 1, 31))
        self.settings = {
            "api_keys_file": keys,
            "public_tenant": "soak",
            "webhooks": "private:localhost",
        }
        self.ends: dict[str, int] = {}
        self.receiver = receiver
        self._webhook = ""

    def subscribe(self, client: RetryingClient) -> None:
        """Create the webhook."""
        body = {"url": self.receiver.url, "events": ["game.over"]}
        made = self._post(client, "/v1/webhooks", body, Random(0))
        self._webhook, self.receiver.secret = made["id"], made["secret"]

    def play(
        self, client: RetryingClient, random: Random, stop: threading.Event
    ) -> None:
        """End games until `stop` is set."""
        line: list[Any] = []
        while not stop.is_set():
            game = self._post(client, "/v1/games", _NEW_GAME, random)
            path = f"/v1/games/{game['id']}"
            if not line:
                while game["status"] == "playing":
                    line.append(game["legal_moves"][-1])
                    game = self._post(client, f"{path}/moves", line[-1], random)
            else:
                game = self._post(client, f"{path}/moves", {"moves": line}, random)
            self.ends[game["watch_id"]] = 1
            if random.random() < 0.5:  # noqa: PLR2004 - every other one
                self._post(client, f"{path}/undo", {}, random)
                self._post(client, f"{path}/moves", line[-1], random)
                self.ends[game["watch_id"]] = 2

    def audit(self, client: RetryingClient) -> list[str]:
        """Wait until all ends are delivered; list what is missing or wrong."""
        self.receiver.fails = False
        until = time.monotonic() + _AUDIT_SECONDS
        while self._missing() and time.monotonic() < until:
            self._redeliver_pending(client)
            time.sleep(_POLL_SECONDS)
        missing = self._missing()[:_MAX_SHOWN]
        losses = [f"end {end} of {game} is not delivered" for game, end in missing]
        return [*losses, *self._out_of_order(), *self._changed(), *self.receiver.errors]

    def figures(self) -> str:
        """Describe the deliveries per second, and their delay."""
        accepted = [each for each in self.receiver.attempts if each.accepted]
        tries: defaultdict[str, int] = defaultdict(int)
        delays = []
        for each in self.receiver.attempts:
            tries[each.id] += 1
            if each.accepted and tries[each.id] == 1:
                delays.append(each.delay)
        seconds = accepted[-1].time - accepted[0].time
        cuts = quantiles(delays, n=100)
        return (
            f"{len(accepted) / seconds:.1f} a second; accepted at once after "
            f"{cuts[49] * 1000:.0f} ms, 90% of them within {cuts[89] * 1000:.0f} ms"
        )

    def _missing(self) -> list[tuple[str, int]]:
        accepted = {
            (each.game, each.end) for each in self.receiver.attempts if each.accepted
        }
        ends = [
            (game, n + 1) for game, count in self.ends.items() for n in range(count)
        ]
        return [end for end in ends if end not in accepted]

    def _redeliver_pending(self, client: RetryingClient) -> None:
        """Ask for an immediate attempt of all pending deliveries."""
        path = f"/v1/webhooks/{self._webhook}/deliveries"
        page = f"{path}?limit={_PAGE}"
        while page:
            response = client.send(build_request("GET", page))
            for each in response.json()["deliveries"]:
                if each["status"] == "pending":
                    again = f"{path}/{each['id']}/redeliver"
                    client.send(build_request("POST", again))
            page = response.headers.get("link", "").partition(">")[0][1:]

    def _out_of_order(self) -> list[str]:
        """Ends that were sent before the previous end was accepted."""
        accepted: defaultdict[str, int] = defaultdict(int)
        found = []
        for each in self.receiver.attempts:
            if each.end > accepted[each.game] + 1:
                found.append(f"end {each.end} of {each.game} came too early")
            if each.accepted:
                accepted[each.game] = max(accepted[each.game], each.end)
        return found

    def _changed(self) -> list[str]:
        """Ends that were sent with more than one id or body."""
        forms = defaultdict(set)
        for each in self.receiver.attempts:
            forms[each.game, each.end].add((each.id, each.body))
        return [
            f"end {end} of {game} has {len(found)} ids or bodies"
            for (game, end), found in forms.items()
            if len(found) > 1
        ]

    def _post(
        self, client: RetryingClient, path: str, body: object, random: Random
    ) -> Any:  # noqa: ANN401 - JSON of any shape
        key = {"Idempotency-Key": f"{random.getrandbits(128):x}"}
        response = client.send(build_request("POST", path, body, key))
        if response.status >= 300:  # noqa: PLR2004 - the first that is no success
            raise AssertionError(f"{path}: {response}")
        return json.loads(response.body)


@contextmanager
def soak_portal(folder: Path, seed: int) -> Iterator[Portal]:
    """Yield a portal whose receiver is running."""
    with running(receiver := Receiver(seed)):
        yield Portal(receiver, folder / "keys.json")
