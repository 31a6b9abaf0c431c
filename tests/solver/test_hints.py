"""Hints are legal, use no hidden cards, have reasons, and win if followed."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.engine.deals import deal
from service.engine.play import DEAL, encode_action
from service.engine.position import Move, Position, lay_out
from service.engine.ruleset import Layout, Ruleset
from service.engine.variants import VARIANTS
from service.solver import Hint, HintCode, Nodes, Verdict, follow, hint, solve
from tests.solver.plain_search import can_win, make_position, rows

every_variant = pytest.mark.parametrize(
    "ruleset", VARIANTS.values(), ids=list(VARIANTS)
)
FIGURES = {
    HintCode.SWEEPERS: {"rank", "count"},
    HintCode.FREES: {"count"},
    HintCode.COVERS: {"card", "count"},
    HintCode.CLEARS: {"count"},
    HintCode.BEST_ODDS: {"wins", "samples"},
    HintCode.FEWEST_PILES: {"piles", "samples"},
}


def after(position: Position, hinted: Hint) -> Position:
    if isinstance(hinted.action, Move):
        return position.apply(hinted.action)
    return position.deal()


@every_variant
@given(data=st.data())
def test_hints_are_legal_and_their_verdicts_are_right(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    position = make_position(ruleset, data.draw(rows(ruleset)))
    hinted = hint(position)
    assert set(hinted.data) == FIGURES.get(hinted.reason, set())
    if hinted.action is None:
        assert position.legal_moves == ()
        assert (hinted.verdict is Verdict.WINNABLE) == position.is_won
    else:
        assert hinted.action in position.legal_moves
        winnable = can_win(position)
        assert (hinted.verdict is Verdict.WINNABLE) == winnable
        assert (hinted.verdict is Verdict.UNWINNABLE) != winnable
    if hinted.verdict is Verdict.WINNABLE and hinted.action is not None:
        assert hinted.line.startswith(encode_action(hinted.action))
        assert can_win(after(position, hinted))


@pytest.mark.parametrize("layout", Layout)
@pytest.mark.parametrize("key", ["accordion", "bayan", "royal-marriage"])
def test_following_hints_wins(key: str, layout: Layout) -> None:
    ruleset = VARIANTS[key]
    deals = [lay_out(ruleset, deal(ruleset, str(n)).cards, layout) for n in range(12)]
    winnable = [p for p in deals if solve(p).verdict is Verdict.WINNABLE]
    assert len(winnable) >= 10
    for position in winnable:
        reasons = follow_to_win(position)
        assert HintCode.FINISHES in reasons
        assert (HintCode.DEAL_FIRST in reasons) == (layout is Layout.STOCK)


def follow_to_win(position: Position) -> set[HintCode]:
    """Follow the hints to the win, as a game does; return their reasons."""
    reasons = set()
    line = b""
    while not position.is_won:
        hinted = follow(position, line) if line else hint(position)
        reasons.add(hinted.reason)
        line = hinted.line[2:]
        position = after(position, hinted)
    return reasons


@settings(max_examples=20)
@given(seed=st.integers(1, 50), order=st.randoms(use_true_random=False))
@pytest.mark.parametrize("compulsory", [False, True])
@pytest.mark.parametrize("key", ["accordion", "royal-marriage"])
def test_hints_do_not_depend_on_the_order_of_hidden_cards(
    key: str, seed: int, order: Random, *, compulsory: bool
) -> None:
    ruleset = VARIANTS[key]
    position = lay_out(ruleset, deal(ruleset, str(seed)).cards, Layout.STOCK)
    while len(position.row) < 12 and len(position.legal_moves) < 2:
        position = position.deal()
    hidden = list(position.stock)
    last = len(hidden) - (ruleset.pins is not None)
    shuffled = hidden[:last]
    order.shuffle(shuffled)
    other = Position(
        ruleset, position.row, position.heights, bytes(shuffled + hidden[last:])
    )
    hints = [hint(p, Nodes(20_000), compulsory=compulsory) for p in (position, other)]
    assert hints[0] == hints[1]


def test_a_compulsory_hint_prefers_what_wins_more_often() -> None:
    # 4D onto 4S leaves KD a move; KD onto 4D leaves none (the example of the rules).
    ruleset = VARIANTS["accordion"]
    row = make_position(ruleset, bytes([42, 32, 11, 16, 25]), bytes([51]))
    wins = {move: can_win(row.apply(move), compulsory=True) for move in row.legal_moves}
    hinted = hint(row, compulsory=True)
    assert isinstance(hinted.action, Move)
    assert wins[hinted.action] == any(wins.values())


def test_a_deal_is_the_only_action() -> None:
    ruleset = VARIANTS["accordion"]
    position = make_position(ruleset, b"\x00", b"\x0e")
    assert hint(position, compulsory=True).action is DEAL
    assert hint(position, compulsory=True).reason is HintCode.ONLY_ACTION
    assert hint(position).reason is HintCode.DEAL_FIRST


@pytest.mark.parametrize("compulsory", [False, True])
def test_an_unsolved_position_still_gets_an_action(*, compulsory: bool) -> None:
    ruleset = VARIANTS["accordion"]
    cards = deal(ruleset, "1").cards
    hidden = 20 * compulsory
    position = make_position(ruleset, cards[: 52 - hidden], cards[52 - hidden :])
    hinted = hint(position, Nodes(0), compulsory=compulsory)
    assert hinted.verdict is Verdict.UNKNOWN
    assert hinted.reason is HintCode.BEST_GUESS
    assert hinted.action in position.legal_moves
