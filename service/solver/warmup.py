"""Compilation of the kernels before a request needs them."""

from __future__ import annotations

from typing import Final

from service.engine.deals import deal
from service.engine.position import lay_out
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.solver import compile_cache, judging, restarts, sampling
from service.solver.analyse import analyse
from service.solver.budget import Nodes
from service.solver.grading import measure
from service.solver.hint import hint
from service.solver.kernels import (
    exhaustive_search,
    intervals,
    known_lines,
    moves,
    players,
    row_table,
)
from service.solver.kernels.rules import rules_of

KERNELS: Final = (
    exhaustive_search.explore,
    exhaustive_search.invalidate_path,
    row_table.rehash,
    intervals.find_closable,
    intervals.find_clearable,
    intervals.find_run_sums,
    intervals.completed_run_length,
    players.play_all,
    restarts.search_with_restarts,
    known_lines.store_line,
    moves.wins,
    judging.judge_moves,
    judging.are_sound,
    sampling.fewest_piles,
)
"""The kernels called from Python; those that they call are compiled with them."""

compile_cache.use_cache(KERNELS)


def is_compiled() -> bool:
    """Whether every kernel is compiled, by this process or by an earlier one.

    If so, ``warm`` takes a fraction of a second, else about twenty seconds.
    """
    return all(kernel.signatures for kernel in KERNELS) or are_kernels_cached()


def are_kernels_cached() -> bool:
    """Whether the cache on disk contains every kernel, for the next process."""
    return compile_cache.is_cached(KERNELS)


def warm() -> None:
    """Compile every kernel, or load it from the cache on disk, by solving positions."""
    for key in ("accordion", "late-binding", "push-pin", "decade"):
        ruleset = VARIANTS[key]
        cards = deal(ruleset, "warm").cards
        analyse(lay_out(ruleset, cards, Layout.OPEN), Nodes(20_000))
    ruleset = VARIANTS["accordion"]
    measure(lay_out(ruleset, deal(ruleset, "warm").cards[:9], Layout.OPEN))
    exhaustive_search.ExhaustiveSearch(rules_of(ruleset, None), b"\0").restart(b"\1")
    position = lay_out(ruleset, deal(ruleset, "warm").cards, Layout.STOCK)
    while len(position.legal_moves) < 2:  # noqa: PLR2004
        position = position.deal()
    hint(position, Nodes(1), compulsory=True)
