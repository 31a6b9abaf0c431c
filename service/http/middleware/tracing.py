"""Traces of requests over OTLP; needs the extra ``otel``.

A span has the name of the operation and the route, never the path, which can contain
the secret id of a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.propagate import extract
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode

import service

if TYPE_CHECKING:
    from service.http.middleware import Handler, Middleware
    from service.http.reply import Reply
    from service.http.request import Request

_SERVER_ERROR: Final = 500
_CONTEXT: Final = ("traceparent", "tracestate", "baggage")
"""The header fields that carry the trace of the caller (W3C Trace Context)."""


def tracing(url: str) -> Middleware:
    """Send a span of every request to a collector.

    Args:
        url: The collector's address, without the path ``/v1/traces``.
    """
    resource = {"service.name": "accordion", "service.version": service.__version__}
    provider = TracerProvider(resource=Resource.create(resource))
    exporter = OTLPSpanExporter(endpoint=f"{url.rstrip('/')}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("service.http")

    def wrap(handler: Handler) -> Handler:
        def handle(request: Request) -> Reply:
            route = request.route
            with tracer.start_as_current_span(
                route.operation.name if route else request.method,
                context=extract(_context(request)),
                kind=SpanKind.SERVER,
                attributes={"http.request.method": request.method},
            ) as span:
                reply = handler(request)
                span.set_attribute("http.response.status_code", reply.status)
                span.set_attribute("accordion.request_id", request.id)
                if route:
                    span.set_attribute("http.route", route.path)
                if reply.status >= _SERVER_ERROR:
                    span.set_status(StatusCode.ERROR)
                return reply

        return handle

    return wrap


def _context(request: Request) -> dict[str, str]:
    found = {name: request.fields.get(name) for name in _CONTEXT}
    return {name: value for name, value in found.items() if value is not None}
