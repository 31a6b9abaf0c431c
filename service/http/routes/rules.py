"""The rules without a game: the legal moves of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.http.docs import examples
from service.http.operation import Answer, Body, Operation, Route
from service.http.reply import json_reply
from service.http.schemas.advice import RowInput
from service.http.schemas.fields import ref
from service.http.schemas.games import row_response

if TYPE_CHECKING:
    from service.http.reply import Reply
    from service.http.request import Request

_TAG: Final = "Rules"
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
        return (Route("POST", "/v1/legal-moves", _MOVES, self.legal_moves),)

    def legal_moves(self, request: Request) -> Reply:
        """Find the legal moves of a row."""
        return json_reply(row_response(request.load_body()))
