"""``accordion solve``: print a line that wins a deal, move by move."""

from __future__ import annotations

import time
from typing import Final

import click
import msgspec

from service.cli.deal import source_option, variant_option
from service.engine.cards import NAMES, name_cards, parse_card, parse_cards
from service.engine.deals import Dealt, deal
from service.engine.decks import check_deck
from service.engine.errors import GoalError, InputError
from service.engine.position import Move, Position, lay_out
from service.engine.ruleset import Layout, Ruleset
from service.http.schemas.advice import AnyAction, action_response
from service.http.schemas.input import explain
from service.http.schemas.response import Response, card_name
from service.solver import Milliseconds, Solution, Verdict, is_compiled, solve, warm

_NO_LINE: Final = {
    Verdict.UNWINNABLE: "It is proved that this deal cannot be won.",
    Verdict.UNKNOWN: "No winning line was found in time. Try a longer --budget.",
}


class SolvedDeal(Response):
    """The verdict on a deal, as ``--json`` prints it."""

    variant: str
    row: list[str]
    goal_card: str | None
    verdict: Verdict
    line: list[AnyAction]


@click.command("solve")
@click.option("--seed", help="The seed of a deal.")
@click.option("--row", help='Cards instead of a seed, as "4S 7H QC".')
@click.option("--goal", help="The goal card, with --row, if the variant has one.")
@variant_option
@source_option
@click.option(
    "--budget",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="The maximum number of seconds to search.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(  # noqa: PLR0913, PLR0917 - an argument for each option
    seed: str | None,
    row: str | None,
    goal: str | None,
    ruleset: Ruleset,
    source: str,
    budget: float,
    *,
    as_json: bool,
) -> None:
    """Print moves that win a deal in the open layout.

    Positions are numbered from 0 at the left. The exit code is 0 if a winning line was
    found, else 1.

    \b
    Examples:
      accordion solve --seed 42
      accordion solve --row "4S 7H QC 4D KD"
      accordion solve --seed 7 --variant royal-marriage --json
    """
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
    warm_up()
    position = lay_out(ruleset, dealt.cards, Layout.OPEN, dealt.goal)
    solution = solve(position, Milliseconds(1000 * budget, time.monotonic))
    click.echo(_to_json(position, solution) if as_json else _tell(position, solution))
    if solution.verdict is not Verdict.WINNABLE:
        raise SystemExit(1)


def warm_up() -> None:
    """Load the compiled solver; compile it first, with a note, if necessary."""
    if not is_compiled():
        click.echo("Compiling the solver, once ...", err=True)
    warm()


def _lay_row(ruleset: Ruleset, row: str, goal: str | None) -> Dealt:
    cards = parse_cards(row.replace(",", " ").split())
    return check_deck(ruleset, cards, None if goal is None else parse_card(goal))


def _to_json(position: Position, solution: Solution) -> str:
    found = SolvedDeal(
        variant=position.ruleset.key,
        row=name_cards(position.row),
        goal_card=card_name(position.goal),
        verdict=solution.verdict,
        line=[action_response(action) for action in solution.actions],
    )
    return msgspec.json.encode(found).decode()


def _tell(position: Position, solution: Solution) -> str:
    """Return a line as text: each move with the row after it."""
    if solution.verdict is not Verdict.WINNABLE:
        return _NO_LINE[solution.verdict]
    lines = [" " * 18 + " ".join(name_cards(position.row))]
    for number, action in enumerate(solution.actions, start=1):
        if not isinstance(action, Move):
            continue
        what = _describe(position, action)
        position = position.apply(action)
        lines.append(f"{number:>3}. {what:<13}{' '.join(name_cards(position.row))}")
    if position.goal is not None:
        lines.append(f"The goal card {NAMES[position.goal]} is on top.")
    return "\n".join(lines)


def _describe(position: Position, move: Move) -> str:
    """Return a move as text: ``3-0 4D>4S``, or ``3-0 4S..4D`` in removal games."""
    origin, target = NAMES[position.row[move.origin]], NAMES[position.row[move.target]]
    link = ">" if position.ruleset.is_stacking else ".."
    if not position.ruleset.is_stacking:
        origin, target = target, origin
    return f"{move.origin}-{move.target} {origin}{link}{target}"
