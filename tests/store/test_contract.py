"""What every store must do, on every kind of server."""

import pkgutil
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from threading import Barrier
from typing import TypeVar

import pytest
import redis

import service.store
from service.store.keyspace import claim_name, game_name
from service.store.protocol import (
    GONE,
    Answered,
    Claim,
    Done,
    GameKey,
    GameStore,
    IdempotencyKey,
    InFlight,
    KeptAnswer,
    Stale,
    Stored,
)
from service.store.redis import CLAIM_LEASE_MS, RedisStore
from tests.cluster.launcher import Cluster
from tests.conftest import open_store_at
from tests.servers import StoreServer

AnyServer = StoreServer | Cluster
Client = redis.Redis | redis.RedisCluster

GAME = GameKey("", "some-game")
RETRY = IdempotencyKey("", "some-game", "key-1")
CREATION = IdempotencyKey("", "", "key-1")
REQUEST, OTHER = b"the same request", b"another request."
"""Fingerprints of two requests."""
RUNNING = InFlight(REQUEST)


STORES: dict[type[GameStore], Callable[[RedisStore], GameStore]] = {
    RedisStore: lambda store: store
}
"""How each kind of store is made from a `RedisStore`."""


@pytest.fixture(params=STORES)
def store(any_store: RedisStore, request: pytest.FixtureRequest) -> GameStore:
    """An empty store of each kind, on each kind of server."""
    return STORES[request.param](any_store)


@pytest.fixture
def client(any_server: AnyServer) -> Client:
    return any_server.client()


T = TypeVar("T")


def together(number: int, action: Callable[[int], T]) -> list[T]:
    """Run an action in `number` threads at the same time; return the results."""
    start = Barrier(number)

    def act(index: int) -> T:
        start.wait()
        return action(index)

    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(act, range(number)))


def claimed(store: GameStore, key: IdempotencyKey = RETRY) -> Claim:
    claim = store.claim(key, REQUEST)
    assert isinstance(claim, Claim)
    return claim


def lapse(client: Client, key: IdempotencyKey) -> None:
    """Make a claim as old as one that has lapsed."""
    client.pexpire(claim_name(key), 24 * 3600 * 1000 - int(CLAIM_LEASE_MS) - 1)


def test_every_store_is_tested() -> None:
    methods = [name for name in vars(GameStore) if not name.startswith("_")]
    modules = [
        import_module(f"service.store.{module.name}")
        for module in pkgutil.iter_modules(service.store.__path__)
    ]
    stores = {
        kind
        for module in modules
        for kind in vars(module).values()
        if all(hasattr(kind, method) for method in methods)
    }
    assert stores - {GameStore} == set(STORES)


def test_a_new_game_is_at_version_1(store: GameStore) -> None:
    assert store.create(GAME, b"new")
    assert store.load(GAME) == Stored(1, b"new")


def test_a_game_is_created_once(store: GameStore) -> None:
    assert store.create(GAME, b"first")
    assert not store.create(GAME, b"second")
    assert store.load(GAME) == Stored(1, b"first")


def test_a_payload_may_be_any_bytes(store: GameStore) -> None:
    payload = bytes(range(256)) + b"\r\n$-1\r\n"
    store.create(GAME, payload)
    assert store.load(GAME) == Stored(1, payload)
    assert store.replace(GAME, 1, b"") == Done(2)
    assert store.load(GAME) == Stored(2, b"")


def test_an_unknown_game_is_gone(store: GameStore) -> None:
    assert store.load(GAME) is None
    assert store.replace(GAME, 1, b"x") == GONE
    assert store.delete(GAME) == GONE
    assert store.delete(GAME, 1) == GONE
    assert store.load(GAME) is None


def test_each_write_increments_the_version(store: GameStore) -> None:
    store.create(GAME, b"0")
    for version in range(1, 300):
        assert store.replace(GAME, version, b"%d" % version) == Done(version + 1)
    assert store.load(GAME) == Stored(300, b"299")


@pytest.mark.parametrize("known", [b"on", b"one", b"ones", b"two"])
def test_a_game_is_replaced_only_if_its_known_payload_is_stored(
    store: GameStore, known: bytes
) -> None:
    store.create(GAME, b"one")
    outcome = store.replace(GAME, 1, b"x", known)
    assert outcome == (Done(2) if known == b"one" else Stale(1))
    if isinstance(outcome, Stale):
        assert outcome.payload == b"one"
        assert store.load(GAME) == Stored(1, b"one")


@pytest.mark.parametrize("expected", [0, 1, 3, 258, 2**32 - 2])
def test_another_version_is_stale(store: GameStore, expected: int) -> None:
    store.create(GAME, b"1")
    store.replace(GAME, 1, b"2")
    assert store.replace(GAME, expected, b"x") == Stale(2)
    assert store.delete(GAME, expected) == Stale(2)
    assert store.load(GAME) == Stored(2, b"2")


def test_a_deleted_game_is_gone(store: GameStore) -> None:
    store.create(GAME, b"x")
    assert store.delete(GAME, 1) == Done(1)
    assert store.load(GAME) is None
    store.create(GAME, b"x")
    store.replace(GAME, 1, b"y")
    assert store.delete(GAME) == Done(2)
    assert store.load(GAME) is None


@pytest.mark.parametrize(
    "other",
    [
        GameKey("", "some-gamf"),
        GameKey("tenant", "some-game"),
        GameKey("some", "game"),
        GameKey("", ":some-game"),
        GameKey("", "some-game}"),
        GameKey("", ""),
        GameKey("", "\ud800\0é"),
    ],
)
def test_games_are_separate(store: GameStore, other: GameKey) -> None:
    store.create(GAME, b"mine")
    assert store.load(other) is None
    assert store.create(other, b"theirs")
    assert store.delete(other) == Done(1)
    assert store.load(GAME) == Stored(1, b"mine")


def test_every_write_restarts_a_games_time_to_live(
    any_server: AnyServer, store: GameStore, client: Client
) -> None:
    longer = open_store_at(any_server.url, game_ttl=1000)
    store.create(GAME, b"x")
    assert 600_000_000 < client.pttl(game_name(GAME)) <= 604_800_000
    longer.replace(GAME, 1, b"y")
    assert 900_000 < client.pttl(game_name(GAME)) <= 1_000_000
    store.replace(GAME, 2, b"z", answer=kept(b"answer"))
    assert 600_000_000 < client.pttl(game_name(GAME)) <= 604_800_000


def test_reading_and_refused_writes_do_not_extend_the_time_to_live(
    any_server: AnyServer, store: GameStore, client: Client
) -> None:
    open_store_at(any_server.url, game_ttl=1000).create(GAME, b"x")
    store.load(GAME)
    store.replace(GAME, 7, b"y")
    store.create(GAME, b"z")
    assert client.pttl(game_name(GAME)) <= 1_000_000


def test_one_of_many_concurrent_writers_of_a_version_succeeds(store: GameStore) -> None:
    store.create(GAME, b"x")
    outcomes = together(100, lambda index: store.replace(GAME, 1, b"%d" % index))
    assert Counter(outcomes) == {Done(2): 1, Stale(2): 99}
    winner = outcomes.index(Done(2))
    assert store.load(GAME) == Stored(2, b"%d" % winner)


def test_one_of_many_concurrent_creations_of_a_game_succeeds(store: GameStore) -> None:
    outcomes = together(100, lambda index: store.create(GAME, b"%d" % index))
    assert Counter(outcomes) == {True: 1, False: 99}
    assert store.load(GAME) == Stored(1, b"%d" % outcomes.index(True))


def test_all_writers_that_retry_succeed(store: GameStore) -> None:
    store.create(GAME, b"")

    def append(index: int) -> int:
        while True:
            stored = store.load(GAME)
            assert stored is not None
            grown = stored.payload + b"%c" % index
            if isinstance(store.replace(GAME, stored.revision, grown), Done):
                return stored.revision + 1

    versions = together(50, append)
    assert sorted(versions) == list(range(2, 52))
    stored = store.load(GAME)
    assert stored is not None
    assert stored.revision == 51
    assert sorted(stored.payload) == list(range(50))


def test_a_request_is_claimed_once(store: GameStore) -> None:
    claim = claimed(store)
    assert claim.note == b""
    assert store.claim(RETRY, REQUEST) == RUNNING
    assert store.claim(RETRY, OTHER) == RUNNING


def test_one_of_many_concurrent_requests_is_claimed(store: GameStore) -> None:
    outcomes = together(100, lambda _: store.claim(RETRY, REQUEST))
    assert sum(isinstance(outcome, Claim) for outcome in outcomes) == 1
    assert outcomes.count(RUNNING) == 99


@pytest.mark.parametrize("key", [RETRY, CREATION])
def test_a_settled_request_has_its_answer(
    store: GameStore, key: IdempotencyKey
) -> None:
    assert store.settle(claimed(store, key), b"answer \0\xff")
    answered = Answered(REQUEST, b"answer \0\xff")
    assert store.claim(key, REQUEST) == answered
    assert store.claim(key, OTHER) == answered


def test_an_answer_is_kept_for_a_day(store: GameStore, client: Client) -> None:
    store.settle(claimed(store), b"answer")
    assert 86_000_000 < client.pttl(claim_name(RETRY)) <= 86_400_000


def test_a_released_request_can_be_sent_again(store: GameStore) -> None:
    store.release(claimed(store))
    assert isinstance(store.claim(RETRY, OTHER), Claim)


@pytest.mark.parametrize(
    "other",
    [
        IdempotencyKey("", "some-game", "key-2"),
        IdempotencyKey("", "other-game", "key-1"),
        IdempotencyKey("tenant", "some-game", "key-1"),
        IdempotencyKey("", "", "key-1"),
        IdempotencyKey("tenant", "", "key-1"),
        IdempotencyKey("", "", "\ud800"),
    ],
)
def test_requests_are_separate(store: GameStore, other: IdempotencyKey) -> None:
    claimed(store)
    assert isinstance(store.claim(other, REQUEST), Claim)


def kept(answer: bytes, key: IdempotencyKey = RETRY) -> KeptAnswer:
    return KeptAnswer(key, REQUEST, answer)


def test_game_and_answer_are_written_together(store: GameStore, client: Client) -> None:
    store.create(GAME, b"x")
    assert store.replace(GAME, 1, b"y", answer=kept(b"answer")) == Done(2)
    answered = Answered(REQUEST, b"answer")
    assert store.load(GAME) == Stored(2, b"y")
    assert store.load(GAME, RETRY) == Stored(2, b"y", answered)
    assert store.load(GAME, RETRY._replace(text="key-2")) == Stored(2, b"y")
    assert 86_000_000 < client.pttl(claim_name(RETRY)) <= 86_400_000


@pytest.mark.parametrize("expected", [1, 2, 7])
def test_an_answered_request_is_not_written_again(
    store: GameStore, expected: int
) -> None:
    store.create(GAME, b"x")
    store.replace(GAME, 1, b"y", answer=kept(b"first"))
    again = store.replace(GAME, expected, b"z", answer=kept(b"second"))
    assert again == Answered(REQUEST, b"first")
    assert store.load(GAME, RETRY) == Stored(2, b"y", Answered(REQUEST, b"first"))


def test_one_of_many_concurrent_requests_is_written(store: GameStore) -> None:
    store.create(GAME, b"x")
    outcomes = together(
        100, lambda index: store.replace(GAME, 1, b"y", answer=kept(b"%d" % index))
    )
    (done,) = [index for index, one in enumerate(outcomes) if one == Done(2)]
    assert outcomes.count(Answered(REQUEST, b"%d" % done)) == 99


def test_a_stale_write_keeps_no_answer(store: GameStore) -> None:
    store.create(GAME, b"x")
    assert store.replace(GAME, 7, b"y", answer=kept(b"answer")) == Stale(1)
    assert store.load(GAME, RETRY) == Stored(1, b"x")


def test_no_answer_is_kept_or_returned_for_a_game_that_is_gone(
    store: GameStore,
) -> None:
    assert store.replace(GAME, 1, b"y", answer=kept(b"answer")) == GONE
    store.create(GAME, b"x")
    assert store.load(GAME, RETRY) == Stored(1, b"x")
    store.replace(GAME, 1, b"y", answer=kept(b"answer"))
    store.delete(GAME)
    assert store.replace(GAME, 2, b"z", answer=kept(b"late")) == GONE
    assert store.load(GAME, RETRY) is None


def test_a_refusal_is_kept_once(store: GameStore, client: Client) -> None:
    store.create(GAME, b"x")
    assert store.keep(kept(b"refused")) is None
    assert store.keep(kept(b"late")) == Answered(REQUEST, b"refused")
    assert store.load(GAME, RETRY) == Stored(1, b"x", Answered(REQUEST, b"refused"))
    assert 86_000_000 < client.pttl(claim_name(RETRY)) <= 86_400_000
    found = store.replace(GAME, 1, b"y", answer=kept(b"done"))
    assert found == Answered(REQUEST, b"refused")


def test_a_lapsed_claim_can_be_taken_over_and_not_settled(
    store: GameStore, client: Client
) -> None:
    first = claimed(store, CREATION)
    lapse(client, CREATION)
    second = claimed(store, CREATION)
    assert store.settle(first, b"late") is False
    store.release(first)
    assert store.settle(second, b"answer")
    assert store.claim(CREATION, REQUEST) == Answered(REQUEST, b"answer")


def test_one_of_many_concurrent_takeovers_gets_the_claim(
    store: GameStore, client: Client
) -> None:
    claimed(store)
    lapse(client, RETRY)
    outcomes = together(50, lambda _: store.claim(RETRY, REQUEST))
    assert sum(isinstance(outcome, Claim) for outcome in outcomes) == 1
    assert outcomes.count(RUNNING) == 49


def test_a_lapsed_claim_still_belongs_to_its_request(
    store: GameStore, client: Client
) -> None:
    claimed(store)
    lapse(client, RETRY)
    assert store.claim(RETRY, OTHER) == RUNNING


def test_a_claim_that_is_taken_over_keeps_the_first_note(
    store: GameStore, client: Client
) -> None:
    first = store.claim(CREATION, REQUEST, b"game-1")
    assert isinstance(first, Claim)
    assert first.note == b"game-1"
    lapse(client, CREATION)
    second = store.claim(CREATION, REQUEST, b"game-2")
    assert isinstance(second, Claim)
    assert second.note == b"game-1"
    lapse(client, CREATION)
    third = store.claim(CREATION, REQUEST, b"a longer note than the first")
    assert isinstance(third, Claim)
    assert third.note == b"game-1"


def test_ping(store: GameStore) -> None:
    store.ping()


def test_a_game_and_its_requests_share_a_slot_of_a_cluster() -> None:
    tag = game_name(GAME).partition(b"{")[2].partition(b"}")[0]
    assert tag == claim_name(RETRY).partition(b"{")[2].partition(b"}")[0]
    assert b"{" not in claim_name(CREATION)
