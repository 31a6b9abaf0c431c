"""Moves beside searches: `python -m benchmarks.starvation [gunicorn|granian]`.

Players move on the default server, alone and then beside clients, in a process of their
own, that ask for analyses of hard rows without pause.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory
from time import sleep
from typing import Final

from tests.process.traffic import ANALYSTS, PLAYERS, Traffic
from tests.servers import Service, free_port

_SECONDS: Final = 10
_BEGINNING_SECONDS: Final = 1
_MILLISECONDS: Final = 1000


def analyse(folder: str, port: int) -> dict[int, int]:
    """Ask for analyses; returns how many had each status."""
    service = Service({"data_dir": folder})
    service.port = port
    seconds = _SECONDS + 2 * _BEGINNING_SECONDS
    found = Traffic(service, seconds, players=0, analysts=ANALYSTS)
    return {status: count for (status, _), count in found.analyses.items()}


def main(server: str = "gunicorn") -> None:
    """Measure, and print the figures."""
    with TemporaryDirectory(prefix="acc") as folder:
        settings = {"data_dir": folder, "server": server, "workers": ""}
        with (
            Service({**settings, "port": free_port()}) as service,
            ProcessPoolExecutor(1) as pool,
        ):
            _show("alone", Traffic(service, _SECONDS, players=PLAYERS, analysts=0))
            analyses = pool.submit(analyse, folder, service.port)
            sleep(_BEGINNING_SECONDS)
            _show("beside", Traffic(service, _SECONDS, players=PLAYERS, analysts=0))
            print("analyses", analyses.result())


def _show(name: str, traffic: Traffic) -> None:
    p99 = traffic.p99 * _MILLISECONDS
    print(f"{name}: {traffic.rate:.0f} moves/s, p99 {p99:.1f} ms", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
