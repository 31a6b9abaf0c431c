"""Users who do not play: the portal that replays records, and the spectator."""

from __future__ import annotations

import random
from typing import Any

from locust import task

from loadtests.checks import require
from loadtests.players import ON_SHOW
from loadtests.rules import Step, legal_steps, stack
from loadtests.visitor import Visitor

_VARIANTS = ("accordion", "accordion-bidirectional", "23-skidoo", "late-binding")
_SEEDS = 1_000_000
_RECORDS = 10
_DOCTORED = 0.25
_LOOKS = 20
_BEYOND = "90-89"
"""A move that no row has."""


class Portal(Visitor):
    """Keeps games of its own and has the service judge their records."""

    weight = 1
    tempo = (0.1, 0.5)

    @task
    def replay(self) -> None:
        """Send the records of some games; now and then a false one."""
        for _ in range(_RECORDS):
            variant = random.choice(_VARIANTS)
            seed = f"portal-{random.randrange(_SEEDS)}"
            deal = self._look_up(variant, seed)
            actions, row = _play(variant, deal["cards"])
            doctored = random.random() < _DOCTORED
            self._judge(variant, seed, [*actions, *[_BEYOND] * doctored], row)
            self.think()

    def _look_up(self, variant: str, seed: str) -> dict[str, Any]:
        asked = self.ask(
            "GET",
            f"/v1/deals?seed={seed}&variant={variant}",
            "deal by seed",
            check=lambda deal: require("seed", deal["seed"], seed),
        )
        deal: dict[str, Any] = asked.json
        return deal

    def _judge(
        self, variant: str, seed: str, actions: list[str], row: list[str]
    ) -> None:
        def check(verdict: dict[str, Any]) -> None:
            require("valid", verdict["valid"], _BEYOND not in actions)
            if verdict["valid"]:
                require("row", verdict["row"], row)
            else:
                require("index", verdict["index"], len(actions) - 1)

        record = {
            "format": "accordion-record/1",
            "variant": variant,
            "options": {"layout": "open", "compulsory": False, "undo": "unlimited"},
            "source": "accordion/1",
            "seed": seed,
            "actions": actions,
        }
        self.ask("POST", "/v1/replays", "replay", body=record, check=check)


class Spectator(Visitor):
    """Watches a game that somebody plays, asking whether it has changed."""

    weight = 4
    tempo = (1.0, 3.0)

    @task
    def watch(self) -> None:
        """Look at one game for a while."""
        if not ON_SHOW:
            self.think()
            return
        path = f"/v1/watch/{random.choice(ON_SHOW)}"
        etag = self.ask("GET", path, "watch").etag
        for _ in range(_LOOKS):
            self.think()
            etag = self._look_again(path, etag)

    def _look_again(self, path: str, etag: str) -> str:
        def check(game: dict[str, Any] | None) -> None:
            if game is not None:
                newer = game["version"] > int(etag.strip('"'))
                require("whether the version is newer", newer, expected=True)

        asked = self.ask(
            "GET",
            path,
            "watch on",
            status=(200, 304),
            headers={"If-None-Match": etag},
            check=check,
        )
        return asked.etag


def _play(variant: str, row: list[str]) -> tuple[list[str], list[str]]:
    """Play at random to the end: the actions of the record, and the last row."""
    actions = []
    while steps := sorted(legal_steps(variant, row)):
        step: Step = random.choice(steps)
        row = stack(row, step)
        actions.append(f"{step[0]}-{step[1]}")
        if variant == "23-skidoo" and len(row) == 2:  # noqa: PLR2004 - its goal
            break
    return actions, row
