"""Review games of simulated players, and count the proved turning points.

python -m tools.review_games --variant accordion --games 1000
"""

from __future__ import annotations

import argparse
import math
from statistics import mean, median
from time import thread_time_ns
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from service.engine.deals import deal
from service.engine.play import ACTION_BYTES, actions_of
from service.engine.position import Move, lay_out
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.solver import REVIEW_NODES, Nodes, review, warm
from service.solver.kernels.players import GREEDY, RANDOM, play_out
from service.solver.kernels.rules import rules_of

if TYPE_CHECKING:
    from service.engine.play import Action
    from service.engine.position import Position
    from service.engine.ruleset import Ruleset
    from service.solver import Review

PLAYERS = {"random": RANDOM, "greedy": GREEDY}
OUTCOMES = ("exact", "won", "lost deal", "open")


class Reviewed(NamedTuple):
    """The review of a game: its outcome, its time and its turning point."""

    outcome: str
    seconds: float
    piles: int
    accuracy: float | None


def play(ruleset: Ruleset, seed: int, skill: int) -> tuple[Position, bytes]:
    """Play a deal; return its first position and the moves."""
    dealt = deal(ruleset, str(seed))
    position = lay_out(ruleset, dealt.cards, Layout.OPEN, dealt.goal)
    rules = rules_of(ruleset, dealt.goal, compulsory=True)
    row = np.frombuffer(position.row, np.uint8).copy()
    line, noise = np.zeros((52, 2), np.int64), np.array([(seed << 20) + 2 * seed + 1])
    _, made = play_out(rules, row, len(row), 0, skill, noise, line)
    return position, line[:made].astype(np.uint8).tobytes()


def judge(ruleset: Ruleset, seed: int, skill: int, nodes: int) -> Reviewed:
    """Play a deal and review the game."""
    position, line = play(ruleset, seed, skill)
    started = thread_time_ns()
    found = review(position, line, Nodes(nodes))
    seconds = (thread_time_ns() - started) / 1e9
    piles = 0
    if found.turning_point is not None:
        for move in actions_of(line[: ACTION_BYTES * found.turning_point]):
            position = _after(position, move)
        piles = len(position.row)
    return Reviewed(_outcome(found), seconds, piles, found.accuracy)


def _after(position: Position, action: Action) -> Position:
    return position.apply(action) if isinstance(action, Move) else position.deal()


def _outcome(found: Review) -> str:
    if found.turning_point is not None:
        return "exact"
    if found.last_winnable == found.actions:
        return "won"
    return "lost deal" if found.first_lost == 0 else "open"


def report(name: str, games: list[Reviewed]) -> str:
    """Write the figures of one player as a row of a table."""
    counts = [sum(game.outcome == outcome for game in games) for outcome in OUTCOMES]
    exact, lost = counts[0], counts[0] + counts[3]
    piles = sorted(game.piles for game in games if game.outcome == "exact") or [0]
    times = sorted(game.seconds for game in games)
    accuracies = [game.accuracy for game in games if game.accuracy is not None]
    low, high = piles[len(piles) // 20], piles[-1 - len(piles) // 20]
    return " | ".join(
        [
            f"| {name}",
            *map(str, counts),
            f"{100 * exact / max(lost, 1):.1f}",
            f"{median(piles):.0f} ({low} to {high})",
            f"{mean(accuracies or [0]):.0f}",
            f"{mean(times):.3f}",
            f"{times[math.ceil(0.99 * len(times)) - 1]:.2f}",
            f"{times[-1]:.2f} |",
        ]
    )


def main() -> None:
    """Review the games and print a row for each player."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=VARIANTS, default="accordion")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=REVIEW_NODES)
    options = parser.parse_args()
    warm()
    ruleset = VARIANTS[options.variant]
    for name, skill in PLAYERS.items():
        seeds = range(options.first, options.first + options.games)
        games = [judge(ruleset, seed, skill, options.nodes) for seed in seeds]
        print(report(f"{ruleset.key}, {name}", games), flush=True)


if __name__ == "__main__":
    main()
