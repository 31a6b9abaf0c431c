"""What is counted while a service is tormented."""

from __future__ import annotations

import threading
from collections import Counter


class Tally:
    """Counts and findings of all threads.

    Attributes:
        answers: how many answers there were, by status; `none` where it was cut off.
        events: how often something else worth telling happened, by name.
        slowest_refusal: the most seconds that a 503 took, the queue included.
        losses: what contradicts an acknowledgement.
        faults: what else must not be.
    """

    def __init__(self) -> None:
        self.answers: Counter[str] = Counter()
        self.events: Counter[str] = Counter()
        self.slowest_refusal = 0.0
        self.losses: list[str] = []
        self.faults: list[str] = []
        self._lock = threading.Lock()

    @property
    def refused_or_cut(self) -> int:
        """How many requests met an unavailability."""
        return self.answers["503"] + self.answers["none"]

    def answer(self, status: str) -> None:
        """Count an answer."""
        with self._lock:
            self.answers[status] += 1

    def refusal(self, seconds: float) -> None:
        """Note how long a 503 took."""
        with self._lock:
            self.slowest_refusal = max(self.slowest_refusal, seconds)

    def event(self, name: str) -> None:
        """Count something else."""
        with self._lock:
            self.events[name] += 1

    def loss(self, text: str) -> None:
        """Note that an acknowledgement does not hold."""
        with self._lock:
            self.losses.append(text)

    def fault(self, text: str) -> None:
        """Note something else that must not be."""
        with self._lock:
            self.faults.append(text)
