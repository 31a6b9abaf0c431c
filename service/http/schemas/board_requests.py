"""The queries of boards and of lists of games, as marshmallow schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from marshmallow import ValidationError, post_load

from service.http.cursor import CursorError, read_number, read_place
from service.http.schemas.deal_requests import DEFAULT_VARIANT, VARIANT_DESCRIPTION
from service.http.schemas.fields import (
    CURSOR,
    LIMIT,
    PLAYER,
    REFERENCE,
    STATUS,
    VARIANT,
)
from service.http.schemas.input import Input, Members, Value
from service.texts import Detail

if TYPE_CHECKING:
    from service.engine.play import Status
    from service.engine.ruleset import Ruleset
    from service.store.boards import After

_USUAL: Final = 20
_LIMIT_TEXT: Final = f"How many entries at most; {_USUAL} unless given."
_CURSOR_TEXT: Final = "Where the page begins, from the `Link` of the previous page."


class BoardWish(NamedTuple):
    """Which part of a board: from the top, behind a place, or around a player."""

    ruleset: Ruleset
    limit: int
    where: After | str | None


class GamesWish(NamedTuple):
    """Which of a player's games, from which place on."""

    limit: int
    start: int
    status: Status | None
    reference: str | None


class PlaceQuery(Input):
    """Which part of a board."""

    apart = (("cursor", "around"),)

    limit = Value(LIMIT, _LIMIT_TEXT)
    cursor = Value(CURSOR, _CURSOR_TEXT)
    around = Value(PLAYER, "The player around whom the page is centred.")

    @post_load
    def make(self, given: Members, **_kwargs: object) -> BoardWish:
        """Make the wish."""
        where = given.get("around")
        if "cursor" in given:
            try:
                where = read_place(given["cursor"])
            except CursorError:
                raise ValidationError({"cursor": [Detail("cursor")]}) from None
        ruleset = given.get("variant", DEFAULT_VARIANT)
        return BoardWish(ruleset, given.get("limit", _USUAL), where)


class BoardQuery(PlaceQuery):
    """Which part of a board of a variant."""

    variant = Value(VARIANT, VARIANT_DESCRIPTION)


class AroundQuery(Input):
    """How much of a board around a game's player."""

    limit = Value(LIMIT, _LIMIT_TEXT)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> int:
        """Take the limit."""
        limit: int = given.get("limit", _USUAL)
        return limit


class GamesQuery(Input):
    """Which of a player's games."""

    status = Value(STATUS, "Only games with this status.")
    reference = Value(REFERENCE, "Only games with this reference.")
    limit = Value(LIMIT, _LIMIT_TEXT)
    cursor = Value(CURSOR, _CURSOR_TEXT)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> GamesWish:
        """Make the wish."""
        try:
            start = read_number(given["cursor"]) if "cursor" in given else 0
        except CursorError:
            raise ValidationError({"cursor": [Detail("cursor")]}) from None
        limit = given.get("limit", _USUAL)
        return GamesWish(limit, start, given.get("status"), given.get("reference"))
