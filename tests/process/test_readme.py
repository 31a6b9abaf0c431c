"""The commands and links in the README and the docs work."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Serve

_PROJECT = Path(__file__).parents[2]
_README = (_PROJECT / "README.md").read_text(encoding="utf-8")
_HOST = "http://127.0.0.1:8000"


def test_the_game_in_five_lines_is_played(served: Serve) -> None:
    block = re.search(r"## A game in five lines\s+```sh\n(.*?)```", _README, re.DOTALL)
    assert block is not None
    lines = block[1].strip().splitlines()
    assert len(lines) == 5
    script = "; echo;\n".join(lines).replace(_HOST, served(workers=1).url)
    result = subprocess.run(
        ["bash", "-ec", script], check=True, capture_output=True, text=True
    )
    hint, moved, solution = map(json.loads, result.stdout.split("\n")[2:])
    assert (hint["action"]["type"], hint["verdict"]) == ("move", "winnable")
    assert moved["moves"] == 1
    assert solution["verdict"] == "winnable"
    assert len(solution["actions"]) == len(moved["row"]) - 1


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node is installed")
def test_the_game_in_ten_lines_of_javascript_is_won(
    served: Serve, tmp_path: Path
) -> None:
    block = re.search(r"```js\n(.*?)```", _README, re.DOTALL)
    assert block is not None
    assert len(block[1].splitlines()) == 10
    program = tmp_path / "play.mjs"
    program.write_text(block[1].replace(_HOST, served(workers=1).url))
    result = subprocess.run(
        ["node", program], check=True, capture_output=True, text=True
    )
    assert re.fullmatch(r"won with 51 moves and \d+ points\n", result.stdout)


def test_every_command_of_the_api_tour_succeeds(served: Serve) -> None:
    tour = (_PROJECT / "docs" / "api.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", tour, re.DOTALL | re.MULTILINE)
    strict = 'curl() { command curl -sS --fail-with-body "$@"; }\n'
    script = strict + "".join(blocks).replace(_HOST, served(workers=1).url)
    result = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout[-500:] + result.stderr
    assert '"valid":true,"status":"ended"' in result.stdout


def test_every_link_to_a_file_exists() -> None:
    pages = [_PROJECT / "README.md", *(_PROJECT / "docs").glob("*.md")]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text):
            if "://" not in link:
                assert (page.parent / link).exists(), (page.name, link)
