"""Examples for the documentation.

They are made by the functions that make real responses, so they cannot become outdated.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Final

from service.engine.cards import name_cards, parse_cards
from service.engine.deals import DEFAULT_SOURCE, deal
from service.engine.play import Options, start
from service.engine.position import Move, Position
from service.engine.variants import VARIANTS
from service.games import webhooks
from service.games.daily import DailyDeal
from service.games.events import Event
from service.games.ids import watch_id_of
from service.games.leaderboards import BoardRow, BoardView
from service.games.players import PlayerSummary
from service.games.record_text import write_text
from service.games.records import record_of, replay
from service.games.session import Session, closing_time
from service.games.snapshot import GameSnapshot
from service.http.schemas.advice import (
    analysis_response,
    hint_response,
    review_response,
    solution_response,
)
from service.http.schemas.boards import (
    board_response,
    player_response,
    statistics_response,
)
from service.http.schemas.deals import daily_response, deal_response
from service.http.schemas.events import EventList, event_response
from service.http.schemas.games import (
    PlayerGames,
    game_response,
    legal_moves_response,
    own_game_response,
    row_response,
)
from service.http.schemas.records import record_response, replay_response
from service.http.schemas.response import to_json
from service.http.schemas.webhooks import (
    DeliveryList,
    WebhookList,
    delivery_response,
    new_webhook_response,
    webhook_response,
)
from service.solver import Analysis, Judgement, Review, Solution, Verdict, follow
from service.store.boards import Statistics
from service.store.webhooks import Delivery as StoredDelivery
from service.texts import DEFAULT_LANGUAGE

_ID: Final = "kSxTzaV4QfUqNOmB1hTj"
_STARTED: Final = int(datetime(2030, 5, 17, 9, 30, tzinfo=UTC).timestamp() * 1000)
_LATER: Final = _STARTED + 95_000
_SEED: Final = "42"
_DAILY_SEED: Final = "1f0c5a9e7b3d4682a1c0e5f79b8d6342"
_DAY: Final = date(2030, 5, 17)
_ACCORDION: Final = VARIANTS["accordion"]
_MARRIAGE: Final = VARIANTS["royal-marriage"]


def _start(key: str) -> Session:
    ruleset = VARIANTS[key]
    dealt = deal(ruleset, _SEED)
    play = start(ruleset, dealt.cards, Options(ruleset.layout), dealt.goal)
    return Session(
        play=play,
        source=DEFAULT_SOURCE,
        seed=_SEED,
        server_seed=key == _MARRIAGE.key,
        started_at=_STARTED,
        player="Ada",
    )


def _kept(session: Session) -> GameSnapshot:
    return GameSnapshot(_ID, watch_id_of(_ID), session.version, session)


_NEW: Final = _start("accordion")
_FIRST: Final = _NEW.play.legal_moves[0]
_MOVED: Final = _NEW.move(_FIRST, _LATER)
_UNDONE: Final = _MOVED.undo(1, _LATER)
_FINISHED: Final = _MOVED.finish(_LATER)
_STOCK: Final = _start("royal-marriage")
_DEALT: Final = _STOCK.deal(3, _LATER)
_RECORD: Final = record_of(_FINISHED, _LATER)

_ROW: Final = parse_cards(["4S", "7H", "QC", "4D", "KD"])

GAME_ID: Final = _ID
WATCH_ID: Final = watch_id_of(_ID)
NEW_GAME: Final = game_response(_kept(_NEW), _STARTED)
NEW_STOCK_GAME: Final = game_response(_kept(_STOCK), _STARTED)
MOVED_GAME: Final = game_response(_kept(_MOVED), _LATER)
DEALT_GAME: Final = game_response(_kept(_DEALT), _LATER)
UNDONE_GAME: Final = game_response(_kept(_UNDONE), _LATER)
REDONE_GAME: Final = game_response(_kept(_UNDONE.redo(1, _LATER)), _LATER)
FINISHED_GAME: Final = game_response(_kept(_FINISHED), _LATER)
WATCHED_GAME: Final = game_response(_kept(_MOVED)._replace(game_id=None), _LATER)
LEGAL_MOVES: Final = legal_moves_response(_kept(_MOVED), _LATER)
MOVE: Final = {"from": _FIRST.origin, "to": _FIRST.target}
RECORD: Final = record_response(_RECORD)
RECORD_TEXT: Final = write_text(_RECORD)
BROKEN_RECORD: Final = to_json(RECORD) | {"actions": ["1-0", "50-2"]}
REPLAY: Final = replay_response(replay(_RECORD))
BROKEN_REPLAY: Final = replay_response(
    replay(replace(_RECORD, line=b"\x01\x00\x32\x02", finished=False))
)
ROW_MOVES: Final = row_response(Position(_ACCORDION, _ROW, b"\x01" * len(_ROW)))
DEAL: Final = deal_response(_ACCORDION, DEFAULT_SOURCE, _SEED, deal(_ACCORDION, _SEED))
DAILY_DEAL: Final = daily_response(
    _ACCORDION,
    DailyDeal(_DAY, DEFAULT_SOURCE, _DAILY_SEED, deal(_ACCORDION, _DAILY_SEED)),
    _LATER,
)
HIDDEN_DEAL: Final = daily_response(
    _MARRIAGE,
    DailyDeal(_DAY, DEFAULT_SOURCE, _DAILY_SEED, deal(_MARRIAGE, _DAILY_SEED)),
    _LATER,
)

_ADVISED: Final = _kept(_MOVED.advised(b""))
BOARD: Final = board_response(
    BoardView(
        f"daily/{_DAY}",
        1234,
        closing_time(_DAY),
        [BoardRow(1, "Ada", 2101, _LATER, "full", 1, 51, 0, 119)],
        None,
    )
)
STATISTICS: Final = statistics_response(
    _DAY, _ACCORDION, Statistics(12, {1: 12, 2: 5, 7: 1})
)
PLAYER: Final = player_response(
    PlayerSummary("Ada", 9, 4, {"full": 4, "moral": 2}, {"accordion": 2101}, 3, 5)
)
EVENT: Final = event_response(
    Event(
        "b1hTjkSxTzaV4QfU",
        "Spring cup",
        _ACCORDION,
        Options(_ACCORDION.layout),
        allows_hints=True,
        seed=_SEED,
        opens_at=_STARTED,
        closes_at=_STARTED + 7 * 24 * 3600 * 1000,
        attempts=3,
    ),
    _LATER,
)
EVENTS: Final = EventList([EVENT])
PLAYER_GAMES: Final = PlayerGames([own_game_response(_kept(_MOVED), _LATER)])

_WEBHOOK: Final = webhooks.Webhook(
    id="QfUqNOmB1hTjkSxT",
    url="https://portal.example.org/hook",
    events=(webhooks.WebhookEvent.GAME_OVER,),
    secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",  # noqa: S106 - made up
    created_at=_STARTED,
)
WEBHOOK: Final = webhook_response(_WEBHOOK)
NEW_WEBHOOK: Final = new_webhook_response(_WEBHOOK)
WEBHOOKS: Final = WebhookList([WEBHOOK])
DELIVERY: Final = delivery_response(
    "msg_p5jXN8AQM9LWM0D4loKWxJek",
    StoredDelivery(
        type=webhooks.WebhookEvent.GAME_OVER,
        subject="",
        player="ada",
        created_at=_LATER,
        body="",
        status="pending",
        attempts=1,
        last_at=_LATER + 120,
        outcome="503",
        next_at=_LATER + 2120,
        counts_from=_LATER,
    ),
)
DELIVERIES: Final = DeliveryList([DELIVERY])

_LINE: Final = b"\x01\x00\x01\x00"
_SMALL: Final = Position(_ACCORDION, parse_cards(["4S", "4D", "KD"]), b"\x01\x01\x01")
SMALL_ROW: Final = name_cards(_SMALL.row)
HINT: Final = hint_response(_ADVISED, follow(_SMALL, _LINE), DEFAULT_LANGUAGE)
SOLUTION: Final = solution_response(_ADVISED, Solution(Verdict.WINNABLE, _LINE))
ANALYSIS: Final = analysis_response(
    Analysis(
        Solution(Verdict.WINNABLE, _LINE),
        (
            Judgement(Move(1, 0), Verdict.WINNABLE),
            Judgement(Move(2, 1), Verdict.UNWINNABLE),
        ),
    )
)

_LOST: Final = start(_ACCORDION, _SMALL.row, Options(_ACCORDION.layout)).move(
    Move(2, 1)
)
REVIEW: Final = review_response(_LOST, Review(1, 0, 1, _LINE, decisions=1, kept=0))
