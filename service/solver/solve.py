"""The public search: a verdict on a position, and a line that wins."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

import numpy as np

from service.engine.cards import DECK
from service.engine.errors import DeckError
from service.engine.play import (
    ACTION_BYTES,
    DEAL,
    Deal,
    actions_of,
    encode_action,
    play_line,
)
from service.solver.budget import Nodes
from service.solver.kernels.exhaustive_search import ExhaustiveSearch
from service.solver.kernels.intervals import clear_row
from service.solver.kernels.moves import wins
from service.solver.kernels.rules import REMOVE_PAIR, STACK, rules_of
from service.solver.restarts import HeuristicSearch
from service.solver.row_search import search_row, take_turn
from service.solver.verdict import Solution, Verdict
from service.solver.weights import weights_of

if TYPE_CHECKING:
    from service.engine.position import Position
    from service.solver.budget import Budget
    from service.solver.kernels.rules import Rules

DEFAULT_NODES: Final = 5_000_000
"""The default budget of a search, in rows examined: at most about a second."""


def solve(
    position: Position,
    budget: Budget | None = None,
    *,
    compulsory: bool = False,
    seed: int = 0,
) -> Solution:
    """Find out whether a position can be won, and how.

    Args:
        position: The position; its stock is read in its true order.
        budget: The work allowed; None means ``Nodes(DEFAULT_NODES)``.
        compulsory: Whether cards may be dealt only if no move is legal.
        seed: Seeds the noise of the search, at least 0.

    Returns:
        The verdict, and for a winnable position a line that was checked against the
        rules. Unwinnable is proved; unknown means that the budget was spent.

    Raises:
        DeckError: A card occurs twice, or is not one of the 52.
        UnsoundLineError: The line that was found does not win: a defect.
    """
    check_cards(position)
    budget = Nodes(DEFAULT_NODES) if budget is None else budget
    if position.is_won:
        return Solution(Verdict.WINNABLE)
    if position.goal is not None and position.goal not in position.row + position.stock:
        return Solution(Verdict.UNWINNABLE)
    compulsory = compulsory and bool(position.stock)
    rules = rules_of(position.ruleset, position.goal, compulsory=compulsory)
    if compulsory:
        search = ExhaustiveSearch(rules, position.row, position.stock)
        found = take_turn(search, budget, inf)
    else:
        found = _solve_open(position, rules, budget, seed)
    if found.verdict is Verdict.WINNABLE:
        if compulsory:
            _check_deals(position, found.line)
        else:
            check_line(rules, position, found.line)
    return found


def check_cards(position: Position) -> None:
    """Check that the cards of a position belong to one deck.

    Raises:
        DeckError: A card occurs twice, or is not one of the 52.
    """
    cards = position.row + position.stock
    if len(set(cards)) != len(cards) or max(cards, default=0) >= len(DECK):
        raise DeckError("cards", least=1, most=len(DECK))


class UnsoundLineError(Exception):
    """A line found by the solver that does not win by the rules: a defect."""


def check_line(rules: Rules, position: Position, line: bytes) -> None:
    """Check against the rules that a line that deals every card first wins.

    Raises:
        UnsoundLineError: It does not win, or has a move that is not legal.
    """
    row = np.frombuffer(position.row + position.stock, np.uint8)
    moves = np.frombuffer(line[ACTION_BYTES * len(position.stock) :], np.uint8)
    if not wins(rules, row, len(row), moves.reshape(-1, ACTION_BYTES)):
        raise UnsoundLineError(line.hex())


def _check_deals(position: Position, line: bytes) -> None:
    """Check against the rules that a line wins and deals only if no move is legal.

    Raises:
        UnsoundLineError: It does not win, or deals while a move is legal.
        IllegalMoveError: It has a move that is not legal.
    """
    for action in actions_of(line):
        if isinstance(action, Deal) and position.can_move:
            raise UnsoundLineError(line.hex())
        position = play_line(position, encode_action(action))
    if not position.is_won:
        raise UnsoundLineError(line.hex())


def _solve_open(
    position: Position, rules: Rules, budget: Budget, seed: int
) -> Solution:
    """Solve a position in which moves are not compulsory.

    Dealing makes no move illegal: the card is dealt to the right of all others, and
    changes neither their distances nor what lies between them. So a position that can
    be won can also be won by dealing all cards first.
    """
    row = position.row + position.stock
    dealing = encode_action(DEAL) * len(position.stock)
    if rules.effect in (STACK, REMOVE_PAIR):
        restarts = HeuristicSearch(rules, weights_of(position.ruleset), row, seed)
        exhaustive = ExhaustiveSearch(rules, row)
        found = search_row(len(row), restarts, exhaustive, budget)
    else:
        cards = np.frombuffer(row, np.uint8)
        moves = clear_row(rules, cards, len(row))
        budget.spend(len(row))
        if moves is None:
            return Solution(Verdict.UNWINNABLE, nodes=len(row))
        line = b"".join(map(encode_action, moves))
        found = Solution(Verdict.WINNABLE, line, len(row))
    if found.verdict is not Verdict.WINNABLE:
        return found
    return Solution(found.verdict, dealing + found.line, found.nodes)
