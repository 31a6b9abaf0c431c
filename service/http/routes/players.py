"""Players: what is counted of them, their games, and their erasure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.games.player_names import read_name
from service.games.snapshot import GameNotFoundError
from service.http.cursor import number_cursor
from service.http.docs import examples
from service.http.operation import Access, Answer, Operation, Route
from service.http.reply import NOT_STORED, empty_reply, json_reply
from service.http.routes.boards import next_link
from service.http.schemas.boards import GamesQuery, player_response
from service.http.schemas.fields import ref
from service.http.schemas.games import PlayerGames, own_game_response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from service.games.players import PlayerData
    from service.games.service import Games
    from service.games.snapshot import GameSnapshot
    from service.http.reply import Reply
    from service.http.request import Request
    from service.http.schemas.boards import GamesWish

_TAG: Final = "Players"
_MOST_LOOKED_AT: Final = 200
"""Games that are looked at for a page; a filter may find none of them."""

_SHOW: Final = Operation(
    "getPlayer",
    _TAG,
    "Get a player",
    "Statistics of a player's games that have ended, on deals that the server has "
    "chosen. Two names are the same player if they are equal after NFKC and case "
    "folding.",
    answers=(
        Answer(
            200,
            "The player.",
            schema=ref("Player"),
            examples={"": examples.PLAYER},
            headers=("Cache-Control",),
        ),
    ),
    problems=("player-not-found", "store-unavailable"),
    access=Access.PUBLIC,
)
_GAMES: Final = Operation(
    "listPlayerGames",
    _TAG,
    "List a player's games",
    "The newest first, with their `id`, so that a portal can resume them. It needs an "
    "API key. A page may be short or empty if a filter is given; follow `Link` to get "
    "the next one.",
    answers=(
        Answer(
            200,
            "The games.",
            schema=ref("PlayerGames"),
            examples={"": examples.PLAYER_GAMES},
            headers=("Cache-Control", "Link"),
        ),
    ),
    problems=("key-required", "store-unavailable"),
    query=GamesQuery(),
)
_ERASE: Final = Operation(
    "erasePlayer",
    _TAG,
    "Erase a player",
    "Erases the entries on boards, the statistics, the name in games that are kept, "
    "and deliveries to webhooks that name the player. It needs an API key.",
    answers=(Answer(204, "The player was erased."),),
    problems=("key-required", "game-busy", "store-unavailable"),
)


@dataclass(frozen=True, slots=True)
class PlayerRoutes:
    """The routes of players.

    Attributes:
        players: What is counted of players.
        games: The games.
        clock: The time in milliseconds since 1970, UTC.
    """

    players: PlayerData
    games: Games
    clock: Callable[[], int]

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        player = "/v1/players/{player}"
        return (
            Route("GET", player, _SHOW, self.show),
            Route("DELETE", player, _ERASE, self.erase),
            Route("GET", f"{player}/games", _GAMES, self.list_games),
        )

    def show(self, request: Request) -> Reply:
        """Show what is counted of a player."""
        name = read_name(request.values["player"])
        summary = self.players.summary(request.tenant, name, self.clock())
        return json_reply(player_response(summary), caching=NOT_STORED)

    def list_games(self, request: Request) -> Reply:
        """List a player's games."""
        request.require_key()
        wish: GamesWish = request.load_query()
        name = read_name(request.values["player"])
        ids = self.players.game_ids(
            request.tenant, name, wish.start, _MOST_LOOKED_AT + 1
        )
        looked_at, found = 0, []
        for snapshot in self._load(request.tenant, ids[:_MOST_LOOKED_AT]):
            looked_at += 1
            if snapshot is not None and _fits(snapshot, wish):
                found.append(own_game_response(snapshot, self.clock()))
            if len(found) == wish.limit:
                break
        fields = {}
        if looked_at < len(ids):
            fields["Link"] = next_link(request, number_cursor(wish.start + looked_at))
        return json_reply(PlayerGames(found), caching=NOT_STORED, fields=fields)

    def erase(self, request: Request) -> Reply:
        """Erase a player."""
        request.require_key()
        name = read_name(request.values["player"])
        self.players.erase(request.tenant, name)
        return empty_reply(204)

    def _load(self, tenant: str, ids: list[str]) -> Iterator[GameSnapshot | None]:
        for game_id in ids:
            try:
                yield self.games.get(tenant, game_id)
            except GameNotFoundError:
                yield None


def _fits(snapshot: GameSnapshot, wish: GamesWish) -> bool:
    session = snapshot.session
    if wish.status is not None and session.play.status is not wish.status:
        return False
    return wish.reference is None or session.reference == wish.reference
