"""The general texts of the API description: conventions, chapters, fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


def _text(description: str, example: str = "", **more: str) -> Mapping[str, Any]:
    """Describe a header field or a parameter; ``more`` goes into its JSON Schema."""
    described = {"description": description, "schema": {"type": "string", **more}}
    return {**described, "example": example} if example else described


ABOUT: Final = """\
Accordion is a solitaire in which a row of cards is combined into one pile. This \
service deals and stores games of Accordion and ten variants, applies the rules, \
counts the scores, and computes hints with a solver.

A game in three requests:

```sh
curl --json '{"seed": "42", "player": "Ada"}' $HOST/v1/games
curl --json '{"from": 2, "to": 1}' $HOST/v1/games/$ID/moves
curl --json '{"count": 1}' $HOST/v1/games/$ID/undo
```

**Cards** are written as rank, `A23456789TJQK`, then suit, `CDHS`: `TD` is the ten of \
diamonds. Requests may also use lower case, `10` for `T`, and the suit symbols. \
**Positions** in the row count from 0, the leftmost pile. **Times** are RFC 3339 in \
UTC. **Seeds** in responses are always strings.

**Errors** are problem documents (RFC 9457) with the media type \
`application/problem+json`. Their `type` is a path of this service that explains them. \
An unknown member of a body or an unknown query parameter is a `validation-error` and \
is never ignored.

**Languages.** The texts of variants, hints and problems are available in English, \
Arabic, Dutch, French and German. `Accept-Language` chooses the language, and so does \
`lang` in the query where an operation has it. `Content-Language` names the language \
of the response.

**Null.** An optional member of a request can be null, which is the same as leaving it \
out.

**Versions.** A game has a `version`, which counts changes of play: moves, deals, \
undo, redo and finish. A hint does not change it. The `ETag` of a game is strong: it \
differs whenever the response differs. A write with `If-Match` succeeds only if the \
game still has the version of that tag, or the bare version in quotes, `"7"`; \
otherwise it fails with `version-mismatch`. A `GET` with `If-None-Match` returns 304 \
if nothing has changed. With `Prefer: return=minimal` a write returns 204 with the \
`ETag` and without a body.

**Safe retries.** A `POST` that writes accepts an `Idempotency-Key`. A request that is \
sent again within 24 hours with the same key and body is not executed again: the first \
response is returned, with `Idempotent-Replayed: true`, whether it was a success or an \
error. Each game has its own keys, and so has the creation of games.

**API keys.** A service can require an API key for requests below `/v1`, as \
`Authorization: Bearer <key>`. Each key belongs to a tenant, and the games of other \
tenants do not exist for it. The `id` of a game gives access to that one game, and its \
`watch_id` to reading it: below `/v1/games/{id}` and `/v1/watch/{watch_id}` no API key \
is needed, except to delete, so that a server can create games and browsers play them.

**Rate limits.** Where requests are limited, each response below `/v1` has the header \
fields `RateLimit` and `RateLimit-Policy`, and a request over the limit returns 429 \
`rate-limited` with `Retry-After`.

**Hidden cards.** In the stock layout no response shows a card before it is dealt. A \
seed that the service chose is hidden until the game is over; `commitment` is its \
SHA-256 from the start, so that anybody can check the deal afterwards.
"""

CHAPTERS: Final = {
    "Variants": "The eleven variants and their rules.",
    "Deals": "The cards of a seed, and the deal of each day.",
    "Games": "Stored games: create, play, watch, record and delete.",
    "Boards": "Leaderboards of days, months and all time.",
    "Events": "Tournaments of a tenant.",
    "Webhooks": "A tenant's own URLs that are called when a game has ended or an event "
    "has closed, signed as [Standard Webhooks](https://www.standardwebhooks.com) "
    "specifies. docs/portals.md walks through an integration.",
    "Players": "Statistics of players, and their games.",
    "Advice": "Hints, lines that win, judged rows, and reviews of games that are over.",
    "Rules": "Replays and legal moves, without a stored game.",
    "Service": "Health, documentation and problems.",
}
"""The chapters of the description, by name."""

_TAG: Final = r'^"[1-9][0-9]*\.[1-9][0-9]*(\.open)?(\.text|\.svg-[a-z]+)?"$'

RESPONSE_HEADERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "ETag": _text(
        "The strong entity tag of the game: its version and its "
        "revision, a mark once a hidden seed is shown, and the form of a record.",
        '"7.9"',
        pattern=_TAG,
    ),
    "Link": _text(
        'The next page, `rel="next"`, if there is one (RFC 8288).',
        '</v1/leaderboards/all-time?cursor=MTcyMC4xLmFkYQ>; rel="next"',
    ),
    "Location": _text(
        "The path of the resource.",
        "/v1/games/kSxTzaV4QfUqNOmB1hTj",
        format="uri-reference",
    ),
    "Cache-Control": _text(
        "How long a copy of the response may be used.", "private, no-cache"
    ),
    "Content-Language": _text("The language of the texts.", "en"),
    "Vary": _text(
        "The request header fields that the response depends on.", "Accept-Language"
    ),
    "Preference-Applied": _text(
        "The preference that was applied.", "return=minimal", const="return=minimal"
    ),
    "Idempotent-Replayed": _text(
        "Present if this is the stored response to an earlier request "
        "with the same key.",
        const="true",
    ),
    "WWW-Authenticate": _text(
        "How to authenticate (RFC 6750).", 'Bearer realm="accordion"'
    ),
    "RateLimit": _text(
        "For each limit, if there is any: `r` requests are left, and "
        "after `t` seconds all are available again "
        "(draft-ietf-httpapi-ratelimit-headers-11).",
        '"600/minute";r=599;t=60',
    ),
    "RateLimit-Policy": _text(
        "The limits, where the service has any: `q` requests in a "
        "window of `w` seconds.",
        '"600/minute";q=600;w=60',
    ),
    "Retry-After": _text(
        "The seconds to wait before the next try.", "1", pattern="^[0-9]+$"
    ),
    "Allow": _text("The methods that the resource supports.", "GET, HEAD, OPTIONS"),
}
"""The header fields of responses, as OpenAPI describes them."""

REQUEST_HEADERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "If-Match": _text(
        "The `ETag` of the version that the write is for, or the bare "
        "version in quotes; or several; or `*`.",
        '"7"',
    ),
    "If-None-Match": _text("The `ETag` of the copy that the client has.", '"7.9"'),
    "Prefer": _text(
        "With `return=minimal` the response has no body (RFC 7240).", "return=minimal"
    ),
    "Idempotency-Key": _text(
        "Makes the request safe to send again: for 24 hours a request "
        "with the same key, path and body gets the first response again. Without an "
        "API key, a key for a creation has 16 characters or more.",
        "5f0e2c1a-7d34-4b39-9c55-0a6d6a1f8e21",
        pattern="^[!-~]{1,255}$",
    ),
    "Accept-Language": _text(
        "The languages that the client prefers (RFC 9110).", "en-GB, en;q=0.8"
    ),
}
"""The header fields of requests, as OpenAPI describes them."""

PATH_PARAMETERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "game_id": _text("The `id` of the game.", "kSxTzaV4QfUqNOmB1hTj"),
    "watch_id": _text("The `watch_id` of the game.", "nP6qRRABiFTD00yxZvnH"),
    "variant": _text(
        "The key of the variant, or one of its aliases.", "royal-marriage"
    ),
    "date": _text("The UTC day.", "2026-01-31", format="date"),
    "month": _text(
        "The month in UTC.", "2026-01", pattern="^[1-9][0-9]{3}-(0[1-9]|1[0-2])$"
    ),
    "event": _text("The `id` of the event.", "b1hTjkSxTzaV4QfU"),
    "player": _text("The player's name.", "Ada"),
    "webhook": _text("The `id` of the webhook.", "QfUqNOmB1hTjkSxT"),
    "delivery": _text("The `id` of the delivery.", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
    "slug": _text("The last part of the problem's `type`.", "illegal-move"),
}
"""The parameters of paths, as OpenAPI describes them."""

_ID: Final = "$response.body#/id"
_FIRST_MOVE: Final = "$response.body#/legal_moves/0"
LINKS: Final[Mapping[str, Mapping[str, Any]]] = {
    **{
        name: {"parameters": {"game_id": _ID}}
        for name in (
            "getGame",
            "getLegalMoves",
            "getRecord",
            "dealCards",
            "giveHint",
            "giveSolution",
            "requestReview",
            "undoActions",
            "redoActions",
            "finishGame",
            "deleteGame",
        )
    },
    "makeMove": {
        "parameters": {"game_id": _ID},
        "requestBody": {"from": f"{_FIRST_MOVE}/from", "to": f"{_FIRST_MOVE}/to"},
    },
    "watchGame": {"parameters": {"watch_id": "$response.body#/watch_id"}},
}
"""The operations that can follow a response with a game, as links of OpenAPI."""

MESSAGES: Final[Mapping[str, tuple[str, str]]] = {
    "gameOver": ("game.over", "GameOverMessage"),
    "eventClosed": ("event.closed", "EventClosedMessage"),
}
"""The messages to webhooks: for each, the event and the schema of the body."""
