"""What answers show of games, deals and variants, as flat data ready for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from service.engine.cards import NAMES, name_cards
from service.engine.play import Options
from service.engine.ruleset import Layout
from service.engine.scoring import rate
from service.games.records import FORMAT, Refuted, Replayed
from service.games.session import commit
from service.timestamps import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from service.engine.deals import Dealt
    from service.engine.position import Move, Position
    from service.engine.ruleset import Ruleset
    from service.games.daily import DailyDeal
    from service.games.records import Record
    from service.games.service import GameSnapshot
    from service.http.errors.problem import ProblemType

View: TypeAlias = "dict[str, Any]"
"""An object of an answer, its values ready for JSON."""


def game_view(kept: GameSnapshot, now: int) -> View:
    """Show a game as it is at a time in milliseconds."""
    session = kept.session
    play = session.play
    position = play.position
    return {
        "id": kept.game_id,
        "watch_id": kept.watch_id,
        "variant": position.ruleset.key,
        "options": options_view(play.options),
        "source": session.source,
        "seed": session.shown_seed(now),
        "daily": None if session.daily is None else session.daily.isoformat(),
        "player": session.player,
        "version": kept.version,
        "status": play.status,
        "row": name_cards(position.row),
        "heights": list(position.heights),
        "stock": len(position.stock),
        "removed": name_cards(play.removed),
        "goal_card": card_view(position.goal),
        "legal_moves": moves_view(play.legal_moves),
        "can_deal": play.can_deal,
        "can_undo": play.can_undo,
        "can_redo": play.can_redo,
        "moves": play.moves,
        "hints_used": session.hints_used,
        "undos_used": session.undos_used,
        "score": session.score(now),
        "rating": rate(play),
        "commitment": session.commitment,
        "started_at": time_view(session.started_at),
        "ended_at": time_view(session.ended_at),
        "elapsed_seconds": session.elapsed_seconds(now),
    }


def legal_moves_view(kept: GameSnapshot, _now: int) -> View:
    """Show what can be done in a game."""
    play = kept.session.play
    return {
        "version": kept.version,
        "legal_moves": moves_view(play.legal_moves),
        "can_deal": play.can_deal,
    }


def options_view(options: Options) -> View:
    """Show how a game is played."""
    return {
        "layout": options.layout,
        "compulsory": options.compulsory,
        "undo": options.undo,
    }


def moves_view(moves: Iterable[Move]) -> list[View]:
    """Show moves."""
    return [{"from": origin, "to": target} for origin, target in moves]


def card_view(card: int | None) -> str | None:
    """Show a card, if there is one."""
    return None if card is None else NAMES[card]


def time_view(time: int | None) -> str | None:
    """Show a time in milliseconds since 1970, if there is one."""
    return None if time is None else stamp(time)


def record_view(record: Record) -> View:
    """Show a game as a portable record."""
    view: View = {
        "format": FORMAT,
        "variant": record.ruleset.key,
        "options": options_view(record.options),
    }
    if record.source is None:
        view["deck"] = None if record.deck is None else name_cards(record.deck)
        if record.goal is not None:
            view["goal_card"] = NAMES[record.goal]
    else:
        view |= {"source": record.source, "seed": record.seed}
    return view | {"actions": record.actions}


def replay_view(outcome: Replayed | Refuted) -> View:
    """Show what a record comes to."""
    match outcome:
        case Refuted(index, reason):
            return {"valid": False, "index": index, "reason": reason}
        case Replayed(status, score, rating, row):
            return {
                "valid": True,
                "status": status,
                "score": score,
                "rating": rating,
                "row": name_cards(row),
            }


def deal_view(ruleset: Ruleset, source: str, seed: str, dealt: Dealt) -> View:
    """Show a deal."""
    return {
        "source": source,
        "seed": seed,
        "variant": ruleset.key,
        "cards": name_cards(dealt.cards),
        "goal_card": card_view(dealt.goal),
    }


def daily_view(ruleset: Ruleset, daily: DailyDeal, today: date) -> View:
    """Show the deal of a day, and no card of one that is hidden while the day lasts."""
    view = deal_view(ruleset, daily.source, daily.seed, daily.dealt)
    stock = ruleset.layout is Layout.STOCK
    if stock and daily.day >= today:
        view |= {"seed": None, "cards": None}
    return {
        "date": daily.day.isoformat(),
        **view,
        "commitment": commit(daily.seed) if stock else None,
    }


def variant_view(ruleset: Ruleset, texts: Mapping[str, str]) -> View:
    """Show a variant, in the texts of some language."""
    pins = ruleset.pins
    return {
        "key": ruleset.key,
        "aliases": ruleset.aliases,
        **texts,
        "effect": ruleset.effect,
        "distances": ruleset.offsets,
        "goal_length": ruleset.goal_length,
        "deck_size": ruleset.deck_size,
        "pinned_cards": None if pins is None else [NAMES[card] for card in pins],
        "names_goal_card": ruleset.names_goal,
        "options": options_view(Options(ruleset.layout)),
    }


def row_view(position: Position) -> View:
    """Show what can be done with a row."""
    return {
        "variant": position.ruleset.key,
        "row": name_cards(position.row),
        "legal_moves": moves_view(position.legal_moves),
    }


def problem_view(problem: ProblemType) -> View:
    """Show a kind of problem."""
    return {
        "type": problem.uri,
        "title": problem.title,
        "status": problem.status,
        "explanation": problem.explanation,
        "members": {
            name: member.schema["description"]
            for name, member in problem.members.items()
        },
    }
