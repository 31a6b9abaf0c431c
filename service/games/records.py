"""Records of games, and their replay under the rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from service.engine.deals import deal
from service.engine.decks import check_deck
from service.engine.errors import (
    EngineError,
    IllegalMoveError,
    MoveCompulsoryError,
    RefusedAtError,
    RefusedError,
    StockEmptyError,
)
from service.engine.play import DEAL, Deal, actions_of, encode_action, start
from service.engine.position import Move
from service.engine.scoring import rate, score

if TYPE_CHECKING:
    from service.engine.deals import Dealt
    from service.engine.play import Action, Options, Play, Status
    from service.engine.ruleset import Ruleset
    from service.engine.scoring import Rating
    from service.games.session import Session

FORMAT: Final = "accordion-record/1"
FINISH: Final = "finish"
"""The last action in a record of a game that its player stopped."""
_DEAL: Final = DEAL.value
_MOVE: Final = re.compile(r"([0-9]{1,2})-([0-9]{1,2})")
MAX_ACTIONS: Final = 200
"""The maximum number of actions in a record."""
MAX_SEED_LENGTH: Final = 64
SEED_PATTERN: Final = re.compile(rf"[^\x00-\x1f\x7f-\x9f]{{1,{MAX_SEED_LENGTH}}}")
"""A seed is any text of that length without control characters."""


class ActionTextError(Exception):
    """A text that is not an action of a record.

    Attributes:
        index: The index of the action, from 0.
        key: The key of the text that describes the error, in ``service.texts``.
    """

    def __init__(self, index: int, key: str) -> None:
        super().__init__(f"action {index}: {key}")
        self.index = index
        self.key = key


class SeedHiddenError(EngineError):
    """The seed or deck of a record is hidden, so it cannot be replayed."""


@dataclass(frozen=True, slots=True)
class Record:
    """A game as anybody can replay it.

    Attributes:
        ruleset: The variant.
        source: The source of the deal; None for a player's own deck.
        seed: The seed; None for a player's own deck, or while it is hidden.
        deck: The cards of a player's own deck; None if there is none, or while cards
            are hidden in the stock.
        goal: The goal card of a player's own deck, or None.
        line: The actions, encoded as in ``Play.done``.
        finished: Whether the player stopped after the actions.
        commitment: The SHA-256 (hex) of a hidden seed; None if the seed is shown, or if
            the commitment must be hidden too.
    """

    ruleset: Ruleset
    options: Options
    source: str | None
    seed: str | None
    deck: bytes | None
    goal: int | None
    line: bytes
    finished: bool
    allows_hints: bool = True
    commitment: str | None = field(default=None, compare=False)

    @property
    def actions(self) -> list[str]:
        """The actions as texts: ``deal``, ``4-3``, and ``finish`` at the end."""
        texts = [action_text(action) for action in actions_of(self.line)]
        return [*texts, FINISH] if self.finished else texts


@dataclass(frozen=True, slots=True)
class Replayed:
    """The final state of a record whose actions the rules accept.

    Attributes:
        score: The points without a time bonus, as a record has no times.
        row: The top cards, left to right.
    """

    status: Status
    score: int
    rating: Rating | None
    row: bytes


@dataclass(frozen=True, slots=True)
class RefusedRecord:
    """The first action of a record that the rules refuse.

    Attributes:
        index: The index of the action, from 0.
        reason: The code of the reason, as ``refusal_code`` returns it.
    """

    index: int
    reason: str


def record_of(session: Session, now: int) -> Record:
    """Return the record of a game, without what is still hidden in the game."""
    play = session.play
    own, seed = session.source is None, session.shown_seed(now)
    return Record(
        ruleset=play.ruleset,
        options=play.options,
        source=session.source,
        seed=seed,
        deck=play.cards if own and not session.hides_cards else None,
        goal=play.position.goal if own else None,
        line=play.done,
        finished=play.finished,
        allows_hints=session.allows_hints,
        commitment=session.commitment if seed is None else None,
    )


def replay(record: Record) -> Replayed | RefusedRecord:
    """Replay a record, and return whether the rules accept it.

    Errors as in ``play_record``, except ``RefusedAtError``.
    """
    try:
        play = play_record(record)
    except RefusedAtError as refusal:
        return RefusedRecord(refusal.index, refusal_code(refusal.cause))
    return Replayed(play.status, score(play, None), rate(play), play.position.row)


def play_record(record: Record) -> Play:
    """Return the game that a record describes.

    Raises:
        DeckError: The deck cannot be played in the variant.
        RefusedAtError: The rules refuse one of the actions.
        SeedHiddenError: The record has neither a seed nor a deck.
        SeedError: The seed is not a valid seed of the source.
        UnknownSourceError: The source does not exist.
    """
    dealt = _deal(record)
    play = start(record.ruleset, dealt.cards, record.options, dealt.goal)
    try:
        for action in actions_of(record.line):
            play = play.deal() if isinstance(action, Deal) else play.move(action)
        return play.finish() if record.finished else play
    except RefusedError as refusal:
        raise RefusedAtError(play.actions, refusal) from refusal


def action_text(action: Action) -> str:
    """Return an action as a text: ``deal``, or a move such as ``4-3``."""
    if isinstance(action, Deal):
        return _DEAL
    return f"{action.origin}-{action.target}"


def read_actions(texts: list[str]) -> tuple[bytes, bool]:
    """Parse the actions of a record.

    Returns:
        The actions, encoded as in ``Play.done``; and whether ``finish`` follows them.

    Raises:
        ActionTextError: A text is not an action, or follows ``finish``.
    """
    finished = bool(texts) and texts[-1] == FINISH
    line = b"".join(
        _read_action(index, text)
        for index, text in enumerate(texts[:-1] if finished else texts)
    )
    return line, finished


def _read_action(index: int, text: str) -> bytes:
    if text == _DEAL:
        return encode_action(DEAL)
    pair = _MOVE.fullmatch(text)
    if pair is None:
        key = "action-after-finish" if text == FINISH else "action"
        raise ActionTextError(index, key)
    return encode_action(Move(int(pair[1]), int(pair[2])))


def _deal(record: Record) -> Dealt:
    if record.deck is not None:
        return check_deck(record.ruleset, record.deck, record.goal)
    if record.seed is None or record.source is None:
        raise SeedHiddenError
    return deal(record.ruleset, record.seed, record.source)


def refusal_code(refusal: RefusedError) -> str:
    """Return the code of the reason for which an action is refused."""
    match refusal:
        case IllegalMoveError(reason=reason):
            return str(reason)
        case StockEmptyError():
            return "stock-empty"
        case MoveCompulsoryError():
            return "move-compulsory"
        case _:
            return "game-over"
