"""The tuned weights of the heuristic search, by variant.

They were found by tools/tune_weights.py; the figures are in docs/winnability.md.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from service.solver.kernels.heuristic_state import Weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.engine.ruleset import Ruleset

DEFAULT: Final = Weights(
    right=0.2,
    reach=75.0,
    open_weight=0.05,
    noise=0.2,
    stop=14.0,
    limit=1000.0,
    goal_weight=2.0,
)
"""The weights for a variant whose weights were not tuned."""

TUNED: Final[Mapping[str, Weights]] = MappingProxyType(
    {
        "accordion": Weights(
            right=0.056,
            reach=88.0,
            open_weight=0.0274,
            noise=0.16,
            stop=12.0,
            limit=400.0,
            goal_weight=0.0,
        ),
        "accordion-bidirectional": Weights(
            right=0.384,
            reach=147.0,
            open_weight=0.0024,
            noise=0.371,
            stop=15.0,
            limit=1110.0,
            goal_weight=0.0,
        ),
        "accordions-revenge": Weights(
            right=0.2,
            reach=107.0,
            open_weight=0.0372,
            noise=0.2,
            stop=15.0,
            limit=1600.0,
            goal_weight=3.1,
        ),
        "23-skidoo": Weights(
            right=0.187,
            reach=110.0,
            open_weight=0.0228,
            noise=0.1,
            stop=11.0,
            limit=601.0,
            goal_weight=0.0,
        ),
        "bayan": Weights(
            right=0.3,
            reach=361.0,
            open_weight=0.0444,
            noise=0.162,
            stop=14.0,
            limit=636.0,
            goal_weight=0.0,
        ),
    }
)


def weights_of(ruleset: Ruleset) -> Weights:
    """Return the tuned weights for a variant, or ``DEFAULT``."""
    return TUNED.get(ruleset.key, DEFAULT)
