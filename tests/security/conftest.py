from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from service.access.api_keys import add_key
from service.config import Settings
from service.http.app import create_app
from tests.http.client import Api

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask import Flask

    from service.store.redis import RedisStore
    from tests.servers import StoreServer


@pytest.fixture
def make_app(store: RedisStore, valkey_server: StoreServer) -> Callable[..., Flask]:
    """Makes an application on an empty store, with settings such as `rate_limit`."""

    def make(**settings: object) -> Flask:
        ours = {"redis_url": valkey_server.url} | settings
        return create_app(Settings(**ours), store)  # type: ignore[arg-type]

    return make


@pytest.fixture
def make_api(make_app: Callable[..., Flask]) -> Callable[..., Api]:
    """Makes such an application, and a client that checks its responses."""
    return lambda **settings: Api(make_app(**settings))


@pytest.fixture
def keys_file(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


@pytest.fixture
def new_key(keys_file: Path) -> Callable[..., str]:
    """Makes an API key with a name; its tenant is the same name unless given."""

    def make(name: str, tenant: str | None = None) -> str:
        return add_key(keys_file, name, tenant or name, date(2026, 1, 31))

    return make


def bearer_fields(key: str, **fields: str) -> dict[str, str]:
    """The header fields of a request with a key."""
    return {"Authorization": f"Bearer {key}", **fields}
