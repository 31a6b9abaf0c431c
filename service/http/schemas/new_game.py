"""Requests that create a game, and the options of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from marshmallow import ValidationError

from service.engine.deals import DEFAULT_SOURCE
from service.engine.play import Options
from service.engine.ruleset import Layout, UndoRule
from service.games.create import (
    CertifiedChoice,
    DayChoice,
    DeckChoice,
    EventChoice,
    NewGame,
    SeedChoice,
)
from service.games.player_names import digest_key
from service.games.session import HintRule
from service.http.schemas import fields
from service.http.schemas.deals import (
    DEFAULT_VARIANT,
    SEED_VALUE,
    SOURCE_VALUE,
    VARIANT_VALUE,
)
from service.http.schemas.input import Form, Input, Members, Value
from service.texts import Detail

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from service.engine.ruleset import Ruleset
    from service.games.create import DealChoice

DECK_DESCRIPTION: Final = (
    "A deck of the player's own, for practice, in the order of dealing."
)
GOAL_VALUE: Final = Value(
    fields.CARD,
    "The goal card, in a variant that has one: any card of the deck except its first "
    "two.",
)
_CERTIFIED: Final = ("winnable", "difficulty")
"""The members that request a certified deal."""


class GivenOptions(NamedTuple):
    """The options in a request; a layout of None means the variant's default."""

    layout: Layout | None = None
    compulsory: bool = False
    undo: UndoRule = UndoRule.UNLIMITED
    hints: HintRule = HintRule.ALLOWED

    @property
    def allows_hints(self) -> bool:
        """Whether hints and solutions are given."""
        return self.hints is HintRule.ALLOWED

    def complete(self, ruleset: Ruleset) -> Options:
        """Return the options of a game; compulsory moves imply the stock layout."""
        layout = Layout.STOCK if self.compulsory else self.layout or ruleset.layout
        return Options(layout, self.compulsory, self.undo)


DEFAULT_OPTIONS: Final = GivenOptions()


class OptionsInput(Input):
    """The options of a game; those left out have the variant's defaults.

    Compulsory moves imply the stock layout.
    """

    layout = Value(
        fields.choice(Layout),
        "`open`, every card lies face up from the start; or `stock`, the row starts "
        "with one card, and each deal turns one more.",
    )
    compulsory = Value(
        fields.FLAG,
        "Whether no card can be dealt while a move is legal (the rule of 1883); it "
        "implies the stock layout.",
    )
    undo = Value(fields.choice(UndoRule), "Whether actions can be undone.")
    hints = Value(fields.choice(HintRule), "Whether hints and solutions are given.")

    _make = GivenOptions

    def _conflicts(self, given: Members) -> Iterator[tuple[str, Detail]]:
        yield from super()._conflicts(given)
        if given.get("compulsory") is True and given.get("layout") == Layout.OPEN:
            yield "compulsory", Detail("compulsory-open")


OPTIONS: Final = fields.FieldType[GivenOptions](
    OptionsInput().load,  # type: ignore[arg-type]  # it refuses all but objects
    fields.ref("OptionsInput"),
)


def _read_daily(value: object) -> date | None:
    """Read a day; ``true``, for today, is read as None."""
    if value is True:
        return None
    try:
        return fields.DAY.read(value)
    except ValidationError:
        raise fields.invalid("daily") from None


_DAILY: Final = fields.FieldType(
    _read_daily,
    {"anyOf": [{"type": "boolean", "const": True}, fields.DAY.schema]},
    absent=(None, False),
)
_WINNABLE: Final = fields.FieldType(
    fields.FLAG.read, {"type": "boolean", "const": True}, absent=(None, False)
)


class NewGameInput(Input):
    """The game to create; `{}` means Accordion with a random deal."""

    excludes: ClassVar = {
        "seed": ("deck", "daily", *_CERTIFIED),
        "source": _CERTIFIED,
        "deck": ("daily", "source", *_CERTIFIED),
        "daily": ("source", *_CERTIFIED),
        "event": (
            *("variant", "options", "seed", "source", "deck", "daily"),
            *_CERTIFIED,
        ),
    }
    requires: ClassVar = {
        "goal_card": "deck",
        "player_key": "player",
        "event": "player",
    }
    forms: ClassVar = {
        "RandomGameInput": Form("A game on a random deal."),
        "SeedGameInput": Form("A game on the deal of a seed.", ("seed",)),
        "DeckGameInput": Form("A game with the player's own deck.", ("deck",)),
        "DailyGameInput": Form("A game on the deal of a day.", ("daily",)),
        "EventGameInput": Form("A game of an event.", ("event",)),
    }

    ruleset = VARIANT_VALUE
    seed = SEED_VALUE
    source = SOURCE_VALUE
    deck = Value(fields.CARDS, DECK_DESCRIPTION)
    goal_card = GOAL_VALUE
    daily = Value(
        _DAILY,
        "The deal of a UTC day: the day, or `true` for today. The layout is then the "
        "variant's default.",
    )
    winnable = Value(_WINNABLE, "Whether the random deal must be proved winnable.")
    difficulty = Value(
        fields.DIFFICULTY,
        "How difficult the random deal is; it is proved winnable. One of the "
        "`difficulties` of the variant.",
    )
    event = Value(
        fields.text("[0-9A-Za-z_-]{1,64}", 1, 64),
        "The event, by its id; it must be open.",
    )
    options = Value(OPTIONS, "How the game is played.")
    player = Value(
        fields.PLAYER, "The player's name: 1 to 32 characters of any script."
    )
    player_key = Value(
        fields.text("[!-~]{16,255}", 16, 255),
        "A secret of the player, 16 characters or more. The first one that is sent "
        "with a name is bound to it: games with that name and without the key can be "
        "played, but do not count for the boards, streaks, attempts or help of that "
        "name.",
    )
    reference = Value(
        fields.REFERENCE, "The client's own id of the game; responses return it."
    )

    @staticmethod
    def _make(
        ruleset: Ruleset = DEFAULT_VARIANT,
        options: GivenOptions = DEFAULT_OPTIONS,
        player: str | None = None,
        player_key: str | None = None,
        reference: str | None = None,
        **deal: object,
    ) -> NewGame:
        completed = options.complete(ruleset)
        if "daily" in deal and completed.compulsory:
            wrong = {"compulsory": [Detail("compulsory-daily")]}
            raise ValidationError({"options": wrong})
        check_certified(completed, deal)
        return NewGame(
            ruleset,
            completed,
            _deal_choice(deal),
            player,
            allows_hints=options.allows_hints,
            key_digest=b"" if player_key is None else digest_key(player_key),
            reference=reference,
        )


def check_certified(options: Options, given: Mapping[str, object]) -> None:
    """Check that a certified deal is not requested together with compulsory moves.

    Raises:
        ValidationError: Both are requested.
    """
    asked = [name for name in _CERTIFIED if given.get(name) is not None]
    if asked and options.compulsory:
        raise ValidationError(
            {name: [Detail("certified-compulsory")] for name in asked}
        )


def _deal_choice(given: Mapping[str, Any]) -> DealChoice:
    match given:
        case {"deck": bytes(deck)}:
            return DeckChoice(deck, given.get("goal_card"))
        case {"event": str(event_id)}:
            return EventChoice(event_id)
        case {"daily": day}:
            return DayChoice(day)
        case {"difficulty": _} | {"winnable": _}:
            return CertifiedChoice(given.get("difficulty"))
    return SeedChoice(given.get("source", DEFAULT_SOURCE), given.get("seed"))
