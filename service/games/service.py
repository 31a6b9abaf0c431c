"""The use cases of games: create, get, watch, change and delete."""

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
"""The maximum number of attempts at a change that conflicts with other writes."""


class Change(Protocol):
    """Makes a new session from a session, at a time in milliseconds since 1970."""

    def __call__(self, session: Session, now: int, /) -> Session:
        """Return the changed session; the game does not change if this raises."""


class _Target(NamedTuple):
    """The game to change, and the idempotent request to change it, if any."""

    key: GameKey
    game_id: str
    request: IdempotentRequest[GameSnapshot] | None


class _Basis(NamedTuple):
    """The state of a game that a change is based on.

    Attributes:
        payload: The stored form of the snapshot.
        is_guess: Whether it comes from the write cache, and so may be out of date.
    """

    snapshot: GameSnapshot
    payload: bytes
    is_guess: bool = False


@dataclass(frozen=True, slots=True)
class Games:
    """The games of all tenants.

    Attributes:
        store: The stored games; all its methods may raise ``StoreUnavailableError``.
        clock: Returns the time in milliseconds since 1970, UTC.
        retry_milliseconds: A change that has waited for the store this long is not
            retried after a conflict.
    """

    store: GameStore
    starter: GameStarter
    clock: Callable[[], int]
    ends: GameEnds
    notes: PlayerNotes
    retry_milliseconds: float = inf
    _cache: WriteCache = field(default_factory=WriteCache, init=False)

    def create(
        self, tenant: str, request: NewGame, game_id: str | None = None
    ) -> GameSnapshot:
        """Start a game; further errors as in ``GameStarter.start``.

        Args:
            tenant: The tenant that the game belongs to.
            request: What the player requests.
            game_id: The id to use, for an idempotent request; None for a new one. If a
                game with this id exists, that game is returned.

        Raises:
            NoAttemptsLeftError: The player has started all the games of the event that
                it allows.
        """
        session, attempts = self.starter.start(tenant, request, self.clock())
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
        """Return a game.

        Raises:
            GameNotFoundError: The tenant has no game with this id.
        """
        return self._load(key_of(tenant, game_id), game_id, watch_id_of(game_id))

    def watch(self, tenant: str, watch_id: str) -> GameSnapshot:
        """Return a game as spectators may see it.

        Raises:
            GameNotFoundError: The tenant has no game with this watch id.
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

    def change(  # noqa: PLR0913 - each describes the change
        self,
        tenant: str,
        game_id: str,
        action: Change,
        expected: Versions | None = None,
        request: IdempotentRequest[GameSnapshot] | None = None,
        *,
        is_cheap: Callable[[Session], bool] | None = None,
    ) -> GameSnapshot | Answered:
        """Change a game in one atomic step.

        The first attempt is based on the write cache, which saves a round trip to the
        store unless the game was written elsewhere since. If it was, the store returns
        the current game, and the action is repeated on that.

        Args:
            tenant: The tenant that the game belongs to.
            game_id: The id of the game.
            action: Makes the new session from the old one. It may be called more than
                once, and only the last call counts.
            expected: The versions that the game may have; None means any.
            request: The idempotent request, whose answer is kept in the same step; None
                if the request has no idempotency key.
            is_cheap: Returns whether the action on a session is so cheap that it may be
                wasted; if not, the game is read first. None means that it always is.

        Returns:
            The changed game, or the answer kept from an earlier execution.

        Raises:
            GameNotFoundError: The tenant has no game with this id.
            VersionMismatchError: The game has none of the expected versions.
            KeyReusedError: The idempotency key was used before, for another request.
            ChangeRefusedError: The rules or the game's options refuse the action.
            GameBusyError: Other writers were faster at every attempt.
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
            The answer kept before, if there is one; else None.

        Raises:
            KeyReusedError: The answer kept before belongs to another request.
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
        except StoredFormError:  # half written, with a checksum that matches by chance
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
        """Return the stored game; None if it is the basis, so that a refusal holds."""
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
        """Write a game if it is still the same as the basis of the change.

        Returns:
            The written game; or the answer kept from an earlier execution; or, after a
            conflict, the current game, None if the store did not return it.
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
        """Do what must be done before a change is written.

        Returns:
            The session to write, with ``unranked`` set if it ends, or goes on after an
            end, and has lost its rank; and the duty of its end, None if there is none.
        """
        if before.ended_at is not None or after.ended_at is not None:
            after = self.notes.mark_unranked(key, after)
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
