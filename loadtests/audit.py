"""Whether a service still has all that it acknowledged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadtests.ledger import stop
from loadtests.stubborn import NOT_FOUND, OK
from loadtests.wire import request

if TYPE_CHECKING:
    from typing import Any

    from loadtests.ledger import Ledger
    from loadtests.stubborn import Stubborn

_STANDING = ("row", "status", "rating")
"""What a game and the replay of its record must agree on."""


def audit(client: Stubborn, ledger: Ledger) -> list[str]:
    """Compare a game with its ledger, and its record with the rules.

    A game that still hides its seed is stopped first, which shows the seed.

    Returns:
        A sentence for each contradiction.
    """
    path = f"/v1/games/{ledger.game_id}"
    found = client.ask(request("GET", path))
    if ledger.deleted:
        if found.status == NOT_FOUND:
            return []
        return [f"{path} was deleted, and is answered {found.status}"]
    if found.status != OK:
        return [f"{path} is answered {found.status} {found.body!r}"]
    game, record = found.json(), _get_record(client, path)
    if not _can_be_replayed(record):
        key = {"Idempotency-Key": "shown-at-the-end"}
        game = client.ask(request("POST", f"{path}/finish", {}, key)).json()
        ledger.enter(game["version"], stop)
        record = _get_record(client, path)
    wrong = ledger.losses(game["version"], record["actions"])
    replay = client.ask(request("POST", "/v1/replays", record)).json()
    if replay.get("valid") is not True:
        wrong.append(f"its record is no game: {replay}")
    elif any(replay[name] != game[name] for name in _STANDING):
        wrong.append(f"its record comes to {replay}, and it stands at {game}")
    return [f"{path}: {sentence}" for sentence in wrong]


def _get_record(client: Stubborn, path: str) -> dict[str, Any]:
    record: dict[str, Any] = client.ask(request("GET", f"{path}/record")).json()
    return record


def _can_be_replayed(record: dict[str, Any]) -> bool:
    return record.get("seed") is not None or record.get("deck") is not None
