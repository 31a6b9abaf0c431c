"""Golden games and move counts: every variant has them, and the engine agrees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from service.engine.play import Deal, DealRequest, Options, actions_of
from service.engine.ruleset import Layout
from service.engine.variants import VARIANTS
from service.games.records import read_actions
from tests.engine.golden_games import (
    COUNTS,
    FOLDER,
    begin,
    count_all,
    describe,
    play_golden,
)
from tests.engine.strategies import for_every_variant

if TYPE_CHECKING:
    from pathlib import Path

    from service.engine.play import Play
    from service.engine.ruleset import Ruleset


def _read(path: Path) -> Any:  # noqa: ANN401 - JSON of any shape
    return json.loads(path.read_text(encoding="utf-8"))


def _games(ruleset: Ruleset) -> list[dict[str, Any]]:
    games: list[dict[str, Any]] = _read(FOLDER / f"{ruleset.key}.json")
    return games


def _act(play: Play, text: str) -> Play:
    (action,) = actions_of(read_actions([text])[0])
    return play.run([DealRequest() if isinstance(action, Deal) else action])


@for_every_variant
def test_golden_games(ruleset: Ruleset) -> None:
    for game in _games(ruleset):
        options = Options(Layout(game["layout"]), compulsory=game["compulsory"])
        play = begin(ruleset, game["seed"], options)
        for step in game["steps"]:
            if step["action"] is not None:
                play = _act(play, step["action"])
            assert {"action": step["action"], **describe(play)} == step


@for_every_variant
def test_move_counts(ruleset: Ruleset) -> None:
    assert count_all(ruleset) == _read(COUNTS)[ruleset.key]


@for_every_variant
def test_golden_games_of_every_kind(ruleset: Ruleset) -> None:
    games = _games(ruleset)
    assert {game["layout"] for game in games} == set(Layout)
    assert "won" in {game["steps"][-1]["status"] for game in games}


def test_no_golden_file_without_its_variant() -> None:
    games = {path.stem for path in FOLDER.iterdir()} - {COUNTS.stem}
    assert games == set(_read(COUNTS)) == set(VARIANTS)


@pytest.mark.parametrize("variant", ["late-binding", "decade"])
def test_the_files_are_what_the_tool_writes(variant: str) -> None:
    played = json.loads(json.dumps(play_golden(VARIANTS[variant])))
    assert played == _games(VARIANTS[variant])
