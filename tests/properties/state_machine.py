"""What a state machine of games does at every step: ask, and compare with a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import urlencode
from uuid import uuid4

from hypothesis.stateful import RuleBasedStateMachine

from tests.properties.choices import SIZES, VARIANTS, pinned
from tests.properties.game_model import UNKNOWN, Model, Refused, digest

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.http.client import Api, Reply
    from tests.properties.choices import Envelope
    from tests.properties.fixed_clock import Clock

    Act: TypeAlias = Callable[[Model], None]

_RFC_9457 = {"type", "title", "status", "detail", "instance"}
SMALL = 12
"""The cards that a game has at most whose end is soon seen."""
_CARDS = {rank + suit for suit in "CDHS" for rank in "A23456789TJQK"}


class Sent(NamedTuple):
    """A request that can be sent again, with its answer."""

    path: str
    body: object
    fields: dict[str, str]
    reply: Reply


class Playing:
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


class Comparing(RuleBasedStateMachine):
    """Games beside their models.

    Attributes:
        api: What is asked.
        clock: The clock of what is asked.
        games: The games that are there.
        gone: Those that were deleted.
        sent: What was sent with a key.
    """

    def __init__(self, api: Api, clock: Clock) -> None:
        super().__init__()
        self.api = api
        self.clock = clock
        self.games: list[Playing] = []
        self.gone: list[Playing] = []
        self.sent: list[Sent] = []

    def choose_small(self, chance: random.Random) -> Playing:
        """Choose a game that soon comes to an end, if there is one."""
        small = [game for game in self.games if len(game.model.deck) <= SMALL]
        return chance.choice(small or self.games)

    def begin(
        self, model: Model, wish: dict[str, Any], chance: random.Random, by: Envelope
    ) -> None:
        wish["variant"] = chance.choice([model.variant, *VARIANTS[model.variant]])
        model.player = chance.choice([None, "Ada", "zoë 🂡"])
        if model.player is not None:
            wish["player"] = model.player
        reply = self.send("/v1/games", wish, by)
        path = reply.headers["Location"]
        assert reply.headers["ETag"] == '"1"'
        state = self._told(reply, by, 201, path)
        assert path == f"/v1/games/{state['id']}"
        if not model.deck:
            self._take_deal(model, state)
        model.start(self.clock)
        self.games.append(Playing(model, state))
        self.compare(self.games[-1], state)

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
        assert deal == self.api.get(f"/v1/deals?{urlencode(wish)}").json
        assert deal["goal_card"] == model.goal
        assert len({*deal["cards"]}) == len(deal["cards"])
        cards: list[str] = deal["cards"]
        return cards

    def write(
        self, playing: Playing, action: str, body: object, by: Envelope, act: Act
    ) -> None:
        """Send a write, and do the same to the model."""
        model = playing.model
        reply = self.send(f"{playing.path}/{action}", body, by, model.version)
        if check_refused(model, act, by, reply):
            return
        state = self._told(reply, by, 200, playing.path)
        model.learn(state)
        act(model)
        model.written()
        playing.state = state
        self.compare(playing, state)
        assert reply.headers["ETag"] == f'"{model.version}"'

    def ask_advice(
        self, playing: Playing, what: str, body: object, by: Envelope, act: Act
    ) -> Any:  # noqa: ANN401
        """Ask for advice: a write that tells something else; None if it is refused."""
        model = playing.model
        reply = self.send(f"{playing.path}/{what}", body, by, model.version)
        if check_refused(model, act, by, reply):
            return None
        act(model)
        model.written()
        assert reply.status == 200, reply.raw
        assert reply.json["version"] == model.version
        assert reply.headers["ETag"] == f'"{model.version}"'
        return reply.json

    def send(self, path: str, body: object, by: Envelope, version: int = 0) -> Reply:
        fields = by.fields(version, self._new_key(path))
        reply = self.api.post(path, body, fields)
        assert "Idempotent-Replayed" not in reply.headers
        if by.again:
            self.sent.append(Sent(path, body, fields, reply))
        return reply

    def _new_key(self, path: str) -> str:
        """Choose a key that is new to a game, though other games may know it."""
        if path == "/v1/games":
            return str(uuid4())
        game = path.rpartition("/")[0]
        return str(sum(sent.path.startswith(game) for sent in self.sent))

    def _told(self, reply: Reply, by: Envelope, status: int, path: str) -> Any:  # noqa: ANN401
        """The game as an answer tells it, or as it is told when one asks."""
        if by.wants_minimal:
            assert reply.status == 204, reply.raw
            assert reply.headers["Preference-Applied"] == "return=minimal"
            return self.api.get(path).json
        assert reply.status == status, reply.raw
        return reply.json

    def compare(self, playing: Playing, state: dict[str, Any]) -> None:
        """Compare every member with the model's."""
        model = playing.model
        if model.is_secret and model.seed is None and model.shows_seed:
            self._reveal(model, state["seed"])
        ids = {name: playing.state[name] for name in ("id", "watch_id")}
        expected = model.view | ids
        assert state.keys() == expected.keys()
        for name, value in expected.items():
            assert state[name] == value, (name, state[name], value)

    def compare_watched(self, playing: Playing, state: dict[str, Any]) -> None:
        model = playing.model
        assert "id" not in state
        shown = state | {"id": playing.state["id"]}
        if model.hides and not model.is_secret:
            assert (state["seed"], state["commitment"]) == (None, None)
            shown |= {"seed": model.seed, "commitment": model.commitment}
        self.compare(playing, shown)

    def _reveal(self, model: Model, seed: str) -> None:
        """Check the seed that was hidden, and the cards that it must give."""
        assert model.commitment == digest(seed)
        model.seed = seed
        cards = self._look_up(model)
        seen = [card for card in model.deck if card != UNKNOWN]
        assert cards[: len(seen)] == seen
        model.deck = cards


def check_refused(model: Model, act: Act, by: Envelope, reply: Reply) -> bool:
    """Check what is refused; False if nothing is."""
    if not by.holds:
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
    """Check a problem and all of its own members."""
    assert (reply.status, reply.slug) == (status, slug), reply.raw
    own = {name: reply.json[name] for name in reply.json.keys() - _RFC_9457}
    assert own == members
