"""The whole API, driven at random beside a model of the rules.

Every member of every answer is compared, in every variant and layout, with conditions,
preferences and requests sent again.

Hypothesis chooses the steps, and numbers by which all that depends on cards is chosen:
the cards of the service are others each time.
"""

from __future__ import annotations

import os
import random
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    precondition,
    rule,
    run_state_machine_as_test,
)

from service.http import app
from tests.engine import brute
from tests.properties.choices import (
    OTHERS,
    PINS,
    PLAIN,
    VARIANTS,
    Envelope,
    choose_ends,
    choose_steps,
    complete,
    deck_for,
    envelopes,
    respell,
    seed_for,
    write_count,
)
from tests.properties.fixed_clock import Clock
from tests.properties.game_model import Model, digest, told
from tests.properties.state_machine import SMALL, Comparing, Playing, check

if TYPE_CHECKING:
    from tests.http.client import Api

_MORE = int(os.environ.get("FUZZ_CASES", "0"))
_EXAMPLES, _STEPS = (_MORE // 10, 60) if _MORE else (150, 40)
_FIRST_DAY, _LAST_DAY = date(2000, 1, 1), date(2026, 1, 30)
_BEGUN = datetime(2026, 1, 31, 23, tzinfo=UTC)

_SOME_KEY = {"Idempotency-Key": "some"}
_chances = st.integers(0, 2**32 - 1).map(random.Random)
_counts = st.sampled_from([1, 1, 1, 2, 3, 7, "all", 60])
_variants = st.sampled_from([*VARIANTS])
_options = st.fixed_dictionaries(
    {},
    optional={
        "layout": st.sampled_from(["open", "stock"]),
        "compulsory": st.booleans(),
        "undo": st.sampled_from(["unlimited", "unlimited", "none"]),
    },
)


class Machine(Comparing):
    # Starting.

    @rule(
        variant=st.sampled_from([*VARIANTS, *["accordions-revenge"] * 3]),
        options=_options,
        chance=_chances,
        by=envelopes,
    )
    def start_with_a_deck(
        self,
        variant: str,
        options: dict[str, Any],
        chance: random.Random,
        by: Envelope,
    ) -> None:
        deck = deck_for(variant, chance)
        model = Model(variant, complete(variant, options), deck)
        wish: dict[str, Any] = {"deck": [respell(card, chance) for card in deck]}
        if variant == "accordions-revenge":
            model.goal = chance.choice(deck[2:])
            wish["goal_card"] = respell(model.goal, chance)
        self.begin(model, wish | {"options": options}, chance, by)

    @rule(
        variant=_variants,
        options=_options,
        source=st.sampled_from(["accordion/1", "pysol", "solvitaire"]),
        chance=_chances,
        by=envelopes,
    )
    def start_with_a_seed(
        self,
        variant: str,
        options: dict[str, Any],
        source: str,
        chance: random.Random,
        by: Envelope,
    ) -> None:
        model = Model(variant, complete(variant, options), [], source=source)
        model.seed = seed_for(source, chance)
        if model.is_stock:
            model.commitment = digest(model.seed)
        is_number = model.seed.isdecimal() and str(int(model.seed)) == model.seed
        seed = int(model.seed) if is_number and chance.random() < 0.5 else model.seed
        wish = {"seed": seed, "source": source, "options": options}
        self.begin(model, wish, chance, by)

    @rule(variant=_variants, options=_options, chance=_chances, by=envelopes)
    def start_at_random(
        self,
        variant: str,
        options: dict[str, Any],
        chance: random.Random,
        by: Envelope,
    ) -> None:
        model = Model(variant, complete(variant, options), [], source="accordion/1")
        model.is_secret = True
        self.begin(model, {"options": options}, chance, by)

    @rule(
        variant=_variants | st.sampled_from([*PINS]),
        day=st.none() | st.dates(_FIRST_DAY, _LAST_DAY),
        chance=_chances,
        by=envelopes,
    )
    def start_daily(
        self, variant: str, day: date | None, chance: random.Random, by: Envelope
    ) -> None:
        model = Model(variant, complete(variant, {}), [], source="accordion/1")
        model.is_secret = True
        model.day = self.clock.today if day is None else day.isoformat()
        wish = {"daily": True if day is None else day.isoformat()}
        self.begin(model, wish, chance, by)

    # Playing.

    @precondition(lambda self: self.games)
    @rule(chance=_chances, legal=st.integers(0, 3), by=envelopes)
    def move(self, chance: random.Random, legal: int, by: Envelope) -> None:
        playing = chance.choice(self.games)
        origin, target = choose_ends(playing.model, chance, legal=legal > 0)
        body = {"from": origin, "to": target}
        self.write(playing, "moves", body, by, lambda model: model.move(origin, target))

    @precondition(lambda self: self.games)
    @rule(chance=_chances, legal=st.booleans(), by=envelopes)
    def tap(self, chance: random.Random, by: Envelope, *, legal: bool) -> None:
        playing = chance.choice(self.games)
        origin, _ = choose_ends(playing.model, chance, legal=legal)
        body = {"from": origin}
        self.write(playing, "moves", body, by, lambda model: model.tap(origin))

    @precondition(lambda self: self.games)
    @rule(chance=_chances, length=st.integers(1, 6), by=envelopes)
    def batch(self, chance: random.Random, length: int, by: Envelope) -> None:
        playing = chance.choice(self.games)
        steps = choose_steps(playing.model, chance, length)
        body = {"moves": steps}
        self.write(playing, "moves", body, by, lambda model: model.batch(steps))

    @precondition(lambda self: self.games)
    @rule(chance=_chances, count=_counts, by=envelopes)
    def deal(self, chance: random.Random, count: int | str, by: Envelope) -> None:
        playing = chance.choice([g for g in self.games if g.model.stock] or self.games)
        body = write_count(count, chance)
        self.write(playing, "deal", body, by, lambda model: model.deal(count))

    @precondition(lambda self: self.games)
    @rule(chance=_chances, count=_counts, by=envelopes)
    def undo(self, chance: random.Random, count: int | str, by: Envelope) -> None:
        body = write_count(count, chance)
        playing = chance.choice(self.games)
        self.write(playing, "undo", body, by, lambda model: model.undo(count))

    @precondition(lambda self: self.games)
    @rule(chance=_chances, count=_counts, by=envelopes)
    def redo(self, chance: random.Random, count: int | str, by: Envelope) -> None:
        playing = chance.choice([g for g in self.games if g.model.undone] or self.games)
        body = write_count(count, chance)
        self.write(playing, "redo", body, by, lambda model: model.redo(count))

    @precondition(lambda self: self.games)
    @rule(chance=_chances, really=st.integers(0, 1), by=envelopes)
    def finish(self, chance: random.Random, really: int, by: Envelope) -> None:
        if really == 0:
            playing = chance.choice(self.games)
            self.write(playing, "finish", {}, by, Model.finish)

    @precondition(lambda self: self.games)
    @rule(chance=_chances)
    def play_to_the_end(self, chance: random.Random) -> None:
        """Play one of the small games on, mostly until nothing can be done in it."""
        playing = self.choose_small(chance)
        skill = chance.choice([0.0, 0.2, 1.0])
        for _ in range(chance.choice([3, 20, 20])):
            model = playing.model
            if chance.random() < 0.1:
                self.take_hint(playing, PLAIN)
            known = chance.random() < skill and self.find_solution(playing, PLAIN)
            if chance.random() < 0.1:
                self.go_back(playing, chance)
            elif model.moves:
                origin, target = known[0] if known else chance.choice(model.moves)
                body = {"from": origin, "to": target}
                act = partial(Model.move, origin=origin, target=target)
                self.write(playing, "moves", body, PLAIN, act)
            elif model.can_deal:
                self.write(playing, "deal", {}, PLAIN, Model.deal)
        if chance.random() < 0.3 and not playing.model.is_closed:
            self.clock.time += 1
            self.write(playing, "finish", {}, PLAIN, Model.finish)

    def go_back(self, playing: Playing, chance: random.Random) -> None:
        """Take actions back one by one, and make all of them again or not."""
        for action in chance.choices(["undo", "undo", "redo"], k=4):
            count = 1 if action == "undo" else "all"
            act = partial(getattr(Model, action), count=count)
            self.write(playing, action, {"count": count}, PLAIN, act)

    @rule(time=st.sampled_from([1, 999, 1000, 64_001, 20 * 60_000, 24 * 60 * 60_000]))
    def wait(self, time: int) -> None:
        self.clock.time += time

    # Advice: it can be taken; the solver's own tests judge how good it is.

    @precondition(lambda self: self.games)
    @rule(chance=_chances, by=envelopes)
    def hint(self, chance: random.Random, by: Envelope) -> None:
        self.take_hint(chance.choice(self.games), by)

    def take_hint(self, playing: Playing, by: Envelope) -> None:
        model = playing.model
        is_quick = len(model.deck) <= SMALL and not model.stock
        body = {} if is_quick else {"budget_ms": 1}
        advice = self.ask_advice(playing, "hint", body, by, Model.hint)
        match advice and advice["action"]:
            case None:
                assert advice is None or model.status == "lost"
            case {"type": "deal"}:
                assert model.can_deal
            case {"type": "move", "from": origin, "to": target}:
                assert (origin, target) in model.moves

    @precondition(lambda self: self.games)
    @rule(chance=_chances, by=envelopes)
    def solution(self, chance: random.Random, by: Envelope) -> None:
        self.find_solution(chance.choice(self.games), by)

    def find_solution(self, playing: Playing, by: Envelope) -> list[tuple[int, int]]:
        """Ask for a line to the win; if there is one, it is played in a copy."""
        body = {"budget_ms": 1}
        advice = self.ask_advice(playing, "solution", body, by, Model.solve)
        if advice is None:
            return []
        line = [(action["from"], action["to"]) for action in advice["actions"]]
        end = playing.model.fork()
        for origin, target in line:
            end.move(origin, target)
        assert end.is_won == (advice["verdict"] == "winnable")
        return line

    # Looking.

    @precondition(lambda self: self.games)
    @rule(chance=_chances)
    def look(self, chance: random.Random) -> None:
        playing = chance.choice(self.games)
        model, path = playing.model, playing.path
        self.compare(playing, self.api.get(path).json)
        self.compare_watched(playing, self.api.get(playing.watched).json)
        assert self.api.get(f"{path}/legal-moves").json == {
            "version": model.version,
            "legal_moves": told(model.moves),
            "can_deal": model.can_deal,
        }
        own = (path, f"{path}/legal-moves", f"{path}/record")
        for seen in (*own, playing.watched, f"{playing.watched}/record"):
            tags = [f'"{model.version}"', f'W/"{model.version}", "x"', "*", '"0"']
            tag = chance.choice(tags)
            reply = self.api.get(seen, {"If-None-Match": tag})
            assert reply.status == (200 if tag == '"0"' else 304)
            assert reply.headers["ETag"] == f'"{model.version}"'

    @precondition(lambda self: self.games)
    @rule(chance=_chances)
    def replay(self, chance: random.Random) -> None:
        playing = chance.choice(self.games)
        model = playing.model
        record = self.api.get(f"{playing.path}/record").json
        assert record == model.record
        watched = self.api.get(f"{playing.watched}/record").json
        is_own_seed = model.source is not None and not model.is_secret
        hidden = {"seed": None} if model.hides and is_own_seed else {}
        assert watched == record | hidden
        if record.get("seed") is not None or record.get("deck") is not None:
            assert self.api.post("/v1/replays", record).json == {
                "valid": True,
                "status": model.status,
                "score": model.score(None),
                "rating": model.rating,
                "row": model.row,
            }

    @precondition(lambda self: self.games)
    @rule(chance=_chances)
    def ask_about_the_row(self, chance: random.Random) -> None:
        model = chance.choice(self.games).model
        if model.row:
            wish = {"variant": model.variant, "row": model.row}
            moves = self.api.post("/v1/legal-moves", wish).json["legal_moves"]
            assert moves == told(brute.legal_moves(model.variant, model.row))

    # Going on after it is over, and sending again.

    @precondition(lambda self: len(self.games) > 1)
    @rule(chance=_chances, really=st.integers(0, 2), by=envelopes)
    def delete(self, chance: random.Random, really: int, by: Envelope) -> None:
        if really:
            return
        playing = chance.choice(self.games)
        model = playing.model
        reply = self.api.delete(playing.path, by.condition(model.version))
        if by.holds:
            assert reply.status == 204
            self.games.remove(playing)
            self.gone.append(playing)
        else:
            check(reply, 412, "version-mismatch", {"version": model.version})

    @precondition(lambda self: self.gone)
    @rule(chance=_chances)
    def look_for_what_is_gone(self, chance: random.Random) -> None:
        gone = chance.choice(self.gone)
        for path in (gone.path, gone.watched):
            for seen in (path, f"{path}/record"):
                check(self.api.get(seen), 404, "game-not-found", {})
        path = gone.path
        for action in ("deal", "undo", "redo", "finish", "hint", "solution"):
            reply = self.api.post(f"{path}/{action}", {}, _SOME_KEY)
            check(reply, 404, "game-not-found", {})
        origin, target = chance.choice(gone.model.moves or [(1, 0)])
        for fields in (_SOME_KEY, {}):
            body = {"from": origin, "to": target}
            reply = self.api.post(f"{path}/moves", body, fields)
            check(reply, 404, "game-not-found", {})
        check(self.api.delete(path), 404, "game-not-found", {})

    @precondition(lambda self: self.sent)
    @rule(chance=_chances)
    def send_again(self, chance: random.Random) -> None:
        sent = chance.choice(self.sent)
        again = self.api.post(sent.path, sent.body, sent.fields)
        assert again.headers["Idempotent-Replayed"] == "true"
        assert (again.status, again.raw) == (sent.reply.status, sent.reply.raw)
        assert again.headers.get("ETag") == sent.reply.headers.get("ETag")

    @precondition(lambda self: self.sent)
    @rule(chance=_chances)
    def send_another_with_its_key(self, chance: random.Random) -> None:
        sent = chance.choice(self.sent)
        what = sent.path.rpartition("/")[2]
        if what in OTHERS:
            reply = self.api.post(sent.path, OTHERS[what], sent.fields)
            check(reply, 422, "idempotency-key-reused", {})


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the service."""
    clock = Clock()
    monkeypatch.setattr(app, "now", clock)
    return clock


def test_any_game_in_any_way(clock: Clock, api: Api) -> None:
    class Ours(Machine):
        def __init__(self) -> None:
            clock.time = int(_BEGUN.timestamp() * 1000)
            super().__init__(api, clock)

    run_state_machine_as_test(
        Ours,
        settings=settings(
            max_examples=_EXAMPLES,
            stateful_step_count=_STEPS,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
