"""The command `review`, and records as one line of text on the command line."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from service.cli import main

RECORD = "accordion deck=5S,4S,7H,6S,4H: 1-0 3-0 finish"


def run(*words: str, typed: str | bytes) -> Result:
    return CliRunner().invoke(main, words, input=typed)


def test_a_review_as_text() -> None:
    result = run("review", typed=RECORD)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    line = lines.pop(5).split()
    assert (line[0], len(line)) == ("3-0", 4)
    assert lines == [
        "accordion: 2 actions, ended, 3 piles",
        "  after 0 to 0 actions: winnable",
        "  after 1 to 2 actions: lost, proved",
        "Action 0, 1-0, lost the game.",
        "This wins after 0 actions:",
        "Accuracy: 0.0%",
    ]


def test_a_review_of_a_record_in_json() -> None:
    record = {
        "format": "accordion-record/1",
        "variant": "accordion",
        "deck": ["5S", "4S", "7H", "6S", "4H"],
        "actions": ["1-0"],
    }
    result = run("review", "--json", "-", typed=json.dumps(record))
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["actions"] == [
        {"action": "1-0", "before": "winnable", "after": "unwinnable"}
    ]
    assert found["turning_point"] == 0


@pytest.mark.parametrize(
    ("typed", "exit_code", "message"),
    [
        ("accordion 42: 4_3", 2, "column 15. `/actions/0` must be `deal`"),
        (
            "accordion solvitaire: 4-3 \udcff".encode(errors="surrogateescape"),
            2,
            "UTF-8",
        ),
        (
            "accordion source=solvitaire x:",
            2,
            "`/seed` must be an integer from 0",
        ),
        ('{"format": 1}', 2, "/format"),
        ("accordion deck=4S,5S,6S: 1-0 2-0", 1, "action 1: 2-0: no-such-pile"),
    ],
)
def test_an_invalid_record_is_refused(
    typed: str | bytes, exit_code: int, message: str
) -> None:
    result = run("review", typed=typed)
    assert result.exit_code == exit_code
    assert message in result.output


def test_a_line_of_text_is_replayed() -> None:
    result = run("replay", typed=RECORD)
    assert result.exit_code == 0
    assert result.output.startswith("Valid: ended with 20 points, rated strong.")
