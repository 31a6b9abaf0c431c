"""The bodies and queries of requests, as marshmallow schemas.

A schema loads into the value that the use cases take, and refuses every member it
does not know. One instance of each is made, and shared.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias

from marshmallow import (
    RAISE,
    Schema,
    ValidationError,
    post_load,
    pre_load,
    validates_schema,
)
from marshmallow.exceptions import SCHEMA

from service.engine.deals import DEFAULT_SOURCE
from service.engine.play import Draw, Options
from service.engine.position import Move, Position
from service.engine.ruleset import Layout
from service.engine.variants import find_variant
from service.games.create import NewGame, OfDay, OfEvent, OwnDeck, Seeded
from service.games.player_names import digest_key
from service.games.records import Record, read_actions
from service.games.session import HintRule
from service.http.schemas.fields import (
    ACTION_TYPE,
    ACTIONS,
    CARD,
    CARDS,
    COUNT,
    DAILY,
    EVENT,
    FLAG,
    FORM,
    HINTS,
    LANGUAGE,
    LAYOUT,
    PLAYER,
    PLAYER_KEY,
    REFERENCE,
    SEED,
    SEED_TEXT,
    SOURCE,
    STEPS,
    UNDO,
    VARIANT,
    WHOLE,
    ActionType,
    Kind,
    Value,
)
from service.texts import Detail

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from marshmallow.fields import Field

    from service.engine.play import Step
    from service.engine.ruleset import Ruleset
    from service.games.create import DealWish

Members: TypeAlias = "dict[str, Any]"
"""The members that were there, read."""
Conflict: TypeAlias = "tuple[str, dict[str, object]]"
"""What is wrong with a combination of members: the key of a text, and its values."""

DEFAULT_VARIANT: Final = find_variant("accordion")

VARIANT_TEXT: Final = (
    f"The variant, by its key or an alias; `{DEFAULT_VARIANT.key}` unless given."
)
_SOURCE_TEXT: Final = (
    f"What turns the seed into cards; `{DEFAULT_SOURCE}` unless given."
)
_SEED_TEXT: Final = (
    "The seed; a whole number stands for its decimal digits. The source `pysol` takes "
    "PySolFC's game numbers, `solvitaire` numbers below 2^32, `accordion/1` any text."
)
_OWN_DECK_TEXT: Final = (
    "A deck of the player's own, for practice, in the order of dealing."
)
_GOAL_TEXT: Final = (
    "The goal card, in a variant that names one: any of the deck but its first two."
)


class Tap(NamedTuple):
    """A move of a pile to the one place it can go to."""

    origin: int


class SeedWish(NamedTuple):
    """A wish for the cards of a seed; without one (None), of a random seed."""

    ruleset: Ruleset
    source: str
    seed: str | None


class Input(Schema):
    """A body or a query that knows all its members.

    Attributes:
        apart: Pairs of members that exclude each other.
        needs: Members that need another beside them.
        one_of: Members of which one must be there.
    """

    apart: ClassVar[tuple[tuple[str, str], ...]] = ()
    needs: ClassVar[Mapping[str, str]] = {}
    one_of: ClassVar[tuple[str, ...]] = ()

    error_messages = {  # noqa: RUF012 - marshmallow's own, an instance variable there
        "unknown": "unknown",
        "type": "object",
    }

    class Meta:
        """What is not known is refused."""

        unknown = RAISE

    @pre_load
    def leave_out_absent(self, original: object, **_kwargs: object) -> object:
        """Leave out the optional members that are null."""
        return self._given(original) if isinstance(original, dict) else original

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def check_together(
        self, _members: Members, original: object, **_kwargs: object
    ) -> None:
        """Refuse members that cannot be combined."""
        if not isinstance(original, dict):
            return
        found = dict(self._conflicts(self._given(original)))
        if found:
            raise ValidationError(
                {name: [Detail(key, data)] for name, (key, data) in found.items()}
            )

    def _given(self, original: Members) -> Members:
        return {
            name: value
            for name, value in original.items()
            if not any(value is absent for absent in self.absent_values(name))
        }

    def absent_values(self, name: str) -> tuple[object, ...]:
        """Return what a member can be instead of being left out."""
        field = self._by_name.get(name)
        if not isinstance(field, Value) or field.required:
            return ()
        return field.kind.absent

    @cached_property
    def _by_name(self) -> Mapping[str, Field[Any]]:
        return {field.data_key or name: field for name, field in self.fields.items()}

    def _conflicts(self, given: Members) -> Iterator[tuple[str, Conflict]]:
        for one, other in self.apart:
            if one in given and other in given:
                yield other, ("conflict", {"other": one})
        for one, other in self.needs.items():
            if one in given and other not in given:
                yield one, ("needs", {"other": other})
        if self.one_of and not any(name in given for name in self.one_of):
            yield SCHEMA, ("one-of", {"choices": list(self.one_of)})


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
        "Whether dealing waits until no move is legal, the rule of 1883; it means the "
        "stock layout.",
    )
    undo = Value(UNDO, "Whether actions can be taken back.")
    hints = Value(HINTS, "Whether hints and solutions are given.")

    def _conflicts(self, given: Members) -> Iterator[tuple[str, Conflict]]:
        yield from super()._conflicts(given)
        if given.get("compulsory") is True and given.get("layout") == Layout.OPEN:
            yield "compulsory", ("compulsory-open", {})


_OPTIONS: Final = OptionsInput()


def _read_options(value: object) -> Members:
    members: Members = _OPTIONS.load(value)  # type: ignore[arg-type]  # it checks
    if members.get("compulsory"):
        if members.get("layout") is Layout.OPEN:
            raise ValidationError(
                {"compulsory": ["This needs the stock layout; layout is open."]}
            )
        members["layout"] = Layout.STOCK
    return members


OPTIONS: Final = Kind(_read_options, {"$ref": "#/components/schemas/OptionsInput"})


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
    )
    needs: ClassVar = {
        "goal_card": "deck",
        "player_key": "player",
        "event": "player",
    }

    variant = Value(VARIANT, VARIANT_TEXT)
    seed = Value(SEED, f"{_SEED_TEXT} Without one, it is random.")
    source = Value(SOURCE, _SOURCE_TEXT)
    deck = Value(CARDS, _OWN_DECK_TEXT)
    goal_card = Value(CARD, _GOAL_TEXT)
    daily = Value(
        DAILY,
        "The deal of a UTC day: the day, or `true` for today. In it the layout "
        "is the variant's default.",
    )
    event = Value(EVENT, "The event, by its id; it must be open.")
    options = Value(OPTIONS, "How the game is played.")
    player = Value(PLAYER, "The player's name: 1 to 32 characters of any script.")
    player_key = Value(
        PLAYER_KEY,
        "A secret of the player, 16 characters or more. The first one that comes with "
        "a name is bound to it: games without it are played, and touch no board, "
        "streak, attempt or help of that name.",
    )
    reference = Value(REFERENCE, "The caller's own id of the game; it is given back.")

    @post_load
    def make(self, given: Members, **_kwargs: object) -> NewGame:
        """Make the wish."""
        ruleset = given.get("variant", DEFAULT_VARIANT)
        player_key = given.get("player_key")
        options = read_options(ruleset, given)
        if "daily" in given and options.compulsory:
            wrong = {"compulsory": [Detail("compulsory-daily")]}
            raise ValidationError({"options": wrong})
        return NewGame(
            ruleset,
            options,
            _deal_wish(given),
            given.get("player"),
            allows_hints=read_hints(given) is HintRule.ALLOWED,
            key_digest=b"" if player_key is None else digest_key(player_key),
            reference=given.get("reference"),
        )


class DealInput(Input):
    """A deal to compute; `{}` is a random one for Accordion."""

    seed = Value(SEED, f"{_SEED_TEXT} Without one, it is random.")
    source = Value(SOURCE, _SOURCE_TEXT)
    variant = Value(VARIANT, VARIANT_TEXT)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> SeedWish:
        """Make the wish."""
        return _seed_wish(given)


class DealQuery(Input):
    """Which deal."""

    seed = Value(SEED_TEXT, _SEED_TEXT, required=True)
    source = Value(SOURCE, _SOURCE_TEXT)
    variant = Value(VARIANT, VARIANT_TEXT)

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

    variant = Value(VARIANT, VARIANT_TEXT)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> Ruleset:
        """Take the variant."""
        ruleset: Ruleset = given.get("variant", DEFAULT_VARIANT)
        return ruleset


class MovesInput(Input):
    """A move; a tap, which names the pile alone; or a batch, made whole or not.

    An action of a hint or a solution can be sent as it is.
    """

    apart = (("moves", "from"), ("moves", "to"), ("moves", "type"))
    needs: ClassVar = {"to": "from"}
    one_of = ("from", "moves", "type")

    origin = Value(WHOLE, "The pile that moves; 0 is the leftmost.", name="from")
    target = Value(
        WHOLE, "Where it goes; may be left out where only one place fits.", name="to"
    )
    moves = Value(STEPS, "Moves, and deals of some cards, in their order.")
    action_type = Value(
        ACTION_TYPE,
        "`move`, as without it; or `deal`, to deal one card, without any other field.",
        name="type",
    )

    @post_load
    def make(self, given: Members, **_kwargs: object) -> Step | Tap | tuple[Step, ...]:
        """Make the move, the tap, the deal or the steps."""
        match given:
            case {"origin": int(origin), "target": int(target)}:
                return Move(origin, target)
            case {"origin": int(origin)}:
                return Tap(origin)
            case {"action_type": ActionType.DEAL}:
                return Draw()
        steps: tuple[Step, ...] = given["moves"]
        return steps

    def _conflicts(self, given: Members) -> Iterator[tuple[str, Conflict]]:
        yield from super()._conflicts(given)
        if given.get("type") == ActionType.DEAL and "from" in given:
            yield "from", ("conflict", {"other": "type"})
        if given.get("type") == ActionType.MOVE and "from" not in given:
            yield "type", ("needs", {"other": "from"})


class CountInput(Input):
    """How many; 1 unless given."""

    count = Value(COUNT, "How many, or `all`.")

    @post_load
    def make(self, given: Members, **_kwargs: object) -> int | None:
        """Take the number; None means all."""
        count: int | None = given.get("count", 1)
        return count


class NothingInput(Input):
    """Nothing: no body, or `{}`."""


class RowInput(Input):
    """A row of cards in a variant."""

    variant = Value(VARIANT, VARIANT_TEXT)
    row = Value(CARDS, "The top cards, left to right.", required=True)

    @post_load
    def make(self, given: Members, **_kwargs: object) -> Position:
        """Lay the row out."""
        row = given["row"]
        ruleset = given.get("variant", DEFAULT_VARIANT)
        return Position(ruleset, row, b"\x01" * len(row))


class RecordInput(Input):
    """A game as anybody can replay it."""

    apart = (("seed", "deck"), ("deck", "source"))
    needs: ClassVar = {"goal_card": "deck"}
    one_of = ("seed", "deck")

    format = Value(FORM, "The form of the record.", required=True)
    variant = Value(VARIANT, "The variant, by its key or an alias.", required=True)
    options = Value(OPTIONS, "How the game was played.")
    source = Value(SOURCE, _SOURCE_TEXT)
    seed = Value(SEED, _SEED_TEXT)
    deck = Value(CARDS, _OWN_DECK_TEXT)
    goal_card = Value(CARD, _GOAL_TEXT)
    actions = Value(
        ACTIONS,
        "What was done: `deal`, or a move as `from-to`; `finish` at the end where the "
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


def read_options(ruleset: Ruleset, given: Members) -> Options:
    """Complete the options that were given by those of the variant."""
    wished = dict(given.get("options", {}))
    wished.pop("hints", None)
    layout = Layout.STOCK if wished.get("compulsory") else ruleset.layout
    return replace(Options(layout), **wished)


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
    return Seeded(given.get("source", DEFAULT_SOURCE), given.get("seed"))


def _seed_wish(given: Members) -> SeedWish:
    return SeedWish(
        given.get("variant", DEFAULT_VARIANT),
        given.get("source", DEFAULT_SOURCE),
        given.get("seed"),
    )
