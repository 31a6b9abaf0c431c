"""Players: what is noted when they play, and their totals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from service.engine.variants import VARIANTS
from service.games.game_end import GameEnd
from service.games.ids import key_of
from service.games.player_names import normalize_name
from service.games.session import UnrankedReason, day_of
from service.games.snapshot import edit_session
from service.store.boards import BoardKey
from service.store.players import Start
from service.store.protocol import GameKey, PlayerKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from service.games.game_end import GameEnds
    from service.games.session import Session
    from service.games.webhooks import WebhookRegistry
    from service.store.boards import Boards
    from service.store.players import Players
    from service.store.protocol import GameStore

_DEAL_DIGEST_SIZE: Final = 12
_GAMES_AT_ONCE: Final = 500
SUMS: Final = ("monthly", "all-time")
"""How the names of the boards begin that sum the results of several days."""


class NoAttemptsLeftError(Exception):
    """The player has started all the games that the event allows."""


class PlayerNotFoundError(Exception):
    """No game of the player has been counted.

    Attributes:
        name: The requested name.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"nothing is known of {name}")
        self.name = name


class PlayerSummary(NamedTuple):
    """The totals of a player.

    Attributes:
        name: The requested name.
        games: The number of games that have ended.
        wins: The number of games won.
        ratings: The number of games with each rating.
        best: The best score by variant; a variant without a score is left out.
        streak: The number of consecutive days, up to today or yesterday, whose deal of
            the day was won or lost.
        longest_streak: The largest number of such consecutive days.
    """

    name: str
    games: int
    wins: int
    ratings: Mapping[str, int]
    best: Mapping[str, int]
    streak: int
    longest_streak: int


@dataclass(frozen=True, slots=True)
class PlayerNotes:
    """Records starts and help of players in the store, and marks unranked games."""

    players: Players
    games: GameStore

    def start(
        self, key: GameKey, game_id: str, session: Session, attempts: int | None
    ) -> Session:
        """Note the start of a game.

        Args:
            key: The store key of the game.
            game_id: The id of the game. A tenant's games are listed by it, since the
                list needs the tenant's API key; other games are listed by the id in
                ``key``, which only allows watching.
            session: The game.
            attempts: How many games of its event a player can start; None means any
                number.

        Returns:
            The game to store, with ``unranked`` set if the player's key or earlier help
            keeps it off the boards.

        Raises:
            NoAttemptsLeftError: The player has started all the games allowed.
        """
        if session.player is None:
            return session
        is_ranked = session.closes_at is not None
        start = Start(
            game=key,
            deal=deal_name(session),
            now=session.started_at,
            notes_start=is_ranked or not session.server_seed,
            listed_as=game_id if key.tenant else key.game_id,
            is_ranked=is_ranked,
            event=session.event or "",
            attempts=attempts,
        )
        match self.players.note_start(player_key(key.tenant, session), start):
            case "attempts":
                raise NoAttemptsLeftError
            case "key":
                return session._replace(unranked=UnrankedReason.PLAYER_KEY)
            case "help" if is_ranked:
                return session._replace(unranked=UnrankedReason.HELP)
        return session

    def help(self, key: GameKey, session: Session, now: int) -> None:
        """Note help on the deal of a game, also in the player's other games on it."""
        if session.player is None:
            return
        player = player_key(key.tenant, session)
        for game_id in self.players.note_help(player, deal_name(session), now):
            other = GameKey(key.tenant, game_id)
            if other != key:
                edit_session(self.games, other, lambda found: _mark_helped(found, now))

    def mark_unranked(self, key: GameKey, session: Session) -> Session:
        """Return a game, with ``unranked`` set if the store has a reason for it."""
        if session.unranked_reason is not None:
            return session
        player = player_key(key.tenant, session)
        eligibility = self.players.eligibility(player, deal_name(session))
        if eligibility.has_other_key:
            return session._replace(unranked=UnrankedReason.PLAYER_KEY)
        helped_at = eligibility.helped_at
        return session if helped_at is None else _mark_helped(session, helped_at)


def _mark_helped(session: Session, helped_at: int) -> Session:
    """Return a game after help in another one; unchanged if it ended before."""
    if session.unranked_reason is not None:
        return session
    if session.ended_at is not None and session.ended_at < helped_at:
        return session
    return session._replace(unranked=UnrankedReason.HELP)


@dataclass(frozen=True, slots=True)
class PlayerData:
    """The totals and game lists of players, and their erasure."""

    players: Players
    boards: Boards
    games: GameStore
    ends: GameEnds
    webhooks: WebhookRegistry

    def summary(self, tenant: str, name: str, now: int) -> PlayerSummary:
        """Return the totals of a player.

        Raises:
            PlayerNotFoundError: No game of the player has been counted.
        """
        key = PlayerKey(tenant, normalize_name(name))
        counts, days = self.players.totals(key)
        if not counts:
            raise PlayerNotFoundError(name)
        scores = {variant: self.players.best(key, variant) for variant in VARIANTS}
        current, longest = _streaks(sorted(map(int, days)), day_of(now).toordinal())
        return PlayerSummary(
            name=name,
            games=counts.get("games", 0),
            wins=counts.get("wins", 0),
            ratings={
                what.removeprefix("rating:"): count
                for what, count in counts.items()
                if what.startswith("rating:")
            },
            best={v: score for v, score in scores.items() if score is not None},
            streak=current,
            longest_streak=longest,
        )

    def game_ids(self, tenant: str, name: str, start: int, most: int) -> list[str]:
        """Return ids of a player's games, the newest first, from index ``start`` on.

        With a tenant these are game ids, without one watch ids.
        """
        key = PlayerKey(tenant, normalize_name(name))
        return self.players.games(key, start, most)

    def erase(self, tenant: str, name: str) -> None:
        """Erase a player's totals and board entries, and the name in games.

        Webhook deliveries that contain the name are deleted.
        """
        player = PlayerKey(tenant, normalize_name(name))
        for key in self._game_keys(player):
            edit_session(self.games, key, partial(self._without_name, key))
        for board in self.players.boards(player):
            is_sum = board.startswith(SUMS)
            self.boards.erase(BoardKey(tenant, board, is_sum), player.player)
        self.players.erase(player, list(VARIANTS))
        self.webhooks.forget_player(tenant, name)

    def _without_name(self, key: GameKey, session: Session) -> Session:
        """Remove the name from a game, after its end was handled."""
        if session.ended_at is not None:
            self.ends.settle(GameEnd(key, session))
        return session._replace(player=None)

    def _game_keys(self, player: PlayerKey) -> Iterator[GameKey]:
        """Yield the keys of a player's games, as ``PlayerNotes.start`` listed them."""
        tenant, start = player.tenant, 0
        while listed := self.players.games(player, start, _GAMES_AT_ONCE):
            start += len(listed)
            for name in listed:
                yield key_of(tenant, name) if tenant else GameKey(tenant, name)


def _streaks(days: Sequence[int], today: int) -> tuple[int, int]:
    """Return the lengths of the current and the longest run of consecutive days.

    Days are ordinals, in ascending order. The current run may end yesterday, as today's
    deal can still be played.
    """
    longest = run = 0
    previous = None
    for day in days:
        run = run + 1 if previous == day - 1 else 1
        longest = max(longest, run)
        previous = day
    goes_on = previous is not None and previous >= today - 1
    return (run if goes_on else 0), longest


def player_key(tenant: str, session: Session) -> PlayerKey:
    """Return the store key of a game's player."""
    return PlayerKey(tenant, normalize_name(session.player or ""), session.key_digest)


def deal_name(session: Session) -> str:
    """Return a digest (hex) of a game's variant, cards and goal card."""
    play = session.play
    goal = play.position.goal
    cards = play.cards if goal is None else play.cards + bytes([goal])
    data = play.ruleset.key.encode() + b"\0" + cards
    return blake2b(data, digest_size=_DEAL_DIGEST_SIZE).hexdigest()
