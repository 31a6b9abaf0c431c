"""Which sites may show the page of the game in a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.http.client import Api

PORTALS = ("https://portal.example", "https://www.portal.example")


@pytest.mark.parametrize(
    ("path", "ancestors", "allowed"),
    [
        ("/", (), "'none'"),
        ("/", PORTALS, " ".join(PORTALS)),
        ("/docs", PORTALS, "'none'"),
        ("/v1/variants", PORTALS, "'none'"),
        ("/page/main.js", PORTALS, "'none'"),
    ],
)
def test_only_named_sites_frame_only_the_page_of_the_game(
    make_api: Callable[..., Api], path: str, ancestors: tuple[str, ...], allowed: str
) -> None:
    policy = make_api(frame_ancestors=ancestors).get(path).headers
    directives = policy["Content-Security-Policy"].split("; ")
    assert f"frame-ancestors {allowed}" in directives
