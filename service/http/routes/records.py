"""Records of games, as JSON, as a line of text and as a picture; and their replays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from service.games import record_picture
from service.games.record_picture import PictureOptions, draw_play
from service.games.record_text import read_text, write_text
from service.games.records import record_of, replay
from service.http.docs import examples
from service.http.errors.exceptions import InvalidInputError, InvalidValue
from service.http.operation import Access, Answer, Body, Operation, Route
from service.http.reply import JSON, PRIVATE, TEXT, json_reply, text_reply
from service.http.routes.games import TAG
from service.http.schemas.fields import ref
from service.http.schemas.records import (
    RecordForm,
    RecordInput,
    RecordQuery,
    record_response,
    replay_response,
)
from service.texts import Detail, variant_texts

if TYPE_CHECKING:
    from service.games.session import Session
    from service.games.snapshot import GameSnapshot
    from service.http.game_replies import GameReplies
    from service.http.reply import Reply
    from service.http.request import Request
    from service.http.schemas.records import RecordWish

_FORMS: Final = {
    JSON: RecordForm.JSON,
    TEXT: RecordForm.TEXT,
    record_picture.MEDIA_TYPE: RecordForm.SVG,
}
_FIELDS: Final = ("ETag", "Cache-Control", "Vary")


def _look(name: str, summary: str, description: str, access: Access) -> Operation:
    return Operation(
        name,
        TAG,
        summary,
        description,
        answers=(
            Answer(
                200,
                "The record.",
                schema=ref("Record"),
                examples={"": examples.RECORD},
                headers=_FIELDS,
                others=(TEXT, record_picture.MEDIA_TYPE),
            ),
            Answer(304, "The client has this version.", headers=_FIELDS),
        ),
        problems=("game-not-found", "store-unavailable"),
        query=RecordQuery(),
        headers=("If-None-Match", "Accept-Language"),
        access=access,
    )


_SHOW: Final = _look(
    "getRecord",
    "Get the record of a game",
    "The game in a portable form that `POST /v1/replays`, and any program that knows "
    "the rules and the deals, can replay. `Accept` or `format` chooses the form: "
    "JSON, one line of text (`text/plain`), or a picture (`image/svg+xml`) of the row "
    "after a number of actions. A seed that is still hidden is null; `commitment` is "
    "its SHA-256.",
    Access.GAME,
)
_WATCH: Final = _look(
    "watchRecord",
    "Get the record of a game as a spectator",
    "The record of a game that is watched, in the same forms.",
    Access.WATCH,
)
_REPLAY: Final = Operation(
    "replayRecord",
    "Rules",
    "Replay a record",
    "Plays a record under the rules, from its seed or its deck. Nothing is stored. A "
    "record can be sent as JSON or as a line of text.",
    answers=(
        Answer(
            200,
            "The result of the replay.",
            schema=ref("Replay"),
            examples={
                "a valid record": examples.REPLAY,
                "a record that breaks the rules": examples.BROKEN_REPLAY,
            },
        ),
    ),
    problems=("seed-hidden",),
    body=Body(
        RecordInput(),
        {
            "a valid record": examples.RECORD,
            "a record that breaks the rules": examples.BROKEN_RECORD,
        },
        read_text=read_text,
        text_example=examples.RECORD_TEXT,
    ),
)


class RecordRoutes:
    """The routes of records.

    Args:
        replies: The games.
    """

    def __init__(self, replies: GameReplies) -> None:
        self._replies = replies

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        return (
            Route("GET", "/v1/games/{game_id}/record", _SHOW, self.show),
            Route("GET", "/v1/watch/{watch_id}/record", _WATCH, self.watch),
            Route("POST", "/v1/replays", _REPLAY, self.replay),
        )

    def show(self, request: Request) -> Reply:
        """Show the record of a game."""
        wish = _read_wish(request)
        game = self._replies.games.get(request.tenant, request.values["game_id"])
        return self._reply(request, game, wish)

    def watch(self, request: Request) -> Reply:
        """Show the record of a game to others."""
        wish = _read_wish(request)
        game = self._replies.games.watch(request.tenant, request.values["watch_id"])
        return self._reply(request, game, wish)

    def replay(self, request: Request) -> Reply:
        """Replay a record."""
        return json_reply(replay_response(replay(request.load_body())))

    def _reply(self, request: Request, game: GameSnapshot, wish: RecordWish) -> Reply:
        language = request.language

        def make(snapshot: GameSnapshot, now: int) -> object:
            session = snapshot.session
            if wish.form is RecordForm.SVG:
                return _picture(session, wish, language, now)
            record = record_of(session, now)
            if wish.form is RecordForm.TEXT:
                return text_reply(write_text(record), TEXT, PRIVATE)
            return record_response(record)

        marks = {RecordForm.TEXT: ".text", RecordForm.SVG: f".svg-{language}"}
        mark = marks.get(wish.form or RecordForm.JSON, "")
        reply = self._replies.shown(request, game, make, mark)
        reply.vary("Accept")
        reply.vary("Accept-Language")
        return reply


def _read_wish(request: Request) -> RecordWish:
    """Read which record is asked for.

    Raises:
        InvalidInputError: The query does not fit, or is about pictures and asks for
            none.
    """
    wish: RecordWish = request.load_query()
    if wish.form is None:
        accepted = parse_accept_header(request.fields.get("Accept"), MIMEAccept)
        wish = wish._replace(form=_FORMS[accepted.best_match(_FORMS, JSON)])
    if wish.form is not RecordForm.SVG:
        needs = Detail("needs", {"other": "format=svg"})
        wrong = [InvalidValue(f"/{name}", needs) for name in wish.of_pictures]
        if wrong:
            raise InvalidInputError(*wrong)
    return wish


def _picture(session: Session, wish: RecordWish, language: str, now: int) -> Reply:
    options = PictureOptions(
        name=variant_texts(session.play.ruleset.key, language)["name"],
        seed=session.shown_seed(now),
        four_colours=wish.four_colours,
        language=language,
    )
    svg = draw_play(session.play, options, wish.after)
    reply = text_reply(svg, record_picture.MEDIA_TYPE, PRIVATE)
    reply.fields["Content-Language"] = language
    return reply
