"""A client that checks every response against the API description."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jsonschema_rs import Draft202012Validator, Registry

from service.config import Settings
from service.http.app import list_routes
from service.http.docs.openapi import describe
from service.http.errors.json_pointer import point
from service.http.errors.problem_types import PROBLEM_TYPES
from service.store.factory import open_store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask

JSON = "application/json"
PROBLEM_JSON = "application/problem+json"
_ROOT = "urn:api"
_NO_BODY = object()
_UNDESCRIBED = {
    400: "malformed-request",
    401: "unauthorized",
    404: "not-found",
    405: "method-not-allowed",
    414: "uri-too-long",
    429: "rate-limited",
}
"""The problems of paths and methods that are not in the description, by status."""
_OPTIONAL_FIELDS = {"Link", "Idempotent-Replayed", "RateLimit", "RateLimit-Policy"}
"""The described header fields that only some responses have."""


@cache
def document() -> dict[str, Any]:
    settings = Settings()
    return describe(list_routes(settings, open_store(settings)))


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    raw: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.raw)

    @property
    def media_type(self) -> str:
        return self.headers.get("Content-Type", "").split(";")[0]

    @property
    def slug(self) -> str:
        """The type of the problem, without its prefix."""
        assert self.media_type == PROBLEM_JSON, self.raw
        return str(self.json["type"]).removeprefix("/problems/")

    @property
    def faults(self) -> dict[str, str]:
        """The details of a validation error, by JSON pointer."""
        assert self.slug == "validation-error", self.raw
        return {fault["pointer"]: fault["detail"] for fault in self.json["errors"]}


class Api:
    """Sends requests to an application, and checks the responses."""

    def __init__(self, app: Flask, key: str | None = None) -> None:
        self._client = app.test_client()
        if key is not None:
            self._client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {key}"

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Reply:
        return self.ask("GET", path, headers=headers)

    def post(
        self,
        path: str,
        value: object = _NO_BODY,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Post a value as JSON, or no body."""
        data = b"" if value is _NO_BODY else json.dumps(value).encode()
        return self.post_bytes(path, data, headers)

    def post_bytes(
        self, path: str, data: bytes, headers: Mapping[str, str] | None = None
    ) -> Reply:
        fields = {"Content-Type": JSON} if data else {}
        return self.ask("POST", path, data, fields | dict(headers or {}))

    def delete(self, path: str, headers: Mapping[str, str] | None = None) -> Reply:
        return self.ask("DELETE", path, headers=headers)

    def ask(
        self,
        method: str,
        path: str,
        data: bytes = b"",
        headers: Mapping[str, str] | None = None,
        **environ: Any,  # noqa: ANN401
    ) -> Reply:
        with self._client.open(
            path, method=method, data=data, headers=dict(headers or {}), **environ
        ) as answer:
            reply = Reply(answer.status_code, dict(answer.headers), answer.data)
        check(method, path.partition("?")[0], reply)
        return reply

    def start(self, **body: object) -> Any:  # noqa: ANN401
        """Start a game."""
        reply = self.post("/v1/games", body)
        assert reply.status == 201, reply.raw
        return reply.json

    def play(self, game: Mapping[str, Any], action: str, **body: object) -> Reply:
        return self.post(f"/v1/games/{game['id']}/{action}", body)

    def move(self, game: Mapping[str, Any], origin: int, target: int) -> Any:  # noqa: ANN401
        reply = self.play(game, "moves", **{"from": origin, "to": target})
        assert reply.status == 200, reply.raw
        return reply.json


def check(method: str, path: str, reply: Reply) -> None:
    """Check that a response matches the description of its operation."""
    if method == "HEAD":
        assert reply.raw == b""
        return
    if reply.media_type == PROBLEM_JSON:
        _check_problem(reply)
    if method == "OPTIONS" or path.startswith(("/static/", "/page/", "/client/")):
        return
    operation = find_operation(method, path)
    if operation is None:
        assert reply.slug == _UNDESCRIBED[reply.status]
        return
    assert str(reply.status) in operation["responses"], (reply.status, reply.raw)
    answer = operation["responses"][str(reply.status)]
    described = answer.get("headers", {}).keys() - _OPTIONAL_FIELDS
    if reply.media_type == PROBLEM_JSON:
        described &= {*PROBLEM_TYPES[reply.slug].headers, "Content-Language", "Vary"}
    for name in described:
        assert name in reply.headers, name
    if "content" not in answer:
        assert reply.raw == b""
        return
    assert reply.media_type in answer["content"], reply.media_type
    if reply.media_type in {JSON, PROBLEM_JSON}:
        place = ("paths", _template(path) or "", method.lower(), "responses")
        content = (str(reply.status), "content", reply.media_type, "schema")
        validate((*place, *content), reply.json)


def find_operation(method: str, path: str) -> Any:  # noqa: ANN401
    return document()["paths"].get(_template(path), {}).get(method.lower())


def validate(place: tuple[str, ...], value: object) -> None:
    """Check a value against the schema at a path in the description."""
    errors = [
        (error.message, error.instance_path) for error in _at(place).iter_errors(value)
    ]
    assert not errors, (errors, value)


def _check_problem(reply: Reply) -> None:
    assert reply.json["status"] == reply.status
    validate(("components", "schemas", "Problem"), reply.json)


@cache
def _template(path: str) -> str | None:
    for template in sorted(document()["paths"], key=lambda t: t.count("{")):
        if re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), path):
            return str(template)
    return None


@cache
def _at(place: tuple[str, ...]) -> Draft202012Validator:
    return Draft202012Validator(
        {"$ref": f"{_ROOT}#{quote(point(*place))}"},
        registry=Registry([(_ROOT, document())]),
        validate_formats=True,
    )
