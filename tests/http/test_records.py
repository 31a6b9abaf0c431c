"""Records over HTTP: as JSON, text or a picture, and replays of text."""

from __future__ import annotations

import hashlib
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.http.client import Api, Reply

SVG = "{http://www.w3.org/2000/svg}"
TEXT = {"Accept": "text/plain"}
PICTURE = {"Accept": "image/svg+xml"}
PLAIN = {"Content-Type": "text/plain"}
DECK = ["4S", "7H", "QC", "4D", "KD"]
VARY = "Accept, Accept-Language"


def path_of(game: Mapping[str, Any]) -> str:
    return f"/v1/games/{game['id']}/record"


def replay(api: Api, text: str, headers: Mapping[str, str] = PLAIN) -> Reply:
    return api.post_bytes("/v1/replays", text.encode(), headers)


def words(reply: Reply, tag: str) -> str:
    root = ET.fromstring(reply.raw)  # noqa: S314 - the project's own text
    found = root.find(SVG + tag)
    assert found is not None
    return "".join(found.itertext())


def test_a_game_as_a_line_of_text(api: Api) -> None:
    game = api.move(api.start(deck=DECK), 3, 0)
    api.play(game, "finish")
    reply = api.get(path_of(game), TEXT)
    text = "accordion deck=4S,7H,QC,4D,KD: 3-0 finish"
    assert reply.raw.decode() == text
    assert reply.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert reply.headers["Vary"] == VARY
    assert api.get(f"{path_of(game)}?format=text").raw == reply.raw
    watched = api.get(f"/v1/watch/{game['watch_id']}/record", TEXT)
    assert watched.raw == reply.raw
    record = api.get(path_of(game)).json
    assert replay(api, text).json == api.post("/v1/replays", record).json
    assert replay(api, text).json["status"] == "ended"


def test_a_game_as_a_picture(api: Api) -> None:
    game = api.move(api.start(deck=DECK), 3, 0)
    reply = api.get(path_of(game), PICTURE)
    assert reply.headers["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert reply.headers["Content-Language"] == "en"
    assert reply.headers["Vary"] == VARY
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    assert words(reply, "title") == "Accordion, action 1 of 1"
    assert words(reply, "desc").endswith("From left to right: 4♦ (2) 7♥ Q♣ K♦.")
    before = api.get(f"{path_of(game)}?format=svg&after=0")
    assert words(before, "desc").endswith("From left to right: 4♠ 7♥ Q♣ 4♦ K♦.")
    german = api.get(f"{path_of(game)}?format=svg&lang=de")
    assert words(german, "title") == "Akkordeon, Aktion 1 von 1"
    assert german.headers["Content-Language"] == "de"
    colours = api.get(f"{path_of(game)}?format=svg&four_colours=true")
    assert b"#1c5fd4" in colours.raw
    assert b"#1c5fd4" not in reply.raw


def test_each_format_has_its_own_etag(api: Api) -> None:
    path = path_of(api.start(seed="42"))
    french = PICTURE | {"Accept-Language": "fr"}
    replies = {
        api.get(path, form).headers["ETag"]: form
        for form in ({}, TEXT, PICTURE, french)
    }
    assert len(replies) == 4
    for tag in replies:
        for other, form in replies.items():
            status = api.get(path, {**form, "If-None-Match": tag}).status
            assert status == (304 if tag == other else 200)


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("*/*", "application/json"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "application/json"),
        ("image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8", "image/svg+xml"),
        ("application/json;q=0.5, text/plain", "text/plain"),
        ("audio/ogg", "application/json"),
    ],
)
def test_accept_chooses_the_format(api: Api, accept: str, media_type: str) -> None:
    reply = api.get(path_of(api.start(seed="42")), {"Accept": accept})
    assert reply.media_type == media_type


@pytest.mark.parametrize(
    ("query", "pointer", "expected"),
    [
        ("format=png", "/format", "`json`, `text` or `svg`"),
        ("format=svg&after=2", "/after", "from 0 to 1"),
        ("format=svg&after=-1", "/after", "from 0 to 200"),
        ("format=svg&after=x", "/after", "from 0 to 200"),
        ("after=1", "/after", "requires `format=svg`"),
        ("format=text&four_colours=true", "/four_colours", "requires `format=svg`"),
        ("format=svg&four_colours=1", "/four_colours", "`true` or `false`"),
    ],
)
def test_invalid_formats_are_refused(
    api: Api, query: str, pointer: str, expected: str
) -> None:
    game = api.move(api.start(deck=DECK), 3, 0)
    reply = api.get(f"{path_of(game)}?{query}")
    assert reply.status == 422
    assert expected in reply.faults[pointer]


def test_hidden_cards_and_seeds_are_in_no_format(api: Api) -> None:
    game = api.start(variant="royal-marriage", options={"layout": "stock"})
    game = api.play(game, "deal", count=2).json
    path = path_of(game)
    record = api.get(path).json
    assert (record["seed"], record["commitment"]) == (None, game["commitment"])
    hidden = api.get(path, TEXT).raw.decode()
    assert hidden == "royal-marriage ?: deal deal"
    picture = api.get(path, PICTURE)
    row = " ".join(game["row"]).translate(str.maketrans("CDHS", "♣♦♥♠"))
    row = row.replace("T", "10")
    goal = words(picture, "desc").partition(" Goal card")[0]
    assert f"From left to right: {row}. {game['stock']} cards are still" in goal
    for sent in (api.post("/v1/replays", record), replay(api, hidden)):
        assert (sent.status, sent.slug) == (409, "seed-hidden")
    api.play(game, "finish")
    revealed = api.get(path).json
    assert "commitment" not in revealed
    digest = hashlib.sha256(revealed["seed"].encode()).hexdigest()
    assert digest == record["commitment"]
    assert api.post("/v1/replays", revealed).json["valid"]
    assert replay(api, api.get(path, TEXT).raw.decode()).json["valid"]


def test_a_record_for_spectators_hides_the_deal(api: Api) -> None:
    for body in ({"seed": "42"}, {"deck": DECK}):
        game = api.start(**body, options={"layout": "stock"})
        record = api.get(f"/v1/watch/{game['watch_id']}/record").json
        assert "commitment" not in record
        assert api.post("/v1/replays", record).slug == "seed-hidden"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("accordion 42: 4-3 3_0", "The record is wrong at column 19. `/actions/1`"),
        ("chess 42:", "The record is wrong at column 1. A record begins with"),
        ('accordion "\\ud800":', "The record is wrong at column 11. A word in"),
        ("accordion source=pysol x:", "`/seed` must be a PySolFC game number"),
    ],
)
def test_an_invalid_text_is_refused(api: Api, text: str, expected: str) -> None:
    reply = replay(api, text)
    assert reply.status == 422
    (message,) = reply.faults.values()
    assert message.startswith(expected)


def test_the_reason_is_in_the_language_of_the_client(api: Api) -> None:
    reply = replay(api, "accordion:", PLAIN | {"Accept-Language": "de"})
    assert reply.faults == {
        "": "Die Aufzeichnung enthält an Stelle 10 einen Fehler. "
        "Vor dem Doppelpunkt fehlt der Startwert."
    }


def test_text_needs_its_media_type_and_utf_8(api: Api) -> None:
    text = "accordion 42:"
    assert replay(api, text, {"Content-Type": "text/html"}).status == 415
    latin = {"Content-Type": "text/plain; charset=latin-1"}
    assert replay(api, text, latin).status == 415
    assert replay(api, text).json["valid"]
    reply = api.post_bytes("/v1/replays", b"accordion \xff:", PLAIN)
    assert (reply.status, reply.slug) == (400, "malformed-request")
    moves = api.post_bytes("/v1/legal-moves", b"{}", PLAIN)
    assert moves.status == 415
