"""Logs: one JSON object a line, on standard error.

What is logged never holds a game's id, a seed, a key or a card: requests are told by
the name of their operation.
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
        os.write(_STDERR, msgspec.json.encode(line, enc_hook=str) + b"\n")
