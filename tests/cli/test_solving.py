"""The commands solve and winnability."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.cli.winnability import wilson_interval


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_solve_prints_each_move_and_the_row_it_leaves() -> None:
    result = run("solve", "--row", "4S 5S 6S 7H 7S")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["4S", "5S", "6S", "7H", "7S"]
    assert [len(line.split()) - 3 for line in lines[1:]] == [4, 3, 2, 1]


def test_solve_reports_that_no_line_wins() -> None:
    result = run("solve", "--row", "4S 7H QC 4D KD")
    assert result.exit_code == 1
    assert "proved" in result.stdout


def test_solve_takes_seeds_sources_and_goals() -> None:
    whole = run("solve", "--seed", "11982", "--source", "pysol")
    assert whole.exit_code == 0
    assert len(whole.stdout.splitlines()) == 52
    goal = run(
        "solve", "--variant", "accordions-revenge", "--row", "4S 5S 6S", "--goal", "6s"
    )
    assert goal.exit_code == 0
    assert "The goal card 6S is on top." in goal.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--seed", "1", "--row", "4S"),
        ("--seed", "1", "--goal", "4S"),
        ("--row", "4S 4S"),
        ("--row", "XX"),
        ("--seed", "x", "--source", "pysol"),
    ],
)
def test_solve_refuses_invalid_arguments(arguments: tuple[str, ...]) -> None:
    result = run("solve", *arguments)
    assert result.exit_code != 0
    assert "accordion: " in result.stderr


def test_solve_as_json() -> None:
    found = json.loads(run("solve", "--row", "4S 5S", "--json").stdout)
    assert found == {
        "variant": "accordion",
        "row": ["4S", "5S"],
        "goal_card": None,
        "verdict": "winnable",
        "line": [{"type": "move", "from": 1, "to": 0}],
    }


def test_winnability_counts_wins_and_draws_a_plot(tmp_path: Path) -> None:
    plot = tmp_path / "times.png"
    arguments = ("--variant", "push-pin", "--deals", "40", "--plot", str(plot))
    result = run("winnability", *arguments, "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert (report["won"], report["lost"], report["unknown"]) == (13, 27, 0)
    assert report["low"] < report["percent"] < report["high"]
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_winnability_reports_unknown_deals() -> None:
    result = run("winnability", "--deals", "5", "--from", "7", "--nodes", "1")
    assert result.exit_code == 0, result.output
    assert "accordion/1 7 to 11" in result.stdout
    assert "unknown" in result.stdout


def test_winnability_plays_hidden_cards_by_hints() -> None:
    arguments = ("--play", "hidden", "--deals", "2", "--nodes", "500", "--json")
    report = json.loads(run("winnability", *arguments).stdout)
    assert report["won"] + report["lost"] == 2
    assert report["mean_piles"] >= 1


def test_the_interval_is_the_wilson_score_interval() -> None:
    # Wilson 1927; the figures of many textbooks for 10 of 20.
    assert wilson_interval(10, 20) == pytest.approx((0.299, 0.701), abs=5e-4)
    assert wilson_interval(0, 50)[0] == 0.0
