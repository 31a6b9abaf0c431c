"""Variants: the games there are, and their rules in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.engine.variants import VARIANTS, find_variant
from service.http.operation import Access, Answer, Operation, Route
from service.http.reply import json_reply
from service.http.schemas.json_schema import ref
from service.http.schemas.responses.service import Variants, variant_response
from service.http.texts import DEFAULT_LANGUAGE, TEXTS, choose_language

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.http.reply import Reply
    from service.http.request import Request
    from service.http.schemas.responses.service import Variant

_TAG: Final = "Variants"
_CACHING: Final = "public, max-age=3600"
_HEADERS: Final = ("Content-Language", "Vary", "Cache-Control")

_SHOWN: Final[Mapping[str, Mapping[str, Variant]]] = {
    language: {
        key: variant_response(ruleset, texts["variants"][key])
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
                "": Variants(list(_SHOWN[DEFAULT_LANGUAGE].values())[:2]),
            },
            headers=_HEADERS,
        ),
    ),
    headers=("Accept-Language",),
    access=Access.ANYBODY,
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
            examples={"": _SHOWN[DEFAULT_LANGUAGE]["royal-marriage"]},
            headers=_HEADERS,
        ),
    ),
    problems=("variant-not-found",),
    headers=("Accept-Language",),
    access=Access.ANYBODY,
)


class VariantRoutes:
    """The routes of variants."""

    def routes(self) -> tuple[Route, ...]:
        """List them."""
        return (
            Route("GET", "/v1/variants", _LIST, self.list),
            Route("GET", "/v1/variants/{variant}", _SHOW, self.show),
        )

    def list(self, request: Request) -> Reply:
        """Show all variants."""
        language = _language(request)
        return _reply(Variants(list(_SHOWN[language].values())), language)

    def show(self, request: Request) -> Reply:
        """Show a variant."""
        language, key = _language(request), find_variant(request.values["variant"]).key
        return _reply(_SHOWN[language][key], language)


def _language(request: Request) -> str:
    return choose_language(request.fields.get("Accept-Language"))


def _reply(value: object, language: str) -> Reply:
    return json_reply(
        value,
        caching=_CACHING,
        fields={"Content-Language": language, "Vary": "Accept-Language"},
    )
