"""Users who do not play: the portal that replays records, and the spectator."""

from __future__ import annotations

import random
from typing import Any

from locust import task

from loadtests.checks import check_replay, require
from loadtests.players import ON_SHOW
from loadtests.rules import DECKS, WHOLE_DECK, Step, legal_steps, stack
from loadtests.sightings import Sight
from loadtests.visitor import Asked, Visitor

_VARIANTS = ("accordion", "accordion-bidirectional", "23-skidoo", "late-binding")
_SEEDS = 1_000_000
_RECORDS = 10
_DOCTORED = 0.25
_LOOKS = 20
_NOT_MODIFIED = 304
_AFRESH = 5
"""Each of so many looks asks for the whole game, changed or not."""

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
        def check(deal: dict[str, Any]) -> None:
            require("seed", deal["seed"], seed)
            count = DECKS.get(variant, WHOLE_DECK)
            require("different cards", len(set(deal["cards"])), count)

        path = f"/v1/deals?seed={seed}&variant={variant}"
        deal: dict[str, Any] = self.ask("GET", path, "deal by seed", check=check).json
        return deal

    def _judge(
        self, variant: str, seed: str, actions: list[str], row: list[str]
    ) -> None:
        false_at = actions.index(_BEYOND) if _BEYOND in actions else None
        record = {
            "format": "accordion-record/1",
            "variant": variant,
            "options": {"layout": "open", "compulsory": False, "undo": "unlimited"},
            "source": "accordion/1",
            "seed": seed,
            "actions": actions,
        }
        self.ask(
            "POST",
            "/v1/replays",
            "replay",
            body=record,
            check=lambda verdict: check_replay(verdict, variant, row, false_at),
        )


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
        sight = Sight(random.choice(ON_SHOW))
        self._look(sight, "watch")
        for number in range(1, _LOOKS + 1):
            self.think()
            if number % _AFRESH:
                self._look(sight, "watch on", if_newer=True)
            else:
                self._look(sight, "watch anew")

    def _look(self, sight: Sight, name: str, *, if_newer: bool = False) -> None:
        def judge(asked: Asked) -> None:
            if asked.status == _NOT_MODIFIED:
                sight.keep(asked.etag)
            else:
                sight.take(asked.json, asked.etag, newer=if_newer)

        sight.begin()
        self.ask(
            "GET",
            f"/v1/watch/{sight.shown.watch_id}",
            name,
            status=(200, _NOT_MODIFIED) if if_newer else 200,
            headers={"If-None-Match": sight.etag} if if_newer else None,
            judge=judge,
        )


def _play(variant: str, row: list[str]) -> tuple[list[str], list[str]]:
    """Play at random to the end: the actions of the record, and the last row."""
    actions = []
    while steps := sorted(legal_steps(variant, row)):
        step: Step = random.choice(steps)
        row = stack(row, step)
        actions.append(f"{step[0]}-{step[1]}")
    return actions, row
