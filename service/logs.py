"""Logs on standard error: readable lines on a terminal, else a JSON object a line.

What is logged never holds a game's id, a seed, a key or a card: a request is logged
by the name of its operation.
"""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import msgspec

from service.timestamps import MILLISECONDS, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping

_STDERR: Final = 2
_MEMBERS: Final = ("time", "level", "logger", "message", "trace")
"""The members of a line that are written in their own way for people."""


class StderrHandler(logging.Handler):
    """Writes log records to standard error, each as one line of JSON.

    The line is written at once and not buffered: on a full disk, what is left in a
    buffer would fail again when the process ends, and change its exit code.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Write the time, level, logger and message, and the trace if there is one."""
        line: dict[str, object] = {
            "time": stamp(int(record.created * MILLISECONDS)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _readable(record.getMessage()),
        }
        if record.exc_info:
            line["trace"] = _readable(_FORMATTER.formatException(record.exc_info))
        _write(line)


_FORMATTER: Final = logging.Formatter()


def _readable(text: str) -> str:
    """Escape what is not UTF-8, as in the name of a folder."""
    return text.encode(errors="backslashreplace").decode()


def log_to_stderr(level: str) -> None:
    """Have everything logged from a level on, as ``ACCORDION_LOG_LEVEL`` names it."""
    logging.basicConfig(level=level.upper(), handlers=[StderrHandler()])


def write_line(logger: str, message: str, details: Mapping[str, object]) -> None:
    """Write a line of level info straight to standard error.

    For lines that every request has: logging's own way takes five times as long.
    """
    _write(
        {
            "time": stamp(int(time.time() * MILLISECONDS)),
            "level": "info",
            "logger": logger,
            "message": message,
            **details,
        }
    )


def _write(line: Mapping[str, object]) -> None:
    """Write a line; where standard error takes none, on a full disk, it is lost."""
    with suppress(OSError):
        os.write(_STDERR, _encode(line) + b"\n")


def _encode(line: Mapping[str, object]) -> bytes:
    if os.isatty(_STDERR):
        return _for_people(line).encode()
    return msgspec.json.encode(line, enc_hook=str)


def _for_people(line: Mapping[str, object]) -> str:
    """Write a line: ``09:30:00 POST /v1/games 201 4.2 ms``, ``09:30:00 warning: …``."""
    clock = str(line["time"])[11:19]
    if "status" in line:
        where = line["route"] or "no such path"
        how = f"{line['status']} {line['milliseconds']} ms"
        return f"{clock} {line['method']} {where} {how}"
    details = [f" {name}={line[name]}" for name in line if name not in _MEMBERS]
    trace = f"\n{line['trace']}" if "trace" in line else ""
    return f"{clock} {line['level']}: {line['message']}{''.join(details)}{trace}"
