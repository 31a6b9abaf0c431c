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

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.engine import brute
from tests.trust.comparing import Comparing, check
from tests.trust.model import Model, digest, told
from tests.trust.wishes import (
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

if TYPE_CHECKING:
    from tests.api.client import Api

_MORE = int(os.environ.get("RUBBISH_CASES", "0"))
_EXAMPLES, _STEPS = (_MORE // 10, 60) if _MORE else (100, 40)
_FIRST_DAY, _LAST_DAY = date(2000, 1, 1), date(2026, 1, 1)

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

    @rule(variant=_variants, options=_options, chance=_chances, by=envelopes)
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
        variant=_variants,
        day=st.none() | st.dates(_FIRST_DAY, _LAST_DAY),
        chance=_chances,
        by=envelopes,
    )
    def start_daily(
        self, variant: str, day: date | None, chance: random.Random, by: Envelope
    ) -> None:
        model = Model(variant, complete(variant, {}), [], source="accordion/1")
        model.is_secret, model.today = True, datetime.now(UTC).date().isoformat()
        model.day = model.today if day is None else day.isoformat()
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
        steps = choose_steps(playing.model.fork(), chance, length)
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
        """Play one of the small games on, until nothing can be done in it."""
        small = [game for game in self.games if len(game.model.deck) <= 12]
        playing = chance.choice(small or self.games)
        for _ in range(20):
            model = playing.model
            if model.moves:
                origin, target = chance.choice(model.moves)
                body = {"from": origin, "to": target}
                act = partial(Model.move, origin=origin, target=target)
                self.write(playing, "moves", body, PLAIN, act)
            elif model.can_deal:
                self.write(playing, "deal", {}, PLAIN, Model.deal)

    @precondition(lambda self: self.games)
    @rule(chance=_chances, by=envelopes)
    def hint(self, chance: random.Random, by: Envelope) -> None:
        """What is hinted at can be done; the solver's own tests judge the verdict."""
        model = (playing := chance.choice(self.games)).model
        path = f"{playing.path}/hint"
        reply = self.send(path, {"budget_ms": 1}, by.fields(model.version) | by.no_wish)
        if not by.holds:
            check(reply, 412, "version-mismatch", {"version": model.version})
        elif model.is_closed:
            members = {"game_status": model.status, "version": model.version}
            check(reply, 409, "game-over", members)
        else:
            model.version += 1
            model.hints += 1
            assert reply.json["version"] == model.version
            match reply.json["action"]:
                case None:
                    assert model.status == "lost"
                case {"type": "deal"}:
                    assert model.can_deal
                case {"type": "move", "from": origin, "to": target}:
                    assert (origin, target) in model.moves

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
        for seen in (path, f"{path}/legal-moves", f"{path}/record", playing.watched):
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
            self.gone += [playing.path, playing.watched]
        else:
            check(reply, 412, "version-mismatch", {"version": model.version})

    @precondition(lambda self: self.gone)
    @rule(chance=_chances)
    def look_for_what_is_gone(self, chance: random.Random) -> None:
        path = chance.choice(self.gone)
        for reply in (self.api.get(path), self.api.get(f"{path}/record")):
            check(reply, 404, "game-not-found", {})
        if "/games/" in path:
            for action in ("deal", "undo", "redo", "finish", "hint"):
                reply = self.api.post(f"{path}/{action}", {})
                check(reply, 404, "game-not-found", {})
            reply = self.api.post(f"{path}/moves", {"from": 1, "to": 0})
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


def test_any_game_in_any_way(api: Api) -> None:
    class Ours(Machine):
        def __init__(self) -> None:
            super().__init__(api)

    run_state_machine_as_test(
        Ours,
        settings=settings(
            max_examples=_EXAMPLES,
            stateful_step_count=_STEPS,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
