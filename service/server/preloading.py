"""What is loaded before the workers are forked, and shared by them."""

from __future__ import annotations

import gc


def freeze() -> None:
    """Take what is loaded by now out of the garbage collector's view.

    It stays as long as the workers do: none looks through it, or copies it by doing so.
    """
    gc.collect()
    gc.freeze()
