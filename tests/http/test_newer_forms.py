"""Games that a newer release has written, during a rolling update."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.config import Settings
from service.games.codec import FORM
from service.http.app import create_app
from tests.security.routes import ask, routes_of

if TYPE_CHECKING:
    from service.store.redis import RedisStore
    from tests.servers import StoreServer


def test_a_stored_form_of_a_newer_release_is_a_503_on_every_route_of_a_game(
    store: RedisStore, valkey_server: StoreServer
) -> None:
    app = create_app(Settings(), store)
    client = app.test_client()
    game = client.post("/v1/games", json={}).get_json()
    with valkey_server.client() as server:
        (name,) = server.keys("g:*")
        value = bytes(server.get(name))
        newer = value[:4] + bytes([FORM + 1]) + value[5:]
        server.set(name, newer)
        tried = 0
        for method, rule in routes_of(app):
            if {"game_id", "watch_id"} & rule.arguments:
                ids = {"game_id": game["id"], "watch_id": game["watch_id"]}
                answer = ask(client, method, rule, {}, **ids)
                assert answer.status_code == 503, (method, rule.rule)
                assert int(answer.headers["Retry-After"]) > 0
                if method != "HEAD":
                    found = answer.get_json(force=True)["type"]
                    assert found == "/problems/store-unavailable"
                tried += 1
        assert tried > 15
        assert server.get(name) == newer
