"""How long a change is retried while another writer is faster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.config import Settings
from service.engine.cards import parse_cards
from service.engine.play import Options
from service.engine.position import Move
from service.engine.ruleset import Layout
from service.engine.variants import find_variant
from service.games.create import DeckChoice, NewGame
from service.games.snapshot import GameBusyError
from service.games.use_cases import make_use_cases
from service.http.app import create_app
from service.store.protocol import Done, Stale
from tests.http.client import Api

if TYPE_CHECKING:
    from service.games.service import Games
    from service.games.session import Session
    from service.store.protocol import (
        Answered,
        GameKey,
        Gone,
        IdempotencyKey,
        KeptAnswer,
        Stored,
    )
    from service.store.redis import RedisStore

DECK = ["4S", "7H", "QC", "4D", "KD"]


class ContestedStore:
    """A store in which another writer is faster at first; each trip takes `trip` ms.

    Attributes:
        now: The time in milliseconds.
        faster: How many times the other writer is faster.
        replaced: How many times a replacement was attempted.
    """

    def __init__(self, store: RedisStore, *, trip: int, faster: int = 1000) -> None:
        self._store, self.runner = store, store.runner
        self._trip = trip
        self.faster = faster
        self.now = 1_800_000_000_000
        self.replaced = 0
        self.create, self.ping = store.create, store.ping

    def load(
        self, key: GameKey, request: IdempotencyKey | None = None
    ) -> Stored | None:
        self.now += self._trip
        return self._store.load(key, request)

    def replace(
        self,
        key: GameKey,
        expected: int,
        payload: bytes,
        known: bytes = b"",
        answer: KeptAnswer | None = None,
    ) -> Done | Stale | Gone | Answered:
        self.now += self._trip
        self.replaced += 1
        if self.replaced > self.faster:
            return self._store.replace(key, expected, payload, known, answer)
        found = self._store.load(key)
        assert found is not None
        return Stale(expected, found.payload)


def _games(contested: ContestedStore, timeout_ms: float) -> Games:
    cases = make_use_cases(
        Settings(store_timeout=timeout_ms / 1000),
        contested,  # type: ignore[arg-type]  # the rest is not called
        contested.runner,
        lambda: contested.now,
    )
    return cases.games


def _start(games: Games) -> str:
    new_game = NewGame(
        find_variant("accordion"), Options(Layout.OPEN), DeckChoice(parse_cards(DECK))
    )
    game_id = games.create("", new_game).game_id
    assert game_id is not None
    return game_id


def _move(session: Session, now: int) -> Session:
    return session.move(Move(3, 0), now)


@pytest.mark.parametrize(
    ("trip", "attempts"), [(0, 64), (100, 4), (449, 1), (450, 1), (1000, 1)]
)
def test_a_change_gives_up_once_it_has_waited_too_long(
    store: RedisStore, trip: int, attempts: int
) -> None:
    """The round trip that reads the game counts too."""
    contested = ContestedStore(store, trip=trip)
    game_id = _start(_games(contested, 450))
    with pytest.raises(GameBusyError):
        _games(contested, 450).change("", game_id, _move)
    assert contested.replaced == attempts


def test_a_change_that_starts_from_a_cached_game_gives_up_too(
    store: RedisStore,
) -> None:
    contested = ContestedStore(store, trip=100, faster=0)
    games = _games(contested, 450)
    game_id = _start(games)
    games.change("", game_id, _move)
    contested.replaced, contested.faster = 0, 1000
    with pytest.raises(GameBusyError):
        games.change("", game_id, lambda session, _: session.undo(1, contested.now))
    assert contested.replaced == 5


def test_the_time_that_the_action_takes_does_not_count(store: RedisStore) -> None:
    contested = ContestedStore(store, trip=10, faster=3)
    games = _games(contested, 450)

    def think(session: Session, now: int) -> Session:
        contested.now += 2000
        return _move(session, now)

    assert games.change("", _start(games), think).version == 2
    assert contested.replaced == 4


def test_a_service_gives_up_after_the_time_out_of_its_store(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    contested = ContestedStore(store, trip=100)
    monkeypatch.setattr("service.http.app.now", lambda: contested.now)
    app = create_app(Settings(store_timeout=0.45), contested)  # type: ignore[arg-type]
    api = Api(app)
    game = api.start(deck=DECK)
    reply = api.ask(
        "POST",
        f"/v1/games/{game['id']}/moves",
        b'{"from":3,"to":0}',
        {"Content-Type": "application/json"},
    )
    assert (reply.status, reply.slug) == (503, "game-busy")
    assert reply.headers["Retry-After"] == "1"
    assert contested.replaced == 5
