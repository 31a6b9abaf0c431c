"""Replies about games: versions, conditions, preferences and safe retries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from service.games.ids import key_of, new_game_id
from service.games.snapshot import GameSnapshot, VersionMismatchError, Versions
from service.http.conditions import (
    etag_of,
    expected_versions,
    has_weak_tag,
    is_known,
    wants_minimal,
)
from service.http.errors.exceptions import (
    PreconditionFailedError,
    PreconditionRequiredError,
)
from service.http.idempotency import (
    create_once,
    idempotent_request,
    pack_reply,
    reply_to_store,
    unpack_reply,
)
from service.http.reply import PRIVATE, Reply, empty_reply, json_reply
from service.http.schemas.games import game_response
from service.store.protocol import Answered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.games.create import NewGame
    from service.games.idempotency import Creations, IdempotentRequest
    from service.games.service import Change, Games
    from service.games.session import Session
    from service.http.request import Request


@dataclass(frozen=True, slots=True)
class GameReplies:
    """Replies about the games of all tenants.

    Attributes:
        clock: Returns the time in milliseconds since 1970, UTC.
        require_if_match: Whether a write must have ``If-Match``.
    """

    games: Games
    creations: Creations
    clock: Callable[[], int]
    require_if_match: bool

    def create(self, request: Request, new_game: NewGame) -> Reply:
        """Create a game, and make the reply with it."""

        def render(snapshot: GameSnapshot) -> Reply:
            location = f"{request.prefix}/v1/games/{snapshot.game_id}"
            return self._written(request, snapshot, 201, {"Location": location})

        games, tenant = self.games, request.tenant
        return create_once(
            request,
            self.creations,
            new_id=lambda: new_game_id(tenant),
            create=lambda game_id: games.create(tenant, new_game, game_id),
            render=render,
            find=lambda game_id: games.get(tenant, game_id),
        )

    def change(
        self,
        request: Request,
        action: Change,
        render: Callable[[GameSnapshot], Reply] | None = None,
        is_cheap: Callable[[Session], bool] | None = None,
    ) -> Reply:
        """Change a game, and make the reply, by default with the game.

        ``action`` and ``is_cheap`` are as in ``Games.change``.
        """
        game_id = request.values["game_id"]
        replies: list[Reply] = []

        def make(snapshot: GameSnapshot) -> Reply:
            written = render or partial(self._written, request)
            replies.append(written(snapshot))
            return replies[-1]

        name = key_of(request.tenant, game_id).game_id
        idempotent = idempotent_request(request, name, make)
        try:
            found = self.games.change(
                request.tenant,
                game_id,
                action,
                self._expected(request),
                idempotent,
                is_cheap=is_cheap,
            )
        except VersionMismatchError as error:
            raise self._failed(request, error.snapshot) from error
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
        try:
            self.games.delete(request.tenant, game_id, self._expected(request))
        except VersionMismatchError as error:
            raise self._failed(request, error.snapshot) from error
        return empty_reply(204)

    def find(self, request: Request) -> GameSnapshot:
        """Find the game that the path names by its id or by its watch id."""
        game_id = request.values.get("game_id")
        if game_id is not None:
            return self.games.get(request.tenant, game_id)
        return self.games.watch(request.tenant, request.values["watch_id"])

    def show(
        self,
        request: Request,
        show: Callable[[GameSnapshot, int], object],
        mark: str = "",
    ) -> Reply:
        """Make a reply about the game that the path names, as ``shown`` does."""
        return self.shown(request, self.find(request), show, mark)

    def shown(
        self,
        request: Request,
        snapshot: GameSnapshot,
        show: Callable[[GameSnapshot, int], object],
        mark: str = "",
    ) -> Reply:
        """Make a reply about a game, or a 304 if the client already has it.

        Args:
            request: The request.
            snapshot: The game.
            show: Makes a reply, or the value of a JSON reply, from the game and the
                time in milliseconds.
            mark: As in ``etag_of``.
        """
        now = self.clock()
        fields = {"ETag": etag_of(snapshot, now, mark), "Cache-Control": PRIVATE}
        if is_known(request.fields.get("If-None-Match"), fields["ETag"]):
            return empty_reply(304, fields)
        value = show(snapshot, now)
        reply = value if isinstance(value, Reply) else json_reply(value)
        reply.fields |= fields
        return reply

    def _refused(
        self,
        request: Request,
        idempotent: IdempotentRequest[GameSnapshot],
        error: Exception,
    ) -> Reply:
        """Return the reply to an error, stored for retries; else raise the error."""
        reply = reply_to_store(request, error)
        if reply is None:
            raise error
        before = self.games.keep(idempotent, pack_reply(reply))
        return reply if before is None else unpack_reply(before.answer)

    def _written(
        self,
        request: Request,
        snapshot: GameSnapshot,
        status: int = 200,
        more: Mapping[str, str] | None = None,
    ) -> Reply:
        now = self.clock()
        fields = {"ETag": etag_of(snapshot, now), **(more or {})}
        if wants_minimal(request.fields.get("Prefer")):
            fields["Preference-Applied"] = "return=minimal"
            return empty_reply(204, fields)
        game = game_response(snapshot, now)
        return json_reply(game, status=status, caching=PRIVATE, fields=fields)

    def etag(self, snapshot: GameSnapshot) -> str:
        """Return the entity tag of a game at this time."""
        return etag_of(snapshot, self.clock())

    def _expected(self, request: Request) -> Versions | None:
        """Read the versions to which a write applies; None means any.

        Raises:
            GameNotFoundError: ``If-Match`` is required but missing, and the game does
                not exist.
            MalformedRequestError: ``If-Match`` cannot be read.
            PreconditionRequiredError: ``If-Match`` is required but missing.
        """
        if_match = request.fields.get("If-Match")
        if if_match is None and self.require_if_match:
            self.games.get(request.tenant, request.values["game_id"])
            raise PreconditionRequiredError
        return expected_versions(if_match)

    def _failed(self, request: Request, found: GameSnapshot) -> Exception:
        """Make the error for a write whose ``If-Match`` does not match."""
        return PreconditionFailedError(
            found.version,
            self.etag(found),
            is_weak=has_weak_tag(request.fields.get("If-Match")),
        )
