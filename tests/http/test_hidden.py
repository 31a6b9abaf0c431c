"""Nothing hidden leaks: in the stock layout no answer tells a card not yet dealt."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from service.config import Settings
from service.engine.cards import NAMES
from service.engine.variants import VARIANTS
from service.http.app import create_app
from tests.http.client import Api, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.store.redis import RedisStore

_STOCK = {"layout": "stock"}
_TIMES = re.compile(rb'"(started|ended)_at":[^,}]+|"elapsed_seconds":\d+')


@dataclass
class Overheard:
    """An API that keeps every byte of its answers."""

    api: Api
    heard: list[bytes] = field(default_factory=list)

    def ask(self, method: str, path: str, data: bytes = b"", **headers: str) -> Reply:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        fields["X-Request-ID"] = "one-of-mine"
        if data:
            fields["Content-Type"] = "application/json"
        reply = self.api.ask(method, path, data, fields)
        head = "".join(f"{name}: {value}\n" for name, value in reply.headers.items())
        self.heard.append(b"%d\n" % reply.status + head.encode() + reply.raw)
        return reply


def _questions(game: dict[str, Any]) -> Iterator[tuple[str, str, bytes]]:
    """What may be asked of a game at any time without changing its cards."""
    path, watched = f"/v1/games/{game['id']}", f"/v1/watch/{game['watch_id']}"
    for seen in (path, f"{path}/legal-moves", f"{path}/record"):
        yield "GET", seen, b""
        yield "HEAD", seen, b""
    yield "GET", watched, b""
    yield "GET", f"{watched}/record", b""
    for bad in (b'{"from":99,"to":98}', b'{"from":0,"to":40}', b'{"from":99}', b"{"):
        yield "POST", f"{path}/moves", bad
    yield "POST", f"{path}/moves", b'{"moves":[{"deal":99}]}'
    yield "POST", f"{path}/moves", b'{"moves":[{"deal":1},{"from":9,"to":0}]}'
    yield "POST", f"{path}/deal", b'{"count":99}'
    yield "POST", f"{path}/undo", b'{"count":999}'
    yield "POST", f"{path}/redo", b'{"count":999}'
    yield "POST", f"{path}/hint", b""
    yield "POST", f"{path}/solution", b""
    yield "POST", f"{path}/nope", b""
    yield "PUT", path, b""


def _ask_all(overheard: Overheard, game: dict[str, Any]) -> None:
    for method, path, data in _questions(game):
        reply = overheard.ask(method, path, data)
        assert reply.status < 500
        assert reply.status not in {201, 204}
    path = f"/v1/games/{game['id']}"
    assert overheard.ask("DELETE", path, If_Match='"0"').status == 412
    assert overheard.ask("POST", f"{path}/deal", If_Match='"0"').status == 412
    assert overheard.ask("GET", path, If_None_Match="*").status == 304


def _logged(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> bytes:
    """Every line of the log, with all that was attached to it."""
    written = capfd.readouterr().err
    assert '"message":"request"' in written
    records = [repr(vars(record)) for record in caplog.records]
    return "\n".join([written, *records]).encode()


def _mentions(heard: bytes, card: str) -> bool:
    """Whether a card is named, other than by chance inside an id."""
    name = card.encode()
    return re.search(rb"(?i)(?<![\w-])" + name + rb"(?![\w-])", heard) is not None


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_byte_tells_a_card_before_it_is_dealt(
    api: Api,
    variant: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    overheard = Overheard(api)
    wish = b'{"variant":"%s","options":{"layout":"stock"}}' % variant.encode()
    game = overheard.ask("POST", "/v1/games", wish).json
    path = f"/v1/games/{game['id']}"
    hidden = set(NAMES) - {game["goal_card"]}
    heard = b""
    while game["status"] == "playing" and game["stock"]:
        if game["stock"] % 5 == 0:
            _ask_all(overheard, game)
        hidden -= set(game["row"])
        said = b"\n".join([*overheard.heard, _logged(caplog, capfd)])
        assert not [card for card in hidden if _mentions(said, card)]
        assert game["seed"] is None
        heard += said
        overheard.heard.clear()
        caplog.clear()
        game = _play_on(overheard, game, path)
    assert hidden == set() or len(hidden) <= 52 - VARIANTS[variant].deck_size + 1
    if game["status"] == "playing":
        game = api.post(f"{path}/finish").json
    assert hashlib.sha256(game["seed"].encode()).hexdigest() == game["commitment"]
    assert game["seed"].encode() not in heard


def _play_on(overheard: Overheard, game: dict[str, Any], path: str) -> Any:  # noqa: ANN401
    """Make the first legal move, if there is one, and deal."""
    for move in game["legal_moves"][:1]:
        data = b'{"from":%d,"to":%d}' % (move["from"], move["to"])
        assert overheard.ask("POST", f"{path}/moves", data).status == 200
    return overheard.ask("POST", f"{path}/deal").json


def test_what_is_hidden_changes_no_byte(api: Api) -> None:
    """Two games that differ in hidden cards alone are told in the same bytes."""
    shown, rest = list(NAMES[:20]), list(NAMES[20:])
    transcripts = [_transcript(api, shown + rest), _transcript(api, shown + rest[::-1])]
    assert transcripts[0] == transcripts[1]
    other = _transcript(api, [*shown[:18], shown[19], shown[18], *rest])
    assert transcripts[0] != other


def _transcript(api: Api, deck: list[str]) -> list[bytes]:
    """All that is said of a game while its first 20 cards are dealt."""
    overheard = Overheard(api)
    wish = json.dumps({"deck": deck, "options": _STOCK}).encode()
    game = overheard.ask("POST", "/v1/games", wish).json
    secrets = (game["id"].encode(), game["watch_id"].encode())
    path = f"/v1/games/{game['id']}"
    overheard.ask("POST", f"{path}/deal", b'{"count":9}')
    overheard.ask("POST", f"{path}/moves", b'{"from":1,"to":0}')
    _ask_all(overheard, game)
    overheard.ask("POST", f"{path}/undo", b'{"count":"all"}')
    overheard.ask("POST", f"{path}/redo", b'{"count":"all"}')
    overheard.ask("POST", f"{path}/deal", b'{"count":10}')
    _ask_all(overheard, game)
    return [_mask(heard, secrets) for heard in overheard.heard]


def _mask(heard: bytes, secrets: tuple[bytes, ...]) -> bytes:
    for secret in secrets:
        heard = heard.replace(secret, b"*")
    return _TIMES.sub(b"*", heard)


def test_a_daily_stock_game_shows_its_seed_only_after_its_day(
    store: RedisStore,
) -> None:
    app = create_app(Settings(daily_secret="a secret"), store)
    api = Api(app)
    day = api.get("/v1/deals/daily?variant=royal-marriage").json
    assert day["seed"] is None
    assert day["cards"] is None
    game = api.start(variant="royal-marriage", daily=day["date"])
    assert game["commitment"] == day["commitment"]
    ended = api.play(game, "finish").json
    assert ended["seed"] is None
    assert api.get(f"/v1/games/{game['id']}/record").json["seed"] is None

    past = api.get("/v1/deals/daily/2026-01-31?variant=royal-marriage").json
    assert hashlib.sha256(past["seed"].encode()).hexdigest() == past["commitment"]
    game = api.start(variant="royal-marriage", daily="2026-01-31")
    assert game["seed"] is None
    ended = api.play(game, "finish").json
    assert ended["seed"] == past["seed"]
    dealt = api.post("/v1/deals", {"seed": past["seed"], "variant": "royal-marriage"})
    assert dealt.json["cards"] == past["cards"]


def test_a_seed_of_ones_own_is_no_secret(api: Api) -> None:
    game = api.start(variant="royal-marriage", seed="mine")
    assert game["seed"] == "mine"
    assert game["commitment"] == hashlib.sha256(b"mine").hexdigest()


def test_a_deck_of_ones_own_shows_in_the_record_once_it_is_dealt(api: Api) -> None:
    """To watchers too, though the game goes on; while it is hidden, it is a 409."""
    deck = ["4S", "4D", "QC"]
    game = api.start(deck=deck, options=_STOCK)
    paths = [f"/v1/games/{game['id']}/record", f"/v1/watch/{game['watch_id']}/record"]
    records = [api.get(path).json for path in paths]
    assert [record["deck"] for record in records] == [None, None]
    assert api.post("/v1/replays", records[0]).slug == "seed-hidden"
    assert api.play(game, "deal", count="all").json["status"] == "playing"
    records = [api.get(path).json for path in paths]
    assert [record["deck"] for record in records] == [deck, deck]
    assert api.post("/v1/replays", records[0]).json["valid"]
    api.play(game, "undo")
    assert api.get(paths[0]).json["deck"] is None
