"""Requests for deals: which seed, source, variant and language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from marshmallow import post_load

from service.engine.deals import DEFAULT_SOURCE
from service.engine.variants import find_variant
from service.http.schemas.fields import LANGUAGE, SEED, SEED_TEXT, SOURCE, VARIANT
from service.http.schemas.input import Input, Members, Value

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset


DEFAULT_VARIANT: Final = find_variant("accordion")

VARIANT_DESCRIPTION: Final = (
    f"The variant, by its key or an alias; `{DEFAULT_VARIANT.key}` unless given."
)
SOURCE_DESCRIPTION: Final = (
    f"What turns the seed into cards; `{DEFAULT_SOURCE}` unless given."
)
SEED_DESCRIPTION: Final = (
    "The seed; an integer stands for its decimal digits. The source `pysol` takes "
    "PySolFC's game numbers, `solvitaire` numbers below 2^32, `accordion/1` any text."
)


class SeedWish(NamedTuple):
    """A request for the cards of a seed; without one (None), of a random seed."""

    ruleset: Ruleset
    source: str
    seed: str | None


class DealInput(Input):
    """A deal to compute; `{}` is a random one for Accordion."""

    seed = Value(SEED, f"{SEED_DESCRIPTION} Without one, it is random.")
    source = Value(SOURCE, SOURCE_DESCRIPTION)
    variant = Value(VARIANT, VARIANT_DESCRIPTION)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> SeedWish:
        """Make the wish."""
        return _seed_wish(given)


class DealQuery(Input):
    """Which deal."""

    seed = Value(SEED_TEXT, SEED_DESCRIPTION, required=True)
    source = Value(SOURCE, SOURCE_DESCRIPTION)
    variant = Value(VARIANT, VARIANT_DESCRIPTION)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> SeedWish:
        """Make the wish."""
        return _seed_wish(given)


class LanguageQuery(Input):
    """In which language; ``Request.language`` reads it."""

    lang = Value(
        LANGUAGE, "The language of the texts; without it, `Accept-Language` chooses."
    )


class VariantQuery(Input):
    """Which variant."""

    variant = Value(VARIANT, VARIANT_DESCRIPTION)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> Ruleset:
        """Take the variant."""
        ruleset: Ruleset = given.get("variant", DEFAULT_VARIANT)
        return ruleset


def _seed_wish(given: Members) -> SeedWish:
    return SeedWish(
        given.get("variant", DEFAULT_VARIANT),
        given.get("source", DEFAULT_SOURCE),
        given.get("seed"),
    )
