"""Names of players: which are valid, and which are of the same player."""

from __future__ import annotations

import pytest

from service.games.player_names import PlayerNameError, normalize_name, read_name

FAMILY = "👨\u200d👩\u200d👧\u200d👦"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ada", "Ada"),
        ("  Ada Lovelace\u00a0", "Ada Lovelace"),
        ("Zoe\u0308", "Zoë"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("👩🏽\u200d🚀", "👩🏽\u200d🚀"),
        (32 * FAMILY, 32 * FAMILY),
        ("❤\ufe0f", "❤\ufe0f"),
        ("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",) * 2,
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("山田\u3000太郎", "山田\u3000太郎"),
        ("葛\U000e0100", "葛\U000e0100"),
        ("<b>&;\"'", "<b>&;\"'"),
        ("x" * 32, "x" * 32),
    ],
)
def test_names_of_any_script(text: str, name: str) -> None:
    assert read_name(text) == name
    assert read_name(name) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\u00a0",
        "\u3164",
        "a\u3164",
        "\u115f",
        "\u2800",
        "\u0378",
        "\u200d",
        "\u200b",
        "a\u200db",
        "a\u200cb",
        "a\u202eb",
        "a\u2066b",
        "a\u00adb",
        "a\ufe0fb",
        "a\u00a0b",
        "a\nb",
        "a\tb",
        "\x00",
        "\ufeff",
        "\ue000",
        "\ud800",
        "\u0301",
        "/",
        "a/b",
        "\\",
        ".",
        "..",
        "x" * 33,
        33 * FAMILY,
        "e" + "\u0301" * 600,
    ],
)
def test_invisible_names_and_names_that_split_a_path_are_refused(text: str) -> None:
    with pytest.raises(PlayerNameError):
        read_name(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ADA"),
        ("Ada", "\uff21\uff44\uff41"),
        ("STRASSE", "straße"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("ﬁn", "FIN"),
    ],
)
def test_names_of_the_same_player(one: str, other: str) -> None:
    assert normalize_name(one) == normalize_name(other)


def test_names_of_different_players() -> None:
    assert len({normalize_name(name) for name in ("Ada", "Ida", "Adá", "A da")}) == 4
