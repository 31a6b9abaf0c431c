"""A model of a game, independent of the service.

It stores the actions and replays them to compute every property, which is slow and
simple. The rules are those of `tests/engine/reference_rules.py`.
"""

from __future__ import annotations

import hashlib
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.engine import reference_rules
from tests.properties.fixed_clock import FixedClock, write_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.engine.reference_rules import Table

Action: TypeAlias = "tuple[int, int] | None"
"""A move, or None for a card that is dealt."""
Count: TypeAlias = "int | str"

UNKNOWN = "??"


class Refused(Exception):  # noqa: N818 - what the service does to a request
    """A refusal: the type of the problem, and its extension members."""

    def __init__(self, slug: str, **members: Any) -> None:  # noqa: ANN401
        super().__init__(slug)
        self.slug = slug
        self.members = members


@dataclass
class GameModel:
    """A game.

    Attributes:
        options: The options, as responses show them.
        deck: The cards in the order of dealing; those not dealt yet may be `UNKNOWN`.
        seed: The seed, if it is known.
        commitment: The digest of the seed, in the stock layout.
        is_secret: Whether the service chose the seed.
        day: The day of a daily game.
    """

    variant: str
    options: dict[str, Any]
    deck: list[str]
    goal: str | None = None
    source: str | None = None
    seed: str | None = None
    commitment: str | None = None
    is_secret: bool = False
    day: str | None = None
    player: str | None = None
    clock: FixedClock = field(default_factory=FixedClock)
    started: int = 0
    ended: int | None = None
    done: list[Action] = field(default_factory=list)
    undone: list[Action] = field(default_factory=list)
    finished: bool = False
    version: int = 1
    last: dict[str, Any] | None = None
    acted: int | None = None
    undos: int = 0
    hints: int = 0

    def fork(self) -> GameModel:
        """Make an independent copy."""
        other = copy(self)
        other.deck, other.done = list(self.deck), list(self.done)
        other.undone = list(self.undone)
        return other

    # The position.

    @property
    def is_stock(self) -> bool:
        return bool(self.options["layout"] == "stock")

    @property
    def dealt(self) -> int:
        first = 1 if self.is_stock else len(self.deck)
        return first + self.done.count(None)

    @property
    def stock(self) -> int:
        return len(self.deck) - self.dealt

    @property
    def tables(self) -> list[Table]:
        """The piles at the start, and after each action."""
        first = 1 if self.is_stock else len(self.deck)
        cards = iter(self.deck)
        tables: list[Table] = [tuple((next(cards),) for _ in range(first))]
        for action in self.done:
            if action is None:
                tables.append((*tables[-1], (next(cards),)))
            else:
                tables.append(reference_rules.move(self.variant, tables[-1], *action))
        return tables

    @property
    def table(self) -> Table:
        return self.tables[-1]

    @property
    def row(self) -> list[str]:
        return reference_rules.tops(self.table)

    @property
    def moves(self) -> list[tuple[int, int]]:
        return (
            []
            if self.is_closed
            else reference_rules.legal_moves(self.variant, self.row)
        )

    @property
    def is_won(self) -> bool:
        return reference_rules.won(self.variant, self.row, self.stock, self.goal)

    @property
    def is_closed(self) -> bool:
        return self.finished or self.is_won

    @property
    def status(self) -> str:
        if self.is_won:
            return "won"
        if self.finished:
            return "ended"
        return (
            "lost"
            if reference_rules.lost(self.variant, self.row, self.stock)
            else "playing"
        )

    @property
    def must_move(self) -> bool:
        return bool(self.options["compulsory"] and self.moves)

    @property
    def hides(self) -> bool:
        return self.is_stock and self.status == "playing"

    @property
    def hides_cards(self) -> bool:
        return self.stock > 0 and self.status == "playing"

    def learn(self, state: dict[str, Any]) -> None:
        """Learn the cards that were dealt last, at the right end of the row.

        Only games with a secret seed need this; a redo deals only known cards.
        """
        new = self.stock - state["stock"]
        if UNKNOWN not in self.deck[self.dealt : self.dealt + max(0, new)]:
            return
        for place in range(new):
            card = state["row"][len(state["row"]) - new + place]
            at = self.dealt + place
            assert self.deck[at] in (card, UNKNOWN)
            assert card not in self.deck[:at]
            self.deck[at] = card

    # The actions.

    def start(self, clock: FixedClock) -> None:
        self.clock, self.started = clock, clock()
        self._settle()

    def written(self, last: dict[str, Any]) -> None:
        """Record a change of play as a new version."""
        self.version += 1
        self.last, self.acted = last, max(self.started, self.clock())
        self._settle()

    def _settle(self) -> None:
        """Record the time of the end. A lost game that is finished keeps it."""
        if self.status == "playing":
            self.ended = None
        elif self.ended is None:
            self.ended = max(self.started, self.clock())

    @property
    def etag(self) -> str:
        """The entity tag. Every change of play and every hint makes a revision."""
        has_closed = self.day is not None and not self.is_open
        is_shown = self.is_secret and self.is_stock and not self.hides and has_closed
        return f'"{self.version}.{self.version + self.hints}{".open" * is_shown}"'

    @property
    def is_open(self) -> bool:
        """Whether the game's daily deal has not closed."""
        if self.day is None:
            return False
        midnight = datetime.fromisoformat(f"{self.day}T00:00:00+00:00").timestamp()
        return self.clock() < (midnight + 25 * 3600) * 1000

    def move(self, origin: int, target: int) -> None:
        self._require_open()
        if self.variant not in reference_rules.STACKING and origin < target:
            origin, target = target, origin
        reason = reference_rules.refusal(self.variant, self.row, origin, target)
        if reason is not None:
            raise Refused("illegal-move", reason=reason)
        self._do((origin, target))

    def tap(self, origin: int) -> None:
        self._require_open()
        targets = [target for start, target in self.moves if start == origin]
        if not targets:
            exists = 0 <= origin < len(self.row)
            raise Refused(
                "illegal-move", reason="no-match" if exists else "no-such-pile"
            )
        if len(targets) > 1:
            raise Refused("ambiguous-move", targets=targets)
        self._do((origin, targets[0]))

    def deal(self, count: Count = 1) -> None:
        self._require_open()
        wanted = self.stock if count == "all" else int(count)
        if not 0 < wanted <= self.stock:
            raise Refused("stock-empty", stock=self.stock)
        self._refuse_if_move_is_compulsory()
        self._do(None)
        for _ in range(wanted - 1):
            if self.must_move:
                break
            self._do(None)

    def batch(self, steps: Sequence[dict[str, Any]]) -> None:
        """Make steps; none may depend on a secret card that an earlier one deals."""
        start, is_hidden = self.dealt, self.is_secret and self.hides
        hidden = self.stock
        for index, step in enumerate(steps):
            fresh = self.dealt - start
            try:
                if is_hidden:
                    self._refuse_use_of_hidden_cards(step, fresh, hidden)
                self._step(step)
            except Refused as refusal:
                raise Refused(refusal.slug, **refusal.members, index=index) from refusal

    def _refuse_use_of_hidden_cards(
        self, step: dict[str, Any], fresh: int, hidden: int
    ) -> None:
        """Refuse a step whose result depends on the cards dealt by earlier steps."""
        if "deal" in step:
            asks = self.options["compulsory"] and (fresh > 0 or step["deal"] != 1)
        else:
            asks = fresh > 0 and max(step.values()) >= len(self.table) - fresh
        if asks:
            raise Refused("cards-hidden", stock=hidden)

    def _step(self, step: dict[str, Any]) -> None:
        if "deal" not in step:
            self.move(step["from"], step["to"])
            return
        left = 0 if step["deal"] == "all" else self.stock - step["deal"]
        self.deal(step["deal"])
        if self.stock > left:
            self._refuse_if_move_is_compulsory()

    def undo(self, count: Count = 1) -> None:
        self._require_undo()
        wanted = self._count(count, self.done, "nothing-to-undo")
        self.undone = self.done[-wanted:] + self.undone
        del self.done[-wanted:]
        self.undos += wanted

    def redo(self, count: Count = 1) -> None:
        self._require_undo()
        wanted = self._count(count, self.undone, "nothing-to-redo")
        self.done += self.undone[:wanted]
        del self.undone[:wanted]

    def finish(self) -> None:
        self._require_open()
        self.finished = True

    def hint(self) -> None:
        self._require_open()
        self._require_hints()
        self.hints += 1

    def _require_hints(self) -> None:
        if self.options["hints"] == "none":
            raise Refused("hints-not-allowed")

    def solve(self) -> None:
        self._require_open()
        self._require_hints()
        if self.stock:
            raise Refused("cards-hidden", stock=self.stock)
        self.hints += 1

    def _do(self, action: Action) -> None:
        self.done.append(action)
        self.undone.clear()

    def _require_open(self) -> None:
        if self.is_closed:
            raise Refused("game-over", game_status=self.status)

    def _require_undo(self) -> None:
        self._require_open()
        if self.options["undo"] == "none":
            raise Refused("undo-not-allowed")

    def _refuse_if_move_is_compulsory(self) -> None:
        if self.must_move:
            raise Refused("move-compulsory", legal_moves=moves_json(self.moves))

    @staticmethod
    def _count(count: Count, line: list[Action], slug: str) -> int:
        wanted = len(line) if count == "all" else int(count)
        if not 0 < wanted <= len(line):
            raise Refused(slug, available=len(line))
        return wanted

    # The game as responses show it.

    @property
    def view(self) -> dict[str, Any]:
        """The game as a response shows it, without its ids."""
        table, row = self.table, self.row
        end = self.acted if self.ended is None else self.ended
        seconds = 0 if end is None else (end - self.started) // 1000
        may_undo = self.options["undo"] == "unlimited" and not self.is_closed
        return {
            "variant": self.variant,
            "options": self.options,
            "source": self.source,
            "seed": self.shown_seed,
            "daily": self.day,
            "player": self.player,
            "version": self.version,
            "status": self.status,
            "row": row,
            "heights": [len(pile) for pile in table],
            "stock": self.stock,
            "removed": self._removed,
            "goal_card": self.goal,
            "legal_moves": moves_json(self.moves),
            "can_deal": self.can_deal,
            "can_undo": bool(self.done) and may_undo,
            "can_redo": bool(self.undone) and may_undo,
            "moves": len(self.done) - self.done.count(None),
            "hints_used": self.hints,
            "undos_used": self.undos,
            "score": self.score(seconds),
            "rating": self.rating,
            "commitment": self.commitment,
            "started_at": write_time(self.started),
            "ended_at": None if self.ended is None else write_time(self.ended),
            "elapsed_seconds": seconds,
            "last_action": self.last,
            "event": None,
            "reference": None,
        }

    @property
    def can_deal(self) -> bool:
        return self.stock > 0 and not self.must_move and not self.is_closed

    @property
    def _removed(self) -> list[str]:
        if self.variant in reference_rules.STACKING:
            return []
        removed: list[str] = []
        for before, after in pairwise(self.tables):
            left = set(reference_rules.tops(after))
            removed += [
                card for card in reference_rules.tops(before) if card not in left
            ]
        return removed

    @property
    def shows_seed(self) -> bool:
        if not (self.is_secret and self.is_stock):
            return True
        return not self.hides and not self.is_open

    @property
    def shown_seed(self) -> str | None:
        return self.seed if self.shows_seed else None

    def score(self, seconds: int | None) -> int:
        """The score; without the time bonus if there are no seconds."""
        return reference_rules.points(
            dealt=self.dealt,
            left=len(self.row),
            won=self.is_won,
            seconds=10**9 if seconds is None else seconds,
        )

    @property
    def rating(self) -> str | None:
        if self.status == "playing" or self.stock:
            return None
        return reference_rules.rating(self.variant, len(self.row), won=self.is_won)

    @property
    def record(self) -> dict[str, Any]:
        actions = ["deal" if one is None else f"{one[0]}-{one[1]}" for one in self.done]
        deal: dict[str, Any] = {"source": self.source, "seed": self.shown_seed}
        if self.shown_seed is None:
            deal["commitment"] = self.commitment
        if self.source is None:
            deal = {"deck": None if self.hides_cards else self.deck}
            if self.goal is not None:
                deal["goal_card"] = self.goal
        return {
            "format": "accordion-record/1",
            "variant": self.variant,
            "options": self.options,
            **deal,
            "actions": [*actions, "finish"] if self.finished else actions,
        }


def moves_json(moves: list[tuple[int, int]]) -> list[dict[str, int]]:
    """Moves as JSON, by origin and then by target."""
    return [{"from": origin, "to": target} for origin, target in sorted(moves)]


def digest(seed: str) -> str:
    return hashlib.sha256(seed.encode()).hexdigest()
