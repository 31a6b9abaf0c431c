"""A game as a value: the play, its player, and the origin of its deal.

Times are whole milliseconds since 1970, UTC. A session is immutable and reads no
clock: methods that depend on the time take it as an argument.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from service.clock import DAY_SECONDS
from service.engine.errors import GameOverError, RefusedError
from service.engine.play import ACTION_BYTES, Status
from service.engine.position import Move
from service.engine.ruleset import Layout
from service.engine.scoring import score
from service.timestamps import SECOND_MS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from service.engine.play import Play, Step


_GRACE_SECONDS: Final = 3600
"""How long a deal of the day stays open after the end of its day."""


class ActionType(StrEnum):
    """The types of the latest action of a game."""

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
    """The latest action was a move."""

    move: Move


class ActionCount(NamedTuple):
    """The latest action was a batch, a deal, an undo or a redo.

    ``number`` counts the steps of a batch, the cards dealt, or the actions.
    """

    type: ActionType
    number: int


class Finished(NamedTuple):
    """The latest action was that the player stopped."""


LastAction: TypeAlias = Moved | ActionCount | Finished


class UnrankedReason(StrEnum):
    """The reason why a game does not count on boards."""

    DEAL = "deal"
    """The deal is neither a deal of the day nor the deal of an event."""
    NO_PLAYER = "no-player"
    PLAYER_KEY = "player-key"
    """The player's name is bound to another key."""
    PAST_DAY = "past-day"
    """The game was started after the day of its deal."""
    OPTIONS = "options"
    """The options are not the default ones of the variant, with hints allowed."""
    HELP = "help"
    """The player had a hint, a solution or a review in a game on the deal."""
    CLOSED = "closed"
    """The latest action, or the end, came after the deal had closed."""


class HintsNotAllowedError(RefusedError):
    """The game is played without hints and solutions."""

    def __init__(self) -> None:
        super().__init__("this game was started without hints")


class Session(NamedTuple):
    """A game as a value.

    Attributes:
        source: The source of the deal; None for a player's own deck.
        seed: The seed of the deal; None for a player's own deck.
        server_seed: Whether the server chose the seed.
        ended_at: The time at which the game was won, lost or stopped; None while it is
            played.
        daily: The UTC day, if this is a game on a deal of the day; else None.
        player: The player's name, or None.
        hints_used: The number of hints and solutions given.
        undos_used: The number of actions undone.
        plan: A line, found by advice, that wins from the current position; empty if
            none is known.
        version: 1 at first, incremented by every change of play; hints do not count.
        last_action: The latest change of play, or None.
        last_action_at: The time of the latest change of play, or None.
        reference: The portal's id of the game, or None.
        event: The id of the event that the game belongs to, or None.
        event_closes_at: The time at which that event closes, or None.
        key_digest: A digest of the player's key; empty without a key.
        allows_hints: Whether hints and solutions are given.
        default_options: Whether the options are the default ones of the variant, with
            hints allowed; always true in an event.
        unranked: ``HELP`` or ``PLAYER_KEY`` if the game is unranked because of
            something outside it; else None. It is set when the game starts, when the
            player has help in another game on the deal, and when the game ends.
        ends: How often the game has ended; a lost game can be undone and end again.
        review: The stored review; empty if none was requested.
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
        """Whether the game is being played and cards are hidden in the stock."""
        return self._goes_on and bool(self.play.position.stock)

    @property
    def _goes_on(self) -> bool:
        """Whether the game is being played in the stock layout."""
        stock = self.play.options.layout is Layout.STOCK
        return stock and self.play.status is Status.PLAYING

    @property
    def commitment(self) -> str | None:
        """The SHA-256 (hex) of the seed in the stock layout, else None."""
        if self.seed is None or self.play.options.layout is not Layout.STOCK:
            return None
        return commit(self.seed)

    def shown_seed(self, now: int) -> str | None:
        """The seed, or None while it is hidden.

        In the stock layout, a seed that the server chose is hidden until the game is
        over. If the deal is that of a day or of an event, it is hidden until the deal
        has closed too, as others may still be playing it.
        """
        if self._hides_seed and (self._goes_on or not self.is_closed(now)):
            return None
        return self.seed

    @property
    def _hides_seed(self) -> bool:
        return self.server_seed and self.play.options.layout is Layout.STOCK

    @property
    def closes_at(self) -> int | None:
        """When the deal of the day or the event closes; None for other games."""
        if self.daily is not None:
            return closing_time(self.daily)
        return self.event_closes_at

    def is_closed(self, now: int) -> bool:
        """Whether the deal has closed, or never was open for ranked games."""
        return self.closes_at is None or now >= self.closes_at

    def is_revealed(self, now: int) -> bool:
        """Whether a hidden seed is shown because the deal has closed."""
        has_closed = self.closes_at is not None and now >= self.closes_at
        return self._hides_seed and not self._goes_on and has_closed

    def watched(self) -> Session:
        """The game as spectators may see it.

        While cards are hidden, a seed that the player chose is removed, as it would
        reveal them. So would its commitment, against which guesses of the seed could be
        checked.
        """
        if self.hides_cards and not self.server_seed:
            return self._replace(seed=None)
        return self

    @property
    def unranked_reason(self) -> UnrankedReason | None:
        """The reason why the game does not count on boards; None if it does.

        The passing of time alone never changes it: a game in play counts as long as its
        actions are made before the deal closes.
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
        """Whole seconds from the start to the end, or in play to the latest action."""
        end = self.last_action_at if self.ended_at is None else self.ended_at
        return 0 if end is None else max(0, end - self.started_at) // SECOND_MS

    @property
    def score(self) -> int:
        """The points of the game, with any time bonus."""
        return score(self.play, self.elapsed_seconds)

    def move(self, move: Move, now: int) -> Session:
        """Make a move; errors as in ``Play.move``.

        In removal games the origin and the target can be given in either order.
        """
        move = self._ordered(move)
        return self._played(self.play.move(move), now, Moved(move))

    def tap(self, origin: int, now: int) -> Session:
        """Make the only legal move of a pile; errors as in ``Play.tap``."""
        play = self.play.tap(origin)
        return self._played(play, now, Moved(Move(*play.done[-ACTION_BYTES:])))

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
        """Undo actions; errors as in ``Play.undo``."""
        play = self.play.undo(count)
        taken = self.play.actions - play.actions
        undone = self._played(play, now, ActionCount(ActionType.UNDO, taken))
        return undone._replace(undos_used=self.undos_used + taken)

    def redo(self, count: int | None, now: int) -> Session:
        """Redo actions; errors as in ``Play.redo``."""
        play = self.play.redo(count)
        made = play.actions - self.play.actions
        return self._played(play, now, ActionCount(ActionType.REDO, made))

    def finish(self, now: int) -> Session:
        """Stop playing; errors as in ``Play.finish``."""
        return self._played(self.play.finish(), now, Finished())

    def advised(self, plan: bytes) -> Session:
        """Count a hint or solution, and keep its line as the plan.

        Raises:
            GameOverError: The game is won or ended.
            HintsNotAllowedError: The game is played without hints.
        """
        self.require_hints()
        return self._replace(hints_used=self.hints_used + 1, plan=plan)

    def require_hints(self) -> None:
        """Check that hints and solutions can be given; errors as in ``advised``."""
        if self.play.is_closed:
            raise GameOverError(self.play.status)
        if not self.allows_hints:
            raise HintsNotAllowedError

    def _ordered(self, move: Move) -> Move:
        if self.play.ruleset.is_stacking or move.origin >= move.target:
            return move
        return Move(move.target, move.origin)

    def _played(self, play: Play, now: int, action: LastAction) -> Session:
        now = max(self.started_at, now)
        ended_at, ends = None, self.ends
        if play.status is not Status.PLAYING:
            # Stopping a lost game is not another end.
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
    """Adapt a plan to a changed line of actions; empty if it no longer applies."""
    if not plan:
        return plan
    if before.startswith(after):
        return before[len(after) :] + plan
    made = after[len(before) :]
    return plan.removeprefix(made) if plan.startswith(made) else b""


def commit(seed: str) -> str:
    """Return the commitment to a seed: the SHA-256 (hex) of its UTF-8."""
    return hashlib.sha256(seed.encode()).hexdigest()


def closing_time(day: date) -> int:
    """Return the time at which a day's deal closes: an hour after the UTC day."""
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return (int(start.timestamp()) + DAY_SECONDS + _GRACE_SECONDS) * SECOND_MS


def day_of(now: int) -> date:
    """Return the UTC day of a time."""
    return datetime.fromtimestamp(now / SECOND_MS, UTC).date()
