"""The data of players in the store. A player is identified by a normalised name."""

from collections.abc import Sequence
from typing import NamedTuple

from service.store.keyspace import player_name
from service.store.protocol import GameKey, PlayerKey
from service.store.runner import Args, Runner, pairs_of, read_script

_START = read_script("player_start")
_HELP = read_script("player_help")
_END = read_script("player_end")

MAX_BEST = 64
"""Best scores kept for a player and variant: if one is withdrawn, the next counts."""
_MAX_LISTED = 10_000
"""How many games of a player are listed, the newest ones."""
_MAX_ON_DEAL = 64
"""How many games of a player on one deal are noted, the newest ones."""


class Start(NamedTuple):
    """The start of a game.

    Attributes:
        deal: the name of the deal.
        now: the time in milliseconds since 1970.
        notes_start: whether the time for the bonus runs from this start, if the player
            has not started the deal before.
        listed_as: the text that represents the game in the player's list of games.
        is_ranked: whether games on the deal can be ranked.
        event: the event; empty if there is none.
        attempts: how many starts the event allows; None for no limit.
    """

    game: GameKey
    deal: str
    now: int
    notes_start: bool
    listed_as: str
    is_ranked: bool
    event: str = ""
    attempts: int | None = None


class End(NamedTuple):
    """The end of a game.

    Attributes:
        deal: the name of the deal.
        number: 1, or more if the end was undone and the game ended again.
        started_at: in milliseconds since 1970.
        ended_at: in milliseconds since 1970.
        points: the points without the bonus.
        most_bonus: the bonus of a win in no time; each second takes 1 off.
        status: `won` or another status.
        rating: empty if there is none.
        day: the day that the game counts for in a streak, or empty; `keep` for the day
            of the game's earlier end.
        best_from: whether the score can be a best score: `ranked` if only with the
            state `ok`, `own` if always, empty if never; `keep` to leave the one of the
            game's earlier end.
        boards: the boards that the game may be on.
    """

    game: GameKey
    deal: str
    number: int
    variant: str
    started_at: int
    ended_at: int
    points: int
    most_bonus: int
    status: str
    rating: str
    day: str
    best_from: str
    boards: Sequence[str]


class CountedEnd(NamedTuple):
    """How an end counts.

    Attributes:
        state: `ok`; `help` if the player had help on the deal before the end; `key` if
            the name is bound to another key, so that the end does not count.
        score: the points with the bonus; 0 with `key`.
        started_at: when the time for the bonus began, in milliseconds since 1970; 0
            with `key`.
    """

    state: str
    score: int
    started_at: int


class Eligibility(NamedTuple):
    """Reasons why the games of a player on a deal are not ranked.

    Attributes:
        has_other_key: whether the name is bound to another key.
        helped_at: when the player first had help on the deal, in milliseconds since
            1970, or None.
    """

    has_other_key: bool
    helped_at: int | None


class Totals(NamedTuple):
    """The counts of a player.

    Attributes:
        counts: by name: `games`, `wins`, and `rating:` followed by a rating.
        days: the days that count for a streak, as in `End.day`.
    """

    counts: dict[str, int]
    days: list[str]


class Players:
    """The players of all tenants.

    Args:
        runner: runs commands and scripts on the servers.
        note_life: the seconds for which starts and help are noted.
        game_life: the seconds that a game lives after its last write; its last counted
            end is known for twice as long.
    """

    def __init__(self, runner: Runner, *, note_life: int, game_life: int) -> None:
        self._runner = runner
        self._note_life = note_life * 1000
        self._end_life = 2 * game_life * 1000

    def note_start(self, key: PlayerKey, start: Start) -> str:
        """Note that a game starts.

        Returns:
            `ok`; `help` if the player had help on the deal; `key` if the name is bound
            to another key; `attempts` if the event allows no more starts.
        """
        deal = start.deal
        names = _names(
            key,
            "key",
            f"first:{deal}",
            f"help:{deal}",
            f"starts:{start.event}",
            "games",
            f"games:{deal}",
        )
        args: Args = [
            key.digest,
            start.game.game_id,
            start.now,
            self._note_life,
            int(start.notes_start),
            "" if start.attempts is None else start.attempts,
            start.listed_as,
            _MAX_LISTED,
            _MAX_ON_DEAL if start.is_ranked else 0,
        ]
        state: bytes = self._runner.write_script(_START, names, args)
        return state.decode()

    def note_help(self, key: PlayerKey, deal: str, now: int) -> list[str]:
        """Note that the player has help on a deal.

        Returns:
            The ids of the player's games on the deal, if this is the first help and the
            name is not bound to another key; else an empty list.
        """
        names = _names(key, "key", f"help:{deal}", f"games:{deal}")
        args: Args = [key.digest, now, self._note_life]
        found: list[bytes] = self._runner.write_script(_HELP, names, args)
        return [game.decode() for game in found]

    def eligibility(self, key: PlayerKey, deal: str) -> Eligibility:
        """Read the reasons why the player's games on a deal are not ranked."""
        names = _names(key, "key", f"help:{deal}")
        bound, helped = self._runner.read(b"MGET", *names)
        is_other = bound is not None and bound != key.digest
        return Eligibility(is_other, None if helped is None else int(helped))

    def count_end(self, key: PlayerKey, end: End) -> CountedEnd:
        """Count the end of a game, once; a later end replaces an earlier one."""
        game_id, deal = end.game.game_id, end.deal
        names = _names(
            key,
            "key",
            f"first:{deal}",
            f"help:{deal}",
            f"end:{game_id}",
            "counts",
            "days",
            f"best:{end.variant}",
            "boards",
        )
        times = (end.number, end.ended_at, end.started_at)
        outcome = (end.points, end.status, end.rating, end.day, end.best_from)
        bounds = (self._end_life, end.most_bonus, MAX_BEST)
        args: Args = [key.digest, game_id, *times, *outcome, *bounds, *end.boards]
        state, score, started_at = self._runner.write_script(_END, names, args)
        return CountedEnd(state.decode(), score, started_at)

    def totals(self, key: PlayerKey) -> Totals:
        """The counts of a player."""
        counts = self._runner.read(b"HGETALL", player_name(key, "counts"))
        days = self._runner.read(b"HGETALL", player_name(key, "days"))
        return Totals(
            {name.decode(): int(number) for name, number in pairs_of(counts)},
            sorted(day.decode() for day, _ in pairs_of(days)),
        )

    def best(self, key: PlayerKey, variant: str) -> int | None:
        """The best score of a player in a variant, or None."""
        name = player_name(key, f"best:{variant}")
        found = self._runner.read(b"ZREVRANGE", name, 0, 0, b"WITHSCORES")
        return int(float(found[1])) if found else None

    def boards(self, key: PlayerKey) -> list[str]:
        """The names of the boards that the player may be on, in order."""
        found = self._runner.read(b"SMEMBERS", player_name(key, "boards"))
        return sorted(board.decode() for board in found)

    def games(self, key: PlayerKey, start: int, most: int) -> list[str]:
        """The `listed_as` of a player's games, the newest first; `start` is from 0."""
        name = player_name(key, "games")
        found = self._runner.read(b"ZREVRANGE", name, start, start + most - 1)
        return [game.decode() for game in found]

    def erase(self, key: PlayerKey, variants: Sequence[str]) -> None:
        """Erase the player's counts and lists; the name stays bound to its key."""
        whats = ("counts", "days", "boards", "games", *(f"best:{v}" for v in variants))
        self._runner.write(b"DEL", *_names(key, *whats))


def _names(key: PlayerKey, *whats: str) -> list[bytes]:
    return [player_name(key, what) for what in whats]
