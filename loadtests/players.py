"""Users who play: for the day's board, with the thumb, by the book."""

from __future__ import annotations

import random
from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from locust import task

from loadtests.checks import Table, WrongAnswerError, check_game, require
from loadtests.rules import WHOLE_DECK
from loadtests.sightings import Shown
from loadtests.visitor import Visitor

if TYPE_CHECKING:
    from loadtests.rules import Step

ON_SHOW: deque[Shown] = deque(maxlen=500)
"""Games that somebody plays just now."""

_NAMES = 100_000
_UNDO_SHARE = 0.15
_REDO_SHARE = 0.3
_PATIENCE = 50
"""Moves after which a player who gets nowhere stops."""


class Player(Visitor):
    """Someone who plays a game."""

    abstract = True

    def sit_down(
        self, body: dict[str, object], cards: list[str] | None = None
    ) -> Table:
        """Start a game; the cards are those of its deal, where they are known."""

        def check(game: dict[str, Any]) -> None:
            check_game(Table.of(game), game)
            require("cards", len(game["row"]), WHOLE_DECK)
            require("version", game["version"], 1)
            if cards is not None:
                require("row", game["row"], cards)

        asked = self.ask(
            "POST", "/v1/games", "create", status=201, body=body, check=check
        )
        table = Table.of(asked.json)
        ON_SHOW.append(Shown(asked.json["watch_id"], table))
        return table

    def make(self, table: Table, step: Step, headers: dict[str, str]) -> dict[str, Any]:
        """Make a move and check the answer; returns the game."""
        asked = self.ask(
            "POST",
            f"/v1/games/{table.game_id}/moves",
            "move",
            body={"from": step[0], "to": step[1]},
            headers=headers,
            check=lambda game: table.move(step, game),
        )
        game: dict[str, Any] = asked.json
        return game


class DailyPlayer(Player):
    """Plays the day's deal under a name, then takes the record."""

    weight = 3
    tempo = (1.0, 4.0)

    @task
    def play_the_day(self) -> None:
        """Play the deal of the day to its end."""
        today = datetime.now(UTC).date()
        deal = self.ask(
            "GET",
            f"/v1/deals/daily/{today}",
            "daily deal",
            check=lambda deal: require("date", deal["date"], str(today)),
        ).json
        name = f"player {random.randrange(_NAMES)}"
        wish = {"daily": deal["date"], "player": name}
        table = self.sit_down(wish, deal["cards"])
        while table.steps:
            self.think()
            step = max(random.sample(table.steps, min(2, len(table.steps))))
            self.make(table, step, {"If-Match": f'"{table.version}"'})
        self.ask(
            "GET",
            f"/v1/games/{table.game_id}/record",
            "record",
            check=lambda record: require(
                "actions", len(record["actions"]), table.moves
            ),
        )


class Tapper(Player):
    """Taps piles, and takes a good deal of it back."""

    weight = 3
    tempo = (0.2, 1.0)

    @task
    def tap_away(self) -> None:
        """Play a random deal by tapping."""
        table = self.sit_down({})
        for _ in range(_PATIENCE):
            if not table.steps:
                break
            self.think()
            self._tap(table, random.choice(table.steps))
            if random.random() < _UNDO_SHARE:
                self._reconsider(table)
        self.ask(
            "POST",
            f"/v1/games/{table.game_id}/finish",
            "finish",
            check=table.finish,
        )

    def _tap(self, table: Table, step: Step) -> None:
        targets = [target for origin, target in table.steps if origin == step[0]]
        path = f"/v1/games/{table.game_id}/moves"
        if len(targets) == 1:
            self.ask(
                "POST",
                path,
                "tap",
                body={"from": step[0]},
                check=lambda game: table.move(step, game),
            )
            return
        self.ask(
            "POST",
            path,
            "tap, ambiguous",
            status=409,
            body={"from": step[0]},
            check=lambda problem: require(
                "targets", sorted(problem["targets"]), sorted(targets)
            ),
        )
        self.make(table, step, {})

    def _reconsider(self, table: Table) -> None:
        undone = table.row
        path = f"/v1/games/{table.game_id}"
        self.ask("POST", f"{path}/undo", "undo", body={}, check=table.undo)
        if random.random() < _REDO_SHARE:

            def check(game: dict[str, Any]) -> None:
                require("row", game["row"], undone)
                table.version += 1
                table.rows.append(undone)
                check_game(table, game)

            self.ask("POST", f"{path}/redo", "redo", body={}, check=check)


class HintFollower(Player):
    """Does whatever the hints say, and must win by it."""

    weight = 1
    tempo = (0.3, 1.5)

    @task
    def follow(self) -> None:
        """Follow hints to the end."""
        table = self.sit_down({})
        promised = False
        while table.steps:
            self.think()
            hint = self._ask_for_hint(table, promised=promised)
            promised = hint["verdict"] == "winnable"
            action = hint["action"]
            self.make(table, (action["from"], action["to"]), {})
        if promised:
            self.ask(
                "GET",
                f"/v1/games/{table.game_id}",
                "look",
                check=lambda game: require("status", game["status"], "won"),
            )

    def _ask_for_hint(self, table: Table, *, promised: bool) -> dict[str, Any]:
        asked = self.ask(
            "POST",
            f"/v1/games/{table.game_id}/hint",
            "hint",
            body={},
            check=lambda hint: _check_hint(table, hint, promised=promised),
        )
        hint: dict[str, Any] = asked.json
        table.version = hint["version"]
        return hint


def _check_hint(table: Table, hint: dict[str, Any], *, promised: bool) -> None:
    action = hint["action"]
    if (action["from"], action["to"]) not in table.steps:
        raise WrongAnswerError(f"the hint {action} is no legal move")
    if promised:
        require("verdict", hint["verdict"], "winnable")
