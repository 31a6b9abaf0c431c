"""Traces that a real service sends to a collector."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import TYPE_CHECKING

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)

from service.access.api_keys import add_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from tests.conftest import Serve

_TRACE = "0af7651916cd43dd8448eb211c80319c"
_WAIT_SECONDS = 30


@contextmanager
def _collector() -> Iterator[tuple[str, Queue[bytes]]]:
    """Run a collector of traces; yield its URL, and a queue of what it receives."""
    received: Queue[bytes] = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            received.put(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", received
        server.shutdown()
        thread.join()


def _spans(data: bytes) -> list[Span]:
    sent = ExportTraceServiceRequest.FromString(data)
    return [
        span
        for resource in sent.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def test_a_request_leaves_a_span_without_its_secrets(served: Serve) -> None:
    with _collector() as (url, received):
        service = served(workers=1, otlp_url=url)
        parent = {"traceparent": f"00-{_TRACE}-b7ad6b7169203331-01"}
        service.request("GET", "/v1/games/a-secret-id", headers=parent)
        data = received.get(timeout=_WAIT_SECONDS)
    (span,) = _spans(data)
    attributes = {item.key: item.value for item in span.attributes}
    assert span.name == "getGame"
    assert span.trace_id.hex() == _TRACE
    assert attributes["http.route"].string_value == "/v1/games/{game_id}"
    assert attributes["http.response.status_code"].int_value == 404
    assert b"a-secret-id" not in data


def test_traces_do_not_change_refusals_by_keys_and_limits(
    served: Serve, tmp_path: Path
) -> None:
    keys_file = tmp_path / "keys.json"
    key = add_key(keys_file, "a", "a", date(2026, 1, 31))
    bearer = {"Authorization": f"Bearer {key}"}
    with _collector() as (url, received):
        service = served(
            workers=1, otlp_url=url, api_keys_file=keys_file, rate_limit="1/day"
        )
        responses = [
            service.request("GET", "/v1/events", headers=fields)
            for fields in ({}, bearer, bearer)
        ]
        spans: list[Span] = []
        while len(spans) < len(responses):
            spans += _spans(received.get(timeout=_WAIT_SECONDS))
    assert [response.status for response in responses] == [401, 200, 429]
    types = [json.loads(response.body).get("type") for response in responses]
    assert types == ["/problems/unauthorized", None, "/problems/rate-limited"]
    traced = [
        item.value.int_value
        for span in spans
        for item in span.attributes
        if item.key == "http.response.status_code"
    ]
    assert sorted(traced) == [200, 401, 429]
