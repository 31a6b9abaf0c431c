"""What an answer must say; one that says otherwise is a failure of the load test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loadtests.rules import Step, legal_steps, stack


class WrongAnswerError(Exception):
    """An answer that contradicts the rules or what was answered before."""


@dataclass(slots=True)
class Table:
    """A game as its player knows it, by their own reckoning.

    Attributes:
        game_id: the game's id.
        variant: a stacking variant, played open.
        rows: the row at the start and after each move that stands.
        version: the version of the last answer.
    """

    game_id: str
    variant: str
    rows: list[list[str]]
    version: int = 1

    @classmethod
    def of(cls, game: dict[str, Any]) -> Table:
        """Sit down at a new game."""
        return cls(game["id"], game["variant"], [game["row"]])

    @property
    def row(self) -> list[str]:
        """The row now."""
        return self.rows[-1]

    @property
    def moves(self) -> int:
        """The moves that stand."""
        return len(self.rows) - 1

    @property
    def steps(self) -> list[Step]:
        """The legal moves now, in a fixed order."""
        return sorted(legal_steps(self.variant, self.row))

    def move(self, step: Step, answer: dict[str, Any]) -> None:
        """Take note of a move and check its answer.

        Raises:
            WrongAnswerError: The answer is not the game after the move.
        """
        self._take([*self.rows, stack(self.row, step)], answer)

    def undo(self, answer: dict[str, Any]) -> None:
        """Take note of an undone move and check its answer.

        Raises:
            WrongAnswerError: The answer is not the game before the move.
        """
        self._take(self.rows[:-1], answer)

    def _take(self, rows: list[list[str]], answer: dict[str, Any]) -> None:
        require("id", answer["id"], self.game_id)
        require("version", answer["version"], self.version + 1)
        self.version += 1
        self.rows = rows
        check_game(self, answer)


def check_game(table: Table, game: dict[str, Any]) -> None:
    """Check a game against its player's own reckoning.

    Raises:
        WrongAnswerError: They differ.
    """
    require("row", game["row"], table.row)
    require("moves", game["moves"], table.moves)
    require("piles", len(game["heights"]), len(table.row))
    require("cards", sum(game["heights"]), len(table.rows[0]))
    offered = {(move["from"], move["to"]) for move in game["legal_moves"]}
    legal = legal_steps(table.variant, table.row)
    over = game["status"] in {"won", "ended"}
    require("legal_moves", offered, set() if over else legal)
    if not over:
        require("status", game["status"], "playing" if legal else "lost")


def require(what: str, found: object, expected: object) -> None:
    """Check one member of an answer.

    Raises:
        WrongAnswerError: It is not what it must be.
    """
    if found != expected:
        raise WrongAnswerError(f"{what} is {found!r} and should be {expected!r}")
