"""Where the time of a judgement goes: the calls that do the work are timed while it runs, and put back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

from talo_physics.physics import examiner, steadiness
from talo_physics.physics.bullet import Client, World
from talo_physics.physics.statics import Statics
from talo_physics.physics.steadiness import Steadiness
from talo_physics.physics.trial import Watch

PARTS: dict[str, tuple[tuple[Any, str], ...]] = {
    "form": ((examiner, "canonical"), (steadiness, "bodies_of")),
    "statics": ((Statics, "__init__"), (Steadiness, "_certain")),
    "setup": ((Client, "reset"), (Client, "empty"), (World, "__init__")),
    "stepping": ((World, "advance"),),
    "polling": ((Watch, "__init__"), (Watch, "until_the_end")),
}
"""What is done where. A part that calls another does not count its time: polling is looking on without stepping."""
REST = "rest"


class Stopwatch:
    """Milliseconds by part; at every moment the innermost part runs."""

    def __init__(self) -> None:
        self.ms = dict.fromkeys((*PARTS, REST), 0.0)
        self._running, self._since = [REST], time.perf_counter()

    def timed(self, part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call, with its time counted for the part."""

        @wraps(call)
        def counted(*given: Any, **named: Any) -> Any:
            self._turn_to([*self._running, part])
            try:
                return call(*given, **named)
            finally:
                self._turn_to(self._running[:-1])

        return counted

    def stop(self) -> None:
        """Count what has run since the last change."""
        self._turn_to([REST])

    def _turn_to(self, running: list[str]) -> None:
        now = time.perf_counter()
        self.ms[self._running[-1]] += 1e3 * (now - self._since)
        self._running, self._since = running, now


@contextmanager
def by_part() -> Iterator[Stopwatch]:
    """A stopwatch that runs for as long as the `with` lasts."""
    watch = Stopwatch()
    patches = [
        patch.object(owner, name, watch.timed(part, getattr(owner, name)))
        for part, calls in PARTS.items()
        for owner, name in calls
    ]
    for each in patches:
        each.start()
    watch.stop()
    watch.ms[REST] = 0.0  # what the patching took
    try:
        yield watch
    finally:
        watch.stop()
        for each in reversed(patches):
            each.stop()
