"""Players: their statistics, their games, and their erasure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.games.player_names import read_name
from service.games.snapshot import GameNotFoundError, GameSnapshot
from service.http.cursor import link_page, number_cursor
from service.http.docs import examples
from service.http.operation import Access, Answer
from service.http.reply import Reply, empty_reply, json_reply
from service.http.routing import CaseRoutes, Chapter, json_answer
from service.http.schemas.boards import GamesParams, GamesQuery, player_response
from service.http.schemas.games import PlayerGames, own_game_response

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.http.request import Request

_PLAYERS: Final = Chapter("Players", ("store-unavailable",))
_PLAYER: Final = "/v1/players/{player}"
_MAX_LOOKED_AT: Final = 200
"""The maximum number of games read for a page; a filter may match none of them."""


class PlayerRoutes(CaseRoutes):
    """The routes of players."""

    @_PLAYERS.operation(
        f"GET {_PLAYER}",
        json_answer("The player.", examples.PLAYER, ("Cache-Control",)),
        problems=("player-not-found",),
        access=Access.PUBLIC,
    )
    def get_player(self, request: Request) -> Reply:
        """Get a player.

        Returns statistics of the player's games that have ended, on deals chosen by the
        server. Two names are the same player if they are equal after NFKC and case
        folding.
        """
        name = read_name(request.values["player"])
        summary = self.cases.players.summary(request.tenant, name, self.clock())
        return json_reply(player_response(summary))

    @_PLAYERS.operation(
        f"DELETE {_PLAYER}",
        Answer(204, "The player was erased."),
        problems=("game-busy",),
        needs_key=True,
    )
    def erase_player(self, request: Request) -> Reply:
        """Erase a player.

        Erases the player's statistics and entries on boards, the name in stored games,
        and the deliveries to webhooks that name the player. This needs an API key.
        """
        name = read_name(request.values["player"])
        self.cases.players.erase(request.tenant, name)
        return empty_reply(204)

    @_PLAYERS.operation(
        f"GET {_PLAYER}/games",
        json_answer("The games.", examples.PLAYER_GAMES, ("Cache-Control", "Link")),
        query=GamesQuery(),
        needs_key=True,
    )
    def list_player_games(self, request: Request) -> Reply:
        """List a player's games.

        Lists the newest games first, with their `id`, so that a portal can resume them.
        This needs an API key. With a filter, a page can be short or empty; follow
        `Link` to get the next one.
        """
        params: GamesParams = request.load_query()
        name = read_name(request.values["player"])
        ids = self.cases.players.game_ids(
            request.tenant, name, params.start, _MAX_LOOKED_AT + 1
        )
        looked_at, found = 0, []
        for snapshot in self._load(request.tenant, ids[:_MAX_LOOKED_AT]):
            looked_at += 1
            if snapshot is not None and _fits(snapshot, params):
                found.append(own_game_response(snapshot, self.clock()))
            if len(found) == params.limit:
                break
        has_more = looked_at < len(ids)
        cursor = number_cursor(params.start + looked_at) if has_more else None
        return json_reply(PlayerGames(found), fields=link_page(request, cursor))

    def _load(self, tenant: str, ids: list[str]) -> Iterator[GameSnapshot | None]:
        for game_id in ids:
            try:
                yield self.cases.games.get(tenant, game_id)
            except GameNotFoundError:
                yield None


def _fits(snapshot: GameSnapshot, params: GamesParams) -> bool:
    session = snapshot.session
    if params.status is not None and session.play.status is not params.status:
        return False
    return params.reference is None or session.reference == params.reference
