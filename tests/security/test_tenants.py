"""With keys configured: which requests need a key, and which games they can access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from service.access.api_keys import remove_key
from service.games.ids import key_of, watch_id_of
from tests.security.conftest import bearer_fields
from tests.security.routes import ask, routes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from flask import Flask
    from werkzeug.routing import Rule

    from service.store.redis import RedisStore
    from tests.http.client import Api
    from tests.servers import Response, Service

# --- which requests need a key


def test_every_route_below_v1_needs_a_key_and_no_other_does(
    new_key: Callable[..., str], keys_file: Path, make_app: Callable[..., Flask]
) -> None:
    key = new_key("ada")
    app = make_app(api_keys_file=keys_file)
    client = app.test_client()
    seen = set()
    for method, rule in routes_of(app):
        place = f"{method} {rule.rule}"
        bare = ask(client, method, rule, {})
        known = ask(client, method, rule, bearer_fields(key))
        if (method, rule.rule) in OPEN:
            assert bare.status_code in {200, 404}, place
        elif is_by_id(method, rule):
            assert bare.status_code == 404, place
        elif rule.rule.startswith("/v1/"):
            seen.add(rule.rule)
            assert bare.status_code == 401, place
            assert known.status_code not in {401, 500, 503}, place
        else:
            assert bare.status_code != 401, place
    assert {"/v1/games", "/v1/deals", "/v1/games/<game_id>"} <= seen


OPEN = {
    (method, path)
    for method in ("GET", "HEAD")
    for path in ("/v1/variants", "/v1/variants/<variant>", "/v1/deals")
}


def is_by_id(method: str, rule: Rule) -> bool:
    return bool(rule.arguments & {"game_id", "watch_id"}) and method != "DELETE"


def test_the_id_of_a_game_gives_access_to_it(
    new_key: Callable[..., str], keys_file: Path, make_app: Callable[..., Flask]
) -> None:
    portal, other = bearer_fields(new_key("portal")), bearer_fields(new_key("other"))
    app = make_app(api_keys_file=keys_file)
    client = app.test_client()
    body = {"seed": "1", "reference": "order-7"}
    game = client.post("/v1/games", json=body, headers=portal).get_json()
    assert game["id"].startswith("portal.")
    assert game["watch_id"].startswith("portal.")
    path = f"/v1/games/{game['id']}"
    assert client.get(path).get_json()["reference"] == "order-7"
    seen = client.get(f"/v1/watch/{game['watch_id']}").get_json()
    assert not {"id", "reference"} & seen.keys()
    move = game["legal_moves"][0]
    moved = client.post(f"{path}/moves", json=move)
    assert (moved.status_code, moved.get_json()["id"]) == (200, game["id"])
    assert client.get(path, headers=portal).get_json() == moved.get_json()
    assert client.get(path, headers=other).status_code == 404
    assert client.get(f"/v1/watch/{game['watch_id']}", headers=other).status_code == 404
    guess = bearer_fields("accordion_guess")
    assert client.get(path, headers=guess).status_code == 401
    assert client.get(path, headers={"Authorization": "Basic eA=="}).status_code == 401
    assert client.delete(path).status_code == 401
    assert client.delete(path, headers=other).status_code == 404
    assert client.delete(path, headers=portal).status_code == 204
    assert client.get(path).status_code == 404


def test_an_id_is_valid_only_for_the_tenant_it_names(
    new_key: Callable[..., str], keys_file: Path, make_app: Callable[..., Flask]
) -> None:
    portal, other = bearer_fields(new_key("portal")), bearer_fields(new_key("other"))
    client = make_app(api_keys_file=keys_file).test_client()
    game = client.post("/v1/games", json={}, headers=portal).get_json()
    watched = game["watch_id"].removeprefix("portal.")
    for forged in (f"other.{watched}", f".{watched}", f"portal.portal.{watched}"):
        for headers in ({}, portal, other):
            answer = client.get(f"/v1/watch/{forged}", headers=headers)
            assert answer.status_code == 404, (forged, headers)
    for forged in ("other." + game["id"].removeprefix("portal."), watched, "portal."):
        assert client.get(f"/v1/games/{forged}").status_code == 404


def test_old_ids_without_a_tenant_work_with_the_key(
    new_key: Callable[..., str],
    keys_file: Path,
    make_app: Callable[..., Flask],
    store: RedisStore,
) -> None:
    portal = bearer_fields(new_key("portal"))
    client = make_app(api_keys_file=keys_file).test_client()
    game = client.post("/v1/games", json={}, headers=portal).get_json()
    stored = store.load(key_of("portal", game["id"]))
    assert stored is not None
    assert store.create(key_of("portal", "anoldid"), stored.payload)
    assert client.get("/v1/games/anoldid", headers=portal).status_code == 200
    assert client.get("/v1/games/anoldid").status_code == 404
    watched = watch_id_of("anoldid")
    assert client.get(f"/v1/watch/{watched}", headers=portal).status_code == 200


def test_a_setting_requires_the_key_everywhere(
    new_key: Callable[..., str], keys_file: Path, make_app: Callable[..., Flask]
) -> None:
    portal = bearer_fields(new_key("portal"))
    app = make_app(api_keys_file=keys_file, keys_everywhere=True)
    client = app.test_client()
    game = client.post("/v1/games", json={}, headers=portal).get_json()
    for path in (
        f"/v1/games/{game['id']}",
        f"/v1/watch/{game['watch_id']}",
        "/v1/variants",
        "/v1/deals?seed=1",
    ):
        assert client.get(path).status_code == 401
        assert client.get(path, headers=portal).status_code == 200


def test_requests_by_id_alone_have_their_own_limit(
    new_key: Callable[..., str], keys_file: Path, make_app: Callable[..., Flask]
) -> None:
    portal = bearer_fields(new_key("portal"))
    app = make_app(
        api_keys_file=keys_file,
        id_rate_limit="2/day",
        rate_limit="5/day",
        store_timeout=5.0,
    )
    client = app.test_client()
    game = client.post("/v1/games", json={}, headers=portal).get_json()
    path = f"/v1/games/{game['id']}"
    answers = [client.get(path) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[0].headers["RateLimit-Policy"] == '"2/day";q=2;w=86400'
    known = [client.get(path, headers=portal) for _ in range(5)]
    assert [answer.status_code for answer in known] == [200, 200, 200, 200, 429]
    assert client.get("/v1/variants").headers["RateLimit-Policy"].startswith('"5/day"')


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1/none", "/v1/games/x/none"])
def test_without_a_key_unknown_paths_are_a_401(
    new_key: Callable[..., str],
    keys_file: Path,
    make_app: Callable[..., Flask],
    path: str,
) -> None:
    key = new_key("ada")
    client = make_app(api_keys_file=keys_file).test_client()
    for method in ("GET", "PATCH"):
        assert client.open(path, method=method).status_code == 401
        known = client.open(path, method=method, headers=bearer_fields(key))
        assert known.status_code == 404


@pytest.mark.parametrize(
    ("field", "challenge"),
    [
        (None, 'Bearer realm="accordion"'),
        ("", 'Bearer realm="accordion"'),
        ("Basic YTpi", 'Bearer realm="accordion"'),
        ("Bearer", 'Bearer realm="accordion", error="invalid_token"'),
        ("Bearer ", 'Bearer realm="accordion", error="invalid_token"'),
        ("Bearer accordion_x", 'Bearer realm="accordion", error="invalid_token"'),
        ("Bearer \xe9\xff", 'Bearer realm="accordion", error="invalid_token"'),
    ],
)
def test_a_request_without_a_valid_key_gets_a_challenge(
    new_key: Callable[..., str],
    keys_file: Path,
    make_api: Callable[..., Api],
    field: str | None,
    challenge: str,
) -> None:
    new_key("ada")
    api = make_api(api_keys_file=keys_file)
    headers = {} if field is None else {"Authorization": field}
    reply = api.get("/v1/deals/daily", headers)
    assert (reply.status, reply.slug) == (401, "unauthorized")
    assert reply.headers["WWW-Authenticate"] == challenge


def test_the_scheme_is_not_case_sensitive(
    new_key: Callable[..., str], keys_file: Path, make_api: Callable[..., Api]
) -> None:
    key = new_key("ada")
    api = make_api(api_keys_file=keys_file)
    for scheme in ("Bearer", "bearer", "BEARER", "Bearer "):
        headers = {"Authorization": f"{scheme} {key}"}
        assert api.get("/v1/variants", headers).status == 200


def test_a_key_works_and_stops_working_without_a_restart(
    new_key: Callable[..., str], keys_file: Path, make_api: Callable[..., Api]
) -> None:
    new_key("ada")
    api = make_api(api_keys_file=keys_file)
    bob = bearer_fields(new_key("bob"))
    assert api.get("/v1/variants", bob).status == 200
    remove_key(keys_file, "bob")
    assert api.get("/v1/variants", bob).status == 401


def test_responses_to_a_key_are_not_cached_by_shared_caches(
    new_key: Callable[..., str], keys_file: Path, make_api: Callable[..., Api]
) -> None:
    key = bearer_fields(new_key("ada"))
    deal = "/v1/deals?seed=1"
    guarded = make_api(api_keys_file=keys_file).get(deal, key)
    assert guarded.headers["Cache-Control"].startswith("private, max-age")
    assert make_api().get(deal).headers["Cache-Control"].startswith("public, max-age")


def test_a_response_without_a_body_has_no_cache_control(
    new_key: Callable[..., str], keys_file: Path, make_api: Callable[..., Api]
) -> None:
    key = bearer_fields(new_key("ada"))
    api = make_api(api_keys_file=keys_file)
    game = api.post("/v1/games", {"deck": ["4S", "4D"]}, key).json
    path = f"/v1/games/{game['id']}"
    minimal = key | {"Prefer": "return=minimal"}
    for reply in (
        api.ask("OPTIONS", path, headers=key),
        api.post(f"{path}/moves", {"from": 1, "to": 0}, minimal),
        api.delete(path, key),
    ):
        assert reply.status == 204
        assert "Cache-Control" not in reply.headers


# --- the games of a tenant


def test_every_route_answers_as_if_another_tenants_game_did_not_exist(
    new_key: Callable[..., str], keys_file: Path, make_app: Callable[..., Flask]
) -> None:
    ada, bob = bearer_fields(new_key("ada")), bearer_fields(new_key("bob"))
    app = make_app(api_keys_file=keys_file)
    client = app.test_client()
    game = client.post("/v1/games", json={"seed": "1"}, headers=ada).get_json()
    ids = {"game_id": game["id"], "watch_id": game["watch_id"]}
    own = ask_all(app, ada | {"If-Match": '"1"'}, ids, deleting=False)
    before = client.get(f"/v1/games/{game['id']}", headers=ada).get_json()
    for method in ("GET", "HEAD"):  # the game is on no board and has no review
        for path in ("games/<game_id>/leaderboard", "games/<game_id>/review"):
            del own[f"{method} /v1/{path}"]
        del own[f"{method} /v1/watch/<watch_id>/review"]
    theirs = ask_all(app, bob, ids, deleting=True)
    for answer in theirs.values():
        assert (
            answer[1].get("type", "/problems/game-not-found").endswith("game-not-found")
        )
    missing = ask_all(app, bob, {"game_id": "x", "watch_id": "x"}, deleting=True)
    assert len(theirs) >= 12
    assert {status for status, _ in own.values()} - {200, 409, 412} == set()
    assert {status for status, _ in theirs.values()} == {404}
    assert theirs == missing
    after = client.get(f"/v1/games/{game['id']}", headers=ada).get_json()
    assert without_time(after) == without_time(before)


def ask_all(
    app: Flask, headers: dict[str, str], ids: dict[str, str], *, deleting: bool
) -> dict[str, tuple[int, Any]]:
    """The status and the document, without `instance`, of each route of a game."""
    answers = {}
    for method, rule in routes_of(app):
        about_a_game = rule.arguments & {"game_id", "watch_id"}
        if not about_a_game or (method == "DELETE" and not deleting):
            continue
        answer = ask(app.test_client(), method, rule, headers, **ids)
        document = answer.get_json(silent=True) or {}
        document.pop("instance", None)
        answers[f"{method} {rule.rule}"] = (answer.status_code, document)
    return answers


def without_time(game: dict[str, Any]) -> dict[str, Any]:
    return game | {"elapsed_seconds": None, "score": None}


def test_idempotency_keys_belong_to_a_tenant(
    new_key: Callable[..., str], keys_file: Path, make_api: Callable[..., Api]
) -> None:
    retry = {"Idempotency-Key": "k"}
    ada, bob = (
        bearer_fields(new_key("ada")) | retry,
        bearer_fields(new_key("bob")) | retry,
    )
    api = make_api(api_keys_file=keys_file)
    first = api.post("/v1/games", {"seed": "1"}, ada)
    other = api.post("/v1/games", {"seed": "2"}, bob)
    again = api.post("/v1/games", {"seed": "1"}, ada)
    assert [first.status, other.status, again.status] == [201, 201, 201]
    assert first.json["id"] != other.json["id"]
    assert again.json["id"] == first.json["id"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in other.headers


def test_two_keys_of_one_tenant_share_its_games(
    new_key: Callable[..., str], keys_file: Path, make_api: Callable[..., Api]
) -> None:
    old, new = new_key("old", "portal"), new_key("new", "portal")
    api = make_api(api_keys_file=keys_file)
    game = api.post("/v1/games", {}, bearer_fields(old)).json
    assert api.get(f"/v1/games/{game['id']}", bearer_fields(new)).status == 200


def test_games_created_without_keys_are_not_found_with_a_key(
    new_key: Callable[..., str], keys_file: Path, make_api: Callable[..., Api]
) -> None:
    game = make_api().start()
    key = bearer_fields(new_key("ada"))
    api = make_api(api_keys_file=keys_file)
    assert api.get(f"/v1/games/{game['id']}", key).slug == "game-not-found"


# --- keys stay secret


def test_no_response_and_no_log_line_contains_a_key(
    new_key: Callable[..., str], keys_file: Path, served: Callable[..., Service]
) -> None:
    keys = [new_key("ada"), new_key("bob")]
    remove_key(keys_file, "bob")
    service = served(api_keys_file=keys_file, log_level="debug", rate_limit="9/second")

    def answers() -> Iterator[Response]:
        for key in keys:
            for path in ("/v1/variants", "/v1/none", "/livez", "/docs"):
                yield service.request("GET", path, headers=bearer_fields(key))
            fields = bearer_fields(key, **{"Content-Type": "application/json"})
            yield service.request("POST", "/v1/games", b'{"seed": true}', fields)
        keys_file.write_text("{")
        yield service.request("GET", "/v1/variants", headers=bearer_fields(keys[0]))
        store = service.store
        store.suspend()
        yield service.request("POST", "/v1/games", headers=bearer_fields(keys[0]))
        store.resume()

    given = list(answers())
    assert service.stop() == 0
    assert {answer.status for answer in given} == {200, 401, 404, 422, 503}
    log = service.output()
    assert "ACCORDION_API_KEYS_FILE" in log
    for key in keys:
        secret = key.removeprefix("accordion_")
        assert secret not in log
        assert not [each for each in given if secret in f"{each.headers}{each.body!r}"]
