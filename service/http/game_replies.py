"""Where games are asked for and answered with, by the conventions of the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import request

from service.http.conditions import expected_version, is_known, wants_minimal
from service.http.idempotency import Once
from service.http.middleware.authentication import tenant
from service.http.reply import PRIVATE, empty_answer, etag_of, json_answer
from service.http.schemas.views import game_view

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Response

    from service.games.create import NewGame
    from service.games.idempotency import Retries
    from service.games.service import Change, Games, GameSnapshot, Receipt
    from service.games.session import Session
    from service.http.schemas.views import View


@dataclass(frozen=True, slots=True)
class Desk:
    """The games, behind versions, conditions and preferences.

    Attributes:
        games: The games.
        retries: The requests that may be sent again.
        clock: The time in milliseconds since 1970, UTC.
        require_if_match: Whether a write must say which version it is for.
    """

    games: Games
    retries: Retries
    clock: Callable[[], int]
    require_if_match: bool

    def create(self, wish: NewGame) -> Response:
        """Start a game, and answer with it."""
        return self._once(self._created).answer(
            tenant(), None, lambda receipt: self.games.create(tenant(), wish, receipt)
        )

    def change(
        self,
        game_id: str,
        action: Change,
        render: Callable[[GameSnapshot], Response] | None = None,
        is_cheap: Callable[[Session], bool] | None = None,
    ) -> Response:
        """Change a game, and answer with it, or with what else is made of it."""

        def write(receipt: Receipt | None) -> GameSnapshot:
            expected = self._expected(game_id)
            return self.games.change(
                tenant(), game_id, action, expected, receipt, is_cheap=is_cheap
            )

        return self._once(render or self._written).answer(tenant(), game_id, write)

    def delete(self, game_id: str) -> Response:
        """Delete a game."""
        self.games.delete(tenant(), game_id, self._expected(game_id))
        return empty_answer(204, {})

    def show(self, game_id: str, view: Callable[[GameSnapshot, int], View]) -> Response:
        """Answer with what its player sees of a game."""
        return self._shown(self.games.get(tenant(), game_id), view)

    def show_watched(
        self, watch_id: str, view: Callable[[GameSnapshot, int], View]
    ) -> Response:
        """Answer with what others see of a game."""
        return self._shown(self.games.watch(tenant(), watch_id), view)

    def _shown(
        self, kept: GameSnapshot, view: Callable[[GameSnapshot, int], View]
    ) -> Response:
        tag = etag_of(kept.version)
        if is_known(request.headers.get("If-None-Match"), kept.version):
            return empty_answer(304, {"ETag": tag, "Cache-Control": PRIVATE})
        return json_answer(
            view(kept, self.clock()), caching=PRIVATE, headers={"ETag": tag}
        )

    def _once(self, render: Callable[[GameSnapshot], Response]) -> Once:
        return Once(self.retries, render)

    def _created(self, kept: GameSnapshot) -> Response:
        location = f"{request.script_root}/v1/games/{kept.game_id}"
        return self._written(kept, 201, {"Location": location})

    def _written(
        self,
        kept: GameSnapshot,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
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
            lambda: self.games.get(tenant(), game_id).version,
            required=self.require_if_match,
        )
