"""The kernels follow the same rules as the engine, within their bounds."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.engine.deals import deal
from service.engine.errors import IllegalMoveError
from service.engine.play import play_line
from service.engine.position import Position
from service.engine.ruleset import Effect, Ruleset, Runs
from service.engine.variants import VARIANTS
from service.solver import Verdict, solve
from service.solver.kernels import exhaustive_search, row_table
from service.solver.kernels.endgame import solve_endgame, workspace
from service.solver.kernels.exhaustive_search import ExhaustiveSearch, cards_of
from service.solver.kernels.moves import apply_move, is_won, legal_moves, wins
from service.solver.kernels.outcomes import (
    LOST,
    UNFINISHED,
    WON,
    is_cut_off,
    is_proved_lost,
)
from service.solver.kernels.rules import (
    REMOVE_PAIR,
    STACK,
    Rules,
    RulesetBoundError,
    rules_of,
)
from service.solver.restarts import HeuristicSearch
from service.solver.sampling import _new_workspace, _next_stamp, fewest_piles
from service.solver.weights import DEFAULT
from tests.solver.plain_search import can_win, fewest_left, make_position, rows

every_variant = pytest.mark.parametrize(
    "ruleset", VARIANTS.values(), ids=list(VARIANTS)
)
SEARCHED = [
    v for v in VARIANTS.values() if rules_of(v, None).effect in (STACK, REMOVE_PAIR)
]
searched_variant = pytest.mark.parametrize(
    "ruleset", SEARCHED, ids=[v.key for v in SEARCHED]
)


def padded(row: bytes) -> np.ndarray:
    return np.frombuffer(row.ljust(52, b"\0"), np.uint8).copy()


@every_variant
@given(data=st.data())
def test_a_line_is_checked_as_the_engine_checks_it(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    row = data.draw(rows(ruleset))
    position = make_position(ruleset, row)
    line = bytearray(solve(position).line)
    if line and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(line) - 1))
        line[place] = data.draw(st.integers(0, 9))
    try:
        expected = play_line(position, bytes(line)).is_won
    except IllegalMoveError:
        expected = False
    rules, moves = rules_of(ruleset, position.goal), np.frombuffer(line, np.uint8)
    cards = np.frombuffer(row, np.uint8)
    assert wins(rules, cards, len(row), moves.reshape(-1, 2)) == expected


@every_variant
@given(data=st.data())
def test_kernels_list_and_make_the_moves_of_the_rules(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    row = data.draw(st.permutations(range(52)).map(lambda deck: bytes(deck[:20])))
    position = make_position(ruleset, row)
    # The kernels leave out only moves that cover the goal card.
    expected = [
        move
        for move in position.legal_moves
        if not (ruleset.is_stacking and row[move.target] == position.goal)
    ]
    rules = rules_of(ruleset, position.goal)
    origins, targets = np.zeros((2, 52 * len(ruleset.offsets)), np.int64)
    count = legal_moves(rules, padded(row), len(row), origins, targets)
    found = sorted(zip(origins[:count].tolist(), targets[:count].tolist(), strict=True))
    assert found == sorted((move.origin, move.target) for move in expected)
    for move in expected:
        after = position.apply(move)
        out = np.zeros(52, np.uint8)
        size = apply_move(rules, padded(row), len(row), move.origin, move.target, out)
        assert out[:size].tobytes() == after.row
        assert is_won(rules, out, size) == after.is_won


@every_variant
@settings(max_examples=60)
@given(data=st.data())
def test_exhaustive_search_agrees_with_plain_search(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    row = data.draw(rows(ruleset))
    position = make_position(ruleset, row)
    state, _ = ExhaustiveSearch(rules_of(ruleset, position.goal), row).advance(10**7)
    assert state == (WON if can_win(position) else LOST)


@every_variant
@settings(max_examples=40)
@given(data=st.data())
def test_compulsory_search_agrees_with_plain_search(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    row = data.draw(rows(ruleset))
    dealt = data.draw(st.integers(1, len(row)))
    position = make_position(ruleset, row[:dealt], row[dealt:])
    rules = rules_of(ruleset, position.goal, compulsory=True)
    state, _ = ExhaustiveSearch(rules, position.row, position.stock).advance(10**7)
    assert state == (WON if can_win(position, compulsory=True) else LOST)


@searched_variant
@settings(max_examples=60)
@given(data=st.data())
def test_endgame_search_agrees_with_plain_search(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    row = data.draw(rows(ruleset))
    position = make_position(ruleset, row)
    rules = rules_of(ruleset, position.goal)
    state, _ = solve_endgame(rules, padded(row), len(row), 7000, workspace())
    assert state == (WON if can_win(position) else LOST)


@searched_variant
@settings(max_examples=60)
@given(data=st.data())
def test_rows_with_too_many_groups_are_lost(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    row = data.draw(st.permutations(range(52)).map(lambda deck: bytes(deck[:7])))
    position = make_position(ruleset, row)
    rules = rules_of(ruleset, position.goal)
    pairs = rules.effect == REMOVE_PAIR
    cards = cards_of(padded(row), len(row))
    if is_proved_lost(rules.matches, cards, rules.goal_length, pairs):
        assert not can_win(position)


@settings(max_examples=60)
@given(data=st.data())
def test_fewest_piles_agree_with_plain_search(data: st.DataObject) -> None:
    ruleset = VARIANTS["accordion"]
    row = data.draw(rows(ruleset))
    dealt = data.draw(st.integers(1, len(row)))
    position = make_position(ruleset, row[:dealt], row[dealt:])
    rules = rules_of(ruleset, None)
    work = _new_workspace(rules, len(row))
    _next_stamp(work)
    stock = np.array(list(position.stock), np.uint8)
    fewest, _ = fewest_piles(rules, padded(position.row), dealt, stock, 10**4, work)
    expected = fewest_left(position, compulsory=True, seen={})
    assert fewest == (0 if expected == -1 else expected)


@pytest.mark.parametrize("effect", [Effect.STACK, Effect.REMOVE_PAIR])
def test_a_ruleset_with_too_many_moves_is_refused(effect: Effect) -> None:
    def rules(*offsets: int) -> Rules:
        wide = replace(VARIANTS["accordion"], effect=effect, offsets=offsets)
        return rules_of(wide, None)

    # A row of 15 cards has 14 + 13 + 12 + 11 + 10 moves, and 4 over a distance of 11.
    assert len(rules(1, -2, 3, -4, 5, -11).offsets) == 6
    with pytest.raises(RulesetBoundError, match=r"up to 65 moves; .* room for 64"):
        rules(1, -2, 3, -4, 5, -10)


def test_the_widest_ruleset_stays_within_its_rows() -> None:
    wide = replace(VARIANTS["accordion"], offsets=(1, 2, 3, 4, 5, 11))
    one_suit_and_two_aces = bytes([*range(13), 13, 26])
    work = workspace()
    work.made[:] = -1
    row = padded(one_suit_and_two_aces)
    solve_endgame(rules_of(wide, None), row, 15, 7000, work)
    # 12 + 11 + 10 + 9 + 8 + 2 moves within the suit, and the last ace onto another.
    assert (work.made[14] != -1).sum() == 53


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        ("push-pin", {"offsets": (2, -3)}),
        ("decade", {"offsets": (-1, 2)}),
        ("decade", {"offsets": (1, 3)}),
        ("decade", {"runs": Runs(values=(63,) * 13, totals=frozenset({10}))}),
        ("decade", {"runs": Runs(values=(-1,) * 13, totals=frozenset({10}))}),
        ("decade", {"runs": Runs(values=(1,) * 13, totals=frozenset({10, 63}))}),
    ],
)
def test_a_ruleset_that_the_kernels_do_not_support_is_refused(
    key: str, changes: dict[str, Any]
) -> None:
    with pytest.raises(RulesetBoundError, match=f"^{key}: "):
        rules_of(replace(VARIANTS[key], **changes), None)


@given(data=st.data(), place=st.integers(0, 1))
def test_a_goal_card_too_far_left_loses(data: st.DataObject, place: int) -> None:
    revenge = VARIANTS["accordions-revenge"]
    row = data.draw(rows(revenge, least=4, most=8))
    position = Position(revenge, row, b"\x01" * len(row), b"", row[place])
    assert is_cut_off(place, len(row), rules_of(revenge, row[place]).goal_place)
    assert not can_win(position)
    assert solve(position).verdict is Verdict.UNWINNABLE


@pytest.mark.parametrize(
    ("offsets", "least"), [((2, 3), 1), ((1,), 51), ((-3, -1, 1, 3), 0)]
)
def test_the_least_place_of_a_goal_card(offsets: tuple[int, ...], least: int) -> None:
    ruleset = replace(VARIANTS["accordions-revenge"], offsets=offsets)
    assert rules_of(ruleset, 0).goal_place == least
    assert rules_of(VARIANTS["accordion"], None).goal_place == 0
    assert rules_of(ruleset, 0, compulsory=True).goal_place == 0


def test_a_full_table_gives_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_of(VARIANTS["late-binding"], None)
    row = deal(VARIANTS["late-binding"], "2").cards
    large_state, nodes = ExhaustiveSearch(rules, row).advance(10**8)
    monkeypatch.setattr(exhaustive_search, "_MAX_SLOTS", 1 << 11)
    small_state, more_nodes = ExhaustiveSearch(rules, row).advance(10**8)
    assert small_state == large_state
    assert more_nodes > nodes > 1 << 12


@pytest.mark.parametrize("keys", [10, 1_000])
def test_keys_can_be_removed_from_a_full_table(keys: int) -> None:
    table, key, stored = np.zeros((16, 1), np.int64), np.zeros(1, np.int64), 0
    for card in range(keys):
        row_table.write_key(key, padded(bytes(divmod(card, 50))), 2, 0, 0)
        stored += row_table.store(table, key, stored) == row_table.ADDED
    assert table.all() == (keys > 16)
    assert row_table.store(table, key, stored) == row_table.FOUND
    row_table.invalidate(table, key, stored)
    assert row_table.store(table, key, stored) != row_table.FOUND


def test_a_search_continues_where_it_stopped() -> None:
    rules = rules_of(VARIANTS["late-binding"], None)
    row = deal(VARIANTS["late-binding"], "8").cards
    whole = ExhaustiveSearch(rules, row).advance(10**7)
    sliced, spent, state = ExhaustiveSearch(rules, row), 0, UNFINISHED
    while state == UNFINISHED:
        state, nodes = sliced.advance(777)
        spent += nodes
    assert (state, spent) == whole


@searched_variant
@settings(max_examples=40)
@given(data=st.data())
def test_rows_searched_with_one_table_agree_with_plain_search(
    ruleset: Ruleset, data: st.DataObject
) -> None:
    position = make_position(ruleset, data.draw(rows(ruleset)))
    rules = rules_of(ruleset, position.goal)
    search = ExhaustiveSearch(rules, position.row)
    search.advance(data.draw(st.integers(1, 30)))
    for move in position.legal_moves:
        if ruleset.is_stacking and position.row[move.target] == position.goal:
            continue
        after = position.apply(move)
        search.restart(after.row)
        if data.draw(st.booleans()):  # interrupted before its end
            search.advance(data.draw(st.integers(1, 30)))
            search.restart(after.row)
        state, _ = search.advance(10**7)
        assert state == (WON if can_win(after) else LOST)
        if state == WON:
            assert play_line(after, search.line()).is_won


def test_only_searches_with_the_same_seed_give_the_same_line() -> None:
    ruleset = VARIANTS["accordion"]
    rules = rules_of(ruleset, None)
    hard_to_win_at_once = DEFAULT._replace(stop=8.0, limit=50.0)

    def line(seed: int) -> bytes:
        cards = deal(ruleset, "9").cards
        search = HeuristicSearch(rules, hard_to_win_at_once, cards, seed)
        won, _ = search.advance(10**6)
        assert won
        return search.line()

    assert line(1) == line(1)
    assert len({line(seed) for seed in range(8)}) > 1
