"""The names of keys in the store.

The keys of one game share the hash tag in braces, and so a slot of a cluster: one
script can change the game and the answers to its requests.
"""

from hashlib import blake2b
from itertools import count

from redis.crc import REDIS_CLUSTER_HASH_SLOTS as SLOTS
from redis.crc import key_slot

from service.store.protocol import GameKey, IdempotencyKey, PlayerKey

_PARTS = 16


def user_text(text: str) -> bytes:
    """Encode a text from a client, which may contain surrogates, as UTF-8 may not."""
    return text.encode("utf-8", "surrogatepass")


def _spread_probes() -> tuple[bytes, ...]:
    """A key in each of `_PARTS` equal parts of a cluster's slots."""
    found: dict[int, bytes] = {}
    numbers = count()
    while len(found) < _PARTS:
        name = b"ping:%d" % next(numbers)
        found.setdefault(key_slot(name) * _PARTS // SLOTS, name)
    return tuple(found.values())


PROBE = b"ping"
"""The key that is written to check that a server accepts writes."""

CLUSTER_PROBES = _spread_probes()
"""The keys for that check in a cluster: usually one for each of up to 16 servers."""


def game_name(key: GameKey) -> bytes:
    """The key of a game."""
    return user_text(f"g:{{{key.tenant}:{key.game_id}}}")


def lease_name(key: GameKey) -> bytes:
    """The key of a lease on work for a game."""
    return b"l" + game_name(key)[1:]


def claim_name(key: IdempotencyKey) -> bytes:
    """The key of a request's claim, and later of its answer."""
    digest = blake2b(user_text(key.text), digest_size=16)
    tag = f"{{{key.tenant}:{key.game_id}}}" if key.game_id else f"{key.tenant}:"
    return user_text(f"i:{tag}{digest.hexdigest()}")


DUTIES = b"duties"
"""The key of the list of duties."""


def player_name(key: PlayerKey, what: str) -> bytes:
    """The key of one kind of data about a player.

    It contains a digest of the name, as a name may have braces and a hash tag may not.
    """
    digest = blake2b(key.player.encode(), digest_size=16).hexdigest()
    return f"p:{{{key.tenant}:p:{digest}}}{what}".encode()


def board_name(tenant: str, board: str, what: str) -> bytes:
    """The key of a part of a board."""
    return f"b:{{{tenant}:b:{board}}}{what}".encode()


def event_name(tenant: str) -> bytes:
    """The key of a tenant's events."""
    return f"e:{tenant}".encode()


EVENT_CLOSINGS = b"w:closings"
"""The key of the list of closings of events that are still to be handled."""

_WEBHOOKS = "w:{webhooks}"
WEBHOOKS_DUE = f"{_WEBHOOKS}:due".encode()
"""The key of the list of webhooks by the time of their next attempt."""


def webhooks_name(tenant: str) -> bytes:
    """The key of a tenant's webhooks."""
    return f"{_WEBHOOKS}:of:{tenant}".encode()


def webhook_name(webhook_id: str, what: str) -> bytes:
    """The key of one kind of data about a webhook."""
    return user_text(f"{_WEBHOOKS}:{webhook_id}{what}")


def choice_name(what: str) -> bytes:
    """The key of a value that is chosen once."""
    return f"c:{what}".encode()


def deals_name(grading: str, variant: str, grade: str) -> bytes:
    """The key of the list of waiting certified deals, graded by a version of grades."""
    return f"d:{grading}:{variant}:{grade}".encode()


def count_name(client: str, limit: str) -> bytes:
    """The key of a client's count for a rate limit; a client's keys share one slot."""
    return f"n:{{{client}}}:{limit}".encode()
