"""Variants: their rules, in numbers and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.engine.variants import find_variant
from service.http.operation import Access, Answer, Operation, Route
from service.http.reply import json_reply, language_fields
from service.http.schemas.deals import LanguageQuery
from service.http.schemas.fields import ref
from service.http.schemas.variants import (
    Variants,
    variant_response,
    variants_response,
)
from service.texts import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from service.http.reply import Reply
    from service.http.request import Request

_TAG: Final = "Variants"
_CACHING: Final = "public, max-age=3600"
_HEADERS: Final = ("Content-Language", "Vary", "Cache-Control")
_EXAMPLE: Final = variant_response("royal-marriage", DEFAULT_LANGUAGE)

_LIST: Final = Operation(
    "listVariants",
    _TAG,
    "List the variants",
    "All variants, with their rules in numbers, and in words in the language that "
    "`lang` or `Accept-Language` chooses.",
    answers=(
        Answer(
            200,
            "The variants.",
            schema=ref("Variants"),
            examples={"": Variants([_EXAMPLE])},
            headers=_HEADERS,
        ),
    ),
    query=LanguageQuery(),
    headers=("Accept-Language",),
    access=Access.ANYBODY,
)
_SHOW: Final = Operation(
    "getVariant",
    _TAG,
    "Get a variant",
    "By its key or by one of its aliases.",
    answers=(
        Answer(
            200,
            "The variant.",
            schema=ref("Variant"),
            examples={"": _EXAMPLE},
            headers=_HEADERS,
        ),
    ),
    problems=("variant-not-found",),
    query=LanguageQuery(),
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
        request.load_query()
        return _reply(request, variants_response(request.language))

    def show(self, request: Request) -> Reply:
        """Show a variant."""
        request.load_query()
        key = find_variant(request.values["variant"]).key
        return _reply(request, variant_response(key, request.language))


def _reply(request: Request, value: object) -> Reply:
    fields = language_fields(request.language)
    return json_reply(value, caching=_CACHING, fields=fields)
