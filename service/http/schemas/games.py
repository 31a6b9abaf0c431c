"""Games in responses."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias, TypeVar

from msgspec import Meta

from service.engine.cards import name_cards
from service.engine.play import Status
from service.engine.ruleset import Layout, UndoRule
from service.engine.scoring import Rating, rate
from service.games.session import (
    ActionCount,
    ActionType,
    Finished,
    HintRule,
    Moved,
    UnrankedReason,
)
from service.http.schemas.response import (
    Card,
    Count,
    Day,
    Digest,
    GoalCard,
    MoveAction,
    MoveList,
    Response,
    Row,
    SourceKey,
    Time,
    VariantKey,
    Version,
    card_name,
    moves_response,
    time_text,
)
from service.timestamps import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.engine import play
    from service.engine.position import Position
    from service.games.session import LastAction
    from service.games.snapshot import GameSnapshot


class Options(Response):
    """The options of a game."""

    layout: Annotated[
        Layout,
        "`open`, every card lies face up from the start; `stock`, each deal turns "
        "one more.",
    ]
    compulsory: Annotated[bool, "Whether no card can be dealt while a move is legal."]
    undo: Annotated[UndoRule, "Whether actions can be undone."]
    hints: Annotated[HintRule, "Whether hints and solutions are given."]


class LastDeal(Response, tag_field="type", tag="deal"):
    """A deal, as the latest action."""

    count: Annotated[Count, "The cards dealt."]


class LastBatch(Response, tag_field="type", tag="batch"):
    """A batch, as the latest action."""

    count: Annotated[Count, "The steps of the batch."]


class LastUndo(Response, tag_field="type", tag="undo"):
    """An undo, as the latest action."""

    count: Annotated[Count, "The number of actions undone."]


class LastRedo(Response, tag_field="type", tag="redo"):
    """A redo, as the latest action."""

    count: Annotated[Count, "The number of actions redone."]


class LastFinish(Response, tag_field="type", tag="finish"):
    """A finish, as the latest action: the player has stopped."""


AnyLast: TypeAlias = (
    MoveAction | LastDeal | LastBatch | LastUndo | LastRedo | LastFinish
)

_COUNTED: Final[Mapping[ActionType, Callable[[int], AnyLast]]] = {
    ActionType.DEAL: LastDeal,
    ActionType.BATCH: LastBatch,
    ActionType.UNDO: LastUndo,
    ActionType.REDO: LastRedo,
}


class WatchedGame(Response, kw_only=True):
    """A game as spectators see it."""

    watch_id: Annotated[
        str, "The id for spectators: with it the game can be read, but not changed."
    ]
    variant: VariantKey
    options: Options
    source: Annotated[
        SourceKey | None, "What turned the seed into cards; null for a deck."
    ]
    seed: Annotated[
        str | None,
        "The seed of the deal; null for a deck of the player's own, and while it "
        "is hidden (see `commitment`).",
    ]
    daily: Annotated[Day | None, "The day whose deal it is."]
    player: Annotated[str | None, "The player's name."]
    version: Version
    status: Annotated[
        Status,
        "`playing`; `won`; `lost`, no move is legal and no card is left to deal; "
        "`ended`, the player stopped.",
    ]
    row: Row
    heights: Annotated[
        list[Annotated[int, Meta(ge=1)]], "The cards in each pile, left to right."
    ]
    stock: Annotated[Count, "The number of cards still to be dealt."]
    removed: Annotated[
        list[Card],
        "The cards out of play, in the order of their removal, in variants that "
        "remove cards.",
    ]
    goal_card: GoalCard
    legal_moves: MoveList
    can_deal: Annotated[bool, "Whether a deal of one card would be accepted."]
    can_undo: Annotated[bool, "Whether an undo would be accepted."]
    can_redo: Annotated[bool, "Whether a redo would be accepted."]
    moves: Annotated[
        Count, "The number of moves made and not undone; deals are not counted."
    ]
    hints_used: Annotated[Count, "How many hints were given."]
    undos_used: Annotated[Count, "How many actions were undone."]
    score: Annotated[
        Count,
        "10 for each pile moved onto another and each card removed; a win adds "
        "500, and 1200 minus 1 for each full second that it took, at least 0.",
    ]
    rating: Annotated[
        Rating | None,
        "Once the game is over: `full` if it is won; in variants that are won "
        "with one pile also `strong` for 2 or 3 piles and `moral` for 4 or 5.",
    ]
    commitment: Annotated[
        Digest | None,
        "In the stock layout, the SHA-256 of the seed in UTF-8. A seed that the "
        "server chose is hidden in this layout until the game is over, and a "
        "daily one until its day has closed too; then it is shown, and anybody "
        "can check it.",
    ]
    started_at: Annotated[Time, "When the game started."]
    ended_at: Annotated[Time | None, "When it was won, lost or stopped."]
    elapsed_seconds: Annotated[
        Count,
        "The full seconds from the start to the latest action, by the server's clock.",
    ]
    last_action: Annotated[
        AnyLast | None,
        "The latest change of play; null before the first one. A hint is not a change.",
    ]
    ranked: Annotated[
        bool,
        "Whether the game counts on boards; while it is being played, whether it "
        "will count if it ends in time.",
    ]
    unranked_reason: Annotated[
        UnrankedReason | None, "Why it does not count; null if it does."
    ]
    event: Annotated[str | None, "The id of the event to which the game belongs."]


class Game(WatchedGame, kw_only=True):
    """A game with its id, as its player sees it."""

    id: Annotated[
        str,
        "The game's id, a secret of its player: whoever has it can change the game.",
    ]
    reference: Annotated[str | None, "The client's own id of the game, as it was sent."]


class OverGame(WatchedGame, kw_only=True):
    """A game that is over, as sent to webhooks."""

    reference: Annotated[str | None, "The portal's own id of the game, as it was sent."]
    end: Annotated[
        int,
        Meta(ge=1),
        "1, or more for a game that was undone after a loss and ended "
        "again: the latest end counts.",
    ]


class PlayerGames(Response):
    """A page of a player's games."""

    games: Annotated[list[Game], "The newest first."]


class LegalMoves(Response):
    """The legal moves of a game, and whether a card can be dealt."""

    version: Version
    legal_moves: MoveList
    can_deal: Annotated[bool, "Whether a deal of one card would be accepted."]


class RowMoves(Response):
    """The legal moves of a row."""

    variant: VariantKey
    row: Row
    legal_moves: MoveList


AnyGame = TypeVar("AnyGame", bound=WatchedGame)


def game_response(snapshot: GameSnapshot, now: int) -> WatchedGame:
    """Make the response with a game, with its id if the snapshot has one.

    ``now``, in milliseconds since 1970, UTC, decides whether a seed is still hidden.
    """
    if snapshot.game_id is None:
        return _show(WatchedGame, snapshot, now)
    return own_game_response(snapshot, now)


def own_game_response(snapshot: GameSnapshot, now: int) -> Game:
    """Make the response with a game for its player; ``now`` as in ``game_response``."""
    reference = snapshot.session.reference
    own = partial(Game, id=snapshot.game_id or "", reference=reference)
    return _show(own, snapshot, now)


def over_game_response(snapshot: GameSnapshot, now: int) -> OverGame:
    """Make the part of a message to webhooks that describes a game that is over."""
    session = snapshot.session
    over = partial(OverGame, reference=session.reference, end=session.ends)
    return _show(over, snapshot, now)


def _show(make: Callable[..., AnyGame], snapshot: GameSnapshot, now: int) -> AnyGame:
    session = snapshot.session
    play = session.play
    position = play.position
    reason = session.unranked_reason
    return make(
        watch_id=snapshot.watch_id,
        variant=position.ruleset.key,
        options=options_response(play.options, allows_hints=session.allows_hints),
        source=session.source,
        seed=session.shown_seed(now),
        daily=None if session.daily is None else session.daily.isoformat(),
        player=session.player,
        version=snapshot.version,
        status=play.status,
        row=name_cards(position.row),
        heights=list(position.heights),
        stock=len(position.stock),
        removed=name_cards(play.removed),
        goal_card=card_name(position.goal),
        legal_moves=moves_response(play.legal_moves),
        can_deal=play.can_deal,
        can_undo=play.can_undo,
        can_redo=play.can_redo,
        moves=play.moves,
        hints_used=session.hints_used,
        undos_used=session.undos_used,
        score=session.score,
        rating=rate(play),
        commitment=session.commitment,
        started_at=stamp(session.started_at),
        ended_at=time_text(session.ended_at),
        elapsed_seconds=session.elapsed_seconds,
        last_action=_last_response(session.last_action),
        ranked=reason is None,
        unranked_reason=reason,
        event=session.event,
    )


def _last_response(action: LastAction | None) -> AnyLast | None:
    match action:
        case Moved(move):
            return MoveAction(move.origin, move.target)
        case ActionCount(kind, number):
            return _COUNTED[kind](number)
        case Finished():
            return LastFinish()
        case None:
            return None


def legal_moves_response(snapshot: GameSnapshot, _now: int) -> LegalMoves:
    """Make the response with the legal moves of a game."""
    play = snapshot.session.play
    return LegalMoves(
        version=snapshot.version,
        legal_moves=moves_response(play.legal_moves),
        can_deal=play.can_deal,
    )


@cache
def options_response(options: play.Options, *, allows_hints: bool = True) -> Options:
    """Make the options of a game as a response has them."""
    return Options(
        layout=options.layout,
        compulsory=options.compulsory,
        undo=options.undo,
        hints=HintRule.ALLOWED if allows_hints else HintRule.NONE,
    )


def row_response(position: Position) -> RowMoves:
    """Make the response with the legal moves of a row."""
    return RowMoves(
        variant=position.ruleset.key,
        row=name_cards(position.row),
        legal_moves=moves_response(position.legal_moves),
    )
