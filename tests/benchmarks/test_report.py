from pathlib import Path

import pytest

from loadtests.endpoints import ENDPOINTS
from loadtests.generator import Outcome
from loadtests.results import Compared, Row, Sample, plot, spread, table


def sample(requests: int, cpu_seconds: float) -> Sample:
    return Sample(
        Outcome(requests, 2.0, 0, 0, exhausted=False, p50=1.0, p90=2.0, p99=3.0),
        cpu_seconds,
    )


COMPARED = Compared(sample(800, 0.8), (sample(900, 0.45), sample(1100, 0.55)))


def test_a_measurement_is_a_share_of_the_floors_around_it() -> None:
    assert COMPARED.rate == pytest.approx(0.8)
    assert COMPARED.cpu == pytest.approx(2.0)


def test_a_spread_is_least_median_most() -> None:
    assert spread([3, 1, 2]) == (1, 2, 3)


def test_the_figures_in_a_table_and_in_json() -> None:
    rows = [Row("gunicorn", each, [COMPARED]) for each in ENDPOINTS]
    rows.append(Row("granian", ENDPOINTS[1], [COMPARED]))
    lines = table(rows).splitlines()
    assert len(lines) == 2 + len(rows)
    assert lines[2] == (
        "| create a game |  | 0.80 | 0.80 | 0.80 | 2.00 | 2.00 | 2.00 | 400 | 3.0 |"
    )
    assert lines[3].startswith("| get a game | 0.95 | 0.80 |")
    assert lines[-1].startswith("| granian: get a game |  | 0.80 |")
    assert len({line.count("|") for line in lines}) == 1
    assert rows[0].as_json() == {
        "server": "gunicorn",
        "endpoint": "create",
        "title": "create a game",
        "goal": None,
        "rate": {"least": 0.8, "median": 0.8, "most": 0.8},
        "cpu": pytest.approx({"least": 2.0, "median": 2.0, "most": 2.0}),
        "rps": [400.0],
        "floor_rps": [[450.0, 550.0]],
        "cpu_us": [1000.0],
        "p50_ms": [1.0],
        "p99_ms": [3.0],
    }
    assert [row.as_json()["goal"] for row in rows[1:4]] == [0.95, None, 0.80]
    assert rows[-1].as_json()["goal"] is None


@pytest.mark.parametrize(("endpoint", "has_goal"), [(0, False), (1, True)])
def test_a_plot_explains_its_marks(
    tmp_path: Path, endpoint: int, *, has_goal: bool
) -> None:
    plot([Row("gunicorn", ENDPOINTS[endpoint], [COMPARED])], tmp_path / "plot.svg")
    text = (tmp_path / "plot.svg").read_text()
    assert text.count("<svg") == 1
    assert ("<!-- goal -->" in text) is has_goal
    assert "<!-- the floor -->" in text
