"""Assembles the use cases of games from the settings and a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from service.clock import DAY_SECONDS
from service.games.certified_deals import CertifiedDeals
from service.games.create import GameStarter
from service.games.daily import Daily
from service.games.events import Events
from service.games.game_end import GameEnds
from service.games.idempotency import Creations
from service.games.leaderboards import BoardUpdater, Leaderboards
from service.games.players import PlayerData, PlayerNotes
from service.games.service import Games
from service.games.webhooks import WebhookQueue, WebhookRegistry
from service.solver import GRADING
from service.store.boards import Boards
from service.store.coordination import Choices, Duties, Leases, WaitingDeals
from service.store.events import EventTexts
from service.store.players import Players
from service.store.webhooks import Webhooks
from service.timestamps import SECOND_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.config import Settings
    from service.games.game_end import EndHandler
    from service.games.webhooks import Bodies
    from service.store.protocol import GameStore
    from service.store.runner import Runner

_NOTE_LIFE: Final = 100 * DAY_SECONDS
"""How long the starts and help of players are kept: longer than a deal is open."""


class UseCases(NamedTuple):
    """The use cases that the routes call."""

    daily: Daily
    games: Games
    creations: Creations
    ends: GameEnds
    leaderboards: Leaderboards
    events: Events
    players: PlayerData
    webhooks: WebhookRegistry
    leases: Leases
    certified: CertifiedDeals


def make_use_cases(
    settings: Settings,
    store: GameStore,
    runner: Runner,
    clock: Callable[[], int],
    bodies: Bodies | None = None,
) -> UseCases:
    """Make the use cases.

    Args:
        settings: The settings of the service.
        store: The store of games.
        runner: Runs scripts on the servers of that store.
        clock: Returns the time in milliseconds since 1970, UTC.
        bodies: Makes the bodies that are sent to webhooks; None if no webhook is to be
            called.
    """
    daily = Daily(settings.daily_secret, Choices(runner))
    boards = Boards(runner)
    players = Players(runner, note_life=_NOTE_LIFE, game_life=settings.game_ttl)
    webhooks = Webhooks(runner, game_life=settings.game_ttl)
    registry = WebhookRegistry(webhooks, clock)
    handlers: list[EndHandler] = [BoardUpdater(players, boards, settings.board_days)]
    if settings.sends_webhooks and bodies is not None:
        handlers.append(WebhookQueue(webhooks, bodies, clock))
    ends = GameEnds(store, Duties(runner), handlers, clock)
    certified = CertifiedDeals(WaitingDeals(runner, GRADING))
    events = Events(EventTexts(runner), clock, certified)
    games = Games(
        store,
        GameStarter(daily, certified, events),
        clock,
        ends,
        PlayerNotes(players, store),
        settings.store_timeout * SECOND_MS,
    )
    return UseCases(
        daily=daily,
        games=games,
        creations=Creations(store),
        ends=ends,
        leaderboards=Leaderboards(boards),
        events=events,
        players=PlayerData(players, boards, store, ends, registry),
        webhooks=registry,
        leases=Leases(runner),
        certified=certified,
    )
