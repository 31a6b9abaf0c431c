"""The deal of the day: one for each UTC day and variant, for everybody.

It can be won. Candidate n of a day is the deal of ``accordion/1`` whose seed is the
first 32 hexadecimal digits of HMAC-SHA-256(secret, ``daily/DATE/VARIANT/n``); the deal
of the day is the first candidate that the solver wins within ``DAILY_NODES`` nodes. The
choice is kept in the store, so that a later release of the solver changes no day.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Final, NamedTuple

from service.engine.deals import DEFAULT_SOURCE, Dealt, deal
from service.games.certified_deals import winnable_position
from service.games.session import day_of

if TYPE_CHECKING:
    from datetime import date

    from service.engine.ruleset import Ruleset
    from service.store.coordination import Choices

DAILY_NODES: Final = 200_000
"""The nodes within which the solver must win a candidate."""
_SEED_LENGTH: Final = 32
"""Hexadecimal digits of a daily seed, 128 bits."""
_SECRET_BYTES: Final = 32
_KEY_CHOICE: Final = "daily-secret"
_DAYS_KEPT: Final = 1024
"""Deals that a process remembers."""


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


class Daily:
    """What chooses the deals of the days.

    Args:
        secret: Makes the deals unguessable; without it (None) one is drawn once, and
            kept in the store.
        choices: The choices that all processes share; they may raise
            ``StoreUnavailableError``.
    """

    def __init__(self, secret: str | None, choices: Choices) -> None:
        self._choices = choices
        self._secret = None if secret is None else secret.encode()
        self._chosen = lru_cache(_DAYS_KEPT)(self._choose)

    def deal(self, ruleset: Ruleset, day: date | None, now: int) -> DailyDeal:
        """Deal the cards of a UTC day, or of today (None).

        Args:
            ruleset: The variant.
            day: The day.
            now: The time in milliseconds since 1970, UTC.

        Raises:
            NotYetError: The day has not begun.
        """
        today = day_of(now)
        day = day or today
        if day > today:
            raise NotYetError(day, today)
        return self._chosen(ruleset, day)

    def _choose(self, ruleset: Ruleset, day: date) -> DailyDeal:
        what = f"daily/{day.isoformat()}/{ruleset.key}"
        seed = self._choices.find(what)
        if seed is None:
            first = first_won(self._key(), ruleset, day)
            seed = self._choices.choose(what, first)
        return DailyDeal(day, DEFAULT_SOURCE, seed, deal(ruleset, seed))

    def _key(self) -> bytes:
        if self._secret is None:
            drawn = secrets.token_hex(_SECRET_BYTES)
            chosen = self._choices.find(_KEY_CHOICE)
            chosen = chosen or self._choices.choose(_KEY_CHOICE, drawn)
            self._secret = chosen.encode()
        return self._secret


def first_won(secret: bytes, ruleset: Ruleset, day: date) -> str:
    """Find the seed of the first candidate of a day that the solver wins."""
    seeds = (candidate(secret, ruleset, day, number) for number in count())
    layout = ruleset.layout
    return next(s for s in seeds if winnable_position(ruleset, s, layout, DAILY_NODES))


def candidate(secret: bytes, ruleset: Ruleset, day: date, number: int) -> str:
    """Compute the seed of a candidate of a day."""
    text = f"daily/{day.isoformat()}/{ruleset.key}/{number}"
    digest = hmac.new(secret, text.encode(), hashlib.sha256)
    return digest.hexdigest()[:_SEED_LENGTH]
