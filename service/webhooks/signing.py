"""The header fields of a message, by Standard Webhooks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from service.timestamps import MILLISECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def signed_fields(
    message_id: str, body: str, secrets: Sequence[str], now: int
) -> Mapping[str, str]:
    """Return the header fields that tell a message's id and prove its origin.

    Args:
        message_id: The id.
        body: The body.
        secrets: What it is signed with: each gives a signature.
        now: The time in milliseconds since 1970.
    """
    from standardwebhooks import Webhook  # noqa: PLC0415 - only the sender needs it

    time = datetime.fromtimestamp(now // MILLISECONDS, UTC)
    signatures = [Webhook(each).sign(message_id, time, body) for each in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(now // MILLISECONDS),
        "webhook-signature": " ".join(signatures),
    }
