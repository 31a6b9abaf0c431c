"""Variants and their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.engine.variants import VARIANTS
from service.http.texts import TEXTS

if TYPE_CHECKING:
    from tests.http.client import Api


def test_the_list(api: Api) -> None:
    reply = api.get("/v1/variants")
    assert [variant["key"] for variant in reply.json["variants"]] == list(VARIANTS)
    assert reply.headers["Content-Language"] == "en"
    assert reply.headers["Vary"] == "Accept-Language"


@pytest.mark.parametrize("key", VARIANTS)
def test_each_by_its_names(api: Api, key: str) -> None:
    shown = api.get(f"/v1/variants/{key}").json
    assert shown["key"] == key
    assert shown in api.get("/v1/variants").json["variants"]
    for alias in VARIANTS[key].aliases:
        assert api.get(f"/v1/variants/{alias}").json == shown


def test_what_a_client_needs_to_know(api: Api) -> None:
    shown = api.get("/v1/variants/royal-marriage").json
    assert shown["aliases"] == ["betrothal", "coquette", "matrimony"]
    assert shown["name"] == "Royal Marriage"
    assert shown["effect"] == "remove-between"
    assert shown["distances"] == [2, 3]
    assert shown["goal_length"] == 2
    assert shown["deck_size"] == 52
    assert shown["pinned_cards"] == ["QH", "KH"]
    assert shown["names_goal_card"] is False
    assert shown["options"] == {
        "layout": "stock",
        "compulsory": False,
        "undo": "unlimited",
        "hints": "allowed",
    }


@pytest.mark.parametrize("name", ["chess", "ACCORDION", "accordion ", "%00", "é"])
def test_unknown_names(api: Api, name: str) -> None:
    reply = api.get(f"/v1/variants/{name}")
    assert (reply.status, reply.slug) == (404, "variant-not-found")


@pytest.mark.parametrize("language", TEXTS)
def test_every_language_tells_every_variant(language: str) -> None:
    texts = TEXTS[language]["variants"]
    assert texts.keys() == VARIANTS.keys()
    for text in texts.values():
        assert text.keys() == {"name", "summary", "move", "win"}
        assert all(text.values())


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("en", "en"),
        ("en-GB", "en"),
        ("tlh, en;q=0.5", "en"),
        ("tlh", "en"),
        ("*", "en"),
        ("", "en"),
        (";;q=,", "en"),
    ],
)
def test_languages(api: Api, accepted: str, language: str) -> None:
    fields = {"Accept-Language": accepted}
    for path in ("/v1/variants", "/v1/variants/bayan"):
        assert api.get(path, fields).headers["Content-Language"] == language
