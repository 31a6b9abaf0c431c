"""The WSGI application, assembled from the settings."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.resources import files
from time import monotonic
from typing import TYPE_CHECKING, Final

from werkzeug.middleware.proxy_fix import ProxyFix

from service.access.api_keys import Keys
from service.access.rate_limit import RateLimits
from service.clock import now
from service.config import Settings, SettingsError
from service.games.advice import Advisor
from service.games.review import ReviewWork
from service.games.use_cases import make_use_cases
from service.games.webhook_hosts import WebhookHosts
from service.http.adapter import Application, refuse_unreadable
from service.http.docs.openapi import describe
from service.http.game_replies import GameReplies
from service.http.middleware.access_log import access_log
from service.http.middleware.authentication import authentication, is_keyless
from service.http.middleware.header_fields import header_fields
from service.http.middleware.rate_limit import rate_limit
from service.http.routes.advice import AdviceRoutes
from service.http.routes.assets import asset_routes
from service.http.routes.boards import BoardRoutes
from service.http.routes.deals import DealRoutes
from service.http.routes.events import EventRoutes
from service.http.routes.games import GameRoutes
from service.http.routes.play import PlayRoutes
from service.http.routes.players import PlayerRoutes
from service.http.routes.records import RecordRoutes
from service.http.routes.reviews import ReviewRoutes
from service.http.routes.rules import RuleRoutes
from service.http.routes.service import ServiceRoutes
from service.http.routes.variants import VariantRoutes
from service.http.routes.webhooks import WebhookRoutes
from service.http.schemas.webhooks import BODIES
from service.store.factory import is_cluster, open_store
from service.store.redis import RedisStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from service.http.docs.inputs import Document
    from service.http.middleware import Middleware
    from service.http.operation import Route
    from service.store.protocol import GameStore
    from service.store.runner import Runner

_FILES: Final = files("service.http")


def create_app(settings: Settings, store: GameStore | None = None) -> Flask:
    """Make the application.

    Args:
        settings: The settings of the service.
        store: The store of the games; by default the one that the settings name.

    Raises:
        SettingsError: Two settings contradict each other, or a store, a key file, a
            rate limit strategy or a package that they name cannot be used.
    """
    store = store or open_store(settings)
    routes = list_routes(settings, store)
    runner = None
    if isinstance(store, RedisStore) and not is_cluster(settings):
        runner = store.runner
    app = Application(routes, list(list_middleware(settings, runner)))
    hops = settings.trusted_proxies
    if hops:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]  # as Flask documents it
            app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops, x_prefix=hops
        )
    return app


def list_middleware(
    settings: Settings, runner: Runner | None = None
) -> Iterator[Middleware]:
    """Yield the middleware that the settings ask for, outermost first.

    Args:
        settings: The settings of the service.
        runner: The runner with which requests use the store, if the store is a single
            server; else None. Rate limits then count in the same round trip.

    Raises:
        SettingsError: As in ``create_app``.
    """
    yield access_log
    if settings.otlp_url is not None:
        yield _tracing(settings.otlp_url)
    yield header_fields(settings.cors_origins, settings.frame_ancestors)
    yield refuse_unreadable
    _check_public_tenant(settings)
    by_id = None
    if settings.api_keys_file is not None:
        everywhere = settings.keys_everywhere
        keys = Keys(settings.api_keys_file)
        yield authentication(keys, settings.public_tenant, everywhere=everywhere)
        by_id = None if everywhere else settings.id_rate_limit
    if by_id is not None:
        yield rate_limit(RateLimits(by_id, settings, runner), is_keyless, "id:")
    if settings.rate_limit is not None:
        limits = RateLimits(settings.rate_limit, settings, runner)
        if by_id is None:
            yield rate_limit(limits, lambda _: True)
        else:
            yield rate_limit(limits, lambda request: not is_keyless(request))


def list_routes(settings: Settings, store: GameStore) -> tuple[Route, ...]:
    """List every route of the API."""
    runner = _runner_of(settings, store)
    cases = make_use_cases(settings, store, runner, now, BODIES)
    advisor = Advisor(settings.searches, monotonic)
    work = ReviewWork(cases.games, advisor.slots, cases.leases)
    replies = GameReplies(cases.games, cases.creations, now, settings.require_if_match)
    parts = (cases, replies, now)

    @cache
    def document() -> Document:
        return describe(routes, needs_key=settings.api_keys_file is not None)

    routes = (
        *VariantRoutes().routes(),
        *DealRoutes(*parts).routes(),
        *GameRoutes(*parts).routes(),
        *PlayRoutes(*parts).routes(),
        *BoardRoutes(*parts).routes(),
        *EventRoutes(*parts).routes(),
        *PlayerRoutes(*parts).routes(),
        *WebhookRoutes(*parts, WebhookHosts(settings.webhooks)).routes(),
        *AdviceRoutes(*parts, advisor).routes(),
        *RecordRoutes(*parts).routes(),
        *ReviewRoutes(*parts, work).routes(),
        *RuleRoutes().routes(),
        *ServiceRoutes(store.ping, document, starts_games=_is_open(settings)).routes(),
        *asset_routes("/static", _FILES / "docs/static"),
        *asset_routes("/client", _FILES / "client", is_shared=True),
        *asset_routes("/page", _FILES / "page"),
    )
    return routes


def _is_open(settings: Settings) -> bool:
    """Return whether games can be started without an API key."""
    return settings.api_keys_file is None or settings.public_tenant is not None


def _runner_of(settings: Settings, store: GameStore) -> Runner:
    """Return the runner of the store, or of the configured one if it has none."""
    return (
        store.runner if isinstance(store, RedisStore) else open_store(settings).runner
    )


def _check_public_tenant(settings: Settings) -> None:
    has_keys = settings.api_keys_file is not None
    if settings.public_tenant and (settings.keys_everywhere or not has_keys):
        raise SettingsError(
            "ACCORDION_PUBLIC_TENANT needs ACCORDION_API_KEYS_FILE, and cannot be "
            "combined with ACCORDION_KEYS_EVERYWHERE."
        )


def _tracing(url: str) -> Middleware:
    try:
        module = import_module("service.http.middleware.tracing")
    except ImportError as error:
        raise SettingsError(
            "ACCORDION_OTLP_URL needs an extra: pip install accordion-service[otel]."
        ) from error
    middleware: Middleware = module.tracing(url)
    return middleware
