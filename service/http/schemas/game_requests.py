"""Requests for games: how one is created, and its record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from marshmallow import ValidationError, post_load

from service.engine.deals import DEFAULT_SOURCE
from service.engine.play import Options
from service.engine.ruleset import Layout
from service.games.create import Certified, NewGame, OfDay, OfEvent, OwnDeck, Seeded
from service.games.player_names import digest_key
from service.games.records import Record, read_actions
from service.games.session import HintRule
from service.http.schemas.deal_requests import (
    DEFAULT_VARIANT,
    SEED_DESCRIPTION,
    SOURCE_DESCRIPTION,
    VARIANT_DESCRIPTION,
)
from service.http.schemas.fields import (
    ACTIONS,
    CARD,
    CARDS,
    COMMITMENT,
    DAILY,
    DIFFICULTY,
    EVENT,
    FLAG,
    FORM,
    HINTS,
    LAYOUT,
    PLAYER,
    PLAYER_KEY,
    REFERENCE,
    SEED,
    SOURCE,
    UNDO,
    VARIANT,
    WINNABLE,
)
from service.http.schemas.input import Conflict, FieldType, Form, Input, Members, Value
from service.texts import Detail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.engine.ruleset import Ruleset
    from service.games.create import DealWish


_OWN_DECK_TEXT: Final = (
    "A deck of the player's own, for practice, in the order of dealing."
)
_GOAL_TEXT: Final = (
    "The goal card, in a variant that has one: any card of the deck except its first "
    "two."
)


class OptionsInput(Input):
    """How a game is played; what is left out is as the variant has it.

    Compulsory moves mean the stock layout.
    """

    layout = Value(
        LAYOUT,
        "`open`, every card lies face up from the start; or `stock`, the row starts "
        "with one card, and each deal turns one more.",
    )
    compulsory = Value(
        FLAG,
        "Whether no card can be dealt while a move is legal (the rule of 1883); it "
        "implies the stock layout.",
    )
    undo = Value(UNDO, "Whether actions can be undone.")
    hints = Value(HINTS, "Whether hints and solutions are given.")

    def _conflicts(self, given: Members) -> Iterator[tuple[str, Conflict]]:
        yield from super()._conflicts(given)
        if given.get("compulsory") is True and given.get("layout") == Layout.OPEN:
            yield "compulsory", ("compulsory-open", {})


OPTIONS: Final = FieldType[Members](
    OptionsInput().load,  # type: ignore[arg-type]  # it refuses what is no object
    {"$ref": "#/components/schemas/OptionsInput"},
)


class NewGameInput(Input):
    """A game to start; `{}` is Accordion with a random deal."""

    apart = (
        ("seed", "deck"),
        ("seed", "daily"),
        ("deck", "daily"),
        ("deck", "source"),
        ("daily", "source"),
        *(
            ("event", other)
            for other in ("variant", "options", "seed", "source", "deck", "daily")
        ),
        *(
            (other, certified)
            for other in ("seed", "source", "deck", "daily", "event")
            for certified in ("winnable", "difficulty")
        ),
    )
    needs: ClassVar = {"goal_card": "deck", "player_key": "player", "event": "player"}
    forms: ClassVar = {
        "RandomGameInput": Form("A game on a random deal."),
        "SeedGameInput": Form("A game on the deal of a seed.", ("seed",)),
        "DeckGameInput": Form("A game with the player's own deck.", ("deck",)),
        "DailyGameInput": Form("A game on the deal of a day.", ("daily",)),
        "EventGameInput": Form("A game of an event.", ("event",)),
    }

    variant = Value(VARIANT, VARIANT_DESCRIPTION)
    seed = Value(SEED, f"{SEED_DESCRIPTION} Without one, it is random.")
    source = Value(SOURCE, SOURCE_DESCRIPTION)
    deck = Value(CARDS, _OWN_DECK_TEXT)
    goal_card = Value(CARD, _GOAL_TEXT)
    daily = Value(
        DAILY,
        "The deal of a UTC day: the day, or `true` for today. The layout is then the "
        "variant's default.",
    )
    winnable = Value(WINNABLE, "Whether the random deal must be proved winnable.")
    difficulty = Value(
        DIFFICULTY,
        "How difficult the random deal is; it is proved winnable. Only for variants "
        "whose deals have grades: `accordion`.",
    )
    event = Value(EVENT, "The event, by its id; it must be open.")
    options = Value(OPTIONS, "How the game is played.")
    player = Value(PLAYER, "The player's name: 1 to 32 characters of any script.")
    player_key = Value(
        PLAYER_KEY,
        "A secret of the player, 16 characters or more. The first one that is sent "
        "with a name is bound to it: games with that name and without the key can be "
        "played, but do not count for the boards, streaks, attempts or help of that "
        "name.",
    )
    reference = Value(
        REFERENCE, "The client's own id of the game; responses return it."
    )

    @post_load
    def make(self, given: Members, **_kwargs: object) -> NewGame:
        """Make the wish."""
        ruleset = given.get("variant", DEFAULT_VARIANT)
        player_key = given.get("player_key")
        options = read_options(ruleset, given)
        if "daily" in given and options.compulsory:
            wrong = {"compulsory": [Detail("compulsory-daily")]}
            raise ValidationError({"options": wrong})
        check_certified(given, options)
        return NewGame(
            ruleset,
            options,
            _deal_wish(given),
            given.get("player"),
            allows_hints=read_hints(given) is HintRule.ALLOWED,
            key_digest=b"" if player_key is None else digest_key(player_key),
            reference=given.get("reference"),
        )


class RecordInput(Input):
    """A game in a portable form that can be replayed."""

    apart = (("seed", "deck"), ("deck", "source"))
    needs: ClassVar = {"goal_card": "deck"}
    one_of = ("seed", "deck")
    forms: ClassVar = {
        "SeedRecordInput": Form("A record of a game on the deal of a seed.", ("seed",)),
        "DeckRecordInput": Form("A record of a game with its own deck.", ("deck",)),
    }

    format = Value(FORM, "The form of the record.", required=True)
    variant = Value(VARIANT, "The variant, by its key or an alias.", required=True)
    options = Value(OPTIONS, "How the game was played.")
    source = Value(SOURCE, SOURCE_DESCRIPTION)
    seed = Value(
        SEED._replace(is_nullable=True),
        f"{SEED_DESCRIPTION} A record whose seed is null cannot be replayed yet.",
    )
    commitment = Value(COMMITMENT, "The SHA-256 of a hidden seed.")
    deck = Value(
        CARDS._replace(is_nullable=True),
        f"{_OWN_DECK_TEXT} A record whose deck is null cannot be replayed yet.",
    )
    goal_card = Value(CARD, _GOAL_TEXT)
    actions = Value(
        ACTIONS,
        "The actions: `deal`, or a move as `from-to`; at the end `finish` if the "
        "player stopped.",
        required=True,
    )

    @post_load
    def make(self, given: Members, **_kwargs: object) -> Record:
        """Make the record.

        Raises:
            ActionTextError: One of the actions is none.
        """
        line, finished = read_actions(given["actions"])
        ruleset = given["variant"]
        deck = given.get("deck")
        return Record(
            ruleset=ruleset,
            options=read_options(ruleset, given),
            source=given.get("source", DEFAULT_SOURCE) if deck is None else None,
            seed=given.get("seed"),
            deck=deck,
            goal=given.get("goal_card"),
            line=line,
            finished=finished,
            allows_hints=read_hints(given) is HintRule.ALLOWED,
        )

    def _given(self, original: Members) -> Members:
        """Keep a null of the seed, or else of the deck, where neither has a value."""
        given = super()._given(original)
        if not given.keys() & {"seed", "deck"}:
            given |= dict.fromkeys([n for n in self.one_of if n in original][:1])
        return given


def read_options(ruleset: Ruleset, given: Members) -> Options:
    """Complete the options that were given by those of the variant."""
    wished = dict(given.get("options", {}))
    wished.pop("hints", None)
    layout = Layout.STOCK if wished.get("compulsory") else ruleset.layout
    return replace(Options(layout), **wished)


def check_certified(given: Members, options: Options) -> None:
    """Check that a certified deal is not asked for with compulsory moves.

    Raises:
        ValidationError: It is.
    """
    asked = [name for name in ("winnable", "difficulty") if name in given]
    if asked and options.compulsory:
        raise ValidationError(
            {name: [Detail("certified-compulsory")] for name in asked}
        )


def read_hints(given: Members) -> HintRule:
    """Take the rule for hints out of the options that were given."""
    rule: HintRule = given.get("options", {}).get("hints", HintRule.ALLOWED)
    return rule


def _deal_wish(given: Members) -> DealWish:
    match given:
        case {"deck": bytes(deck)}:
            return OwnDeck(deck, given.get("goal_card"))
        case {"event": str(event_id)}:
            return OfEvent(event_id)
        case {"daily": day}:
            return OfDay(day)
        case {"difficulty": _} | {"winnable": _}:
            return Certified(given.get("difficulty"))
    return Seeded(given.get("source", DEFAULT_SOURCE), given.get("seed"))
