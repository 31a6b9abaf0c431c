"""Stock games played on a real server: no byte tells a card before it is dealt.

Everything that the service says is searched: answers, their header fields, what others
see of a game, and every line of the log at its most talkative.
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

from tests.properties.conftest import PATIENT
from tests.servers import Service

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
_VARIANTS = {
    "accordion": (),
    "accordion-bidirectional": (),
    "accordions-revenge": (),
    "23-skidoo": (),
    "late-binding": (),
    "bayan": (),
    "push-pin": (),
    "royal-marriage": ("QH", "KH"),
    "nizhni-novgorod": ("AS", "AC"),
    "decade": (),
    "seven-up": (),
}
"""Every variant, and the cards that are dealt first and last in it."""
_DAILY = ("royal-marriage", "nizhni-novgorod")
"""The variants whose daily deals are hidden."""
_DECK_SIZE = {"late-binding": 18}
_OWN_SEED = "a-seed-of-ones-own"
_SECRET = "the secret of the coming days"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with TemporaryDirectory(prefix="acc") as folder:
        settings = {
            "data_dir": folder,
            "workers": 2,
            "log_level": "debug",
            **PATIENT,
            "daily_secret": _SECRET,
        }
        with Service(settings) as service:
            yield service


@dataclass
class _Ear:
    """What asks the service, and hears every byte that it says.

    Attributes:
        service: The service.
        told: What it told the player since the last time.
        shown: What it showed to others since the last time.
        before: All that it said while the game went on.
        shown_before: All that it showed while the game went on.
    """

    service: Service
    told: bytes = b""
    shown: bytes = b""
    before: bytes = b""
    shown_before: bytes = b""
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
        said = b"%d\n%b\n%b\n" % (answer.status, head.encode(), answer.body)
        if path.startswith("/v1/watch/"):
            self.shown += said
        else:
            self.told += said
        return json.loads(answer.body) if answer.body else None

    def listen(self, *, goes_on: bool = True) -> bytes:
        """Take all that was said since the last time, the log included."""
        log = self.service.output(self._log).encode()
        self._log += len(log)
        said = self.told + self.shown + log
        if goes_on:
            self.before += said
            self.shown_before += self.shown
        self.told = self.shown = b""
        return said


@dataclass
class _Game:
    """A stock game that is played at random, and what is still hidden in it.

    Attributes:
        ear: What asks and hears.
        state: The game, as it was told last.
        hidden: The cards that were not dealt yet.
        chance: What chooses.
    """

    ear: _Ear
    state: dict[str, Any]
    hidden: set[str]
    chance: random.Random

    @property
    def path(self) -> str:
        return f"/v1/games/{self.state['id']}"

    @property
    def goes_on(self) -> bool:
        playing = self.state["status"] == "playing"
        return playing and int(self.state["stock"]) > 0

    def play(self) -> None:
        """Play until no card is hidden any more, and search all that is said."""
        self._search()
        while self.goes_on:
            if self.chance.random() < 0.08:
                self._ask_all()
            self._act()
            self._search()

    def _act(self) -> None:
        moves = self.state["legal_moves"]
        match self.chance.randrange(8):
            case 0 if self.state["can_undo"]:
                self._write("undo", {})
            case 1 if self.state["can_redo"]:
                self._write("redo", {})
            case 2 if moves:
                self._write("moves", {"from": moves[0]["from"]})
            case 3 | 4 if moves:
                self._write("moves", self.chance.choice(moves))
            case _:
                count = self.chance.choice([1, 1, 2, 3, 5, "all"])
                few = isinstance(count, int) and count <= self.state["stock"]
                if few:
                    self._write("deal", {"count": count})
                    self._write("deal", {"count": 999})
                elif moves:
                    self._write("moves", moves[-1])

    def _write(self, action: str, body: object) -> None:
        answer = self.ear.ask("POST", f"{self.path}/{action}", body)
        if "row" in answer:
            self.state = answer
            self.hidden -= {*answer["row"], *answer["removed"]}

    def _ask_all(self) -> None:
        """Ask all that can be asked, and be refused in every way."""
        ear, path = self.ear, self.path
        watched = f"/v1/watch/{self.state['watch_id']}"
        size = len(self.state["row"])
        for method in ("GET", "HEAD", "OPTIONS", "PUT"):
            for seen in ("", "/legal-moves", "/record", "/deal", "/nope"):
                ear.ask(method, path + seen)
            for seen in ("", "/record"):
                ear.ask(method, watched + seen)
        ear.ask("GET", path, If_None_Match="*")
        ear.ask("GET", watched, If_None_Match='"0"')
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
            ear.ask("POST", f"{path}/moves", body)
        for action, body in (
            ("deal", {"count": 99}),
            ("deal", {"count": 0}),
            ("undo", {"count": 999}),
            ("redo", {"count": 999}),
            ("solution", {}),
        ):
            ear.ask("POST", f"{path}/{action}", body)
        ear.ask("POST", f"{path}/deal", {}, If_Match='"0"')
        ear.ask("POST", f"{path}/deal", {}, Idempotency_Key="a b")
        ear.ask("DELETE", path, If_Match='"0"')
        hint = ear.ask("POST", f"{path}/hint", {"budget_ms": 1})
        self.state = ear.ask("GET", path)
        if hint.get("action") and hint["action"]["type"] == "move":
            ends = {"from": hint["action"]["from"], "to": hint["action"]["to"]}
            assert ends in self.state["legal_moves"]

    def _search(self) -> None:
        said = self.ear.listen(goes_on=self.state["status"] == "playing")
        assert not [card for card in self.hidden if _mentions(said, card)]


def _mentions(said: bytes, card: str) -> bool:
    """Whether a card is named, other than by chance inside of an id."""
    return re.search(rb"(?i)(?<![\w-])%b(?![\w-])" % card.encode(), said) is not None


def _start(service: Service, variant: str, **wish: object) -> _Game:
    ear = _Ear(service)
    options = {"layout": "stock"} | dict(wish.pop("options", {}))  # type: ignore[call-overload]
    state = ear.ask(
        "POST", "/v1/games", {"variant": variant, "options": options, **wish}
    )
    hidden = {*_NAMES, *wish.get("deck", [])} - {*state["row"], state["goal_card"]}  # type: ignore[misc]
    return _Game(ear, state, hidden, random.Random(f"{variant} {wish}"))


def _own_deck(variant: str) -> list[str]:
    first, last = _VARIANTS[variant] or (None, None)
    cards = [card for card in _NAMES if card not in (first, last)]
    random.Random(variant).shuffle(cards)
    if first is not None and last is not None:
        return [first, *cards, last]
    return cards[: _DECK_SIZE.get(variant)]


def _finish(game: _Game) -> Any:  # noqa: ANN401
    """End a game, if it still goes on, and look at it once more."""
    game.ear.ask("POST", f"{game.path}/finish", {})
    return game.ear.ask("GET", game.path)


def _check_deal(game: _Game, over: dict[str, Any]) -> None:
    """Check with the seed that is shown now that the deal was the promised one."""
    seed, ear = over["seed"], game.ear
    assert hashlib.sha256(seed.encode()).hexdigest() == over["commitment"]
    assert seed.encode() not in ear.before
    deal = ear.ask(
        "POST",
        "/v1/deals",
        {"seed": seed, "source": over["source"], "variant": over["variant"]},
    )
    dealt = len(deal["cards"]) - over["stock"]
    seen = {*_NAMES} - game.hidden - {over["goal_card"]}
    assert seen == {*deal["cards"][:dealt]} - {over["goal_card"]}
    record = ear.ask("GET", f"{game.path}/record")
    replayed = ear.ask("POST", "/v1/replays", record)
    assert replayed["valid"]
    assert replayed["row"] == over["row"]


def _stop_early(game: _Game) -> None:
    """Deal half of the cards, and then stop."""
    while game.goes_on and game.state["stock"] > 25:
        game._act()  # noqa: SLF001 - its own module
        game._search()  # noqa: SLF001
    game._ask_all()  # noqa: SLF001


@pytest.mark.parametrize("compulsory", [False, True], ids=["free", "compulsory"])
@pytest.mark.parametrize("variant", _VARIANTS)
def test_a_random_seed(service: Service, variant: str, *, compulsory: bool) -> None:
    game = _start(service, variant, options={"compulsory": compulsory})
    assert game.state["seed"] is None
    game.play()
    over = _finish(game)
    _check_deal(game, over)
    shown = game.ear.ask("GET", f"/v1/watch/{over['watch_id']}")
    assert shown["seed"] == over["seed"]


@pytest.mark.parametrize("source", ["accordion/1", "pysol"])
@pytest.mark.parametrize("variant", ["accordion", "royal-marriage", "decade"])
def test_a_game_that_is_stopped(service: Service, variant: str, source: str) -> None:
    """The cards left in the stock are told by the seed alone, once it shows."""
    game = _start(service, variant, source=source)
    _stop_early(game)
    game.ear.listen()
    over = _finish(game)
    assert over["stock"] > 0
    _check_deal(game, over)


@pytest.mark.parametrize("variant", _VARIANTS)
def test_a_seed_of_ones_own(service: Service, variant: str) -> None:
    game = _start(service, variant, seed=_OWN_SEED)
    log = len(service.output().encode())
    assert game.state["seed"] == _OWN_SEED
    game.play()
    digest = hashlib.sha256(_OWN_SEED.encode()).hexdigest()
    for secret in (_OWN_SEED, digest):
        assert secret.encode() not in game.ear.shown_before
        assert secret not in service.output(log)


@pytest.mark.parametrize("variant", _VARIANTS)
def test_a_deck_of_ones_own(service: Service, variant: str) -> None:
    deck = _own_deck(variant)
    goal = {"goal_card": deck[-1]} if variant == "accordions-revenge" else {}
    game = _start(service, variant, deck=deck, **goal)
    assert (game.state["seed"], game.state["commitment"]) == (None, None)
    game.play()
    assert _finish(game)["stock"] == 0
    assert game.ear.ask("GET", f"{game.path}/record")["deck"] == deck


@pytest.mark.parametrize("compulsory", [False, True], ids=["free", "compulsory"])
@pytest.mark.parametrize("variant", _DAILY)
def test_the_deal_of_today(service: Service, variant: str, *, compulsory: bool) -> None:
    """Its seed stays hidden after the game: others still play it."""
    game = _start(service, variant, daily=True, options={"compulsory": compulsory})
    for query in ("", f"/{game.state['daily']}"):
        deal = game.ear.ask("GET", f"/v1/deals/daily{query}?variant={variant}")
        assert (deal["seed"], deal["cards"]) == (None, None)
    game.play()
    over = _finish(game)
    if over["daily"] == _day(0):
        assert over["seed"] is None
        record = game.ear.ask("GET", f"{game.path}/record")
        assert record["seed"] is None


@pytest.mark.parametrize("variant", _DAILY)
def test_the_deal_of_a_day_that_is_over(service: Service, variant: str) -> None:
    game = _start(service, variant, daily=_day(-1))
    assert game.state["seed"] is None
    game.play()
    _check_deal(game, _finish(game))


@pytest.mark.parametrize("variant", _VARIANTS)
def test_the_deal_of_a_day_to_come(service: Service, variant: str) -> None:
    ear = _Ear(service)
    for days in (1, 2, 400):
        path = f"/v1/deals/daily/{_day(days)}?variant={variant}"
        assert ear.ask("GET", path)["type"] == "/problems/not-yet"
        wish = {"variant": variant, "daily": _day(days)}
        assert ear.ask("POST", "/v1/games", wish)["type"] == "/problems/not-yet"
    said = ear.listen()
    assert not [card for card in _NAMES if _mentions(said, card)]


def _day(days: int) -> str:
    return (datetime.now(UTC).date() + timedelta(days)).isoformat()


def test_a_secret_of_the_service_is_told_nowhere(service: Service) -> None:
    assert _SECRET not in service.output()
    metrics = service.request("GET", "/metrics").body.decode()
    assert _SECRET not in metrics
    assert _OWN_SEED not in metrics


def test_a_seed_that_could_be_guessed_is_not_drawn(service: Service) -> None:
    """A commitment to one of 2^32 numbers would give it away."""
    wish = {"source": "solvitaire", "options": {"layout": "stock"}}
    answer = _Ear(service).ask("POST", "/v1/games", wish)
    assert answer["type"] == "/problems/validation-error"
