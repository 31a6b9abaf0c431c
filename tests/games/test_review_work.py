"""Reviews are made one by one in a slot; the thread ends when none is waiting."""

from __future__ import annotations

from threading import enumerate as threads
from time import sleep
from typing import TYPE_CHECKING

from service.clock import now
from service.config import Settings
from service.engine.play import Options
from service.engine.ruleset import UndoRule
from service.engine.variants import VARIANTS
from service.games.create import DeckChoice, NewGame
from service.games.review import PENDING_REVIEW, ReviewWork, ask_review
from service.games.search_slots import SearchSlots
from service.games.session import Session
from service.games.use_cases import make_use_cases
from tests.engine.rows import read_row

if TYPE_CHECKING:
    from service.store.redis import RedisStore

ACCORDION = VARIANTS["accordion"]
NEW_GAME = NewGame(
    ACCORDION,
    Options(ACCORDION.layout, undo=UndoRule.NONE),
    DeckChoice(read_row("5S 4S 7H 6S 4H")),
)
WAIT_SECONDS = 60


def test_reviews_wait_for_a_slot_and_are_made_one_by_one(store: RedisStore) -> None:
    cases = make_use_cases(Settings(), store, store.runner, now)
    slots = SearchSlots(1)
    work = ReviewWork(cases.games, slots, cases.leases)
    ids = []
    for _ in range(3):
        game = cases.games.create("", NEW_GAME)
        assert game.game_id is not None
        cases.games.change("", game.game_id, Session.finish)
        cases.games.change("", game.game_id, ask_review)
        ids.append(game.game_id)

    def stored_reviews() -> list[bytes]:
        return [cases.games.get("", one).session.review for one in ids]

    with slots.slot() as is_free:
        assert is_free
        for one in ids * 2:
            work.begin("", one)
        work.begin("", "x" * 20)  # a game that was deleted
        sleep(0.3)
        assert stored_reviews() == [PENDING_REVIEW] * 3
    for _ in range(WAIT_SECONDS * 20):
        if not any(thread.name == "reviews" for thread in threads()):
            break
        sleep(0.05)
    first, *others = stored_reviews()
    assert first not in (b"", PENDING_REVIEW)
    assert others == [first] * 2
    with slots.slot() as is_free:
        assert is_free
