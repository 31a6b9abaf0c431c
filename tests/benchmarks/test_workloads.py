"""Every endpoint of the benchmark, tried as before a measurement."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from flask import request

from loadtests.endpoints import BY_FLASK, ENDPOINTS, rehearse
from loadtests.site import Site, UnexpectedAnswerError
from loadtests.wire import Address
from service.config import Settings
from service.http.app import create_app
from tests.servers import Service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from werkzeug.wrappers import Response

    from service.store.redis import RedisStore

BY_KEY = {endpoint.key: endpoint for endpoint in ENDPOINTS}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with (
        TemporaryDirectory(prefix="acc") as folder,
        Service({"data_dir": folder, "workers": 2}) as service,
    ):
        yield Site(Address(service.host, service.port), 0)


@pytest.mark.parametrize("key", BY_KEY)
def test_every_answer_is_as_expected(site: Site, key: str) -> None:
    rehearse(BY_KEY[key], site)


def test_another_status_is_noticed(site: Site) -> None:
    wrong = BY_KEY["get-304"]._replace(status=200)
    with pytest.raises(UnexpectedAnswerError, match="get-304: status 304"):
        rehearse(wrong, site)


def test_a_move_by_flask_is_the_same_move_and_by_flask(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(Settings(), store)
    client = app.test_client()
    dispatch = app.full_dispatch_request
    dispatched: list[str] = []

    def note() -> Response:
        dispatched.append(request.path)
        return dispatch()

    monkeypatch.setattr(app, "full_dispatch_request", note)
    deck = {"deck": ["4S", "7H", "QC", "4D", "KD"]}
    shown = []
    for fields, by_flask in (({}, 0), (BY_FLASK, 1)):
        game = client.post("/v1/games", json=deck).json
        assert game is not None
        dispatched.clear()
        path = f"/v1/games/{game['id']}/moves"
        answer = client.post(path, json={"from": 3, "to": 0}, headers=fields)
        assert len(dispatched) == by_flask
        assert answer.status_code == 200
        assert answer.json is not None
        shown.append({key: answer.json[key] for key in ("row", "version", "score")})
    assert shown[0] == shown[1]
