"""Work in several processes at once, one of which may die."""

from __future__ import annotations

import multiprocessing
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.connection import Connection

T = TypeVar("T")
_CONTEXT = multiprocessing.get_context("fork")
_STOP_SECONDS = 5.0


class ProcessDiedError(Exception):
    """A process ended, or stayed silent, without a result."""


class _Raised(NamedTuple):
    error: Exception


def run_each(
    work: Callable[..., T], shares: Iterable[tuple[Any, ...]], patience: float
) -> list[T]:
    """Have a process of its own do each share of some work.

    Args:
        work: is called with the members of a share.
        shares: the shares.
        patience: the seconds that may pass between two results.

    Returns:
        What came of the shares, in their order.

    Raises:
        Exception: What a share raised.
        ProcessDiedError: A process came to nothing.
    """
    running = [_start(work, share) for share in shares]
    try:
        return [_await(reader, patience) for _, reader in running]
    finally:
        for process, reader in running:
            reader.close()
            process.terminate()
        for process, _ in running:
            process.join(_STOP_SECONDS)


def _start(
    work: Callable[..., Any], share: tuple[Any, ...]
) -> tuple[multiprocessing.process.BaseProcess, Connection]:
    reader, writer = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_do, args=(work, share, writer), daemon=True)
    process.start()
    # The child's end is then the only one: the pipe closes when the child ends.
    writer.close()
    return process, reader


def _do(work: Callable[..., Any], share: tuple[Any, ...], writer: Connection) -> None:
    result: Any
    try:
        result = work(*share)
    except Exception as error:  # noqa: BLE001 - it is raised again by the parent
        result = _Raised(error)
    with suppress(BrokenPipeError):
        writer.send(result)


def _await(reader: Connection, patience: float) -> Any:  # noqa: ANN401 - whatever comes
    if not reader.poll(patience):
        raise ProcessDiedError(f"a process has been silent for {patience:.0f} s")
    try:
        result = reader.recv()
    except EOFError:
        raise ProcessDiedError("a process died before it had a result") from None
    if isinstance(result, _Raised):
        raise result.error
    return result
