"""The recorded facts under tests/oracles, as lists of entries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[1] / "oracles"


def load(name: str) -> list[dict[str, Any]]:
    text = (_FOLDER / f"{name}.json").read_text(encoding="utf-8")
    entries: list[dict[str, Any]] = json.loads(text)
    return entries
