"""The order in which a request is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.http.client import Api

JSON = {"Content-Type": "application/json"}
MOVE = b'{"from":3,"to":0}'


@pytest.mark.parametrize(
    ("path", "headers", "data", "statuses"),
    [
        # With keys and a limit; each line corrects the error of the line before.
        ("/v1/none", {"Host": "a..b"}, b"{", (400, 400)),
        ("/v1/none", {}, b"{", (401, 401)),
        ("/v1/none", {"Authorization": "KEY"}, b"{", (404, 429)),
        ("/v1/variants", {"Authorization": "KEY"}, b"{", (405, 429)),
        ("/v1/games/none/moves", {"Authorization": "KEY"}, b"x" * 70_000, (413, 429)),
        ("/v1/games/none/moves", {"Authorization": "KEY"}, b"{", (415, 429)),
        ("/v1/games/none/moves", {"Authorization": "KEY", **JSON}, b"{", (400, 429)),
        ("/v1/games/none/moves", {"Authorization": "KEY", **JSON}, b"{}", (422, 429)),
        ("/v1/games/none/moves", {"Authorization": "KEY", **JSON}, MOVE, (404, 429)),
    ],
)
def test_the_order_of_refusals(  # noqa: PLR0913, PLR0917 - fixtures and parameters
    make_api: Callable[..., Api],
    new_key: Callable[..., str],
    keys_file: Path,
    path: str,
    headers: dict[str, str],
    data: bytes,
    statuses: tuple[int, int],
) -> None:
    key = new_key("portal")
    api = make_api(rate_limit="1/day", store_timeout=5.0, api_keys_file=keys_file)
    fields = {
        name: f"Bearer {key}" if value == "KEY" else value
        for name, value in headers.items()
    }
    found = [api.ask("POST", path, data, fields).status for _ in range(2)]
    assert tuple(found) == statuses
