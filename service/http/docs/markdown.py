"""Conversion to HTML of the subset of Markdown that descriptions use.

It has paragraphs, lists, code blocks, code, bold text and links.
"""

from __future__ import annotations

import re
from typing import Final

from markupsafe import Markup, escape

_FENCE: Final = re.compile(r"```\w*\n(.*?)\n```", re.DOTALL)
_CODE: Final = re.compile(r"`([^`]+)`")
_LINK: Final = re.compile(r"\[([^\]]+)\]\((https://[^)]+)\)")
_ITEM: Final = "* "
_BOLD: Final = re.compile(r"\*\*([^*]+)\*\*")


def to_html(text: str) -> Markup:
    """Convert a text to HTML."""
    blocks = _FENCE.split(text)
    return Markup("").join(
        _code_block(block) if place % 2 else _paragraphs(block)
        for place, block in enumerate(blocks)
    )


def to_line(text: str) -> Markup:
    """Convert a text of one paragraph to HTML, without the ``<p>`` element."""
    html = _LINK.sub(r'<a href="\2">\1</a>', str(escape(text)))
    html = _BOLD.sub(r"<strong>\1</strong>", html)
    return Markup(_CODE.sub(r"<code>\1</code>", html))  # noqa: S704 - escaped above


def _code_block(code: str) -> Markup:
    return Markup("<pre><code>{}</code></pre>").format(code)


def _paragraphs(text: str) -> Markup:
    return Markup("").join(
        _list(paragraph)
        if paragraph.startswith(_ITEM)
        else Markup("<p>{}</p>").format(to_line(paragraph))
        for paragraph in text.strip().split("\n\n")
        if paragraph
    )


def _list(text: str) -> Markup:
    items = text.removeprefix(_ITEM).split(f"\n{_ITEM}")
    return Markup("<ul>{}</ul>").format(
        Markup("").join(Markup("<li>{}</li>").format(to_line(item)) for item in items)
    )
