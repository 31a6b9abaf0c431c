"""Webhooks: URLs of a tenant that are called when a game ends or an event closes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.games.ids import new_short_id
from service.games.webhook_hosts import WebhookHosts, read_target
from service.games.webhooks import Webhook, new_secret
from service.http.cursor import link_page, number_cursor
from service.http.docs import examples
from service.http.errors.exceptions import InvalidInputError, Violation
from service.http.idempotency import IDEMPOTENCY_FIELD, create_once
from service.http.operation import Answer, Body
from service.http.reply import Reply, empty_reply, json_reply
from service.http.routing import CREATED, NOTHING, CaseRoutes, Chapter, json_answer
from service.http.schemas.boards import PageParams, PageQuery
from service.http.schemas.webhooks import (
    DeliveryList,
    WebhookInput,
    WebhookList,
    WebhookParams,
    delivery_response,
    new_webhook_response,
    webhook_response,
)
from service.store.webhooks import Delivery, WebhookKey
from service.texts import Detail

if TYPE_CHECKING:
    from service.http.request import Request

_WEBHOOKS: Final = Chapter("Webhooks", ("store-unavailable",), needs_key=True)
_WEBHOOK: Final = "/v1/webhooks/{webhook}"
_FOUND: Final = ("webhook-not-found",)
_RETRIED: Final = ("Cache-Control", "Idempotent-Replayed")


@dataclass(frozen=True, slots=True)
class WebhookRoutes(CaseRoutes):
    """The routes of webhooks; ``hosts`` are those that may be called."""

    hosts: WebhookHosts

    @_WEBHOOKS.operation(
        "POST /v1/webhooks",
        json_answer("The webhook.", examples.NEW_WEBHOOK, CREATED, status=201),
        problems=("too-many-webhooks",),
        body=Body(
            WebhookInput(),
            {"": {"url": "https://portal.example.org/hook", "events": ["game.over"]}},
        ),
        headers=(IDEMPOTENCY_FIELD,),
    )
    def create_webhook(self, request: Request) -> Reply:
        """Create a webhook.

        When one of the `events` happens, the URL of the webhook is called: a `POST`
        with the body `{type, timestamp, data}`, which is a `GameOverMessage` for
        `game.over` and an `EventClosedMessage` for `event.closed`. A message that gets
        no 2xx response within ten seconds is sent again with the same `webhook-id` and
        body, for 24 hours, after pauses that grow from two seconds to six hours. A 410
        response ends the webhook. Redirects are not followed. Messages about one game
        are sent in order, and each may be sent more than once. Messages are signed as
        Standard Webhooks specifies. The service calls only hosts that its operator has
        named. The `secret` is shown only in this response.
        """
        params: WebhookParams = request.load_body()
        if not self.hosts.allows(read_target(params.url)):
            raise InvalidInputError(Violation("/url", Detail("webhook-host")))
        tenant = request.tenant

        def render(webhook: Webhook) -> Reply:
            location = f"{request.prefix}/v1/webhooks/{webhook.id}"
            shown = new_webhook_response(webhook)
            return json_reply(shown, status=201, fields={"Location": location})

        return create_once(
            request,
            self.cases.creations,
            new_id=new_short_id,
            create=lambda webhook_id: self.cases.webhooks.create(
                WebhookKey(tenant, webhook_id), params.url, params.events
            ),
            render=render,
            find=lambda webhook_id: self.cases.webhooks.get(tenant, webhook_id),
        )

    @_WEBHOOKS.operation(
        "GET /v1/webhooks",
        json_answer("The webhooks.", examples.WEBHOOKS, ("Cache-Control",)),
    )
    def list_webhooks(self, request: Request) -> Reply:
        """List the webhooks.

        Lists the webhooks of the tenant, without their secrets.
        """
        webhooks = self.cases.webhooks.of_tenant(request.tenant)
        return json_reply(WebhookList([webhook_response(each) for each in webhooks]))

    @_WEBHOOKS.operation(
        f"GET {_WEBHOOK}",
        json_answer("The webhook.", examples.WEBHOOK, ("Cache-Control",)),
        problems=_FOUND,
    )
    def get_webhook(self, request: Request) -> Reply:
        """Get a webhook.

        Returns the webhook without its secret.
        """
        return json_reply(webhook_response(self.cases.webhooks.get(*_named(request))))

    @_WEBHOOKS.operation(
        f"DELETE {_WEBHOOK}", Answer(204, "The webhook was deleted."), problems=_FOUND
    )
    def delete_webhook(self, request: Request) -> Reply:
        """Delete a webhook.

        Nothing more is sent to it, and its deliveries are deleted.
        """
        self.cases.webhooks.delete(*_named(request))
        return empty_reply(204)

    @_WEBHOOKS.operation(
        f"POST {_WEBHOOK}/rotate-secret",
        json_answer(
            "The webhook with its new secret, which is shown only in this response.",
            examples.NEW_WEBHOOK,
            _RETRIED,
        ),
        problems=_FOUND,
        body=NOTHING,
        headers=(IDEMPOTENCY_FIELD,),
    )
    def rotate_webhook_secret(self, request: Request) -> Reply:
        """Replace the secret of a webhook.

        For 24 hours, deliveries are also signed with the old secret. If a secret has
        leaked, replace it twice: then the leaked secret is no longer used.
        """
        named = _named(request)
        request.load_body()
        return create_once(
            request,
            self.cases.creations,
            new_id=new_secret,
            create=lambda secret: self.cases.webhooks.rotate(*named, secret),
            render=lambda webhook: json_reply(new_webhook_response(webhook)),
        )

    @_WEBHOOKS.operation(
        f"GET {_WEBHOOK}/deliveries",
        json_answer("The deliveries.", examples.DELIVERIES, ("Cache-Control", "Link")),
        problems=_FOUND,
        query=PageQuery(),
    )
    def list_deliveries(self, request: Request) -> Reply:
        """List the deliveries of a webhook.

        Lists the newest deliveries first: all pending ones, and the last thousand that
        were delivered or have failed.
        """
        params: PageParams = request.load_query()
        found = self.cases.webhooks.deliveries(
            *_named(request), params.start, params.limit + 1
        )
        shown = [delivery_response(*each) for each in found[: params.limit]]
        has_more = len(found) > params.limit
        cursor = number_cursor(params.start + params.limit) if has_more else None
        return json_reply(DeliveryList(shown), fields=link_page(request, cursor))

    @_WEBHOOKS.operation(
        f"POST {_WEBHOOK}/deliveries/{{delivery}}/redeliver",
        json_answer(
            "The delivery will be sent.", examples.DELIVERY, _RETRIED, status=202
        ),
        problems=("webhook-not-found", "delivery-not-found", "webhook-ended"),
        body=NOTHING,
        headers=(IDEMPOTENCY_FIELD,),
    )
    def redeliver(self, request: Request) -> Reply:
        """Send a delivery again.

        Sends the delivery again with the same `webhook-id` and body, whatever its
        status; a pending one is sent at once. Pending deliveries about the same game
        are sent first.
        """
        named, delivery_id = _named(request), request.values["delivery"]
        request.load_body()

        def render(delivery: Delivery) -> Reply:
            return json_reply(delivery_response(delivery_id, delivery), status=202)

        return create_once(
            request,
            self.cases.creations,
            new_id=str,
            create=lambda _: self.cases.webhooks.redeliver(*named, delivery_id),
            render=render,
        )


def _named(request: Request) -> tuple[str, str]:
    """Return the tenant and the webhook that a request names."""
    return request.tenant, request.values["webhook"]
