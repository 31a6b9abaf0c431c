"""The public search: a verdict on a position, and a line that wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from service.engine.cards import DECK
from service.engine.errors import DeckError
from service.engine.play import DEAL, Deal, actions_of, encode_action, play_line
from service.solver.budget import Nodes
from service.solver.kernels.exhaustive_search import ExhaustiveSearch
from service.solver.kernels.intervals import clear_row
from service.solver.kernels.outcomes import LOST, WON
from service.solver.kernels.rules import REMOVE_PAIR, STACK, rules_of
from service.solver.restarts import Restarts
from service.solver.verdict import Solution, Verdict
from service.solver.weights import DEFAULT, TUNED

if TYPE_CHECKING:
    from service.engine.position import Position
    from service.solver.budget import Budget
    from service.solver.kernels.rules import Rules

DEFAULT_NODES: Final = 5_000_000
"""The budget of a search that names none: about a second at worst."""
_SHORT: Final = 20
"""The longest row that is searched exhaustively from the start."""
_TURN: Final = 100_000
"""Nodes after which descents and the exhaustive search take turns."""
_LONG: Final = 30
"""Rows beyond this length are seldom exhausted within any budget ..."""
_SHORT_TURN: Final = 10_000
"""... so that there the exhaustive search gets fewer nodes a turn."""


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
        budget: The work allowed; ``Nodes(DEFAULT_NODES)`` unless given.
        compulsory: Whether dealing waits until no move is legal.
        seed: Seeds the noise of the search, at least 0.

    Returns:
        The verdict. Winnable comes with a line that was replayed by the
        rules; unwinnable is a proof; unknown means that the budget is spent.

    Raises:
        DeckError: A card is there twice, or there are more than 52.
    """
    check(position)
    budget = Nodes(DEFAULT_NODES) if budget is None else budget
    if position.is_won:
        return Solution(Verdict.WINNABLE)
    if position.goal is not None and position.goal not in position.row + position.stock:
        return Solution(Verdict.UNWINNABLE)
    compulsory = compulsory and bool(position.stock)
    rules = rules_of(position.ruleset, position.goal, compulsory=compulsory)
    if compulsory:
        found = _exhaust(ExhaustiveSearch(rules, position.row, position.stock), budget)
    else:
        found = _solve_open(position, rules, budget, seed)
    if found.verdict is Verdict.WINNABLE:
        _replay(position, found.line, compulsory=compulsory)
    return found


def check(position: Position) -> None:
    """Check that the cards of a position are cards of one deck.

    Raises:
        DeckError: They are not.
    """
    cards = position.row + position.stock
    if len(set(cards)) != len(cards) or not set(cards) <= set(DECK):
        raise DeckError("The cards are not all different cards of one deck.")


class UnsoundLineError(Exception):
    """A line of the solver that the rules do not accept as a win: a defect."""


def _replay(position: Position, line: bytes, *, compulsory: bool) -> None:
    """Play a line by the rules, so that nobody sees one that does not win."""
    if compulsory:
        _check_deals(position, line)
    if not play_line(position, line).is_won:
        raise UnsoundLineError(line.hex())


def _check_deals(position: Position, line: bytes) -> None:
    """Check that a line deals only where no move is legal."""
    for action in actions_of(line):
        if isinstance(action, Deal) and position.can_move:
            raise UnsoundLineError(line.hex())
        position = play_line(position, encode_action(action))


def _solve_open(
    position: Position, rules: Rules, budget: Budget, seed: int
) -> Solution:
    """Solve a position in which a move may wait.

    Dealing takes no move away: a card dealt lies to the right of all that
    moves, and leaves distances and neighbours to its left as they were. So
    whatever wins, wins after dealing out first, and the row is open.
    """
    row = position.row + position.stock
    dealing = encode_action(DEAL) * len(position.stock)
    if rules.effect in (STACK, REMOVE_PAIR):
        found = _search(position, rules, row, budget, seed)
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


def _search(
    position: Position, rules: Rules, row: bytes, budget: Budget, seed: int
) -> Solution:
    """Search a row of a game that stacks or removes pairs."""
    if len(row) <= _SHORT:
        return _exhaust(ExhaustiveSearch(rules, row), budget)
    weights = TUNED.get(position.ruleset.key, DEFAULT)
    restarts = Restarts(rules, weights, row, seed)
    exhaustion: ExhaustiveSearch | None = None
    nodes = 0
    while budget.slice():
        turn = nodes + _TURN
        while nodes < turn and (most := budget.slice()):
            won, spent = restarts.advance(min(most, turn - nodes))
            nodes += spent
            budget.spend(spent)
            if won:
                return Solution(Verdict.WINNABLE, restarts.line(), nodes)
        turn = nodes + (_TURN if len(row) <= _LONG else _SHORT_TURN)
        exhaustion = exhaustion or ExhaustiveSearch(rules, row)
        while nodes < turn and (most := budget.slice()):
            state, spent = exhaustion.advance(min(most, turn - nodes))
            nodes += spent
            budget.spend(spent)
            if state == WON:
                return Solution(Verdict.WINNABLE, exhaustion.line(), nodes)
            if state == LOST:
                return Solution(Verdict.UNWINNABLE, nodes=nodes)
    return Solution(Verdict.UNKNOWN, nodes=nodes)


def _exhaust(exhaustion: ExhaustiveSearch, budget: Budget) -> Solution:
    """Search exhaustively to the end, or to that of the budget."""
    nodes = 0
    while most := budget.slice():
        state, spent = exhaustion.advance(most)
        nodes += spent
        budget.spend(spent)
        if state == WON:
            return Solution(Verdict.WINNABLE, exhaustion.line(), nodes)
        if state == LOST:
            return Solution(Verdict.UNWINNABLE, nodes=nodes)
    return Solution(Verdict.UNKNOWN, nodes=nodes)
