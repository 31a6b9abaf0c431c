"""Analysis: a position and every legal move of it, judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.engine.play import encode_action
from service.solver.budget import Nodes
from service.solver.solve import DEFAULT_NODES, solve
from service.solver.verdict import Analysis, Judgement, Verdict

if TYPE_CHECKING:
    from service.engine.position import Position
    from service.solver.budget import Budget


def analyse(
    position: Position,
    budget: Budget | None = None,
    *,
    compulsory: bool = False,
    seed: int = 0,
) -> Analysis:
    """Judge a position and each of its legal moves.

    Half of the budget at most goes to the position itself; the moves share
    what is left. Moves that lead to the same row are judged once.

    Args:
        position: The position; its stock is read in its true order.
        budget: The work allowed; ``Nodes(DEFAULT_NODES)`` unless given.
        compulsory: Whether dealing waits until no move is legal.
        seed: Seeds the search, at least 0.

    Raises:
        DeckError: A card is there twice, or there are more than 52.
    """
    budget = Nodes(DEFAULT_NODES) if budget is None else budget
    moves = position.legal_moves
    solution = solve(position, budget.part(2), compulsory=compulsory, seed=seed)
    judged: dict[bytes, Verdict] = {}
    if solution.verdict is Verdict.UNWINNABLE:
        judged = {position.apply(move).row: Verdict.UNWINNABLE for move in moves}
    for move in moves:
        if solution.line.startswith(encode_action(move)):
            judged[position.apply(move).row] = Verdict.WINNABLE
    judgements = []
    for index, move in enumerate(moves):
        after = position.apply(move)
        if after.row not in judged:
            part = budget.part(len(moves) - index)
            found = solve(after, part, compulsory=compulsory, seed=seed)
            judged[after.row] = found.verdict
        judgements.append(Judgement(move, judged[after.row]))
    return Analysis(solution, tuple(judgements))
