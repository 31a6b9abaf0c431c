"""What an answer must say; one that says otherwise is a failure of the load test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loadtests.rules import Step, legal_steps, score, stack, status


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
    def cards(self) -> int:
        """The cards in all piles."""
        return len(self.rows[0])

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

    def finish(self, answer: dict[str, Any]) -> None:
        """Check that the player has stopped, and nothing else has changed.

        Raises:
            WrongAnswerError: The answer is another game, or one that goes on.
        """
        self.version += 1
        require("version", answer["version"], self.version)
        require("row", answer["row"], self.row)
        require("status", answer["status"], "ended")

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
    require("variant", game["variant"], table.variant)
    require("row", game["row"], table.row)
    require("moves", game["moves"], table.moves)
    check_position(game, table.cards, may_have_ended=False)


def check_position(game: dict[str, Any], cards: int, *, may_have_ended: bool) -> None:
    """Check what must hold in a game whatever was played.

    Args:
        game: a game of a stacking variant, played open.
        cards: the cards it is played with.
        may_have_ended: whether its player may have stopped.

    Raises:
        WrongAnswerError: It does not hold.
    """
    variant, row, heights = game["variant"], game["row"], game["heights"]
    require("different cards", len(set(row)), len(row))
    require("piles", len(heights), len(row))
    require("cards", sum(heights), cards)
    require("moves", game["moves"], cards - len(row))
    stopped = may_have_ended and game["status"] == "ended"
    if not stopped:
        require("status", game["status"], status(variant, row))
    offered = {(move["from"], move["to"]) for move in game["legal_moves"]}
    legal = legal_steps(variant, row)
    require("legal_moves", offered, set() if stopped else legal)


def check_replay(
    verdict: dict[str, Any], variant: str, row: list[str], false_at: int | None
) -> None:
    """Check what the service makes of a record.

    Args:
        verdict: its answer.
        variant: the variant of the record.
        row: the row at the record's end, or before its false action.
        false_at: where the record has a pile that no row has; None where it is right.

    Raises:
        WrongAnswerError: The record comes to something else.
    """
    stands = status(variant, row)
    if false_at is not None:
        reason = "game-over" if stands == "won" else "no-such-pile"
        wanted = {"valid": False, "index": false_at, "reason": reason}
    else:
        wanted = {
            "valid": True,
            "status": stands,
            "score": score(variant, row),
            "row": row,
        }
    for name, value in wanted.items():
        require(name, verdict[name], value)


def require(what: str, found: object, expected: object) -> None:
    """Check one member of an answer.

    Raises:
        WrongAnswerError: It is not what it must be.
    """
    if found != expected:
        raise WrongAnswerError(f"{what} is {found!r} and should be {expected!r}")
