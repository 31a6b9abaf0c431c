"""``accordion solve``: a line that wins, as a person would follow it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import click

from service.cli.deal import VARIANT
from service.engine.cards import NAMES, name_cards, parse_card, parse_cards
from service.engine.deals import DEFAULT_SOURCE, SOURCES, deal
from service.engine.decks import check_deck
from service.engine.errors import GoalError, InputError
from service.engine.position import Move, lay_out
from service.engine.ruleset import Layout
from service.http.schemas.loading import explain
from service.solver import Milliseconds, Verdict, is_compiled, solve, warm

if TYPE_CHECKING:
    from service.engine.deals import Dealt
    from service.engine.position import Position
    from service.engine.ruleset import Ruleset

_NO_LINE: Final = {
    Verdict.UNWINNABLE: "No line wins: proved.",
    Verdict.UNKNOWN: "No line found in the time given; try a longer --budget.",
}


@click.command("solve")
@click.option("--seed", help="The seed of a deal.")
@click.option("--row", help='Cards instead of a seed, as "4S 7H QC".')
@click.option("--goal", help="The goal card, with --row, where the variant has one.")
@click.option("--variant", "ruleset", type=VARIANT, default="accordion")
@click.option("--source", type=click.Choice(list(SOURCES)), default=DEFAULT_SOURCE)
@click.option(
    "--budget",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="Seconds to search for at most.",
)
def command(  # noqa: PLR0913, PLR0917 - an argument for each option
    seed: str | None,
    row: str | None,
    goal: str | None,
    ruleset: Ruleset,
    source: str,
    budget: float,
) -> None:
    """Print the moves that win an open deal, or that none do.

    Places count from 0 at the left, as everywhere in the API.

    \b
    Examples:
      accordion solve --seed 42
      accordion solve --row "4S 7H QC 4D KD"
      accordion solve --seed 7 --variant royal-marriage
    """  # noqa: D301 - \b is click's mark for lines to leave alone
    if (seed is None) == (row is None):
        raise click.UsageError("Give either --seed or --row.")
    if goal is not None and row is None:
        raise click.UsageError("--goal goes with --row; a seed has its own.")
    try:
        dealt = (
            deal(ruleset, seed, source)
            if seed is not None
            else _lay_row(ruleset, row or "", goal)
        )
    except InputError as error:
        name = "--seed" if row is None else "--row"
        if isinstance(error, GoalError):
            name = "--goal"
        raise click.ClickException(explain(error, name)) from None
    if not is_compiled():
        click.echo("Compiling the solver, once ...", err=True)
    warm()
    position = lay_out(ruleset, dealt.cards, Layout.OPEN, dealt.goal)
    solution = solve(position, Milliseconds(1000 * budget, time.monotonic))
    if solution.verdict is not Verdict.WINNABLE:
        click.echo(_NO_LINE[solution.verdict])
        raise SystemExit(1)
    click.echo(_tell(position, solution.actions))


def _lay_row(ruleset: Ruleset, row: str, goal: str | None) -> Dealt:
    cards = parse_cards(row.replace(",", " ").split())
    return check_deck(ruleset, cards, None if goal is None else parse_card(goal))


def _tell(position: Position, actions: tuple[object, ...]) -> str:
    """Write a line move by move, each with the row that it leaves."""
    lines = [" " * 18 + " ".join(name_cards(position.row))]
    for number, action in enumerate(actions, start=1):
        if not isinstance(action, Move):
            continue
        what = _describe(position, action)
        position = position.apply(action)
        lines.append(f"{number:>3}. {what:<13}{' '.join(name_cards(position.row))}")
    if position.goal is not None:
        lines.append(f"The goal card {NAMES[position.goal]} is on top.")
    return "\n".join(lines)


def _describe(position: Position, move: Move) -> str:
    """Write a move with its places and its cards: ``3-0 4D>4S``."""
    origin, target = NAMES[position.row[move.origin]], NAMES[position.row[move.target]]
    link = ">" if position.ruleset.stacks else ".."
    if not position.ruleset.stacks:
        origin, target = target, origin
    return f"{move.origin}-{move.target} {origin}{link}{target}"
