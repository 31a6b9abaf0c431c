"""Where games are asked for and answered with, by the conventions of the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from flask import request

from service.api.answers import PRIVATE, empty_answer, etag_of, json_answer
from service.api.conditions import expected_version, is_known, wants_minimal
from service.api.views import game_view

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Response

    from service.api.views import View
    from service.games import Change, Games, Kept
    from service.newgame import NewGame

TENANT: Final = ""
"""Whose the games are where no keys are configured."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The games, behind versions, conditions and preferences.

    Attributes:
        games: The games.
        clock: The time in milliseconds since 1970, UTC.
        require_if_match: Whether a write must say which version it is for.
    """

    games: Games
    clock: Callable[[], int]
    require_if_match: bool

    def create(self, wish: NewGame) -> Response:
        """Start a game, and answer with it."""
        kept = self.games.create(TENANT, wish)
        location = f"{request.script_root}/v1/games/{kept.game_id}"
        return self._written(kept, 201, {"Location": location})

    def change(self, game_id: str, action: Change) -> Response:
        """Change a game, and answer with it."""
        return self._written(
            self.games.change(TENANT, game_id, action, self._expected(game_id))
        )

    def delete(self, game_id: str) -> Response:
        """Delete a game."""
        self.games.delete(TENANT, game_id, self._expected(game_id))
        return empty_answer(204, {})

    def show(self, game_id: str, view: Callable[[Kept, int], View]) -> Response:
        """Answer with what its player sees of a game."""
        return self._shown(self.games.get(TENANT, game_id), view)

    def show_watched(
        self, watch_id: str, view: Callable[[Kept, int], View]
    ) -> Response:
        """Answer with what others see of a game."""
        return self._shown(self.games.watch(TENANT, watch_id), view)

    def _shown(self, kept: Kept, view: Callable[[Kept, int], View]) -> Response:
        tag = etag_of(kept.version)
        if is_known(request.headers.get("If-None-Match"), kept.version):
            return empty_answer(304, {"ETag": tag, "Cache-Control": PRIVATE})
        return json_answer(
            view(kept, self.clock()), caching=PRIVATE, headers={"ETag": tag}
        )

    def _written(
        self, kept: Kept, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> Response:
        fields = {"ETag": etag_of(kept.version), **(headers or {})}
        if wants_minimal(request.headers.get("Prefer")):
            fields["Preference-Applied"] = "return=minimal"
            return empty_answer(204, fields)
        view = game_view(kept, self.clock())
        return json_answer(view, status=status, caching=PRIVATE, headers=fields)

    def _expected(self, game_id: str) -> int | None:
        return expected_version(
            request.headers.get("If-Match"),
            lambda: self.games.get(TENANT, game_id).version,
            required=self.require_if_match,
        )
