"""The page, played in a real browser on the real service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.page.table import (
    SEED,
    Ask,
    Visit,
    expect_piles,
    expect_row,
    game_id,
    pile,
    row,
    sent,
    settle,
    tap,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request


pytestmark = pytest.mark.browser


def as_moves(actions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"deal": 1}
        if action["type"] == "deal"
        else {k: action[k] for k in ("from", "to")}
        for action in actions
    ]


def solve(ask: Ask, **deal: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """A line that wins the deal, found in another game of it."""
    game = ask("games", deal)
    return as_moves(ask(f"games/{game['id']}/solution", {})["actions"])


def play(page: Page, move: dict[str, int]) -> None:
    tap(page, move["from"])
    if page.locator(".row.choosing").count():
        tap(page, move["to"])


def test_daily_is_played_to_a_win_by_taps(visit: Visit, ask: Ask) -> None:
    page = visit()
    line = solve(ask, daily=True)
    tapped: set[int] = set()
    for left, move in enumerate(line, start=1):
        if tapped & set(move.values()):
            page.wait_for_timeout(360)  # Two taps at one place are a double tap.
        play(page, move)
        expect_piles(page, 52 - left)
        tapped = set(move.values())
    expect(page.locator("#result h2")).to_have_text("You won!")
    state = ask(f"games/{game_id(page)}")
    assert state["status"] == "won"
    assert state["daily"]
    assert state["moves"] == 51


def test_opening_a_link_writes_nothing(visit: Visit, requests: list[Request]) -> None:
    page = visit(SEED)
    expect_piles(page, 52)
    assert {request.method for request in requests} == {"GET"}


def test_tap_with_one_target_moves_at_once(
    visit: Visit, requests: list[Request], ask: Ask
) -> None:
    page = visit(SEED)
    tap(page, 13)
    expect_piles(page, 51)
    settle(page)
    assert sent(requests, "moves") == [{"from": 13, "to": 12}]
    state = ask(f"games/{game_id(page)}")
    assert state["row"] == row(page)
    assert state["seed"] == "42"
    expect(pile(page, 12)).to_have_class("card movable last")
    expect(pile(page, 12).locator(".count")).to_have_text("2")


def test_tap_with_two_targets_highlights_both(
    visit: Visit, requests: list[Request]
) -> None:
    page = visit(SEED)
    tap(page, 4)
    assert [
        card.get_attribute("data-card") for card in page.locator(".target").all()
    ] == [
        "QD",
        "QC",
    ]
    expect(page.locator(".arc")).to_have_count(2)
    expect_piles(page, 52)
    tap(page, 1)
    expect_piles(page, 51)
    settle(page)
    assert sent(requests, "moves") == [{"from": 4, "to": 1}]


def test_arc_bends_around_the_end_of_a_line(visit: Visit) -> None:
    page = visit(SEED, viewport={"width": 1440, "height": 900})
    pile(page, 39).hover()
    wrapped = page.locator(".arc.wrapped")
    expect(wrapped).to_have_count(2)
    assert wrapped.locator("text").all_text_contents() == ["3", "1"]


def test_double_tap_plays_once(visit: Visit, requests: list[Request]) -> None:
    page = visit(SEED)
    pile(page, 13).dblclick()
    settle(page)
    expect_piles(page, 51)
    assert len(sent(requests, "moves")) == 1


def test_card_is_dragged_onto_its_target(visit: Visit, requests: list[Request]) -> None:
    page = visit(SEED)
    pile(page, 4).drag_to(pile(page, 3))
    expect_piles(page, 51)
    settle(page)
    assert sent(requests, "moves") == [{"from": 4, "to": 3}]


def test_card_dropped_elsewhere_returns(visit: Visit, requests: list[Request]) -> None:
    page = visit(SEED)
    pile(page, 4).drag_to(pile(page, 20))
    expect_piles(page, 52)
    assert sent(requests, "moves") == []


def test_a_pile_takes_no_taps_while_it_moves_over_others(visit: Visit) -> None:
    page = visit(SEED)
    page.evaluate(
        """() => {
          const animate = Element.prototype.animate;
          Element.prototype.animate = function (...parts) {
            const animation = animate.apply(this, parts);
            animation.pause();
            animation.currentTime = 100;
            return animation;
          };
        }"""
    )
    tap(page, 13)
    expect_piles(page, 51)
    taken = page.evaluate(
        """() => {
          const moving = document.querySelector('.card.last');
          const { left, top, width, height } = moving.getBoundingClientRect();
          const found = document.elementFromPoint(left + width / 2, top + height / 2);
          const isMoved = moving.getAnimations().length === 1;
          return { isMoved, byMovingPile: moving.contains(found) };
        }"""
    )
    assert taken == {"isMoved": True, "byMovingPile": False}


def test_keyboard_alone(visit: Visit, requests: list[Request]) -> None:
    page = visit(SEED)
    page.keyboard.press("ArrowRight")
    for _ in range(13):
        page.keyboard.press("ArrowRight")
    expect(pile(page, 13)).to_be_focused()
    page.keyboard.press("Enter")
    expect_piles(page, 51)
    expect(pile(page, 12)).to_be_focused()
    page.keyboard.press("Home")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(pile(page, 3)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(pile(page, 1)).to_be_focused()
    page.keyboard.press("Enter")
    expect_piles(page, 50)
    page.keyboard.press("u")
    expect_piles(page, 51)
    page.keyboard.press("r")
    expect_piles(page, 50)
    settle(page)
    assert sent(requests, "moves") == [{"from": 13, "to": 12}, {"from": 4, "to": 1}]
    page.keyboard.press("?")
    expect(page.locator("dialog .keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)


def test_key_that_is_held_down_plays_once(
    visit: Visit, requests: list[Request]
) -> None:
    page = visit(SEED)
    pile(page, 13).focus()
    for _ in range(4):  # Playwright repeats a key that is down already.
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    settle(page)
    assert sent(requests, "moves") == [{"from": 13, "to": 12}]


def test_escape_cancels_the_choice(visit: Visit, requests: list[Request]) -> None:
    page = visit(SEED)
    pile(page, 4).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".target")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator(".row.choosing")).to_have_count(0)
    expect(pile(page, 4)).to_be_focused()
    assert sent(requests, "moves") == []


def test_undo_and_redo(visit: Visit, ask: Ask) -> None:
    page = visit(SEED)
    before = row(page)
    tap(page, 13)
    after = row(page)
    page.click("#undo")
    expect_row(page, before)
    page.click("#redo")
    expect_row(page, after)
    settle(page)
    assert ask(f"games/{game_id(page)}")["row"] == after
    page.reload()
    expect_row(page, after)
    page.click("#undo")
    expect_row(page, before)


def test_stock_is_dealt_card_by_card(visit: Visit, ask: Ask) -> None:
    page = visit("?variant=royal-marriage")
    assert row(page) == ["QH"]
    for count in range(2, 8):
        page.click(".stock")
        expect_piles(page, count)
    settle(page)
    expect(page.locator(".stock .count")).to_have_text("45")
    assert ask(f"games/{game_id(page)}")["row"] == row(page)


def test_hint_shows_the_pile_and_the_reason(
    visit: Visit, requests: list[Request], ask: Ask
) -> None:
    page = visit(SEED)
    page.click("#hint")
    expect(page.locator(".hinted")).to_have_count(1)
    expect(page.locator(".target")).to_have_count(1)
    expect(page.locator("#notice")).to_contain_text(" onto ")
    hinted = page.locator(".hinted").get_attribute("data-card")
    assert hinted is not None
    position = row(page).index(hinted)
    assert position in {
        move["from"] for move in ask(f"games/{game_id(page)}")["legal_moves"]
    }
    play(page, {"from": position, "to": row(page).index(_target(page))})
    expect_piles(page, 51)
    settle(page)
    assert len(sent(requests, "moves")) == 1


def _target(page: Page) -> str:
    card = page.locator(".target").get_attribute("data-card")
    assert card is not None
    return card


def test_reload_resumes(visit: Visit) -> None:
    page = visit(SEED)
    tap(page, 13)
    settle(page)
    after = row(page)
    page.reload()
    expect_row(page, after)
    expect(page.locator("#score")).to_have_text("10")


@pytest.mark.parametrize("variant", ["bayan", "push-pin", "decade", "seven-up"])
def test_removal_games_predict_the_row_of_the_service(
    visit: Visit, ask: Ask, variant: str
) -> None:
    page = visit(f"?variant={variant}&seed=1")
    move = ask("games", {"variant": variant, "seed": "1"})["legal_moves"][0]
    play(page, move)
    predicted = row(page)
    assert len(predicted) < 52
    settle(page)
    assert ask(f"games/{game_id(page)}")["row"] == predicted == row(page)


def test_lost_game_shows_its_piles_and_can_be_undone(visit: Visit, ask: Ask) -> None:
    game = ask("games", {"variant": "late-binding", "seed": "3"})
    while len(game["legal_moves"]) > 1 or not _last_move(ask, game):
        if not game["legal_moves"]:
            pytest.fail("the game ended before its last move could be tapped")
        game = ask(f"games/{game['id']}/moves", game["legal_moves"][-1])
    page = visit(f"#game={game['id']}")
    play(page, game["legal_moves"][0])
    expect(page.locator("#result h2")).to_have_text(
        f"{len(game['row']) - 1} piles left"
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    page.click("#undo")
    expect(page.locator("#result")).to_be_hidden()
    expect_row(page, game["row"])


def _last_move(ask: Ask, game: dict[str, Any]) -> bool:
    """Whether the only legal move ends the game."""
    record = ask(f"games/{game['id']}/record")
    (move,) = game["legal_moves"]
    actions = [*record["actions"], f"{move['from']}-{move['to']}"]
    return bool(ask("replays", {**record, "actions": actions})["status"] == "lost")


def test_finished_game_is_in_the_history_of_this_browser(visit: Visit) -> None:
    page = visit(SEED)
    tap(page, 13)
    settle(page)
    page.click("#new")
    page.get_by_role("button", name="Stop this game").click()
    expect(page.locator("#result h2")).to_have_text("51 piles left")
    page.click("#open-history")
    expect(page.locator("dialog tbody td")).to_have_text(["Deal 42", "51", "10"])
    expect(page.locator("dialog .plot .bar")).to_have_count(1)


def test_deal_by_number_and_another_game(visit: Visit, ask: Ask) -> None:
    page = visit(SEED)
    page.click("#new")
    page.locator("dialog .games summary").click()
    page.get_by_role("radio", name="Bayan").check()
    page.get_by_label("Number or text").fill("11982")
    page.get_by_label("Numbered as in").select_option("pysol")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#deal-name")).to_have_text("Deal 11982")
    wanted = ask("deals?seed=11982&source=pysol&variant=bayan")["cards"]
    expect_row(page, wanted)


def test_random_deal_is_another_one(visit: Visit) -> None:
    page = visit(SEED)
    before = row(page)
    page.click("#new")
    page.get_by_role("button", name="Any deal").click()
    expect(page.locator("#deal-name")).to_have_text("Random deal")
    assert sorted(row(page)) == sorted(before)
    assert row(page) != before


def test_rules_and_their_example(visit: Visit, ask: Ask) -> None:
    page = visit("?variant=bayan&seed=1")
    page.click("#open-rules")
    expect(page.locator("dialog")).to_contain_text(ask("variants/bayan")["move"])
    cards = page.locator(".example .card")
    expect(cards).to_have_count(6)
    for left in (4, 2, 0):
        page.get_by_role("button", name="Next step").click()
        expect(cards).to_have_count(left)
