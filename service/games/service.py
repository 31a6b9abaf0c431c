"""The use cases of games: create, look, change, delete.

A game's id is a secret of its player. The store knows it only by its watch id,
which is a digest of it: who watches a game, or reads the store, cannot play it.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from service.engine.errors import RefusedError
from service.games.codec import StoredFormError, decode, encode
from service.games.create import begin
from service.games.idempotency import RequestInFlightError
from service.games.write_cache import Recent
from service.metrics import GAMES_ENDED, GAMES_STARTED
from service.store.protocol import ClaimLost, Done, GameKey, Gone, Stale

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.games.create import NewGame
    from service.games.daily import Daily
    from service.games.session import Session
    from service.store.protocol import Claim, GameStore

_ID_BYTES: Final = 15
_ATTEMPTS: Final = 64
"""How often a change is tried again when another writer was faster."""


class GameNotFoundError(Exception):
    """A game that never was, was deleted or has expired."""


class VersionMismatchError(Exception):
    """A change of a version that is not the current one any more.

    Attributes:
        version: The current version.
    """

    def __init__(self, version: int) -> None:
        super().__init__(f"the game is at version {version}")
        self.version = version


class ChangeRefusedError(Exception):
    """A change that the rules or the game's options refuse; nothing changed.

    Attributes:
        version: The version of the game that it was refused for.
        refusal: Why.
    """

    def __init__(self, version: int, refusal: RefusedError) -> None:
        super().__init__(f"at version {version}: {refusal}")
        self.version = version
        self.refusal = refusal


class GameBusyError(Exception):
    """A change that met a faster writer every time it was tried; nothing changed."""


class GameSnapshot(NamedTuple):
    """A game in the store.

    Attributes:
        game_id: The player's secret; None for one who watches.
        watch_id: What others may know the game by.
        version: 1 at first, one more with every write.
        session: The game.
    """

    game_id: str | None
    watch_id: str
    version: int
    session: Session


class Receipt(NamedTuple):
    """What a request that may be sent again leaves with its write.

    Attributes:
        claim: The claim of the request.
        answer: Makes the answer to keep, of the game as it will be.
    """

    claim: Claim
    answer: Callable[[GameSnapshot], bytes]


class Change(Protocol):
    """Makes a new session of a session at a time in milliseconds."""

    def __call__(self, session: Session, now: int, /) -> Session:
        """Change a session; whatever it raises leaves the game as it was."""


class _Known(NamedTuple):
    """What a change begins with.

    Attributes:
        kept: The game.
        payload: Its stored form.
        is_guess: Whether it is only what was written last, as far as is known here.
        waited: How many milliseconds the store took to tell it.
    """

    kept: GameSnapshot
    payload: bytes
    is_guess: bool = False
    waited: int = 0


class Games:
    """The games of all tenants.

    Args:
        store: Where they are kept; it may raise ``StoreUnavailableError``
            from every method.
        daily: What chooses the deals of the days.
        clock: The time in milliseconds since 1970, UTC.
        patience: How many milliseconds a change may have waited for the store and
            still try again when another writer was faster.
    """

    def __init__(
        self,
        store: GameStore,
        daily: Daily,
        clock: Callable[[], int],
        patience: float = inf,
    ) -> None:
        self._store = store
        self._daily = daily
        self._clock = clock
        self._patience = patience
        self._recent = Recent()

    def create(
        self, tenant: str, wish: NewGame, receipt: Receipt | None = None
    ) -> GameSnapshot:
        """Start a game.

        With a receipt the game has the id that its claim has noted, so that a request
        sent again after a crash finds the game that it had started.

        Raises:
            DailyLayoutError: The daily deal is not played in that layout.
            DeckError: The deck cannot be played in the variant.
            GuessableSourceError: The seed would not stay secret.
            NotYetError: The day has not begun.
            SeedError: The source does not know the seed.
            UnknownSourceError: There is no such source.
        """
        session = begin(wish, self._daily, self._clock())
        game_id = new_game_id() if receipt is None else receipt.claim.note.decode()
        watch_id = watch_id_of(game_id)
        key, payload = GameKey(tenant, watch_id), encode(session)
        if not self._store.create(key, payload):
            return self.get(tenant, game_id)
        _count_start(session)
        self._recent.put(key, 1, payload)
        return GameSnapshot(game_id, watch_id, 1, session)

    def get(self, tenant: str, game_id: str) -> GameSnapshot:
        """Look at a game.

        Raises:
            GameNotFoundError: There is none of that id.
        """
        return self._read(tenant, game_id, watch_id_of(game_id)).kept

    def watch(self, tenant: str, watch_id: str) -> GameSnapshot:
        """Look at another's game.

        Raises:
            GameNotFoundError: There is none of that id.
        """
        kept = self._read(tenant, None, watch_id).kept
        return kept._replace(session=kept.session.watched())

    def change(  # noqa: PLR0913 - each says something of the change
        self,
        tenant: str,
        game_id: str,
        action: Change,
        expected: int | None = None,
        receipt: Receipt | None = None,
        *,
        is_cheap: Callable[[Session], bool] | None = None,
    ) -> GameSnapshot:
        """Change a game, in one atomic step.

        It begins on what a process of this machine wrote last, which takes one trip to
        the store instead of two if nobody else has written since. If somebody has, the
        store tells what the game is, and the action is done once more on that.

        Args:
            tenant: Whose game it is.
            game_id: The game.
            action: What makes the new session of the old one; it leaves no trace.
            expected: The version that it must have; None is any.
            receipt: What keeps the answer in the same step, for a request that may
                be sent again.
            is_cheap: Tells of a session whether the action costs so little that it may
                be done in vain; else the game is read first. None is always.

        Raises:
            GameNotFoundError: There is none of that id.
            VersionMismatchError: It has another version than expected.
            RequestInFlightError: The claim of the receipt was lost.
            ChangeRefusedError: The action was refused.
            GameBusyError: Other writers were faster every time.
        """
        watch_id = watch_id_of(game_id)
        known = self._guess(tenant, game_id, watch_id)
        if known is None or (is_cheap and not is_cheap(known.kept.session)):
            known = self._read(tenant, game_id, watch_id)
        return self._change(tenant, known, action, expected, receipt)

    def delete(self, tenant: str, game_id: str, expected: int | None = None) -> None:
        """Delete a game.

        Args:
            tenant: Whose game it is.
            game_id: The game.
            expected: The version that it must have; None is any.

        Raises:
            GameNotFoundError: There is none of that id.
            VersionMismatchError: It has another version than expected.
        """
        match self._store.delete(GameKey(tenant, watch_id_of(game_id)), expected):
            case Gone():
                raise GameNotFoundError
            case Stale(version):
                raise VersionMismatchError(version)
            case Done():
                pass

    def _change(
        self,
        tenant: str,
        known: _Known,
        action: Change,
        expected: int | None,
        receipt: Receipt | None,
    ) -> GameSnapshot:
        key = GameKey(tenant, known.kept.watch_id)
        waited = known.waited
        for _ in range(_ATTEMPTS):
            kept = known.kept
            try:
                changed = self._act(kept, action, expected)
            except (ChangeRefusedError, VersionMismatchError):
                if not known.is_guess:
                    raise
                known = self._read(tenant, kept.game_id, kept.watch_id)
                waited += known.waited
                continue
            payload = encode(changed.session)
            asked = self._clock()
            match self._replace(key, known, changed, payload, receipt):
                case Done():
                    _count_end(kept.session, changed.session)
                    self._recent.put(key, changed.version, payload)
                    return changed
                case Gone():
                    raise GameNotFoundError
                case ClaimLost():
                    raise RequestInFlightError
                case Stale(version, found) if found:
                    now = kept._replace(version=version, session=decode(found))
                    known = _Known(now, found)
                case Stale():
                    known = self._read(tenant, kept.game_id, kept.watch_id)
            waited += self._clock() - asked
            if waited >= self._patience:
                break
        raise GameBusyError

    def _guess(self, tenant: str, game_id: str, watch_id: str) -> _Known | None:
        recent = self._recent.get(GameKey(tenant, watch_id))
        if recent is None:
            return None
        try:
            session = decode(recent.payload)
        except StoredFormError:  # half written, and by chance the checksum holds
            return None
        kept = GameSnapshot(game_id, watch_id, recent.version, session)
        return _Known(kept, recent.payload, is_guess=True)

    def _read(self, tenant: str, game_id: str | None, watch_id: str) -> _Known:
        asked = self._clock()
        stored = self._store.load(GameKey(tenant, watch_id))
        if stored is None:
            raise GameNotFoundError
        kept = GameSnapshot(game_id, watch_id, stored.version, decode(stored.payload))
        return _Known(kept, stored.payload, waited=self._clock() - asked)

    def _act(
        self, kept: GameSnapshot, action: Change, expected: int | None
    ) -> GameSnapshot:
        if expected is not None and expected != kept.version:
            raise VersionMismatchError(kept.version)
        try:
            session = action(kept.session, self._clock())
        except RefusedError as refusal:
            raise ChangeRefusedError(kept.version, refusal) from refusal
        return kept._replace(version=kept.version + 1, session=session)

    def _replace(
        self,
        key: GameKey,
        known: _Known,
        changed: GameSnapshot,
        payload: bytes,
        receipt: Receipt | None,
    ) -> Done | Stale | Gone | ClaimLost:
        version = known.kept.version
        if receipt is None:
            return self._store.replace(key, version, payload, known.payload)
        answer = receipt.answer(changed)
        return self._store.replace_and_settle(
            key, version, payload, receipt.claim, answer, known=known.payload
        )


def _count_start(session: Session) -> None:
    variant = session.play.ruleset.key
    GAMES_STARTED.labels(variant).inc()
    if session.ended_at is not None:
        GAMES_ENDED.labels(variant, session.play.status).inc()


def _count_end(before: Session, after: Session) -> None:
    if before.ended_at is None and after.ended_at is not None:
        GAMES_ENDED.labels(after.play.ruleset.key, after.play.status).inc()


def new_game_id() -> str:
    """Draw the id of a new game."""
    return secrets.token_urlsafe(_ID_BYTES)


def watch_id_of(game_id: str) -> str:
    """Derive the id by which others may know a game."""
    secret = game_id.encode(errors="surrogatepass")
    digest = hashlib.blake2b(secret, digest_size=_ID_BYTES, person=b"watch").digest()
    return base64.urlsafe_b64encode(digest).decode()
