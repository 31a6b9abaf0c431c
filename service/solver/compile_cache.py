"""The cache of compiled kernels on disk.

Numba compiles a kernel together with the kernels that it calls, but checks only the
kernel's own source file to find out whether its cache is still valid. So the name of
the cache folder is a hash of all source files of the solver.

There are two places for this folder: first, ``NUMBA_CACHE_DIR`` or, if that is not
set, the ``__pycache__`` of this package; second, the user's cache folder. The first
place with every kernel is used, even if it cannot be written; if there is none, the
first that can be written. If no cache can be read or written, that is no error: the
kernels are compiled in memory.

This module relies on internals of Numba, in which ``dispatcher._cache`` is the cache
of a kernel.
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
"""The bytes that must be free where compiled kernels are to be written."""


class _Locator(UserProvidedCacheLocator):
    """The folder in ``config.CACHE_DIR``, whether or not it can be written.

    It does not depend on the path of the sources, so checkouts can share a cache.
    """

    def __init__(self, py_func: Callable[..., object], py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._cache_path = config.CACHE_DIR  # type: ignore[attr-defined]

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - as Numba declares it


class KernelCache(FunctionCache):
    """The compiled code of one kernel on disk.

    Code that cannot be read is compiled again; code that cannot be written is not
    cached.
    """

    _impl_class = _Implementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401
        """Load the code compiled for a signature; return None if none can be read."""
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
        """Whether the folder can be written and has ``_ROOM`` bytes free."""
        try:
            self._impl.locator.ensure_cache_path()
            with TemporaryFile(dir=self.cache_path) as file:
                file.write(bytes(_ROOM))
        except OSError:
            return False
        return True


def use_cache(kernels: Sequence[Any]) -> None:
    """Make kernels load from a cache on disk, and save them there once compiled.

    Args:
        kernels: Functions that Numba compiles; none of them is compiled yet.
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
    """Whether the cache on disk contains every kernel, compiled for this processor."""
    return all(
        kernel._cache.has_code_for(kernel.targetctx.codegen().magic_tuple())  # noqa: SLF001
        for kernel in kernels
    )


def _attach(kernels: Sequence[Any], folder: str) -> None:
    config.CACHE_DIR = folder  # type: ignore[attr-defined]
    for kernel in kernels:
        kernel._cache = KernelCache(kernel.py_func)  # noqa: SLF001


def _folders() -> Iterator[str]:
    """Yield the possible cache folders for these sources, the preferred one first."""
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
