"""The bodies and queries of webhooks, as marshmallow schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from marshmallow import ValidationError, post_load

from service.http.cursor import CursorError, read_number
from service.http.schemas.fields import CURSOR, LIMIT, WEBHOOK_EVENTS, WEBHOOK_URL
from service.http.schemas.input import Input, Members, Value
from service.texts import Detail

if TYPE_CHECKING:
    from service.games.webhooks import WebhookEvent

_USUAL: Final = 20


class WebhookWish(NamedTuple):
    """A webhook to create."""

    url: str
    events: tuple[WebhookEvent, ...]


class PageWish(NamedTuple):
    """A part of a list: its size, and the entries before it."""

    limit: int
    start: int


class WebhookInput(Input):
    """A webhook to create."""

    url = Value(
        WEBHOOK_URL,
        "The URL that is called: an `https` URL of a host that the service may call.",
        required=True,
    )
    events = Value(WEBHOOK_EVENTS, "The events that it is called for.", required=True)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> WebhookWish:
        """Make the wish."""
        return WebhookWish(given["url"], given["events"])


class PageQuery(Input):
    """Which part of a list."""

    limit = Value(LIMIT, f"How many entries at most; {_USUAL} unless given.")
    cursor = Value(
        CURSOR, "Where the page begins, from the `Link` of the previous page."
    )

    @post_load
    def make(self, given: Members, **_kwargs: object) -> PageWish:
        """Make the wish."""
        try:
            start = read_number(given["cursor"]) if "cursor" in given else 0
        except CursorError:
            raise ValidationError({"cursor": [Detail("cursor")]}) from None
        return PageWish(given.get("limit", _USUAL), start)
