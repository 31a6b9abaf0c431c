"""Error messages: what was wrong, where, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from service.texts import problem_title

if TYPE_CHECKING:
    from tests.http.client import Api

_ROW = ["4S", "7H", "QC", "4D", "KD"]
_ROYAL_MARRIAGE = ["QH", "2C", "7D", "QD", "9D", "KH"]


@pytest.mark.parametrize(
    ("variant", "deck", "move", "detail"),
    [
        (
            "accordion",
            _ROW,
            (5, 4),
            "The row has no position 5: its positions are 0 to 4.",
        ),
        (
            "accordion",
            _ROW,
            (3, -1),
            "The row has no position -1: its positions are 0 to 4.",
        ),
        (
            "accordion",
            _ROW,
            (3, 1),
            "In this variant a pile moves by 1 or 3 positions, not by 2.",
        ),
        ("accordion", _ROW, (0, 1), "In this variant piles move only to the left."),
        (
            "accordion",
            _ROW,
            (1, 0),
            "7♥ and 4♠ have neither the same rank nor the same suit.",
        ),
        (
            "royal-marriage",
            _ROYAL_MARRIAGE,
            (4, 0),
            "In this variant the two cards must be 2 or 3 positions apart, not 4.",
        ),
        (
            "bayan",
            _ROW,
            (2, 0),
            "In this variant the two cards must be 1 or 3 positions apart, not 2.",
        ),
        ("decade", _ROW, (2, 2), "In this variant a run has 2 to 13 cards, not 1."),
        (
            "decade",
            ["7S", "8H"],
            (1, 0),
            "The values 7 + 8 add up to 15, not to 10, 20 or 30.",
        ),
        (
            "seven-up",
            ["6S", "8H"],
            (1, 1),
            "A card with the value 8 does not leave alone; only a seven does.",
        ),
    ],
)
def test_an_illegal_move_names_cards_distances_and_sums(
    api: Api, variant: str, deck: list[str], move: tuple[int, int], detail: str
) -> None:
    options = {"layout": "open"}
    game = api.start(variant=variant, deck=deck, options=options)
    reply = api.play(game, "moves", **{"from": move[0], "to": move[1]})
    assert reply.slug == "illegal-move"
    assert reply.json["detail"] == detail


@pytest.mark.parametrize(
    ("deck", "tapped", "detail"),
    [
        (_ROW, 1, "No legal move starts at position 1."),
        (_ROW, 9, "The row has no position 9: its positions are 0 to 4."),
        (
            ["4S", "7H", "4C", "4D"],
            3,
            "More than one legal move starts at position 3: set `to` to 0 or 2.",
        ),
    ],
)
def test_a_tap_with_no_move_or_several(
    api: Api, deck: list[str], tapped: int, detail: str
) -> None:
    game = api.start(deck=deck)
    assert api.play(game, "moves", **{"from": tapped}).json["detail"] == detail


def test_messages_about_counts(api: Api) -> None:
    game = api.start(deck=_ROW, options={"layout": "stock"})

    def detail(action: str, **body: object) -> str:
        return str(api.play(game, action, **body).json["detail"])

    assert detail("deal", count=9) == "Only 4 cards are left in the stock."
    assert detail("undo") == "There is no action to undo."
    assert detail("redo") == "There is no action to redo."
    api.play(game, "deal", count="all")
    assert detail("deal") == "The stock is empty."
    assert detail("undo", count=9) == "Only 4 actions can be undone."
    api.play(game, "undo")
    assert detail("deal", count=2) == "Only 1 card is left in the stock."
    assert detail("redo", count=2) == "Only 1 action can be redone."
    api.play(game, "finish")
    assert detail("undo") == "The player has ended the game."


@pytest.mark.parametrize(
    ("path", "body", "faults"),
    [
        (
            "/v1/games",
            {"seeds": 1},
            {"/seeds": "Unknown field: `/seeds`."},
        ),
        (
            "/v1/games",
            {"seed": 1.5},
            {
                "/seed": "`/seed` must be a string of 1 to 64 characters without "
                "control characters, or an integer."
            },
        ),
        (
            "/v1/games",
            {"seed": "1", "deck": _ROW},
            {"/deck": "`/deck` cannot be combined with `seed`."},
        ),
        (
            "/v1/games",
            {"goal_card": "4S"},
            {"/goal_card": "`/goal_card` requires `deck`."},
        ),
        (
            "/v1/games",
            {"options": {"undo": "some", "layout": 1}},
            {
                "/options/layout": "`/options/layout` must be `open` or `stock`.",
                "/options/undo": "`/options/undo` must be `unlimited` or `none`.",
            },
        ),
        (
            "/v1/games",
            {"deck": ["4S", "XX", 7, "4s"]},
            {
                "/deck/1": "`/deck/1` is not a valid card: `XX`. Write cards as `TD`, "
                "`10d` or `T♦`.",
                "/deck/2": "`/deck/2` must be a string.",
            },
        ),
        (
            "/v1/games",
            {"deck": ["4S", "TD", "10♦"]},
            {"/deck/2": "`/deck/2` repeats the card 10♦."},
        ),
        (
            "/v1/games",
            {"variant": "royal-marriage", "deck": _ROW},
            {
                "/deck": "`/deck` must begin with Q♥ and end with K♥ in this variant.",
            },
        ),
        (
            "/v1/games",
            {"source": "solvitaire", "options": {"layout": "stock"}},
            {
                "/seed": "`/seed` is required: a random seed of `solvitaire` would not "
                "stay secret in the stock layout, because there are too few."
            },
        ),
        (
            "/v1/games",
            {"daily": True, "options": {"layout": "stock"}},
            {
                "/options/layout": "`/options/layout` must be `open`: daily games of "
                "this variant use that layout."
            },
        ),
        (
            "/v1/deals",
            {"source": "dice"},
            {
                "/source": "`/source` must be `accordion/1`, `pysol` or `solvitaire`; "
                "no source of deals is named `dice`."
            },
        ),
        (
            "/v1/deals",
            {"source": "solvitaire", "seed": "-1"},
            {"/seed": "`/seed` must be an integer from 0 to 4294967295."},
        ),
        (
            "/v1/deals",
            {"source": "pysol", "seed": "x"},
            {
                "/seed": "`/seed` must be a PySolFC game number: a positive integer, "
                "or `ms1` to `ms8589934591`."
            },
        ),
        ("/v1/games", [], {"": "The request body must be an object."}),
        ("/v1/legal-moves", {}, {"/row": "`/row` is required."}),
        (
            "/v1/legal-moves",
            {"row": []},
            {"/row": "`/row` must be a list of 1 to 52 cards."},
        ),
    ],
)
def test_an_error_says_what_a_valid_value_would_be(
    api: Api, path: str, body: object, faults: dict[str, str]
) -> None:
    reply = api.post(path, body)
    assert reply.faults == faults
    one = next(iter(faults.values()))
    several = f"{len(faults)} values are not valid; `errors` describes each."
    assert reply.json["detail"] == (one if len(faults) == 1 else several)


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (b'{"seed": }', "The body is not valid JSON: line 1, column 10."),
        (b"\xff", "The body is not valid UTF-8."),
        (
            b'{"seed": "\\ud800"}',
            "The body contains an unpaired surrogate, which is not a character.",
        ),
        (b"[" * 30_000, "The body is nested too deeply."),
        (b"9" * 5_000, "The body contains a number with too many digits."),
        (
            b'{"a": 1, "a": 2}',
            "The body contains an object with a duplicate member name.",
        ),
        (b"[NaN]", "The body contains `NaN`, which is not valid JSON."),
        (b"[-Infinity]", "The body contains `-Infinity`, which is not valid JSON."),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_malformed_body_is_explained(api: Api, data: bytes, detail: str) -> None:
    reply = api.post_bytes("/v1/games", data)
    assert (reply.status, reply.json["detail"]) == (400, detail)


def test_other_refusals_are_explained(api: Api) -> None:
    game = f"/v1/games/{api.start(deck=_ROW)['id']}"

    def detail(method: str, path: str, data: bytes = b"", **fields: str) -> str:
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        if data:
            headers = {"Content-Type": "application/json"} | headers
        return str(api.ask(method, path, data, headers).json["detail"])

    assert detail("GET", "/v1/gmaes") == "Nothing was found at this path."
    assert detail("POST", f"{game}/moves") == "The body is empty; it must be JSON."
    assert detail("GET", game, b"{}") == "A GET request must not have a body."
    assert detail("PATCH", game) == "This resource supports DELETE, GET, HEAD, OPTIONS."
    assert detail("GET", "/v1/variants/x") == "No variant is named `x`."
    assert detail("GET", "/v1/deals?seed=%ff") == (
        "The query string is not valid UTF-8."
    )
    assert detail("GET", "/v1/deals?seed=1&seed=2") == (
        "The query parameter `/seed` appears more than once."
    )
    assert detail("POST", "/v1/games", b"{}", Content_Type="text/plain") == (
        "Send the body with the header field `Content-Type: application/json`, in "
        "UTF-8."
    )
    assert detail("POST", "/v1/games", b" " * 70_000) == (
        "The body must not be larger than 65536 bytes."
    )
    assert detail("GET", "/v1/deals/daily/9999-12-31").startswith(
        "9999-12-31 has not begun in UTC; today is 2"
    )


def test_a_compressed_body_is_a_415_with_an_explanation(api: Api) -> None:
    reply = api.post("/v1/games", {}, {"Content-Encoding": "gzip"})
    assert (reply.status, reply.slug) == (415, "unsupported-media-type")
    assert reply.json["detail"] == (
        "The body must not be compressed (`Content-Encoding`)."
    )
    assert reply.headers["Accept-Encoding"] == "identity"


def test_an_invalid_idempotency_key_is_explained(api: Api) -> None:
    reply = api.post("/v1/games", {}, {"Idempotency-Key": "a b"})
    text = (
        "The header field `Idempotency-Key` must have 16 to 255 visible ASCII "
        "characters."
    )
    assert (reply.status, reply.faults, reply.json["detail"]) == (422, {"": text}, text)


@pytest.mark.parametrize(
    ("accepted", "language", "detail"),
    [
        ("fr-CA, en;q=0.7", "fr", "7♥ et 4♠ n"),
        ("de", "de", "7♥ und 4♠"),
        ("tlh", "en", "7♥ and 4♠ have neither the same rank nor the same suit."),
    ],
)
def test_a_problem_is_in_the_language_of_the_client(
    api: Api, accepted: str, language: str, detail: str
) -> None:
    game: dict[str, Any] = api.start(deck=_ROW)
    path, fields = f"/v1/games/{game['id']}/moves", {"Accept-Language": accepted}
    reply = api.post(path, {"from": 1, "to": 0}, fields)
    assert reply.json["type"] == "/problems/illegal-move"
    assert reply.json["title"] == problem_title("illegal-move", language)
    assert reply.json["detail"].startswith(detail)
    assert reply.headers["Content-Language"] == language
    assert reply.headers["Vary"] == "Accept-Language"


def test_lang_chooses_the_language_of_a_problem_too(api: Api) -> None:
    french = api.get("/v1/variants/x?lang=fr", {"Accept-Language": "de"})
    assert french.headers["Content-Language"] == "fr"
    assert french.json["title"] == problem_title("variant-not-found", "fr")
    unknown = api.get("/v1/variants/x?lang=xx", {"Accept-Language": "de"})
    assert unknown.headers["Content-Language"] == "de"
    elsewhere = api.get("/v1/deals?lang=fr", {"Accept-Language": "de"})
    assert elsewhere.headers["Content-Language"] == "de"
    assert "/lang" in elsewhere.faults


def test_a_repeated_refusal_keeps_its_language(api: Api) -> None:
    path = f"/v1/games/{api.start(deck=_ROW)['id']}/moves"
    move, key = {"from": 1, "to": 0}, {"Idempotency-Key": "one"}
    first = api.post(path, move, key | {"Accept-Language": "fr"})
    again = api.post(path, move, key | {"Accept-Language": "de"})
    assert again.raw == first.raw
    assert again.headers["Content-Language"] == "fr"
    assert again.headers["Idempotent-Replayed"] == "true"
