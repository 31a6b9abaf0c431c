"""The internals of gunicorn that the service relies on, which any release may change.

A failure shows what to check before another release of gunicorn is allowed.
"""

from __future__ import annotations

import inspect
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.http import errors
from gunicorn.http.body import (  # type: ignore[attr-defined]  # the stubs lack one
    CHUNK_EXT_RE,
    ChunkedReader,
    LengthReader,
)
from gunicorn.http.message import Request
from gunicorn.http.unreader import Unreader
from gunicorn.sock import TCPSocket
from gunicorn.workers import base
from gunicorn.workers.workertmp import WorkerTmp
from packaging.requirements import Requirement

if TYPE_CHECKING:
    from collections.abc import Callable

_PROJECT = Path(__file__).parents[2] / "pyproject.toml"
_SIGNATURES: dict[Callable[..., object], str] = {
    Arbiter.stop: "(self, graceful=True)",
    Arbiter.start: "(self)",
    Arbiter.spawn_worker: "(self)",
    Arbiter.murder_workers: "(self)",
    Arbiter.reload: "(self)",
    Arbiter.reap_workers: "(self)",
    Arbiter.kill_workers: "(self, sig)",
    Arbiter.wait_for_signals: "(self, timeout=1.0)",
    Request.__init__: "(self, cfg, unreader, peer_addr, req_number=1)",
    Unreader.chunk: "(self, size_hint=None)",
    Unreader.read: "(self, size=None, read_ahead=None)",
    LengthReader.__init__: "(self, unreader, length)",
    ChunkedReader.__init__: "(self, req, unreader)",
    base.Worker.__init__: "(self, age, ppid, sockets, app, timeout, cfg, log)",
    base.Worker.init_signals: "(self)",
    base.Worker.handle_quit: "(self, sig, frame)",
    base.Worker.notify: "(self)",
    WorkerTmp.__init__: "(self, cfg)",
    TCPSocket.get_backlog: "(self)",
}


@pytest.mark.parametrize("function", _SIGNATURES, ids=lambda each: each.__qualname__)
def test_signatures_are_as_expected(function: Callable[..., object]) -> None:
    assert str(inspect.signature(function)) == _SIGNATURES[function]


def test_only_checked_releases_are_allowed() -> None:
    project = tomllib.loads(_PROJECT.read_text())["project"]
    found = [Requirement(each) for each in project["dependencies"]]
    (gunicorn,) = [each for each in found if each.name == "gunicorn"]
    major = int(version("gunicorn").split(".")[0])
    assert gunicorn.specifier.contains(version("gunicorn"))
    assert not gunicorn.specifier.contains(f"{major + 1}.0")


def test_a_worker_makes_its_heartbeat_from_the_class_that_is_replaced() -> None:
    source = inspect.getsource(base.Worker.__init__)
    assert "self.tmp = WorkerTmp(cfg)" in source
    assert "self._tmp = os.fdopen(" in inspect.getsource(WorkerTmp.__init__)
    assert "self._tmp.fileno()" in inspect.getsource(WorkerTmp.notify)


def test_the_parser_reads_only_with_chunk_and_keeps_what_follows_the_head() -> None:
    class Source(Unreader):
        def chunk(self, size_hint: int | None = None) -> bytes:  # noqa: ARG002
            raise LookupError

    source = Source()
    source.buf.write(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\n")
    with pytest.raises(LookupError):
        Request(Config(), source, ("", 0))
    source = Source()
    source.buf.write(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nbody")
    head = Request(Config(), source, ("", 0))
    assert source.buf.getvalue() == b"body"
    assert head.headers == [("CONTENT-LENGTH", "9")]
    assert head.body is not None
    assert isinstance(head.body.reader, LengthReader)
    assert head.body.reader.length == 9


def test_chunk_extensions_are_matched_as_the_reader_matches_them() -> None:
    assert CHUNK_EXT_RE.fullmatch(b"")
    assert CHUNK_EXT_RE.fullmatch(b' ; name = "a value";other')
    assert not CHUNK_EXT_RE.fullmatch(b";=")
    assert "CHUNK_EXT_RE.fullmatch(" in inspect.getsource(ChunkedReader)


def test_the_parser_records_an_expectation_of_100_continue() -> None:
    source = Unreader()
    source.buf.write(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\n\r\n")
    assert vars(Request(Config(), source, ("", 0)))["_expected_100_continue"] is True


def test_default_limits_of_header_fields() -> None:
    config = Config()
    assert config.limit_request_fields == 100
    assert config.limit_request_field_size == 8190


def test_all_parser_errors_but_one_are_parse_exceptions() -> None:
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    ]
    others = {kind for kind in kinds if not issubclass(kind, errors.ParseException)}
    assert others == {errors.NoMoreData}
