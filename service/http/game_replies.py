"""Replies about games: versions, conditions, preferences and safe retries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from service.games.service import new_game_id, watch_id_of
from service.http.conditions import expected_version, is_known, wants_minimal
from service.http.errors.mapping import problem_for
from service.http.idempotency import idempotent_request, pack_reply, unpack_reply
from service.http.reply import (
    PRIVATE,
    empty_reply,
    etag_of,
    json_reply,
    problem_reply,
)
from service.http.schemas.responses.games import game_response
from service.store.errors import StoreUnavailableError
from service.store.protocol import Answered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.games.create import NewGame
    from service.games.idempotency import Creations, IdempotentRequest
    from service.games.service import Change, Games, GameSnapshot
    from service.games.session import Session
    from service.http.reply import Reply
    from service.http.request import Request
    from service.store.protocol import Claim

_KEPT_REFUSAL: Final = 409
"""The status of refusals that are answers like any other: they are kept too."""


@dataclass(frozen=True, slots=True)
class GameReplies:
    """Replies about the games of all tenants.

    Attributes:
        games: The games.
        creations: The requests that create games and may be sent again.
        clock: The time in milliseconds since 1970, UTC.
        require_if_match: Whether a write must carry ``If-Match``.
    """

    games: Games
    creations: Creations
    clock: Callable[[], int]
    require_if_match: bool

    def create(self, request: Request, wish: NewGame) -> Reply:
        """Start a game, and reply with it."""

        def render(snapshot: GameSnapshot) -> Reply:
            location = f"{request.prefix}/v1/games/{snapshot.game_id}"
            return self._written(request, snapshot, 201, {"Location": location})

        idempotent = idempotent_request(request, "", render)
        if idempotent is None:
            return render(self.games.create(request.tenant, wish))
        claim = self.creations.claim(idempotent, new_game_id())
        if isinstance(claim, Answered):
            return self._created_before(request, unpack_reply(claim.answer))
        return render(self._create_claimed(request, wish, claim, idempotent))

    def change(
        self,
        request: Request,
        action: Change,
        render: Callable[[GameSnapshot], Reply] | None = None,
        is_cheap: Callable[[Session], bool] | None = None,
    ) -> Reply:
        """Change a game, and reply with it, or with what else is made of it."""
        game_id = request.values["game_id"]
        replies: list[Reply] = []

        def make(snapshot: GameSnapshot) -> Reply:
            written = render or partial(self._written, request)
            replies.append(written(snapshot))
            return replies[-1]

        idempotent = idempotent_request(request, watch_id_of(game_id), make)
        try:
            found = self.games.change(
                request.tenant,
                game_id,
                action,
                self._expected(request),
                idempotent,
                is_cheap=is_cheap,
            )
        except Exception as error:
            if idempotent is None:
                raise
            return self._refused(request, idempotent, error)
        if isinstance(found, Answered):
            return unpack_reply(found.answer)
        return replies[-1] if replies else make(found)

    def delete(self, request: Request) -> Reply:
        """Delete a game."""
        game_id = request.values["game_id"]
        self.games.delete(request.tenant, game_id, self._expected(request))
        return empty_reply(204)

    def show(
        self, request: Request, show: Callable[[GameSnapshot, int], object]
    ) -> Reply:
        """Reply with what the player sees of a game."""
        game = self.games.get(request.tenant, request.values["game_id"])
        return self._shown(request, game, show)

    def show_watched(
        self, request: Request, show: Callable[[GameSnapshot, int], object]
    ) -> Reply:
        """Reply with what others see of a game."""
        game = self.games.watch(request.tenant, request.values["watch_id"])
        return self._shown(request, game, show)

    def _create_claimed(
        self, request: Request, wish: NewGame, claim: Claim, made: IdempotentRequest
    ) -> GameSnapshot:
        """Start the game of a claimed request, and keep the answer.

        A store that is away may have started it all the same: then the claim lapses by
        itself, with the id of the game that it notes.
        """
        try:
            snapshot = self.games.create(request.tenant, wish, claim.note.decode())
            self.creations.settle(claim, made.answer(snapshot))
        except StoreUnavailableError:
            raise
        except Exception:
            self.creations.release(claim)
            raise
        return snapshot

    def _created_before(self, request: Request, reply: Reply) -> Reply:
        """Reply as before, unless the game has been deleted."""
        game_id = reply.fields["Location"].rpartition("/")[2]
        self.games.get(request.tenant, game_id)
        return reply

    def _refused(
        self, request: Request, idempotent: IdempotentRequest, error: Exception
    ) -> Reply:
        """Keep a refusal that is an answer like any other."""
        problem = problem_for(error)
        if problem.status != _KEPT_REFUSAL:
            raise error
        reply = problem_reply(problem, request.path, request.language)
        before = self.games.keep(idempotent, pack_reply(reply))
        return reply if before is None else unpack_reply(before.answer)

    def _shown(
        self,
        request: Request,
        snapshot: GameSnapshot,
        show: Callable[[GameSnapshot, int], object],
    ) -> Reply:
        fields = {"ETag": etag_of(snapshot.version)}
        if is_known(request.fields.get("If-None-Match"), snapshot.version):
            return empty_reply(304, {**fields, "Cache-Control": PRIVATE})
        value = show(snapshot, self.clock())
        return json_reply(value, caching=PRIVATE, fields=fields)

    def _written(
        self,
        request: Request,
        snapshot: GameSnapshot,
        status: int = 200,
        more: Mapping[str, str] | None = None,
    ) -> Reply:
        fields = {"ETag": etag_of(snapshot.version), **(more or {})}
        if wants_minimal(request.fields.get("Prefer")):
            fields["Preference-Applied"] = "return=minimal"
            return empty_reply(204, fields)
        game = game_response(snapshot, self.clock())
        return json_reply(game, status=status, caching=PRIVATE, fields=fields)

    def _expected(self, request: Request) -> int | None:
        def current() -> int:
            return self.games.get(request.tenant, request.values["game_id"]).version

        return expected_version(
            request.fields.get("If-Match"), current, required=self.require_if_match
        )
