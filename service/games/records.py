"""A game as a portable record, and its replay under the rules."""

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
"""The last action of a record whose player stopped."""
_DEAL: Final = DEAL.value
_MOVE: Final = re.compile(r"([0-9]{1,2})-([0-9]{1,2})")
MOST_ACTIONS: Final = 200
"""Actions in the longest record."""
LONGEST_SEED: Final = 64
SEED_PATTERN: Final = re.compile(rf"[^\x00-\x1f\x7f-\x9f]{{1,{LONGEST_SEED}}}")
"""Any text without control characters is a seed."""


class ActionTextError(Exception):
    """A text that is no action of a record.

    Attributes:
        index: The place of the action, from 0.
        key: What is wrong with it, as a code; ``service.texts`` has its sentences.
    """

    def __init__(self, index: int, key: str) -> None:
        super().__init__(f"action {index}: {key}")
        self.index = index
        self.key = key


class SeedHiddenError(EngineError):
    """A record whose seed or deck is hidden, so that it cannot be replayed."""


@dataclass(frozen=True, slots=True)
class Record:
    """A game as anybody can replay it.

    Attributes:
        ruleset: The variant.
        options: How the game was played.
        source: The source of the deal, or None for a deck.
        seed: The seed, or None for a deck and while it is hidden.
        deck: The cards of a player's own deck, or None; hidden with the stock.
        goal: The goal card of a player's own deck, or None.
        line: The actions, as ``Play.done``.
        finished: Whether the player stopped after them.
        allows_hints: Whether the game was played with hints allowed.
        commitment: The SHA-256 of a seed that is hidden, or None.
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
        """The actions in words: ``deal``, ``4-3``, and ``finish`` at the end."""
        texts = [action_text(action) for action in actions_of(self.line)]
        return [*texts, FINISH] if self.finished else texts


@dataclass(frozen=True, slots=True)
class Replayed:
    """A record that holds under the rules.

    Attributes:
        status: How the game stands at its end.
        score: Its points without a time bonus, for a record carries no clock.
        rating: Its rating, or None.
        row: The top cards at its end, left to right.
    """

    status: Status
    score: int
    rating: Rating | None
    row: bytes


@dataclass(frozen=True, slots=True)
class Refuted:
    """A record that breaks the rules.

    Attributes:
        index: The place of the first action that is refused, from 0.
        reason: Why, as a code.
    """

    index: int
    reason: str


def record_of(session: Session, now: int) -> Record:
    """Write a game as a record; what is hidden in the game is hidden in it."""
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


def replay(record: Record) -> Replayed | Refuted:
    """Replay a record, and find out whether it holds; errors as in ``play_record``."""
    try:
        play = play_record(record)
    except RefusedAtError as refusal:
        return Refuted(refusal.index, refusal_code(refusal.cause))
    return Replayed(play.status, score(play, None), rate(play), play.position.row)


def play_record(record: Record) -> Play:
    """Play a record to its end.

    Raises:
        DeckError: The deck cannot be played in the variant.
        RefusedAtError: The rules refuse one of the actions; not raised by ``replay``.
        SeedHiddenError: It has neither a seed nor a deck.
        SeedError: The source does not know the seed.
        UnknownSourceError: There is no such source.
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
    """Write an action as records have it."""
    if isinstance(action, Deal):
        return _DEAL
    return f"{action.origin}-{action.target}"


def read_actions(texts: list[str]) -> tuple[bytes, bool]:
    """Read the actions of a record.

    Returns:
        The line of actions, and whether the player stopped after them.

    Raises:
        ActionTextError: One of the texts is no action, or follows the end.
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
    """Return why an action of a record is refused, as a code."""
    match refusal:
        case IllegalMoveError(reason=reason):
            return str(reason)
        case StockEmptyError():
            return "stock-empty"
        case MoveCompulsoryError():
            return "move-compulsory"
        case _:
            return "game-over"
