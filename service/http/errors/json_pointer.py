"""JSON pointers (RFC 6901)."""

from __future__ import annotations


def point(*tokens: str | int) -> str:
    """Write the pointer to a value, from the names and indexes that lead to it."""
    return "".join(
        "/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens
    )
