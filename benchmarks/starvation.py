"""Measure moves during searches: `python -m benchmarks.starvation [gunicorn|granian]`.

Players make moves on the default server: alone, then while clients request analyses of
hard rows without pause, then while one client requests reviews of lost games. These
clients run in a separate process.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any, Final

from service.engine.play import ACTION_BYTES
from service.engine.variants import VARIANTS
from tests.process.traffic import ANALYSTS, PLAYERS, Traffic
from tests.servers import Service, free_port
from tools.review_games import PLAYERS as SIMULATED
from tools.review_games import play

_SECONDS: Final = 10
_WARM_UP_SECONDS: Final = 1
_MILLISECONDS: Final = 1000
_LOAD_SECONDS: Final = _SECONDS + 2 * _WARM_UP_SECONDS
_LOST_GAMES: Final = 300
_JSON: Final = {"Content-Type": "application/json"}


def analyse(service: Service) -> Counter[int]:
    """Request analyses; return the number of responses for each status."""
    found = Traffic(service, _LOAD_SECONDS, players=0, analysts=ANALYSTS)
    return Counter({status: count for (status, _), count in found.analyses.items()})


def review(service: Service, games: list[str]) -> Counter[int]:
    """Request reviews; return their number for each final status, 200 if ready."""
    end = monotonic() + _LOAD_SECONDS
    for game in games:
        service.request("POST", f"{game}/review")
    sleep(max(0.0, end - monotonic()))
    return Counter(service.request("GET", f"{game}/review").status for game in games)


def lose(service: Service, seed: int) -> str:
    """Play a deal at random to its end; return the path of the game."""
    _, line = play(VARIANTS["accordion"], seed, SIMULATED["random"])
    path = f"/v1/games/{_post(service, '/v1/games', seed=str(seed))['id']}"
    pairs = zip(line[::ACTION_BYTES], line[1::ACTION_BYTES], strict=True)
    moves = [{"from": origin, "to": target} for origin, target in pairs]
    _post(service, f"{path}/moves", moves=moves)
    _post(service, f"{path}/finish")
    return path


def _post(service: Service, path: str, **body: object) -> dict[str, Any]:
    response = service.request("POST", path, json.dumps(body).encode(), _JSON)
    found: dict[str, Any] = json.loads(response.body)
    return found


def load(folder: str, port: int, games: list[str]) -> Counter[int]:
    """Request reviews of the games, or analyses if there are none."""
    service = Service({"data_dir": folder})
    service.port = port
    return review(service, games) if games else analyse(service)


def main(server: str = "gunicorn") -> None:
    """Measure, and print the figures."""
    with TemporaryDirectory(prefix="acc") as folder:
        settings = {"data_dir": folder, "server": server, "workers": ""}
        with (
            Service({**settings, "port": free_port()}) as service,
            ProcessPoolExecutor(1) as pool,
        ):
            games = [lose(service, seed) for seed in range(1, _LOST_GAMES + 1)]
            _show("alone", Traffic(service, _SECONDS, players=PLAYERS, analysts=0))
            for name, ended in (("analyses", []), ("reviews", games)):
                loaded = pool.submit(load, folder, service.port, ended)
                sleep(_WARM_UP_SECONDS)
                traffic = Traffic(service, _SECONDS, players=PLAYERS, analysts=0)
                _show(f"beside {name}", traffic)
                print(name, dict(loaded.result()), flush=True)


def _show(name: str, traffic: Traffic) -> None:
    p99 = traffic.p99 * _MILLISECONDS
    print(f"{name}: {traffic.rate:.0f} moves/s, p99 {p99:.1f} ms", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
