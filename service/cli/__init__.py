"""The command line `accordion`."""

import pkgutil
from importlib import import_module

import click

import service


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

    @staticmethod
    def _path() -> list[str]:
        return list(__path__)


@click.command(
    cls=CommandModules,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(service.__version__, prog_name="accordion")
def main() -> None:
    """Accordion patience and its family: deals, games and a service to play them."""
