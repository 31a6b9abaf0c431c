from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.config import Settings
from service.http.app import create_app
from tests.http.board_service import BoardService
from tests.http.client import Api

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from service.store.redis import RedisStore


@pytest.fixture
def make_api(store: RedisStore) -> Callable[..., Api]:
    """Makes an API with settings such as `require_if_match=True`."""

    def make(**settings: object) -> Api:
        return Api(create_app(Settings(**settings), store))  # type: ignore[arg-type]

    return make


@pytest.fixture
def api(make_api: Callable[..., Api]) -> Api:
    return make_api()


@pytest.fixture
def unreachable_store_api(short_folder: Path) -> Api:
    """An API whose store cannot be reached."""
    settings = Settings(redis_url=f"unix://{short_folder}/nowhere", store_timeout=0.05)
    return Api(create_app(settings))


@pytest.fixture
def service(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> BoardService:
    return BoardService(store, monkeypatch)
