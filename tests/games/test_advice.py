"""Long searches hold a slot, and end when the caller is interrupted."""

from __future__ import annotations

import os
import signal
from threading import get_ident
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from service.engine.cards import parse_cards
from service.engine.position import Position
from service.engine.variants import VARIANTS
from service.games.advice import QUICK_NODES, Advisor, SolverBusyError
from service.solver import Nodes, Verdict
from tests.hard_rows import HARD_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.solver import Budget

_ENDLESS = 10**12


def make_position(row: list[str]) -> Position:
    cards = parse_cards(row)
    return Position(VARIANTS["accordion"], cards, b"\x01" * len(cards))


HARD = make_position(HARD_ROWS[0])


class ActingBudget:
    """A budget that calls a function when a search in another thread asks for nodes."""

    def __init__(self, nodes: int, act: Callable[[], object]) -> None:
        self._budget: Budget = Nodes(nodes)
        self._act = act
        self._thread = get_ident()

    def slice(self) -> int:
        if get_ident() != self._thread:
            self._act()
        return min(self._budget.slice(), QUICK_NODES)

    def spend(self, nodes: int) -> None:
        self._budget.spend(nodes)

    def part(self, _parts: int) -> ActingBudget:
        return self


def test_a_long_search_holds_a_slot_until_its_end() -> None:
    advisor, refused = Advisor(1, monotonic), list[bool]()

    def ask_meanwhile() -> None:
        if not refused:
            with pytest.raises(SolverBusyError):
                advisor.analyse(HARD, Nodes(2 * QUICK_NODES))
            refused.append(True)

    found = advisor.analyse(HARD, ActingBudget(10 * QUICK_NODES, ask_meanwhile))
    assert found.solution.verdict is Verdict.UNKNOWN
    assert refused == [True]
    advisor.analyse(HARD, Nodes(2 * QUICK_NODES))


def test_a_quick_search_runs_in_the_thread_of_its_caller() -> None:
    def fail() -> None:
        raise AssertionError

    easy = make_position(HARD_ROWS[0][:9])
    found = Advisor(1, monotonic).analyse(easy, ActingBudget(_ENDLESS, fail))
    assert found.solution.verdict is not Verdict.UNKNOWN


def test_a_long_search_ends_when_its_caller_is_interrupted() -> None:
    advisor, sent = Advisor(1, monotonic), list[bool]()

    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    def send_signal() -> None:
        if not sent:
            sent.append(True)
            os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            advisor.analyse(HARD, ActingBudget(_ENDLESS, send_signal))
    finally:
        signal.signal(signal.SIGUSR1, before)
    advisor.analyse(HARD, Nodes(2 * QUICK_NODES))
