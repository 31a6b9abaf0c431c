"""Hints: the next action, and the reason for it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from service.engine.cards import MATCH, NAMES, RANKS
from service.engine.play import ACTION_BYTES, DEAL, Deal, decode_action
from service.solver.budget import Nodes
from service.solver.sampling import sample_hint
from service.solver.solve import DEFAULT_NODES, check_cards, solve
from service.solver.verdict import Hint, HintCode, Solution, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.engine.play import Action
    from service.engine.position import Move, Position
    from service.solver.budget import Budget

_LAST_PILES: Final = 6
"""The number of last piles among which sweepers are looked for."""
_FEW: Final = 1
"""The most other cards that match a card for the reason ``COVERS``."""
_SWEEPERS: Final = 2
"""The fewest cards of one rank that count as sweepers."""


def hint(
    position: Position,
    budget: Budget | None = None,
    *,
    compulsory: bool = False,
    seed: int = 0,
) -> Hint:
    """Suggest the next action, with a reason.

    Only which cards are in the stock is read, never their order: the hint is the same
    for every order of the hidden cards.

    Args:
        position: The position.
        budget: The work allowed; None means ``Nodes(DEFAULT_NODES)``.
        compulsory: Whether cards may be dealt only if no move is legal.
        seed: Seeds the search, at least 0.

    Raises:
        DeckError: A card occurs twice, or is not one of the 52.
        UnsoundLineError: A line that was found does not win: a defect.
    """
    check_cards(position)
    budget = Nodes(DEFAULT_NODES) if budget is None else budget
    if position.stock and not compulsory:
        return Hint(DEAL, Verdict.UNKNOWN, HintCode.DEAL_FIRST)
    if position.stock:
        return _on_hidden_cards(position, budget, seed)
    if not position.can_move:
        won = position.is_won
        verdict = Verdict.WINNABLE if won else Verdict.UNWINNABLE
        return Hint(None, verdict, HintCode.NOTHING)
    return _on_solution(position, solve(position, budget, seed=seed))


def follow(position: Position, line: bytes) -> Hint:
    """Suggest the first action of a line, with a reason.

    The line must win from this position, and must not be empty; neither is checked.
    """
    return _on_solution(position, Solution(Verdict.WINNABLE, line))


def _on_hidden_cards(position: Position, budget: Budget, seed: int) -> Hint:
    """Return a hint where moves are compulsory and cards are still to be dealt."""
    moves = position.legal_moves
    if not moves:
        return Hint(DEAL, Verdict.UNKNOWN, HintCode.ONLY_ACTION)
    if len(moves) == 1:
        return Hint(moves[0], Verdict.UNKNOWN, HintCode.ONLY_ACTION)
    if not budget.slice():
        return Hint(_most_mobile(position), Verdict.UNKNOWN, HintCode.BEST_GUESS)
    return sample_hint(position, budget, seed)


def _on_solution(position: Position, solution: Solution) -> Hint:
    verdict, line, nodes = solution.verdict, solution.line, solution.nodes
    if verdict is Verdict.WINNABLE:
        action = decode_action(line[:ACTION_BYTES])
        reason, data = _explain(position, action, solution)
        return Hint(action, verdict, reason, data, line, nodes)
    lost = verdict is Verdict.UNWINNABLE
    reason = HintCode.NO_WIN if lost else HintCode.BEST_GUESS
    return Hint(_most_mobile(position), verdict, reason, nodes=nodes)


def _most_mobile(position: Position) -> Move:
    """Return the move that leaves the most legal moves."""
    return max(
        position.legal_moves, key=lambda move: len(position.apply(move).legal_moves)
    )


def _explain(
    position: Position, action: Action, solution: Solution
) -> tuple[HintCode, Mapping[str, int | str]]:
    """Return the most specific reason for an action that wins, and its data."""
    if isinstance(action, Deal):
        return HintCode.DEAL_FIRST, {}
    after = position.apply(action)
    if after.is_won:
        return HintCode.FINISHES, {}
    if len(position.legal_moves) == 1:
        return HintCode.ONLY_ACTION, {}
    if not position.ruleset.is_stacking:
        return HintCode.CLEARS, {"count": len(position.row) - len(after.row)}
    return _explain_stacking(position, action, after, solution)


def _explain_stacking(
    position: Position, action: Move, after: Position, solution: Solution
) -> tuple[HintCode, Mapping[str, int | str]]:
    covered = position.row[action.target]
    others = sum(MATCH[covered][card] for card in position.row) - 1
    freed = len(after.legal_moves) - len(position.legal_moves)
    if others <= _FEW:
        return HintCode.COVERS, {"card": NAMES[covered], "count": others}
    if freed > 0:
        return HintCode.FREES, {"count": freed}
    rank, count = _sweepers(position, solution)
    if count >= _SWEEPERS:
        return HintCode.SWEEPERS, {"rank": rank, "count": count}
    return HintCode.ON_LINE, {}


def _sweepers(position: Position, solution: Solution) -> tuple[str, int]:
    """Return the most frequent rank of the last piles of a line, and its cards now.

    The number of cards is 0 if that rank is on fewer than ``_SWEEPERS`` last piles.
    """
    last = _last_tops(position.row, solution.line)
    ranks = Counter(card % len(RANKS) for card in last)
    rank = max(ranks, key=lambda rank: (ranks[rank], -rank))
    now = sum(card % len(RANKS) == rank for card in position.row)
    return RANKS[rank], now if ranks[rank] >= _SWEEPERS else 0


def _last_tops(row: bytes, line: bytes) -> bytearray:
    """Return the top cards after a line, up to a deal or until few piles are left."""
    tops = bytearray(row)
    for origin, target in zip(line[::ACTION_BYTES], line[1::ACTION_BYTES], strict=True):
        if len(tops) <= _LAST_PILES or origin >= len(tops):
            break
        tops[target] = tops[origin]
        del tops[origin]
    return tops
