"""Daily deals and their boards, difficulties, reviews, and watching games."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
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
    sent,
    settle,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request


pytestmark = pytest.mark.browser

KEY = "a-secret-of-this-player"


def set_storage(page: Page, **values: object) -> None:
    """Put values into the storage of the browser, and reload the page."""
    page.evaluate(
        "values => Object.entries(values).forEach(([name, value]) =>"
        " localStorage.setItem(`accordion.${name}`, JSON.stringify(value)))",
        values,
    )
    page.reload()
    page.wait_for_selector("html[data-ready]")


def lost_game(ask: Ask, **body: object) -> Any:  # noqa: ANN401
    """A lost game, by default of a variant with 18 cards."""
    game = ask("games", {"variant": "late-binding", "seed": "23"} | body)
    while moves := game["legal_moves"]:
        move = max(moves, key=lambda move: (move["from"] - move["to"], move["from"]))
        game = ask(f"games/{game['id']}/moves", move)
    return game


# --- days


def test_result_of_the_day_is_on_its_board_with_the_streak(
    visit: Visit, ask: Ask
) -> None:
    daily = {"variant": "late-binding", "daily": True, "seed": None}
    lost_game(ask, **daily, player="Bea", player_key=KEY)
    game = lost_game(ask, **daily, player="Ada", player_key=KEY)
    page = visit(SEED)
    set_storage(page, player="Ada")
    page.evaluate("hash => { location.hash = hash; }", f"game={game['id']}")
    result = page.locator("#result")
    expect(result).to_contain_text("Streak: 1 day")
    expect(result).to_contain_text("Players: 2.")
    expect(result.locator(".plot .bar.mine")).to_have_count(1)
    expect(result.locator("tbody tr")).to_have_count(2)
    expect(result.locator("tr.me td").nth(1)).to_have_text("Ada")
    page.click("#new")
    page.get_by_role("button", name="Board").click()
    dialog = page.locator("dialog")
    expect(dialog.locator(".plot")).to_be_visible()
    expect(dialog.locator("tbody tr")).to_have_count(2)
    dialog.locator("select").select_option("all-time")
    expect(dialog.locator(".plot")).to_have_count(0)
    expect(dialog.locator("tbody tr")).to_have_count(2)


def test_streak_counts_days_in_a_row(visit: Visit) -> None:
    page = visit(SEED)
    days = [(datetime.now(UTC) - timedelta(days=ago)).date() for ago in (1, 2, 4)]
    games = [
        {"id": str(day), "variant": "accordion", "name": "Accordion", "label": "x"}
        | {"daily": day.isoformat(), "status": "lost", "score": 400, "piles": 9}
        for day in days
    ]
    set_storage(page, history=games)
    page.click("#new")
    expect(page.locator("dialog")).to_contain_text("Streak: 2 days")


def test_deal_of_yesterday(visit: Visit, ask: Ask) -> None:
    page = visit(SEED)
    page.click("#new")
    page.get_by_role("button", name="Yesterday's deal").click()
    expect(page.locator("#deal-name")).to_contain_text("Daily of")
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    expect_row(page, ask(f"deals/daily/{yesterday}")["cards"])


def test_hint_that_costs_the_rank_needs_a_second_click(
    visit: Visit, requests: list[Request]
) -> None:
    page = visit()
    set_storage(page, player="Cleo")
    page.click("#hint")
    expect(page.locator("#notice")).to_contain_text("does not count on the board")
    assert sent(requests, "hint") == []
    page.click("#hint")
    expect(page.locator(".hinted")).to_have_count(1)
    assert len(sent(requests, "hint")) == 1


# --- random deals


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_difficulty(visit: Visit, requests: list[Request], difficulty: str) -> None:
    page = visit(SEED)
    page.click("#new")
    page.get_by_role("button", name=difficulty.capitalize()).click()
    expect(page.locator("#deal-name")).to_have_text("Random deal")
    (body,) = sent(requests, "games")
    assert (body["variant"], body["difficulty"]) == ("accordion", difficulty)


def test_deal_that_can_be_won(visit: Visit, requests: list[Request], ask: Ask) -> None:
    page = visit(SEED)
    page.click("#new")
    page.locator("dialog .games summary").click()
    page.locator("dialog input[value=accordion-bidirectional]").check()
    expect(page.get_by_role("button", name="Hard")).to_have_count(0)
    page.get_by_role("button", name="Can be won").click()
    expect(page.locator("#deal-name")).to_have_text("Random deal")
    (body,) = sent(requests, "games")
    assert (body["variant"], body["winnable"]) == ("accordion-bidirectional", True)
    solution = ask(f"games/{game_id(page)}/solution", {})
    assert solution["verdict"] == "winnable"


# --- after the end


def test_review_is_stepped_through_and_a_new_game_starts_at_the_turning_point(
    visit: Visit, ask: Ask
) -> None:
    game = lost_game(ask)
    ask(f"games/{game['id']}/finish", {})
    page = visit(f"#game={game['id']}")
    page.get_by_role("button", name="Review").click()
    steps = page.locator(".timeline button")
    expect(steps).to_have_count(game["moves"])
    review = ask(f"games/{game['id']}/review")
    assert review["turning_point"] is not None
    turned = review["turning_point"]
    result = page.locator("#result")
    expect(result).to_contain_text(f"Move {turned + 1} was the turning point.")
    expect_piles(page, 18 - turned)
    page.keyboard.press("ArrowRight")
    expect_piles(page, 17 - turned)
    expect(steps.nth(turned)).to_have_class("unwinnable")
    expect(steps.nth(turned)).to_have_attribute("aria-current", "step")
    page.get_by_role("button", name="A line that wins", exact=True).click()
    steps.last.click()
    expect_piles(page, 1)
    page.get_by_role("button", name="Try again from there").click()
    expect(page.locator("#result")).to_be_hidden()
    expect_piles(page, 18 - review["line_from"])
    again = ask(f"games/{game_id(page)}")
    assert again["id"] != game["id"]
    assert (again["status"], again["moves"]) == ("playing", review["line_from"])


def test_review_is_closed(visit: Visit, ask: Ask) -> None:
    game = lost_game(ask)
    ask(f"games/{game['id']}/finish", {})
    page = visit(f"#game={game['id']}")
    page.get_by_role("button", name="Review").click()
    expect(page.locator(".timeline")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#result h2")).to_have_text(f"{len(game['row'])} piles left")
    expect_row(page, game["row"])


def test_result_is_shared_as_a_text(visit: Visit, ask: Ask) -> None:
    game = lost_game(ask)
    page = visit(f"#game={game['id']}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Share").click()
    expect(page.locator("#notice")).to_have_text("Copied.")
    lines = page.evaluate("navigator.clipboard.readText()").split("\n")
    left = len(game["row"])
    assert lines[0].endswith(f"Deal 23: {left} piles left {game['score']} points")
    assert lines[1] == "▮" * left
    assert lines[2] == f"{page.url.partition('#')[0]}?variant=late-binding&seed=23"


# --- other people's games


def test_watched_game_that_is_over_is_stepped_through(visit: Visit, ask: Ask) -> None:
    game = lost_game(ask)
    ask(f"games/{game['id']}/finish", {})
    page = visit(f"#watch={game['watch_id']}")
    page.get_by_role("button", name="Step through").click()
    expect_piles(page, 18)
    page.get_by_role("button", name="Next").click()
    expect_piles(page, 17)


def test_another_link_in_the_same_tab_is_followed(visit: Visit, ask: Ask) -> None:
    game = lost_game(ask)
    page = visit(SEED)
    page.evaluate("hash => { location.hash = hash; }", f"watch={game['watch_id']}")
    expect_row(page, game["row"])
    settle(page)
