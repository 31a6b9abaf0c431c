"""Variants and their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.engine.variants import VARIANTS
from service.texts import LANGUAGES, variant_texts
from tests.http.client import document, find_operation

if TYPE_CHECKING:
    from tests.http.client import Api


def test_the_list(api: Api) -> None:
    reply = api.get("/v1/variants")
    assert [variant["key"] for variant in reply.json["variants"]] == list(VARIANTS)
    assert reply.headers["Content-Language"] == "en"
    assert reply.headers["Vary"] == "Accept-Language"


@pytest.mark.parametrize("key", VARIANTS)
def test_each_variant_by_its_names(api: Api, key: str) -> None:
    shown = api.get(f"/v1/variants/{key}").json
    assert shown["key"] == key
    assert shown in api.get("/v1/variants").json["variants"]
    for alias in VARIANTS[key].aliases:
        assert api.get(f"/v1/variants/{alias}").json == shown


def test_the_members_of_a_variant(api: Api) -> None:
    shown = api.get("/v1/variants/royal-marriage").json
    assert shown["aliases"] == ["betrothal", "coquette", "matrimony"]
    assert shown["name"] == "Royal Marriage"
    assert shown["effect"] == "remove-between"
    assert shown["distances"] == [2, 3]
    assert shown["goal_length"] == 2
    assert shown["deck_size"] == 52
    assert shown["pinned_cards"] == ["QH", "KH"]
    assert shown["names_goal_card"] is False
    assert shown["difficulties"] == ["easy", "medium", "hard"]
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


def test_only_deals_of_relaxed_accordion_have_no_grades(api: Api) -> None:
    shown = api.get("/v1/variants").json["variants"]
    without = [variant["key"] for variant in shown if not variant["difficulties"]]
    assert without == ["accordion-bidirectional"]


def test_the_numbers(api: Api) -> None:
    shown = api.get("/v1/variants/late-binding").json
    assert shown["scoring"] == {"per_card": 10, "win": 500, "time_bonus": 1200}
    assert shown["measured"] == {
        "deals": 1_000_000,
        "won": 469_978,
        "unknown": 0,
        "share": 0.469978,
    }
    assert shown["minutes"] == {"least": 2, "most": 5}
    piles = [
        (rating["rating"], rating["least_piles"], rating["most_piles"])
        for rating in shown["ratings"]
    ]
    assert piles == [("full", 1, 1), ("strong", 2, 3), ("moral", 4, 5)]
    removal = api.get("/v1/variants/bayan").json["ratings"]
    assert [(r["rating"], r["least_piles"], r["most_piles"]) for r in removal] == [
        ("full", None, None)
    ]


def test_the_options_have_names(api: Api) -> None:
    texts = api.get("/v1/variants/accordion").json["option_texts"]
    assert [option["option"] for option in texts][:3] == [
        "layout",
        "compulsory",
        "undo",
    ]
    compulsory = {choice["value"]: choice["name"] for choice in texts[1]["choices"]}
    assert compulsory == {False: "Free choice", True: "The rule of 1883"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", VARIANTS)
def test_every_text_in_every_language(api: Api, key: str, language: str) -> None:
    shown = api.get(f"/v1/variants/{key}?lang={language}").json
    for name, text in variant_texts(key, language).items():
        if name != "ratings":
            assert shown[name] == text
    every = api.get("/v1/variants", {"Accept-Language": language}).json["variants"]
    assert shown in every


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("en", "en"),
        ("en-GB", "en"),
        ("fr-CA, en;q=0.7", "fr"),
        ("fr-FR, en-US;q=0.7, en;q=0.3", "fr"),
        ("ar-EG", "ar"),
        ("tlh, nl;q=0.5", "nl"),
        ("tlh", "en"),
        ("*", "en"),
        ("zh-Hant-TW, *;q=0.1", "en"),
        ("", "en"),
        (";;q=,", "en"),
    ],
)
def test_the_language_is_negotiated(api: Api, accepted: str, language: str) -> None:
    fields = {"Accept-Language": accepted}
    for path in ("/v1/variants", "/v1/variants/bayan"):
        reply = api.get(path, fields)
        assert reply.headers["Content-Language"] == language
        assert reply.headers["Vary"] == "Accept-Language"


def test_lang_overrides_the_header_field(api: Api) -> None:
    fields = {"Accept-Language": "fr"}
    for path in ("/v1/variants", "/v1/variants/bayan"):
        reply = api.get(f"{path}?lang=de-CH", fields)
        assert reply.headers["Content-Language"] == "de"


@pytest.mark.parametrize("name", ["", "xx", "french", "*", "fr,de"])
def test_an_unknown_language_is_refused(api: Api, name: str) -> None:
    for path in ("/v1/variants", "/v1/variants/bayan"):
        reply = api.get(f"{path}?lang={name}", {"Accept-Language": "fr"})
        assert reply.faults == {
            "/lang": "`/lang` doit être `en`, `ar`, `de`, `fr` ou `nl`."
        }
        assert reply.headers["Content-Language"] == "fr"


def test_the_parameter_is_described() -> None:
    for method, path in (
        ("GET", "/v1/variants"),
        ("GET", "/v1/variants/bayan"),
        ("POST", "/v1/games/x/hint"),
    ):
        lang = find_operation(method, path)["parameters"][-1]
        assert (lang["in"], lang["name"]) == ("query", "lang")
        name = lang["schema"]["$ref"].rpartition("/")[2]
        assert document()["components"]["schemas"][name]["enum"] == list(LANGUAGES)
