"""API keys: a file of their digests, and the tenant of each key.

A key has 256 random bits, so it cannot be found from its SHA-256 by trying. Slow hashes
protect passwords that can be guessed; here they would only slow down every request.

The file is JSON: ``{"keys": [{"name", "tenant", "sha256", "created"}, ...]}``. It is
written atomically, and read again when it has changed.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import re
import secrets
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from service.config import TENANT, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

VARIABLE: Final = "ACCORDION_API_KEYS_FILE"
PREFIX: Final = "accordion_"
"""The prefix of every key, by which people and secret scanners recognise it."""

_KEY_BYTES: Final = 32
_NAME: Final = rf"^{TENANT}\Z"
_SHA256: Final = r"^[0-9a-f]{64}\Z"
_NEW_FILE_MODE: Final = 0o600
_LOG: Final = logging.getLogger(__name__)


class KeyFileError(Exception):
    """A key file that cannot be read or changed; the message is one sentence."""


class ApiKey(msgspec.Struct, frozen=True):
    """An entry of the key file, which does not contain the key itself.

    Attributes:
        name: The operator's name for the key; unique in the file.
        tenant: The tenant whose games the key opens; several keys may have the same
            tenant.
        sha256: The SHA-256 of the key's text, as 64 hexadecimal digits.
        created: The UTC day on which the key was made.
    """

    name: Annotated[str, msgspec.Meta(pattern=_NAME)]
    tenant: Annotated[str, msgspec.Meta(pattern=_NAME)]
    sha256: Annotated[str, msgspec.Meta(pattern=_SHA256)]
    created: date


class _Entries(msgspec.Struct):
    keys: list[msgspec.Raw]


class Keys:
    """The current keys of a file.

    Raises:
        SettingsError: The file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file_state = _file_state(path)
        self._last_error = ""
        try:
            self._keys = _by_digest(path)
        except KeyFileError as error:
            raise SettingsError(f"{VARIABLE}: {error}") from error

    def find(self, text: str) -> ApiKey | None:
        """Find the entry of a key, or None.

        Keys are looked up by digest, so the time taken reveals nothing about them.
        """
        return self._current().get(_digest(text))

    def _current(self) -> Mapping[str, ApiKey]:
        """Return the keys by digest, read again if the file changed and can be used."""
        mark = _file_state(self._path)
        if mark != self._file_state:
            try:
                self._keys = _by_digest(self._path)
                self._file_state, self._last_error = mark, ""
            except KeyFileError as error:
                self._log_once(f"{VARIABLE}: {error} The keys read before stay.")
        return self._keys

    def _log_once(self, message: str) -> None:
        if message != self._last_error:
            _LOG.error(message)
        self._last_error = message


def _by_digest(path: Path) -> dict[str, ApiKey]:
    return {key.sha256: key for key in read_keys(path)}


def read_keys(path: Path) -> tuple[ApiKey, ...]:
    """Read a key file.

    Raises:
        KeyFileError: The file cannot be read, or is not a key file.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise KeyFileError(f"cannot read {path}: {error.strerror}.") from error
    try:
        keys = tuple(map(_read_key, _read_entries(text)))
        _check_unique(keys)
    except ValueError as error:
        raise KeyFileError(f"{path} is no file of keys: {error}.") from error
    return keys


def add_key(path: Path, name: str, tenant: str, created: date) -> str:
    """Make a key and add its entry to a file, which is made if it does not exist.

    Returns:
        The key, which is not stored anywhere.

    Raises:
        KeyFileError: The file cannot be used or has a key of that name, or the name or
            the tenant does not match ``TENANT``.
    """
    for text in (name, tenant):
        if not re.fullmatch(TENANT, text):
            raise KeyFileError(
                f"{text!r} is no name: it takes 1 to 64 letters, digits, - and _."
            )
    text = PREFIX + secrets.token_urlsafe(_KEY_BYTES)
    with _locked(path):
        keys = read_keys(path) if path.exists() else ()
        if any(key.name == name for key in keys):
            raise KeyFileError(f"{path} has a key of the name {name} already.")
        _write(path, [*keys, ApiKey(name, tenant, _digest(text), created)])
    return text


def remove_key(path: Path, name: str) -> None:
    """Remove the entry of a key from a file.

    Raises:
        KeyFileError: The file cannot be used, or has no key of that name.
    """
    with _locked(path):
        keys = read_keys(path)
        left = [key for key in keys if key.name != name]
        if len(left) == len(keys):
            raise KeyFileError(f"{path} has no key of the name {name}.")
        _write(path, left)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _file_state(path: Path) -> tuple[int, int, int] | None:
    """Return a file's modification time in ns, size and inode; None if stat fails."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _read_entries(text: bytes) -> list[msgspec.Raw]:
    try:
        return msgspec.json.decode(text, type=_Entries).keys
    except msgspec.ValidationError as error:
        raise ValueError('it needs a list "keys"') from error


def _read_key(entry: msgspec.Raw) -> ApiKey:
    try:
        return msgspec.json.decode(entry, type=ApiKey)
    except msgspec.ValidationError as error:
        raise ValueError(
            "each key needs a name, a tenant, a sha256 of 64 hexadecimal digits and "
            "the day it was created"
        ) from error


def _check_unique(keys: Sequence[ApiKey]) -> None:
    if len({key.name for key in keys}) < len(keys):
        raise ValueError("two keys have the same name")
    if len({key.sha256 for key in keys}) < len(keys):
        raise ValueError("two keys have the same sha256")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock the file's folder, so that only one command at a time writes the file."""
    folder = path.resolve().parent
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise KeyFileError(f"cannot use {folder}: {error.strerror}.") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _write(path: Path, keys: Sequence[ApiKey]) -> None:
    text = msgspec.json.format(msgspec.json.encode({"keys": keys}), indent=2) + b"\n"
    try:
        _replace(path.resolve(), text)
    except OSError as error:
        raise KeyFileError(f"cannot write {path}: {error.strerror}.") from error


def _replace(path: Path, text: bytes) -> None:
    """Write a file atomically; keep its mode, and its owner if that is permitted."""
    with NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as new:
        try:
            _keep_access(path, new.fileno())
            new.write(text)
            new.flush()
            os.fsync(new.fileno())
            Path(new.name).replace(path)
        except BaseException:
            Path(new.name).unlink()
            raise


def _keep_access(path: Path, new: int) -> None:
    if not path.exists():
        os.fchmod(new, _NEW_FILE_MODE)
        return
    old = path.stat()
    with suppress(PermissionError):
        os.fchown(new, old.st_uid, old.st_gid)
    os.fchmod(new, old.st_mode & 0o7777)
