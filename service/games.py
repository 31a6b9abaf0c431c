"""The use cases of games: create, look, change, delete.

A game's id is a secret of its player. The store knows it only by its watch id,
which is a digest of it: who watches a game, or reads the store, cannot play it.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

from service.codec import decode, encode
from service.engine.deals import DEFAULT_SOURCE, Dealt, deal
from service.engine.decks import check_deck
from service.engine.errors import RefusedError, SeedError, UnknownSourceError
from service.engine.play import Status, start
from service.engine.ruleset import Layout
from service.session import Session, day_of
from service.store.protocol import Done, GameKey, Gone, Stale

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from service.daily import Daily
    from service.engine.play import Options
    from service.engine.ruleset import Ruleset
    from service.store.protocol import GameStore

_ID_BYTES: Final = 15
_SEED_BYTES: Final = 16
_ATTEMPTS: Final = 64
"""How often a change is tried again when another writer was faster."""

_RANDOM_SEEDS: Final[dict[str, Callable[[], str]]] = {
    DEFAULT_SOURCE: lambda: secrets.token_urlsafe(_SEED_BYTES),
    "pysol": lambda: str(secrets.randbits(8 * _SEED_BYTES) + 32_000),
    "solvitaire": lambda: str(secrets.randbits(32)),
}
_GUESSABLE: Final = frozenset({"solvitaire"})
"""Sources whose seeds are so few that a commitment gives them away."""


class GameNotFoundError(Exception):
    """A game that never was, was deleted or has expired."""


class VersionMismatchError(Exception):
    """A change of a version that is not the current one any more.

    Attributes:
        version: The current version.
    """

    def __init__(self, version: int) -> None:
        super().__init__(f"the game is at version {version}")
        self.version = version


class ChangeRefusedError(Exception):
    """A change that the rules or the game's options refuse; nothing changed.

    Attributes:
        version: The version of the game that it was refused for.
        refusal: Why.
    """

    def __init__(self, version: int, refusal: RefusedError) -> None:
        super().__init__(f"at version {version}: {refusal}")
        self.version = version
        self.refusal = refusal


class GameBusyError(Exception):
    """A change that met a faster writer at every attempt; nothing changed."""


class DailyLayoutError(Exception):
    """A daily game in another than its variant's default layout.

    Attributes:
        layout: The layout of daily games of the variant.
    """

    def __init__(self, layout: Layout) -> None:
        super().__init__(f"daily games of this variant have the {layout} layout")
        self.layout = layout


@dataclass(frozen=True, slots=True)
class Seeded:
    """The deal of a seed; without one (None), of a random seed."""

    source: str = DEFAULT_SOURCE
    seed: str | None = None


@dataclass(frozen=True, slots=True)
class OwnDeck:
    """A deck of the player's own, for practice."""

    cards: bytes
    goal: int | None = None


@dataclass(frozen=True, slots=True)
class OfDay:
    """The deal of a UTC day; None is today."""

    day: date | None = None


DealWish: TypeAlias = Seeded | OwnDeck | OfDay


@dataclass(frozen=True, slots=True)
class NewGame:
    """What a player wishes to play.

    Attributes:
        ruleset: The variant.
        options: How.
        deal: Which deal.
        player: The player's name, or None.
    """

    ruleset: Ruleset
    options: Options
    deal: DealWish = Seeded()
    player: str | None = None


class Kept(NamedTuple):
    """A game in the store.

    Attributes:
        game_id: The player's secret; None for one who watches.
        watch_id: What others may know the game by.
        version: 1 at first, one more with every write.
        session: The game.
    """

    game_id: str | None
    watch_id: str
    version: int
    session: Session


class _Dealing(NamedTuple):
    """A deal and where it came from, as a session keeps it."""

    dealt: Dealt
    source: str | None = None
    seed: str | None = None
    server_seed: bool = False
    day: date | None = None


class Change(Protocol):
    """Makes a new session of a session at a time in milliseconds."""

    def __call__(self, session: Session, now: int, /) -> Session:
        """Change a session; whatever it raises leaves the game as it was."""


class Games:
    """The games of all tenants.

    Args:
        store: Where they are kept; it may raise ``StoreUnavailableError``
            from every method.
        daily: What chooses the deals of the days.
        clock: The time in milliseconds since 1970, UTC.
    """

    def __init__(
        self, store: GameStore, daily: Daily, clock: Callable[[], int]
    ) -> None:
        self._store = store
        self._daily = daily
        self._clock = clock

    def create(self, tenant: str, wish: NewGame) -> Kept:
        """Start a game.

        Raises:
            DailyLayoutError: The daily deal is not played in that layout.
            DeckError: The deck cannot be played in the variant.
            NotYetError: The day has not begun.
            SeedError: The source does not know the seed.
            UnknownSourceError: There is no such source.
        """
        session = self._start(wish)
        payload = encode(session)
        while True:
            game_id = secrets.token_urlsafe(_ID_BYTES)
            watch_id = watch_id_of(game_id)
            if self._store.create(GameKey(tenant, watch_id), payload):
                return Kept(game_id, watch_id, 1, session)

    def get(self, tenant: str, game_id: str) -> Kept:
        """Look at a game.

        Raises:
            GameNotFoundError: There is none of that id.
        """
        return self._load(tenant, game_id, watch_id_of(game_id))

    def watch(self, tenant: str, watch_id: str) -> Kept:
        """Look at another's game.

        Raises:
            GameNotFoundError: There is none of that id.
        """
        return self._load(tenant, None, watch_id)

    def change(
        self, tenant: str, game_id: str, action: Change, expected: int | None = None
    ) -> Kept:
        """Change a game, in one atomic step.

        Args:
            tenant: Whose game it is.
            game_id: The game.
            action: What makes the new session of the old one.
            expected: The version that it must have; None is any.

        Raises:
            GameNotFoundError: There is none of that id.
            VersionMismatchError: It has another version than expected.
            ChangeRefusedError: The action was refused.
            GameBusyError: Other writers were faster every time.
        """
        for _ in range(_ATTEMPTS):
            kept = self.get(tenant, game_id)
            if expected is not None and expected != kept.version:
                raise VersionMismatchError(kept.version)
            try:
                session = action(kept.session, self._clock())
            except RefusedError as refusal:
                raise ChangeRefusedError(kept.version, refusal) from refusal
            key = GameKey(tenant, kept.watch_id)
            match self._store.replace(key, kept.version, encode(session)):
                case Done(version):
                    return Kept(game_id, kept.watch_id, version, session)
                case Gone():
                    raise GameNotFoundError
                case Stale():
                    continue
        raise GameBusyError

    def delete(self, tenant: str, game_id: str, expected: int | None = None) -> None:
        """Delete a game.

        Args:
            tenant: Whose game it is.
            game_id: The game.
            expected: The version that it must have; None is any.

        Raises:
            GameNotFoundError: There is none of that id.
            VersionMismatchError: It has another version than expected.
        """
        match self._store.delete(GameKey(tenant, watch_id_of(game_id)), expected):
            case Gone():
                raise GameNotFoundError
            case Stale(version):
                raise VersionMismatchError(version)
            case Done():
                pass

    def _load(self, tenant: str, game_id: str | None, watch_id: str) -> Kept:
        stored = self._store.load(GameKey(tenant, watch_id))
        if stored is None:
            raise GameNotFoundError
        return Kept(game_id, watch_id, stored.version, decode(stored.payload))

    def _start(self, wish: NewGame) -> Session:
        now = self._clock()
        dealing = self._deal(wish, now)
        play = start(
            wish.ruleset, dealing.dealt.cards, wish.options, dealing.dealt.goal
        )
        return Session(
            play=play,
            source=dealing.source,
            seed=dealing.seed,
            server_seed=dealing.server_seed,
            started_at=now,
            ended_at=None if play.status is Status.PLAYING else now,
            daily=dealing.day,
            player=wish.player,
        )

    def _deal(self, wish: NewGame, now: int) -> _Dealing:
        ruleset, layout = wish.ruleset, wish.options.layout
        match wish.deal:
            case OwnDeck(cards, goal):
                return _Dealing(check_deck(ruleset, cards, goal))
            case Seeded(source, None):
                seed = random_seed(source, layout)
                dealt = deal(ruleset, seed, source)
                return _Dealing(dealt, source, seed, server_seed=True)
            case Seeded(source, seed):
                return _Dealing(deal(ruleset, seed, source), source, seed)
            case OfDay(day):
                if layout is not ruleset.layout:
                    raise DailyLayoutError(ruleset.layout)
                today = day_of(now)
                daily = self._daily.deal(ruleset, day or today, today)
                return _Dealing(
                    daily.dealt,
                    daily.source,
                    daily.seed,
                    server_seed=True,
                    day=daily.day,
                )


def random_seed(source: str, layout: Layout) -> str:
    """Draw a random seed of a source.

    Raises:
        SeedError: Its seeds are too few to stay secret in the stock layout.
        UnknownSourceError: There is no such source.
    """
    if layout is Layout.STOCK and source in _GUESSABLE:
        raise SeedError(source, "", "its numbers are too few to be kept secret")
    if source not in _RANDOM_SEEDS:
        raise UnknownSourceError(source)
    return _RANDOM_SEEDS[source]()


def watch_id_of(game_id: str) -> str:
    """Derive the id by which others may know a game."""
    secret = game_id.encode(errors="surrogatepass")
    digest = hashlib.blake2b(secret, digest_size=_ID_BYTES, person=b"watch").digest()
    return base64.urlsafe_b64encode(digest).decode()
