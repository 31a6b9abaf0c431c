"""The writes that the players of a soak test choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from loadtests.game_log import Effect, append, finish, redo, undo
from service.engine.cards import NAMES, parse_cards
from service.engine.position import Position
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

Game = dict[str, Any]
"""A game as a response shows it."""

_LONGEST_BATCH = 8
_SMALLEST_DECK = 12


class Write(NamedTuple):
    """A write of a game."""

    name: str  # the last part of the path
    body: dict[str, Any]
    effect: Effect | None  # on the history of the game; None if it makes no version
    needs_version: bool = False  # the effect is known only for the version seen


HINT = Write("hint", {"budget_ms": 20}, None)


def choose_write(game: Game, random: Random) -> Write | None:
    """Choose a write that the game allows; None if it allows none."""
    choices = {
        _move: 6 * bool(game["legal_moves"]),
        _tap: 3 * bool(_single_targets(game)),
        _batch: 3 * bool(game["legal_moves"]),
        _deal: 6 * game["can_deal"],
        _undo: game["can_undo"],
        _redo: 2 * game["can_redo"],
        _finish: 0.2 * (game["status"] in {"playing", "lost"}),
    }
    if not any(choices.values()):
        return None
    (choose,) = random.choices(list(choices), list(choices.values()))
    return choose(game, random)


def choose_new_game(random: Random) -> dict[str, object]:
    """Choose the body that creates a game: any variant, options and kind of deal."""
    ruleset = random.choice(list(VARIANTS.values()))
    body: dict[str, object] = {"variant": ruleset.key}
    options: dict[str, object] = {
        "undo": random.choices(["unlimited", "none"], [5, 1])[0]
    }
    kind = random.choice(["seed", "random", "deck", "daily"])
    if kind == "seed":
        body["seed"] = f"soak {random.getrandbits(64)}"
    elif kind == "deck" and ruleset.pins is None:
        size = random.randint(_SMALLEST_DECK, ruleset.deck_size)
        deck = body["deck"] = random.sample(NAMES, size)
        if ruleset.names_goal:
            body["goal_card"] = random.choice(deck[2:])
    # A daily game in the stock layout hides its seed even when it is finished.
    if kind == "daily" and ruleset.layout is Layout.OPEN:
        body["daily"] = True
    else:
        options["layout"] = layout = random.choice(["open", "stock"])
        options["compulsory"] = layout == "stock" and random.random() < 0.4  # noqa: PLR2004
    if random.choice([True, False]):
        body["player"] = f"player {random.randrange(100)}"
    return body | {"options": options}


def _move(game: Game, random: Random) -> Write:
    move = random.choice(game["legal_moves"])
    return Write("moves", move, append(f"{move['from']}-{move['to']}"))


def _tap(game: Game, random: Random) -> Write:
    origin, target = random.choice(_single_targets(game))
    return Write("moves", {"from": origin}, append(f"{origin}-{target}"), True)  # noqa: FBT003


def _single_targets(game: Game) -> list[tuple[int, int]]:
    """The moves of the piles that have only one."""
    moves = [(move["from"], move["to"]) for move in game["legal_moves"]]
    origins = [origin for origin, _ in moves]
    return [(origin, target) for origin, target in moves if origins.count(origin) == 1]


def _batch(game: Game, random: Random) -> Write:
    ruleset = VARIANTS[game["variant"]]
    position = Position(ruleset, parse_cards(game["row"]), bytes(game["heights"]))
    steps: list[dict[str, int]] = []
    actions: list[str] = []
    for _ in range(random.randint(1, _LONGEST_BATCH)):
        if not position.can_move or len(position.row) <= ruleset.goal_length:
            break
        move = random.choice(position.legal_moves)
        position = position.apply(move)
        steps.append({"from": move.origin, "to": move.target})
        actions.append(f"{move.origin}-{move.target}")
    if game["stock"] and not (game["options"]["compulsory"] and position.can_move):
        steps.append({"deal": 1})
        actions.append("deal")
    return Write("moves", {"moves": steps}, append(*actions), needs_version=True)


def _deal(game: Game, random: Random) -> Write:
    if game["options"]["compulsory"]:
        return Write("deal", {}, append("deal"))
    stock = game["stock"]
    if random.random() < 0.05:  # noqa: PLR2004 - a share
        actions = append(*["deal"] * stock)
        return Write("deal", {"count": "all"}, actions, needs_version=True)
    count = random.randint(1, min(3, stock))
    return Write("deal", {"count": count}, append(*["deal"] * count))


def _undo(game: Game, random: Random) -> Write:
    several = 2 if game["moves"] > 1 else 1
    return _write_with_count("undo", random.choice([1, several, several, None]), undo)


def _redo(_game: Game, random: Random) -> Write:
    return _write_with_count("redo", random.choice([1, 1, None]), redo)


def _write_with_count(
    name: str, count: int | None, effect: Callable[[int | None], Effect]
) -> Write:
    return Write(name, {"count": "all" if count is None else count}, effect(count))


def _finish(_game: Game, _random: Random) -> Write:
    return Write("finish", {}, finish)
