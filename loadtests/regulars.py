"""Players who keep a ledger of all that the service acknowledged to them.

Some tables have one player, who knows the game to the last action; at others several
play at once, each write under a key of its own.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from loadtests.ledger import Ledger
from loadtests.stubborn import (
    CONFLICT,
    CREATED,
    NO_CONTENT,
    NOT_FOUND,
    NOT_MODIFIED,
    OK,
    PRECONDITION_FAILED,
    problem_of,
)
from loadtests.wire import Answer, request
from loadtests.wishes import HINT, View, Wish, choose, new_game

if TYPE_CHECKING:
    from random import Random

    from loadtests.stubborn import Stubborn
    from loadtests.tally import Tally

_SHARED_TURNS = 0.35
_LOOKS = 0.15
_HINTS = 0.03
_DELETIONS = 0.004
_HALF = 0.5
_MINIMAL = 0.1
_REPEATS = 0.2

_REFUSALS_AMONG_SEVERAL = frozenset(
    f"/problems/{slug}"
    for slug in (
        "game-over",
        "illegal-move",
        "move-compulsory",
        "nothing-to-redo",
        "nothing-to-undo",
        "stock-empty",
    )
)
"""What may be refused where others have changed the game meanwhile."""


class Table:
    """A game and who plays it.

    Attributes:
        ledger: what was acknowledged of it.
        watch_id: by what it can be watched.
        shared: whether several play it at once.
        view: how it was seen last; None where the last answer did not show it.
    """

    def __init__(self, game: View, *, shared: bool) -> None:
        self.ledger = Ledger(game["id"])
        self.watch_id: str = game["watch_id"]
        self.shared = shared
        self.view: View | None = game

    @property
    def path(self) -> str:
        """The path of the game."""
        return f"/v1/games/{self.ledger.game_id}"

    def see(self, version: int, view: View | None) -> None:
        """Take note of an answer."""
        self.ledger.see(version)
        self.view = view


class Lounge:
    """The tables, of which some are open to everybody.

    Args:
        shared: how many are open to everybody at a time.
        hints: whether the service gives hints.
    """

    def __init__(self, shared: int, *, hints: bool) -> None:
        self.ledgers: list[Ledger] = []
        self.hints = hints
        self._open: list[Table | None] = [None] * shared
        self._lock = threading.Lock()

    def note(self, table: Table) -> None:
        """Note a new table, so that its ledger is checked."""
        with self._lock:
            self.ledgers.append(table.ledger)

    def take_seat(self, number: int) -> Table | None:
        """The open table of a number, if there is one."""
        return self._open[number % len(self._open)]

    def put_up(self, number: int, table: Table | None) -> None:
        """Put a new table in the place of a number, or take an old one away."""
        self._open[number % len(self._open)] = table


class Regular:
    """A player who keeps a ledger.

    Args:
        client: how the service is asked.
        lounge: where to play.
        tally: where findings go.
        dice: the player's own chance.
    """

    def __init__(
        self, client: Stubborn, lounge: Lounge, tally: Tally, dice: Random
    ) -> None:
        self._client = client
        self._lounge = lounge
        self._tally = tally
        self._dice = dice
        self._own: Table | None = None

    def play(self, stop: threading.Event) -> None:
        """Play until it is time to stop, and leave no request without an answer."""
        while not stop.is_set():
            if self._chance(_SHARED_TURNS):
                self._turn_among_several()
            else:
                self._own = self._turn(self._own or self._sit_down(shared=False))

    def _turn_among_several(self) -> None:
        number = self._dice.randrange(1 << 16)
        table = self._lounge.take_seat(number)
        if table is None:
            table = self._sit_down(shared=True)
        self._lounge.put_up(number, self._turn(table))

    def _chance(self, share: float) -> bool:
        return self._dice.random() < share

    def _sit_down(self, *, shared: bool) -> Table:
        data = request("POST", "/v1/games", new_game(self._dice), self._key())
        answer = self._client.ask(data)
        if answer.status != CREATED:
            raise AssertionError(answer)
        table = Table(answer.json(), shared=shared)
        if table.view is None or table.view["version"] != 1:
            self._tally.fault(f"a new game has no version 1: {answer.body!r}")
        self._lounge.note(table)
        return table

    def _key(self) -> dict[str, str]:
        return {"Idempotency-Key": f"{self._dice.getrandbits(128):x}"}

    def _turn(self, table: Table) -> Table | None:
        """Do something at a table; None once its game is over."""
        if table.view is None or self._chance(_LOOKS):
            self._look(table)
        if not table.shared and self._chance(_DELETIONS):
            self._delete(table)
            return None
        view = table.view
        if view is None:
            return table
        wish = choose(view, self._dice)
        if wish is None:
            return None
        if self._lounge.hints and wish.route != "finish" and self._chance(_HINTS):
            wish = HINT
        self._write(table, wish, view["version"])
        return table

    def _look(self, table: Table) -> None:
        watched = f"/v1/watch/{table.watch_id}"
        also = [watched, *(f"{it}/record" for it in (table.path, watched))]
        also.append(f"{table.path}/legal-moves")
        path, view, known = table.path, table.view, {}
        if view is not None:
            known["If-None-Match"] = f'"{view["version"]}"'
            path = self._dice.choice([path, *also])
        floor = table.ledger.latest
        answer = self._client.ask(request("GET", path, fields=known))
        if answer.status not in {OK, NOT_MODIFIED}:
            self._tally.loss(f"{path} is answered {answer.status} {answer.body!r}")
            return
        version = _version(answer)
        if version < floor or (not table.shared and version != floor):
            self._tally.loss(f"{path} has version {version} after {floor}")
        if answer.status == OK and path == table.path:
            table.see(version, answer.json())

    def _write(self, table: Table, wish: Wish, version: int) -> None:
        """Have a wish done, and enter it in the ledger once it is acknowledged."""
        floor = table.ledger.latest
        must_match = wish.exact and table.shared
        fields = {}
        if must_match or self._chance(_HALF):
            fields["If-Match"] = f'"{version}"'
        if self._chance(_MINIMAL):
            fields["Prefer"] = "return=minimal"
        if table.shared or self._chance(_HALF):
            answer = self._write_once(table, wish, fields | self._key())
        else:
            answer = self._insist(table, wish, version, fields)
        if answer.status in {OK, NO_CONTENT}:
            self._enter(table, wish, answer, floor)
        else:
            self._take_refusal(table, wish, answer)

    def _write_once(self, table: Table, wish: Wish, fields: dict[str, str]) -> Answer:
        """Send a write under a key until it is answered, and at times once more."""
        data = request("POST", f"{table.path}/{wish.route}", wish.body, fields)
        answer = self._client.ask(data)
        if self._chance(_REPEATS):
            again = self._client.ask(data)
            self._tally.event("answers asked for again")
            replayed = again.fields.get("idempotent-replayed") == "true"
            same = (again.status, again.body) == (answer.status, answer.body)
            if not (replayed and same):
                self._tally.loss(f"{table.path}: {again} is not the answer {answer}")
        return answer

    def _insist(
        self, table: Table, wish: Wish, version: int, fields: dict[str, str]
    ) -> Answer:
        """Send a write without a key; look what became of it where no answer came.

        The table is this player's alone: what made the next version was this write.
        """
        path, begun = f"{table.path}/{wish.route}", None
        data = request("POST", path, wish.body, fields)
        while (answer := self._client.try_once(data)) is None:
            begun = begun or time.monotonic()
            self._client.pause(begun, data)
            if "If-Match" not in fields or self._chance(_HALF):
                seen = self._client.ask(request("GET", table.path))
                self._tally.event("lost answers looked up")
                if seen.status != OK or _version(seen) != version:
                    return seen
            fields = fields | {"If-Match": f'"{version}"'}
            data = request("POST", path, wish.body, fields)
        late = answer.status == PRECONDITION_FAILED and begun is not None
        if late and answer.json()["version"] == version + 1:
            return self._client.ask(request("GET", table.path))
        return answer

    def _enter(self, table: Table, wish: Wish, answer: Answer, floor: int) -> None:
        version = _version(answer)
        if version <= floor or (not table.shared and version != floor + 1):
            self._tally.loss(f"{table.path} has version {version} after {floor}")
        table.ledger.enter(version, wish.effect)
        shown = answer.json() if answer.body else {}
        table.see(version, shown if "legal_moves" in shown else None)

    def _take_refusal(self, table: Table, wish: Wish, answer: Answer) -> None:
        among_several = answer.status == PRECONDITION_FAILED or (
            answer.status == CONFLICT and problem_of(answer) in _REFUSALS_AMONG_SEVERAL
        )
        if not (table.shared and among_several):
            told = f"{answer.status} {answer.body!r}"
            self._tally.loss(f"{table.path}: {wish.route} {wish.body} got {told}")
        table.view = None

    def _delete(self, table: Table) -> None:
        data = request("DELETE", table.path)
        begun = time.monotonic()
        tried = 1
        while (answer := self._client.try_once(data)) is None:
            tried += 1
            self._client.pause(begun, data)
        expected = {NO_CONTENT} if tried == 1 else {NO_CONTENT, NOT_FOUND}
        if answer.status not in expected:
            self._tally.loss(f"{table.path}: the deletion got {answer.status}")
        table.ledger.deleted = True


def _version(answer: Answer) -> int:
    """The version that an answer is about."""
    if "etag" in answer.fields:
        return int(answer.fields["etag"].strip('"'))
    version: int = answer.json()["version"]
    return version
