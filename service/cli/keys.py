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
from service.cli import Failure

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
        raise Failure(str(error)) from error


@click.group()
def command() -> None:
    """Create, list and revoke API keys.

    With a file of keys, a service requires one of them for requests below /v1:

    \b
      export ACCORDION_API_KEYS_FILE=/srv/accordion/keys.json
      accordion keys new portal
      accordion serve

    A running service reads the file again when it changes.
    """  # noqa: D301 - \b is click's mark for lines to leave alone


@command.command()
@click.argument("name")
@click.option("--tenant", help="Whose games the key gives access to.  [default: NAME]")
@_FILE
def new(name: str, tenant: str | None, path: Path) -> None:
    """Create a key called NAME, and print it.

    The file keeps only a digest of the key, so it cannot be printed again. To replace
    a key without downtime, create a second one with the same tenant, then revoke the
    first.
    """
    with _telling_errors():
        key = add_key(path, name, tenant or name, datetime.now(UTC).date())
    click.echo("Store this key now. It cannot be shown again:", err=True)
    click.echo(key)


@command.command("list")
@_FILE
def list_keys(path: Path) -> None:
    """List the keys: name, tenant, day of creation."""
    with _telling_errors():
        keys = read_keys(path)
    for key in keys:
        click.echo(f"{key.name}  {key.tenant}  {key.created}")


@command.command()
@click.argument("name")
@_FILE
def remove(name: str, path: Path) -> None:
    """Revoke the key called NAME."""
    with _telling_errors():
        remove_key(path, name)
