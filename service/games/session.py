"""A game as it is kept: the play, who plays it, where its deal came from.

Times are whole milliseconds since 1970 in UTC. A session is an immutable value
and reads no clock: whoever changes it says what time it is.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from service.clock import DAY_SECONDS
from service.engine.errors import GameOverError, RefusedError
from service.engine.play import WIDTH, Status
from service.engine.position import Move
from service.engine.ruleset import Layout
from service.engine.scoring import score
from service.timestamps import MILLISECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from service.engine.play import Play, Step


_GRACE_SECONDS: Final = 3600
"""After the end of a day its deal can still be finished for so long."""


class ActionType(StrEnum):
    """What can be the latest action of a game."""

    MOVE = "move"
    DEAL = "deal"
    BATCH = "batch"
    UNDO = "undo"
    REDO = "redo"
    FINISH = "finish"


class HintRule(StrEnum):
    """Whether hints and solutions are given."""

    ALLOWED = "allowed"
    NONE = "none"


class Moved(NamedTuple):
    """A move was made."""

    move: Move


class ActionCount(NamedTuple):
    """A batch, or so many cards or actions, dealt, undone or redone at once."""

    type: ActionType
    number: int


class Finished(NamedTuple):
    """The player has stopped."""


LastAction: TypeAlias = Moved | ActionCount | Finished


class UnrankedReason(StrEnum):
    """Why a game does not count on boards."""

    DEAL = "deal"
    """The game is neither of a deal of the day nor of an event."""
    NO_PLAYER = "no-player"
    PLAYER_KEY = "player-key"
    """The player's name is bound to another key."""
    PAST_DAY = "past-day"
    """It was started after the day of its deal."""
    OPTIONS = "options"
    """It is not played with the options of the variant, or of the event."""
    HELP = "help"
    """The player had a hint or a solution in a game of the deal."""
    CLOSED = "closed"
    """It was played after the deal had closed."""


class HintsNotAllowedError(RefusedError):
    """A hint in a game that is played without hints."""

    def __init__(self) -> None:
        super().__init__("this game was started without hints")


class Session(NamedTuple):
    """A game as it is kept.

    Attributes:
        play: The game itself.
        source: The source of the deal, or None for a deck of the player's own.
        seed: The seed of the deal, or None for a deck of the player's own.
        server_seed: Whether the server chose the seed.
        started_at: When the game started.
        ended_at: When it was won, lost or stopped; None while it is played.
        daily: The day whose deal it is, or None.
        player: The player's name, or None.
        hints_used: How many hints were given.
        undos_used: How many actions were taken back.
        plan: A line that wins from here, as a hint has found it; empty where none
            is known.
        version: 1 at first, one more with every change of play; hints are none.
        last_action: The latest change of play, or None.
        last_action_at: When it was made; None before the first one.
        reference: A portal's own id of the game, or None.
        event: The id of the event whose game it is, or None.
        event_closes_at: When that event closes, or None.
        key_digest: A digest of the player's key; empty without one.
        allows_hints: Whether hints and solutions are given.
        default_options: Whether it is played as the variant, or the event, has it.
        unranked: What other games of the player have decided: ``HELP``,
            ``PLAYER_KEY`` or None. It is written when the game starts, and when the
            player has help in another one, and read from the store when it ends.
        ends: How often it has ended: again after a lost game was undone.
        review: Its review as it is kept; empty if none was asked for.
    """

    play: Play
    source: str | None
    seed: str | None
    server_seed: bool
    started_at: int
    ended_at: int | None = None
    daily: date | None = None
    player: str | None = None
    hints_used: int = 0
    undos_used: int = 0
    plan: bytes = b""
    version: int = 1
    last_action: LastAction | None = None
    last_action_at: int | None = None
    reference: str | None = None
    event: str | None = None
    event_closes_at: int | None = None
    key_digest: bytes = b""
    allows_hints: bool = True
    default_options: bool = True
    unranked: UnrankedReason | None = None
    ends: int = 0
    review: bytes = b""

    @property
    def hides_cards(self) -> bool:
        """Whether cards are still face down in the stock of a game that goes on."""
        return self._goes_on and bool(self.play.position.stock)

    @property
    def _goes_on(self) -> bool:
        """Whether it is played from a stock, and not over."""
        stock = self.play.options.layout is Layout.STOCK
        return stock and self.play.status is Status.PLAYING

    @property
    def commitment(self) -> str | None:
        """The SHA-256 (hex) of the seed in the stock layout, else None."""
        if self.seed is None or self.play.options.layout is not Layout.STOCK:
            return None
        return commit(self.seed)

    def shown_seed(self, now: int) -> str | None:
        """The seed, once it gives nothing away.

        In the stock layout a seed of the server's own stays hidden until the
        game is over, and the seed of a daily deal until its day has closed too,
        since others may still be playing it.
        """
        if self._hides_seed and (self._goes_on or not self.is_closed(now)):
            return None
        return self.seed

    @property
    def _hides_seed(self) -> bool:
        return self.server_seed and self.play.options.layout is Layout.STOCK

    @property
    def closes_at(self) -> int | None:
        """When the daily deal or the event closes whose game it is, or None."""
        if self.daily is not None:
            return closing_time(self.daily)
        return self.event_closes_at

    def is_closed(self, now: int) -> bool:
        """Whether nobody can still be playing the deal for a rank."""
        return self.closes_at is None or now >= self.closes_at

    def is_revealed(self, now: int) -> bool:
        """Whether a seed that was hidden shows since the deal has closed."""
        has_closed = self.closes_at is not None and now >= self.closes_at
        return self._hides_seed and not self._goes_on and has_closed

    def watched(self) -> Session:
        """The game as others than its player may see it.

        A seed of the player's own would tell them the hidden cards, and so would its
        commitment, as who can guess the seed can check the guess.
        """
        if self.hides_cards and not self.server_seed:
            return self._replace(seed=None)
        return self

    @property
    def unranked_reason(self) -> UnrankedReason | None:
        """Why the game does not count on boards; None where it does.

        It never changes with the clock alone: a game that is played counts if it ends
        in time.
        """
        return next(self._unranked_reasons(), None)

    def _unranked_reasons(self) -> Iterator[UnrankedReason]:
        if self.closes_at is None:
            yield UnrankedReason.DEAL
            return
        if self.player is None:
            yield UnrankedReason.NO_PLAYER
        if self.daily is not None and day_of(self.started_at) != self.daily:
            yield UnrankedReason.PAST_DAY
        if not self.default_options:
            yield UnrankedReason.OPTIONS
        if self.hints_used:
            yield UnrankedReason.HELP
        latest = self.last_action_at if self.ended_at is None else self.ended_at
        if latest is not None and latest >= self.closes_at:
            yield UnrankedReason.CLOSED
        if self.unranked is not None:
            yield self.unranked

    @property
    def elapsed_seconds(self) -> int:
        """The full seconds from the start to the end, or to the latest action."""
        end = self.last_action_at if self.ended_at is None else self.ended_at
        return 0 if end is None else max(0, end - self.started_at) // MILLISECONDS

    @property
    def score(self) -> int:
        """The points of the game."""
        return score(self.play, self.elapsed_seconds)

    def move(self, move: Move, now: int) -> Session:
        """Make a move; errors as in ``Play.move``.

        In removal games the two ends can be named in either order.
        """
        move = self._ordered(move)
        return self._played(self.play.move(move), now, Moved(move))

    def tap(self, origin: int, now: int) -> Session:
        """Make the one move of a pile; errors as in ``Play.tap``."""
        play = self.play.tap(origin)
        return self._played(play, now, Moved(Move(*play.done[-WIDTH:])))

    def run(self, steps: Sequence[Step], now: int) -> Session:
        """Make several steps, all or none; errors as in ``Play.run``."""
        blind = self.server_seed and self.hides_cards
        ordered = [
            self._ordered(step) if isinstance(step, Move) else step for step in steps
        ]
        play = self.play.run(ordered, blind=blind)
        return self._played(play, now, ActionCount(ActionType.BATCH, len(steps)))

    def deal(self, count: int | None, now: int) -> Session:
        """Deal cards; errors as in ``Play.deal``."""
        play = self.play.deal(count)
        dealt = play.cards_dealt - self.play.cards_dealt
        return self._played(play, now, ActionCount(ActionType.DEAL, dealt))

    def undo(self, count: int | None, now: int) -> Session:
        """Take actions back; errors as in ``Play.undo``."""
        play = self.play.undo(count)
        taken = self.play.actions - play.actions
        undone = self._played(play, now, ActionCount(ActionType.UNDO, taken))
        return undone._replace(undos_used=self.undos_used + taken)

    def redo(self, count: int | None, now: int) -> Session:
        """Make actions again; errors as in ``Play.redo``."""
        play = self.play.redo(count)
        made = play.actions - self.play.actions
        return self._played(play, now, ActionCount(ActionType.REDO, made))

    def finish(self, now: int) -> Session:
        """Stop playing; errors as in ``Play.finish``."""
        return self._played(self.play.finish(), now, Finished())

    def advised(self, plan: bytes) -> Session:
        """Count a hint, and keep the line that it was taken from.

        Raises:
            GameOverError: The game is won or ended.
            HintsNotAllowedError: The game is played without hints.
        """
        self.require_hints()
        return self._replace(hints_used=self.hints_used + 1, plan=plan)

    def require_hints(self) -> None:
        """Check that a hint can be given; errors as in ``advised``."""
        if self.play.is_closed:
            raise GameOverError(self.play.status)
        if not self.allows_hints:
            raise HintsNotAllowedError

    def _ordered(self, move: Move) -> Move:
        if self.play.ruleset.stacks or move.origin >= move.target:
            return move
        return Move(move.target, move.origin)

    def _played(self, play: Play, now: int, action: LastAction) -> Session:
        now = max(self.started_at, now)
        ended_at, ends = None, self.ends
        if play.status is not Status.PLAYING:
            # A lost game that its player stops has ended before.
            ended_at = now if self.ended_at is None else self.ended_at
            ends += self.ended_at is None
        followed = _follow(self.plan, self.play.done, play.done)
        return self._replace(
            play=play,
            ended_at=ended_at,
            ends=ends,
            plan=b"" if play.is_closed else followed,
            version=self.version + 1,
            last_action=action,
            last_action_at=now,
        )


def _follow(plan: bytes, before: bytes, after: bytes) -> bytes:
    """Carry a plan on from one line of actions to another, where it still holds."""
    if not plan:
        return plan
    if before.startswith(after):
        return before[len(after) :] + plan
    made = after[len(before) :]
    return plan.removeprefix(made) if plan.startswith(made) else b""


def commit(seed: str) -> str:
    """Commit to a seed: the SHA-256 (hex) of its UTF-8."""
    return hashlib.sha256(seed.encode()).hexdigest()


def closing_time(day: date) -> int:
    """The time at which a day's deal closes: an hour after its end in UTC."""
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return (int(start.timestamp()) + DAY_SECONDS + _GRACE_SECONDS) * MILLISECONDS


def day_of(now: int) -> date:
    """The UTC day of a time."""
    return datetime.fromtimestamp(now / MILLISECONDS, UTC).date()
