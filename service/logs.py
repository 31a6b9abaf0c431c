"""Logs: one JSON object a line, on standard error.

What is logged never holds a game's id, a seed, a key or a card: requests are told by
the name of their operation.
"""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Final

import orjson

DETAILS: Final = "details"
"""The attribute of a log record that holds further members of its line."""


class JsonFormatter(logging.Formatter):
    """Writes a log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the time, level, logger and message, and the record's details."""
        time = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, object] = {
            "time": time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, DETAILS, {}),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


def log_to_stderr(level: str) -> None:
    """Have everything logged from a level on, as ``ACCORDION_LOG_LEVEL`` names it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler])
