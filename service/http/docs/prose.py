"""What the description of the API says at large: conventions, chapters, fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

ABOUT: Final = """\
Accordion is a patience in which a row of cards is folded into one pile. This service \
plays it and ten relatives, keeps the games, and knows the rules and the deals.

A game in three requests:

```sh
curl -i --json '{"seed": "42", "player": "Ada"}' $HOST/v1/games
curl --json '{"from": 2, "to": 1}' $HOST/v1/games/$ID/moves
curl --json '{"count": 1}' $HOST/v1/games/$ID/undo
```

**Cards** are written rank first, `A23456789TJQK`, then suit, `CDHS`: `TD` is the ten \
of diamonds. Input may also be in lower case, with `10` for `T`, and with the symbols \
of the suits. **Piles** are numbered from 0, the leftmost. **Times** are RFC 3339 in \
UTC. **Seeds** in answers are always strings.

**Errors** are problem documents (RFC 9457), `application/problem+json`, whatever goes \
wrong. Their `type` is a path of this service that explains them. What is not known, a \
member of a body or a parameter of a query, is a `validation-error` and never ignored.

**Languages.** The texts of variants, hints and problems are in English, Arabic, \
Dutch, French and German. `Accept-Language` chooses, and `lang` in the query where an \
operation has it; `Content-Language` says what was chosen.

**Null.** An optional field of a request can be null, which is the same as leaving it \
out.

**Versions.** A game has a `version`, which counts the changes of play: moves, deals, \
undo, redo and finish. A hint is none. Each answer has a strong `ETag`, the version \
and the revision of the game, which differs whenever the answer does. A write with \
`If-Match` is made only on the version of that tag, or of the bare version in quotes, \
`"7"`, and refused with `version-mismatch` otherwise; a hint in between changes \
nothing of that. A look with `If-None-Match` is answered with 304 when nothing has \
changed. With `Prefer: return=minimal` a write is answered with 204, the `ETag` and no \
body.

**Safe retries.** A `POST` that writes takes an `Idempotency-Key`. Sent again within \
24 hours with the same key and body, it is not done again: the first answer is given \
again, marked `Idempotent-Replayed: true`, whether it was a success or a refusal. Each \
game has keys of its own, and so has what is created. Without an API key a key for \
creating has 16 characters or more, so that two strangers never share one.

**Keys.** A service can be set to demand an API key below `/v1`, as `Authorization: \
Bearer <key>`. Every key belongs to a tenant, and another tenant's games do not exist \
for it. The `id` of a game is a key to that one game, and its `watch_id` to looking at \
it: below `/v1/games/{id}` and `/v1/watch/{watch_id}` no other is needed, but for \
deleting, so that a server creates games and browsers play them. **Limits.** Where the \
number of requests is limited, every answer below `/v1` has the fields `RateLimit` and \
`RateLimit-Policy`, and one request too many is answered with 429 `rate-limited` and \
`Retry-After`.

**Nothing hidden leaks.** With the stock layout, no answer tells a card before it is \
dealt. A seed that the server chose is hidden until the game is over; `commitment` \
pins it down from the start, so that anybody can check the deal afterwards.
"""

CHAPTERS: Final = {
    "Variants": "The eleven games, and their rules in a few words.",
    "Deals": "From a seed to a row of cards, the same everywhere, and the deal of the "
    "day.",
    "Games": "Games that the server keeps.",
    "Boards": "The best games of a day, and sums of days.",
    "Events": "Tournaments of a tenant.",
    "Webhooks": "A tenant's own URLs that are called when a game has ended or an event "
    "has closed, signed as [Standard Webhooks](https://www.standardwebhooks.com) has "
    "it. docs/portals.md walks through an integration.",
    "Players": "What is counted of players.",
    "Advice": "Hints, lines that win, judged rows, and reviews of games that are over.",
    "Rules": "The rules by themselves, without a game.",
    "Service": "Health, documentation and problems.",
}
"""The chapters of the description, by name."""

_TAG: Final = r'^"[1-9][0-9]*\.[1-9][0-9]*(\.open)?(\.text|\.svg-[a-z]+)?"$'

RESPONSE_HEADERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "ETag": {
        "description": "The strong entity tag of the game: its version and its "
        "revision, a mark once a hidden seed is shown, and the form of a record.",
        "schema": {"type": "string", "pattern": _TAG},
        "example": '"7.9"',
    },
    "Link": {
        "description": 'The next page, `rel="next"`, if there is one (RFC 8288).',
        "schema": {"type": "string"},
        "example": '</v1/leaderboards/all-time?cursor=MTcyMC4xLmFkYQ>; rel="next"',
    },
    "Location": {
        "description": "Where it is.",
        "schema": {"type": "string", "format": "uri-reference"},
        "example": "/v1/games/kSxTzaV4QfUqNOmB1hTj",
    },
    "Cache-Control": {
        "description": "How long a copy is good for.",
        "schema": {"type": "string"},
        "example": "private, no-cache",
    },
    "Content-Language": {
        "description": "The language of the texts.",
        "schema": {"type": "string"},
        "example": "en",
    },
    "Vary": {
        "description": "The fields of the request that the answer depends on.",
        "schema": {"type": "string"},
        "example": "Accept-Language",
    },
    "Preference-Applied": {
        "description": "The preference that was met.",
        "schema": {"type": "string", "const": "return=minimal"},
        "example": "return=minimal",
    },
    "Idempotent-Replayed": {
        "description": "Present where the request was sent before: this is the answer "
        "that it got then.",
        "schema": {"type": "string", "const": "true"},
    },
    "WWW-Authenticate": {
        "description": "How to authenticate (RFC 6750).",
        "schema": {"type": "string"},
        "example": 'Bearer realm="accordion"',
    },
    "RateLimit": {
        "description": "How the client stands with each limit, where the service has "
        "any: `r` requests are left, and in `t` seconds all of them are there again "
        "(draft-ietf-httpapi-ratelimit-headers-11).",
        "schema": {"type": "string"},
        "example": '"600/minute";r=599;t=60',
    },
    "RateLimit-Policy": {
        "description": "The limits, where the service has any: `q` requests in a "
        "window of `w` seconds.",
        "schema": {"type": "string"},
        "example": '"600/minute";q=600;w=60',
    },
    "Retry-After": {
        "description": "The seconds after which another try is worth while.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
        "example": "1",
    },
    "Allow": {
        "description": "The methods that the resource has.",
        "schema": {"type": "string"},
        "example": "GET, HEAD, OPTIONS",
    },
}
"""The header fields of answers, as OpenAPI describes them."""

REQUEST_HEADERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "If-Match": {
        "description": "The `ETag` of the version that the write is for, or the bare "
        "version in quotes; or several; or `*`.",
        "schema": {"type": "string"},
        "example": '"7"',
    },
    "If-None-Match": {
        "description": "The `ETag` of what the client has.",
        "schema": {"type": "string"},
        "example": '"7.9"',
    },
    "Prefer": {
        "description": "With `return=minimal`, the answer has no body (RFC 7240).",
        "schema": {"type": "string"},
        "example": "return=minimal",
    },
    "Idempotency-Key": {
        "description": "Makes the request safe to send again: for 24 hours the same "
        "key, with the same path and body, gets the first answer again. Without an API "
        "key it has 16 characters or more where something is created.",
        "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
        "example": "5f0e2c1a-7d34-4b39-9c55-0a6d6a1f8e21",
    },
    "Accept-Language": {
        "description": "The languages that the client likes, as RFC 9110 has it.",
        "schema": {"type": "string"},
        "example": "en-GB, en;q=0.8",
    },
}
"""The header fields of requests that are heeded, as OpenAPI describes them."""

PATH_PARAMETERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "game_id": {
        "description": "The `id` of the game.",
        "schema": {"type": "string"},
        "example": "kSxTzaV4QfUqNOmB1hTj",
    },
    "watch_id": {
        "description": "The `watch_id` of the game.",
        "schema": {"type": "string"},
        "example": "nP6qRRABiFTD00yxZvnH",
    },
    "variant": {
        "description": "The key of the variant, or one of its aliases.",
        "schema": {"type": "string"},
        "example": "royal-marriage",
    },
    "date": {
        "description": "The UTC day.",
        "schema": {"type": "string", "format": "date"},
        "example": "2026-01-31",
    },
    "month": {
        "description": "The month in UTC.",
        "schema": {"type": "string", "pattern": "^[1-9][0-9]{3}-(0[1-9]|1[0-2])$"},
        "example": "2026-01",
    },
    "event": {
        "description": "The `id` of the event.",
        "schema": {"type": "string"},
        "example": "b1hTjkSxTzaV4QfU",
    },
    "player": {
        "description": "The player's name.",
        "schema": {"type": "string"},
        "example": "Ada",
    },
    "webhook": {
        "description": "The `id` of the webhook.",
        "schema": {"type": "string"},
        "example": "QfUqNOmB1hTjkSxT",
    },
    "delivery": {
        "description": "The `id` of the delivery.",
        "schema": {"type": "string"},
        "example": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    },
    "slug": {
        "description": "The last part of the problem's `type`.",
        "schema": {"type": "string"},
        "example": "illegal-move",
    },
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
"""Where to go from a game that is answered, as OpenAPI's links describe it."""

MESSAGES: Final[Mapping[str, tuple[str, str]]] = {
    "gameOver": ("game.over", "GameOverMessage"),
    "eventClosed": ("event.closed", "EventClosedMessage"),
}
"""What is sent to webhooks: the event and the schema of the body."""
