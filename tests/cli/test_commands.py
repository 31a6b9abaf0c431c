"""The command line: its output, errors and exit codes."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import service
from service.cli import main
from service.engine.variants import VARIANTS

if TYPE_CHECKING:
    from click.testing import Result

_RECORD = {
    "format": "accordion-record/1",
    "variant": "accordion",
    "options": {"layout": "open", "compulsory": False, "undo": "unlimited"},
    "deck": ["4S", "7H", "QC", "4D", "KD"],
    "actions": ["3-0", "3-0", "finish"],
}
_COMMANDS = [
    "deal",
    "keys",
    "openapi",
    "players",
    "replay",
    "serve",
    "store",
    "variants",
]


def run(*words: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(main, words, input=typed)


def replay(*words: str, **changes: object) -> Result:
    return run("replay", *words, typed=json.dumps(_RECORD | changes))


def test_version() -> None:
    assert run("--version").output == f"accordion, version {service.__version__}\n"


@pytest.mark.parametrize("name", _COMMANDS)
def test_help_describes_each_command(name: str) -> None:
    assert name in run("--help").output
    result = run(name, "--help")
    assert result.exit_code == 0
    assert len(result.output.splitlines()) > 5
    assert "\\b" not in result.output


def test_help_keeps_each_example_on_one_line() -> None:
    assert "\n    accordion deal 42\n" in run("deal", "--help").output


def test_a_deal_as_text() -> None:
    lines = run("deal", "42").output.splitlines()
    assert lines[0] == "accordion, accordion/1 42"
    assert lines[1] == "  8H QD 2D QC QH TC KC 4D KS 8S 3S 5H TD"
    assert sum(len(line.split()) for line in lines[1:]) == 52


def test_a_deal_as_json() -> None:
    result = run("deal", "11982", "--source", "pysol", "--variant", "queens", "--json")
    deal = json.loads(result.output)
    assert (deal["source"], deal["seed"]) == ("pysol", "11982")
    assert deal["variant"] == "push-pin"
    assert deal["cards"][:3] == ["AH", "AS", "4H"]
    assert deal["goal_card"] is None


def test_a_pysol_deal_shows_its_pysol_game_number() -> None:
    result = run("deal", "00012345", "--source", "pysol").output
    assert result.startswith("accordion, pysol 00012345 (ms12345)\n")


def test_a_goal_card_is_shown() -> None:
    assert "  goal 8C\n" in run("deal", "42", "--variant", "accordions-revenge").output


def test_a_negative_seed() -> None:
    assert run("deal", "--", "-1").output.split()[3:6] == ["9S", "KD", "QH"]


@pytest.mark.parametrize("source", ["accordion/1", "pysol", "solvitaire"])
def test_a_random_deal(source: str) -> None:
    one, two = (run("deal", "--json", "--source", source).output for _ in range(2))
    assert json.loads(one)["seed"] != json.loads(two)["seed"]
    assert len(json.loads(one)["cards"]) == 52


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ms0", "--source", "pysol"], "`SEED` must be a PySolFC game number"),
        ([""], "`SEED` must be a string of 1 to 64 characters"),
        (["x" * 65], "`SEED` must be a string of 1 to 64 characters"),
        (["two\nlines"], "`SEED` must be a string of 1 to 64 characters"),
        (["x", "--variant", "nosuch"], "No variant is named `nosuch`."),
        (["x", "--source", "nosuch"], "'nosuch' is not one of"),
    ],
)
def test_an_invalid_deal_is_refused(words: list[str], message: str) -> None:
    result = run("deal", *words)
    assert result.exit_code == 2
    assert message in result.output


def test_a_valid_record() -> None:
    result = replay()
    assert result.exit_code == 0
    assert result.output == (
        "Valid: ended with 20 points, rated strong.\nRow: KD 7H QC\n"
    )
    assert json.loads(replay("--json").output)["row"] == ["KD", "7H", "QC"]


def test_a_record_that_breaks_the_rules() -> None:
    result = replay(actions=["3-0", "2-0"])
    assert result.exit_code == 1
    assert result.output == "Not valid: action 1 is refused (distance).\n"


def test_an_invalid_record_is_refused() -> None:
    result = replay(deck=["4X"])
    assert result.exit_code == 2
    assert result.output == (
        "accordion: `/deck/0` is not a valid card: `4X`. Write cards as `TD`, `10d` or "
        "`T♦`.\n"
    )
    result = replay(deck=["4S", "4S"], seeds=1)
    assert result.output == (
        "accordion: `/deck/1` repeats the card 4♠.\n"
        "accordion: Unknown field: `/seeds`.\n"
    )
    result = replay(actions=["3-0", "3:0"])
    assert result.exit_code == 2
    assert result.output == (
        "accordion: `/actions/1` must be `deal`, `finish` or a move such as `4-3`.\n"
    )
    result = run("replay", typed="{")
    assert result.exit_code == 2
    assert result.output == "accordion: The body is not valid JSON: line 1, column 2.\n"


def test_a_record_with_an_invalid_seed_is_refused() -> None:
    record = {key: value for key, value in _RECORD.items() if key != "deck"}
    typed = json.dumps(record | {"source": "solvitaire", "seed": "x", "actions": []})
    result = run("replay", typed=typed)
    assert result.exit_code == 2
    assert "`/seed` must be an integer from 0 to 4294967295." in result.output


def test_variants_have_names_and_rules() -> None:
    output = run("variants").output
    assert "royal-marriage: Royal Marriage\n" in output
    assert "Aliases: betrothal, coquette, matrimony." in " ".join(output.split())


def test_variants_as_json() -> None:
    found = json.loads(run("variants", "--json").output)["variants"]
    assert [variant["key"] for variant in found] == list(VARIANTS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nosuch"], "accordion: No such command 'nosuch'.\n"),
        (["--nosuch"], "accordion: No such option '--nosuch'.\n"),
        (["deal", "--source", "x"], "accordion: Invalid value for '--source': "),
        (["keys", "list", "--file", "/dev/null"], "accordion: "),
    ],
)
def test_errors_have_one_style(words: list[str], message: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.output
    assert "Error" not in result.output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.parametrize("words", [["deal", "42"], ["--help"], ["openapi"]])
def test_a_full_output_device_is_reported_in_a_sentence(words: list[str]) -> None:
    accordion = Path(sys.executable).with_name("accordion")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [accordion, *words], check=False, stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 1
    reason = os.strerror(errno.ENOSPC)
    assert done.stderr.decode() == f"accordion: Cannot write the output: {reason}.\n"
