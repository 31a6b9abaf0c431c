"""Every problem the API can answer with (RFC 9457), as one table.

A problem's ``type`` is ``/problems/<slug>``, and that path explains it.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from service.engine.ruleset import Reason
from service.http.errors.problem import Member, ProblemType

if TYPE_CHECKING:
    from collections.abc import Mapping

_VERSION: Final = Member(
    {"type": "integer", "minimum": 1, "description": "The game's current version."}, 7
)
_INDEX: Final = Member(
    {
        "type": "integer",
        "minimum": 0,
        "description": "The place in `moves` of the action that was refused, from 0; "
        "only in the answer to a batch.",
    },
    0,
    always=False,
)
_REFUSED: Final = {"version": _VERSION, "index": _INDEX}
"""What every refusal by the rules tells."""


def _available(what: str) -> Member:
    return Member({"type": "integer", "minimum": 0, "description": what}, 0)


_ALL: Final = (
    ProblemType(
        "malformed-request",
        400,
        "The request cannot be read",
        "The body is not JSON in UTF-8 as RFC 8259 has it, or the request line or a "
        "header field breaks HTTP. NaN and infinities are no JSON; a member that an "
        "object names twice, half a surrogate pair, numbers of thousands of digits and "
        "very deep nesting are refused too. Nothing was changed. Mend the request "
        "before you send it again.",
        "The body is not JSON, at line 1, column 9: Expecting value.",
    ),
    ProblemType(
        "unauthorized",
        401,
        "The request needs a key",
        "This service answers below /v1 only to who has one of its API keys. Send "
        "yours in the header field `Authorization: Bearer <key>`; its operator can "
        "make you one.",
        "This needs the header field Authorization: Bearer with an API key.",
        headers=("WWW-Authenticate",),
    ),
    ProblemType(
        "not-found",
        404,
        "There is nothing at this path",
        "No resource of this service has this path. The paths are listed in "
        "/openapi.json and, for people, at /docs.",
        "There is nothing at /v1/gmaes.",
    ),
    ProblemType(
        "game-not-found",
        404,
        "There is no such game",
        "The id never named a game, the game was deleted, or it has expired: a game "
        "is kept for a while after its last write, seven days unless the service is "
        "set otherwise.",
        "No game has this id: it never had, or the game was deleted or has expired.",
    ),
    ProblemType(
        "not-ranked",
        404,
        "There is no place on the board",
        "The game, or the player, has no entry on the board. The members `ranked` and "
        "`unranked_reason` of a game say whether it counts on boards.",
        "This player has no entry on the board.",
    ),
    ProblemType(
        "player-not-found",
        404,
        "There is no such player",
        "No game of a player of this name has ended, or the player was erased.",
        "No game of a player of this name has ended.",
    ),
    ProblemType(
        "event-not-found",
        404,
        "There is no such event",
        "The id never named an event of this tenant, or the event was deleted.",
        "No event has this id.",
    ),
    ProblemType(
        "event-not-open",
        409,
        "The event is not open",
        "Games of an event start only between its `opens_at` and its `closes_at`.",
        "The event is not open now.",
    ),
    ProblemType(
        "no-attempts-left",
        409,
        "The player has no attempt left",
        "The event allows each player so many games, `attempts`, and the player has "
        "started as many.",
        "The player has started as many games of this event as it allows.",
    ),
    ProblemType(
        "too-many-events",
        409,
        "There are too many events",
        "A tenant can have 1000 events at once. Delete one that is over.",
        "The tenant has as many events as it can have.",
    ),
    ProblemType(
        "key-required",
        403,
        "The operation needs an API key",
        "The operation is for the tenant of an API key, and this service is set up "
        "without API keys.",
        "This operation needs an API key, and the service has none.",
    ),
    ProblemType(
        "variant-not-found",
        404,
        "There is no such variant",
        "The path names neither a variant nor one of the aliases. GET /v1/variants "
        "lists them all.",
        'No variant is called "acordion".',
    ),
    ProblemType(
        "not-yet",
        404,
        "That day has not begun",
        "The deal of a day is there from midnight UTC on, and not before.",
        "2031-01-01 has not begun in UTC; it is 2030-12-31.",
    ),
    ProblemType(
        "method-not-allowed",
        405,
        "The resource has no such method",
        "The path is right and the method is not. The Allow header field lists the "
        "methods that the resource has.",
        "PATCH is not a method of this resource.",
        headers=("Allow",),
    ),
    ProblemType(
        "illegal-move",
        409,
        "The rules do not allow the move",
        "The move is not among the game's legal moves, and nothing was changed. The "
        "reason says why: `no-such-pile`, the row has no pile of that number; "
        "`distance`, no pile moves that far in this variant; `direction`, it would, "
        "the other way; `no-match`, the cards do not go together.",
        "The cards at 4 and 3 do not go together.",
        {
            "reason": Member(
                {
                    "enum": [str(reason) for reason in Reason],
                    "description": "Why the rules refuse the move.",
                },
                "no-match",
            ),
            **_REFUSED,
        },
    ),
    ProblemType(
        "ambiguous-move",
        409,
        "The pile has several moves",
        "A tap names a pile alone, and this one could go to several. Ask the player, "
        "and send the move with `to`.",
        "The pile at 7 could go to 4 or 6.",
        {
            "targets": Member(
                {
                    "type": "array",
                    "items": {"type": "integer", "minimum": 0},
                    "minItems": 2,
                    "description": "The piles it could go to, ascending.",
                },
                [4, 6],
            ),
            **_REFUSED,
        },
    ),
    ProblemType(
        "stock-empty",
        409,
        "The stock does not hold so many cards",
        "More cards were asked for than are left to be dealt; in the open layout none "
        "ever are. Nothing was dealt. Ask for fewer, or for all.",
        "There are no cards left to be dealt.",
        {"stock": _available("The cards left to be dealt."), **_REFUSED},
    ),
    ProblemType(
        "move-compulsory",
        409,
        "A move must be made first",
        "The game is played by the rule of 1883: while any move is legal, no card is "
        "dealt. Which move is the player's choice. In a batch, a deal of several cards "
        "is refused too where a move becomes legal before the last of them.",
        "A legal move must be made before the next card is dealt.",
        {
            "legal_moves": Member(
                {
                    "type": "array",
                    "items": {"$ref": "#/components/schemas/Move"},
                    "minItems": 1,
                    "description": "The moves to choose from.",
                },
                [{"from": 3, "to": 0}],
            ),
            **_REFUSED,
        },
    ),
    ProblemType(
        "nothing-to-undo",
        409,
        "There are not so many actions to take back",
        "More actions were asked for than stand. Nothing was undone. Ask for fewer, "
        "or for all.",
        "No action can be undone.",
        {"available": _available("The actions that can be undone."), **_REFUSED},
    ),
    ProblemType(
        "nothing-to-redo",
        409,
        "There are not so many actions to make again",
        "More actions were asked for than have been taken back since the last new "
        "one. Nothing was redone. Ask for fewer, or for all.",
        "No action can be redone.",
        {"available": _available("The actions that can be redone."), **_REFUSED},
    ),
    ProblemType(
        "undo-not-allowed",
        409,
        "A pile laid stays laid",
        "The game was started with the option `undo` set to `none`, so nothing can be "
        "taken back in it.",
        "This game was started without undo.",
        {**_REFUSED},
    ),
    ProblemType(
        "game-over",
        409,
        "The game is over",
        "The game is won, or the player has stopped it; nothing can be changed any "
        "more, and nothing was. A lost game is not over in this sense: it can be "
        "undone.",
        "The game is won.",
        {
            "game_status": Member(
                {"enum": ["won", "ended"], "description": "How the game ended."}, "won"
            ),
            **_REFUSED,
        },
    ),
    ProblemType(
        "hints-not-allowed",
        409,
        "The game is played without hints",
        "The game was started with the option `hints` set to `none`, so neither hints "
        "nor solutions are given in it.",
        "This game was started without hints.",
        {"version": _VERSION},
    ),
    ProblemType(
        "version-mismatch",
        412,
        "The game has moved on",
        "If-Match named a version that is not the game's current one: somebody, "
        "perhaps the same player elsewhere, was faster. Nothing was changed. Get the "
        "game anew and decide again.",
        "The game is at version 7.",
        {"version": _VERSION},
        headers=("ETag",),
    ),
    ProblemType(
        "body-too-large",
        413,
        "The body is too large",
        "A body may have 64 KiB at most, which is more than any request needs.",
        "A body may have 65536 bytes at most.",
    ),
    ProblemType(
        "uri-too-long",
        414,
        "The request line is too long",
        "A path with its query may have some 8000 characters, which is more than any "
        "request needs.",
        "The request line is longer than is read.",
    ),
    ProblemType(
        "unsupported-media-type",
        415,
        "The body is not declared as JSON",
        "A body needs the header field `Content-Type: application/json` (with curl: "
        "`--json`). Its encoding is UTF-8, and it is not compressed.",
        "A body needs the header field Content-Type: application/json, in UTF-8.",
    ),
    ProblemType(
        "validation-error",
        422,
        "The input does not fit",
        "The body or the query can be read, and something in it is missing, unknown, "
        "of the wrong type or out of bounds. `errors` lists everything that is wrong; "
        "its pointers (RFC 6901) lead into the body, or name a parameter of the query "
        "or of the path. Nothing was changed.",
        "One thing does not fit.",
        {
            "errors": Member(
                {
                    "type": "array",
                    "minItems": 1,
                    "items": {"$ref": "#/components/schemas/InvalidValue"},
                    "description": "Everything that does not fit.",
                },
                [
                    {
                        "pointer": "/seed",
                        "detail": "A seed is a string or a whole number.",
                    }
                ],
            )
        },
    ),
    ProblemType(
        "precondition-required",
        428,
        "The write must say which version it is for",
        "This service is set to take a write only with If-Match, so that none is made "
        "on an outdated view of the game. Send the ETag of the game you have.",
        "A write needs the header field If-Match with the game's ETag.",
    ),
    ProblemType(
        "rate-limited",
        429,
        "Too many requests",
        "The client, its API key or its address, has made all the requests that it may "
        "make for now. Nothing was changed. Go on after the seconds in Retry-After; "
        "the fields RateLimit and RateLimit-Policy of every answer tell how many are "
        "left, so that this need not happen.",
        "There are no requests left for 30 seconds.",
        headers=("Retry-After",),
    ),
    ProblemType(
        "header-fields-too-large",
        431,
        "The header fields are too large",
        "A header field may have some 8000 characters, and a request 100 header "
        "fields.",
        "There are more header fields, or longer ones, than are read.",
    ),
    ProblemType(
        "internal-error",
        500,
        "The service failed",
        "This is a fault of the service and not of the request. It has been logged; "
        "the detail says no more on purpose.",
        "The service failed, and has logged why.",
    ),
    ProblemType(
        "unknown-transfer-coding",
        501,
        "The body is encoded in an unknown way",
        "The one transfer coding that is known is `chunked`; compressed bodies are not "
        "taken.",
        "The field Transfer-Encoding names a coding that is not known.",
    ),
    ProblemType(
        "store-unavailable",
        503,
        "The store is away",
        "Games are kept in a store that cannot be reached, or refuses to write, for "
        "the moment. A write that ends so was applied whole or not at all: get the "
        "game to see which. Try again after the seconds in Retry-After.",
        "The games cannot be reached for the moment.",
        headers=("Retry-After",),
    ),
    ProblemType(
        "idempotency-key-reused",
        422,
        "This key was used for another request",
        "An Idempotency-Key stands for one request: the same method, path and body. "
        "This one was sent with another request in the last 24 hours. Nothing was "
        "changed. Draw a new key for a new request.",
        "Another request was sent with this Idempotency-Key.",
    ),
    ProblemType(
        "idempotency-in-flight",
        409,
        "The request with this key is still running",
        "A request with this Idempotency-Key has not been answered yet. Send it again "
        "after the seconds in Retry-After to have its answer.",
        "The request that was sent with this Idempotency-Key is still running.",
        headers=("Retry-After",),
    ),
    ProblemType(
        "cards-hidden",
        409,
        "Cards are still to be dealt",
        "The answer depends on cards that nobody may see yet: the whole line to the "
        "win, or in a batch a move that touches a card dealt in the same batch. "
        "Nothing was changed. Deal the cards first, or ask for a hint, which looks "
        "only at what is on the table.",
        "There are 12 cards still to be dealt.",
        {"stock": _available("The cards left to be dealt."), **_REFUSED},
    ),
    ProblemType(
        "solver-busy",
        503,
        "The solver has its hands full",
        "As many searches as may run at once are running. Nothing was changed. Try "
        "again after the seconds in Retry-After.",
        "Too many searches are running.",
        headers=("Retry-After",),
    ),
    ProblemType(
        "game-busy",
        503,
        "Too many write to this game at once",
        "Other writers were faster at every attempt that there was time for. Nothing "
        "was changed. Try again after the seconds in Retry-After; with If-Match the "
        "answer would have been a 412 at once.",
        "Others keep writing to this game.",
        headers=("Retry-After",),
    ),
)

PROBLEM_TYPES: Final[Mapping[str, ProblemType]] = MappingProxyType(
    {problem.slug: problem for problem in _ALL}
)
"""Every problem by its slug."""
