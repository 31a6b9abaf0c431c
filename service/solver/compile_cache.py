"""Where compiled kernels are kept between processes.

Numba compiles a kernel together with the kernels that it calls, but checks only the
kernel's own source file to find out whether its cache is still valid. So the cache is
a folder named after the content of all source files of the solver.

That folder is in ``NUMBA_CACHE_DIR``, or if that is not set in the ``__pycache__`` of
this package; or else in the user's cache folder. The first that has every kernel is
used, which need not be writable; if none has, the first that can be written. A cache
that cannot be read or written is no error: its kernels are compiled in memory.

Relies on internals of numba, where ``dispatcher._cache`` is the cache of a kernel.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from importlib.resources import files
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Final

from numba.core import config
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    UserProvidedCacheLocator,
)
from numba.misc.appdirs import AppDirs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_DIGITS: Final = 16
_ROOM: Final = 4 * 2**20
"""Bytes that must be free where compiled kernels are to be written."""


class _Locator(UserProvidedCacheLocator):
    """The folder in ``config.CACHE_DIR``, whether or not it can be written.

    It is the same wherever the sources are, so that checkouts can share a cache.
    """

    def __init__(self, py_func: Callable[..., object], py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._cache_path = config.CACHE_DIR  # type: ignore[attr-defined]

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - as numba declares it


class KernelCache(FunctionCache):
    """The compiled code of one kernel on disk.

    What cannot be read is compiled again, and what cannot be written is left out.
    """

    _impl_class = _Implementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401
        """Load the code compiled for a signature; None if there is none."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - damaged files raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ANN401
        """Save the code compiled for a signature, if that is possible."""
        with suppress(Exception):
            super().save_overload(sig, data)

    def has_code_for(self, processor: tuple[str, ...]) -> bool:
        """Whether code compiled for this processor can be read."""
        with suppress(Exception):
            index = self._cache_file._load_index()  # noqa: SLF001
            names = [name for key, name in index.items() if key[1] == processor]
            return any(map(self._is_written, names))
        return False

    def _is_written(self, name: str) -> bool:
        with open(self._cache_file._data_path(name), "rb") as file:  # noqa: PTH123, SLF001
            return bool(file.read(1))

    def has_room(self) -> bool:
        """Whether compiled code can be written."""
        try:
            self._impl.locator.ensure_cache_path()
            with TemporaryFile(dir=self.cache_path) as file:
                file.write(bytes(_ROOM))
        except OSError:
            return False
        return True


def use_cache(kernels: Sequence[Any]) -> None:
    """Have kernels loaded from a cache on disk, and saved there once compiled.

    Args:
        kernels: Functions that numba compiles; none of them is compiled yet.
    """
    folders = list(_folders())
    for folder in folders:
        _attach(kernels, folder)
        if is_cached(kernels):
            return
    for folder in folders:
        _attach(kernels, folder)
        if kernels[0]._cache.has_room():  # noqa: SLF001
            return


def is_cached(kernels: Sequence[Any]) -> bool:
    """Whether the cache on disk has every kernel, compiled for this processor."""
    return all(
        kernel._cache.has_code_for(kernel.targetctx.codegen().magic_tuple())  # noqa: SLF001
        for kernel in kernels
    )


def _attach(kernels: Sequence[Any], folder: str) -> None:
    config.CACHE_DIR = folder  # type: ignore[attr-defined]
    for kernel in kernels:
        kernel._cache = KernelCache(kernel.py_func)  # noqa: SLF001


def _folders() -> Iterator[str]:
    """List the folders for kernels of these sources, the preferred one first."""
    package = files("service.solver")
    digest = hashlib.sha256()
    for folder in (package, package.joinpath("kernels")):
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            if file.name.endswith(".py"):
                digest.update(file.read_bytes())
    name = digest.hexdigest()[:_DIGITS]
    base = config.CACHE_DIR or package.joinpath("__pycache__")  # type: ignore[attr-defined]
    yield f"{base}/{name}"
    users = AppDirs("accordion-service", appauthor=False).user_cache_dir
    if users.startswith("/"):  # else no home folder is known
        yield f"{users}/{name}"
