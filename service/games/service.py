"""The use cases of games: create, look, change, delete."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, overload

from service.engine.errors import RefusedError
from service.games.codec import StoredFormError, decode, encode
from service.games.game_end import GameEnd
from service.games.ids import key_of, new_game_id, watch_id_of, watched_key
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
from service.store.protocol import Answered, Done, GameKey, Gone, KeptAnswer, Stale

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.create import GameStarter, NewGame
    from service.games.game_end import GameEnds
    from service.games.idempotency import IdempotentRequest
    from service.games.players import PlayerNotes
    from service.games.session import Session
    from service.store.coordination import Duty
    from service.store.protocol import GameStore

_ATTEMPTS: Final = 64
"""How often a change is tried again after a conflict with another write."""


class Change(Protocol):
    """Makes a new session of a session at a time in milliseconds."""

    def __call__(self, session: Session, now: int, /) -> Session:
        """Change a session; whatever it raises leaves the game as it was."""


class _Target(NamedTuple):
    """The game that is changed, and the request that may be sent again, if any."""

    key: GameKey
    game_id: str
    request: IdempotentRequest[GameSnapshot] | None


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


@dataclass(frozen=True, slots=True)
class Games:
    """The games of all tenants.

    Attributes:
        store: Where they are kept; it may raise ``StoreUnavailableError``
            from every method.
        starter: What starts new games.
        clock: The time in milliseconds since 1970, UTC.
        ends: What is called for every end.
        notes: What games note of their players.
        retry_milliseconds: How long a change may have waited for the store and still
            try again when another writer was faster.
    """

    store: GameStore
    starter: GameStarter
    clock: Callable[[], int]
    ends: GameEnds
    notes: PlayerNotes
    retry_milliseconds: float = inf
    _cache: WriteCache = field(default_factory=WriteCache, init=False)

    def create(
        self, tenant: str, wish: NewGame, game_id: str | None = None
    ) -> GameSnapshot:
        """Start a game; further errors as in ``GameStarter.start``.

        Args:
            tenant: Whose game it is.
            wish: What the player wants to play.
            game_id: Its id, for a request that may be sent again: where there is a
                game of that id already, that one is returned.

        Raises:
            NoAttemptsLeftError: The player has no attempt left in the event.
        """
        session, attempts = self.starter.start(tenant, wish, self.clock())
        game_id = game_id or new_game_id(tenant)
        key = key_of(tenant, game_id)
        session = self.notes.start(key, game_id, session, attempts)
        end = GameEnd(key, session)
        duty = self.ends.note(end) if session.ends else None
        payload = encode(session)
        if not self.store.create(key, payload):
            return self.get(tenant, game_id)
        GAMES_STARTED.labels(session.play.ruleset.key).inc()
        if session.ends:
            self.ends.process(end, duty)
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
        target = _Target(key_of(tenant, game_id), game_id, request)
        asked = self.clock()
        basis: _Basis | Answered | None = self._guess(target)
        if not isinstance(basis, _Basis) or (
            is_cheap and not is_cheap(basis.snapshot.session)
        ):
            basis = self._read(target)
        waited = self.clock() - asked
        for _ in range(_ATTEMPTS):
            if isinstance(basis, Answered):
                return basis if request is None else request.check(basis)
            try:
                session = self._act(basis.snapshot, action, expected)
            except (ChangeRefusedError, VersionMismatchError):
                found = self._read_if_changed(target, basis)
                if found is None:
                    raise
                basis = found
                continue
            asked = self.clock()
            written = self._write(target, basis, session)
            if isinstance(written, GameSnapshot):
                return written
            basis = written or self._read(target)
            waited += self.clock() - asked
            if waited >= self.retry_milliseconds:
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
        found = self.store.keep(kept)
        return None if found is None else request.check(found)

    def delete(
        self, tenant: str, game_id: str, expected: Versions | None = None
    ) -> None:
        """Delete a game; arguments and errors as in ``change``."""
        key = key_of(tenant, game_id)
        for _ in range(_ATTEMPTS):
            snapshot = self.get(tenant, game_id)
            _check_version(snapshot, expected)
            if snapshot.session.ended_at is not None:
                self.ends.settle(GameEnd(key, snapshot.session))
            match self.store.delete(key, snapshot.revision):
                case Gone():
                    raise GameNotFoundError
                case Done():
                    return
        raise GameBusyError

    def _guess(self, target: _Target) -> _Basis | None:
        written = self._cache.get(target.key)
        if written is None:
            return None
        game_id = target.game_id
        try:
            snapshot = read_snapshot(written, game_id, watch_id_of(game_id))
        except StoredFormError:  # half written, and by chance the checksum holds
            return None
        return _Basis(snapshot, written.payload, is_guess=True)

    def _load(self, key: GameKey, game_id: str | None, watch_id: str) -> GameSnapshot:
        stored = self.store.load(key)
        if stored is None:
            raise GameNotFoundError
        return read_snapshot(stored, game_id, watch_id)

    def _read(self, target: _Target) -> _Basis | Answered:
        key, game_id, request = target
        stored = self.store.load(key, None if request is None else request.key)
        if stored is None:
            raise GameNotFoundError
        if stored.answered is not None:
            return stored.answered
        snapshot = read_snapshot(stored, game_id, watch_id_of(game_id))
        return _Basis(snapshot, stored.payload)

    def _read_if_changed(
        self, target: _Target, basis: _Basis
    ) -> _Basis | Answered | None:
        """Read what a guess was about; None if it was right, and a refusal holds."""
        if not basis.is_guess:
            return None
        found = self._read(target)
        is_same = isinstance(found, _Basis) and found.payload == basis.payload
        return None if is_same else found

    def _act(
        self, snapshot: GameSnapshot, action: Change, expected: Versions | None
    ) -> Session:
        _check_version(snapshot, expected)
        try:
            return action(snapshot.session, self.clock())
        except RefusedError as refusal:
            raise ChangeRefusedError(snapshot.version, refusal) from refusal

    def _write(
        self, target: _Target, basis: _Basis, session: Session
    ) -> GameSnapshot | _Basis | Answered | None:
        """Write a game, if it is still what the change was made on.

        Returns:
            The game as it was written; or the answer that the request got before; or
            what the game is instead, None where the store did not return it.
        """
        key, _, request = target
        before, revision = basis.snapshot, basis.snapshot.revision
        session, duty = self._prepare(key, before.session, session)
        changed = before._replace(revision=revision + 1, session=session)
        payload = encode(session)
        answer = None if request is None else request.kept(changed)
        match self.store.replace(key, revision, payload, basis.payload, answer):
            case Done():
                if session.ends > before.session.ends:
                    self.ends.process(GameEnd(key, session), duty)
                self._cache.put(key, changed.revision, payload)
                return changed
            case Gone():
                raise GameNotFoundError
            case Stale(_, b""):
                return None
            case Stale(revision, found):
                session = decode(found, revision)
                return _Basis(
                    before._replace(revision=revision, session=session), found
                )
            case answered:
                return answered

    def _prepare(
        self, key: GameKey, before: Session, after: Session
    ) -> tuple[Session, Duty | None]:
        """Do what has to be done before a change is written, if anything.

        Returns:
            The session to write, which has a mark if a game that ends, or goes on
            after an end, has lost its rank; and the duty of its end, if it ends.
        """
        if before.ended_at is not None or after.ended_at is not None:
            after = self.notes.ranked(key, after)
        is_reviewed = bool(after.review) and not before.review
        if is_reviewed or after.hints_used > before.hints_used:
            self.notes.help(key, after, self.clock())
        if before.ended_at is not None:
            self.ends.settle(GameEnd(key, before))
        if after.ends > before.ends:
            return after, self.ends.note(GameEnd(key, after))
        return after, None


def _check_version(snapshot: GameSnapshot, expected: Versions | None) -> None:
    if expected is not None and snapshot.version not in expected:
        raise VersionMismatchError(snapshot)
