"""``accordion variants``: list the variants and their rules."""

from __future__ import annotations

import click
import msgspec

from service.engine.variants import VARIANTS
from service.http.schemas.variants import Variant, variants_response
from service.texts import DEFAULT_LANGUAGE


@click.command("variants")
@click.option("--json", "as_json", is_flag=True, help="Print the API's response.")
def command(*, as_json: bool) -> None:
    """List the variants with their names and rules.

    Commands and requests accept the key or an alias of a variant.

    \b
    Examples:
      accordion variants
      accordion variants --json
    """
    found = variants_response(DEFAULT_LANGUAGE)
    text = "\n\n".join(_describe(variant) for variant in found.variants)
    click.echo(msgspec.json.encode(found) if as_json else text)


def _describe(variant: Variant) -> str:
    layout = VARIANTS[variant.key].layout
    rules = f"{variant.summary} {variant.move} {variant.win}"
    also = f" Aliases: {', '.join(variant.aliases)}." if variant.aliases else ""
    text = f"{rules} Default layout: {layout}.{also}"
    return f"{variant.key}: {variant.name}\n" + click.wrap_text(text, 78, "  ", "  ")
