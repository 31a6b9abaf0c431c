"""Records of games, and replays, in requests and responses."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from service.engine.cards import NAMES, name_cards
from service.engine.deals import DEFAULT_SOURCE
from service.engine.play import Status
from service.engine.ruleset import IllegalMoveReason
from service.engine.scoring import Rating
from service.games.records import (
    FORMAT,
    MAX_ACTIONS,
    Record,
    RefusedRecord,
    Replayed,
    read_actions,
)
from service.http.schemas import fields
from service.http.schemas.deals import SEED_DESCRIPTION, SOURCE_VALUE, LanguageQuery
from service.http.schemas.games import Options, options_response
from service.http.schemas.input import Form, Input, Members, Value
from service.http.schemas.new_game import (
    DECK_DESCRIPTION,
    DEFAULT_OPTIONS,
    GOAL_VALUE,
    OPTIONS,
    GivenOptions,
)
from service.http.schemas.response import (
    Card,
    Count,
    Digest,
    Response,
    Row,
    SourceKey,
    VariantKey,
)

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset

_ACTION: Final = "^(deal|finish|[0-9]{1,2}-[0-9]{1,2})$"
_ACTIONS_TEXT: Final = (
    "The actions: `deal`, or a move as `from-to`; at the end `finish` if the player "
    "stopped."
)
_SWITCH: Final = {"true": True, "false": False}


_ACTION_TYPE: Final = fields.FieldType(
    fields.read_text, {"type": "string", "pattern": _ACTION}
)


class RecordForm(StrEnum):
    """The form of a record."""

    JSON = "json"
    TEXT = "text"
    SVG = "svg"


class RecordParams(NamedTuple):
    """A request for a record.

    Attributes:
        form: With None, ``Accept`` chooses the form.
        after: The number of actions after which the picture is drawn; None means all.
        four_colours: Whether each suit has its own colour in the picture.
        of_pictures: The names of those given parameters that only pictures have.
    """

    form: RecordForm | None
    after: int | None
    four_colours: bool
    of_pictures: tuple[str, ...]


def _read_switch(value: object) -> bool:
    """Read a flag in a query, where all values are strings."""
    if isinstance(value, str) and value in _SWITCH:
        return _SWITCH[value]
    raise fields.invalid("boolean")


class RecordQuery(LanguageQuery):
    """The query of a record."""

    form = Value(
        fields.choice(RecordForm),
        "The form; without it, `Accept` chooses.",
        name="format",
    )
    after = Value(
        fields.integer_text(0, MAX_ACTIONS),
        "The number of actions after which the game is drawn; by default all of them.",
    )
    four_colours = Value(
        fields.FieldType(_read_switch, {"type": "boolean"}),
        "Whether every suit has its own colour in a picture.",
    )

    @staticmethod
    def _make(
        *,
        form: RecordForm | None = None,
        after: int | None = None,
        four_colours: bool | None = None,
        **_language: str,
    ) -> RecordParams:
        of_pictures = {"after": after, "four_colours": four_colours}
        given = (name for name, value in of_pictures.items() if value is not None)
        return RecordParams(form, after, bool(four_colours), tuple(given))


def _read_format(value: object) -> str:
    if value == FORMAT:
        return FORMAT
    raise fields.invalid("choice", choices=[FORMAT])


class RecordInput(Input):
    """A record of a game, which can be replayed."""

    excludes: ClassVar = {"seed": ("deck",), "deck": ("source",)}
    requires: ClassVar = {"goal_card": "deck"}
    one_of = ("seed", "deck")
    forms: ClassVar = {
        "SeedRecordInput": Form("A record of a game on the deal of a seed.", ("seed",)),
        "DeckRecordInput": Form("A record of a game with its own deck.", ("deck",)),
    }

    format = Value(
        fields.FieldType(_read_format, {"type": "string", "const": FORMAT}),
        "The form of the record.",
        required=True,
    )
    ruleset = Value(
        fields.VARIANT,
        "The variant, by its key or an alias.",
        required=True,
        name="variant",
    )
    options = Value(OPTIONS, "How the game was played.")
    source = SOURCE_VALUE
    seed = Value(
        fields.SEED._replace(is_nullable=True),
        f"{SEED_DESCRIPTION} A record whose seed is null cannot be replayed yet.",
    )
    commitment = Value(
        fields.text("[0-9a-f]{64}", 64, 64), "The SHA-256 of a hidden seed."
    )
    deck = Value(
        fields.CARDS._replace(is_nullable=True),
        f"{DECK_DESCRIPTION} A record whose deck is null cannot be replayed yet.",
    )
    goal_card = GOAL_VALUE
    actions = Value(
        fields.array(_ACTION_TYPE, "actions", 0, MAX_ACTIONS),
        _ACTIONS_TEXT,
        required=True,
    )

    @staticmethod
    def _make(  # noqa: PLR0913 - one for each member
        *,
        ruleset: Ruleset,
        actions: list[str],
        options: GivenOptions = DEFAULT_OPTIONS,
        source: str = DEFAULT_SOURCE,
        seed: str | None = None,
        deck: bytes | None = None,
        goal_card: int | None = None,
        **_checked: str,
    ) -> Record:
        line, finished = read_actions(actions)
        return Record(
            ruleset=ruleset,
            options=options.complete(ruleset),
            source=source if deck is None else None,
            seed=seed,
            deck=deck,
            goal=goal_card,
            line=line,
            finished=finished,
            allows_hints=options.allows_hints,
        )

    def _given(self, original: Members) -> Members:
        """Keep a null seed, or else a null deck, if neither member has a value."""
        given = super()._given(original)
        if not given.keys() & {"seed", "deck"}:
            given |= dict.fromkeys([n for n in self.one_of if n in original][:1])
        return given


ActionText: TypeAlias = Annotated[str, Meta(pattern=_ACTION)]
RecordFormat: TypeAlias = Annotated[str, Meta(extra_json_schema={"const": FORMAT})]


class _Record(Response, kw_only=True):
    format: Annotated[RecordFormat, "The form of the record."]
    variant: VariantKey
    options: Options
    actions: Annotated[list[ActionText], _ACTIONS_TEXT]


class SeedRecord(_Record, kw_only=True):
    """The record of a game on the deal of a seed."""

    source: SourceKey
    seed: Annotated[
        str | None, "The seed; null while it is hidden, and then it has a `commitment`."
    ]
    commitment: Annotated[
        Digest | UnsetType, "The SHA-256 of the UTF-8 of a hidden seed."
    ] = UNSET


class DeckRecord(_Record, kw_only=True):
    """The record of a game with the player's own deck."""

    deck: Annotated[list[Card] | None, "The deck; null while cards are to be dealt."]
    goal_card: Card | UnsetType = UNSET


class ValidReplay(Response):
    """The result of replaying a record that follows the rules."""

    valid: Annotated[bool, Meta(extra_json_schema={"const": True})]
    status: Status
    score: Annotated[
        Count, "Its points without a time bonus, since a record has no times."
    ]
    rating: Annotated[Rating | None, "Its rating, as in a game."]
    row: Row


class InvalidReplay(Response):
    """The result of replaying a record that breaks the rules."""

    valid: Annotated[bool, Meta(extra_json_schema={"const": False})]
    index: Annotated[Count, "The index of the refused action, from 0."]
    reason: Annotated[
        str,
        Meta(
            title="ReplayReason",
            description="Why an action is refused.",
            extra_json_schema={
                "enum": [
                    *IllegalMoveReason,
                    "stock-empty",
                    "move-compulsory",
                    "game-over",
                ]
            },
        ),
    ]


def record_response(record: Record) -> SeedRecord | DeckRecord:
    """Make the response with a record."""
    options = options_response(record.options, allows_hints=record.allows_hints)
    if record.source is not None:
        return SeedRecord(
            format=FORMAT,
            variant=record.ruleset.key,
            options=options,
            source=record.source,
            seed=record.seed,
            commitment=UNSET if record.commitment is None else record.commitment,
            actions=record.actions,
        )
    return DeckRecord(
        format=FORMAT,
        variant=record.ruleset.key,
        options=options,
        deck=None if record.deck is None else name_cards(record.deck),
        goal_card=UNSET if record.goal is None else NAMES[record.goal],
        actions=record.actions,
    )


def replay_response(outcome: Replayed | RefusedRecord) -> ValidReplay | InvalidReplay:
    """Make the response with the result of a replay."""
    match outcome:
        case RefusedRecord(index, reason):
            return InvalidReplay(valid=False, index=index, reason=reason)
        case Replayed(status, score, rating, row):
            return ValidReplay(
                valid=True,
                status=status,
                score=score,
                rating=rating,
                row=name_cards(row),
            )
