"""What a player may ask of a game, and what would become of its record then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from loadtests.ledger import Effect, keep, make, make_again, stop, take_back
from service.engine.cards import NAMES, parse_cards
from service.engine.position import Position
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

View = dict[str, Any]
"""A game as the service shows it."""

_LONGEST_BATCH = 8
_SMALLEST_DECK = 12
_HINT_MS = 20


@dataclass(frozen=True, slots=True)
class Wish:
    """A write that a player would have done.

    Attributes:
        route: the last part of its path.
        body: its body.
        effect: what it does to the actions of the game.
        exact: whether its effect is known only for the very version that was seen.
    """

    route: str
    body: dict[str, object] = field(default_factory=dict)
    effect: Effect = keep
    exact: bool = False


class _Offer(NamedTuple):
    """A kind of wish.

    Attributes:
        weight: how often it is chosen, in comparison with the others.
        fits: whether a game can be asked this.
        wish: makes one.
    """

    weight: float
    fits: Callable[[View], bool]
    wish: Callable[[View, Random], Wish]


HINT = Wish("hint", {"budget_ms": _HINT_MS})


def choose(view: View, dice: Random) -> Wish | None:
    """Choose what to do in a game; None where nothing can be done any more."""
    offers = [offer for offer in _OFFERS if offer.fits(view)]
    if not offers:
        return None
    weights = [offer.weight for offer in offers]
    return dice.choices(offers, weights)[0].wish(view, dice)


def new_game(dice: Random) -> dict[str, object]:
    """Choose a game to start: any variant, layout, options and kind of deal."""
    ruleset = dice.choice(list(VARIANTS.values()))
    body: dict[str, object] = {"variant": ruleset.key}
    options: dict[str, object] = {
        "compulsory": dice.random() < 0.2,  # noqa: PLR2004 - a share
        "undo": dice.choices(["unlimited", "none"], [5, 1])[0],
    }
    kind = dice.choice(["seed", "random", "deck", "daily"])
    if kind == "seed":
        body["seed"] = f"soak {dice.getrandbits(64)}"
    elif kind == "deck" and ruleset.pins is None:
        size = dice.randint(_SMALLEST_DECK, ruleset.deck_size)
        deck = body["deck"] = dice.sample(NAMES, size)
        if ruleset.names_goal:
            body["goal_card"] = dice.choice(deck[2:])
    # The deal of the day hides its seed for the day where it is dealt from a stock.
    if kind == "daily" and ruleset.layout is Layout.OPEN:
        body["daily"] = True
    else:
        options["layout"] = dice.choice(["open", "stock"])
    if dice.random() < 0.5:  # noqa: PLR2004 - a share
        body["player"] = f"player {dice.randrange(100)}"
    return body | {"options": options}


def _move(view: View, dice: Random) -> Wish:
    move = dice.choice(view["legal_moves"])
    return Wish("moves", move, make(_text(move)))


def _tap(view: View, dice: Random) -> Wish:
    origin, target = dice.choice(_taps(view))
    return Wish("moves", {"from": origin}, make(f"{origin}-{target}"), exact=True)


def _taps(view: View) -> list[tuple[int, int]]:
    """The moves of piles that have no other."""
    ends = [(move["from"], move["to"]) for move in view["legal_moves"]]
    origins = [origin for origin, _ in ends]
    return [(origin, to) for origin, to in ends if origins.count(origin) == 1]


def _batch(view: View, dice: Random) -> Wish:
    ruleset = VARIANTS[view["variant"]]
    row, heights = parse_cards(view["row"]), bytes(view["heights"])
    position = Position(ruleset, row, heights)
    steps: list[dict[str, int]] = []
    texts: list[str] = []
    for _ in range(dice.randint(1, _LONGEST_BATCH)):
        if not position.can_move or len(position.row) <= ruleset.goal_length:
            break
        move = dice.choice(position.legal_moves)
        position = position.apply(move)
        steps.append({"from": move.origin, "to": move.target})
        texts.append(f"{move.origin}-{move.target}")
    if view["stock"] and not (view["options"]["compulsory"] and position.can_move):
        steps.append({"deal": 1})
        texts.append("deal")
    return Wish("moves", {"moves": steps}, make(*texts), exact=True)


def _deal(view: View, dice: Random) -> Wish:
    stock = view["stock"]
    if view["options"]["compulsory"]:
        return Wish("deal", {}, make("deal"))
    if dice.random() < 0.05:  # noqa: PLR2004 - a share
        return Wish("deal", {"count": "all"}, make(*["deal"] * stock), exact=True)
    count = dice.randint(1, min(3, stock))
    return Wish("deal", {"count": count}, make(*["deal"] * count))


def _undo(view: View, dice: Random) -> Wish:
    most = 2 if view["moves"] > 1 else 1
    return _some("undo", dice.choice([1, most, most, None]), take_back)


def _redo(_view: View, dice: Random) -> Wish:
    return _some("redo", dice.choice([1, 1, None]), make_again)


def _some(
    route: str, count: int | None, effect: Callable[[int | None], Effect]
) -> Wish:
    return Wish(route, {"count": "all" if count is None else count}, effect(count))


def _text(move: dict[str, int]) -> str:
    return f"{move['from']}-{move['to']}"


def _is_open(view: View) -> bool:
    return view["status"] in {"playing", "lost"}


_OFFERS = (
    _Offer(6, lambda view: bool(view["legal_moves"]), _move),
    _Offer(3, lambda view: bool(_taps(view)), _tap),
    _Offer(3, lambda view: bool(view["legal_moves"]), _batch),
    _Offer(6, lambda view: bool(view["can_deal"]), _deal),
    _Offer(1, lambda view: bool(view["can_undo"]), _undo),
    _Offer(2, lambda view: bool(view["can_redo"]), _redo),
    _Offer(0.2, _is_open, lambda _view, _dice: Wish("finish", effect=stop)),
)
