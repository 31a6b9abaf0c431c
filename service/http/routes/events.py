"""Events: tournaments of a tenant, and their boards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.games.events import new_event_id
from service.games.leaderboards import event_board
from service.http.cursor import place_cursor
from service.http.docs import examples
from service.http.idempotency import FIELD, Creation, create_once
from service.http.operation import Access, Answer, Body, Operation, Route
from service.http.reply import NOT_STORED, empty_reply, json_reply
from service.http.routes.boards import next_link
from service.http.routes.games import RETRIED
from service.http.schemas.boards import PlaceQuery, board_response
from service.http.schemas.events import EventInput, EventList, event_response
from service.http.schemas.fields import ref

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.events import Event, Events
    from service.games.idempotency import Creations
    from service.games.leaderboards import Leaderboards
    from service.http.reply import Reply
    from service.http.request import Request
    from service.http.schemas.boards import BoardWish
    from service.http.schemas.events import EventWish

_TAG: Final = "Events"
_CREATED: Final = 201


def _shown(description: str, schema: str, example: object, status: int = 200) -> Answer:
    headers: tuple[str, ...] = ("Cache-Control",)
    if status == _CREATED:
        headers += ("Location", "Idempotent-Replayed")
    return Answer(
        status,
        description,
        schema=ref(schema),
        examples={"": example},
        headers=headers,
    )


_CREATE: Final = Operation(
    "createEvent",
    _TAG,
    "Create an event",
    "Creates a tournament of the tenant. It needs an API key. All games of the event "
    "have the same deal. They need a `player`, can start only while the event is "
    "open, and count if they end before it closes.",
    answers=(_shown("The event.", "Event", examples.EVENT, 201),),
    problems=(
        "key-required",
        "too-many-events",
        "event-not-found",
        *RETRIED,
        "store-unavailable",
    ),
    headers=(FIELD,),
    body=Body(
        EventInput(),
        {
            "": {
                "name": "Spring cup",
                "opens_at": "2030-05-17T09:00:00Z",
                "closes_at": "2030-05-24T09:00:00Z",
                "attempts": 3,
            }
        },
    ),
)
_LIST: Final = Operation(
    "listEvents",
    _TAG,
    "List the events",
    "The events of the tenant.",
    answers=(_shown("The events.", "EventList", examples.EVENTS),),
    problems=("store-unavailable",),
    access=Access.PUBLIC,
)
_SHOW: Final = Operation(
    "getEvent",
    _TAG,
    "Get an event",
    "The seed is null until the event closes.",
    answers=(_shown("The event.", "Event", examples.EVENT),),
    problems=("event-not-found", "store-unavailable"),
    access=Access.PUBLIC,
)
_DELETE: Final = Operation(
    "deleteEvent",
    _TAG,
    "Delete an event",
    "No more games of the event can be started; games that were started can still be "
    "played. It needs an API key.",
    answers=(Answer(204, "It is deleted."),),
    problems=("key-required", "event-not-found", "store-unavailable"),
)
_BOARD: Final = Operation(
    "getEventBoard",
    _TAG,
    "Get the leaderboard of an event",
    "The games of the event, ranked as on the leaderboard of a day.",
    answers=(
        Answer(
            200,
            "The entries, the best first.",
            schema=ref("Board"),
            examples={"": examples.BOARD},
            headers=("Cache-Control", "Link"),
        ),
    ),
    problems=("event-not-found", "not-ranked", "store-unavailable"),
    query=PlaceQuery(),
    access=Access.PUBLIC,
)


@dataclass(frozen=True, slots=True)
class EventRoutes:
    """The routes of events.

    Attributes:
        events: The events.
        creations: The requests that create events and may be sent again.
        boards: The boards.
        clock: The time in milliseconds since 1970, UTC.
    """

    events: Events
    creations: Creations
    boards: Leaderboards
    clock: Callable[[], int]

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        event = "/v1/events/{event}"
        return (
            Route("POST", "/v1/events", _CREATE, self.create),
            Route("GET", "/v1/events", _LIST, self.list),
            Route("GET", event, _SHOW, self.show),
            Route("DELETE", event, _DELETE, self.delete),
            Route("GET", "/v1/leaderboards/events/{event}", _BOARD, self.show_board),
        )

    def create(self, request: Request) -> Reply:
        """Create an event."""
        request.require_key()
        wish: EventWish = request.load_body()
        tenant = request.tenant

        def render(event: Event) -> Reply:
            location = f"{request.prefix}/v1/events/{event.id}"
            shown = event_response(event, self.clock())
            return json_reply(shown, status=201, fields={"Location": location})

        creation = Creation(
            new_id=new_event_id,
            create=lambda event_id: self.events.create(
                tenant, wish.event, event_id, wish.difficulty
            ),
            render=render,
            find=lambda event_id: self.events.get(tenant, event_id),
        )
        return create_once(request, self.creations, creation)

    def list(self, request: Request) -> Reply:
        """List the events."""
        now = self.clock()
        events = self.events.list(request.tenant)
        return json_reply(EventList([event_response(each, now) for each in events]))

    def show(self, request: Request) -> Reply:
        """Show an event."""
        event = self.events.get(request.tenant, request.values["event"])
        return json_reply(event_response(event, self.clock()))

    def delete(self, request: Request) -> Reply:
        """Delete an event."""
        request.require_key()
        self.events.delete(request.tenant, request.values["event"])
        return empty_reply(204)

    def show_board(self, request: Request) -> Reply:
        """Show the board of an event."""
        wish: BoardWish = request.load_query()
        event = self.events.get(request.tenant, request.values["event"])
        board = event_board(event.id, event.closes_at)
        view = self.boards.read(
            request.tenant, board, wish.limit, wish.where, self.clock()
        )
        fields = {}
        if view.after is not None:
            fields["Link"] = next_link(request, place_cursor(view.after))
        return json_reply(board_response(view), caching=NOT_STORED, fields=fields)
