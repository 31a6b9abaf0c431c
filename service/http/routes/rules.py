"""Rules without a stored game: the legal moves of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.http.docs import examples
from service.http.operation import Body
from service.http.reply import Reply, json_reply
from service.http.routing import Chapter, Routes, json_answer
from service.http.schemas.advice import RowInput
from service.http.schemas.games import row_response

if TYPE_CHECKING:
    from service.http.request import Request

RULES: Final = Chapter("Rules")


class RuleRoutes(Routes):
    """The routes of the rules."""

    @RULES.operation(
        "POST /v1/legal-moves",
        json_answer("The moves.", examples.ROW_MOVES),
        body=Body(
            RowInput(),
            {"": {"variant": "accordion", "row": ["4S", "7H", "QC", "4D", "KD"]}},
        ),
    )
    def find_legal_moves(self, request: Request) -> Reply:
        """Get the legal moves of a row.

        Returns the legal moves of any row, without a game.
        """
        return json_reply(row_response(request.load_body()))
