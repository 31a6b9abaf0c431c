"""Traces of requests over OTLP, with the extra ``otel``.

A span has the name of its operation and its route, never the path: a game's id is its
player's secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import g, request
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.propagate import extract
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode

import service
from service.http.middleware.access_log import request_id

if TYPE_CHECKING:
    from flask import Flask, Response
    from opentelemetry.trace import Span

_SERVER_ERROR: Final = 500


def trace(app: Flask, url: str) -> None:
    """Have a span of every request sent to a collector.

    Args:
        app: The application.
        url: The collector's address, without the path ``/v1/traces``.
    """
    resource = {"service.name": "accordion", "service.version": service.__version__}
    provider = TracerProvider(resource=Resource.create(resource))
    exporter = OTLPSpanExporter(endpoint=f"{url.rstrip('/')}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("service.http")

    def begin() -> None:
        g.span = tracer.start_span(
            request.endpoint or request.method,
            context=extract(request.headers),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": request.method},
        )

    def end(answer: Response) -> Response:
        span: Span = g.span
        span.set_attribute("http.response.status_code", answer.status_code)
        span.set_attribute("accordion.request_id", request_id())
        if request.url_rule is not None:
            span.set_attribute("http.route", request.url_rule.rule)
        if answer.status_code >= _SERVER_ERROR:
            span.set_status(StatusCode.ERROR)
        span.end()
        return answer

    app.before_request(begin)
    app.after_request(end)
