"""The base of the state machine: it sends requests and compares games with models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import urlencode
from uuid import uuid4

from hypothesis.stateful import RuleBasedStateMachine

from tests.properties.choices import SIZES, VARIANTS, has_pinned_cards
from tests.properties.game_model import UNKNOWN, GameModel, Refused, digest

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.http.client import Api, Reply
    from tests.properties.choices import WriteHeaders
    from tests.properties.fixed_clock import FixedClock

    Act: TypeAlias = Callable[[GameModel], None]

_RFC_9457 = {"type", "title", "status", "detail", "instance"}
SMALL = 12
"""The most cards of a game that counts as small."""
_CARDS = {rank + suit for suit in "CDHS" for rank in "A23456789TJQK"}


class Sent(NamedTuple):
    """A request with an idempotency key, and its reply."""

    path: str
    body: object
    fields: dict[str, str]
    reply: Reply


class TrackedGame:
    """A game: its model, and its state in the last reply."""

    def __init__(self, model: GameModel, state: dict[str, Any]) -> None:
        self.model = model
        self.state = state

    @property
    def path(self) -> str:
        return f"/v1/games/{self.state['id']}"

    @property
    def watched(self) -> str:
        return f"/v1/watch/{self.state['watch_id']}"


class ComparingMachine(RuleBasedStateMachine):
    """Games and their models.

    Attributes:
        deleted: The games that were deleted.
        sent: The requests with an idempotency key.
    """

    def __init__(self, api: Api, clock: FixedClock) -> None:
        super().__init__()
        self.api = api
        self.clock = clock
        self.games: list[TrackedGame] = []
        self.deleted: list[TrackedGame] = []
        self.sent: list[Sent] = []

    def choose_small_game(self, rng: random.Random) -> TrackedGame:
        """Choose a game with few cards, which ends soon, if there is one."""
        small = [game for game in self.games if len(game.model.deck) <= SMALL]
        return rng.choice(small or self.games)

    def begin(
        self,
        model: GameModel,
        body: dict[str, Any],
        rng: random.Random,
        headers: WriteHeaders,
    ) -> None:
        body["variant"] = rng.choice([model.variant, *VARIANTS[model.variant]])
        model.player = rng.choice([None, "Ada", "zoë 🂡"])
        if model.player is not None:
            body["player"] = model.player
        reply = self.send("/v1/games", body, headers)
        path = reply.headers["Location"]
        assert reply.headers["ETag"] == '"1.1"'
        state = self._game_after(reply, headers, 201, path)
        assert path == f"/v1/games/{state['id']}"
        if not model.deck:
            self._take_deal(model, state)
        model.start(self.clock)
        self.games.append(TrackedGame(model, state))
        self.compare(self.games[-1], state)

    def _take_deal(self, model: GameModel, state: dict[str, Any]) -> None:
        """Copy the cards of a seed into the model; only the service knows them."""
        size = SIZES.get(model.variant, 52)
        model.goal = state["goal_card"]
        if model.is_secret and model.is_stock:
            model.deck = [*state["row"], *[UNKNOWN] * (size - 1)]
            model.commitment = state["commitment"]
        else:
            model.seed = state["seed"] if model.seed is None else model.seed
            model.deck = self._look_up(model)
        assert len(model.deck) == size
        assert has_pinned_cards(model.variant, model.deck)
        if model.variant == "accordions-revenge":
            assert model.goal in _CARDS - {*model.deck[:2]}

    def _look_up(self, model: GameModel) -> list[str]:
        body = {"seed": model.seed, "source": model.source, "variant": model.variant}
        deal = self.api.post("/v1/deals", body).json
        assert deal == self.api.get(f"/v1/deals?{urlencode(body)}").json
        assert deal["goal_card"] == model.goal
        assert len({*deal["cards"]}) == len(deal["cards"])
        cards: list[str] = deal["cards"]
        return cards

    def write(
        self,
        game: TrackedGame,
        action: str,
        body: object,
        headers: WriteHeaders,
        act: Act,
    ) -> None:
        """Send a write, and apply it to the model."""
        model = game.model
        reply = self.send(f"{game.path}/{action}", body, headers, model.version)
        if check_refused(model, act, headers, reply):
            return
        state = self._game_after(reply, headers, 200, game.path)
        model.learn(state)
        before = model.fork()
        act(model)
        model.written(last_action(before, model, action, body))
        game.state = state
        self.compare(game, state)
        assert reply.headers["ETag"] == model.etag

    def ask_advice(
        self,
        game: TrackedGame,
        what: str,
        body: object,
        headers: WriteHeaders,
        act: Act,
    ) -> Any:  # noqa: ANN401
        """Request a hint or solution; return None if it is refused."""
        model = game.model
        reply = self.send(f"{game.path}/{what}", body, headers, model.version)
        if check_refused(model, act, headers, reply):
            return None
        act(model)
        assert reply.status == 200, reply.raw
        assert reply.json["version"] == model.version
        assert reply.json["hints_used"] == model.hints
        assert reply.headers["ETag"] == model.etag
        return reply.json

    def send(
        self, path: str, body: object, headers: WriteHeaders, version: int = 0
    ) -> Reply:
        fields = headers.build(version, self._new_key(path))
        reply = self.api.post(path, body, fields)
        assert "Idempotent-Replayed" not in reply.headers
        if headers.has_key and reply.status != 412:  # a 412 is not stored
            self.sent.append(Sent(path, body, fields, reply))
        return reply

    def is_deleted(self, sent: Sent) -> bool:
        """Whether a request was about a game that has been deleted since."""
        path = sent.reply.headers.get("Location", sent.path)
        return any(path.startswith(deleted.path) for deleted in self.deleted)

    def _new_key(self, path: str) -> str:
        """Choose a key that is new to this game; other games may have used it."""
        if path == "/v1/games":
            return str(uuid4())
        game = path.rpartition("/")[0]
        return str(sum(sent.path.startswith(game) for sent in self.sent))

    def _game_after(
        self, reply: Reply, headers: WriteHeaders, status: int, path: str
    ) -> Any:  # noqa: ANN401
        """The game in a reply; if that has no body, the game from a second request."""
        if headers.wants_minimal:
            assert reply.status == 204, reply.raw
            assert reply.headers["Preference-Applied"] == "return=minimal"
            return self.api.get(path).json
        assert reply.status == status, reply.raw
        return reply.json

    def compare(self, game: TrackedGame, state: dict[str, Any]) -> None:
        """Compare every member with the model's."""
        model = game.model
        if model.is_secret and model.seed is None and model.shows_seed:
            self._reveal(model, state["seed"])
        ids = {name: game.state[name] for name in ("id", "watch_id")}
        expected = model.view | ids
        ranks = {"ranked", "unranked_reason"}  # tested in tests/http/test_ranking.py
        assert state.keys() == expected.keys() | ranks
        assert state["ranked"] == (state["unranked_reason"] is None)
        for name, value in expected.items():
            assert state[name] == value, (name, state[name], value)

    def compare_watched(self, game: TrackedGame, state: dict[str, Any]) -> None:
        model = game.model
        assert not {"id", "reference"} & state.keys()
        shown = state | {"id": game.state["id"], "reference": None}
        if model.hides_cards and not model.is_secret:
            assert (state["seed"], state["commitment"]) == (None, None)
            shown |= {"seed": model.seed, "commitment": model.commitment}
        self.compare(game, shown)

    def _reveal(self, model: GameModel, seed: str) -> None:
        """Check a revealed seed and its cards."""
        assert model.commitment == digest(seed)
        model.seed = seed
        cards = self._look_up(model)
        seen = [card for card in model.deck if card != UNKNOWN]
        assert cards[: len(seen)] == seen
        model.deck = cards


def last_action(
    before: GameModel, after: GameModel, action: str, body: object
) -> dict[str, Any]:
    """The action that led from one state of a game to another, as responses show it."""
    match action, body:
        case "moves", {"moves": [*steps]}:
            return {"type": "batch", "count": len(steps)}
        case "moves", _:
            move = after.done[-1]
            assert move is not None
            return {"type": "move", "from": move[0], "to": move[1]}
        case "deal", _:
            return {"type": "deal", "count": after.dealt - before.dealt}
        case "finish", _:
            return {"type": "finish"}
    return {"type": action, "count": abs(len(after.done) - len(before.done))}


def check_refused(
    model: GameModel, act: Act, headers: WriteHeaders, reply: Reply
) -> bool:
    """Check a refusal; return False if the reply is not one."""
    if not headers.holds:
        check(reply, 412, "version-mismatch", {"version": model.version})
        return True
    if reply.status < 400:
        return False
    try:
        act(model.fork())
    except Refused as refusal:
        members = refusal.members | {"version": model.version}
        check(reply, 409, refusal.slug, members)
    else:
        raise AssertionError(f"refused without a reason: {reply.raw!r}")
    return True


def check(reply: Reply, status: int, slug: str, members: dict[str, Any]) -> None:
    """Check a problem and all of its extension members."""
    assert (reply.status, reply.slug) == (status, slug), reply.raw
    own = {name: reply.json[name] for name in reply.json.keys() - _RFC_9457}
    assert own == members
