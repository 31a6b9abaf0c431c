"""The review of a game: when it exists, what clients receive, and how it is stored."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.engine.play import Options, Status, start
from service.engine.position import Move
from service.engine.ruleset import Layout, UndoRule
from service.engine.variants import VARIANTS
from service.games.records import read_actions
from service.games.review import (
    GameNotOverError,
    decode_review,
    encode_review,
    is_over,
    review_play,
)
from service.http.schemas.advice import ReviewedAction, review_response
from service.solver import Nodes, Review, Verdict
from tests.engine.rows import read_row

ACCORDION = VARIANTS["accordion"]
OPEN = Options(Layout.OPEN)
BUDGET = 100_000
WINNABLE_ROW = read_row("5S 4S 7H 6S 4H")


def test_a_lost_game_that_can_be_undone_is_not_over() -> None:
    lost = start(ACCORDION, WINNABLE_ROW, OPEN).move(Move(1, 0))
    while lost.legal_moves:
        lost = lost.move(lost.legal_moves[0])
    assert not is_over(lost)
    with pytest.raises(GameNotOverError):
        review_play(lost, Nodes(BUDGET))
    assert is_over(lost.finish())
    assert is_over(replace(lost, options=replace(OPEN, undo=UndoRule.NONE)))
    assert not is_over(start(ACCORDION, WINNABLE_ROW, OPEN))


def test_a_review_as_clients_receive_it() -> None:
    play = start(ACCORDION, WINNABLE_ROW, OPEN).move(Move(1, 0)).move(Move(3, 0))
    play = play.finish()
    shown = review_response(play, review_play(play, Nodes(BUDGET)))
    assert shown.actions == [
        ReviewedAction("1-0", Verdict.WINNABLE, Verdict.UNWINNABLE),
        ReviewedAction("3-0", Verdict.UNWINNABLE, Verdict.UNWINNABLE),
    ]
    assert (shown.turning_point, shown.line_from) == (0, 0)
    line, _ = read_actions(list(shown.line))
    again = start(ACCORDION, WINNABLE_ROW, OPEN).run(
        [Move(*move) for move in zip(line[::2], line[1::2], strict=True)]
    )
    assert again.status is Status.WON
    assert shown.accuracy == 0.0
    assert not shown.hindsight


def test_a_stock_game_is_judged_in_hindsight() -> None:
    options = Options(Layout.STOCK)
    play = start(ACCORDION, WINNABLE_ROW, options).deal(4).finish()
    shown = review_response(play, review_play(play, Nodes(BUDGET)))
    assert shown.hindsight
    assert [one.after for one in shown.actions] == [Verdict.WINNABLE] * 4
    assert shown.accuracy is None


@pytest.mark.parametrize(
    "found",
    [
        Review(51, 20, 21, b"\x03\x00\xff\xff", 40, 20, 123_456),
        Review(0, -1, 1),
        Review(3, -1, 0, nodes=1 << 40),
    ],
)
def test_an_encoded_review_is_decoded_unchanged(found: Review) -> None:
    assert decode_review(encode_review(found)) == found


def test_a_review_of_another_form_is_refused() -> None:
    stored = encode_review(Review(0, -1, 1))
    with pytest.raises(ValueError, match="Form 2 of a review"):
        decode_review(b"\x02" + stored[1:])
