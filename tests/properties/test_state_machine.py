"""Random play through the whole API agrees with a model of the rules.

Every member of every reply is compared, in every variant and layout, with conditions,
preferences and repeated requests.

Hypothesis chooses the steps and, for each step, a random number generator: Hypothesis
cannot make choices that depend on cards, since the service deals other cards each time.
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
from tests.engine import reference_rules
from tests.properties.choices import (
    NO_HEADERS,
    OTHER_BODIES,
    PINS,
    VARIANTS,
    WriteHeaders,
    choose_move,
    choose_steps,
    complete_options,
    count_body,
    deck_for,
    seed_for,
    spell_differently,
    write_headers,
)
from tests.properties.fixed_clock import FixedClock
from tests.properties.game_model import GameModel, digest, moves_json
from tests.properties.state_machine import SMALL, ComparingMachine, TrackedGame, check

if TYPE_CHECKING:
    from tests.http.client import Api

_MORE = int(os.environ.get("FUZZ_CASES", "0"))
_EXAMPLES, _STEPS = (_MORE // 10, 60) if _MORE else (150, 40)
_FIRST_DAY, _LAST_DAY = date(2000, 1, 1), date(2026, 1, 30)
_START = datetime(2026, 1, 31, 23, tzinfo=UTC)

_SOME_KEY = {"Idempotency-Key": "some"}
_rngs = st.integers(0, 2**32 - 1).map(random.Random)
_counts = st.sampled_from([1, 1, 1, 2, 3, 7, "all", 60])
_variants = st.sampled_from([*VARIANTS])
_options = st.fixed_dictionaries(
    {},
    optional={
        "layout": st.sampled_from(["open", "stock"]),
        "compulsory": st.booleans(),
        "undo": st.sampled_from(["unlimited", "unlimited", "none"]),
        "hints": st.sampled_from(["allowed", "allowed", "none"]),
    },
).filter(lambda o: not (o.get("compulsory") and o.get("layout") == "open"))


class ApiMachine(ComparingMachine):
    # Starting.

    @rule(
        variant=st.sampled_from([*VARIANTS, *["accordions-revenge"] * 3]),
        options=_options,
        rng=_rngs,
        headers=write_headers,
    )
    def start_with_a_deck(
        self,
        variant: str,
        options: dict[str, Any],
        rng: random.Random,
        headers: WriteHeaders,
    ) -> None:
        deck = deck_for(variant, rng)
        model = GameModel(variant, complete_options(variant, options), deck)
        body: dict[str, Any] = {"deck": [spell_differently(card, rng) for card in deck]}
        if variant == "accordions-revenge":
            model.goal = rng.choice(deck[2:])
            body["goal_card"] = spell_differently(model.goal, rng)
        self.begin(model, body | {"options": options}, rng, headers)

    @rule(
        variant=_variants,
        options=_options,
        source=st.sampled_from(["accordion/1", "pysol", "solvitaire"]),
        rng=_rngs,
        headers=write_headers,
    )
    def start_with_a_seed(
        self,
        variant: str,
        options: dict[str, Any],
        source: str,
        rng: random.Random,
        headers: WriteHeaders,
    ) -> None:
        model = GameModel(
            variant, complete_options(variant, options), [], source=source
        )
        model.seed = seed_for(source, rng)
        if model.is_stock:
            model.commitment = digest(model.seed)
        is_number = model.seed.isdecimal() and str(int(model.seed)) == model.seed
        is_number = is_number and int(model.seed) < 2**53
        seed = int(model.seed) if is_number and rng.random() < 0.5 else model.seed
        body = {"seed": seed, "source": source, "options": options}
        self.begin(model, body, rng, headers)

    @rule(variant=_variants, options=_options, rng=_rngs, headers=write_headers)
    def start_at_random(
        self,
        variant: str,
        options: dict[str, Any],
        rng: random.Random,
        headers: WriteHeaders,
    ) -> None:
        model = GameModel(
            variant, complete_options(variant, options), [], source="accordion/1"
        )
        model.is_secret = True
        self.begin(model, {"options": options}, rng, headers)

    @rule(
        variant=_variants | st.sampled_from([*PINS]),
        day=st.none() | st.dates(_FIRST_DAY, _LAST_DAY),
        rng=_rngs,
        headers=write_headers,
    )
    def start_daily(
        self, variant: str, day: date | None, rng: random.Random, headers: WriteHeaders
    ) -> None:
        model = GameModel(
            variant, complete_options(variant, {}), [], source="accordion/1"
        )
        model.is_secret = True
        model.day = self.clock.today if day is None else day.isoformat()
        body = {"daily": True if day is None else day.isoformat()}
        self.begin(model, body, rng, headers)

    # Playing.

    @precondition(lambda self: self.games)
    @rule(rng=_rngs, legal=st.integers(0, 3), headers=write_headers)
    def move(self, rng: random.Random, legal: int, headers: WriteHeaders) -> None:
        game = rng.choice(self.games)
        origin, target = choose_move(game.model, rng, legal=legal > 0)
        body = {"from": origin, "to": target}
        self.write(
            game, "moves", body, headers, lambda model: model.move(origin, target)
        )

    @precondition(lambda self: self.games)
    @rule(rng=_rngs, legal=st.booleans(), headers=write_headers)
    def tap(self, rng: random.Random, headers: WriteHeaders, *, legal: bool) -> None:
        game = rng.choice(self.games)
        origin, _ = choose_move(game.model, rng, legal=legal)
        body = {"from": origin}
        self.write(game, "moves", body, headers, lambda model: model.tap(origin))

    @precondition(lambda self: self.games)
    @rule(rng=_rngs, length=st.integers(1, 6), headers=write_headers)
    def batch(self, rng: random.Random, length: int, headers: WriteHeaders) -> None:
        game = rng.choice(self.games)
        steps = choose_steps(game.model, rng, length)
        body = {"moves": steps}
        self.write(game, "moves", body, headers, lambda model: model.batch(steps))

    @precondition(lambda self: self.games)
    @rule(rng=_rngs, count=_counts, headers=write_headers)
    def deal(self, rng: random.Random, count: int | str, headers: WriteHeaders) -> None:
        game = rng.choice([g for g in self.games if g.model.stock] or self.games)
        body = count_body(count, rng)
        self.write(game, "deal", body, headers, lambda model: model.deal(count))

    @precondition(lambda self: self.games)
    @rule(rng=_rngs, count=_counts, headers=write_headers)
    def undo(self, rng: random.Random, count: int | str, headers: WriteHeaders) -> None:
        body = count_body(count, rng)
        game = rng.choice(self.games)
        self.write(game, "undo", body, headers, lambda model: model.undo(count))

    @precondition(lambda self: self.games)
    @rule(rng=_rngs, count=_counts, headers=write_headers)
    def redo(self, rng: random.Random, count: int | str, headers: WriteHeaders) -> None:
        game = rng.choice([g for g in self.games if g.model.undone] or self.games)
        body = count_body(count, rng)
        self.write(game, "redo", body, headers, lambda model: model.redo(count))

    @precondition(lambda self: self.games)
    @rule(rng=_rngs, skip=st.integers(0, 1), headers=write_headers)
    def finish(self, rng: random.Random, skip: int, headers: WriteHeaders) -> None:
        if skip == 0:
            game = rng.choice(self.games)
            self.write(game, "finish", {}, headers, GameModel.finish)

    @precondition(lambda self: self.games)
    @rule(rng=_rngs)
    def play_to_the_end(self, rng: random.Random) -> None:
        """Continue a game with few cards, usually until it ends."""
        game = self.choose_small_game(rng)
        skill = rng.choice([0.0, 0.2, 1.0])
        for _ in range(rng.choice([3, 20, 20])):
            model = game.model
            if rng.random() < 0.1:
                self.take_hint(game, NO_HEADERS)
            known = rng.random() < skill and self.find_solution(game, NO_HEADERS)
            if rng.random() < 0.1:
                self.undo_and_redo_some(game, rng)
            elif model.moves:
                origin, target = known[0] if known else rng.choice(model.moves)
                body = {"from": origin, "to": target}
                act = partial(GameModel.move, origin=origin, target=target)
                self.write(game, "moves", body, NO_HEADERS, act)
            elif model.can_deal:
                self.write(game, "deal", {}, NO_HEADERS, GameModel.deal)
        if rng.random() < 0.3 and not game.model.is_closed:
            self.clock.time += 1
            self.write(game, "finish", {}, NO_HEADERS, GameModel.finish)

    def undo_and_redo_some(self, game: TrackedGame, rng: random.Random) -> None:
        """Undo some actions one by one, and sometimes redo all of them."""
        for action in rng.choices(["undo", "undo", "redo"], k=4):
            count = 1 if action == "undo" else "all"
            act = partial(getattr(GameModel, action), count=count)
            self.write(game, action, {"count": count}, NO_HEADERS, act)

    @rule(time=st.sampled_from([1, 999, 1000, 64_001, 20 * 60_000, 24 * 60 * 60_000]))
    def wait(self, time: int) -> None:
        self.clock.time += time

    # Hints and solutions: they are legal; the solver's tests check how good they are.

    @precondition(lambda self: self.games)
    @rule(rng=_rngs, headers=write_headers)
    def hint(self, rng: random.Random, headers: WriteHeaders) -> None:
        self.take_hint(rng.choice(self.games), headers)

    def take_hint(self, game: TrackedGame, headers: WriteHeaders) -> None:
        model = game.model
        is_quick = len(model.deck) <= SMALL and not model.stock
        body = {} if is_quick else {"budget_ms": 1}
        advice = self.ask_advice(game, "hint", body, headers, GameModel.hint)
        match advice and advice["action"]:
            case None:
                assert advice is None or model.status == "lost"
            case {"type": "deal"}:
                assert model.can_deal
            case {"type": "move", "from": origin, "to": target}:
                assert (origin, target) in model.moves

    @precondition(lambda self: self.games)
    @rule(rng=_rngs, headers=write_headers)
    def solution(self, rng: random.Random, headers: WriteHeaders) -> None:
        self.find_solution(rng.choice(self.games), headers)

    def find_solution(
        self, game: TrackedGame, headers: WriteHeaders
    ) -> list[tuple[int, int]]:
        """Request a solution; check that it wins in a copy of the model."""
        body = {"budget_ms": 1}
        advice = self.ask_advice(game, "solution", body, headers, GameModel.solve)
        if advice is None:
            return []
        line = [(action["from"], action["to"]) for action in advice["actions"]]
        end = game.model.fork()
        for origin, target in line:
            end.move(origin, target)
        assert end.is_won == (advice["verdict"] == "winnable")
        return line

    # Reading.

    @precondition(lambda self: self.games)
    @rule(rng=_rngs)
    def read(self, rng: random.Random) -> None:
        game = rng.choice(self.games)
        model, path = game.model, game.path
        self.compare(game, self.api.get(path).json)
        self.compare_watched(game, self.api.get(game.watched).json)
        assert self.api.get(f"{path}/legal-moves").json == {
            "version": model.version,
            "legal_moves": moves_json(model.moves),
            "can_deal": model.can_deal,
        }
        own = (path, f"{path}/legal-moves", f"{path}/record")
        for seen in (*own, game.watched, f"{game.watched}/record"):
            tags = [model.etag, f'W/{model.etag}, "x"', "*", '"0"']
            tag = rng.choice(tags)
            reply = self.api.get(seen, {"If-None-Match": tag})
            assert reply.status == (200 if tag == '"0"' else 304)
            assert reply.headers["ETag"] == model.etag

    @precondition(lambda self: self.games)
    @rule(rng=_rngs)
    def replay(self, rng: random.Random) -> None:
        game = rng.choice(self.games)
        model = game.model
        self.compare(game, self.api.get(game.path).json)  # reveals a seed to the model
        record = self.api.get(f"{game.path}/record").json
        assert record == model.record
        watched = self.api.get(f"{game.watched}/record").json
        is_own_seed = model.source is not None and not model.is_secret
        hidden = {"seed": None} if model.hides_cards and is_own_seed else {}
        assert watched == record | hidden
        if "commitment" in record:
            refused = self.api.post("/v1/replays", record)
            assert (refused.status, refused.slug) == (409, "seed-hidden")
        elif record.get("seed") is not None or record.get("deck") is not None:
            assert self.api.post("/v1/replays", record).json == {
                "valid": True,
                "status": model.status,
                "score": model.score(None),
                "rating": model.rating,
                "row": model.row,
            }

    @precondition(lambda self: self.games)
    @rule(rng=_rngs)
    def get_legal_moves_of_the_row(self, rng: random.Random) -> None:
        model = rng.choice(self.games).model
        if model.row:
            body = {"variant": model.variant, "row": model.row}
            moves = self.api.post("/v1/legal-moves", body).json["legal_moves"]
            assert moves == moves_json(
                reference_rules.legal_moves(model.variant, model.row)
            )

    # Deleted games and repeated requests.

    @precondition(lambda self: len(self.games) > 1)
    @rule(rng=_rngs, skip=st.integers(0, 2), headers=write_headers)
    def delete(self, rng: random.Random, skip: int, headers: WriteHeaders) -> None:
        if skip:
            return
        game = rng.choice(self.games)
        model = game.model
        reply = self.api.delete(game.path, headers.condition(model.version))
        if headers.holds:
            assert reply.status == 204
            self.games.remove(game)
            self.deleted.append(game)
        else:
            check(reply, 412, "version-mismatch", {"version": model.version})

    @precondition(lambda self: self.deleted)
    @rule(rng=_rngs)
    def request_a_deleted_game(self, rng: random.Random) -> None:
        deleted = rng.choice(self.deleted)
        for path in (deleted.path, deleted.watched):
            for seen in (path, f"{path}/record"):
                check(self.api.get(seen), 404, "game-not-found", {})
        path = deleted.path
        for action in ("deal", "undo", "redo", "finish", "hint", "solution"):
            reply = self.api.post(f"{path}/{action}", {}, _SOME_KEY)
            check(reply, 404, "game-not-found", {})
        origin, target = rng.choice(deleted.model.moves or [(1, 0)])
        for fields in (_SOME_KEY, {}):
            body = {"from": origin, "to": target}
            reply = self.api.post(f"{path}/moves", body, fields)
            check(reply, 404, "game-not-found", {})
        check(self.api.delete(path), 404, "game-not-found", {})

    @precondition(lambda self: self.sent)
    @rule(rng=_rngs)
    def send_again(self, rng: random.Random) -> None:
        sent = rng.choice(self.sent)
        again = self.api.post(sent.path, sent.body, sent.fields)
        if self.is_deleted(sent):
            check(again, 404, "game-not-found", {})
            return
        assert again.headers["Idempotent-Replayed"] == "true"
        assert (again.status, again.raw) == (sent.reply.status, sent.reply.raw)
        assert again.headers.get("ETag") == sent.reply.headers.get("ETag")

    @precondition(lambda self: self.sent)
    @rule(rng=_rngs)
    def send_another_body_with_a_used_key(self, rng: random.Random) -> None:
        sent = rng.choice(self.sent)
        what = sent.path.rpartition("/")[2]
        if what in OTHER_BODIES:
            reply = self.api.post(sent.path, OTHER_BODIES[what], sent.fields)
            if what != "games" and self.is_deleted(sent):
                check(reply, 404, "game-not-found", {})
            else:
                check(reply, 422, "idempotency-key-reused", {})


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FixedClock:
    """The clock of the service."""
    clock = FixedClock()
    monkeypatch.setattr(app, "now", clock)
    return clock


def test_random_play_agrees_with_the_model(clock: FixedClock, api: Api) -> None:
    class ThisMachine(ApiMachine):
        def __init__(self) -> None:
            clock.time = int(_START.timestamp() * 1000)
            super().__init__(api, clock)

    run_state_machine_as_test(
        ThisMachine,
        settings=settings(
            max_examples=_EXAMPLES,
            stateful_step_count=_STEPS,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
