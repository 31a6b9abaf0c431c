import re

from click.testing import CliRunner

from benchmarks.memory import main


def test_memory_is_measured() -> None:
    result = CliRunner().invoke(main, ["--games", "40", "--moves", "3"])
    assert result.exit_code == 0, result.output
    figure = re.search(r"(\d+) bytes per live game", result.output)
    assert figure is not None
    assert int(figure[1]) > 100
    assert result.output.count("worker ") == 2
