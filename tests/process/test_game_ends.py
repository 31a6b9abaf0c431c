"""Games that end while processes are killed: each is on its boards exactly once."""

from __future__ import annotations

import json
import time
from http.client import HTTPException
from itertools import count
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import psutil

from service.games.ids import key_of
from service.games.leaderboards import all_time_board, daily_board
from service.games.player_names import normalize_name
from service.games.session import day_of
from service.store.boards import BoardKey, Boards
from service.store.coordination import Duties, Duty
from service.store.embedded import embedded_url
from service.store.players import Players
from service.store.protocol import PlayerKey
from tests.conftest import open_store_at
from tests.servers import wait_until

if TYPE_CHECKING:
    from tests.cluster.launcher import Cluster
    from tests.conftest import Serve
    from tests.servers import Response, Service, StoreServer

_VARIANT = "late-binding"
_BOARD = all_time_board(_VARIANT).of("")
_JSON = {"Content-Type": "application/json"}
_DUTY_AGE_MS = 10_000


def _post(service: Service, path: str, body: object, key: str) -> Response:
    data, fields = json.dumps(body).encode(), _JSON | {"Idempotency-Key": key}
    return service.request("POST", path, data, fields)


def _post_until_answered(
    service: Service, path: str, body: object, key: str
) -> dict[str, Any]:
    """Repeat a request until it succeeds."""
    while True:
        try:
            response = _post(service, path, body, key)
        except (OSError, HTTPException):
            time.sleep(0.05)
            continue
        if response.status in {200, 201}:
            made: dict[str, Any] = json.loads(response.body)
            return made
        assert response.status in {409, 503}, response
        time.sleep(0.05)


def _win(service: Service, player: str, line: list[dict[str, int]]) -> dict[str, Any]:
    """Win a player's deal of the day, in one request with all moves."""
    body = {"variant": _VARIANT, "daily": True, "player": player}
    game = _post_until_answered(service, "/v1/games", body, f"the-game-of-{player}")
    path = f"/v1/games/{game['id']}/moves"
    won = _post_until_answered(service, path, {"moves": line}, "win")
    assert won["status"] == "won"
    return won


def _winning_line(service: Service) -> list[dict[str, int]]:
    body = {"variant": _VARIANT, "daily": True}
    game = _post_until_answered(service, "/v1/games", body, "the-game-to-solve")
    path = f"/v1/games/{game['id']}/solution"
    actions = _post_until_answered(service, path, {}, "solve")["actions"]
    return [{"from": each["from"], "to": each["to"]} for each in actions]


def _kill(processes: list[psutil.Process]) -> None:
    for process in processes:
        process.kill()
    psutil.wait_procs(processes)


def _wait_for_more(ended: list[dict[str, Any]]) -> None:
    goal = len(ended) + 4
    wait_until(lambda: len(ended) >= goal)


def test_each_game_is_on_its_board_once_whatever_is_killed(served: Serve) -> None:
    service = served(workers=2, store_flush="always", log_level="warning")
    line, stop, ended = _winning_line(service), Event(), list[dict[str, Any]]()

    def play(number: int) -> None:
        for game in count():
            if stop.is_set():
                return
            ended.append(_win(service, f"player-{number}-{game}", line))

    threads = [Thread(target=play, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for number in range(6):
        _wait_for_more(ended)
        kill_workers, kill_store = ((1, 0), (0, 1), (1, 1))[number % 3]
        _kill([*service.workers] * kill_workers + [service.store] * kill_store)
    stop.set()
    for thread in threads:
        thread.join()
    assert len(ended) >= 24

    store = open_store_at(embedded_url(service.data_dir), timeout=5)
    duties = Duties(store.runner)
    wait_until(lambda: not duties.list(2**50, 1))
    won = {game["player"]: game for game in ended}
    boards = {f"daily/{game['daily']}" for game in ended}
    on_days = [entry for board in boards for entry in _entries(service, board)]
    for entries in (on_days, _entries(service, "all-time")):
        assert sorted(entry["player"] for entry in entries) == sorted(won)
    for entry in on_days:
        # If the first request that creates a game was killed, time counts from it.
        game = won[entry["player"]]
        assert _without_time(entry) == _without_time(game)
    for game in ended:
        path = f"/v1/players/{game['player']}"
        player = json.loads(service.request("GET", path).body)
        assert (player["games"], player["wins"]) == (1, 1)


def _without_time(scored: dict[str, Any]) -> int:
    points: int = scored["score"] + scored["elapsed_seconds"]
    return points


def _entries(service: Service, board: str) -> list[dict[str, Any]]:
    """Return all entries of a board, read page by page."""
    entries, path = [], f"/v1/leaderboards/{board}?variant={_VARIANT}&limit=100"
    while path:
        response = service.request("GET", path)
        entries += json.loads(response.body)["entries"]
        link = response.headers.get("Link", "")
        path = link.partition(">")[0].removeprefix("<")
    return entries


def test_duties_of_a_dead_process_are_done_without_a_request(
    served: Serve, any_server: StoreServer | Cluster
) -> None:
    """On a cluster the duty, game, player and boards are in different slots."""
    with any_server.client() as client:
        client.flushall()
    service = served(redis_url=any_server.url, workers=1)
    game = _win(service, "Ada-Lovelace", _winning_line(service))
    store = open_store_at(any_server.url, timeout=5)
    boards, duties = Boards(store.runner), Duties(store.runner)
    players = Players(store.runner, note_life=3600, game_life=3600)

    def entries() -> list[tuple[str, int]]:
        page = boards.page(_BOARD, 10)
        assert page is not None
        return [(entry.player, entry.score) for entry in page.entries]

    assert entries() == [("ada-lovelace", game["score"])]
    now = time.time_ns() // 1_000_000
    player, day = (
        normalize_name("Ada-Lovelace"),
        daily_board(day_of(now), _VARIANT).of(""),
    )
    for board in (_BOARD, day, BoardKey("", f"monthly/{day.board[6:13]}/{_VARIANT}")):
        boards.erase(board._replace(is_sum=board != day), player)
    players.erase(PlayerKey("", player), [_VARIANT])
    assert entries() == []
    duties.note(Duty(key_of("", game["id"]), now - _DUTY_AGE_MS))
    wait_until(lambda: not duties.list(now, 1))
    assert entries() == [("ada-lovelace", game["score"])]
