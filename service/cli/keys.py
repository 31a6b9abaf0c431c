"""`accordion keys`: who may call the API."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from service.access.api_keys import (
    VARIABLE,
    KeyFileError,
    add_key,
    read_keys,
    remove_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE: Final = click.option(
    "--file",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar=VARIABLE,
    show_envvar=True,
    required=True,
    help="The file of keys.",
)


@contextmanager
def _telling_errors() -> Iterator[None]:
    try:
        yield
    except KeyFileError as error:
        click.echo(f"accordion: {error}", err=True)
        raise SystemExit(2) from error


@click.group()
def command() -> None:
    """Make, list and remove API keys.

    A service that is told of the file lets nobody call /v1 without one of its keys:

    \b
      export ACCORDION_API_KEYS_FILE=/srv/accordion/keys.json
      accordion keys new portal
      accordion serve

    It notices changes of the file by itself.
    """  # noqa: D301 - \b is click's mark for lines to leave alone


@command.command()
@click.argument("name")
@click.option("--tenant", help="Whose games the key opens.  [default: its name]")
@_FILE
def new(name: str, tenant: str | None, path: Path) -> None:
    """Make a key called NAME, and show it this once.

    The file keeps a digest of it. For a second key to the same games, to replace the
    first in peace, give it the same tenant.
    """
    with _telling_errors():
        key = add_key(path, name, tenant or name, datetime.now(UTC).date())
    click.echo("Keep this key now; nobody can show it again:", err=True)
    click.echo(key)


@command.command("list")
@_FILE
def list_keys(path: Path) -> None:
    """List the keys: name, tenant, day of making."""
    with _telling_errors():
        keys = read_keys(path)
    for key in keys:
        click.echo(f"{key.name}  {key.tenant}  {key.created}")


@command.command()
@click.argument("name")
@_FILE
def remove(name: str, path: Path) -> None:
    """Remove the key called NAME: from now on it opens nothing."""
    with _telling_errors():
        remove_key(path, name)
