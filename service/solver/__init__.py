"""The solver: verdicts that are proofs, lines that win, hints, analyses.

Everything takes a position of the engine and a budget, ``Nodes(n)`` or
``Milliseconds(ms, clock)``, and is the same each time for the same position,
nodes and seed::

    solve(position, Nodes(100_000)) -> Solution
    hint(position, Milliseconds(250, time.monotonic)) -> Hint
    analyse(position, budget) -> Analysis

With ``compulsory=True`` moves are compulsory. ``solve`` reads the stock in its
true order; ``hint`` never looks at that order, so its answer gives nothing
away. ``warm()`` compiles the kernels, or loads them from their cache, and
belongs before a server forks; ``is_compiled()`` tells beforehand whether that
will be quick.
"""
