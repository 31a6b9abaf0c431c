"""Versions: ETag, If-Match, If-None-Match; and Prefer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.http.client import Api, Reply

_DECK = ["4S", "7H", "QC", "4D", "KD"]
_WRITES: dict[str, dict[str, object]] = {
    "moves": {"from": 3, "to": 0},
    "undo": {},
    "redo": {},
    "deal": {},
    "finish": {},
}


def _write(api: Api, game: dict[str, Any], if_match: str) -> Reply:
    body = {"from": 3, "to": 0}
    return api.post(f"/v1/games/{game['id']}/moves", body, {"If-Match": if_match})


@pytest.mark.parametrize(
    "if_match",
    ['"1.1"', '"1.7"', '"1"', "*", '"1", "7"', '"7" , "1"', 'W/"7", "1"', ' "1" '],
)
def test_a_write_on_the_right_version(api: Api, if_match: str) -> None:
    reply = _write(api, api.start(deck=_DECK), if_match)
    assert (reply.status, reply.headers["ETag"]) == (200, '"2.2"')


@pytest.mark.parametrize(
    "if_match",
    [
        '"2"',
        '"0"',
        '"01"',
        'W/"1"',
        '"2", "3"',
        '""',
        '"1x"',
        '"2.1"',
        '"99999999999"',
        '"4294967296.1"',
        '"' + "9" * 40 + '"',
    ],
)
def test_a_write_on_the_wrong_version(api: Api, if_match: str) -> None:
    game = api.start(deck=_DECK)
    reply = _write(api, game, if_match)
    assert (reply.status, reply.slug) == (412, "version-mismatch")
    assert reply.json["version"] == 1
    assert reply.headers["ETag"] == '"1.1"'
    assert ("weak" in reply.json["detail"]) == if_match.startswith("W/")
    assert api.get(f"/v1/games/{game['id']}").json["version"] == 1
    reply = api.delete(f"/v1/games/{game['id']}", {"If-Match": if_match})
    assert (reply.status, reply.headers["ETag"]) == (412, '"1.1"')


@pytest.mark.parametrize("if_match", ["", "1", "1x", '"1', "x", '"1" "2"', '"1", x'])
def test_invalid_entity_tags_are_refused(api: Api, if_match: str) -> None:
    game = api.start(deck=_DECK)
    reply = _write(api, game, if_match)
    assert (reply.status, reply.slug) == (400, "malformed-request")
    assert api.get(f"/v1/games/{game['id']}").json["version"] == 1


@pytest.mark.parametrize("what", ["hint", "solution"])
def test_a_tag_from_before_a_hint_still_matches(api: Api, what: str) -> None:
    deck = ["4S", "4D", "4H"]
    game = api.start(deck=deck)
    path = f"/v1/games/{game['id']}"
    tag = api.get(path).headers["ETag"]
    hinted = api.post(f"{path}/{what}", {}, {"If-Match": tag})
    assert (hinted.status, hinted.json["version"]) == (200, 1)
    assert hinted.headers["ETag"] == '"1.2"' != tag
    assert api.get(path, {"If-None-Match": tag}).json["hints_used"] == 1
    assert api.get(path, {"If-None-Match": hinted.headers["ETag"]}).status == 304
    moved = api.post(f"{path}/moves", {"from": 1, "to": 0}, {"If-Match": tag})
    assert (moved.status, moved.headers["ETag"]) == (200, '"2.3"')
    assert moved.json["hints_used"] == 1
    again = api.post(f"{path}/{what}", {}, {"If-Match": tag})
    assert (again.status, again.headers["ETag"]) == (412, '"2.3"')


def test_a_missing_condition_for_an_unknown_game_is_a_404(
    make_api: Callable[..., Api],
) -> None:
    api = make_api(require_if_match=True)
    assert api.post("/v1/games/none/finish").slug == "game-not-found"
    assert api.delete("/v1/games/none").slug == "game-not-found"


@pytest.mark.parametrize("if_match", ['W/"1"', 'W/"1", "2"', 'W/"7"'])
def test_a_weak_tag_never_matches_and_the_412_explains_it(
    api: Api, if_match: str
) -> None:
    reply = _write(api, api.start(deck=_DECK), if_match)
    assert (reply.status, reply.slug) == (412, "version-mismatch")
    assert reply.json["version"] == 1
    assert reply.json["detail"] == (
        "A weak ETag (`W/`) never matches in `If-Match`. The current version is 1."
    )
    strong = _write(api, api.start(deck=_DECK), '"2"')
    assert strong.json["detail"] == "The current version is 1."


@pytest.mark.parametrize(
    "if_match", ["", "1", "1x", '"1', "W/1", '"2", 1', '"1" "2"', ",", "*, *"]
)
def test_an_unquoted_tag_is_a_400(api: Api, if_match: str) -> None:
    game = api.start(deck=_DECK)
    reply = _write(api, game, if_match)
    assert (reply.status, reply.slug) == (400, "malformed-request")
    assert reply.json["detail"] == "`If-Match` must list ETags in double quotes."
    assert api.get(f"/v1/games/{game['id']}").json["version"] == 1


def test_the_same_write_twice(api: Api) -> None:
    game = api.start(deck=_DECK)
    assert _write(api, game, '"1"').status == 200
    reply = _write(api, game, '"1"')
    assert reply.status == 412
    assert reply.json["version"] == 2


@pytest.mark.parametrize("action", _WRITES)
def test_every_write_checks_if_match(api: Api, action: str) -> None:
    game = api.start(deck=_DECK)
    path = f"/v1/games/{game['id']}/{action}"
    reply = api.post(path, _WRITES[action], {"If-Match": '"5"'})
    assert (reply.status, reply.json["version"]) == (412, 1)


def test_deleting_checks_if_match(api: Api) -> None:
    game = api.start(deck=_DECK)
    path = f"/v1/games/{game['id']}"
    assert api.delete(path, {"If-Match": '"2"'}).slug == "version-mismatch"
    assert api.delete(path, {"If-Match": '"2", "3"'}).slug == "version-mismatch"
    assert api.delete(path, {"If-Match": '"1"'}).status == 204


def test_conditions_on_an_unknown_game(api: Api) -> None:
    for if_match in ('"1"', "*", '"1", "2"'):
        assert _write(api, {"id": "x"}, if_match).slug == "game-not-found"


def test_a_service_that_requires_if_match(make_api: Callable[..., Api]) -> None:
    api = make_api(require_if_match=True)
    game = api.start(deck=_DECK)
    path = f"/v1/games/{game['id']}"
    for action, body in _WRITES.items():
        reply = api.post(f"{path}/{action}", body)
        assert (reply.status, reply.slug) == (428, "precondition-required")
    assert api.delete(path).slug == "precondition-required"
    assert api.get(path).json["version"] == 1
    assert _write(api, game, "*").status == 200
    assert _write(api, game, '"2"').status == 200
    assert api.delete(path, {"If-Match": '"3"'}).status == 204


@pytest.mark.parametrize("part", ["", "/legal-moves", "/record"])
@pytest.mark.parametrize("tag", ['"1.1"', 'W/"1.1"', '"7.7", "1.1"', "*"])
def test_a_current_tag_gives_304(api: Api, part: str, tag: str) -> None:
    game = api.start(deck=_DECK)
    path = f"/v1/games/{game['id']}{part}"
    reply = api.get(path, {"If-None-Match": tag})
    assert (reply.status, reply.raw) == (304, b"")
    assert reply.headers["ETag"] == '"1.1"'
    assert reply.headers["Cache-Control"] == "private, no-cache"
    assert api.ask("HEAD", path, headers={"If-None-Match": tag}).status == 304
    api.move(game, 3, 0)
    if tag != "*":
        assert api.get(path, {"If-None-Match": tag}).status == 200


@pytest.mark.parametrize("tag", ['"1"', '"1.2"', '"2"', '"0"', "", "x"])
def test_an_outdated_or_invalid_tag_gives_200(api: Api, tag: str) -> None:
    game = api.start(deck=_DECK)
    path = f"/v1/games/{game['id']}"
    assert api.get(path, {"If-None-Match": tag}).status == 200


@pytest.mark.parametrize(
    "prefer",
    [
        "return=minimal",
        'return="minimal"',
        "Return = minimal",
        "respond-async, return=minimal",
        "return=minimal; x=1, wait=3",
    ],
)
def test_minimal_responses(api: Api, prefer: str) -> None:
    fields = {"Prefer": prefer}
    created = api.post("/v1/games", {"deck": _DECK}, fields)
    assert (created.status, created.raw) == (204, b"")
    assert created.headers["ETag"] == '"1.1"'
    assert created.headers["Preference-Applied"] == "return=minimal"
    path = created.headers["Location"]
    moved = api.post(f"{path}/moves", {"from": 3, "to": 0}, fields)
    assert (moved.status, moved.raw) == (204, b"")
    assert moved.headers["ETag"] == '"2.2"'
    assert moved.headers["Preference-Applied"] == "return=minimal"
    assert api.get(path, fields).json["version"] == 2
    refused = api.post(f"{path}/moves", {"from": 3, "to": 1}, fields)
    assert refused.slug == "illegal-move"


@pytest.mark.parametrize(
    "prefer",
    ["return=representation", "minimal", "return=minimally", "xreturn=minimal"],
)
def test_full_responses(api: Api, prefer: str) -> None:
    reply = api.post("/v1/games", {}, {"Prefer": prefer})
    assert reply.status == 201
    assert "Preference-Applied" not in reply.headers
