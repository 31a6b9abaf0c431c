"""The command line `accordion`."""

import os
import pkgutil
import sys
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from importlib import import_module
from typing import Any, Final

import click

import service

_NOT_WRITTEN: Final = frozenset({EDQUOT, EFBIG, EIO, ENOSPC})
"""Errors of a standard output that does not take what is written."""


class CommandModules(click.Group):
    """A group of the commands in this package, imported when they are asked for.

    So `accordion deal` does not wait for what only the solver needs.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of the modules."""
        return sorted(found.name for found in pkgutil.iter_modules(self._path()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The `command` of the module of that name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name}").command
        return command

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - click's own
        """Run a command; tell in a sentence that its output cannot be written."""
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            if error.filename is not None or error.errno not in _NOT_WRITTEN:
                raise
            _discard_output()
            click.echo(
                f"accordion: Cannot write the output: {error.strerror}.", err=True
            )
            raise SystemExit(1) from error

    @staticmethod
    def _path() -> list[str]:
        return list(__path__)


def _discard_output() -> None:
    """Have nothing written when Python flushes the standard output at its end."""
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - no path of a file
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


@click.command(
    cls=CommandModules,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(service.__version__, prog_name="accordion")
def main() -> None:
    """Accordion patience and its family: deals, games and a service to play them."""
