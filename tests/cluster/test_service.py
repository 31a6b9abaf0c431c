"""The service over a cluster: slots move and a server dies while people play."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from redis.crc import key_slot

from tests.cluster.launcher import Cluster, run_cluster
from tests.cluster.players import Player
from tests.conftest import Serve
from tests.servers import Service, wait_until


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with (
        TemporaryDirectory(prefix="acc") as folder,
        run_cluster(Path(folder), replicated=True) as made,
    ):
        yield made


def play_on(players: list[Player], actions: int) -> None:
    """Wait until each player has done some more."""
    goals = [player.acknowledged + actions for player in players]
    wait_until(
        lambda: all(
            player.wrong or player.acknowledged >= goal
            for player, goal in zip(players, goals, strict=True)
        )
    )


def stored(service: Service, player: Player) -> dict[str, object]:
    answer = service.request("GET", player.path)
    assert answer.status == 200, answer
    game: dict[str, object] = json.loads(answer.body)
    return game


def test_nothing_acknowledged_is_lost(served: Serve, cluster: Cluster) -> None:
    service = served(redis_url=cluster.url, wait_replicas=1, workers=2)
    players = [Player(service, seed, keyed=seed % 3 > 0) for seed in range(9)]
    for player in players:
        player.start()
    play_on(players, 5)

    source = cluster.owner(players[0].key)
    target = next(node for node in cluster.masters if node is not source)
    cluster.move_slot(key_slot(players[0].key), source, target)
    play_on(players, 5)
    assert sum(player.refused for player in players) == 0

    doomed = cluster.owner(players[0].key)
    heir = cluster.replicas[cluster.masters.index(doomed)]
    theirs = [player for player in players if cluster.owner(player.key) is doomed]
    others = [player for player in players if player not in theirs]
    doomed.kill()
    wait_until(lambda: heir.is_master)
    play_on(others, 5)
    doomed.start()
    wait_until(lambda: doomed.is_in_step)
    play_on(players, 5)

    for player in players:
        player.finish()
    for player in players:
        timeless = {"elapsed_seconds": None}
        found = stored(service, player)
        assert found | timeless == player.game | timeless
        assert found["version"] == 1 + player.acknowledged
    assert all(player.refused for player in theirs)
    assert not any(player.refused for player in others)
