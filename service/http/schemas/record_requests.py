"""Requests for records: in which form."""

from __future__ import annotations

from typing import NamedTuple

from marshmallow import post_load

from service.http.schemas.deal_requests import LanguageQuery
from service.http.schemas.fields import AFTER, RECORD_FORM, SWITCH, RecordForm
from service.http.schemas.input import Members, Value


class RecordWish(NamedTuple):
    """In which form a record is asked for.

    Attributes:
        form: The form; None leaves it to ``Accept``.
        after: The actions after which the picture is drawn; None is all.
        four_colours: Whether every suit has a colour of its own in it.
        of_pictures: The parameters that only a picture has, as far as given.
    """

    form: RecordForm | None
    after: int | None
    four_colours: bool
    of_pictures: tuple[str, ...]


class RecordQuery(LanguageQuery):
    """In which form a record is asked for."""

    record_form = Value(
        RECORD_FORM, "The form; without it, `Accept` chooses.", name="format"
    )
    after = Value(
        AFTER,
        "The number of actions after which the game is drawn; by default all of them.",
    )
    four_colours = Value(SWITCH, "Whether every suit has its own colour in a picture.")

    @post_load
    def make(self, given: Members, **_kwargs: object) -> RecordWish:
        """Make the wish."""
        return RecordWish(
            given.get("record_form"),
            given.get("after"),
            given.get("four_colours", False),
            tuple(name for name in ("after", "four_colours") if name in given),
        )
