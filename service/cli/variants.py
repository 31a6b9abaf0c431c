"""``accordion variants``: the games there are."""

from __future__ import annotations

import click

from service.engine.variants import VARIANTS


@click.command("variants")
def command() -> None:
    """List the variants with their aliases and default layouts."""
    for ruleset in VARIANTS.values():
        names = ", ".join((ruleset.key, *ruleset.aliases))
        click.echo(f"{names}  [{ruleset.layout}]")
