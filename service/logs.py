"""Logs on standard error: readable text on a terminal, else one JSON object per line.

Log lines never contain the id of a game, a seed, a key or a card; a request is logged
by the name of its operation.
"""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import msgspec

from service.timestamps import SECOND_MS, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping

_STDERR: Final = 2
_MEMBERS: Final = ("time", "level", "logger", "message", "trace")
"""The members of a line that are not appended as ``name=value`` for people."""


class StderrHandler(logging.Handler):
    """Writes log records to standard error, without a buffer.

    On a full disk, buffered lines would be written again when the process exits; the
    failure would change its exit code.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Write the time, level, logger and message, and the traceback, if any."""
        line: dict[str, object] = {
            "time": stamp(int(record.created * SECOND_MS)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _readable(record.getMessage()),
        }
        if record.exc_info:
            line["trace"] = _readable(_FORMATTER.formatException(record.exc_info))
        _write(line)


_FORMATTER: Final = logging.Formatter()


def _readable(text: str) -> str:
    """Escape what cannot be encoded in UTF-8, such as parts of a folder's name."""
    return text.encode(errors="backslashreplace").decode()


def log_to_stderr(level: str) -> None:
    """Log everything from a level of ``ACCORDION_LOG_LEVEL`` upwards."""
    logging.basicConfig(level=level.upper(), handlers=[StderrHandler()])


def write_line(logger: str, message: str, details: Mapping[str, object]) -> None:
    """Write a line of level info to standard error, without ``logging``.

    It is for lines written for every request: ``logging`` takes five times as long.
    """
    _write(
        {
            "time": stamp(int(time.time() * SECOND_MS)),
            "level": "info",
            "logger": logger,
            "message": message,
            **details,
        }
    )


def _write(line: Mapping[str, object]) -> None:
    """Write a line; it is lost if it cannot be written, as on a full disk."""
    with suppress(OSError):
        os.write(_STDERR, _encode(line) + b"\n")


def _encode(line: Mapping[str, object]) -> bytes:
    if os.isatty(_STDERR):
        return _for_people(line).encode()
    return msgspec.json.encode(line, enc_hook=str)


def _for_people(line: Mapping[str, object]) -> str:
    """Format a line: ``09:30:00 POST /v1/games 201 4.2 ms``, ``09:30:00 info: …``."""
    clock = str(line["time"])[11:19]
    if "status" in line:
        where = line["route"] or "no such path"
        how = f"{line['status']} {line['milliseconds']} ms"
        return f"{clock} {line['method']} {where} {how}"
    details = [f" {name}={line[name]}" for name in line if name not in _MEMBERS]
    trace = f"\n{line['trace']}" if "trace" in line else ""
    return f"{clock} {line['level']}: {line['message']}{''.join(details)}{trace}"
