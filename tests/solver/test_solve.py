"""The public functions: `solve`, `analyse`, and budgets."""

import sys
from itertools import chain, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.dispatcher import Dispatcher

from service.engine.cards import parse_cards
from service.engine.deals import deal
from service.engine.errors import DeckError
from service.engine.play import actions_of
from service.engine.position import Move, Position, lay_out
from service.engine.ruleset import Layout, Ruleset
from service.engine.variants import VARIANTS
from service.solver import (
    Milliseconds,
    NodeLimit,
    Nodes,
    Verdict,
    analyse,
    hint,
    is_compiled,
    solve,
    warm,
)
from tests.hard_rows import HARD_ROWS
from tests.solver.plain_search import can_win, make_position, rows

every_variant = pytest.mark.parametrize(
    "ruleset", VARIANTS.values(), ids=list(VARIANTS)
)


def replay(position: Position, line: bytes) -> Position:
    for action in actions_of(line):
        position = (
            position.apply(action) if isinstance(action, Move) else position.deal()
        )
    return position


@every_variant
@given(data=st.data())
def test_verdicts_agree_with_plain_search_and_lines_win(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    row = data.draw(rows(ruleset))
    dealt = data.draw(st.integers(1, len(row)))
    position = make_position(ruleset, row[:dealt], row[dealt:])
    compulsory = data.draw(st.booleans())
    solution = solve(position, compulsory=compulsory)
    winnable = can_win(position, compulsory=compulsory)
    assert solution.verdict is (Verdict.WINNABLE if winnable else Verdict.UNWINNABLE)
    if winnable:
        assert replay(position, solution.line).is_won
    else:
        assert solution.line == b""


@every_variant
@given(data=st.data())
def test_analysis_judges_each_move_as_plain_search_does(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    position = make_position(ruleset, data.draw(rows(ruleset, most=8)))
    analysis = analyse(position)
    assert [judged.move for judged in analysis.moves] == list(position.legal_moves)
    for judged in analysis.moves:
        winnable = can_win(position.apply(judged.move))
        assert judged.verdict is (Verdict.WINNABLE if winnable else Verdict.UNWINNABLE)


@every_variant
def test_whole_deals_are_won_by_their_lines(ruleset: Ruleset) -> None:
    won = 0
    for seed in range(1, 16):
        dealt = deal(ruleset, str(seed))
        for layout in Layout:
            position = lay_out(ruleset, dealt.cards, layout, dealt.goal)
            solution = solve(position)
            if solution.verdict is Verdict.WINNABLE:
                assert replay(position, solution.line).is_won
                won += 1
    assert won > 0


@every_variant
@pytest.mark.parametrize("nodes", [0, 1, 100])
def test_a_spent_budget_gives_no_wrong_verdict(ruleset: Ruleset, nodes: int) -> None:
    dealt = deal(ruleset, "1")
    position = lay_out(ruleset, dealt.cards, Layout.OPEN, dealt.goal)
    short, long = solve(position, Nodes(nodes)), solve(position)
    assert short.verdict in {Verdict.UNKNOWN, long.verdict}


def test_the_same_nodes_and_seed_give_the_same_solution() -> None:
    ruleset = VARIANTS["accordions-revenge"]
    dealt = deal(ruleset, "3")
    position = lay_out(ruleset, dealt.cards, Layout.OPEN, dealt.goal)
    first, second = (solve(position, Nodes(10**6), seed=5) for _ in range(2))
    assert first == second


def test_time_is_checked_between_slices_and_ends_the_search() -> None:
    ruleset = VARIANTS["late-binding"]
    unwinnable = lay_out(ruleset, deal(ruleset, "9").cards, Layout.OPEN)
    times = chain([0.0, 0.0, 0.0], repeat(9.9))
    budget = Milliseconds(1000, lambda: next(times))
    assert budget.slice() > 0
    part = Milliseconds(1000, lambda: 0.0).part(4)
    assert part.allowance == pytest.approx(250)
    whole = solve(unwinnable)
    hasty = solve(unwinnable, budget)
    assert hasty.nodes <= whole.nodes
    assert hasty.verdict in {Verdict.UNKNOWN, whole.verdict}


def test_parts_of_a_budget_spend_the_whole() -> None:
    whole = Nodes(100)
    half = whole.part(2)
    half.spend(60)
    assert (half.slice(), whole.slice()) == (0, 40)


def test_a_limit_of_nodes_ends_a_budget() -> None:
    limit = NodeLimit(Nodes(1000), 100)
    limit.spend(60)
    assert (limit.slice(), limit.is_reached) == (40, False)
    limit.spend(50)
    assert (limit.slice(), limit.is_reached) == (0, True)


def test_a_part_that_exceeds_its_share_ends_the_whole() -> None:
    whole = NodeLimit(Nodes(1000), 100)
    first, second = whole.part(2), whole.part(2)
    assert (first.slice(), second.slice()) == (50, 50)
    first.spend(60)
    assert whole.slice() == 40
    assert first.slice() == 0
    assert whole.is_reached
    assert (second.slice(), whole.slice()) == (0, 0)


def test_a_part_is_never_too_small_to_be_spent() -> None:
    whole = NodeLimit(Nodes(1000), 100)
    part = whole.part(3)
    part.spend(33)
    assert part.slice() == 1
    part.spend(1)
    assert (part.slice(), whole.is_reached) == (0, True)


def test_a_budget_that_is_spent_first_does_not_reach_the_limit() -> None:
    limit = NodeLimit(Nodes(100), 100)
    limit.spend(120)
    assert (limit.slice(), limit.part(2).slice()) == (0, 0)
    assert not limit.is_reached


def test_a_goal_card_that_is_covered_is_lost_at_once() -> None:
    revenge = VARIANTS["accordions-revenge"]
    cards = deal(revenge, "1").cards
    position = Position(revenge, cards[:30], b"\x01" * 30, b"", cards[40])
    assert solve(position, Nodes(0)).verdict is Verdict.UNWINNABLE


def test_a_won_position_has_an_empty_line() -> None:
    position = make_position(VARIANTS["accordion"], b"\x07")
    assert solve(position) == solve(position, Nodes(0))
    assert solve(position).verdict is Verdict.WINNABLE
    assert solve(position).line == b""


@pytest.mark.parametrize("row", [b"\x01\x01", b"\x01\x40"])
def test_invalid_rows_are_refused(row: bytes) -> None:
    with pytest.raises(DeckError):
        solve(make_position(VARIANTS["accordion"], row))


def kernel_counts() -> dict[str, int]:
    """The signatures that each kernel of the solver is compiled for in this process."""
    return {
        f"{name}.{key}": len(value.signatures)
        for name, module in sys.modules.items()
        if name.startswith("service.solver.")
        for key, value in vars(module).items()
        if isinstance(value, Dispatcher)
    }


def test_no_search_compiles_anything_once_warm() -> None:
    warm()
    assert is_compiled()
    before = kernel_counts()
    for ruleset in VARIANTS.values():
        dealt = deal(ruleset, "2")
        position = lay_out(ruleset, dealt.cards, Layout.OPEN, dealt.goal)
        analyse(position, Nodes(100_000))
        hint(position, Nodes(10_000))
        stock = lay_out(ruleset, dealt.cards, Layout.STOCK, dealt.goal)
        while stock.stock and len(stock.legal_moves) < 2:
            stock = stock.deal()
        solve(stock, Nodes(10_000), compulsory=True)
        hint(stock, Nodes(10_000), compulsory=True)
    analyse(
        make_position(VARIANTS["accordion"], parse_cards(HARD_ROWS[0])), Nodes(100_000)
    )
    assert kernel_counts() == before
