"""``accordion replay``: replay a record under the rules."""

from __future__ import annotations

from typing import BinaryIO, Final

import click
import msgspec

from service.cli import Failure
from service.engine.cards import name_cards
from service.engine.errors import EngineError
from service.games.record_text import RecordTextError, parse_record
from service.games.records import (
    ActionTextError,
    Record,
    RefusedRecord,
    Replayed,
    replay,
)
from service.http.body import parse_json
from service.http.errors.exceptions import RequestError
from service.http.errors.mapping import problem_for
from service.http.schemas.input import load
from service.http.schemas.records import RecordInput, replay_response
from service.texts import DEFAULT_LANGUAGE

REFUTED: Final = 1
"""The exit code for a record that breaks the rules."""


@click.command("replay")
@click.argument("record", type=click.File("rb"), default="-")
@click.option("--json", "as_json", is_flag=True, help="Print the API's response.")
def command(record: BinaryIO, *, as_json: bool) -> None:
    """Replay RECORD, a file with JSON or one line of text.

    Without RECORD, standard input is read. GET /v1/games/{id}/record returns a record.
    The exit code is 0 if the record is valid, 1 if it breaks the rules, and 2 if it is
    not a record.

    \b
    Examples:
      accordion replay game.json
      curl -s http://127.0.0.1:8000/v1/games/$ID/record | accordion replay
      echo "accordion 42: 4-3 3-0" | accordion replay
    """
    try:
        outcome = replay(read_record(record.read()))
    except EngineError as error:
        raise failure_of(error) from error
    response = replay_response(outcome)
    click.echo(msgspec.json.encode(response) if as_json else _tell(outcome))
    if isinstance(outcome, RefusedRecord):
        raise SystemExit(REFUTED)


def read_record(data: bytes) -> Record:
    """Parse a record, as JSON or as one line of text.

    Raises:
        Failure: The data are not a record.
    """
    try:
        if data.lstrip().startswith(b"{"):
            record: Record = load(RecordInput(), parse_json(data))
            return record
        return parse_record(data.decode())
    except UnicodeDecodeError as error:
        raise Failure("The record is not UTF-8.") from error
    except (RequestError, ActionTextError, RecordTextError) as error:
        raise failure_of(error) from error


def _tell(outcome: Replayed | RefusedRecord) -> str:
    if isinstance(outcome, RefusedRecord):
        return f"Not valid: action {outcome.index} is refused ({outcome.reason})."
    row = " ".join(name_cards(outcome.row)) or "empty"
    rating = f", rated {outcome.rating}" if outcome.rating else ""
    return f"Valid: {outcome.status} with {outcome.score} points{rating}.\nRow: {row}"


def failure_of(error: Exception) -> Failure:
    """Return a failure with the messages that the API has for an error."""
    problem = problem_for(error)
    texts = [value.text(DEFAULT_LANGUAGE) for value in problem.invalid]
    return Failure("\n".join(texts or [problem.detail(DEFAULT_LANGUAGE)]))
