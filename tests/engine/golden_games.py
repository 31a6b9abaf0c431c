"""Write or check the golden games and the counts of every variant.

    python -m tests.engine.golden_games [--check]

A golden game is a whole game, step by step, as the engine played it when the file was
written. Each variant has random games in both layouts, with and without compulsory
moves, and a won game. A count is the number of sequences of actions of each length from
the start of a game. The files are in tests/engine/golden; they change only when the
rules change.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from service.engine.cards import name_cards
from service.engine.deals import deal
from service.engine.play import Deal, DealRequest, Options, Status, actions_of, start
from service.engine.ruleset import Layout
from service.engine.scoring import rate, score
from service.engine.variants import VARIANTS
from service.games.records import action_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.engine.play import Play
    from service.engine.position import Position
    from service.engine.ruleset import Ruleset

FOLDER = Path(__file__).with_name("golden")
COUNTS = FOLDER / "perft.json"
SEED = "golden"
DEPTHS = {Layout.OPEN: 4, Layout.STOCK: 10}
"""The greatest length of the counted sequences."""
WIDTH = 60
"""The number of rows of each length that the search for a won game keeps."""


def begin(ruleset: Ruleset, seed: str, options: Options) -> Play:
    """Start the game of a seed."""
    dealt = deal(ruleset, seed)
    return start(ruleset, dealt.cards, options, dealt.goal)


def describe(play: Play) -> dict[str, object]:
    """Describe the position after a step, as the files of golden games have it."""
    return {
        "row": " ".join(name_cards(play.position.row)),
        "status": play.status,
        "score": score(play, None),
        "rating": rate(play),
    }


def count_sequences(position: Position, depth: int) -> list[int]:
    """Count the sequences of moves and deals of length 1 to ``depth``."""
    counts: list[int] = []
    level = Counter([position])
    while True:
        counts.append(sum(ways * _count_actions(one) for one, ways in level.items()))
        if len(counts) == depth:
            return counts
        following: Counter[Position] = Counter()
        for one, ways in level.items():
            for after in _after(one):
                following[after] += ways
        level = following


def _count_actions(position: Position) -> int:
    return len(position.legal_moves) + bool(position.stock)


def _after(position: Position) -> Iterator[Position]:
    yield from map(position.apply, position.legal_moves)
    if position.stock:
        yield position.deal()


def play_at_random(play: Play) -> Play:
    """Play until no action is left; deals and moves are equally likely."""
    rng = random.Random(SEED)
    while play.legal_moves or play.can_deal:
        if play.can_deal and (not play.legal_moves or rng.choice((True, False))):
            play = play.deal()
        else:
            play = play.move(rng.choice(play.legal_moves))
    return play


def find_win(play: Play) -> Play | None:
    """Deal all cards, then search for a win among the rows with the most moves."""
    level = [play.run([DealRequest(None)] if play.can_deal else [])]
    while level:
        following: dict[bytes, Play] = {}
        for one in level:
            if one.status is Status.WON:
                return one
            for move in one.legal_moves:
                after = one.move(move)
                following.setdefault(after.position.row, after)
        best = sorted(following.values(), key=_count_moves, reverse=True)
        level = best[:WIDTH]
    return None


def _count_moves(play: Play) -> int:
    return len(play.legal_moves)


def play_golden(ruleset: Ruleset) -> list[dict[str, object]]:
    """Play the golden games of a variant."""
    games = [
        _steps_of(SEED, play_at_random(begin(ruleset, SEED, options)))
        for options in (
            Options(Layout.OPEN),
            Options(Layout.STOCK),
            Options(Layout.STOCK, compulsory=True),
        )
    ]
    seeds = map(str, count())
    options = Options(ruleset.layout)
    tries = ((seed, find_win(begin(ruleset, seed, options))) for seed in seeds)
    return [*games, next(_steps_of(seed, won) for seed, won in tries if won)]


def _steps_of(seed: str, end: Play) -> dict[str, object]:
    play = begin(end.ruleset, seed, end.options)
    steps = [{"action": None, **describe(play)}]
    for action in actions_of(end.done):
        play = play.run([DealRequest() if isinstance(action, Deal) else action])
        steps.append({"action": action_text(action), **describe(play)})
    return {
        "seed": seed,
        "layout": play.options.layout,
        "compulsory": play.options.compulsory,
        "steps": steps,
    }


def count_all(ruleset: Ruleset) -> dict[str, list[int]]:
    """Count the sequences of a variant, by layout."""
    return {
        layout: count_sequences(begin(ruleset, SEED, Options(layout)).position, depth)
        for layout, depth in DEPTHS.items()
    }


def texts() -> Iterator[tuple[Path, str]]:
    """Yield the path and the text of every file."""
    for key, ruleset in VARIANTS.items():
        yield FOLDER / f"{key}.json", _format(play_golden(ruleset))
    counts = {key: count_all(ruleset) for key, ruleset in VARIANTS.items()}
    yield COUNTS, json.dumps(counts, indent=1) + "\n"


def _format(games: list[dict[str, object]]) -> str:
    """Format games as JSON with a line for each step."""
    whole = json.dumps(games, ensure_ascii=False)
    for before, after in (
        ('[{"seed"', '[\n{"seed"'),
        (", {", ",\n{"),
        ("}]}", "}\n]}"),
    ):
        whole = whole.replace(before, after)
    return whole + "\n"


def main() -> int:
    """Write the files; with ``--check``, only name those that would change."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    stale = 0
    for path, text in texts():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(f"{path.name} {'differs' if check else 'written'}")  # noqa: T201
        if not check:
            path.write_text(text, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
