"""``accordion serve``: serve the API and the page of the game."""

import os
import signal
from importlib import import_module

import click

from service.cli import failing_on
from service.config import SETTINGS, Settings, SettingsError
from service.server import ServeError
from service.server.standard_streams import open_closed_streams
from service.store.data_folder import EmbeddedStoreError


class SettingsHelp(click.Command):
    """A command whose help lists the settings."""

    def format_epilog(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """Write each setting with its meaning and default."""
        with formatter.section("Settings, as environment variables"):
            formatter.write_dl(
                [
                    (setting.variable, f"{setting.meaning} [{setting.default}]")
                    for setting in SETTINGS
                ]
            )


@click.command(cls=SettingsHelp)
@failing_on(SettingsError, ServeError, EmbeddedStoreError)
def command() -> None:
    """Serve the API and the page of the game until stopped.

    Without settings it listens on http://127.0.0.1:8000 and keeps its games in an
    embedded store in the folder ./data:

    \b
      accordion serve
      ACCORDION_PORT=8123 ACCORDION_DATA_DIR=/srv/accordion accordion serve

    After SIGTERM, requests in flight are finished before the store stops; Ctrl-C does
    not wait for them. With gunicorn, SIGHUP replaces the workers without downtime.
    """
    open_closed_streams()
    # The first process of a container receives only signals that it has handlers for.
    signal.signal(signal.SIGTERM, _stop_early)
    settings = Settings.from_environ(os.environ)
    import_module("service.server.launch").serve(settings)


def _stop_early(_signal: int, _frame: object) -> None:
    """Exit on a SIGTERM that arrives before the server has its own handler."""
    raise SystemExit(0)
