"""Progress where there is no terminal: a plain line now and then, for logs."""

from __future__ import annotations

import time
from collections.abc import Callable

import click

EVERY_S = 30.0


class ProgressLines:
    """Counts what is done and says so on standard error about every half minute, and once at the end."""

    def __init__(self, total: int, already: int, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.already, self.what, self.clock = total, already, what, clock
        self.new = 0
        self.begun = self.told_at = clock()

    def advance(self, done: int) -> None:
        """So many more are done."""
        self.new += done
        if self.clock() - self.told_at >= EVERY_S:
            self._tell()

    def end(self) -> None:
        """Say how far it has come, unless there was nothing to do."""
        if self.new:
            self._tell()

    def _tell(self) -> None:
        self.told_at = self.clock()
        seconds = self.told_at - self.begun
        parts = [f"{self.already + self.new} of {self.total} {self.what}"]
        left = self.total - self.already - self.new
        if seconds > 0:
            parts.append(f"{self.new / seconds:.3g} {self.what}/s")
            parts += [f"{_duration(left * seconds / self.new)} left"] if left else []
        click.echo(", ".join(parts), err=True)


def _duration(seconds: float) -> str:
    """`2 h 05 min`, `3 min 20 s` or `12 s`."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 60} min {whole % 60:02} s" if whole >= 60 else f"{whole} s"
