"""Analysis: a verdict for a position and for each of its legal moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.engine.play import DEAL, encode_action
from service.solver.budget import Nodes
from service.solver.judging import MoveJudge
from service.solver.kernels.outcomes import LOST, UNFINISHED, WON
from service.solver.kernels.rules import REMOVE_PAIR, STACK, rules_of
from service.solver.solve import DEFAULT_NODES, UnsoundLineError, check_line, solve
from service.solver.verdict import Analysis, Judgement, Verdict
from service.solver.weights import weights_of

if TYPE_CHECKING:
    from service.engine.position import Move, Position
    from service.solver.budget import Budget
    from service.solver.kernels.rules import Rules
    from service.solver.verdict import Solution

_VERDICTS = {
    WON: Verdict.WINNABLE,
    LOST: Verdict.UNWINNABLE,
    UNFINISHED: Verdict.UNKNOWN,
}


def analyse(
    position: Position,
    budget: Budget | None = None,
    *,
    compulsory: bool = False,
    seed: int = 0,
) -> Analysis:
    """Judge a position and each of its legal moves.

    At most half of the budget is spent on the position itself; the moves share the
    rest.

    Args:
        position: The position; its stock is read in its true order.
        budget: The work allowed; None means ``Nodes(DEFAULT_NODES)``.
        compulsory: Whether cards may be dealt only if no move is legal.
        seed: Seeds the searches, at least 0.

    Raises:
        DeckError: A card occurs twice, or is not one of the 52.
        UnsoundLineError: A line that was found does not win: a defect.
    """
    budget = Nodes(DEFAULT_NODES) if budget is None else budget
    moves = position.legal_moves
    solution = solve(position, budget.part(2), compulsory=compulsory, seed=seed)
    compulsory = compulsory and bool(position.stock)
    rules = rules_of(position.ruleset, position.goal, compulsory=compulsory)
    if solution.verdict is Verdict.UNWINNABLE:
        verdicts = dict.fromkeys(moves, Verdict.UNWINNABLE)
    elif compulsory or rules.effect not in (STACK, REMOVE_PAIR):
        verdicts = _judge_each(position, budget, compulsory=compulsory, seed=seed)
    else:
        verdicts = _judge_together(position, rules, solution, budget, seed)
    for move in moves:
        if solution.line.startswith(encode_action(move)):
            verdicts[move] = Verdict.WINNABLE
    return Analysis(solution, tuple(Judgement(move, verdicts[move]) for move in moves))


def _judge_each(
    position: Position, budget: Budget, *, compulsory: bool, seed: int
) -> dict[Move, Verdict]:
    """Judge each move by a separate search; moves to the same row share one."""
    moves = position.legal_moves
    judged: dict[bytes, Verdict] = {}
    for index, move in enumerate(moves):
        after = position.apply(move)
        if after.row not in judged:
            part = budget.part(len(moves) - index)
            found = solve(after, part, compulsory=compulsory, seed=seed)
            judged[after.row] = found.verdict
    return {move: judged[position.apply(move).row] for move in moves}


def _judge_together(
    position: Position, rules: Rules, solution: Solution, budget: Budget, seed: int
) -> dict[Move, Verdict]:
    """Judge the moves of a game that stacks or removes pairs.

    Each move gets a little work at first, so that a hard one takes no time from the
    others. All cards are dealt directly after the move, as in ``solve``.
    """
    weights = weights_of(position.ruleset)
    row = position.row + position.stock
    dealing = encode_action(DEAL) * len(position.stock)
    moves = [m for m in position.legal_moves if position.row[m.target] != position.goal]
    line = solution.line[len(dealing) :]
    judge = MoveJudge(rules, weights, row, moves, line, seed)
    while not judge.is_done and (nodes := budget.slice()):
        budget.spend(judge.advance(nodes))
    if not judge.are_lines_sound():
        raise UnsoundLineError(row.hex())
    # Moves that cover the goal card are not in `moves`: they lose.
    verdicts = dict.fromkeys(position.legal_moves, Verdict.UNWINNABLE)
    for move, outcome in zip(moves, judge.outcomes.tolist(), strict=True):
        verdicts[move] = _VERDICTS[outcome]
    hard = [move for move in moves if verdicts[move] is Verdict.UNKNOWN]
    for index, move in enumerate(hard):
        if not budget.slice():
            break
        after, part = position.apply(move), budget.part(len(hard) - index)
        found = judge.search(move, after.row + after.stock, part)
        verdicts[move] = found.verdict
        if found.verdict is Verdict.WINNABLE:
            check_line(rules, after, dealing + found.line)
    return verdicts
