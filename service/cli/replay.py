"""``accordion replay``: a record, played again under the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
import msgspec

from service.engine.errors import EngineError
from service.games.records import Refuted, Replayed, replay
from service.http.body import parse_json
from service.http.errors.exceptions import RequestError
from service.http.errors.mapping import problem_for
from service.http.schemas.loading import load
from service.http.schemas.requests import RecordInput
from service.http.schemas.views import replay_view

if TYPE_CHECKING:
    from typing import BinaryIO

_REFUTED: Final = 1
_UNREADABLE: Final = 2


@click.command("replay")
@click.argument("record", type=click.File("rb"), default="-")
@click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
def command(record: BinaryIO, *, as_json: bool) -> None:
    """Replay RECORD, a file of JSON, or standard input.

    A record is what GET /v1/games/{id}/record answers. The exit code is 0 where it
    holds, 1 where it breaks the rules and 2 where it is no record.

    \b
    Examples:
      accordion replay game.json
      curl -s http://127.0.0.1:8000/v1/games/$ID/record | accordion replay
    """  # noqa: D301 - \b is click's mark for lines to leave alone
    try:
        outcome = replay(load(RecordInput(), parse_json(record.read())))
    except (RequestError, EngineError) as error:
        _explain(error)
        raise SystemExit(_UNREADABLE) from error
    text = (
        msgspec.json.encode(replay_view(outcome)).decode()
        if as_json
        else _tell(outcome)
    )
    click.echo(text)
    if isinstance(outcome, Refuted):
        raise SystemExit(_REFUTED)


def _tell(outcome: Replayed | Refuted) -> str:
    view = replay_view(outcome)
    if isinstance(outcome, Refuted):
        return f"It breaks the rules at action {view['index']}: {view['reason']}."
    row = " ".join(view["row"]) or "nothing"
    rating = f", rated {view['rating']}" if view["rating"] else ""
    return (
        f"It holds: {view['status']} with {view['score']} points{rating}.\nLeft: {row}"
    )


def _explain(error: Exception) -> None:
    """Say what is wrong with a record, as the API would."""
    fault = problem_for(error)
    click.echo(f"accordion: {fault.detail}", err=True)
    for place in fault.members.get("errors", ()):
        click.echo(f"  {place['pointer'] or '/'}: {place['detail']}", err=True)
