"""Creating a game: what a player requests, and the session that it starts."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from service.engine.deals import DEFAULT_SOURCE, SOURCES, Dealt, deal
from service.engine.decks import check_deck
from service.engine.errors import UnknownSourceError
from service.engine.play import Options, Status, start
from service.engine.ruleset import Layout
from service.games.session import Session

if TYPE_CHECKING:
    from datetime import date

    from service.engine.ruleset import Ruleset
    from service.games.certified_deals import CertifiedDeals
    from service.games.daily import Daily
    from service.games.events import Events
    from service.solver import Grade


class GuessableSourceError(Exception):
    """A random seed is requested from a source with too few seeds to stay secret.

    Attributes:
        source: The key of the source.
    """

    def __init__(self, source: str) -> None:
        super().__init__(f"seeds of {source} can be guessed from their digest")
        self.source = source


class DailyCompulsoryError(Exception):
    """A daily game is requested with compulsory moves."""


class DailyLayoutError(Exception):
    """A daily game is requested in a layout other than its variant's default.

    Attributes:
        layout: The default layout of the variant.
    """

    def __init__(self, layout: Layout) -> None:
        super().__init__(f"daily games of this variant have the {layout} layout")
        self.layout = layout


@dataclass(frozen=True, slots=True)
class SeedChoice:
    """The deal of a seed; None means a random seed."""

    source: str = DEFAULT_SOURCE
    seed: str | None = None


@dataclass(frozen=True, slots=True)
class DeckChoice:
    """A deck that the player provides, for practice."""

    cards: bytes
    goal: int | None = None


@dataclass(frozen=True, slots=True)
class DayChoice:
    """The deal of a UTC day; None means today."""

    day: date | None = None


@dataclass(frozen=True, slots=True)
class EventChoice:
    """The deal of an event."""

    event_id: str


@dataclass(frozen=True, slots=True)
class CertifiedChoice:
    """A random deal that is proved winnable; None means any grade."""

    grade: Grade | None = None


_PlainChoice: TypeAlias = SeedChoice | DeckChoice | DayChoice | CertifiedChoice
DealChoice: TypeAlias = _PlainChoice | EventChoice


@dataclass(frozen=True, slots=True)
class NewGame:
    """A request for a new game.

    Attributes:
        ruleset: The variant.
        player: The player's name, or None.
        allows_hints: Whether hints and solutions are given.
        key_digest: A digest of the player's key; empty without a key.
        reference: The portal's id of the game, or None.
    """

    ruleset: Ruleset
    options: Options
    deal: DealChoice = SeedChoice()
    player: str | None = None
    allows_hints: bool = True
    key_digest: bytes = b""
    reference: str | None = None


class _Dealing(NamedTuple):
    """A deal and its origin, with fields as in ``Session``."""

    dealt: Dealt
    source: str | None = None
    seed: str | None = None
    server_seed: bool = False
    day: date | None = None


@dataclass(frozen=True, slots=True)
class GameStarter:
    """Starts the sessions that players request."""

    daily: Daily
    certified: CertifiedDeals
    events: Events

    def start(
        self, tenant: str, request: NewGame, now: int
    ) -> tuple[Session, int | None]:
        """Start a session.

        Args:
            tenant: The tenant that the game belongs to.
            request: What the player requests. In an event, the event's variant, options
                and hint rule are used instead of those requested.
            now: The time in milliseconds since 1970, UTC.

        Returns:
            The session, and how many games of its event a player can start; None means
            any number.

        Raises:
            DailyCompulsoryError: A daily game is requested with compulsory moves.
            DailyLayoutError: A daily game is requested in another than the default
                layout.
            DeckError: The deck cannot be played in the variant.
            EventNotFoundError: The tenant has no event with this id.
            EventNotOpenError: The event is not open.
            GuessableSourceError: A random seed of the source would not stay secret.
            NoGradesError: The deals of the variant have no grades.
            NotYetError: The day has not begun.
            SeedError: The seed is not a valid seed of the source.
            UnknownSourceError: The source does not exist.
        """
        if not isinstance(request.deal, EventChoice):
            return _session(request, self._deal(request, request.deal, now), now), None
        event = self.events.open(tenant, request.deal.event_id)
        request = replace(
            request,
            ruleset=event.ruleset,
            options=event.options,
            allows_hints=event.allows_hints,
        )
        session = _session(request, _seeded(event.ruleset, event.seed), now)._replace(
            event=event.id,
            event_closes_at=event.closes_at,
            default_options=True,
        )
        return session, event.attempts

    def _deal(self, request: NewGame, asked: _PlainChoice, now: int) -> _Dealing:
        ruleset, layout = request.ruleset, request.options.layout
        match asked:
            case DeckChoice(cards, goal):
                return _Dealing(check_deck(ruleset, cards, goal))
            case SeedChoice(source, str(seed)):
                return _Dealing(deal(ruleset, seed, source), source, seed)
            case SeedChoice(source):
                return _seeded(ruleset, random_seed(source, layout), source)
            case CertifiedChoice(grade):
                return _seeded(ruleset, self.certified.take(ruleset, grade))
            case DayChoice(day):
                if request.options.compulsory:
                    raise DailyCompulsoryError
                if layout is not ruleset.layout:
                    raise DailyLayoutError(ruleset.layout)
                day, source, seed, dealt = self.daily.deal(ruleset, day, now)
                return _Dealing(dealt, source, seed, server_seed=True, day=day)


def _seeded(ruleset: Ruleset, seed: str, source: str = DEFAULT_SOURCE) -> _Dealing:
    """Return the deal of a seed that the server has chosen."""
    return _Dealing(deal(ruleset, seed, source), source, seed, server_seed=True)


def _session(request: NewGame, dealing: _Dealing, now: int) -> Session:
    play = start(
        request.ruleset, dealing.dealt.cards, request.options, dealing.dealt.goal
    )
    has_ended = play.status is not Status.PLAYING
    usual = Options(request.ruleset.layout)
    return Session(
        play=play,
        source=dealing.source,
        seed=dealing.seed,
        server_seed=dealing.server_seed,
        started_at=now,
        ended_at=now if has_ended else None,
        daily=dealing.day,
        player=request.player,
        ends=int(has_ended),
        reference=request.reference,
        key_digest=request.key_digest,
        allows_hints=request.allows_hints,
        default_options=request.options == usual and request.allows_hints,
    )


def random_seed(source: str, layout: Layout) -> str:
    """Draw a random seed of a source.

    Raises:
        GuessableSourceError: The source has too few seeds to stay secret, and the
            layout is the stock layout.
        UnknownSourceError: The source does not exist.
    """
    if source not in SOURCES:
        raise UnknownSourceError(source)
    known = SOURCES[source]
    if layout is Layout.STOCK and known.is_guessable:
        raise GuessableSourceError(source)
    return known.random_seed(secrets.randbits)
