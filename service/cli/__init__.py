"""The command line ``accordion``."""

import os
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from importlib import import_module
from typing import Any, Final

import click

import service

_NOT_WRITTEN: Final = frozenset({EDQUOT, EFBIG, EIO, ENOSPC})
"""Output errors: a full disk, an exceeded quota or size limit, a broken device."""


class Failure(click.ClickException):
    """An error of a command, printed as a sentence."""

    exit_code = 2


@contextmanager
def failing_on(*kinds: type[Exception]) -> Iterator[None]:
    """Turn exceptions of these classes into failures with their messages.

    It can also be used as a decorator.
    """
    try:
        yield
    except kinds as error:
        raise Failure(str(error)) from error


def in_lines(words: Sequence[str], most: int) -> list[str]:
    """Return indented lines of words, separated by spaces, at most ``most`` a line."""
    return [
        "  " + " ".join(words[start : start + most])
        for start in range(0, len(words), most)
    ]


class CommandModules(click.Group):
    """The commands of this package, each imported when it is used.

    So ``accordion deal`` does not wait for imports that only the solver needs.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the modules."""
        return sorted(found.name for found in pkgutil.iter_modules(self._path()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a module and return its ``command``; None if it does not exist."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name}").command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options before the command's name."""
        with _errors_in_one_style():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        with _errors_in_one_style():
            return super().invoke(ctx)

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - click's own
        """Run a command; print one sentence if its output cannot be written."""
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


@contextmanager
def _errors_in_one_style() -> Iterator[None]:
    """Print errors as ``accordion: <message>`` and exit with their exit codes."""
    try:
        yield
    except click.ClickException as error:
        if isinstance(error, click.UsageError) and error.ctx is not None:
            click.echo(error.ctx.get_usage(), err=True)
        for line in error.format_message().splitlines():
            click.echo(f"accordion: {line}", err=True)
        raise SystemExit(error.exit_code) from error


def _discard_output() -> None:
    """Redirect standard output to the null device, for Python's flush at exit."""
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - no path of a file
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


@click.command(
    cls=CommandModules, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(service.__version__, prog_name="accordion")
def main() -> None:
    """Accordion solitaire in eleven variants: deals, solver, records and service."""
