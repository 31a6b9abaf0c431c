"""The deal of the day: one for each UTC day and variant, for everybody."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from service.engine.deals import DEFAULT_SOURCE, Dealt, deal

if TYPE_CHECKING:
    from datetime import date

    from service.engine.ruleset import Ruleset

_SEED_LENGTH: Final = 32
"""Hexadecimal digits of a daily seed, 128 bits."""


class NotYetError(Exception):
    """A day that has not begun.

    Attributes:
        day: The day that was asked for.
        today: The day it is, in UTC.
    """

    def __init__(self, day: date, today: date) -> None:
        super().__init__(f"{day} has not begun; it is {today}")
        self.day = day
        self.today = today


class DailyDeal(NamedTuple):
    """The deal of a day.

    Attributes:
        day: The UTC day.
        source: The source of the deal.
        seed: Its seed.
        dealt: Its cards.
    """

    day: date
    source: str
    seed: str
    dealt: Dealt


@dataclass(frozen=True, slots=True)
class Daily:
    """What chooses the deals of the days.

    Attributes:
        secret: Makes coming deals unguessable; without it (None) anybody can
            compute them.
    """

    secret: str | None

    def deal(self, ruleset: Ruleset, day: date, today: date) -> DailyDeal:
        """Deal the cards of a day.

        Raises:
            NotYetError: The day has not begun.
        """
        if day > today:
            raise NotYetError(day, today)
        seed = self._seed(ruleset, day)
        return DailyDeal(day, DEFAULT_SOURCE, seed, deal(ruleset, seed))

    def _seed(self, ruleset: Ruleset, day: date) -> str:
        name = f"{day.isoformat()}/{ruleset.key}"
        if self.secret is None:
            return name
        key = self.secret.encode()
        digest = hmac.new(key, f"daily/{name}".encode(), hashlib.sha256)
        return digest.hexdigest()[:_SEED_LENGTH]
