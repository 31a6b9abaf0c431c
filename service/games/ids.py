"""The ids of games, events and webhooks.

A game's id is a secret of its player. The game is stored under a digest of the id, and
the watch id is made from this digest, so that spectators cannot play. Lists of a
tenant's players contain the ids themselves. The id and the watch id of a tenant's game
start with the tenant: ``portal.kSxTzaV4QfUqNOmB1hTj``. Ids made by older releases do
not; requests with them need the tenant's API key.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from functools import lru_cache
from typing import Final

from service.config import TENANT
from service.store.protocol import GameKey

_ID_BYTES: Final = 15
_SHORT_ID_BYTES: Final = 12
_OF_TENANT: Final = re.compile(rf"({TENANT})\.([0-9A-Za-z_-]+)")


def new_game_id(tenant: str) -> str:
    """Return a random id for a new game of a tenant."""
    return _name(tenant, secrets.token_urlsafe(_ID_BYTES))


def new_short_id() -> str:
    """Return a random id for a new event or webhook."""
    return secrets.token_urlsafe(_SHORT_ID_BYTES)


def tenant_of(text: str) -> str:
    """Return the tenant named in the id or watch id of a game; empty if none is."""
    named = _OF_TENANT.fullmatch(text)
    return "" if named is None else named[1]


def key_of(tenant: str, game_id: str) -> GameKey:
    """Return the store key of the game with an id."""
    return GameKey(tenant, _digest(game_id))


def watch_id_of(game_id: str) -> str:
    """Return the watch id of the game with an id."""
    return _name(tenant_of(game_id), _digest(game_id))


def watch_id_of_key(key: GameKey) -> str:
    """Return the watch id of the game with a store key."""
    return _name(key.tenant, key.game_id)


def watched_key(tenant: str, watch_id: str) -> GameKey | None:
    """Return the store key for a watch id; None if it names another tenant."""
    named = _OF_TENANT.fullmatch(watch_id)
    if named is None:
        return GameKey(tenant, watch_id)
    return GameKey(tenant, named[2]) if named[1] == tenant else None


def _name(tenant: str, text: str) -> str:
    return f"{tenant}.{text}" if tenant else text


@lru_cache(maxsize=4096)
def _digest(game_id: str) -> str:
    secret = game_id.encode(errors="surrogatepass")
    digest = hashlib.blake2b(secret, digest_size=_ID_BYTES, person=b"watch").digest()
    return base64.urlsafe_b64encode(digest).decode()
