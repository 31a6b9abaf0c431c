"""Webhooks: URLs of a tenant that are called when something happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.games.webhook_hosts import read_target
from service.games.webhooks import new_secret, new_webhook_id
from service.http.cursor import number_cursor
from service.http.docs import examples
from service.http.errors.exceptions import (
    InvalidInputError,
    InvalidValue,
)
from service.http.idempotency import Creation, create_once
from service.http.operation import Answer, Body, Operation, Route
from service.http.reply import empty_reply, json_reply
from service.http.routes.boards import next_link
from service.http.routes.games import RETRIED
from service.http.schemas.boards import PageQuery
from service.http.schemas.fields import ref
from service.http.schemas.play import NothingInput
from service.http.schemas.webhooks import (
    DeliveryList,
    WebhookInput,
    WebhookList,
    delivery_response,
    new_webhook_response,
    webhook_response,
)
from service.store.webhooks import WebhookKey
from service.texts import Detail

if TYPE_CHECKING:
    from service.games.idempotency import Creations
    from service.games.webhook_hosts import WebhookHosts
    from service.games.webhooks import Webhook, WebhookRegistry
    from service.http.reply import Reply
    from service.http.request import Request
    from service.http.schemas.boards import PageWish
    from service.http.schemas.webhooks import WebhookWish
    from service.store.webhooks import Delivery

_TAG: Final = "Webhooks"
_FOUND: Final = ("key-required", "webhook-not-found", "store-unavailable")


def _shown(
    description: str, schema: str, example: object, status: int = 200, *more: str
) -> Answer:
    return Answer(
        status,
        description,
        schema=ref(schema),
        examples={"": example},
        headers=("Cache-Control", *more),
    )


_CREATE: Final = Operation(
    "createWebhook",
    _TAG,
    "Create a webhook",
    "Creates a webhook. Its URL is called when one of the `events` happens: a `POST` "
    "with the body `{type, timestamp, data}`, which is a `GameOverMessage` for "
    "`game.over` and an `EventClosedMessage` for `event.closed`. A message that gets "
    "no 2xx response within ten seconds is sent again, with the same `webhook-id` and "
    "body, after pauses that grow from two seconds to six hours, for 24 hours; 410 "
    "ends the webhook; redirects are not followed. Messages about one game are sent "
    "in order, and may be sent more than once. They are signed as Standard Webhooks "
    "specifies. A service calls only hosts that its operator has named. The `secret` "
    "is shown only in this response.",
    answers=(
        _shown(
            "The webhook.",
            "NewWebhook",
            examples.NEW_WEBHOOK,
            201,
            "Location",
            "Idempotent-Replayed",
        ),
    ),
    problems=("key-required", "too-many-webhooks", *RETRIED, "store-unavailable"),
    body=Body(
        WebhookInput(),
        {"": {"url": "https://portal.example.org/hook", "events": ["game.over"]}},
    ),
    headers=("Idempotency-Key",),
)
_LIST: Final = Operation(
    "listWebhooks",
    _TAG,
    "List the webhooks",
    "The webhooks of the tenant.",
    answers=(_shown("The webhooks.", "WebhookList", examples.WEBHOOKS),),
    problems=("key-required", "store-unavailable"),
)
_SHOW: Final = Operation(
    "getWebhook",
    _TAG,
    "Get a webhook",
    "Without its secret.",
    answers=(_shown("The webhook.", "Webhook", examples.WEBHOOK),),
    problems=_FOUND,
)
_DELETE: Final = Operation(
    "deleteWebhook",
    _TAG,
    "Delete a webhook",
    "Nothing is sent to it any more, and its deliveries are deleted.",
    answers=(Answer(204, "It is deleted."),),
    problems=_FOUND,
)
_ROTATE: Final = Operation(
    "rotateWebhookSecret",
    _TAG,
    "Replace the secret of a webhook",
    "For 24 hours deliveries are also signed with the old secret. If a secret has "
    "leaked, replace it twice: the leaked one is then no longer used.",
    answers=(
        _shown(
            "The webhook with its new secret, which is shown only in this response.",
            "NewWebhook",
            examples.NEW_WEBHOOK,
            200,
            "Idempotent-Replayed",
        ),
    ),
    problems=(*_FOUND, *RETRIED),
    body=Body(NothingInput(), {"": {}}, required=False),
    headers=("Idempotency-Key",),
)
_DELIVERIES: Final = Operation(
    "listDeliveries",
    _TAG,
    "List the deliveries of a webhook",
    "The newest first: all that are waiting, and the last thousand that were "
    "delivered or given up.",
    answers=(
        _shown("The deliveries.", "DeliveryList", examples.DELIVERIES, 200, "Link"),
    ),
    problems=_FOUND,
    query=PageQuery(),
)
_REDELIVER: Final = Operation(
    "redeliver",
    _TAG,
    "Send a delivery again",
    "Sends the delivery again with the same `webhook-id` and body, whatever its "
    "status; one that is waiting is sent at once. Deliveries about the same game that "
    "are already waiting are sent first.",
    answers=(
        _shown(
            "The delivery is to be sent.",
            "Delivery",
            examples.DELIVERY,
            202,
            "Idempotent-Replayed",
        ),
    ),
    problems=(
        "key-required",
        "webhook-not-found",
        "delivery-not-found",
        "webhook-ended",
        *RETRIED,
        "store-unavailable",
    ),
    body=Body(NothingInput(), {"": {}}, required=False),
    headers=("Idempotency-Key",),
)


@dataclass(frozen=True, slots=True)
class WebhookRoutes:
    """The routes of webhooks.

    Attributes:
        webhooks: The webhooks.
        hosts: The hosts that may be called.
        creations: The requests that may be sent again.
    """

    webhooks: WebhookRegistry
    hosts: WebhookHosts
    creations: Creations

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        root, webhook = "/v1/webhooks", "/v1/webhooks/{webhook}"
        deliveries = f"{webhook}/deliveries"
        again = f"{deliveries}/{{delivery}}/redeliver"
        return (
            Route("POST", root, _CREATE, self.create),
            Route("GET", root, _LIST, self.list_all),
            Route("GET", webhook, _SHOW, self.show),
            Route("DELETE", webhook, _DELETE, self.delete),
            Route("POST", f"{webhook}/rotate-secret", _ROTATE, self.rotate),
            Route("GET", deliveries, _DELIVERIES, self.list_deliveries),
            Route("POST", again, _REDELIVER, self.redeliver),
        )

    def create(self, request: Request) -> Reply:
        """Create a webhook."""
        request.require_key()
        wish: WebhookWish = request.load_body()
        if not self.hosts.allows(read_target(wish.url)):
            raise InvalidInputError(InvalidValue("/url", Detail("webhook-host")))
        tenant = request.tenant

        def render(webhook: Webhook) -> Reply:
            location = f"{request.prefix}/v1/webhooks/{webhook.id}"
            shown = new_webhook_response(webhook)
            return json_reply(shown, status=201, fields={"Location": location})

        creation = Creation(
            new_id=new_webhook_id,
            create=lambda webhook_id: self.webhooks.create(
                WebhookKey(tenant, webhook_id), wish.url, wish.events
            ),
            render=render,
            find=lambda webhook_id: self.webhooks.get(tenant, webhook_id),
        )
        return create_once(request, self.creations, creation)

    def list_all(self, request: Request) -> Reply:
        """List the webhooks."""
        request.require_key()
        webhooks = self.webhooks.of_tenant(request.tenant)
        return json_reply(WebhookList([webhook_response(each) for each in webhooks]))

    def show(self, request: Request) -> Reply:
        """Show a webhook."""
        return json_reply(webhook_response(self.webhooks.get(*_named(request))))

    def delete(self, request: Request) -> Reply:
        """Delete a webhook."""
        self.webhooks.delete(*_named(request))
        return empty_reply(204)

    def rotate(self, request: Request) -> Reply:
        """Replace the secret of a webhook."""
        named = _named(request)
        request.load_body()
        creation = Creation(
            new_id=new_secret,
            create=lambda secret: self.webhooks.rotate(*named, secret),
            render=lambda webhook: json_reply(new_webhook_response(webhook)),
            find=lambda _: self.webhooks.get(*named),
        )
        return create_once(request, self.creations, creation)

    def list_deliveries(self, request: Request) -> Reply:
        """List the deliveries of a webhook."""
        named = _named(request)
        wish: PageWish = request.load_query()
        found = self.webhooks.deliveries(*named, wish.start, wish.limit + 1)
        fields = {}
        if len(found) > wish.limit:
            cursor = number_cursor(wish.start + wish.limit)
            fields["Link"] = next_link(request, cursor)
        shown = [delivery_response(*each) for each in found[: wish.limit]]
        return json_reply(DeliveryList(shown), fields=fields)

    def redeliver(self, request: Request) -> Reply:
        """Have a delivery sent again."""
        named, delivery_id = _named(request), request.values["delivery"]
        request.load_body()

        def render(delivery: Delivery) -> Reply:
            return json_reply(delivery_response(delivery_id, delivery), status=202)

        creation = Creation(
            new_id=str,
            create=lambda _: self.webhooks.redeliver(*named, delivery_id),
            render=render,
            find=lambda _: self.webhooks.get(*named),
        )
        return create_once(request, self.creations, creation)


def _named(request: Request) -> tuple[str, str]:
    """Return the tenant and the webhook that a request names."""
    request.require_key()
    return request.tenant, request.values["webhook"]
