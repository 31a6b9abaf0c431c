"""Variants: the games there are, and their rules in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from flask import request

from service.engine.variants import VARIANTS, find_variant
from service.http.operation import Answer, Operation, Route
from service.http.reply import json_answer
from service.http.schemas.json_schema import ref
from service.http.schemas.views import variant_view
from service.http.texts import DEFAULT_LANGUAGE, TEXTS, language_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Response

    from service.http.schemas.views import View

_TAG: Final = "Variants"
_CACHING: Final = "public, max-age=3600"
_HEADERS: Final = ("Content-Language", "Vary", "Cache-Control")

_VIEWS: Final[Mapping[str, Mapping[str, View]]] = {
    language: {
        key: variant_view(ruleset, texts["variants"][key])
        for key, ruleset in VARIANTS.items()
    }
    for language, texts in TEXTS.items()
}
"""Every variant as it is shown, by language and key."""

_LIST: Final = Operation(
    "listVariants",
    _TAG,
    "List the variants",
    "Every game of the family, in the language that the client likes best of those "
    "there are.",
    answers=(
        Answer(
            200,
            "The variants.",
            schema=ref("Variants"),
            examples={
                "": {"variants": list(_VIEWS[DEFAULT_LANGUAGE].values())[:2]},
            },
            headers=_HEADERS,
        ),
    ),
    headers=("Accept-Language",),
)
_SHOW: Final = Operation(
    "getVariant",
    _TAG,
    "Look at a variant",
    "By its key or by one of its aliases.",
    answers=(
        Answer(
            200,
            "The variant.",
            schema=ref("Variant"),
            examples={"": _VIEWS[DEFAULT_LANGUAGE]["royal-marriage"]},
            headers=_HEADERS,
        ),
    ),
    problems=("variant-not-found",),
    headers=("Accept-Language",),
)


class VariantRoutes:
    """The routes of variants."""

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        return (
            Route("GET", "/v1/variants", _LIST, self.list),
            Route("GET", "/v1/variants/{variant}", _SHOW, self.show),
        )

    def list(self) -> Response:
        """Show all variants."""
        language = language_of(request)
        return _answer({"variants": list(_VIEWS[language].values())}, language)

    def show(self, variant: str) -> Response:
        """Show a variant."""
        language = language_of(request)
        return _answer(_VIEWS[language][find_variant(variant).key], language)


def _answer(value: Any, language: str) -> Response:  # noqa: ANN401 - any JSON
    return json_answer(
        value,
        caching=_CACHING,
        headers={"Content-Language": language, "Vary": "Accept-Language"},
    )
