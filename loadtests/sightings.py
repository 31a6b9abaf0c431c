"""What a spectator sees of a game, held against its player's own reckoning."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from loadtests.checks import Table, WrongAnswerError, check_position, require


class Shown(NamedTuple):
    """A game that anybody may watch.

    Attributes:
        watch_id: by what it is watched.
        table: the game as its player knows it.
    """

    watch_id: str
    table: Table


@dataclass(slots=True)
class Sight:
    """The game as its spectator has seen it last.

    Attributes:
        shown: the game.
        version: the version that was seen, 0 before the first look.
        row: the row that was seen.
        told: the version that its player had been told of when this look began.
        etag: the ETag of what was seen.
    """

    shown: Shown
    version: int = 0
    row: list[str] = field(default_factory=list)
    told: int = 0
    etag: str = ""

    def begin(self) -> None:
        """Begin to look: what is told from now on, the answer need not have."""
        self.told = self.shown.table.version

    def keep(self, etag: str) -> None:
        """Check a 304: nothing has changed.

        Raises:
            WrongAnswerError: Something has.
        """
        require("ETag", etag, self.etag)
        if self.version < self.told:
            raise WrongAnswerError(
                f"304 for version {self.version}, and version {self.told} was told"
            )

    def take(self, game: dict[str, Any], etag: str, *, newer: bool) -> None:
        """Check the game as it is shown, and take note of it.

        Args:
            game: the game.
            etag: the ETag that came with it.
            newer: whether another version was asked for than the one seen.

        Raises:
            WrongAnswerError: It is not as the rules say, or older than what is known.
        """
        version, row, table = game["version"], game["row"], self.shown.table
        require("watch_id", game["watch_id"], self.shown.watch_id)
        require("id, which is its player's", game["id"], None)
        require("version of the ETag", etag.strip('"').partition(".")[0], str(version))
        check_position(game, table.cards, may_have_ended=True)
        least = max(self.told, self.version + newer)
        if version < least:
            raise WrongAnswerError(f"version {version} after version {least}")
        if version == self.version:
            require("row", row, self.row)
        if version == table.version:
            require("row", row, table.row)
        self.version, self.row, self.etag = version, row, etag
