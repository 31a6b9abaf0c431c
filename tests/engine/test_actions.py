"""Single actions: taps, batches, compulsory moves, the end of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.deals import deal
from service.engine.errors import (
    AmbiguousMoveError,
    CardsHiddenError,
    GameOverError,
    IllegalMoveError,
    MoveCompulsoryError,
    NoTargetError,
    RefusedAtError,
    StockEmptyError,
)
from service.engine.play import Deal, DealRequest, Options, Status, actions_of, start
from service.engine.position import Move
from service.engine.ruleset import IllegalMoveReason, Layout, UndoRule
from service.engine.scoring import rate, score
from service.engine.variants import find_variant
from tests.engine.rows import read_row, show_row
from tests.engine.strategies import for_every_variant, plays

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.engine.errors import RefusedError
    from service.engine.play import Play, Step
    from service.engine.ruleset import Ruleset

ACCORDION = find_variant("accordion")
OPEN = Options(Layout.OPEN)
STOCK = Options(Layout.STOCK)
COMPULSORY = Options(Layout.STOCK, compulsory=True)


def _game(row: str, options: Options = OPEN, variant: str = "accordion") -> Play:
    return start(find_variant(variant), read_row(row), options)


@for_every_variant
@given(data=st.data())
def test_tap(ruleset: Ruleset, data: st.DataObject) -> None:
    play = data.draw(plays(ruleset))
    if play.is_closed:
        return
    for origin in range(-1, len(play.position.row) + 1):
        targets = tuple(to for from_, to in play.legal_moves if from_ == origin)
        if len(targets) == 1:
            assert play.tap(origin) == play.move(Move(origin, *targets))
        elif targets:
            with pytest.raises(AmbiguousMoveError) as ambiguous:
                play.tap(origin)
            assert ambiguous.value.targets == targets
        else:
            with pytest.raises(NoTargetError) as refusal:
                play.tap(origin)
            outside = origin not in range(len(play.position.row))
            assert refusal.value.origin == origin
            assert (refusal.value.reason is IllegalMoveReason.NO_SUCH_PILE) == outside


@for_every_variant
@pytest.mark.parametrize(
    ("bad", "error"),
    [(Move(0, 99), IllegalMoveError), (DealRequest(99), StockEmptyError)],
)
@given(data=st.data())
def test_a_batch_gives_the_same_position_as_its_steps(
    ruleset: Ruleset, bad: Step, error: type[RefusedError], data: st.DataObject
) -> None:
    end = data.draw(plays(ruleset))
    begin = start(ruleset, end.cards, end.options, end.position.goal)
    steps: list[Step] = [
        DealRequest() if isinstance(action, Deal) else action
        for action in actions_of(end.done)
    ]
    whole = begin.run(steps)
    assert (whole.position, whole.done) == (end.position, end.done)

    index = data.draw(st.integers(0, len(steps)))
    before = begin.run(steps[:index])
    with pytest.raises(RefusedAtError) as refusal:
        begin.run([*steps[:index], bad, *steps[index:]])
    assert refusal.value.index == index
    assert type(refusal.value.cause) is (GameOverError if before.is_closed else error)


def test_a_step_of_a_batch_can_deal_several_cards() -> None:
    play = _game("4S 7H QC 4D KD", STOCK).run(
        [DealRequest(3), Move(3, 0), DealRequest(None)]
    )
    assert (show_row(play.position.row), play.actions) == ("4D 7H QC KD", 5)


def test_dealing_is_refused_while_a_move_is_compulsory() -> None:
    play = _game("4S 7H 7C KD", COMPULSORY).deal(2)
    assert not play.can_deal
    with pytest.raises(MoveCompulsoryError) as refusal:
        play.deal()
    assert refusal.value.legal_moves == ((2, 1),)
    moved = play.move(Move(2, 1))
    assert show_row(moved.deal().position.row) == "4S 7C KD"


@pytest.mark.parametrize("count", [2, 3, None])
def test_dealing_several_cards_stops_at_a_compulsory_move(count: int | None) -> None:
    play = _game("4S 7H 7C KD", COMPULSORY).deal(count)
    assert show_row(play.position.row) == "4S 7H 7C"
    assert play.actions == 2


@pytest.mark.parametrize("count", [2, None])
def test_a_batch_deals_all_the_cards_it_names_or_none(count: int | None) -> None:
    play = _game("4S 7H 7C KD", COMPULSORY)
    with pytest.raises(RefusedAtError) as refusal:
        play.run([DealRequest(1), DealRequest(count)])
    assert refusal.value.index == 1
    assert type(refusal.value.cause) is MoveCompulsoryError
    assert play.run([DealRequest(2), Move(2, 1), DealRequest(1)]).actions == 4


_USES_OF_HIDDEN_CARDS: list[tuple[list[Step], int]] = [
    ([DealRequest(1), Move(2, 1)], 1),
    ([DealRequest(1), Move(2, 0)], 1),
    ([DealRequest(2), Move(1, 0), Move(1, 0)], 2),
    ([DealRequest(1), DealRequest(1), Move(99, 0)], 2),
]


@pytest.mark.parametrize(("steps", "index"), _USES_OF_HIDDEN_CARDS)
@pytest.mark.parametrize("deck", ["4S 4H 4C 4D", "4S 4H KC QD"])
def test_a_blind_batch_does_not_reveal_the_cards_it_deals(
    deck: str, steps: list[Step], index: int
) -> None:
    """The refusal is the same whatever the hidden cards are."""
    play = _game(deck, STOCK).deal(1)
    with pytest.raises(RefusedAtError) as refusal:
        play.run(steps, blind=True)
    assert refusal.value.index == index
    assert type(refusal.value.cause) is CardsHiddenError
    assert refusal.value.cause.stock == 2


def test_a_blind_batch_may_use_open_cards() -> None:
    play = _game("4S 4H KC QD", STOCK).deal(1)
    steps: list[Step] = [DealRequest(1), Move(1, 0), DealRequest(1)]
    assert play.run(steps, blind=True) == play.run(steps)


@pytest.mark.parametrize(
    "steps", [[DealRequest(2)], [DealRequest(None)], [DealRequest(1), DealRequest(1)]]
)
def test_a_blind_batch_deals_one_card_where_moves_are_compulsory(
    steps: list[Step],
) -> None:
    play = _game("4S 7H 7C KD", COMPULSORY)
    with pytest.raises(RefusedAtError) as refusal:
        play.run(steps, blind=True)
    assert type(refusal.value.cause) is CardsHiddenError
    assert play.run([DealRequest(1)], blind=True).actions == 1


def test_a_card_may_be_dealt_unless_a_move_is_compulsory() -> None:
    play = _game("4S 7H 7C KD", STOCK).deal(2)
    assert play.legal_moves == ((2, 1),)
    assert show_row(play.deal().position.row) == "4S 7H 7C KD"


@pytest.mark.parametrize("undo", UndoRule)
def test_a_lost_game_can_be_undone(undo: UndoRule) -> None:
    lost = _game("4S 7H QC 4D KD", Options(Layout.OPEN, undo=undo)).tap(4)
    assert lost.status is Status.LOST
    assert lost.can_undo == (undo is UndoRule.UNLIMITED)
    if lost.can_undo:
        assert lost.undo().status is Status.PLAYING
        assert lost.undo().redo().status is Status.LOST


_EVERY_WRITE: tuple[Callable[[Play], Play], ...] = (
    lambda play: play.move(Move(1, 0)),
    lambda play: play.tap(1),
    lambda play: play.deal(),
    lambda play: play.undo(),
    lambda play: play.redo(),
    lambda play: play.finish(),
)


@pytest.mark.parametrize("write", _EVERY_WRITE)
@pytest.mark.parametrize(
    ("play", "status"),
    [
        (_game("4S 4D").move(Move(1, 0)), Status.WON),
        (_game("4S 4D 4H").finish(), Status.ENDED),
        (_game("4S 4D 4H", STOCK).deal(2).undo().finish(), Status.ENDED),
        (_game("4S 7D").finish(), Status.ENDED),
    ],
)
def test_a_closed_game_refuses_every_action(
    play: Play, status: Status, write: Callable[[Play], Play]
) -> None:
    assert play.status is status
    assert play.legal_moves == ()
    assert (play.can_deal, play.can_undo, play.can_redo) == (False,) * 3
    with pytest.raises(GameOverError) as refusal:
        write(play)
    assert refusal.value.status == status


@pytest.mark.parametrize(
    ("variant", "row"),
    [
        ("accordion", "4S"),
        ("23-skidoo", "4S 7H"),
        ("push-pin", "4S 7H"),
        ("royal-marriage", "QH KH"),
        ("nizhni-novgorod", "AS AC"),
    ],
)
def test_a_deck_can_be_won_before_the_first_move(variant: str, row: str) -> None:
    assert _game(row, variant=variant).status is Status.WON
    assert _game(row, STOCK, variant).status is not Status.LOST


@pytest.mark.parametrize(
    ("piles", "rating"),
    [(1, "full"), (2, "strong"), (3, "strong"), (4, "moral"), (5, "moral"), (6, None)],
)
def test_rating_of_piles(piles: int, rating: str | None) -> None:
    row = "AC 2D 3H 4S 5C 6D"
    assert rate(_game(row[: 3 * piles])) == rating


def test_no_rating_before_the_whole_deck_is_dealt() -> None:
    stopped = _game("AC 2D 3H", STOCK).finish()
    assert (stopped.status, rate(stopped)) == (Status.ENDED, None)
    assert rate(_game("AC 2D 3H", STOCK).deal(2).finish()) == "strong"


def test_no_rating_while_playing() -> None:
    play = _game("AC 2C 3H")
    assert rate(play) is None
    assert rate(play.finish()) == "strong"


def test_a_last_pile_without_the_goal_card_does_not_win() -> None:
    row = read_row("4S 4H 4D 4C")
    play = start(find_variant("accordions-revenge"), row, OPEN, goal=row[2])
    onto_first = [Move(1, 0), Move(1, 0)]
    lost = play.run([Move(1, 0), *onto_first])
    won = play.run([Move(3, 0), *onto_first])
    assert (show_row(lost.position.row), lost.status) == ("4C", Status.LOST)
    assert (show_row(won.position.row), won.status) == ("4D", Status.WON)
    assert (rate(lost), rate(won)) == ("strong", "full")


@pytest.mark.parametrize(
    ("seconds", "points"), [(None, 510), (0, 1710), (1, 1709), (1200, 510), (9999, 510)]
)
def test_score_of_a_win(seconds: int | None, points: int) -> None:
    assert score(_game("4S 4D").tap(1), seconds) == points


def test_undo_takes_points_back() -> None:
    play = _game("4S 4D 4H").tap(1)
    assert (score(play, 0), score(play.undo(), 0)) == (10, 0)


def test_cards_in_the_stock_give_no_points() -> None:
    play = start(ACCORDION, deal(ACCORDION, "1").cards, STOCK)
    assert score(play, 0) == score(play.deal(20), 0) == 0
