"""The solver: proved verdicts, lines that win, hints and analyses.

Every search takes a position of the engine and a budget, ``Nodes(n)`` or
``Milliseconds(ms, clock)``. With the same position, nodes and seed, the result is
always the same::

    solve(position, Nodes(100_000)) -> Solution
    hint(position, Milliseconds(250, time.monotonic)) -> Hint
    follow(position, line) -> Hint             # a line known to win: no search
    analyse(position, budget) -> Analysis
    review(start, line, budget) -> Review
    measure(position) -> Measure               # how difficult a deal is

With ``compulsory=True``, moves are compulsory. ``solve`` reads the stock in its true
order; ``hint`` never reads that order, so it reveals no hidden card.

``warm()`` compiles the kernels, or loads them from a cache on disk: call it before a
server forks. ``is_compiled()`` returns whether that takes less than a second;
``are_kernels_cached()``, called afterwards, whether it will in the next process.
"""

from service.solver.analyse import analyse
from service.solver.budget import Budget, Milliseconds, NodeLimit, Nodes
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
    HintCode,
    Judgement,
    Solution,
    Verdict,
)
from service.solver.warmup import are_kernels_cached, is_compiled, warm

__all__ = [
    "DEFAULT_NODES",
    "GRADING",
    "REVIEW_NODES",
    "Analysis",
    "Budget",
    "Grade",
    "Hint",
    "HintCode",
    "Judgement",
    "Measure",
    "Milliseconds",
    "NodeLimit",
    "Nodes",
    "Review",
    "Solution",
    "UnsoundLineError",
    "Verdict",
    "analyse",
    "are_kernels_cached",
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
