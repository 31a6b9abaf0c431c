"""The servers of a store, as its URL names them.

`redis://one:6379?cluster=true` is a cluster, and `redis://one:26379/0?sentinel=games`
is the primary that sentinels know as `games`. `&nodes=two:6379,three:6379` names more
servers to start from. The scheme, user, password and other options apply to all
servers.
"""

from typing import NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

from service.store.wire import Connect, connector

_CLUSTER_PORT, _SENTINEL_PORT = 6379, 26379


class Address(NamedTuple):
    """The address on which a server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return the address as in a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class Servers:
    """Connects to several servers.

    Attributes:
        sentinel: the name by which sentinels know the primary; None for a cluster.
        seeds: the servers that the URL names: of a cluster, or sentinels.
    """

    def __init__(self, url: str) -> None:
        """Read the URL.

        Raises:
            ValueError: it cannot be used for several servers, or for a connection.
        """
        parts = urlsplit(url)
        options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        self.sentinel = options.pop("sentinel", None)
        if options.pop("cluster", "true") != "true":
            raise ValueError("the option cluster has no other value than true")
        port = _CLUSTER_PORT if self.sentinel is None else _SENTINEL_PORT
        user, _, first = parts.netloc.rpartition("@")
        named = [first, *options.pop("nodes", "").split(",")]
        self.seeds = [_address(text, port) for text in named if text]
        if parts.scheme == "unix" or not self.seeds:
            raise ValueError("a cluster or a sentinel is named by host and port")
        self._before = f"{parts.scheme}://{user}{'@' if user else ''}"
        self._path = parts.path
        self._query = f"?{urlencode(options)}" if options else ""
        if self.sentinel is None and parts.path.strip("/") not in {"", "0"}:
            raise ValueError("a cluster has no other database than 0")
        self.connect(self.seeds[0])

    def connect(self, address: Address) -> Connect:
        """A function that makes connections to a server that holds keys."""
        return connector(f"{self._before}{address}{self._path}{self._query}")

    def connect_to_ask(self, address: Address) -> Connect:
        """A function that makes connections to a server that knows of the others."""
        return connector(f"{self._before}{address}{self._query}")


def names_several(url: str) -> bool:
    """Whether a URL names several servers, as `Servers` reads it."""
    return not _options(url).isdisjoint({"cluster", "sentinel", "nodes"})


def names_cluster(url: str) -> bool:
    """Whether a URL names a cluster, in which several servers accept writes."""
    return names_several(url) and "sentinel" not in _options(url)


def _options(url: str) -> set[str]:
    return set(parse_qs(urlsplit(url).query))


def _address(text: str, port: int) -> Address:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError(f"{text!r} is no host and port")
    return Address(parts.hostname, parts.port or port)
