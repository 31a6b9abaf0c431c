"""Events: tournaments of a tenant, and their boards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.games.ids import new_short_id
from service.games.leaderboards import event_board
from service.http.docs import examples
from service.http.idempotency import IDEMPOTENCY_FIELD, create_once
from service.http.operation import Access, Answer, Body
from service.http.reply import Reply, empty_reply, json_reply
from service.http.routes.boards import BOARD_ANSWER, board_page
from service.http.routing import CREATED, CaseRoutes, Chapter, json_answer
from service.http.schemas.boards import BoardParams, PlaceQuery
from service.http.schemas.events import (
    EventInput,
    EventList,
    EventParams,
    event_response,
)

if TYPE_CHECKING:
    from service.games.events import Event
    from service.http.request import Request

_EVENTS: Final = Chapter("Events", ("store-unavailable",))


class EventRoutes(CaseRoutes):
    """The routes of events."""

    @_EVENTS.operation(
        "POST /v1/events",
        json_answer("The event.", examples.EVENT, CREATED, status=201),
        problems=("too-many-events", "event-not-found"),
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
        headers=(IDEMPOTENCY_FIELD,),
        needs_key=True,
    )
    def create_event(self, request: Request) -> Reply:
        """Create an event.

        Creates a tournament of the tenant. This needs an API key. All games of the
        event have the same deal. They need a `player`, can start only while the event
        is open, and count if they end before it closes.
        """
        params: EventParams = request.load_body()
        tenant = request.tenant

        def render(event: Event) -> Reply:
            location = f"{request.prefix}/v1/events/{event.id}"
            shown = event_response(event, self.clock())
            return json_reply(shown, status=201, fields={"Location": location})

        return create_once(
            request,
            self.cases.creations,
            new_id=new_short_id,
            create=lambda event_id: self.cases.events.create(
                tenant, params.event, event_id, params.difficulty
            ),
            render=render,
            find=lambda event_id: self.cases.events.get(tenant, event_id),
        )

    @_EVENTS.operation(
        "GET /v1/events",
        json_answer("The events.", examples.EVENTS, ("Cache-Control",)),
        access=Access.PUBLIC,
    )
    def list_events(self, request: Request) -> Reply:
        """List the events.

        Lists the events of the tenant.
        """
        now = self.clock()
        events = self.cases.events.list(request.tenant)
        return json_reply(EventList([event_response(each, now) for each in events]))

    @_EVENTS.operation(
        "GET /v1/events/{event}",
        json_answer("The event.", examples.EVENT, ("Cache-Control",)),
        problems=("event-not-found",),
        access=Access.PUBLIC,
    )
    def get_event(self, request: Request) -> Reply:
        """Get an event.

        The seed is null until the event closes.
        """
        event = self.cases.events.get(request.tenant, request.values["event"])
        return json_reply(event_response(event, self.clock()))

    @_EVENTS.operation(
        "DELETE /v1/events/{event}",
        Answer(204, "The event was deleted."),
        problems=("event-not-found",),
        needs_key=True,
    )
    def delete_event(self, request: Request) -> Reply:
        """Delete an event.

        No more games of the event can be started; games already started can still be
        played. This needs an API key.
        """
        self.cases.events.delete(request.tenant, request.values["event"])
        return empty_reply(204)

    @_EVENTS.operation(
        "GET /v1/leaderboards/events/{event}",
        BOARD_ANSWER,
        problems=("event-not-found", "not-ranked"),
        query=PlaceQuery(),
        access=Access.PUBLIC,
    )
    def get_event_board(self, request: Request) -> Reply:
        """Get the leaderboard of an event.

        The games of the event are ranked as on the leaderboard of a day.
        """
        params: BoardParams = request.load_query()
        event = self.cases.events.get(request.tenant, request.values["event"])
        board = event_board(event.id, event.closes_at)
        return board_page(request, self.cases.leaderboards, board, params, self.clock())
