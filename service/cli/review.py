"""``accordion review``: print where a game was lost, and how to win it."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final

import click
import msgspec

from service.cli import Failure, in_lines
from service.cli.replay import REFUTED, failure_of, read_record
from service.cli.solve import warm_up
from service.engine.errors import EngineError, RefusedAtError
from service.games.records import play_record, refusal_code
from service.games.review import review_line
from service.http.schemas.advice import review_response
from service.solver import REVIEW_NODES, Nodes, Verdict

if TYPE_CHECKING:
    from service.engine.play import Play
    from service.http.schemas.advice import Review

_WORDS: Final = {
    Verdict.WINNABLE: "winnable",
    Verdict.UNWINNABLE: "lost, proved",
    Verdict.UNKNOWN: "unknown",
}
_A_LINE: Final = 12
"""Actions per printed line."""


class Refutation(Failure):
    """A record that breaks the rules."""

    exit_code = REFUTED


@click.command("review")
@click.argument("record", type=click.File("rb"), default="-")
@click.option(
    "--nodes",
    type=click.IntRange(1),
    default=REVIEW_NODES,
    show_default=True,
    help="The budget of the searches, in rows examined.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the API's response.")
def command(record: BinaryIO, nodes: int, *, as_json: bool) -> None:
    """Review the game of RECORD, a file with JSON or one line of text.

    Without RECORD, standard input is read. Prints which positions of the game could be
    won, as far as that is proved, and a line that wins from the last of them. The exit
    code is 0, or 1 if the record breaks the rules, or 2 if it is not a record.

    \b
    Examples:
      accordion review game.json
      echo "accordion 42: 4-3 3-0" | accordion review
    """
    play = _play(record.read())
    warm_up()
    found = review_response(play, review_line(play, Nodes(nodes)))
    click.echo(msgspec.json.encode(found) if as_json else _table(play, found))


def _play(data: bytes) -> Play:
    record = read_record(data)
    try:
        return play_record(record)
    except RefusedAtError as error:
        index, reason = error.index, refusal_code(error.cause)
        where = f"action {index}: {record.actions[index]}: {reason}"
        raise Refutation(f"The record breaks the rules at {where}.") from error
    except EngineError as error:
        raise failure_of(error) from error


def _table(play: Play, found: Review) -> str:
    verdicts = [one.before for one in found.actions[:1]]
    verdicts += [one.after for one in found.actions]
    cards = (
        f"{len(play.position.row)} {'piles' if play.ruleset.is_stacking else 'cards'}"
    )
    lines = [
        f"{play.ruleset.key}: {len(found.actions)} actions, {play.status}, {cards}"
    ]
    for verdict in Verdict:
        after = [index for index, one in enumerate(verdicts) if one is verdict]
        if after:
            lines.append(
                f"  after {after[0]} to {after[-1]} actions: {_WORDS[verdict]}"
            )
    if found.turning_point is not None:
        lost = found.actions[found.turning_point].action
        lines.append(f"Action {found.turning_point}, {lost}, lost the game.")
    if found.line:
        lines.append(f"This wins after {found.line_from} actions:")
        lines += in_lines(found.line, _A_LINE)
    if found.accuracy is not None:
        lines.append(f"Accuracy: {found.accuracy}%")
    return "\n".join(lines)
