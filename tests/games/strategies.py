"""Hypothesis strategies for sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from service.engine.deals import SOURCES
from service.engine.play import Status
from service.engine.position import Move
from service.games.session import (
    ActionCount,
    ActionType,
    Finished,
    Moved,
    Session,
    UnrankedReason,
)
from tests.engine.strategies import plays

if TYPE_CHECKING:
    from service.engine.ruleset import Ruleset

moments = st.integers(0, 1 << 42)
"""Milliseconds since 1970, to the year 2109."""


_last_actions = st.one_of(
    st.none(),
    st.builds(lambda one, two: Moved(Move(one, two)), *2 * [st.integers(0, 51)]),
    st.builds(
        ActionCount,
        st.sampled_from(
            [ActionType.DEAL, ActionType.BATCH, ActionType.UNDO, ActionType.REDO]
        ),
        st.integers(1, 200),
    ),
    st.just(Finished()),
)


@st.composite
def sessions(draw: st.DrawFn, ruleset: Ruleset) -> Session:
    """A session at any point; its seed need not be the seed of its cards."""
    play = draw(plays(ruleset))
    if not play.is_closed and draw(st.booleans()):
        play = play.finish()
    started_at = draw(moments)
    over = play.status is not Status.PLAYING
    source = draw(st.sampled_from([None, *SOURCES]))
    return Session(
        play=play,
        source=source,
        seed=None if source is None else draw(st.text(min_size=1, max_size=64)),
        server_seed=source is not None and draw(st.booleans()),
        started_at=started_at,
        ended_at=started_at + draw(moments) if over else None,
        daily=draw(st.none() | st.dates()),
        player=draw(st.none() | st.text(min_size=1, max_size=32)),
        hints_used=draw(st.integers(0, 1000)),
        undos_used=draw(st.integers(0, 1000)),
        plan=2 * draw(st.binary(max_size=51)),
        version=draw(st.integers(1, 1 << 40)),
        last_action=draw(_last_actions),
        last_action_at=draw(st.none() | moments.map(lambda more: started_at + more)),
        reference=draw(st.none() | st.text(min_size=1, max_size=64)),
        event=draw(st.none() | st.text(min_size=1, max_size=20)),
        event_closes_at=draw(st.none() | st.integers(1, 1 << 42)),
        key_digest=draw(st.sampled_from([b"", bytes(range(16))])),
        allows_hints=draw(st.booleans()),
        default_options=draw(st.booleans()),
        unranked=draw(
            st.sampled_from([None, UnrankedReason.HELP, UnrankedReason.PLAYER_KEY])
        ),
        ends=draw(st.integers(0, 1000)),
        review=draw(st.binary(max_size=200)),
    )
