"""The solver: verdicts that are proofs, lines that win, hints, analyses.

Everything takes a position of the engine and a budget, ``Nodes(n)`` or
``Milliseconds(ms, clock)``, and is the same each time for the same position,
nodes and seed::

    solve(position, Nodes(100_000)) -> Solution
    hint(position, Milliseconds(250, time.monotonic)) -> Hint
    follow(position, line) -> Hint             # a line known to win: no search
    analyse(position, budget) -> Analysis
    review(start, line, budget) -> Review
    measure(position) -> Measure               # how difficult a deal is

With ``compulsory=True`` moves are compulsory. ``solve`` reads the stock in its
true order; ``hint`` never looks at that order, so its answer gives nothing
away. ``warm()`` compiles the kernels, or loads them from their cache, and
belongs before a server forks; ``is_compiled()`` tells beforehand whether that
will be quick.
"""

from service.solver.compile_cache import use_cache_of_these_sources

use_cache_of_these_sources()  # before the kernels are made

# ruff: noqa: E402
from service.solver.analyse import analyse
from service.solver.budget import Budget, Milliseconds, Nodes
from service.solver.grading import (
    GRADING,
    Grade,
    Measure,
    grade_of,
    grades_of,
    measure,
)
from service.solver.hint import follow, hint
from service.solver.review import REVIEW_NODES, Review, review
from service.solver.solve import DEFAULT_NODES, UnsoundLineError, solve
from service.solver.verdict import (
    Analysis,
    Hint,
    Judgement,
    Reason,
    Solution,
    Verdict,
)
from service.solver.warmup import is_compiled, warm

__all__ = [
    "DEFAULT_NODES",
    "GRADING",
    "REVIEW_NODES",
    "Analysis",
    "Budget",
    "Grade",
    "Hint",
    "Judgement",
    "Measure",
    "Milliseconds",
    "Nodes",
    "Reason",
    "Review",
    "Solution",
    "UnsoundLineError",
    "Verdict",
    "analyse",
    "follow",
    "grade_of",
    "grades_of",
    "hint",
    "is_compiled",
    "measure",
    "review",
    "solve",
    "warm",
]
