"""How log lines are written."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

_PROGRAM = """
from service.logs import write_line
write_line("accordion.requests", "request", {
    "method": "POST", "route": "/v1/games", "status": 201, "milliseconds": 4.2})
write_line("accordion.server", "client given up", {"waited_for": "the body"})
"""


def test_a_terminal_gets_a_readable_line_for_each_request() -> None:
    controller, terminal = os.openpty()
    subprocess.run([sys.executable, "-c", _PROGRAM], check=True, stderr=terminal)
    lines = os.read(controller, 4096).decode().splitlines()
    os.close(terminal)
    os.close(controller)
    assert re.fullmatch(r"\d\d:\d\d:\d\d POST /v1/games 201 4\.2 ms", lines[0])
    assert re.fullmatch(r"\d\d:\d\d:\d\d info: client given up .*the body", lines[1])


def test_other_outputs_get_json() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], check=True, capture_output=True, text=True
    )
    line = json.loads(done.stderr.splitlines()[0])
    assert (line["message"], line["status"]) == ("request", 201)
