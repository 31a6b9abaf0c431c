import re

from click.testing import CliRunner

from benchmarks.memory import main


def test_memory_is_measured() -> None:
    shown = CliRunner().invoke(main, ["--games", "40", "--moves", "3"])
    assert shown.exit_code == 0, shown.output
    figure = re.search(r"(\d+) bytes per live game", shown.output)
    assert figure is not None
    assert int(figure[1]) > 100
    assert shown.output.count("worker ") == 2
