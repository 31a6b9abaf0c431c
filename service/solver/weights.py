"""The tuned weights of the descents, by variant.

Found by tools/tune.py; docs/winnability.md has the figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.solver.descent import Weights

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT: Final = Weights(
    reach=45.0, open_weight=0.1, noise=0.3, stop=14.0, limit=1000.0, goal_weight=2.0
)
"""For a variant that was not tuned."""

TUNED: Final[Mapping[str, Weights]] = {}
