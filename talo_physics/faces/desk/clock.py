"""The clock of a replay: where it is, how fast it goes, and whether it goes at all."""

from __future__ import annotations

from talo_physics.errors import TaloError
from talo_physics.faces.view.motion import STILL, Motion

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
USUAL = SPEEDS.index(1.0)


class Clock:
    """Runs through a motion, from shortly before the first visible movement until shortly after the last."""

    def __init__(self, motion: Motion = STILL) -> None:
        self.motion = motion
        self.begin_s, self.end_s = motion.span_s
        self.time_s = self.begin_s
        self.playing = False
        self._speed = USUAL

    @property
    def has_fall(self) -> bool:
        """Whether there is anything to watch."""
        return self.end_s > self.begin_s

    @property
    def begun(self) -> bool:
        """Whether anything is to be seen but the start."""
        return self.playing or self.time_s > self.begin_s

    @property
    def speed(self) -> float:
        """Simulated seconds in one of the clock's."""
        return SPEEDS[self._speed]

    def slower(self) -> None:
        """One notch, as far as it goes."""
        self._speed = max(0, self._speed - 1)

    def faster(self) -> None:
        """One notch, as far as it goes."""
        self._speed = min(len(SPEEDS) - 1, self._speed + 1)

    def play(self) -> None:
        """Let it go; at the end it starts again.

        Raises:
            TaloError: nothing falls.
        """
        if not self.has_fall:
            raise TaloError("nothing falls: there is nothing to replay")
        if self.time_s >= self.end_s:
            self.time_s = self.begin_s
        self.playing = True

    def pause(self) -> None:
        """Stop it where it is."""
        self.playing = False

    def seek(self, time_s: float) -> None:
        """Go to a moment, as near as the motion comes to it; what is no moment is its beginning."""
        self.time_s = min(max(self.begin_s, time_s), self.end_s)  # in this order nothing comes of NaN

    def tick(self, seconds: float) -> None:
        """Let so many real seconds go by."""
        if self.playing:
            self.seek(self.time_s + seconds * self.speed)
            self.playing = self.time_s < self.end_s
