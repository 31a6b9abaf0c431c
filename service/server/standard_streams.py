"""Standard output and error that may be closed, or on a full disk."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

_STDOUT: Final = 1
_STANDARD: Final = (0, 1, 2)


def open_closed_streams() -> None:
    """Reopen closed standard streams on the null device.

    Otherwise the next file or connection that is opened would get the descriptor of a
    closed stream, and receive the output meant for the operator.
    """
    for number in _STANDARD:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor


def print_line(sentence: str) -> None:
    """Write a line to standard output; an error, as on a full disk, is ignored.

    The line is not buffered: writing a buffer would fail again when the process ends.
    """
    with suppress(OSError):
        os.write(_STDOUT, f"{sentence}\n".encode(errors="backslashreplace"))
