"""A front end in Python with a generated client: it plays a game by hints.

It also handles a tap with two targets and a version that is not current.
"""

from __future__ import annotations

import sys
from typing import TypeVar

from accordion_client import AuthenticatedClient
from accordion_client.api.advice import give_hint
from accordion_client.api.games import create_game, get_record, make_move
from accordion_client.api.rules import replay_record
from accordion_client.models import (
    AmbiguousMoveProblem,
    BudgetInput,
    DeckGameInput,
    DeckRecord,
    DeckRecordInput,
    Game,
    Hint,
    MoveAction,
    MoveInput,
    Rating,
    SeedGameInput,
    SeedRecord,
    SeedRecordInput,
    Status,
    TapInput,
    ValidReplay,
    VersionMismatchProblem,
)

T = TypeVar("T")


def expect_type(kind: type[T], response: object) -> T:
    """Return a response, which must have this type."""
    if not isinstance(response, kind):
        raise TypeError(response)
    return response


def play_by_hints(client: AuthenticatedClient, game: Game) -> Game:
    """Follow hints until the game is over."""
    while game.status is Status.PLAYING:
        hinted = give_hint.sync(
            game.id, client=client, body=BudgetInput(budget_ms=2000)
        )
        action = expect_type(MoveAction, expect_type(Hint, hinted).action)
        made = make_move.sync(
            game.id,
            client=client,
            body=MoveInput(from_=action.from_, to=action.to),
            if_match=f'"{game.version}"',
        )
        game = expect_type(Game, made)
    return game


def main(url: str) -> None:
    """Play."""
    client = AuthenticatedClient(base_url=url, token="not needed without API keys")
    started = create_game.sync(client=client, body=SeedGameInput(seed="42"))
    won = play_by_hints(client, expect_type(Game, started))
    assert won.rating is Rating.FULL

    deck = DeckGameInput(deck=["4S", "7H", "QC", "4C"])
    small = expect_type(Game, create_game.sync(client=client, body=deck))
    tapped = make_move.sync(small.id, client=client, body=TapInput(from_=3))
    assert expect_type(AmbiguousMoveProblem, tapped).targets == [0, 2]
    late = make_move.sync(
        small.id, client=client, body=MoveInput(from_=3, to=0), if_match='"99"'
    )
    assert expect_type(VersionMismatchProblem, late).version == 1

    record = get_record.sync(won.id, client=client)
    assert isinstance(record, SeedRecord | DeckRecord)
    body = SeedRecordInput if isinstance(record, SeedRecord) else DeckRecordInput
    replayed = replay_record.sync(client=client, body=body.from_dict(record.to_dict()))
    assert len(expect_type(ValidReplay, replayed).row) == 1
    print(f"won with {won.moves} moves")  # noqa: T201 - the test reads it


main(sys.argv[1])
