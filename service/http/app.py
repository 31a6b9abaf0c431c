"""The WSGI application."""

from __future__ import annotations

import logging
from functools import cache
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from flask import Flask, Response, request
from werkzeug.exceptions import NotFound
from werkzeug.middleware.proxy_fix import ProxyFix

from service.clock import now
from service.config import SettingsError
from service.games.advice import Advisor
from service.games.daily import Daily
from service.games.idempotency import Retries
from service.games.service import Games
from service.http.adapter import FAILED, Lane
from service.http.docs.openapi import describe
from service.http.errors.mapping import fault_of
from service.http.game_replies import Desk
from service.http.middleware.access_log import observe
from service.http.middleware.authentication import guard
from service.http.middleware.header_fields import header_fields, plain_fields
from service.http.operation import endpoint_of
from service.http.reply import empty_answer, problem_answer
from service.http.routes.advice import AdviceRoutes
from service.http.routes.deals import DealRoutes
from service.http.routes.games import GameRoutes
from service.http.routes.play import PlayRoutes
from service.http.routes.rules import RuleRoutes
from service.http.routes.service import ServiceRoutes
from service.http.routes.variants import VariantRoutes
from service.store.factory import open_store
from service.timestamps import MILLISECONDS

if TYPE_CHECKING:
    from service.config import Settings
    from service.http.docs.openapi import Document
    from service.http.operation import Route
    from service.store.protocol import GameStore

_LOG: Final = logging.getLogger(__name__)
_SERVER_ERROR: Final = 500


class Application(Flask):
    """Flask with OPTIONS answered without a body."""

    def make_default_options_response(self) -> Response:
        """Answer OPTIONS."""
        methods = super().make_default_options_response().allow
        return empty_answer(204, {"Allow": ", ".join(sorted(methods))})


class UseCases(NamedTuple):
    """What the routes call."""

    daily: Daily
    games: Games
    retries: Retries
    advisor: Advisor

    @classmethod
    def over(cls, store: GameStore, settings: Settings) -> UseCases:
        """Make them over a store."""
        daily = Daily(settings.daily_secret)
        patience = settings.store_timeout * MILLISECONDS
        return cls(
            daily,
            Games(store, daily, now, patience),
            Retries(store),
            Advisor(settings.searches, monotonic),
        )


def create_app(settings: Settings, store: GameStore | None = None) -> Flask:
    """Make the application.

    Args:
        settings: How the service is set.
        store: Where games are kept; the store that the settings name unless given.

    Raises:
        SettingsError: The settings name a store or a file of keys that cannot be used.
    """
    app = Application(
        __name__,
        static_url_path="/static",
        static_folder="docs/static",
        template_folder="docs/templates",
    )
    app.url_map.merge_slashes = False
    store = store or open_store(settings)
    use_cases = UseCases.over(store, settings)
    for route in list_routes(settings, store, use_cases):
        app.add_url_rule(
            route.path.replace("{", "<").replace("}", ">"),
            endpoint=route.operation.name,
            view_func=endpoint_of(route),
            methods=[route.method],
        )
    app.register_error_handler(Exception, _answer_error)
    observe(app)  # first, so that it sees what the guard refuses
    app.before_request(_raise_failure)
    app.after_request(header_fields(settings.cors_origins))
    app.before_request(_refuse_slashes)
    guard(app, settings)
    if settings.otlp_url is not None:
        _trace(app, settings.otlp_url)
    if _is_plain(settings):
        app.wsgi_app = Lane(  # type: ignore[method-assign]  # as Flask tells one to
            app.wsgi_app,
            use_cases.games,
            use_cases.advisor,
            now,
            plain_fields(settings.cors_origins),
            require_if_match=settings.require_if_match,
            heeds_origin=bool(settings.cors_origins),
        )
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]  # as Flask tells one to
            app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops, x_prefix=hops
        )
    return app


def _is_plain(settings: Settings) -> bool:
    """Tell whether nothing has to be asked or told about every single request."""
    extras = (settings.api_keys_file, settings.rate_limit, settings.otlp_url)
    return all(extra is None for extra in extras)


def _raise_failure() -> None:
    """Raise what went wrong in the lane, to be answered as any error is."""
    failure: Exception | None = request.environ.get(FAILED)
    if failure is not None:
        raise failure


def _trace(app: Flask, url: str) -> None:
    try:
        tracing = import_module("service.http.middleware.tracing")
    except ImportError as error:
        raise SettingsError(
            "ACCORDION_OTLP_URL needs an extra: pip install accordion-service[otel]."
        ) from error
    tracing.trace(app, url)


def list_routes(
    settings: Settings, store: GameStore, use_cases: UseCases | None = None
) -> tuple[Route, ...]:
    """List every route of the API.

    Args:
        settings: How the service is set.
        store: Where games are kept.
        use_cases: What the routes call; some of their own unless given.
    """
    daily, games, retries, advisor = use_cases or UseCases.over(store, settings)
    desk = Desk(games, retries, now, settings.require_if_match)

    @cache
    def document() -> Document:
        return describe(routes, needs_key=settings.api_keys_file is not None)

    routes = (
        *VariantRoutes().routes(),
        *DealRoutes(daily, now).routes(),
        *GameRoutes(desk).routes(),
        *PlayRoutes(desk).routes(),
        *AdviceRoutes(desk, advisor).routes(),
        *RuleRoutes().routes(),
        *ServiceRoutes(store.ping, document).routes(),
    )
    return routes


def _refuse_slashes() -> None:
    """Refuse slashes before the first one, which routing would pass over."""
    if request.environ["PATH_INFO"].startswith("//"):
        raise NotFound


def _answer_error(error: Exception) -> Response:
    """Answer any exception with a problem document."""
    fault = fault_of(error)
    status = fault.problem.status
    if status >= _SERVER_ERROR:
        rule = request.url_rule.rule if request.url_rule else "no route"
        trace = error if status == _SERVER_ERROR else None
        _LOG.error("%s %s: %r", request.method, rule, error, exc_info=trace)
    return problem_answer(fault, request.script_root + request.path)
