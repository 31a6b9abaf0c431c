"""A game as it is kept: the play, who plays it, where its deal came from.

Times are whole milliseconds since 1970 in UTC. A session is an immutable value
and reads no clock: whoever changes it says what time it is.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from service.engine.errors import GameOverError
from service.engine.play import Status
from service.engine.ruleset import Layout
from service.engine.scoring import score
from service.timestamps import MILLISECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from service.engine.play import Play, Step
    from service.engine.position import Move


@dataclass(frozen=True, slots=True)
class Session:
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

    @property
    def hides_cards(self) -> bool:
        """Whether cards are still face down in the stock."""
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
        game is over, and the seed of a daily deal until its day is over too,
        since others may still be playing it.
        """
        if self.server_seed and self.play.options.layout is Layout.STOCK:
            day_runs = self.daily is not None and self.daily >= day_of(now)
            if self.hides_cards or day_runs:
                return None
        return self.seed

    def watched(self) -> Session:
        """The game as others than its player may see it.

        A seed of the player's own would tell them the hidden cards, and so would its
        commitment, as who can guess the seed can check the guess.
        """
        if self.hides_cards and not self.server_seed:
            return replace(self, seed=None)
        return self

    def elapsed_seconds(self, now: int) -> int:
        """The full seconds the game has taken."""
        end = now if self.ended_at is None else self.ended_at
        return max(0, end - self.started_at) // MILLISECONDS

    def score(self, now: int) -> int:
        """The points of the game."""
        return score(self.play, self.elapsed_seconds(now))

    def move(self, move: Move, now: int) -> Session:
        """Make a move; errors as in ``Play.move``."""
        return self._played(self.play.move(move), now)

    def tap(self, origin: int, now: int) -> Session:
        """Make the one move of a pile; errors as in ``Play.tap``."""
        return self._played(self.play.tap(origin), now)

    def run(self, steps: Sequence[Step], now: int) -> Session:
        """Make several steps, all or none; errors as in ``Play.run``."""
        blind = self.server_seed and self.hides_cards
        return self._played(self.play.run(steps, blind=blind), now)

    def deal(self, count: int | None, now: int) -> Session:
        """Deal cards; errors as in ``Play.deal``."""
        return self._played(self.play.deal(count), now)

    def undo(self, count: int | None, now: int) -> Session:
        """Take actions back; errors as in ``Play.undo``."""
        undone = self._played(self.play.undo(count), now)
        taken = self.play.actions - undone.play.actions
        return replace(undone, undos_used=self.undos_used + taken)

    def advised(self, plan: bytes) -> Session:
        """Count a hint, and keep the line that it was taken from.

        Raises:
            GameOverError: The game is won or ended.
        """
        if self.play.is_closed:
            raise GameOverError(self.play.status)
        return replace(self, hints_used=self.hints_used + 1, plan=plan)

    def redo(self, count: int | None, now: int) -> Session:
        """Make actions again; errors as in ``Play.redo``."""
        return self._played(self.play.redo(count), now)

    def finish(self, now: int) -> Session:
        """Stop playing; errors as in ``Play.finish``."""
        return self._played(self.play.finish(), now)

    def _played(self, play: Play, now: int) -> Session:
        ended_at = None
        if play.status is not Status.PLAYING:
            ended_at = max(self.started_at, now)
            if self.ended_at is not None:  # a lost game that its player stops
                ended_at = self.ended_at
        followed = _follow(self.plan, self.play.done, play.done)
        plan = b"" if play.is_closed else followed
        return replace(self, play=play, ended_at=ended_at, plan=plan)


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


def day_of(now: int) -> date:
    """The UTC day of a time."""
    return datetime.fromtimestamp(now / MILLISECONDS, UTC).date()
