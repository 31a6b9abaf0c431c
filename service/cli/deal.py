"""``accordion deal``: print the cards of a seed."""

from __future__ import annotations

from typing import Final

import click
import msgspec
from marshmallow import ValidationError

from service.cli import in_lines
from service.engine.cards import NAMES, name_cards
from service.engine.deals import DEFAULT_SOURCE, SOURCES, Dealt, deal, pysol
from service.engine.errors import SeedError, UnknownVariantError
from service.engine.ruleset import Layout, Ruleset
from service.engine.variants import find_variant
from service.games.create import random_seed
from service.http.schemas.deals import deal_response
from service.http.schemas.fields import SEED_TEXT
from service.http.schemas.input import explain
from service.texts import DEFAULT_LANGUAGE, problem_detail

_CARDS_A_LINE: Final = 13


class VariantName(click.ParamType["Ruleset"]):
    """The type of an option whose value is the key or an alias of a variant."""

    name = "variant"

    def convert(
        self,
        value: str | Ruleset,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Ruleset:
        """Find the variant; an unknown name is a usage error."""
        if not isinstance(value, str):
            return value
        try:
            return find_variant(value)
        except UnknownVariantError:
            detail = problem_detail("variant-not-found", DEFAULT_LANGUAGE, name=value)
            self.fail(f"{detail} `accordion variants` lists them.", param, ctx)


source_option: Final = click.option(
    "--source",
    type=click.Choice(list(SOURCES)),
    default=DEFAULT_SOURCE,
    show_default=True,
    help="What turns the seed into cards.",
)
variant_option: Final = click.option(
    "--variant",
    "ruleset",
    type=VariantName(),
    default="accordion",
    show_default=True,
    help="The variant, by its key or an alias.",
)


@click.command("deal")
@click.argument("seed", required=False)
@source_option
@variant_option
@click.option("--json", "as_json", is_flag=True, help="Print the API's response.")
def command(seed: str | None, source: str, ruleset: Ruleset, *, as_json: bool) -> None:
    """Print the deal of SEED, or of a random seed.

    The same seed gives the same cards everywhere: here, over HTTP, and in any program
    that follows docs/deals.md. For the source accordion/1 a seed is any text of up to
    64 characters; for pysol, a PySolFC game number; for solvitaire, a number below
    2^32.

    \b
    Examples:
      accordion deal 42
      accordion deal "my own words" --variant royal-marriage
      accordion deal 11982 --source pysol --json
      accordion deal -- -1
    """
    if seed is None:
        seed = random_seed(source, Layout.OPEN)
    try:
        dealt = deal(ruleset, SEED_TEXT.read(seed), source)
    except (SeedError, ValidationError) as error:
        raise click.BadParameter(explain(error, "SEED"), param_hint="SEED") from None
    response = deal_response(ruleset, source, seed, dealt)
    table = _table(seed, source, ruleset, dealt)
    click.echo(msgspec.json.encode(response) if as_json else table)


def _table(seed: str, source: str, ruleset: Ruleset, dealt: Dealt) -> str:
    shown = f" ({pysol.show(seed)})" if source == pysol.SOURCE.key else ""
    cards = in_lines(name_cards(dealt.cards), _CARDS_A_LINE)
    lines = [f"{ruleset.key}, {source} {seed}{shown}", *cards]
    if dealt.goal is not None:
        lines.append(f"  goal {NAMES[dealt.goal]}")
    return "\n".join(lines)
