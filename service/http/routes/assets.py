"""Routes of static files, such as the page of the game, served from memory."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from werkzeug.http import parse_accept_header, parse_etags

from service.http.operation import Answer, Operation, Route
from service.http.reply import HTML, Reply, empty_reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from service.http.request import Request

_CACHING: Final = "public, max-age=3600"
_GZIP: Final = "gzip"
_MEDIA_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "html": f"{HTML}; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml; charset=utf-8",
    "ts": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
}
"""The media type of a file, by its extension."""


def asset_routes(
    root: str, folder: Traversable, *, is_shared: bool = False
) -> Iterator[Route]:
    """Yield a route for each file of a known type in a folder and its subfolders.

    Args:
        root: The path under which the files are served.
        folder: The folder.
        is_shared: Whether pages of all origins may use the files.
    """
    for file in folder.iterdir():
        path = f"{root}/{file.name}"
        if file.is_dir():
            yield from asset_routes(path, file, is_shared=is_shared)
        elif _extension(file.name) in _MEDIA_TYPES:
            yield asset_route(path, file.read_bytes(), is_shared=is_shared)


def _extension(name: str) -> str:
    return name.rpartition(".")[2]


def asset_route(
    path: str,
    data: bytes,
    operation: Operation | None = None,
    *,
    is_shared: bool = False,
) -> Route:
    """Make the route of a file; the configured origins may frame it if it is a page."""
    media_type = _MEDIA_TYPES.get(_extension(path), _MEDIA_TYPES["html"])
    tag = sha256(data).hexdigest()[:16]
    plain = _FileVersion(tag, data, {"Content-Type": media_type})
    packed = _compressed(plain)

    def handle(request: Request) -> Reply:
        accepted = parse_accept_header(request.fields.get("Accept-Encoding"))
        reply = (packed if accepted[_GZIP] > 0 else plain).reply(request)
        # Also for a 304: its fields replace those that the browser has stored.
        reply.is_page = reply.may_be_framed = media_type.startswith(HTML)
        reply.is_shared = is_shared
        return reply

    return Route("GET", path, operation or _declare(path), handle)


@dataclass(frozen=True, slots=True)
class _FileVersion:
    """A file as it is sent: unchanged or compressed."""

    tag: str
    data: bytes
    fields: dict[str, str]

    def reply(self, request: Request) -> Reply:
        fields = {
            "Cache-Control": _CACHING,
            "ETag": f'"{self.tag}"',
            "Vary": "Accept-Encoding",
        }
        if parse_etags(request.fields.get("If-None-Match")).contains_weak(self.tag):
            return empty_reply(304, fields)
        return Reply(200, {**self.fields, **fields}, self.data)


def _compressed(plain: _FileVersion) -> _FileVersion:
    """Compress a file, unless that would not make it smaller."""
    data = gzip.compress(plain.data, mtime=0)
    if len(data) >= len(plain.data):
        return plain
    return _FileVersion(
        f"{plain.tag}-{_GZIP}", data, {**plain.fields, "Content-Encoding": _GZIP}
    )


def _declare(path: str) -> Operation:
    return Operation(
        f"getAsset:{path}",
        "Service",
        "Get a file of a page",
        "A file of a page.",
        answers=(Answer(200, "The file."),),
        is_documented=False,
    )
