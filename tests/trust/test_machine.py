"""The whole API, driven at random beside a model of the rules.

Every member of every answer is compared, in every variant and layout, with conditions,
preferences and requests sent again.

Hypothesis chooses the steps, and numbers by which all that depends on cards is chosen:
the cards of the service are others each time.
"""

from __future__ import annotations

import os
import random
import re
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.engine import brute
from tests.trust.model import UNKNOWN, Model, Refused, digest, told
from tests.trust.wishes import (
    SIZES,
    VARIANTS,
    Envelope,
    complete,
    deck_for,
    envelopes,
    pinned,
    respell,
    seed_for,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.api.client import Api, Reply

    Act: TypeAlias = Callable[[Model], None]

_MORE = int(os.environ.get("RUBBISH_CASES", "0"))
_EXAMPLES, _STEPS = (_MORE // 10, 60) if _MORE else (60, 40)
_FIRST_DAY, _LAST_DAY = date(2000, 1, 1), date(2026, 1, 1)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_RFC_9457 = {"type", "title", "status", "detail", "instance"}
_CARDS = {rank + suit for suit in "CDHS" for rank in "A23456789TJQK"}

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


class _Sent(NamedTuple):
    """A request that can be sent again, with its answer."""

    path: str
    body: object
    fields: dict[str, str]
    reply: Reply


class _Playing:
    """A game: its model, and how it was told last."""

    def __init__(self, model: Model, state: dict[str, Any]) -> None:
        self.model = model
        self.state = state

    @property
    def path(self) -> str:
        return f"/v1/games/{self.state['id']}"

    @property
    def watched(self) -> str:
        return f"/v1/watch/{self.state['watch_id']}"


class Machine(RuleBasedStateMachine):
    def __init__(self, api: Api) -> None:
        super().__init__()
        self.api = api
        self.games: list[_Playing] = []
        self.gone: list[str] = []
        self.sent: list[_Sent] = []

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
        self._begin(model, wish | {"options": options}, chance, by)

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
        self._begin(model, wish, chance, by)

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
        self._begin(model, {"options": options}, chance, by)

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
        self._begin(model, wish, chance, by)

    def _begin(
        self, model: Model, wish: dict[str, Any], chance: random.Random, by: Envelope
    ) -> None:
        wish["variant"] = chance.choice([model.variant, *VARIANTS[model.variant]])
        model.player = chance.choice([None, "Ada", "Zoë 🂡"])
        if model.player is not None:
            wish["player"] = model.player
        reply = self._send("/v1/games", wish, by.fields(None))
        path = reply.headers["Location"]
        assert reply.headers["ETag"] == '"1"'
        state = self._told(reply, 201, path)
        assert path == f"/v1/games/{state['id']}"
        if not model.deck:
            self._take_deal(model, state)
        self.games.append(_Playing(model, state))
        self._compare(self.games[-1], state)

    def _take_deal(self, model: Model, state: dict[str, Any]) -> None:
        """Take over what the service alone can know: the cards of a seed."""
        size = SIZES.get(model.variant, 52)
        model.goal = state["goal_card"]
        if model.is_secret and model.is_stock:
            model.deck = [*state["row"], *[UNKNOWN] * (size - 1)]
            model.commitment = state["commitment"]
        else:
            model.seed = state["seed"] if model.seed is None else model.seed
            model.deck = self._look_up(model)
        assert len(model.deck) == size
        assert pinned(model.variant, model.deck)
        if model.variant == "accordions-revenge":
            assert model.goal in _CARDS - {*model.deck[:2]}

    def _look_up(self, model: Model) -> list[str]:
        wish = {"seed": model.seed, "source": model.source, "variant": model.variant}
        deal = self.api.post("/v1/deals", wish).json
        assert deal["goal_card"] == model.goal
        assert len({*deal["cards"]}) == len(deal["cards"])
        cards: list[str] = deal["cards"]
        return cards

    # Playing.

    @precondition(lambda self: self.games)
    @rule(chance=_chances, legal=st.integers(0, 3), by=envelopes)
    def move(self, chance: random.Random, legal: int, by: Envelope) -> None:
        playing = chance.choice(self.games)
        origin, target = _choose_ends(playing.model, chance, legal=legal > 0)
        body = {"from": origin, "to": target}
        self._write(
            playing, "moves", body, by, lambda model: model.move(origin, target)
        )

    @precondition(lambda self: self.games)
    @rule(chance=_chances, legal=st.booleans(), by=envelopes)
    def tap(self, chance: random.Random, by: Envelope, *, legal: bool) -> None:
        playing = chance.choice(self.games)
        origin, _ = _choose_ends(playing.model, chance, legal=legal)
        body = {"from": origin}
        self._write(playing, "moves", body, by, lambda model: model.tap(origin))

    @precondition(lambda self: self.games)
    @rule(chance=_chances, length=st.integers(1, 6), by=envelopes)
    def batch(self, chance: random.Random, length: int, by: Envelope) -> None:
        playing = chance.choice(self.games)
        steps = _choose_steps(playing.model.fork(), chance, length)
        body = {"moves": steps}
        self._write(playing, "moves", body, by, lambda model: model.batch(steps))

    @precondition(lambda self: self.games)
    @rule(chance=_chances, count=_counts, by=envelopes)
    def deal(self, chance: random.Random, count: int | str, by: Envelope) -> None:
        playing = chance.choice([g for g in self.games if g.model.stock] or self.games)
        body = _write_count(count, chance)
        self._write(playing, "deal", body, by, lambda model: model.deal(count))

    @precondition(lambda self: self.games)
    @rule(chance=_chances, count=_counts, by=envelopes)
    def undo(self, chance: random.Random, count: int | str, by: Envelope) -> None:
        body = _write_count(count, chance)
        playing = chance.choice(self.games)
        self._write(playing, "undo", body, by, lambda model: model.undo(count))

    @precondition(lambda self: self.games)
    @rule(chance=_chances, count=_counts, by=envelopes)
    def redo(self, chance: random.Random, count: int | str, by: Envelope) -> None:
        playing = chance.choice([g for g in self.games if g.model.undone] or self.games)
        body = _write_count(count, chance)
        self._write(playing, "redo", body, by, lambda model: model.redo(count))

    @precondition(lambda self: self.games)
    @rule(chance=_chances, really=st.integers(0, 3), by=envelopes)
    def finish(self, chance: random.Random, really: int, by: Envelope) -> None:
        if really == 0:
            playing = chance.choice(self.games)
            self._write(playing, "finish", {}, by, Model.finish)

    @precondition(lambda self: self.games)
    @rule(chance=_chances, by=envelopes)
    def hint(self, chance: random.Random, by: Envelope) -> None:
        """What is hinted at can be done; the solver's own tests judge the verdict."""
        model = (playing := chance.choice(self.games)).model
        path = f"{playing.path}/hint"
        reply = self._send(
            path, {"budget_ms": 1}, by.fields(model.version) | by.no_wish
        )
        if not by.holds:
            _check(reply, 412, "version-mismatch", {"version": model.version})
        elif model.is_closed:
            members = {"game_status": model.status, "version": model.version}
            _check(reply, 409, "game-over", members)
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

    def _write(
        self, playing: _Playing, action: str, body: object, by: Envelope, act: Act
    ) -> None:
        """Send a write, and do the same to the model."""
        model = playing.model
        reply = self._send(f"{playing.path}/{action}", body, by.fields(model.version))
        if not by.holds:
            _check(reply, 412, "version-mismatch", {"version": model.version})
        elif reply.status >= 400:
            _check_refused(model, act, reply)
        else:
            state = self._told(reply, 200, playing.path)
            model.learn(state)
            act(model)
            model.version += 1
            playing.state = state
            self._compare(playing, state)
            assert reply.headers["ETag"] == f'"{model.version}"'

    # Looking.

    @precondition(lambda self: self.games)
    @rule(chance=_chances)
    def look(self, chance: random.Random) -> None:
        playing = chance.choice(self.games)
        model, path = playing.model, playing.path
        self._compare(playing, self.api.get(path).json)
        self._compare_watched(playing, self.api.get(playing.watched).json)
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
            _check(reply, 412, "version-mismatch", {"version": model.version})

    @precondition(lambda self: self.gone)
    @rule(chance=_chances)
    def look_for_what_is_gone(self, chance: random.Random) -> None:
        path = chance.choice(self.gone)
        for reply in (self.api.get(path), self.api.get(f"{path}/record")):
            _check(reply, 404, "game-not-found", {})
        if "/games/" in path:
            for action in ("deal", "undo", "redo", "finish", "hint"):
                reply = self.api.post(f"{path}/{action}", {})
                _check(reply, 404, "game-not-found", {})
            reply = self.api.post(f"{path}/moves", {"from": 1, "to": 0})
            _check(reply, 404, "game-not-found", {})
            _check(self.api.delete(path), 404, "game-not-found", {})

    @precondition(lambda self: self.sent)
    @rule(chance=_chances)
    def send_again(self, chance: random.Random) -> None:
        sent = chance.choice(self.sent)
        again = self.api.post(sent.path, sent.body, sent.fields)
        assert again.headers["Idempotent-Replayed"] == "true"
        assert (again.status, again.raw) == (sent.reply.status, sent.reply.raw)
        assert again.headers.get("ETag") == sent.reply.headers.get("ETag")

    # What all these share.

    def _send(self, path: str, body: object, fields: dict[str, str]) -> Reply:
        reply = self.api.post(path, body, fields)
        assert "Idempotent-Replayed" not in reply.headers
        if "Idempotency-Key" in fields:
            self.sent.append(_Sent(path, body, fields, reply))
        return reply

    def _told(self, reply: Reply, status: int, path: str) -> Any:  # noqa: ANN401
        """The game as an answer tells it, or as it is told when one asks."""
        if reply.status == 204:
            assert reply.headers["Preference-Applied"] == "return=minimal"
            return self.api.get(path).json
        assert reply.status == status, reply.raw
        return reply.json

    def _compare(self, playing: _Playing, state: dict[str, Any]) -> None:
        """Compare every member with the model's."""
        model = playing.model
        if model.seed is None and state["seed"] is not None:
            self._reveal(model, state["seed"])
        seconds = state["elapsed_seconds"]
        ids = {name: playing.state[name] for name in ("id", "watch_id", "started_at")}
        expected = model.view(seconds) | ids
        for name, value in expected.items():
            assert state[name] == value, (name, state[name], value)
        assert state.keys() - expected.keys() == {"ended_at", "elapsed_seconds"}
        assert (state["ended_at"] is None) == (model.status == "playing")
        assert isinstance(seconds, int)
        assert seconds >= 0
        for time in (state["started_at"], state["ended_at"]):
            assert time is None or _TIME.fullmatch(time)

    def _compare_watched(self, playing: _Playing, state: dict[str, Any]) -> None:
        model = playing.model
        assert state["id"] is None
        shown = state | {"id": playing.state["id"]}
        if model.hides and not model.is_secret:
            assert (state["seed"], state["commitment"]) == (None, None)
            shown |= {"seed": model.seed, "commitment": model.commitment}
        self._compare(playing, shown)

    def _reveal(self, model: Model, seed: str) -> None:
        """Check the seed that was hidden, and the cards that it must give."""
        assert model.commitment == digest(seed)
        model.seed = seed
        cards = self._look_up(model)
        seen = [card for card in model.deck if card != UNKNOWN]
        assert cards[: len(seen)] == seen
        model.deck = cards


def _choose_ends(
    model: Model, chance: random.Random, *, legal: bool
) -> tuple[int, int]:
    """Choose the ends of a move: of a legal one, if that is wished and there is one."""
    if legal and model.moves:
        return chance.choice(model.moves)
    piles = len(model.table)
    return chance.randint(-1, piles + 1), chance.randint(-1, piles + 1)


def _choose_steps(
    model: Model, chance: random.Random, length: int
) -> list[dict[str, Any]]:
    """Choose steps that can be made, mostly; the last may be one that cannot."""
    steps: list[dict[str, Any]] = []
    for _ in range(length):
        if chance.random() < 0.3:
            steps.append({"deal": chance.choice([1, 1, 2, 3, "all"])})
        else:
            legal = UNKNOWN not in model.row and chance.random() < 0.9
            origin, target = _choose_ends(model, chance, legal=legal)
            steps.append({"from": origin, "to": target})
        try:
            model.batch(steps[-1:])
        except Refused:
            break
    return steps


def _write_count(count: int | str, chance: random.Random) -> dict[str, Any]:
    return {} if count == 1 and chance.random() < 0.5 else {"count": count}


def _check_refused(model: Model, act: Act, reply: Reply) -> None:
    try:
        act(model.fork())
    except Refused as refusal:
        members = refusal.members | {"version": model.version}
        _check(reply, 409, refusal.slug, members)
    else:
        raise AssertionError(f"refused without a reason: {reply.raw!r}")


def _check(reply: Reply, status: int, slug: str, members: dict[str, Any]) -> None:
    """Check a problem and all of its own members."""
    assert (reply.status, reply.slug) == (status, slug), reply.raw
    own = {name: reply.json[name] for name in reply.json.keys() - _RFC_9457}
    assert own == members


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
