"""A real cluster of Valkey servers on loopback, formed with their own commands."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import redis
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from tests.servers import BINARIES, StoreServer, free_port, wait_until

NODE_TIMEOUT_MS = 1000
"""After this time the other servers consider a silent server failed."""

NEVER_FAILED = ("--cluster-node-timeout", "60000")
"""Options for tests without failures: a busy machine must not look like one."""


class Node(StoreServer):
    """One server of a cluster."""

    def __init__(self, folder: Path, *options: str) -> None:
        folder.mkdir()
        binary = BINARIES["valkey"]
        assert binary is not None
        self.bus = free_port()
        super().__init__(
            binary,
            folder,
            *("--cluster-enabled", "yes", "--cluster-port", str(self.bus)),
            *("--cluster-node-timeout", str(NODE_TIMEOUT_MS)),
            *("--cluster-require-full-coverage", "no"),
            *("--repl-diskless-sync-delay", "0"),
            *options,
            port=free_port(),
        )

        self._client = redis.Redis.from_url(
            self.url, protocol=2, decode_responses=True, socket_timeout=10
        )

    def command(self, *words: str | int | bytes) -> Any:  # noqa: ANN401 - depends on the command
        """Send a command; return the server's reply unchanged."""
        # If the command were one string, redis-py would convert the reply.
        return self._client.execute_command(*words)  # type: ignore[no-untyped-call]

    def __exit__(self, *error: object) -> None:
        self._client.close()
        super().__exit__(*error)

    @property
    def id(self) -> str:
        return str(self.command("CLUSTER", "MYID"))

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def is_master(self) -> bool:
        return bool(self.command("ROLE")[0] == "master")

    @property
    def is_synced(self) -> bool:
        """Whether it is a replica that has its master's data."""
        role = self.command("ROLE")
        return bool(role[0] == "slave" and role[3] == "connected")


class Cluster:
    """Masters with equal shares of the slots, and their replicas.

    Attributes:
        masters: The first masters.
        replicas: The replica of each of the first masters; empty without replicas.
    """

    def __init__(self, masters: list[Node], replicas: list[Node]) -> None:
        self.masters = masters
        self.replicas = replicas
        self.nodes = [*masters, *replicas]

    @property
    def url(self) -> str:
        first, *others = [f"127.0.0.1:{node.port}" for node in self.nodes]
        return f"redis://{first}?cluster=true&nodes={','.join(others)}"

    def client(self) -> redis.RedisCluster:
        return redis.RedisCluster("127.0.0.1", self.masters[0].port)

    def owner(self, key: bytes) -> Node:
        """Return the server that accepts writes of a key, once all agree on it."""
        slot = key_slot(key)
        running = [node for node in self.nodes if node.is_running]
        wait_until(lambda: len({_owner_port(node, slot) for node in running}) == 1)
        port = _owner_port(running[0], slot)
        return next(node for node in self.nodes if node.port == port)

    def form(self) -> None:
        """Assign the slots, let the servers meet, and attach the replicas."""
        share = REDIS_CLUSTER_HASH_SLOTS / len(self.masters)
        for number, node in enumerate(self.masters):
            first, last = round(number * share), round((number + 1) * share) - 1
            node.command("CLUSTER", "ADDSLOTSRANGE", first, last)
            node.command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for node in self.nodes[1:]:
            self.nodes[0].command("CLUSTER", "MEET", "127.0.0.1", node.port, node.bus)
        wait_until(lambda: all(self._knows_all(node) for node in self.nodes))
        for master, replica in zip(self.masters, self.replicas, strict=False):
            replica.command("CLUSTER", "REPLICATE", master.id)
        wait_until(lambda: all(node.is_synced for node in self.replicas))
        self.wait_until_settled()

    def wait_until_settled(self) -> None:
        """Wait until all servers agree that the first masters own the slots."""
        wait_until(lambda: all(self._agrees(node) for node in self.nodes))

    def begin_move(self, slot: int, source: Node, target: Node) -> None:
        """From now on, new keys of the slot are created on the target."""
        target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)

    def move_keys(self, source: Node, target: Node, *names: bytes | str) -> None:
        place = ("127.0.0.1", target.port, "", 0, 5000)
        source.command("MIGRATE", *place, "KEYS", *names)

    def end_move(self, slot: int, source: Node, target: Node) -> None:
        """Make the target the owner, and wait until all servers know it."""
        for node in (target, source):
            node.command("CLUSTER", "SETSLOT", slot, "NODE", target.id)
        self.wait_until_owned(slot, target)

    def move_slot(self, slot: int, source: Node, target: Node) -> None:
        """Move a slot as cluster tools do: some keys at a time."""
        self.begin_move(slot, source, target)
        while names := source.command("CLUSTER", "GETKEYSINSLOT", slot, 10):
            self.move_keys(source, target, *names)
        self.end_move(slot, source, target)

    def move_slot_at_once(self, slot: int, source: Node, target: Node) -> None:
        """Move a slot with the command of Valkey 9 for it."""
        slots = ("SLOTSRANGE", slot, slot)
        source.command("CLUSTER", "MIGRATESLOTS", *slots, "NODE", target.id)

        def has_moved() -> bool:
            jobs = source.command("CLUSTER", "GETSLOTMIGRATIONS")
            states = {job[job.index("state") + 1] for job in jobs}
            assert "failed" not in states
            return states == {"success"}

        wait_until(has_moved)
        self.wait_until_owned(slot, target)

    def wait_until_owned(self, slot: int, owner: Node, *ignored: Node) -> None:
        """Wait until all running servers but `ignored` know the owner of a slot."""
        # If a slot moves again before all know the owner, they can disagree for good.
        asked = [node for node in self.nodes if node.is_running and node not in ignored]
        wait_until(lambda: {_owner_port(node, slot) for node in asked} == {owner.port})

    def _knows_all(self, node: Node) -> bool:
        lines = node.command("CLUSTER", "NODES").splitlines()
        met = [line for line in lines if "handshake" not in line]
        return len(met) == len(self.nodes) and all(
            line.split()[7] == "connected" for line in met
        )

    def _agrees(self, node: Node) -> bool:
        if "cluster_state:ok" not in node.command("CLUSTER", "INFO"):
            return False
        owners = {owner[1] for _, _, owner, *_ in node.command("CLUSTER", "SLOTS")}
        return owners == {master.port for master in self.masters}


@contextmanager
def run_cluster(
    folder: Path, *options: str, masters: int = 3, replicated: bool = False
) -> Iterator[Cluster]:
    """Run a cluster that has formed; its servers are stopped afterwards."""
    with ExitStack() as stack:
        nodes = [
            stack.enter_context(Node(folder / str(number), *options))
            for number in range(masters * (1 + replicated))
        ]
        cluster = Cluster(nodes[:masters], nodes[masters:])
        cluster.form()
        yield cluster


def _owner_port(asked: Node, slot: int) -> int | None:
    for first, last, owner, *_ in asked.command("CLUSTER", "SLOTS"):
        if first <= slot <= last:
            return int(owner[1])
    return None
