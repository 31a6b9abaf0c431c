"""``accordion keys``: create, list and revoke API keys."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from service.access.api_keys import (
    VARIABLE,
    KeyFileError,
    add_key,
    read_keys,
    remove_key,
)
from service.cli import failing_on

_FILE: Final = click.option(
    "--file",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar=VARIABLE,
    show_envvar=True,
    required=True,
    help="The file of keys.",
)


@click.group()
def command() -> None:
    """Create, list and revoke API keys.

    If the service has a file of keys, requests below /v1 need one of them:

    \b
      export ACCORDION_API_KEYS_FILE=/srv/accordion/keys.json
      accordion keys new portal
      accordion serve

    A running service reads the file again when it has changed.
    """


@command.command()
@click.argument("name")
@click.option("--tenant", help="Whose games the key gives access to.  [default: NAME]")
@_FILE
@failing_on(KeyFileError)
def new(name: str, tenant: str | None, path: Path) -> None:
    """Create a key called NAME, and print it.

    The file keeps only a digest of the key, so it cannot be printed again. To replace
    a key without downtime, create a second one with the same tenant, then revoke the
    first.
    """
    key = add_key(path, name, tenant or name, datetime.now(UTC).date())
    click.echo("Store this key now. It cannot be shown again:", err=True)
    click.echo(key)


@command.command("list")
@_FILE
@failing_on(KeyFileError)
def list_keys(path: Path) -> None:
    """List the keys: name, tenant and day of creation."""
    for key in read_keys(path):
        click.echo(f"{key.name}  {key.tenant}  {key.created}")


@command.command()
@click.argument("name")
@_FILE
@failing_on(KeyFileError)
def remove(name: str, path: Path) -> None:
    """Revoke the key called NAME."""
    remove_key(path, name)
