"""``accordion replay``: a record, played again under the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
import msgspec

from service.engine.cards import name_cards
from service.engine.errors import EngineError
from service.games.record_text import RecordTextError, read_text
from service.games.records import (
    ActionTextError,
    Refuted,
    Replayed,
    SeedHiddenError,
    replay,
)
from service.http.body import parse_json
from service.http.errors.exceptions import RequestError
from service.http.errors.mapping import problem_for
from service.http.schemas.game_requests import RecordInput
from service.http.schemas.loading import load
from service.http.schemas.responses.records import replay_response
from service.texts import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from typing import BinaryIO

    from service.games.records import Record

REFUTED: Final = 1
UNREADABLE: Final = 2


@click.command("replay")
@click.argument("record", type=click.File("rb"), default="-")
@click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
def command(record: BinaryIO, *, as_json: bool) -> None:
    """Replay RECORD, a file of JSON or of one line of text, or standard input.

    A record is what GET /v1/games/{id}/record answers. The exit code is 0 where it
    holds, 1 where it breaks the rules and 2 where it is no record.

    \b
    Examples:
      accordion replay game.json
      curl -s http://127.0.0.1:8000/v1/games/$ID/record | accordion replay
      echo "accordion 42: 4-3 3-0" | accordion replay
    """  # noqa: D301 - \b is click's mark for lines to leave alone
    try:
        outcome = replay(read_record(record.read()))
    except (EngineError, SeedHiddenError) as error:
        explain(error)
        raise SystemExit(UNREADABLE) from error
    text = (
        msgspec.json.encode(replay_response(outcome)).decode()
        if as_json
        else _tell(outcome)
    )
    click.echo(text)
    if isinstance(outcome, Refuted):
        raise SystemExit(REFUTED)


def read_record(data: bytes) -> Record:
    """Read a record, as JSON or as one line of text; ends the program on an error."""
    try:
        if data.lstrip().startswith(b"{"):
            record: Record = load(RecordInput(), parse_json(data))
            return record
        return read_text(data.decode())
    except UnicodeDecodeError:
        click.echo("accordion: The record is not UTF-8.", err=True)
    except (RequestError, ActionTextError, RecordTextError) as error:
        explain(error)
    raise SystemExit(UNREADABLE)


def _tell(outcome: Replayed | Refuted) -> str:
    if isinstance(outcome, Refuted):
        return f"It breaks the rules at action {outcome.index}: {outcome.reason}."
    row = " ".join(name_cards(outcome.row)) or "nothing"
    rating = f", rated {outcome.rating}" if outcome.rating else ""
    return (
        f"It holds: {outcome.status} with {outcome.score} points{rating}.\nLeft: {row}"
    )


def explain(error: Exception) -> None:
    """Say what is wrong with a record, as the API would."""
    problem = problem_for(error)
    texts = [value.text(DEFAULT_LANGUAGE) for value in problem.invalid]
    for text in texts or [problem.detail(DEFAULT_LANGUAGE)]:
        click.echo(f"accordion: {text}", err=True)
