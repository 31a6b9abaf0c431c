"""What the players of a game were told of it, and what must be true of it then."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence


class Line(NamedTuple):
    """The actions of a game, in the words of its record.

    Attributes:
        done: those that stand, in their order.
        undone: those taken back, the next to be made again first.
        finished: whether the player has stopped.
    """

    done: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    finished: bool = False

    @property
    def actions(self) -> list[str]:
        """The actions as the record of the game must list them."""
        return [*self.done, "finish"] if self.finished else [*self.done]


Effect: TypeAlias = Callable[[Line], Line]
"""What a write does to the actions of a game."""


def make(*actions: str) -> Effect:
    """The effect of new actions."""
    return lambda line: Line(line.done + actions)


def take_back(count: int | None) -> Effect:
    """The effect of an undo; None takes everything back."""

    def effect(line: Line) -> Line:
        left = 0 if count is None else len(line.done) - count
        return Line(line.done[:left], line.done[left:] + line.undone)

    return effect


def make_again(count: int | None) -> Effect:
    """The effect of a redo; None makes everything again."""

    def effect(line: Line) -> Line:
        size = len(line.undone) if count is None else count
        return Line(line.done + line.undone[:size], line.undone[size:])

    return effect


def stop(line: Line) -> Line:
    """The effect of stopping."""
    return line._replace(finished=True)


def keep(line: Line) -> Line:
    """The effect of a write that adds no action, such as a hint."""
    return line


class Ledger:
    """Every acknowledged write of one game, entered by any thread.

    Attributes:
        game_id: the game.
        deleted: whether its deletion was acknowledged.
    """

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id
        self.deleted = False
        self._latest = 1
        self._writes: defaultdict[int, list[Effect]] = defaultdict(list)
        self._lock = threading.Lock()

    @property
    def latest(self) -> int:
        """The highest version that anybody was told of."""
        return self._latest

    @property
    def writes(self) -> int:
        """How many writes were acknowledged, the making of the game not counted."""
        return sum(map(len, self._writes.values()))

    def see(self, version: int) -> None:
        """Note a version that an answer showed."""
        with self._lock:
            self._latest = max(self._latest, version)

    def enter(self, version: int, effect: Effect) -> None:
        """Note a write that was acknowledged as having made this version."""
        with self._lock:
            self._latest = max(self._latest, version)
            self._writes[version].append(effect)

    def losses(self, version: int, actions: Sequence[str]) -> list[str]:
        """Compare what was acknowledged with what there is.

        Every version after the first is one write, and its writer knows of it; played
        in the order of their versions, the writes must give the record.

        Args:
            version: the version that the game has.
            actions: the actions of its record.

        Returns:
            A sentence for each contradiction.
        """
        if version < self._latest:
            return [f"version {self._latest} was acknowledged, it has {version}"]
        line, wrong = Line(), []
        for number in range(2, version + 1):
            effects = self._writes.get(number, [])
            if len(effects) != 1:
                wrong.append(f"{len(effects)} writes were told to be version {number}")
            for effect in effects:
                line = effect(line)
        if not wrong and line.actions != list(actions):
            wrong.append(
                f"its record is {actions}, and {line.actions} was acknowledged"
            )
        return wrong
