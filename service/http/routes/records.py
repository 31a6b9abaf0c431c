"""Records of games, as JSON, a line of text or a picture, and replays of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from service.games import record_picture
from service.games.record_picture import PictureOptions, draw_play
from service.games.record_text import parse_record, write_text
from service.games.records import record_of, replay
from service.http.docs import examples
from service.http.errors.exceptions import InvalidInputError, Violation
from service.http.operation import Access, Body
from service.http.reply import JSON, PRIVATE, TEXT, Reply, json_reply, text_reply
from service.http.routes.games import GAME, WATCHED, look
from service.http.routes.rules import RULES
from service.http.routing import CaseRoutes, Declare, json_answer
from service.http.schemas.records import (
    RecordForm,
    RecordInput,
    RecordParams,
    RecordQuery,
    record_response,
    replay_response,
)
from service.texts import Detail, variant_texts

if TYPE_CHECKING:
    from service.games.session import Session
    from service.games.snapshot import GameSnapshot
    from service.http.request import Request

_FORMS: Final = {
    JSON: RecordForm.JSON,
    TEXT: RecordForm.TEXT,
    record_picture.MEDIA_TYPE: RecordForm.SVG,
}
_RECORD: Final = json_answer(
    "The record.",
    examples.RECORD,
    ("ETag", "Cache-Control", "Vary"),
    schema="Record",
    others=(TEXT, record_picture.MEDIA_TYPE),
)


def _look(target: str, access: Access) -> Declare:
    """Declare an operation that shows a record."""
    return look(target, _RECORD, access, RecordQuery(), ("Accept-Language",))


class RecordRoutes(CaseRoutes):
    """The routes of records."""

    @_look(f"GET {GAME}/record", Access.GAME)
    def get_record(self, request: Request) -> Reply:
        """Get the record of a game.

        Returns the game in a portable form, which `POST /v1/replays` can replay, and so
        can any program that knows the rules and the deals. `Accept` or `format` chooses
        the form: JSON, one line of text (`text/plain`), or a picture (`image/svg+xml`)
        of the row after a number of actions. A seed that is still hidden is null;
        `commitment` is its SHA-256.
        """
        return self._show(request)

    @_look(f"GET {WATCHED}/record", Access.WATCH)
    def watch_record(self, request: Request) -> Reply:
        """Get the record of a game as a spectator.

        Returns the record of the game with this `watch_id`, in the same forms.
        """
        return self._show(request)

    @RULES.operation(
        "POST /v1/replays",
        json_answer(
            "The result of the replay.",
            {
                "a valid record": examples.REPLAY,
                "a record that breaks the rules": examples.BROKEN_REPLAY,
            },
            schema="Replay",
        ),
        problems=("seed-hidden",),
        body=Body(
            RecordInput(),
            {
                "a valid record": examples.RECORD,
                "a record that breaks the rules": examples.BROKEN_RECORD,
            },
            read_text=parse_record,
            text_example=examples.RECORD_TEXT,
        ),
    )
    def replay_record(self, request: Request) -> Reply:
        """Replay a record.

        Replays a record under the rules, from its seed or its deck. The record can be
        sent as JSON or as one line of text. Nothing is stored.
        """
        return json_reply(replay_response(replay(request.load_body())))

    def _show(self, request: Request) -> Reply:
        params, language = _read_params(request), request.language

        def make(snapshot: GameSnapshot, now: int) -> object:
            session = snapshot.session
            if params.form is RecordForm.SVG:
                return _picture(session, params, language, now)
            record = record_of(session, now)
            if params.form is RecordForm.TEXT:
                return text_reply(write_text(record), TEXT, PRIVATE)
            return record_response(record)

        marks = {RecordForm.TEXT: ".text", RecordForm.SVG: f".svg-{language}"}
        mark = marks.get(params.form or RecordForm.JSON, "")
        reply = self.replies.show(request, make, mark)
        reply.vary("Accept")
        reply.vary("Accept-Language")
        return reply


def _read_params(request: Request) -> RecordParams:
    """Read from the query and ``Accept`` which record is requested.

    Raises:
        InvalidInputError: The query is not valid, or has a parameter of pictures when
            no picture is requested.
    """
    params: RecordParams = request.load_query()
    if params.form is None:
        accepted = parse_accept_header(request.fields.get("Accept"), MIMEAccept)
        params = params._replace(form=_FORMS[accepted.best_match(_FORMS, JSON)])
    if params.form is not RecordForm.SVG:
        needs = Detail("needs", {"other": "format=svg"})
        wrong = [Violation(f"/{name}", needs) for name in params.of_pictures]
        if wrong:
            raise InvalidInputError(*wrong)
    return params


def _picture(session: Session, params: RecordParams, language: str, now: int) -> Reply:
    options = PictureOptions(
        name=variant_texts(session.play.ruleset.key, language)["name"],
        seed=session.shown_seed(now),
        four_colours=params.four_colours,
        language=language,
    )
    svg = draw_play(session.play, options, params.after)
    reply = text_reply(svg, record_picture.MEDIA_TYPE, PRIVATE)
    reply.fields["Content-Language"] = language
    return reply
