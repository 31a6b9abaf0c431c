"""Changes that start from a cached game, while other processes write it too."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from service.config import Settings
from service.engine.cards import name_cards, parse_cards
from service.engine.play import Options
from service.engine.position import Move
from service.engine.ruleset import Layout
from service.engine.variants import find_variant
from service.games.create import DeckChoice, NewGame, SeedChoice
from service.games.idempotency import IdempotentRequest
from service.games.ids import watch_id_of
from service.games.snapshot import (
    ChangeRefusedError,
    GameNotFoundError,
    GameSnapshot,
    VersionMismatchError,
)
from service.games.use_cases import make_use_cases
from service.store.protocol import GameKey, IdempotencyKey, Stored

if TYPE_CHECKING:
    from service.engine.play import Play
    from service.games.create import DealChoice
    from service.games.service import Change, Games
    from service.games.session import Session
    from service.store.redis import RedisStore

ROW = ["4S", "7H", "QC", "4D", "KD"]
NOW = 1_800_000_000_000


def _process(store: RedisStore) -> Games:
    return make_use_cases(Settings(), store, store.runner, lambda: NOW).games


def _start(games: Games, deal: DealChoice) -> str:
    new_game = NewGame(find_variant("accordion"), Options(Layout.OPEN), deal)
    game_id = games.create("", new_game).game_id
    assert game_id is not None
    return game_id


def _move(origin: int, target: int) -> Change:
    return lambda session, now: session.move(Move(origin, target), now)


def _undo(count: int) -> Change:
    return lambda session, now: session.undo(count, now)


@pytest.fixture
def game_id(store: RedisStore) -> str:
    return _start(_process(store), DeckChoice(parse_cards(ROW)))


def _row(snapshot: GameSnapshot) -> list[str]:
    return name_cards(snapshot.session.play.position.row)


def test_a_cached_game_that_another_process_changed_is_read_again(
    store: RedisStore, game_id: str
) -> None:
    one, other = _process(store), _process(store)
    assert one.change("", game_id, _move(3, 0)).version == 2
    assert other.change("", game_id, _move(3, 0)).version == 3
    snapshot = one.change("", game_id, _undo(1))
    assert (snapshot.version, _row(snapshot)) == (4, ["4D", "7H", "QC", "KD"])
    assert one.get("", game_id) == snapshot


def test_a_refusal_is_based_on_the_stored_game(store: RedisStore, game_id: str) -> None:
    one, other = _process(store), _process(store)
    one.change("", game_id, _move(3, 0))
    other.change("", game_id, _undo(1))
    assert _row(one.change("", game_id, _move(4, 3)))[3] == "KD"
    with pytest.raises(ChangeRefusedError) as refused:
        one.change("", game_id, _move(4, 3))
    assert refused.value.version == 4


def test_the_expected_version_is_compared_with_the_stored_game(
    store: RedisStore, game_id: str
) -> None:
    one, other = _process(store), _process(store)
    one.change("", game_id, _move(3, 0))
    other.change("", game_id, _undo(1))
    with pytest.raises(VersionMismatchError) as mismatch:
        one.change("", game_id, _move(3, 0), expected=[2])
    assert mismatch.value.snapshot.version == 3
    assert one.change("", game_id, _move(3, 0), expected=[3]).version == 4


@pytest.mark.parametrize(("is_cheap", "times"), [(True, 2), (False, 1)])
def test_an_expensive_change_does_not_start_from_a_cached_game(
    store: RedisStore, game_id: str, *, is_cheap: bool, times: int
) -> None:
    one, other = _process(store), _process(store)
    one.change("", game_id, _move(3, 0))
    other.change("", game_id, _undo(1))
    seen: list[Session] = []

    def advise(session: Session, _now: int) -> Session:
        seen.append(session)
        return session.advised(b"")

    one.change("", game_id, advise, is_cheap=lambda _: is_cheap)
    assert len(seen) == times
    assert one.get("", game_id).session == seen[-1].advised(b"")


def test_a_deleted_game_is_not_restored_from_the_cache(
    store: RedisStore, game_id: str
) -> None:
    one, other = _process(store), _process(store)
    one.change("", game_id, _move(3, 0))
    other.delete("", game_id)
    with pytest.raises(GameNotFoundError):
        one.change("", game_id, _move(3, 0))
    assert store.load(GameKey("", watch_id_of(game_id))) is None


def test_a_write_that_the_store_has_lost_is_not_restored(
    store: RedisStore, game_id: str
) -> None:
    """The store lost a write, and another process then made a different move."""
    one, other = _process(store), _process(store)
    key = GameKey("", watch_id_of(game_id))
    before = store.load(key)
    assert before is not None
    one.change("", game_id, _move(3, 0))
    store.delete(key)
    store.create(key, before.payload)
    assert other.change("", game_id, _move(4, 3)).version == 2
    with pytest.raises(ChangeRefusedError):
        one.change("", game_id, _move(3, 0))
    assert _row(one.get("", game_id)) == ["4S", "7H", "QC", "KD"]


@pytest.mark.parametrize("key", [None, "a key"])
def test_a_game_that_changed_after_it_was_read_is_not_overwritten(
    store: RedisStore, game_id: str, key: str | None
) -> None:
    """Between reading and writing, the store lost a write and another move was made."""
    game = GameKey("", watch_id_of(game_id))
    first = store.load(game)
    assert first is not None
    one, seen = _process(store), 0

    def move(session: Session, now: int) -> Session:
        nonlocal seen
        seen += 1
        if seen == 1:
            store.delete(game)
            store.create(game, first.payload)
            _process(store).change("", game_id, _move(4, 3))
        return session.undo(1, now)

    _process(store).change("", game_id, _move(3, 0))
    request = None
    if key is not None:
        request = IdempotentRequest[GameSnapshot](
            IdempotencyKey("", game.game_id, key),
            b"the same request",
            lambda snapshot: b"%d" % snapshot.version,
        )
    snapshot = one.change("", game_id, move, request=request)
    assert isinstance(snapshot, GameSnapshot)
    assert (seen, snapshot.version) == (2, 3)
    assert snapshot.session.play.undone == bytes((4, 3))
    assert one.get("", game_id) == snapshot


def test_an_unreadable_cached_game_is_ignored(
    store: RedisStore, game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rubbish = Stored(1, b"\x02rubbish")
    monkeypatch.setattr("service.games.write_cache.WriteCache.get", lambda *_: rubbish)
    assert _process(store).change("", game_id, _move(3, 0)).version == 2


class CountingStore:
    """A store that counts how often it is read."""

    def __init__(self, store: RedisStore) -> None:
        self.loads = 0
        self._store = store
        self.create, self.replace = store.create, store.replace
        self.runner = store.runner

    def load(
        self, key: GameKey, request: IdempotencyKey | None = None
    ) -> Stored | None:
        self.loads += 1
        return self._store.load(key, request)


def test_a_game_that_nobody_else_plays_is_not_read(store: RedisStore) -> None:
    counting = CountingStore(store)
    games = _process(counting)  # type: ignore[arg-type]  # the rest is not called
    game_id = _start(games, DeckChoice(parse_cards(ROW)))
    games.change("", game_id, _move(3, 0))
    games.change("", game_id, _move(3, 0))
    assert counting.loads == 0


def test_many_processes_play_one_game(store: RedisStore) -> None:
    processes = [_process(store) for _ in range(3)]
    game_id = _start(processes[0], SeedChoice(seed="many"))
    choose = random.Random(7)
    play: Play = processes[0].get("", game_id).session.play
    version = 1
    while play.legal_moves:
        move = choose.choice(play.legal_moves)
        snapshot = choose.choice(processes).change("", game_id, _move(*move))
        version += 1
        play = play.move(move)
        assert (snapshot.version, snapshot.session.play) == (version, play)
