"""In the stock layout no response reveals a card before it is dealt."""

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
class RecordingApi:
    """A client that keeps every byte of the responses."""

    api: Api
    outputs: list[bytes] = field(default_factory=list)

    def ask(self, method: str, path: str, data: bytes = b"", **headers: str) -> Reply:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        fields["X-Request-ID"] = "one-of-mine"
        if data:
            fields["Content-Type"] = "application/json"
        reply = self.api.ask(method, path, data, fields)
        head = "".join(f"{name}: {value}\n" for name, value in reply.headers.items())
        self.outputs.append(b"%d\n" % reply.status + head.encode() + reply.raw)
        return reply


def _requests(game: dict[str, Any]) -> Iterator[tuple[str, str, bytes]]:
    """Requests that never change the cards of a game."""
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


def _ask_all(recorder: RecordingApi, game: dict[str, Any]) -> None:
    for method, path, data in _requests(game):
        reply = recorder.ask(method, path, data)
        assert reply.status < 500
        assert reply.status not in {201, 204}
    path = f"/v1/games/{game['id']}"
    assert recorder.ask("DELETE", path, If_Match='"0"').status == 412
    assert recorder.ask("POST", f"{path}/deal", If_Match='"0"').status == 412
    assert recorder.ask("GET", path, If_None_Match="*").status == 304


def _logged(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> bytes:
    """Every line of the log, with all attributes of its records."""
    written = capfd.readouterr().err
    assert '"message":"request"' in written
    records = [repr(vars(record)) for record in caplog.records]
    return "\n".join([written, *records]).encode()


def _mentions(output: bytes, card: str) -> bool:
    """Whether a card is named, except by chance within an id."""
    name = card.encode()
    return re.search(rb"(?i)(?<![\w-])" + name + rb"(?![\w-])", output) is not None


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_output_names_a_card_before_it_is_dealt(
    api: Api,
    variant: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    recorder = RecordingApi(api)
    body = b'{"variant":"%s","options":{"layout":"stock"}}' % variant.encode()
    game = recorder.ask("POST", "/v1/games", body).json
    path = f"/v1/games/{game['id']}"
    hidden = set(NAMES) - {game["goal_card"]}
    all_output = b""
    while game["status"] == "playing" and game["stock"]:
        if game["stock"] % 5 == 0:
            _ask_all(recorder, game)
        hidden -= set(game["row"])
        output = b"\n".join([*recorder.outputs, _logged(caplog, capfd)])
        assert not [card for card in hidden if _mentions(output, card)]
        assert game["seed"] is None
        all_output += output
        recorder.outputs.clear()
        caplog.clear()
        game = _play_on(recorder, game, path)
    assert hidden == set() or len(hidden) <= 52 - VARIANTS[variant].deck_size + 1
    if game["status"] == "playing":
        game = api.post(f"{path}/finish").json
    assert hashlib.sha256(game["seed"].encode()).hexdigest() == game["commitment"]
    assert game["seed"].encode() not in all_output


def _play_on(recorder: RecordingApi, game: dict[str, Any], path: str) -> Any:  # noqa: ANN401
    """Make the first legal move, if there is one, and deal."""
    for move in game["legal_moves"][:1]:
        data = b'{"from":%d,"to":%d}' % (move["from"], move["to"])
        assert recorder.ask("POST", f"{path}/moves", data).status == 200
    return recorder.ask("POST", f"{path}/deal").json


def test_hidden_cards_change_no_byte_of_a_response(api: Api) -> None:
    """Two games that differ only in hidden cards get byte-identical responses."""
    shown, rest = list(NAMES[:20]), list(NAMES[20:])
    transcripts = [_transcript(api, shown + rest), _transcript(api, shown + rest[::-1])]
    assert transcripts[0] == transcripts[1]
    other = _transcript(api, [*shown[:18], shown[19], shown[18], *rest])
    assert transcripts[0] != other


def _transcript(api: Api, deck: list[str]) -> list[bytes]:
    """All responses about a game until its first 20 cards are dealt."""
    recorder = RecordingApi(api)
    body = json.dumps({"deck": deck, "options": _STOCK}).encode()
    game = recorder.ask("POST", "/v1/games", body).json
    secrets = (game["id"].encode(), game["watch_id"].encode())
    path = f"/v1/games/{game['id']}"
    recorder.ask("POST", f"{path}/deal", b'{"count":9}')
    recorder.ask("POST", f"{path}/moves", b'{"from":1,"to":0}')
    _ask_all(recorder, game)
    recorder.ask("POST", f"{path}/undo", b'{"count":"all"}')
    recorder.ask("POST", f"{path}/redo", b'{"count":"all"}')
    recorder.ask("POST", f"{path}/deal", b'{"count":10}')
    _ask_all(recorder, game)
    return [_mask(output, secrets) for output in recorder.outputs]


def _mask(output: bytes, secrets: tuple[bytes, ...]) -> bytes:
    for secret in secrets:
        output = output.replace(secret, b"*")
    return _TIMES.sub(b"*", output)


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


def test_a_seed_chosen_by_the_player_is_not_hidden(api: Api) -> None:
    game = api.start(variant="royal-marriage", seed="mine")
    assert game["seed"] == "mine"
    assert game["commitment"] == hashlib.sha256(b"mine").hexdigest()


def test_a_players_deck_is_in_the_record_once_it_is_dealt(api: Api) -> None:
    """Also for spectators, before the game is over; until then a replay is a 409."""
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
