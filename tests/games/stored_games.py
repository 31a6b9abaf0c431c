"""Stored games of every form, and the facts that each contains.

    python -m tests.games.stored_games

adds a game of the newest form to tests/games/forms.json for each variant that has none.
A game in the file never changes: it must remain readable.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from service.engine.deals import deal
from service.engine.play import Options, start
from service.engine.variants import VARIANTS
from service.games.codec import FORM, encode
from service.games.session import (
    ActionCount,
    Finished,
    Moved,
    Session,
    UnrankedReason,
)
from tests.engine.rows import show_row
from tests.engine.strategies import play_randomly

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset

FILE = Path(__file__).with_name("forms.json")
STORED: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text(encoding="utf-8"))
"""The games, by form."""
_UNRANKED = (None, UnrankedReason.HELP, UnrankedReason.PLAYER_KEY)
"""The reasons why a game is unranked, by their number in the facts."""


_ACTION_NAMES = {Moved: "Moved", ActionCount: "Counted", Finished: "Finished"}
"""The kinds of last actions, as the facts name them."""


def facts(session: Session, form: int) -> dict[str, object]:
    """Everything that a session contains, as JSON data."""
    play = session.play
    position, options = play.position, play.options
    return {
        "variant": play.ruleset.key,
        "layout": options.layout,
        "compulsory": options.compulsory,
        "undo": options.undo,
        "source": session.source,
        "seed": session.seed,
        "server_seed": session.server_seed,
        "started_at": session.started_at,
        "ended_at": session.ended_at,
        "daily": session.daily and session.daily.isoformat(),
        "player": session.player,
        "hints_used": session.hints_used,
        "undos_used": session.undos_used,
        "cards": show_row(play.cards),
        "row": show_row(position.row),
        "heights": list(position.heights),
        "stock": show_row(position.stock),
        "goal": position.goal,
        "done": play.done.hex(),
        "undone": play.undone.hex(),
        "finished": play.finished,
        "plan": session.plan.hex(),
    } | _newer_facts(session, form)


def _newer_facts(session: Session, form: int) -> dict[str, object]:
    if form < 3:
        return {}
    action = session.last_action
    newer: dict[str, object] = {
        "version": session.version,
        "last_action": None
        if action is None
        else [_ACTION_NAMES[type(action)], *map(str, action)],
        "last_action_at": session.last_action_at,
        "reference": session.reference,
        "event": session.event,
        "event_closes_at": session.event_closes_at,
        "key_digest": session.key_digest.hex(),
        "allows_hints": session.allows_hints,
        "default_options": session.default_options,
        "unranked": _UNRANKED.index(session.unranked),
        "ends": session.ends,
    }
    return newer if form == 3 else {**newer, "review": session.review.hex()}


def new_game(ruleset: Ruleset) -> dict[str, object]:
    """A stored game of a variant, in the newest form."""
    dealt = deal(ruleset, "1")
    begun = start(ruleset, dealt.cards, Options(ruleset.layout), dealt.goal)
    session = Session(
        play=play_randomly(begun, Random(1), 20),
        source="accordion/1",
        seed="1",
        server_seed=False,
        started_at=1_795_000_000_000,
    )
    return {"stored": encode(session).hex(), **facts(session, FORM)}


def text(games: dict[str, list[dict[str, Any]]]) -> str:
    """The games as JSON, one on each line."""
    forms = (
        f'"{form}": [\n' + ",\n".join(map(json.dumps, found)) + "\n]"
        for form, found in games.items()
    )
    return "{" + ",\n".join(forms) + "}\n"


def main() -> None:
    """Add the missing games."""
    newest = STORED.setdefault(str(FORM), [])
    there = {game["variant"] for game in newest}
    newest += [new_game(VARIANTS[key]) for key in VARIANTS if key not in there]
    FILE.write_text(text(STORED), encoding="utf-8")


if __name__ == "__main__":
    main()
