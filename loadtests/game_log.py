"""The acknowledged writes of a game, and whether the service still has all of them."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from loadtests.http_client import build_request
from loadtests.soak_client import NOT_FOUND, OK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loadtests.soak_client import RetryingClient


class History(NamedTuple):
    """The actions of a game, as its record writes them."""

    done: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()  # the next to redo first
    finished: bool = False

    @property
    def actions(self) -> list[str]:
        """The actions that the record must list."""
        return [*self.done, "finish"] if self.finished else [*self.done]


Effect: TypeAlias = Callable[[History], History]
"""The effect of a write on the history of a game."""


def append(*actions: str) -> Effect:
    """The effect of new actions."""
    return lambda history: History(history.done + actions)


def undo(count: int | None) -> Effect:
    """The effect of undoing some actions, or all of them (None)."""

    def effect(history: History) -> History:
        left = 0 if count is None else len(history.done) - count
        return History(history.done[:left], history.done[left:] + history.undone)

    return effect


def redo(count: int | None) -> Effect:
    """The effect of redoing some actions, or all of them (None)."""

    def effect(history: History) -> History:
        size = len(history.undone) if count is None else count
        return History(history.done + history.undone[:size], history.undone[size:])

    return effect


def finish(history: History) -> History:
    """The effect of finishing the game."""
    return history._replace(finished=True)


class GameLog:
    """The acknowledged writes of one game, recorded by any thread."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.deleted = False  # the deletion was acknowledged
        self._latest = 1
        self._writes: defaultdict[int, list[Effect]] = defaultdict(list)
        self._lock = threading.Lock()

    @property
    def latest(self) -> int:
        """The highest version in any response."""
        return self._latest

    @property
    def writes(self) -> int:
        """The number of acknowledged writes, the creation and the deletion included."""
        return 1 + sum(map(len, self._writes.values())) + self.deleted

    def record_version(self, version: int) -> None:
        """Record a version that a response showed."""
        with self._lock:
            self._latest = max(self._latest, version)

    def record_write(self, version: int, effect: Effect) -> None:
        """Record a write that was acknowledged with this new version."""
        self.record_version(version)
        with self._lock:
            self._writes[version].append(effect)

    def losses(self, version: int, actions: Sequence[str]) -> list[str]:
        """List contradictions to the version of a game or the actions of its record.

        Each version after the first must be one acknowledged write, and the writes in
        the order of their versions must give the actions.
        """
        if version < self._latest:
            return [f"version {self._latest} was acknowledged, the game has {version}"]
        history, losses = History(), []
        for number in range(2, version + 1):
            effects = self._writes.get(number, [])
            if len(effects) != 1:
                losses.append(
                    f"{len(effects)} acknowledged writes made version {number}"
                )
            for effect in effects:
                history = effect(history)
        if not losses and history.actions != list(actions):
            losses.append(f"the record is {actions}, acknowledged {history.actions}")
        return losses


def audit(client: RetryingClient, log: GameLog) -> list[str]:
    """Compare a game with its log, and its record with the rules; list what is wrong.

    A game that hides its seed is finished first, since that reveals the seed.
    """
    found = client.send(build_request("GET", log.path))
    if found.status != (NOT_FOUND if log.deleted else OK):
        return [f"{log.path}, deleted: {log.deleted}, is answered {found}"]
    if log.deleted:
        return []
    game, record = found.json(), _get_record(client, log)
    if record.get("seed") is None and record.get("deck") is None:
        key = {"Idempotency-Key": "finished-by-audit"}
        request = build_request("POST", f"{log.path}/finish", {}, key)
        game = client.send(request).json()
        log.record_write(game["version"], finish)
        record = _get_record(client, log)
    losses = log.losses(game["version"], record["actions"])
    replay = client.send(build_request("POST", "/v1/replays", record)).json()
    differs = any(replay.get(name) != game[name] for name in ("row", "status"))
    if not replay.get("valid") or differs or replay["rating"] != game["rating"]:
        losses.append(f"the replay of the record is {replay}, the game {game}")
    return [f"{log.path}: {loss}" for loss in losses]


def _get_record(client: RetryingClient, log: GameLog) -> dict[str, Any]:
    record: dict[str, Any] = client.send(
        build_request("GET", f"{log.path}/record")
    ).json()
    return record
