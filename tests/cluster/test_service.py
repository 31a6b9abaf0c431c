"""The service on a cluster: slots move and a server dies during play."""

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
    """Wait until each player has done `actions` more."""
    goals = [player.acknowledged + actions for player in players]
    wait_until(
        lambda: all(
            player.error or player.acknowledged >= goal
            for player, goal in zip(players, goals, strict=True)
        )
    )


def stored(service: Service, player: Player) -> dict[str, object]:
    response = service.request("GET", player.path)
    assert response.status == 200, response
    game: dict[str, object] = json.loads(response.body)
    return game


def test_no_acknowledged_move_is_lost(served: Serve, cluster: Cluster) -> None:
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

    killed = cluster.owner(players[0].key)
    replica = cluster.replicas[cluster.masters.index(killed)]
    affected = [player for player in players if cluster.owner(player.key) is killed]
    others = [player for player in players if player not in affected]
    killed.kill()
    wait_until(lambda: replica.is_master)
    play_on(others, 5)
    killed.start()
    wait_until(lambda: killed.is_synced)
    play_on(players, 5)

    for player in players:
        player.finish()
    for player in players:
        timeless = {"elapsed_seconds": None}
        found = stored(service, player)
        assert found | timeless == player.game | timeless
        assert found["version"] == 1 + player.acknowledged
    assert all(player.refused for player in affected)
    assert not any(player.refused for player in others)
