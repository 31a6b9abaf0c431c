"""`accordion serve`."""

import os

import click

from service.config import SETTINGS, Settings, SettingsError
from service.server.errors import ServeError
from service.server.launch import serve
from service.store.errors import EmbeddedStoreError


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
def command() -> None:
    r"""Serve the API and the page until stopped.

    Without any setting it listens on http://127.0.0.1:8000 and keeps its games in a
    store of its own in the folder ./data:

    \b
      accordion serve
      ACCORDION_PORT=8123 ACCORDION_DATA_DIR=/srv/accordion accordion serve

    SIGTERM or Ctrl-C finishes the requests in flight, then stops the store; SIGHUP
    replaces the workers one by one.
    """
    try:
        serve(Settings.from_environ(os.environ))
    except (SettingsError, ServeError, EmbeddedStoreError) as error:
        click.echo(f"accordion: {error}", err=True)
        raise SystemExit(2) from error
