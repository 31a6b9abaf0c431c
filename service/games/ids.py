"""The ids of games, events and webhooks.

A game's id is a secret of its player. The store knows the game only by a digest of
it: who watches a game, or reads the store, cannot play it. Ids of games that belong
to a tenant name the tenant, ``portal.kSxTzaV4QfUqNOmB1hTj``, and so do their watch
ids. Ids made by older releases name none: with them the API key of the tenant is sent.
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
    """Draw the id of a new game."""
    return _name(tenant, secrets.token_urlsafe(_ID_BYTES))


def new_short_id() -> str:
    """Draw the id of a new event or webhook."""
    return secrets.token_urlsafe(_SHORT_ID_BYTES)


def tenant_of(text: str) -> str:
    """Return the tenant that the id or watch id of a game names; empty if none."""
    named = _OF_TENANT.fullmatch(text)
    return "" if named is None else named[1]


def key_of(tenant: str, game_id: str) -> GameKey:
    """Return the key in the store of the game that an id names."""
    return GameKey(tenant, _digest(game_id))


def watch_id_of(game_id: str) -> str:
    """Derive the id by which others may know a game."""
    return _name(tenant_of(game_id), _digest(game_id))


def watch_id_of_key(key: GameKey) -> str:
    """Return the id by which others may know the game of a key."""
    return _name(key.tenant, key.game_id)


def watched_key(tenant: str, watch_id: str) -> GameKey | None:
    """Return the key of the game that a watch id names; None if not the tenant's."""
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
