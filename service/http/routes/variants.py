"""Variants and their rules, in numbers and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.engine.variants import find_variant
from service.http.operation import Access
from service.http.reply import Reply, json_reply, language_fields
from service.http.routing import Chapter, Declare, Routes, json_answer
from service.http.schemas.deals import LanguageQuery
from service.http.schemas.variants import (
    Variants,
    variant_response,
    variants_response,
)
from service.texts import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from service.http.request import Request

_VARIANTS: Final = Chapter("Variants")
_EXAMPLE: Final = variant_response("royal-marriage", DEFAULT_LANGUAGE)


def _look(
    target: str, description: str, example: object, problems: tuple[str, ...] = ()
) -> Declare:
    """Declare an operation with texts in the requested language."""
    fields = ("Content-Language", "Vary", "Cache-Control")
    return _VARIANTS.operation(
        target,
        json_answer(description, example, fields),
        problems=problems,
        query=LanguageQuery(),
        headers=("Accept-Language",),
        access=Access.ANYBODY,
    )


class VariantRoutes(Routes):
    """The routes of variants."""

    @_look("GET /v1/variants", "The variants.", Variants([_EXAMPLE]))
    def list_variants(self, request: Request) -> Reply:
        """List the variants.

        Returns all variants, with their rules in numbers and in words; `lang` or
        `Accept-Language` chooses the language.
        """
        request.load_query()
        return _reply(request, variants_response(request.language))

    @_look(
        "GET /v1/variants/{variant}", "The variant.", _EXAMPLE, ("variant-not-found",)
    )
    def get_variant(self, request: Request) -> Reply:
        """Get a variant.

        The path names the variant by its key or by one of its aliases.
        """
        request.load_query()
        key = find_variant(request.values["variant"]).key
        return _reply(request, variant_response(key, request.language))


def _reply(request: Request, value: object) -> Reply:
    fields = language_fields(request.language)
    return json_reply(value, caching="public, max-age=3600", fields=fields)
