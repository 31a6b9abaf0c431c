"""``accordion store``: check and repair the files of the embedded store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from service.cli import Failure, failing_on
from service.store.append_file import AppendFile, Fault
from service.store.data_folder import DataFolder, EmbeddedStoreError

_DAMAGED: Final = 1

_FOLDER: Final = click.option(
    "--data-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="ACCORDION_DATA_DIR",
    show_envvar=True,
    default="data",
    show_default=True,
    help="The folder of the embedded store.",
)


@click.group()
def command() -> None:
    """Check and repair the files of the embedded store.

    Stop the service first. The exit code is 0 if the files are sound, 1 if they are
    damaged, and 2 if the folder cannot be used.
    """


@command.command()
@_FOLDER
@failing_on(EmbeddedStoreError)
def check(data_dir: Path) -> None:
    """Read every file and report damage, without changing anything."""
    with DataFolder(data_dir) as folder:
        files = AppendFile(folder.path)
        faults = files.faults()
        size = files.size
    if not faults:
        click.echo(f"The files are sound: {size} bytes.")
        return
    _report(faults)
    raise SystemExit(_DAMAGED)


@command.command()
@_FOLDER
@failing_on(EmbeddedStoreError)
def repair(data_dir: Path) -> None:
    """Keep what can be read of damaged files, and discard the rest.

    First appendonlydir is copied beside itself, as appendonlydir.damaged-1. If a
    backup has more than what can be read, restore it instead.
    """
    with DataFolder(data_dir) as folder:
        files = AppendFile(folder.path)
        faults = files.faults()
        if not faults:
            click.echo(f"The files are sound: {files.size} bytes. Nothing was changed.")
            return
        _report(faults)
        if not all(fault.can_be_repaired for fault in faults):
            click.echo("This cannot be repaired: restore a backup.", err=True)
            raise SystemExit(_DAMAGED)
        try:
            copy = files.repair(faults)
        except OSError as error:
            raise Failure(f"Not repaired: {error.strerror}.") from error
        left = files.faults()
    if left:
        _report(left)
        raise SystemExit(_DAMAGED)
    click.echo(f"Repaired. The files as they were are in {copy.name}.")


def _report(faults: list[Fault]) -> None:
    click.echo("The files are damaged:", err=True)
    for fault in faults:
        click.echo(f"  {fault.text}", err=True)
