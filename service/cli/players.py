"""``accordion players``: erase players."""

from __future__ import annotations

import os

import click

from service.cli import failing_on
from service.clock import now
from service.config import Settings, SettingsError
from service.games.player_names import PlayerNameError, read_name
from service.games.use_cases import make_use_cases
from service.http.schemas.webhooks import BODIES
from service.store.factory import open_store
from service.store.protocol import StoreUnavailableError


@click.group()
def command() -> None:
    """Erase players.

    This needs the settings of the service, as environment variables. If the service
    uses the embedded store, it must be running.
    """


@command.command()
@click.argument("name")
@click.option(
    "--tenant",
    default="",
    help="The tenant of the player.  [default: without API keys]",
)
@failing_on(SettingsError, StoreUnavailableError)
def erase(name: str, tenant: str) -> None:
    """Erase the player NAME.

    Board entries, statistics, the name in games and the webhook deliveries that name
    the player are erased. A name that is bound to a key stays bound to it.
    """
    try:
        player = read_name(name)
    except PlayerNameError as error:
        raise click.BadParameter("not a name of a player") from error
    settings = Settings.from_environ(os.environ)
    store = open_store(settings)
    cases = make_use_cases(settings, store, store.runner, now, BODIES)
    cases.players.erase(tenant, player)
