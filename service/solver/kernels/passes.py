"""The end of a pass: moves to a short row, and the exhaustive search of that row.

All functions are for variants that stack or remove pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from numba import njit

from service.solver.kernels.endgame import solve_endgame
from service.solver.kernels.heuristic_search import make_best_moves
from service.solver.kernels.outcomes import UNFINISHED, WON
from service.solver.kernels.rules import REMOVE_PAIR

if TYPE_CHECKING:
    from service.solver.kernels.endgame import EndgameWorkspace
    from service.solver.kernels.heuristic_state import HeuristicState, Weights
    from service.solver.kernels.rules import Rules

_ENDGAME_NODES: Final = 4096
"""The most rows examined in the search of a row that is short from the start."""


@njit(nogil=True)
def _append_endgame(
    rules: Rules, work: EndgameWorkspace, size: int, state: HeuristicState, made: int
) -> int:
    """Append the moves that won a short row to the moves of its pass."""
    step = 2 if rules.effect == REMOVE_PAIR else 1
    for length in range(size - step, rules.goal_length - 1, -step):
        state.origins[made] = work.path[length] // 64
        state.targets[made] = work.path[length] % 64
        made += 1
    return made


@njit(nogil=True)
def search_short(
    rules: Rules, state: HeuristicState, size: int, made: int, work: EndgameWorkspace
) -> tuple[int, int, int]:
    """Search exhaustively a row that is short from the start.

    Args:
        rules: The variant.
        state: Contains the row; after a win, the moves are appended.
        size: The number of cards, at most ``MAX_ENDGAME_LENGTH``.
        made: The number of moves made before.
        work: Overwritten.

    Returns:
        ``WON``, ``LOST`` (proved) or ``UNFINISHED``, the number of moves made, and
        the rows examined.
    """
    limit = min(1 << size, _ENDGAME_NODES)
    outcome, nodes = solve_endgame(rules, state.row, size, limit, work)
    if outcome == WON:
        made = _append_endgame(rules, work, size, state, made)
    return outcome, made, nodes


@njit(nogil=True)
def finish_pass(
    rules: Rules,
    weights: Weights,
    state: HeuristicState,
    size: int,
    made: int,
    noise: float,
    limit: int,
    work: EndgameWorkspace,
) -> tuple[int, int, int]:
    """Make the best-valued moves, and search the short row that they lead to.

    Args:
        rules: The variant.
        weights: The weights of the value.
        state: Contains the row; the moves are made in it and appended.
        size: The number of cards.
        made: The number of moves made before.
        noise: The width of the noise added to each value.
        limit: The number of rows that the exhaustive search may examine.
        work: Overwritten.

    Returns:
        ``WON`` or ``UNFINISHED``, the number of moves made (those of the exhaustive
        search only after a win), and the rows examined.
    """
    short = min(int(weights.stop), size)
    left, made, nodes = make_best_moves(rules, weights, state, size, made, short, noise)
    if left > short:
        return UNFINISHED, made, nodes + 1
    outcome, examined = solve_endgame(rules, state.row, left, limit, work)
    nodes += examined
    if outcome != WON:
        return UNFINISHED, made, nodes
    return WON, _append_endgame(rules, work, left, state, made), nodes
