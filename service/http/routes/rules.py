"""The rules without a game: replays of records, and the legal moves of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.games.records import replay
from service.http.docs import examples
from service.http.operation import Answer, Body, Operation, Route
from service.http.reply import json_reply
from service.http.schemas.advice_requests import RowInput
from service.http.schemas.game_requests import RecordInput
from service.http.schemas.json_schema import ref
from service.http.schemas.responses.games import row_response
from service.http.schemas.responses.records import replay_response

if TYPE_CHECKING:
    from service.http.reply import Reply
    from service.http.request import Request

_TAG: Final = "Rules"
_REPLAY: Final = Operation(
    "replayRecord",
    _TAG,
    "Replay a record",
    "Plays a record by the rules, from its seed or its deck. Nothing is stored.",
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
    ),
)
_MOVES: Final = Operation(
    "findLegalMoves",
    _TAG,
    "Get the legal moves of a row",
    "The legal moves of any row, without a game.",
    answers=(
        Answer(
            200,
            "The moves.",
            schema=ref("RowMoves"),
            examples={"": examples.ROW_MOVES},
        ),
    ),
    body=Body(
        RowInput(),
        {"": {"variant": "accordion", "row": ["4S", "7H", "QC", "4D", "KD"]}},
    ),
)


class RuleRoutes:
    """The routes of the rules."""

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        return (
            Route("POST", "/v1/replays", _REPLAY, self.replay),
            Route("POST", "/v1/legal-moves", _MOVES, self.legal_moves),
        )

    def replay(self, request: Request) -> Reply:
        """Replay a record."""
        return json_reply(replay_response(replay(request.load_body())))

    def legal_moves(self, request: Request) -> Reply:
        """Find the legal moves of a row."""
        return json_reply(row_response(request.load_body()))
