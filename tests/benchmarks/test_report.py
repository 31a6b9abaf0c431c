from pathlib import Path

import pytest

from benchmarks.load_generator import Result
from benchmarks.report import Comparison, Row, Sample, plot, table


def sample(requests: int, cpu_seconds: float) -> Sample:
    result = Result(requests, 2.0, 0, 0, exhausted=False, p50_ms=1.0, p99_ms=3.0)
    return Sample(result, cpu_seconds)


COMPARISON = Comparison(sample(800, 0.8), (sample(900, 0.45), sample(1100, 0.55)))
SLOWER = Comparison(sample(400, 0.8), (sample(900, 0.45), sample(1100, 0.55)))
ROW = Row("key", "move", "move, API key", 0.9, [COMPARISON, SLOWER, COMPARISON])


def test_a_measurement_is_a_share_of_the_baselines_around_it() -> None:
    assert COMPARISON.rate == pytest.approx(0.8)
    assert COMPARISON.cpu == pytest.approx(2.0)
    assert ROW.rates == pytest.approx([0.4, 0.8, 0.8])


def test_the_table() -> None:
    lines = table([ROW, ROW._replace(goal=None)]).splitlines()
    assert lines[2:] == [
        "| move, API key | 0.90 | 0.80 (0.40 to 0.80) | 2.00 | 400 | 1000 | 3.0 |",
        "| move, API key |  | 0.80 (0.40 to 0.80) | 2.00 | 400 | 1000 | 3.0 |",
    ]
    assert len({line.count("|") for line in lines}) == 1


def test_the_json() -> None:
    assert ROW._replace(comparisons=[COMPARISON]).as_json() == {
        "configuration": "key",
        "workload": "move",
        "title": "move, API key",
        "goal": 0.9,
        "rate": [0.8],
        "cpu": [2.0],
        "rps": [400.0],
        "cpu_us": [1000.0],
        "p50_ms": [1.0],
        "p99_ms": [3.0],
        "baseline_rps": [450.0, 550.0],
        "baseline_cpu_us": [500.0, 500.0],
    }


@pytest.mark.parametrize("goal", [None, 0.9])
def test_the_plot_labels_its_marks(tmp_path: Path, goal: float | None) -> None:
    plot([ROW._replace(goal=goal)], tmp_path / "plot.svg")
    text = (tmp_path / "plot.svg").read_text()
    assert text.count("<svg") == 1
    assert ("<!-- goal -->" in text) is (goal is not None)
    assert "<!-- baseline -->" in text
    assert "<!-- move, API key -->" in text
