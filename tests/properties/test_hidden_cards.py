"""Stock games on a real server: no output reveals a card before it is dealt.

All output is searched: responses with their header fields, what spectators see, and
every line of the debug log.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from tests.properties.choices import PINS, SIZES, VARIANTS
from tests.properties.conftest import LONG_STORE_TIMEOUT
from tests.servers import Service

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
_DAILY = ("royal-marriage", "nizhni-novgorod")
"""The variants whose daily deals are hidden."""
_OWN_SEED = "a-seed-of-ones-own"
_SECRET = "the secret of the coming days"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with TemporaryDirectory(prefix="acc") as folder:
        settings = {
            "data_dir": folder,
            "workers": 2,
            "log_level": "debug",
            **LONG_STORE_TIMEOUT,
            "daily_secret": _SECRET,
        }
        with Service(settings) as service:
            yield service


@dataclass
class _Recorder:
    """Sends requests, and records all output of the service.

    Attributes:
        to_player: The output to the player since the last call of `collect`.
        to_others: The output to spectators since then.
        before: All output before the end of the game.
        to_others_before: All output to spectators before the end of the game.
    """

    service: Service
    to_player: bytes = b""
    to_others: bytes = b""
    before: bytes = b""
    to_others_before: bytes = b""
    _log: int = field(default=0)

    def __post_init__(self) -> None:
        self._log = len(self.service.output().encode())

    def ask(self, method: str, path: str, value: object = None, **fields: str) -> Any:  # noqa: ANN401
        headers = {name.replace("_", "-"): text for name, text in fields.items()}
        body = None if value is None else json.dumps(value).encode()
        if body is not None:
            headers["Content-Type"] = "application/json"
        headers["X-Request-ID"] = "mine"
        answer = self.service.request(method, path, body, headers, timeout=60)
        assert answer.status < 500
        head = "".join(f"{name}: {text}\n" for name, text in answer.headers.items())
        output = b"%d\n%b\n%b\n" % (answer.status, head.encode(), answer.body)
        if path.startswith("/v1/watch/"):
            self.to_others += output
        else:
            self.to_player += output
        return json.loads(answer.body) if answer.body else None

    def collect(self, *, is_playing: bool = True) -> bytes:
        """Return all output since the last call, including the log."""
        log = self.service.output(self._log).encode()
        self._log += len(log)
        output = self.to_player + self.to_others + log
        if is_playing:
            self.before += output
            self.to_others_before += self.to_others
        self.to_player = self.to_others = b""
        return output


@dataclass
class _Game:
    """A stock game that is played at random, and its hidden cards.

    Attributes:
        state: The game in the last response.
        hidden: The cards that were not dealt yet.
    """

    client: _Recorder
    state: dict[str, Any]
    hidden: set[str]
    rng: random.Random

    @property
    def path(self) -> str:
        return f"/v1/games/{self.state['id']}"

    @property
    def is_playing(self) -> bool:
        playing = self.state["status"] == "playing"
        return playing and int(self.state["stock"]) > 0

    def play(self) -> None:
        """Play until no card is hidden, and search all output."""
        self._search()
        while self.is_playing:
            if self.rng.random() < 0.08:
                self._send_every_request()
            self._act()
            self._search()

    def _act(self) -> None:
        moves = self.state["legal_moves"]
        match self.rng.randrange(8):
            case 0 if self.state["can_undo"]:
                self._write("undo", {})
            case 1 if self.state["can_redo"]:
                self._write("redo", {})
            case 2 if moves:
                self._write("moves", {"from": moves[0]["from"]})
            case 3 | 4 if moves:
                self._write("moves", self.rng.choice(moves))
            case _:
                count = self.rng.choice([1, 1, 2, 3, 5, "all"])
                few = isinstance(count, int) and count <= self.state["stock"]
                if few:
                    self._write("deal", {"count": count})
                    self._write("deal", {"count": 999})
                elif moves:
                    self._write("moves", moves[-1])

    def _write(self, action: str, body: object) -> None:
        answer = self.client.ask("POST", f"{self.path}/{action}", body)
        if "row" in answer:
            self.state = answer
            self.hidden -= {*answer["row"], *answer["removed"]}

    def _send_every_request(self) -> None:
        """Send every kind of request, with every kind of refusal."""
        client, path = self.client, self.path
        watched = f"/v1/watch/{self.state['watch_id']}"
        size = len(self.state["row"])
        for method in ("GET", "HEAD", "OPTIONS", "PUT"):
            for seen in ("", "/legal-moves", "/record", "/deal", "/nope"):
                client.ask(method, path + seen)
            for seen in ("", "/record"):
                client.ask(method, watched + seen)
        client.ask("GET", path, If_None_Match="*")
        client.ask("GET", watched, If_None_Match='"0"')
        for body in (
            {"from": size, "to": size - 1},
            {"from": size + 1},
            {"from": 0, "to": 0},
            {"from": "x"},
            {"moves": [{"deal": 1}, {"from": size, "to": size - 1}, {"deal": 99}]},
            {"moves": [{"deal": 1}, {"from": size, "to": 0}]},
            {"moves": [{"deal": 1}, {"from": 99, "to": 98}]},
            {"moves": [{"deal": 2}, {"deal": 99}]},
            {"moves": [{"deal": "all"}, {"deal": "all"}]},
        ):
            client.ask("POST", f"{path}/moves", body)
        for action, body in (
            ("deal", {"count": 99}),
            ("deal", {"count": 0}),
            ("undo", {"count": 999}),
            ("redo", {"count": 999}),
            ("solution", {}),
        ):
            client.ask("POST", f"{path}/{action}", body)
        client.ask("POST", f"{path}/deal", {}, If_Match='"0"')
        client.ask("POST", f"{path}/deal", {}, Idempotency_Key="a b")
        client.ask("DELETE", path, If_Match='"0"')
        hint = client.ask("POST", f"{path}/hint", {"budget_ms": 1})
        self.state = client.ask("GET", path)
        if hint.get("action") and hint["action"]["type"] == "move":
            ends = {"from": hint["action"]["from"], "to": hint["action"]["to"]}
            assert ends in self.state["legal_moves"]

    def _search(self) -> None:
        output = self.client.collect(is_playing=self.state["status"] == "playing")
        assert not [card for card in self.hidden if _names(output, card)]


def _names(output: bytes, card: str) -> bool:
    """Whether a card is named, except by coincidence in an id."""
    return re.search(rb"(?i)(?<![\w-])%b(?![\w-])" % card.encode(), output) is not None


def _start(service: Service, variant: str, **body: object) -> _Game:
    client = _Recorder(service)
    options = {"layout": "stock"} | dict(body.pop("options", {}))  # type: ignore[call-overload]
    state = client.ask(
        "POST", "/v1/games", {"variant": variant, "options": options, **body}
    )
    hidden = {*_NAMES, *body.get("deck", [])} - {*state["row"], state["goal_card"]}  # type: ignore[misc]
    return _Game(client, state, hidden, random.Random(f"{variant} {body}"))


def _own_deck(variant: str) -> list[str]:
    first, last = PINS.get(variant, (None, None))
    cards = [card for card in _NAMES if card not in (first, last)]
    random.Random(variant).shuffle(cards)
    if first is not None and last is not None:
        return [first, *cards, last]
    return cards[: SIZES.get(variant)]


def _finish(game: _Game) -> Any:  # noqa: ANN401
    """Finish a game if it is not over, and get it again."""
    game.client.ask("POST", f"{game.path}/finish", {})
    return game.client.ask("GET", game.path)


def _check_deal(game: _Game, over: dict[str, Any]) -> None:
    """Check that the revealed seed matches the commitment and gives the cards dealt."""
    seed, client = over["seed"], game.client
    assert hashlib.sha256(seed.encode()).hexdigest() == over["commitment"]
    assert seed.encode() not in client.before
    deal = client.ask(
        "POST",
        "/v1/deals",
        {"seed": seed, "source": over["source"], "variant": over["variant"]},
    )
    dealt = len(deal["cards"]) - over["stock"]
    seen = {*_NAMES} - game.hidden - {over["goal_card"]}
    assert seen == {*deal["cards"][:dealt]} - {over["goal_card"]}
    record = client.ask("GET", f"{game.path}/record")
    replayed = client.ask("POST", "/v1/replays", record)
    assert replayed["valid"]
    assert replayed["row"] == over["row"]


def _play_half(game: _Game) -> None:
    """Deal half of the cards."""
    while game.is_playing and game.state["stock"] > 25:
        game._act()  # noqa: SLF001 - its own module
        game._search()  # noqa: SLF001
    game._send_every_request()  # noqa: SLF001


@pytest.mark.parametrize("compulsory", [False, True], ids=["free", "compulsory"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_random_seed(service: Service, variant: str, *, compulsory: bool) -> None:
    game = _start(service, variant, options={"compulsory": compulsory})
    assert game.state["seed"] is None
    game.play()
    over = _finish(game)
    _check_deal(game, over)
    shown = game.client.ask("GET", f"/v1/watch/{over['watch_id']}")
    assert shown["seed"] == over["seed"]


@pytest.mark.parametrize("source", ["accordion/1", "pysol"])
@pytest.mark.parametrize("variant", ["accordion", "royal-marriage", "decade"])
def test_a_finished_game(service: Service, variant: str, source: str) -> None:
    """Only the seed reveals the cards left in the stock, once it is shown."""
    game = _start(service, variant, source=source)
    _play_half(game)
    game.client.collect()
    over = _finish(game)
    assert over["stock"] > 0
    _check_deal(game, over)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_seed_chosen_by_the_player(service: Service, variant: str) -> None:
    game = _start(service, variant, seed=_OWN_SEED)
    log = len(service.output().encode())
    assert game.state["seed"] == _OWN_SEED
    game.play()
    digest = hashlib.sha256(_OWN_SEED.encode()).hexdigest()
    for secret in (_OWN_SEED, digest):
        assert secret.encode() not in game.client.to_others_before
        assert secret not in service.output(log)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_deck_chosen_by_the_player(service: Service, variant: str) -> None:
    deck = _own_deck(variant)
    goal = {"goal_card": deck[-1]} if variant == "accordions-revenge" else {}
    game = _start(service, variant, deck=deck, **goal)
    assert (game.state["seed"], game.state["commitment"]) == (None, None)
    game.play()
    assert _finish(game)["stock"] == 0
    assert game.client.ask("GET", f"{game.path}/record")["deck"] == deck


@pytest.mark.parametrize("variant", _DAILY)
def test_the_deal_of_today(service: Service, variant: str) -> None:
    """Its seed stays hidden after the game, since others still play it."""
    game = _start(service, variant, daily=True)
    for query in ("", f"/{game.state['daily']}"):
        deal = game.client.ask("GET", f"/v1/deals/daily{query}?variant={variant}")
        assert (deal["seed"], deal["cards"]) == (None, None)
    game.play()
    over = _finish(game)
    if over["daily"] == _day(0):
        assert over["seed"] is None
        record = game.client.ask("GET", f"{game.path}/record")
        assert record["seed"] is None


@pytest.mark.parametrize("variant", _DAILY)
def test_the_deal_of_a_day_that_is_over(service: Service, variant: str) -> None:
    game = _start(service, variant, daily=_day(-1))
    assert game.state["seed"] is None
    game.play()
    _check_deal(game, _finish(game))


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_deal_of_a_future_day(service: Service, variant: str) -> None:
    client = _Recorder(service)
    for days in (1, 2, 400):
        path = f"/v1/deals/daily/{_day(days)}?variant={variant}"
        assert client.ask("GET", path)["type"] == "/problems/not-yet"
        body = {"variant": variant, "daily": _day(days)}
        assert client.ask("POST", "/v1/games", body)["type"] == "/problems/not-yet"
    output = client.collect()
    assert not [card for card in _NAMES if _names(output, card)]


def _day(days: int) -> str:
    return (datetime.now(UTC).date() + timedelta(days)).isoformat()


def test_no_output_has_the_daily_secret(service: Service) -> None:
    assert _SECRET not in service.output()
    metrics = service.request("GET", "/metrics").body.decode()
    assert _SECRET not in metrics
    assert _OWN_SEED not in metrics


def test_a_random_seed_cannot_be_guessed(service: Service) -> None:
    """A commitment to one of 2^32 numbers would reveal the number."""
    body = {"source": "solvitaire", "options": {"layout": "stock"}}
    answer = _Recorder(service).ask("POST", "/v1/games", body)
    assert answer["type"] == "/problems/validation-error"
