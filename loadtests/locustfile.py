"""Simulated users of a running service, for locust.

    locust -f loadtests/locustfile.py --host http://127.0.0.1:8000

Each response is checked against the rules and against earlier responses
(`loadtests/checks.py`); a wrong response counts as a failure. `make load` also uses
`loadtests/step_shape.py`, which adds users until the service is saturated.
"""

from __future__ import annotations

import random
from collections import deque
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from locust import FastHttpUser, events, task
from locust.exception import RescheduleTask

from loadtests.checks import (
    PlayedGame,
    WatchedGame,
    WrongResponseError,
    check_board,
    check_replay,
    expect,
    expect_status,
)
from loadtests.rules import OFFSETS, Move, deck_size, play_at_random

if TYPE_CHECKING:
    from collections.abc import Iterator

    from locust.argument_parser import LocustArgumentParser

games: deque[PlayedGame] = deque(maxlen=500)
"""The games created last, for spectators."""

ended: deque[tuple[str, str, str]] = deque(maxlen=500)
"""Day, variant and player of the daily games that ended last, for readers of boards."""

_DAILY_VARIANTS = ("accordion", "accordion", "late-binding")


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator]
def add_options(parser: LocustArgumentParser) -> None:
    """Add the option of these users."""
    parser.add_argument(
        "--think",
        type=float,
        default=0.0,
        help="Factor of the think times: 1 as people take, 0.1 a tenth, 0 none.",
    )


class ApiUser(FastHttpUser):
    """A user whose every response is checked."""

    abstract = True
    network_timeout = connection_timeout = 10.0
    think_seconds = (0.5, 3.0)

    def wait_time(self) -> float:
        """The seconds between two tasks."""
        factor: float = self.environment.parsed_options.think
        return factor * random.uniform(*self.think_seconds)

    @contextmanager
    def request(  # noqa: PLR0913 - the parts of a request
        self,
        name: str,
        method: str,
        path: str,
        body: object = None,
        *,
        headers: dict[str, str] | None = None,
        status: tuple[int, ...] = (200,),
    ) -> Iterator[Any]:
        """Send a request, counted by its name, with a JSON body.

        If the status is unexpected or the `with` block raises, it counts as a failure,
        and the user starts again.
        """
        with self.client.request(
            *(method, path),
            name=name,
            json=body,
            headers=headers,
            catch_response=True,
        ) as response:
            try:
                expect_status(response.status_code, status, response.text)
                yield response
            except (WrongResponseError, KeyError, TypeError, ValueError) as error:
                response.failure(f"{type(error).__name__}: {error}")
                self.on_start()
                raise RescheduleTask from error
            response.success()


class Player(ApiUser):
    """A user who plays games."""

    abstract = True

    def on_start(self) -> None:
        """Start without a game."""
        self.game: PlayedGame | None = None

    def create(
        self, body: dict[str, object], row: list[str] | None = None
    ) -> PlayedGame:
        """Create a game; check its row if it is known."""
        with self.request(
            "create", "POST", "/v1/games", body, status=(201,)
        ) as response:
            self.game = PlayedGame(response.json())
            expect("cards", self.game.cards, deck_size(self.game.variant))
            expect("row", self.game.row, row or self.game.row)
        games.append(self.game)
        return self.game

    def move(self, game: PlayedGame, move: Move, **headers: str) -> None:
        """Make a move."""
        body = {"from": move[0], "to": move[1]}
        path = f"{game.path}/moves"
        with self.request("move", "POST", path, body, headers=headers) as response:
            game.move(move, response.json())


class DailyPlayer(Player):
    """Plays the deal of the day to its end; then reads the record and the board."""

    weight = 3
    think_seconds = (1.0, 4.0)
    daily: tuple[str, str, str]

    @task
    def play(self) -> None:
        """Make a move; if none is left, read the record and the board."""
        game = self.game or self._create_daily()
        if game.legal_moves:
            some = random.sample(game.legal_moves, min(2, len(game.legal_moves)))
            self.move(game, max(some), **{"If-Match": f'"{game.version}"'})
            return
        with self.request("record", "GET", f"{game.path}/record") as response:
            expect("actions", len(response.json()["actions"]), game.moves)
        self._read_board(game)
        self.game = None

    def _create_daily(self) -> PlayedGame:
        today, variant = str(datetime.now(UTC).date()), random.choice(_DAILY_VARIANTS)
        path = f"/v1/deals/daily/{today}?variant={variant}"
        with self.request("daily deal", "GET", path) as response:
            deal = response.json()
            expect("date", deal["date"], today)
        self.daily = today, variant, f"player {random.randrange(100_000)}"
        body: dict[str, object] = {"daily": today, "variant": variant}
        body["player"] = self.daily[2]
        return self.create(body, deal["cards"])

    def _read_board(self, game: PlayedGame) -> None:
        today, _, player = self.daily
        if today != str(datetime.now(UTC).date()):  # the game may be a past day's
            return
        with self.request(
            "board around the game", "GET", f"{game.path}/leaderboard?limit=10"
        ) as response:
            board = response.json()
            check_board(board)
            expect("entries of the player", _entries_of(board, player), 1)
        ended.append(self.daily)


def _entries_of(board: dict[str, Any], player: str) -> int:
    return [entry["player"] for entry in board["entries"]].count(player)


class BoardReader(ApiUser):
    """Reads boards page by page and around players, and statistics."""

    weight = 2
    think_seconds = (1.0, 4.0)
    page = ""

    def on_start(self) -> None:
        """Begin at the top."""
        self.page = ""

    @task(4)
    def read_page(self) -> None:
        """Read the next page of today's board; at the end, begin at the top."""
        variant = random.choice(_DAILY_VARIANTS)
        today = datetime.now(UTC).date()
        top = f"/v1/leaderboards/daily/{today}?variant={variant}&limit=50"
        with self.request("board page", "GET", self.page or top) as response:
            check_board(response.json(), is_top=not self.page)
            link = response.headers.get("Link") or ""
            self.page = link.partition(">")[0].removeprefix("<")

    @task(2)
    def read_around(self) -> None:
        """Read the board around a player whose game has ended."""
        for day, variant, player in random.sample(ended, min(1, len(ended))):
            path = f"/v1/leaderboards/daily/{day}"
            query = urlencode({"variant": variant, "around": player, "limit": 11})
            with self.request(
                "board around a player", "GET", f"{path}?{query}"
            ) as response:
                board = response.json()
                check_board(board)
                expect("entries of the player", _entries_of(board, player), 1)

    @task(1)
    def read_all_time(self) -> None:
        """Read the top of the board of all time."""
        path = "/v1/leaderboards/all-time?limit=20"
        with self.request("board of all time", "GET", path) as response:
            check_board(response.json(), is_top=True)

    @task(1)
    def read_statistics(self) -> None:
        """Read the statistics of today's deal."""
        path = f"/v1/deals/daily/{datetime.now(UTC).date()}/statistics"
        with self.request("statistics", "GET", path) as response:
            found = response.json()
            counted = sum(each["players"] for each in found["piles"])
            expect("players of all piles", counted, found["players"])


class TapPlayer(Player):
    """Names only the pile that moves, and undoes some moves."""

    weight = 3
    think_seconds = (0.2, 1.0)

    @task(40)
    def tap(self) -> None:
        """Move a pile without naming its target."""
        game = self.game or self.create({})
        if not game.legal_moves:
            self.finish()
            return
        move = random.choice(game.legal_moves)
        targets = [target for origin, target in game.legal_moves if origin == move[0]]
        path, body = f"{game.path}/moves", {"from": move[0]}
        if len(targets) == 1:
            with self.request("tap", "POST", path, body) as response:
                game.move(move, response.json())
            return
        with self.request(
            "ambiguous tap", "POST", path, body, status=(409,)
        ) as response:
            expect("targets", sorted(response.json()["targets"]), targets)
        self.move(game, move)

    @task(4)
    def undo(self) -> None:
        """Undo a move."""
        if self.game and self.game.moves:
            path = f"{self.game.path}/undo"
            with self.request("undo", "POST", path, {}) as response:
                self.game.undo(response.json())

    @task(2)
    def undo_and_redo(self) -> None:
        """Undo a move and make it again."""
        if self.game and self.game.moves:
            row, path = self.game.row, f"{self.game.path}/redo"
            self.undo()
            with self.request("redo", "POST", path, {}) as response:
                self.game.redo(row, response.json())

    @task(1)
    def finish(self) -> None:
        """Finish the game."""
        if self.game:
            path = f"{self.game.path}/finish"
            with self.request("finish", "POST", path) as response:
                self.game.finish(response.json())
            self.game = None


class HintFollower(Player):
    """Makes the moves of the hints, and must win once a verdict is `winnable`."""

    think_seconds = (0.3, 1.5)
    must_win = False

    @task
    def follow_hint(self) -> None:
        """Ask for a hint and make its move."""
        game = self.game
        if game is None:
            game, self.must_win = self.create({}), False
        if not game.legal_moves:
            self._check_result(game)
            return
        with self.request("hint", "POST", f"{game.path}/hint", {}) as response:
            hint = response.json()
            move = (hint["action"]["from"], hint["action"]["to"])
            expect("legality of the hint", move in game.legal_moves, expected=True)
            if self.must_win:
                expect("verdict", hint["verdict"], "winnable")
        game.version = hint["version"]
        self.must_win = hint["verdict"] == "winnable"
        self.move(game, move)

    def _check_result(self, game: PlayedGame) -> None:
        with self.request("get", "GET", game.path) as response:
            if self.must_win:
                expect("status", response.json()["status"], "won")
        self.game = None


class RecordSender(ApiUser):
    """Plays games without the service, and sends it their records to replay."""

    think_seconds = (0.1, 0.5)

    @task
    def replay(self) -> None:
        """Send the record of a game; one in four ends with an illegal action."""
        variant, seed = random.choice(list(OFFSETS)), f"load-{random.randrange(10**6)}"
        actions, row = play_at_random(variant, self._deal(variant, seed))
        illegal_at = random.choice([None, None, None, len(actions)])
        record = {
            "format": "accordion-record/1",
            "variant": variant,
            "options": {"layout": "open", "compulsory": False, "undo": "unlimited"},
            "source": "accordion/1",
            "seed": seed,
            "actions": actions if illegal_at is None else [*actions, "90-89"],
        }
        with self.request("replay", "POST", "/v1/replays", record) as response:
            check_replay(response.json(), variant, row, illegal_at)

    def _deal(self, variant: str, seed: str) -> list[str]:
        path = f"/v1/deals?seed={seed}&variant={variant}"
        with self.request("deal", "GET", path) as response:
            deal = response.json()
            expect("seed", deal["seed"], seed)
            expect("different cards", len(set(deal["cards"])), deck_size(variant))
        cards: list[str] = deal["cards"]
        return cards


class Spectator(ApiUser):
    """Watches the games of the players."""

    weight = 4
    think_seconds = (1.0, 3.0)

    def on_start(self) -> None:
        """Start without a game."""
        self.game: WatchedGame | None = None

    @task(1)
    def watch_another(self) -> None:
        """Choose a game and get it."""
        if games:
            self.game = WatchedGame(random.choice(games))
            self._watch(self.game, "watch")

    @task(4)
    def watch_again(self) -> None:
        """Get the game unconditionally."""
        if self.game:
            self._watch(self.game, "watch again")
        else:
            self.watch_another()

    @task(16)
    def watch_if_changed(self) -> None:
        """Get the game if it has changed."""
        if self.game:
            self._watch(self.game, "watch if changed", if_changed=True)
        else:
            self.watch_another()

    def _watch(self, game: WatchedGame, name: str, *, if_changed: bool = False) -> None:
        headers = {"If-None-Match": game.etag} if if_changed else {}
        status = (200, 304) if if_changed else (200,)
        game.before_request()
        with self.request(
            name, "GET", game.path, headers=headers, status=status
        ) as response:
            etag = response.headers.get("ETag", "")
            if response.status_code == status[-1] and if_changed:
                game.check_not_modified(etag)
            else:
                game.check(response.json(), etag, changed=if_changed)
