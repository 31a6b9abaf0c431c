"""The use cases of games: create, look, change, delete."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, overload

from service.engine.errors import RefusedError
from service.games.codec import StoredFormError, decode, encode
from service.games.create import OfEvent, begin
from service.games.game_end import GameEnd
from service.games.ids import key_of, new_game_id, watch_id_of, watched_key
from service.games.players import listed_name
from service.games.snapshot import (
    ChangeRefusedError,
    GameBusyError,
    GameNotFoundError,
    GameSnapshot,
    VersionMismatchError,
    Versions,
    read_snapshot,
)
from service.games.write_cache import WriteCache
from service.metrics import GAMES_STARTED
from service.store.protocol import (
    Answered,
    Done,
    Gone,
    KeptAnswer,
    Stale,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.create import NewGame
    from service.games.daily import Daily
    from service.games.deal_stock import CertifiedDeals
    from service.games.events import Events
    from service.games.game_end import GameEnds
    from service.games.idempotency import IdempotentRequest
    from service.games.players import PlayerNotes
    from service.games.session import Session
    from service.store.coordination import Duty
    from service.store.protocol import GameKey, GameStore

_ATTEMPTS: Final = 64
"""How often a change is tried again after a conflict with another write."""


class Change(Protocol):
    """Makes a new session of a session at a time in milliseconds."""

    def __call__(self, session: Session, now: int, /) -> Session:
        """Change a session; whatever it raises leaves the game as it was."""


class _Basis(NamedTuple):
    """What a change is made on.

    Attributes:
        snapshot: The game.
        payload: Its stored form.
        is_guess: Whether it is only what was written last, as far as is known here.
    """

    snapshot: GameSnapshot
    payload: bytes
    is_guess: bool = False


class Games:
    """The games of all tenants.

    Args:
        store: Where they are kept; it may raise ``StoreUnavailableError``
            from every method.
        daily: What chooses the deals of the days.
        clock: The time in milliseconds since 1970, UTC.
        ends: What is called for every end.
        notes: What games note of their players.
        events: The events.
        certified: What finds certified deals.
        retry_milliseconds: How long a change may have waited for the store and still
            try again when another writer was faster.
    """

    def __init__(  # noqa: PLR0913 - each is another part of a game's life
        self,
        store: GameStore,
        daily: Daily,
        clock: Callable[[], int],
        retry_milliseconds: float = inf,
        *,
        ends: GameEnds,
        notes: PlayerNotes,
        events: Events,
        certified: CertifiedDeals,
    ) -> None:
        self._store = store
        self._ends = ends
        self._notes = notes
        self._events = events
        self._certified = certified
        self._daily = daily
        self._clock = clock
        self._retry_milliseconds = retry_milliseconds
        self._cache = WriteCache()

    def create(
        self, tenant: str, wish: NewGame, game_id: str | None = None
    ) -> GameSnapshot:
        """Start a game.

        Args:
            tenant: Whose game it is.
            wish: What the player wants to play.
            game_id: Its id, for a request that may be sent again: where there is a
                game of that id already, that one is returned.

        Raises:
            DailyCompulsoryError: Moves are not compulsory in daily games.
            DailyLayoutError: The daily deal is not played in that layout.
            DeckError: The deck cannot be played in the variant.
            EventNotFoundError: There is no such event.
            EventNotOpenError: The event is not open.
            NoAttemptsLeftError: The player has no attempt left in the event.
            GuessableSourceError: The seed would not stay secret.
            NoGradesError: The deals of the variant have no grades.
            NotYetError: The day has not begun.
            SeedError: The source does not know the seed.
            UnknownSourceError: There is no such source.
        """
        attempts = None
        if isinstance(wish.deal, OfEvent):
            event = self._events.open(tenant, wish.deal.event_id)
            attempts = event.attempts
            wish = replace(
                wish,
                ruleset=event.ruleset,
                options=event.options,
                allows_hints=event.allows_hints,
                deal=OfEvent(event.id, event),
            )
        session = begin(wish, self._daily, self._certified, self._clock())
        game_id = game_id or new_game_id(tenant)
        key = key_of(tenant, game_id)
        listed_as = listed_name(key, game_id)
        session = self._notes.start(key, session, listed_as, attempts)
        end = GameEnd(key, session)
        duty = self._ends.note(end) if session.ended_at is not None else None
        payload = encode(session)
        if not self._store.create(key, payload):
            return self.get(tenant, game_id)
        GAMES_STARTED.labels(session.play.ruleset.key).inc()
        if session.ended_at is not None:
            self._ends.tell(end, duty)
        self._cache.put(key, 1, payload)
        return GameSnapshot(game_id, watch_id_of(game_id), 1, session)

    def get(self, tenant: str, game_id: str) -> GameSnapshot:
        """Look at a game.

        Raises:
            GameNotFoundError: There is none of that id.
        """
        return self._load(key_of(tenant, game_id), game_id, watch_id_of(game_id))

    def watch(self, tenant: str, watch_id: str) -> GameSnapshot:
        """Look at another's game.

        Raises:
            GameNotFoundError: There is none of that id.
        """
        key = watched_key(tenant, watch_id)
        if key is None:
            raise GameNotFoundError
        snapshot = self._load(key, None, watch_id)
        return snapshot._replace(session=snapshot.session.watched())

    @overload
    def change(
        self,
        tenant: str,
        game_id: str,
        action: Change,
        expected: Versions | None = None,
        request: None = None,
        *,
        is_cheap: Callable[[Session], bool] | None = None,
    ) -> GameSnapshot: ...

    @overload
    def change(
        self,
        tenant: str,
        game_id: str,
        action: Change,
        expected: Versions | None = None,
        request: IdempotentRequest[GameSnapshot] | None = None,
        *,
        is_cheap: Callable[[Session], bool] | None = None,
    ) -> GameSnapshot | Answered: ...

    def change(  # noqa: PLR0913 - each says something of the change
        self,
        tenant: str,
        game_id: str,
        action: Change,
        expected: Versions | None = None,
        request: IdempotentRequest[GameSnapshot] | None = None,
        *,
        is_cheap: Callable[[Session], bool] | None = None,
    ) -> GameSnapshot | Answered:
        """Change a game, in one atomic step.

        It begins on what a process of this machine wrote last, which takes one trip to
        the store instead of two if nobody else has written since. If somebody has, the
        store returns what the game is, and the action is done once more on that.

        Args:
            tenant: Whose game it is.
            game_id: The game.
            action: What makes the new session of the old one; it leaves no trace.
            expected: The versions of which it must have one; None is any.
            request: Keeps the answer in the same step, for a request that may be sent
                again.
            is_cheap: Tells of a session whether the action costs so little that it may
                be done in vain; else the game is read first. None is always.

        Returns:
            The game as it has become, or the answer that the request got before.

        Raises:
            GameNotFoundError: There is none of that id.
            VersionMismatchError: It has another version than expected.
            KeyReusedError: The key of the request was used before, for another one.
            ChangeRefusedError: The action was refused.
            GameBusyError: Other writers were faster every time.
        """
        key = key_of(tenant, game_id)
        asked = self._clock()
        guess = self._guess(key, game_id)
        basis: _Basis | Answered
        if guess is None or (is_cheap and not is_cheap(guess.snapshot.session)):
            basis = self._read(key, game_id, request)
        else:
            basis = guess
        waited = self._clock() - asked
        for _ in range(_ATTEMPTS):
            if isinstance(basis, Answered):
                return basis if request is None else request.check(basis)
            try:
                changed = self._act(basis.snapshot, action, expected)
            except (ChangeRefusedError, VersionMismatchError):
                found = self._if_changed(basis, key, game_id, request)
                if found is None:
                    raise
                basis = found
                continue
            asked = self._clock()
            written = self._write(key, basis, changed, request)
            if isinstance(written, GameSnapshot):
                return written
            basis = written or self._read(key, game_id, request)
            waited += self._clock() - asked
            if waited >= self._retry_milliseconds:
                break
        raise GameBusyError

    def keep(
        self, request: IdempotentRequest[GameSnapshot], answer: bytes
    ) -> Answered | None:
        """Keep the answer to a request that was refused.

        Returns:
            The answer that is kept already, if there is one.

        Raises:
            KeyReusedError: It is the answer to another request.
        """
        kept = KeptAnswer(request.key, request.fingerprint, answer)
        found = self._store.keep(kept)
        return None if found is None else request.check(found)

    def delete(
        self, tenant: str, game_id: str, expected: Versions | None = None
    ) -> None:
        """Delete a game.

        Args:
            tenant: Whose game it is.
            game_id: The game.
            expected: The versions of which it must have one; None is any.

        Raises:
            GameNotFoundError: There is none of that id.
            VersionMismatchError: It has another version than expected.
            GameBusyError: Other writers were faster every time.
        """
        for _ in range(_ATTEMPTS):
            snapshot = self.get(tenant, game_id)
            _check_version(snapshot, expected)
            key = key_of(tenant, game_id)
            if snapshot.session.ended_at is not None:
                self._ends.settle(GameEnd(key, snapshot.session))
            match self._store.delete(key, snapshot.revision):
                case Gone():
                    raise GameNotFoundError
                case Done():
                    return
        raise GameBusyError

    def _guess(self, key: GameKey, game_id: str) -> _Basis | None:
        written = self._cache.get(key)
        if written is None:
            return None
        try:
            snapshot = read_snapshot(written, game_id, watch_id_of(game_id))
        except StoredFormError:  # half written, and by chance the checksum holds
            return None
        return _Basis(snapshot, written.payload, is_guess=True)

    def _load(self, key: GameKey, game_id: str | None, watch_id: str) -> GameSnapshot:
        stored = self._store.load(key)
        if stored is None:
            raise GameNotFoundError
        return read_snapshot(stored, game_id, watch_id)

    def _read(
        self,
        key: GameKey,
        game_id: str,
        request: IdempotentRequest[GameSnapshot] | None,
    ) -> _Basis | Answered:
        stored = self._store.load(key, None if request is None else request.key)
        if stored is None:
            raise GameNotFoundError
        if stored.answered is not None:
            return stored.answered
        snapshot = read_snapshot(stored, game_id, watch_id_of(game_id))
        return _Basis(snapshot, stored.payload)

    def _if_changed(
        self,
        basis: _Basis,
        key: GameKey,
        game_id: str,
        request: IdempotentRequest[GameSnapshot] | None,
    ) -> _Basis | Answered | None:
        """Read what a guess was about; None if it was right, and a refusal holds."""
        if not basis.is_guess:
            return None
        found = self._read(key, game_id, request)
        is_same = isinstance(found, _Basis) and found.payload == basis.payload
        return None if is_same else found

    def _act(
        self, snapshot: GameSnapshot, action: Change, expected: Versions | None
    ) -> GameSnapshot:
        _check_version(snapshot, expected)
        try:
            session = action(snapshot.session, self._clock())
        except RefusedError as refusal:
            raise ChangeRefusedError(snapshot.version, refusal) from refusal
        return snapshot._replace(revision=snapshot.revision + 1, session=session)

    def _write(
        self,
        key: GameKey,
        basis: _Basis,
        changed: GameSnapshot,
        request: IdempotentRequest[GameSnapshot] | None,
    ) -> GameSnapshot | _Basis | Answered | None:
        """Write a game, if it is still what the change was made on.

        Returns:
            The game as it was written; or the answer that the request got before; or
            what the game is instead, None where the store did not return it.
        """
        before = basis.snapshot
        changed = self._checked(key, before.session, changed)
        payload = encode(changed.session)
        duty = self._prepare(key, before.session, changed.session)
        answer = None if request is None else request.kept(changed)
        revision = before.revision
        match self._store.replace(key, revision, payload, basis.payload, answer):
            case Done():
                if changed.session.ends > before.session.ends:
                    self._ends.tell(GameEnd(key, changed.session), duty)
                self._cache.put(key, changed.revision, payload)
                return changed
            case Gone():
                raise GameNotFoundError
            case Stale(revision, found):
                if not found:
                    return None
                session = decode(found, revision)
                return _Basis(
                    before._replace(revision=revision, session=session), found
                )
            case answered:
                return answered

    def _checked(
        self, key: GameKey, before: Session, changed: GameSnapshot
    ) -> GameSnapshot:
        """Mark a game that ends, or goes on after an end, if it has lost its rank."""
        after = changed.session
        if before.ended_at is None and after.ended_at is None:
            return changed
        session = self._notes.ranked(key, after)
        return changed._replace(session=session)

    def _prepare(self, key: GameKey, before: Session, after: Session) -> Duty | None:
        """Do what has to be done before a change is written, if anything."""
        is_reviewed = bool(after.review) and not before.review
        if is_reviewed or after.hints_used > before.hints_used:
            self._notes.help(key, after, self._clock())
        if before.ended_at is not None:
            self._ends.settle(GameEnd(key, before))
        if after.ends > before.ends:
            return self._ends.note(GameEnd(key, after))
        return None


def _check_version(snapshot: GameSnapshot, expected: Versions | None) -> None:
    if expected is not None and snapshot.version not in expected:
        raise VersionMismatchError(snapshot)
