"""What answers show of advice, as flat data ready for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from service.engine.play import DEAL, Deal
from service.http.texts import TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.engine.play import Action
    from service.http.schemas.views import View
    from service.solver import Analysis, Hint, Solution

_DEAL: Final = {"type": DEAL.value}
_RANK: Final = "rank"
"""The figure of a reason that has a word of its own in every language."""


def action_view(action: Action) -> View:
    """Show an action."""
    if isinstance(action, Deal):
        return _DEAL
    return {"type": "move", "from": action.origin, "to": action.target}


def hint_view(version: int, hint: Hint, language: str) -> View:
    """Show a hint, its reason in some language."""
    return {
        "version": version,
        "action": None if hint.action is None else action_view(hint.action),
        "verdict": hint.verdict,
        "reason": {
            "code": hint.reason,
            "text": _tell(TEXTS[language], hint.reason, hint.data),
        },
    }


def solution_view(version: int, solution: Solution) -> View:
    """Show a line that wins, or why there is none."""
    return {
        "version": version,
        "verdict": solution.verdict,
        "actions": [action_view(action) for action in solution.actions],
    }


def analysis_view(analysis: Analysis) -> View:
    """Show what is known of a row and of each of its moves."""
    return {
        "verdict": analysis.solution.verdict,
        "line": [action_view(action) for action in analysis.solution.actions],
        "moves": [
            {"from": move.origin, "to": move.target, "verdict": verdict}
            for move, verdict in (
                (judged.move, judged.verdict) for judged in analysis.moves
            )
        ],
    }


def _tell(texts: Mapping[str, Any], reason: str, data: Mapping[str, int | str]) -> str:
    """Put a reason into words."""
    words = dict(data)
    if _RANK in words:
        words[_RANK] = texts["ranks"][words[_RANK]]
    sentence: str = texts["hints"][reason].format_map(words)
    return sentence
