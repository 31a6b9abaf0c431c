"""A portal in a soak test: its webhook fails at random, and misses no end of a game."""

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
_MOST_SHOWN = 10


class Attempt(NamedTuple):
    """A request of the sender."""

    time: float
    id: str
    game: str
    end: int
    body: bytes
    taken: bool
    delay: float


class Receiver(ThreadingHTTPServer):
    """Takes what is sent, unless it fails at random."""

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
        """Where it is called."""
        return f"http://localhost:{self.server_address[1]}/hook"

    def receive(self, body: bytes, fields: dict[str, str]) -> int:
        """Take a request; the status of the answer, 0 for none at all."""
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
        ends: How often each game has ended, as was acknowledged, by its watch id.
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
        wish = {"url": self.receiver.url, "events": ["game.over"]}
        made = self._post(client, "/v1/webhooks", wish, Random(0))
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
        """Wait until all is delivered; what was not, or not as it should be."""
        self.receiver.fails = False
        until = time.monotonic() + _AUDIT_SECONDS
        while self._missing() and time.monotonic() < until:
            self._hurry(client)
            time.sleep(_POLL_SECONDS)
        missing = self._missing()[:_MOST_SHOWN]
        losses = [f"end {end} of {game} is not delivered" for game, end in missing]
        return [*losses, *self._out_of_order(), *self._changed(), *self.receiver.errors]

    def figures(self) -> str:
        """How many deliveries there were a second, and their delay."""
        taken = [each for each in self.receiver.attempts if each.taken]
        tries: defaultdict[str, int] = defaultdict(int)
        delays = []
        for each in self.receiver.attempts:
            tries[each.id] += 1
            if each.taken and tries[each.id] == 1:
                delays.append(each.delay)
        seconds = taken[-1].time - taken[0].time
        cuts = quantiles(delays, n=100)
        return (
            f"{len(taken) / seconds:.1f} a second; taken at once after "
            f"{cuts[49] * 1000:.0f} ms, 90% of them within {cuts[89] * 1000:.0f} ms"
        )

    def _missing(self) -> list[tuple[str, int]]:
        taken = {(each.game, each.end) for each in self.receiver.attempts if each.taken}
        ends = [
            (game, n + 1) for game, count in self.ends.items() for n in range(count)
        ]
        return [end for end in ends if end not in taken]

    def _hurry(self, client: RetryingClient) -> None:
        """Have deliveries that wait for their next attempt sent at once."""
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
        """Ends of which one was sent before the end before it was taken."""
        taken: defaultdict[str, int] = defaultdict(int)
        found = []
        for each in self.receiver.attempts:
            if each.end > taken[each.game] + 1:
                found.append(f"end {each.end} of {each.game} came too early")
            if each.taken:
                taken[each.game] = max(taken[each.game], each.end)
        return found

    def _changed(self) -> list[str]:
        """Ends that came with several ids or bodies."""
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
    """A portal whose receiver runs meanwhile."""
    with running(receiver := Receiver(seed)):
        yield Portal(receiver, folder / "keys.json")
