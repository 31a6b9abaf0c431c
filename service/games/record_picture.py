"""Pictures of positions of a game, as SVG with a title and a description.

Everything is drawn with presentation attributes and the paths in this module, so that a
picture looks the same as a file, in an ``<img>``, and inside a page that forbids inline
styles. Only text depends on the reader's fonts.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import east_asian_width

from service.engine.cards import NAMES, RANKS
from service.engine.play import ACTION_BYTES, Deal, Status, actions_of
from service.engine.position import Move, lay_out
from service.texts import (
    DEFAULT_LANGUAGE,
    card_text,
    direction_of,
    problem_detail,
    translate,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.engine.play import Action, Play
    from service.engine.position import Position

MEDIA_TYPE: Final = "image/svg+xml"

_CARD: Final = (56, 78)
_GAP: Final = (8, 30)
_PADDING: Final = 24
_HEADER: Final = 58
_FOOTER: Final = 34
_FIRST_LINE: Final = 28
_SECOND_LINE: Final = 46
_ONE_LINE: Final = 38
"""The baselines of the heading: of the name, with the seed or the goal card on a second
line; and of the name alone."""
_COLUMNS: Final = ((7, 7), (20, 10), (52, 13))
"""Pairs of the most places in a picture, and the number of places in each line."""
_SHOWN_SEED: Final = 28
"""The maximum columns of a seed in the heading; a wide character takes two. The title
contains the whole seed."""

_FELT: Final = "#14503a"
_TEXT: Final = "#f4f1e6"
_FAINT: Final = "#b9cfc2"
_PAPER: Final = "#fffdf7"
_EDGE: Final = "#9aa5a0"
_MARK: Final = "#ffc247"
_BLACK: Final = "#1d2024"
_RED: Final = "#c1121f"
_TWO_COLOURS: Final = (_BLACK, _RED, _RED, _BLACK)
_FOUR_COLOURS: Final = ("#157a3c", "#1c5fd4", _RED, _BLACK)
_FONT: Final = "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

_POINT: Final = " \N{MIDDLE DOT} "
_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_SUIT_PATHS: Final = (
    # A club: three leaves and a stem.
    (
        "M0-44a19 19 0 0 1 15 31a19 19 0 1 1-10 33q3 13 13 22h-36q10-9 13-22"
        "a19 19 0 1 1-10-33a19 19 0 0 1 15-31z"
    ),
    # A diamond.
    "M0-46q14 25 34 46q-20 21-34 46q-14-25-34-46q20-21 34-46z",
    # A heart.
    "M0 42c-13-20-42-33-42-60c0-28 34-34 42-8c8-26 42-20 42 8c0 27-29 40-42 60z",
    # A spade.
    (
        "M0-44c13 22 42 33 42 58c0 22-28 28-37 9q3 13 13 21h-36q10-8 13-21"
        "c-9 19-37 13-37-9c0-25 29-36 42-58z"
    ),
)


class NoSuchActionError(Exception):
    """The requested number of actions is negative or more than the game has.

    Attributes:
        actions: The number of actions in the game.
    """

    def __init__(self, actions: int) -> None:
        super().__init__(f"the game has {actions} actions")
        self.actions = actions


class Arrow(NamedTuple):
    """An arrow that shows a move; ``colour`` is an SVG colour."""

    move: Move
    colour: str = _MARK


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """What a picture shows in addition to the position.

    Attributes:
        name: The name of the variant, in the reader's language.
        seed: The seed; None if there is none or it is hidden.
        four_colours: Whether each suit has a different colour.
        language: The language of the texts, one of ``service.texts.LANGUAGES``.
    """

    name: str
    seed: str | None = None
    four_colours: bool = False
    arrows: tuple[Arrow, ...] = ()
    language: str = DEFAULT_LANGUAGE


def draw_play(play: Play, options: PictureOptions, after: int | None = None) -> str:
    """Draw a game as it was after some of its actions.

    Args:
        play: The game.
        options: What the picture shows in addition.
        after: The number of actions made, deals included; None means all.

    Returns:
        An SVG document.

    Raises:
        NoSuchActionError: ``after`` is negative or more than the game's actions.
    """
    after = play.actions if after is None else after
    if not 0 <= after <= play.actions:
        raise NoSuchActionError(play.actions)
    made = list(actions_of(play.done[: after * ACTION_BYTES]))
    layout, goal = play.options.layout, play.position.goal
    position = lay_out(play.ruleset, play.cards, layout, goal)
    for action in made:
        position = (
            position.deal() if isinstance(action, Deal) else position.apply(action)
        )
    picture = _Picture(position, options, made[-1] if made else None)
    progress = picture.say("progress", after=after, actions=play.actions)
    foot = [picture.size_text(), progress]
    if after == play.actions and play.status is not Status.PLAYING:
        foot.append(picture.say(play.status))
    return picture.document(progress, _POINT.join(foot))


@dataclass(frozen=True, slots=True)
class _Picture:
    position: Position
    options: PictureOptions
    last: Action | None

    def say(self, key: str, **data: object) -> str:
        return translate(f"picture.{key}", self.options.language, **data)

    def size_text(self) -> str:
        what = "piles.name" if self.position.ruleset.is_stacking else "cards.name"
        return self.say(what, count=len(self.position.row))

    def document(self, progress: str, foot: str) -> str:
        """Return the whole SVG document."""
        heading = " ".join(filter(None, (self.options.name, self.options.seed)))
        description = " ".join([f"{foot}.", *self._sentences()])
        width, height = self._size()
        opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" role="img" '
            f'aria-labelledby="accordion-title accordion-desc" font-family="{_FONT}">'
        )
        parts = [
            opening,
            f'<title id="accordion-title">{_text(f"{heading}, {progress}")}</title>',
            f'<desc id="accordion-desc">{_text(description)}</desc>',
            _definitions(),
            f'<rect width="{width}" height="{height}" rx="14" fill="{_FELT}"/>',
            *self._heading(width),
            *map(self._pile, range(len(self.position.row))),
            *self._stock(),
            *map(self._arrow, self.options.arrows),
            self._line(width, height - 18, 15, _span(foot, _FAINT)),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _sentences(self) -> Iterator[str]:
        """Yield the sentences that describe the row, the stock and the goal card."""
        row, stock, goal = self.position.row, self.position.stock, self.position.goal
        if row:
            piles = " ".join(map(_pile_text, row, self.position.heights))
            yield f"{self.say('row')} {piles}."
        if stock:
            language = self.options.language
            yield problem_detail("cards-hidden", language, count=len(stock))
        if goal is not None:
            yield self.say("goal-card", card=card_text(NAMES[goal]))

    def _term(self, name: str) -> str:
        return translate(f"glossary.{name}.term", self.options.language)

    def _columns(self) -> int:
        return next(columns for most, columns in _COLUMNS if self._places() <= most)

    def _places(self) -> int:
        """Return the number of places: one for each pile, and one for a stock."""
        return len(self.position.row) + bool(self.position.stock)

    def _size(self) -> tuple[int, int]:
        columns = self._columns()
        lines = max(1, -(-self._places() // columns))
        width = columns * _CARD[0] + (columns - 1) * _GAP[0] + 2 * _PADDING
        height = _HEADER + lines * (_CARD[1] + _GAP[1]) + _FOOTER
        return width, height

    def _corner(self, place: int) -> tuple[int, int]:
        """Return the upper left corner (x, y) of a place."""
        line, column = divmod(place, self._columns())
        x = _PADDING + column * (_CARD[0] + _GAP[0])
        return x, _HEADER + line * (_CARD[1] + _GAP[1])

    def _heading(self, width: int) -> list[str]:
        goal, seed = self.position.goal, self.options.seed
        spans = _span(self.options.name, _TEXT, 700)
        if seed:
            x, dy = self._line_start(width), _SECOND_LINE - _FIRST_LINE
            spans += (
                f'<tspan x="{x}" dy="{dy}" font-size="14" fill="{_FAINT}">'
                f"{_text(_shorten(seed))}</tspan>"
            )
        is_alone = not seed and goal is None
        heading = self._line(width, _ONE_LINE if is_alone else _FIRST_LINE, 22, spans)
        if goal is None:
            return [heading]
        if self._is_mirrored:
            x, anchor, at = _PADDING, "start", (_PADDING + 56, _SECOND_LINE)
        else:
            x = width - _PADDING - 46
            anchor, at = "end", (x - 10, _SECOND_LINE)
        return [
            heading,
            _write(at, 15, self._term("goal-card"), _FAINT, anchor),
            self._face(goal, (x, 12), (46, 36), 24),
        ]

    @property
    def _is_mirrored(self) -> bool:
        return direction_of(self.options.language) == "rtl"

    def _line(self, width: int, y: int, size: int, spans: str) -> str:
        """Return a line of text that starts at the side where the language starts."""
        x, direction = self._line_start(width), direction_of(self.options.language)
        return (
            f'<text x="{x}" y="{y}" font-size="{size}" direction="{direction}">'
            f"{spans}</text>"
        )

    def _line_start(self, width: int) -> int:
        return width - _PADDING if self._is_mirrored else _PADDING

    def _pile(self, place: int) -> str:
        x, y = self._corner(place)
        height = self.position.heights[place]
        number = (x + _CARD[0] / 2, y + _CARD[1] + 16)
        parts = [
            *(
                _sheet((x + 2 * depth, y - 2 * depth), _CARD, _PAPER, _EDGE)
                for depth in range(min(height - 1, 2), 0, -1)
            ),
            self._face(self.position.row[place], (x, y), _CARD, 27),
            _mark(x, y) if place == self._landed() else "",
            _write(number, 12, str(place), _FAINT, "middle"),
            _badge(x + 13, y + _CARD[1] - 13, height) if height > 1 else "",
        ]
        return "".join(parts)

    def _landed(self) -> int | None:
        """Return the place of the pile moved last; None after a deal or a removal."""
        if self.last is None or isinstance(self.last, Deal):
            return None
        origin, target = self.last
        landed = target if target < origin else target - 1
        return landed if self.position.ruleset.is_stacking else None

    def _face(
        self, card: int, at: tuple[float, float], size: tuple[int, int], letters: int
    ) -> str:
        suit, rank = divmod(card, len(RANKS))
        palette = _FOUR_COLOURS if self.options.four_colours else _TWO_COLOURS
        low = size[0] > size[1]
        scale = 0.22 if low else 0.34
        x = at[0] + size[0] - (13 if low else 19)
        y = at[1] + (size[1] / 2 if low else size[1] - 23)
        return (
            _sheet(at, size, _PAPER, _EDGE) + f'<g fill="{palette[suit]}">'
            f'<text x="{at[0] + 6}" y="{at[1] + letters}" font-size="{letters}" '
            f'font-weight="700">{RANKS[rank].replace("T", "10")}</text>'
            f'<use href="#accordion-suit{suit}" '
            f'transform="translate({x} {y}) scale({scale})"/></g>'
        )

    def _stock(self) -> list[str]:
        left = len(self.position.stock)
        if not left:
            return []
        x, y = self._corner(len(self.position.row))
        middle, name = x + _CARD[0] / 2, self._term("stock")
        return [
            _sheet((x, y), _CARD, "#2b5f86", _TEXT),
            _write((middle, y + _CARD[1] / 2 + 8), 22, str(left), _TEXT, "middle"),
            _write((middle, y + _CARD[1] + 16), 12, name, _FAINT, "middle"),
        ]

    def _arrow(self, arrow: Arrow) -> str:
        """Return a curve from pile to pile, with a triangle as its head."""
        ends = (self._corner(arrow.move.origin), self._corner(arrow.move.target))
        (x1, y1), (x2, y2) = ((x + _CARD[0] / 2, y + 46) for x, y in ends)
        middle = (x1 + x2) / 2, (y1 + y2) / 2 - (44 if y1 == y2 else 0)
        turn = math.degrees(math.atan2(y2 - middle[1], x2 - middle[0]))
        return (
            f'<g fill="{arrow.colour}" opacity="0.9">'
            f'<path d="M{x1} {y1}Q{middle[0]} {middle[1]} {x2} {y2}" fill="none" '
            f'stroke="{arrow.colour}" stroke-width="5" stroke-linecap="round"/>'
            f'<path d="M-8-11 13 0-8 11z" '
            f'transform="translate({x2} {y2}) rotate({turn:.1f})"/></g>'
        )


def _shorten(seed: str) -> str:
    columns = list(accumulate(1 + (east_asian_width(one) in "WF") for one in seed))
    if columns[-1] <= _SHOWN_SEED:
        return seed
    return f"{seed[: bisect_right(columns, _SHOWN_SEED - 1)]}…"


def _definitions() -> str:
    suits = "".join(
        f'<path id="accordion-suit{suit}" d="{path}"/>'
        for suit, path in enumerate(_SUIT_PATHS)
    )
    return f"<defs>{suits}</defs>"


def _mark(x: int, y: int) -> str:
    width, height = _CARD
    return (
        f'<rect x="{x - 2}" y="{y - 2}" width="{width + 4}" height="{height + 4}" '
        f'rx="8" fill="none" stroke="{_MARK}" stroke-width="4"/>'
    )


def _badge(x: float, y: float, height: int) -> str:
    return f'<circle cx="{x}" cy="{y}" r="10" fill="{_FELT}"/>' + _write(
        (x, y + 4.5), 12, str(height), _TEXT, "middle"
    )


def _span(text: str, colour: str, weight: int = 400) -> str:
    return f'<tspan font-weight="{weight}" fill="{colour}">{_text(text)}</tspan>'


def _sheet(
    at: tuple[float, float], size: tuple[int, int], fill: str, stroke: str
) -> str:
    return (
        f'<rect x="{at[0]}" y="{at[1]}" width="{size[0]}" height="{size[1]}" rx="6" '
        f'fill="{fill}" stroke="{stroke}"/>'
    )


def _write(
    at: tuple[float, float], size: int, text: str, colour: str, anchor: str = "start"
) -> str:
    return (
        f'<text x="{at[0]}" y="{at[1]}" font-size="{size}" fill="{colour}" '
        f'text-anchor="{anchor}">{_text(text)}</text>'
    )


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def _pile_text(card: int, height: int) -> str:
    """Return a pile as text, with the number of its cards if it has several."""
    text = card_text(NAMES[card])
    return text if height == 1 else f"{text} ({height})"
