"""Compiling the kernels before anybody waits for them."""

from __future__ import annotations

from typing import Final

from service.engine.deals import deal
from service.engine.position import lay_out
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.solver import restarts, sampling
from service.solver.budget import Nodes
from service.solver.grading import measure
from service.solver.hint import hint
from service.solver.kernels import exhaustive_search, intervals, players
from service.solver.solve import solve

_KERNELS: Final = (
    exhaustive_search.explore,
    intervals.closable,
    intervals.clearable,
    players.play_all,
    restarts.restart,
    sampling.fewest_piles,
)
"""The kernels that Python calls; what they call is compiled with them."""


def is_compiled() -> bool:
    """Whether every kernel is compiled, by this process or by an earlier one.

    Tells whether ``warm`` will take a fraction of a second or some twenty.
    """
    return all(kernel.signatures or _is_cached(kernel) for kernel in _KERNELS)


def _is_cached(kernel: object) -> bool:
    """Whether the cache on disk has a kernel compiled from its present source."""
    return bool(kernel._cache._cache_file._load_index())  # type: ignore[attr-defined]  # noqa: SLF001


def warm() -> None:
    """Compile every kernel, or load it from the cache on disk.

    Solves a few positions, so that afterwards no search compiles anything.
    """
    for key in ("accordion", "push-pin", "decade"):
        ruleset = VARIANTS[key]
        cards = deal(ruleset, "warm").cards
        solve(lay_out(ruleset, cards, Layout.OPEN), Nodes(1))
    ruleset = VARIANTS["accordion"]
    cards = deal(ruleset, "warm").cards
    solve(lay_out(ruleset, cards[:16], Layout.OPEN), Nodes(10_000))
    measure(lay_out(ruleset, cards[:9], Layout.OPEN))
    position = lay_out(ruleset, cards, Layout.STOCK)
    while len(position.legal_moves) < 2:  # noqa: PLR2004
        position = position.deal()
    hint(position, Nodes(1), compulsory=True)
