"""The deal of the day: one winnable deal for each UTC day and variant.

Candidate n (from 0) of a day is the deal of ``accordion/1`` whose seed is the first 32
hexadecimal digits of HMAC-SHA-256(secret, ``daily/DATE/VARIANT/n``). The deal of the
day is the first candidate that the solver wins within ``DAILY_NODES`` nodes. The choice
is kept in the store, so that a new release of the solver does not change it.
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
"""The budget for winning a candidate, in nodes."""
_SEED_LENGTH: Final = 32
"""The length of a daily seed in hexadecimal digits: 128 bits."""
_SECRET_BYTES: Final = 32
_KEY_CHOICE: Final = "daily-secret"
_DAYS_KEPT: Final = 1024
"""The maximum number of deals that a process caches."""


class NotYetError(Exception):
    """The requested day has not begun.

    Attributes:
        day: The requested day.
        today: The current UTC day.
    """

    def __init__(self, day: date, today: date) -> None:
        super().__init__(f"{day} has not begun; it is {today}")
        self.day = day
        self.today = today


class DailyDeal(NamedTuple):
    """The deal of a UTC day, with its source and seed."""

    day: date
    source: str
    seed: str
    dealt: Dealt


class Daily:
    """Chooses the deals of the day.

    Args:
        secret: Makes the deals unpredictable; if None, a random secret is drawn once
            and kept in the store.
        choices: The choices that all processes share; its methods may raise
            ``StoreUnavailableError``.
    """

    def __init__(self, secret: str | None, choices: Choices) -> None:
        self._choices = choices
        self._secret = None if secret is None else secret.encode()
        self._chosen = lru_cache(_DAYS_KEPT)(self._choose)

    def deal(self, ruleset: Ruleset, day: date | None, now: int) -> DailyDeal:
        """Return the deal of a day.

        Args:
            ruleset: The variant.
            day: The UTC day; None means today.
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
    """Return the seed of a day's first candidate that the solver wins."""
    seeds = (candidate(secret, ruleset, day, number) for number in count())
    layout = ruleset.layout
    return next(s for s in seeds if winnable_position(ruleset, s, layout, DAILY_NODES))


def candidate(secret: bytes, ruleset: Ruleset, day: date, number: int) -> str:
    """Return the seed of a day's candidate ``number``, from 0."""
    text = f"daily/{day.isoformat()}/{ruleset.key}/{number}"
    digest = hmac.new(secret, text.encode(), hashlib.sha256)
    return digest.hexdigest()[:_SEED_LENGTH]
