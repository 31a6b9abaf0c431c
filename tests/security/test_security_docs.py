"""The tests that docs/security.md names exist."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def names_in(path: Path) -> set[str]:
    module = ast.parse(path.read_text())
    return {item.name for item in module.body if isinstance(item, ast.FunctionDef)}


def test_every_promise_names_an_existing_test() -> None:
    text = (ROOT / "docs/security.md").read_text()
    promises = re.findall(r"^\* \*\*.*?(?=^\* |^$)", text, re.MULTILINE | re.DOTALL)
    assert len(promises) > 10
    for promise in promises:
        named = NAMED.findall(promise)
        assert named, promise
        for path, name in named:
            assert name in names_in(ROOT / path), f"{path}::{name}"
