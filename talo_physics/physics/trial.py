"""One simulation, from setting the bodies down until they have come to rest or fallen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from talo_physics.physics import numbers
from talo_physics.physics.bodies import Body, Materials
from talo_physics.physics.bullet import open_world
from talo_physics.physics.numbers import CALM, CAREFUL, DEBRIS, Effort, Patience

Array = NDArray[np.float64]


class End(Enum):
    """How a simulation ended."""

    STOOD = "stood"
    FELL = "fell"
    NO_REST = "no rest"
    """Neither rest nor a fall before the cap."""
    BLOWN_UP = "blown up"
    """Positions that are not numbers, or far beyond any tower."""


@dataclass(frozen=True)
class Frame:
    """Where everything was at one moment."""

    time_s: float
    centres: Array
    """(n, 3), in units."""
    turns: Array
    """(n, 4), quaternions x, y, z, w."""


@dataclass(frozen=True)
class Motion:
    """What became of one body."""

    shift_units: float
    turn_deg: float
    fell_at_s: float | None = None
    """The moment it counted as fallen; None if it did not fall."""

    @property
    def fell(self) -> bool:
        """Whether it fell."""
        return self.fell_at_s is not None

    @property
    def moved(self) -> bool:
        """Whether it moved by more than a hair without falling."""
        far = self.shift_units > numbers.MOVED_UNITS or self.turn_deg > numbers.MOVED_TURN_DEG
        return far and not self.fell


@dataclass(frozen=True)
class Push:
    """A body that is knocked or let go with a velocity at the start."""

    body: int
    velocity: tuple[float, float, float]
    """What that gives it, in units a second of the simulation."""


@dataclass(frozen=True)
class Setup:
    """How to simulate: the lean of the table, how carefully, how patiently, and what to watch."""

    lean: tuple[float, float] = (0.0, 0.0)
    """The downhill direction times the sine of the angle."""
    effort: Effort = CAREFUL
    patience: Patience = CALM
    aftermath: bool = False
    """After the first fall, go on until the pieces lie still."""
    doomed: frozenset[int] = frozenset()
    """Bodies of which statics has proven that they must fall: without aftermath, to see one fall is enough."""
    still: bool = False
    """Whether statics has proven that nothing will move: then it is not looked at all the time, and in a world that
    is not new."""
    frames: bool = False
    settling: tuple[int, ...] = ()
    """Bodies that lean: they may settle further than others before they count as fallen."""
    pushes: tuple[Push, ...] = ()
    aims: tuple[tuple[int, Body], ...] = ()
    """Bodies that are let go above their place: what they fell or moved is seen from there."""


@dataclass(frozen=True)
class Outcome:
    """What a simulation showed."""

    end: End
    motions: tuple[Motion, ...]
    """Of the bodies, in the order given; where a proven fall was seen to begin, none need have fallen yet."""
    steps: int
    sim_s: float
    frames: tuple[Frame, ...] = ()
    setup: Setup = Setup()
    """How it was simulated."""
    last: Frame | None = None
    """Where everything was in the end."""
    astir: frozenset[int] = frozenset()
    """Of what did not stand: what had moved when the first body fell, by more than the simulation gives way under
    what stands, and what was bound to."""

    @property
    def stood(self) -> bool:
        """Whether it certainly stood: nothing else counts as standing."""
        return self.end is End.STOOD

    @property
    def stirred(self) -> bool:
        """Whether anything moved by more than a hair."""
        return any(motion.fell or motion.moved for motion in self.motions)

    def began_with(self, some: frozenset[int]) -> bool:
        """Whether it fell and one of some bodies was among the first to fall, or was seen to begin to."""
        times = {i: motion.fell_at_s for i, motion in enumerate(self.motions) if motion.fell_at_s is not None}
        first = {i for i, at in times.items() if at == min(times.values())}
        return self.end is End.FELL and (not first or bool(first & some))


def run(bodies: Sequence[Body], materials: Materials, setup: Setup) -> Outcome:
    """Simulate the bodies until they rest or fall; the same bits for the same input, whatever ran before."""
    if not bodies:
        return Outcome(End.STOOD, (), 0, 0.0)
    if leaning := tuple(number for number, body in enumerate(bodies) if body.leans):
        setup = replace(setup, settling=leaning)
    with open_world(bodies, materials, kept=setup.still) as world:
        world.set_gravity(setup.lean)
        for push in setup.pushes:
            world.push(push.body, push.velocity)
        return Watch(world, setup).until_the_end()


class Watched(Protocol):
    """A world of any engine, as far as it is looked at."""

    def set_effort(self, effort: Effort) -> int:
        """How carefully the steps from here on are solved; says how many make a poll."""

    def advance(self) -> None:
        """One poll further."""

    def poses(self) -> tuple[Array, Array]:
        """Centres of mass (n, 3) and quaternions (n, 4)."""


class Watch:
    """Follows a world poll by poll."""

    def __init__(self, world: Watched, setup: Setup) -> None:
        self.world, self.setup = world, setup
        self.steps_a_poll = world.set_effort(setup.effort)
        self.time, self.steps = 0.0, 0
        centres, turns = world.poses()
        self.now = Frame(0.0, centres, turns)
        self.start = self._aimed(self.now)
        self.recent = [self.now]
        self.frames = [self.now] if setup.frames else []
        self.fell_at = np.full(len(centres), np.inf)
        self.astir: frozenset[int] | None = None
        self.most_drop: Array | float = numbers.FALLEN_DROP_UNITS
        self.most_turn: Array | float = numbers.FALLEN_TURN_DEG
        if setup.settling:
            settling = np.isin(np.arange(len(centres)), setup.settling)
            self.most_drop = np.where(settling, numbers.SETTLED_UNITS, numbers.FALLEN_DROP_UNITS)
            self.most_turn = np.where(settling, numbers.SETTLED_TURN_DEG, numbers.FALLEN_TURN_DEG)
        self.doomed = sorted(setup.doomed)

    def _aimed(self, frame: Frame) -> Frame:
        centres, turns = frame.centres.copy(), frame.turns.copy()
        for number, body in self.setup.aims:
            centres[number], turns[number] = body.centre, body.turn
        return Frame(0.0, centres, turns)

    def until_the_end(self) -> Outcome:
        """Poll until it rests, has fallen, or cannot be followed any further."""
        patience = self.setup.patience
        if self.setup.still and not self.setup.frames:
            self._go_on_unseen(patience.least_s - numbers.POLL_S)
        while self.time < min(patience.most_s, numbers.CAP_S):
            self._poll()
            if self._still_near():
                pass  # as most polls find it: nothing has gone far enough for any of what follows
            elif self._blown_up():
                return self._outcome(End.BLOWN_UP)
            elif self._note_fallen() or self._falls_as_proven():
                self.astir = self._moving()
                if self.setup.aftermath:
                    self._watch_debris()
                return self._outcome(End.FELL)
            if self.time >= patience.least_s and self._drift(patience.window_s) <= patience.drift_units:
                return self._outcome(End.STOOD)
        return self._outcome(End.NO_REST)

    def _go_on_unseen(self, time_s: float) -> None:
        """Until it is worth a look: what is not to be is seen then just as well."""
        while self.time < time_s - 1e-9:
            self.world.advance()
            self.steps += self.steps_a_poll
            self.time += numbers.POLL_S

    def _moving(self) -> frozenset[int]:
        """What is no longer where it was set down, and what statics has proven that it will not stay there."""
        far = np.abs(self.now.centres - self.start.centres).max(axis=1) > numbers.SOFTNESS_UNITS
        far |= np.radians(turned_deg(self.start.turns, self.now.turns)) > numbers.SOFTNESS_UNITS
        return self.setup.doomed | frozenset(np.flatnonzero(far).tolist())

    def _watch_debris(self) -> None:
        self.steps_a_poll = self.world.set_effort(DEBRIS)
        end = self.time + numbers.AFTERMATH_S
        self.recent = [self.now]
        while self.time < end:
            self._poll()
            if self._blown_up():
                return
            self._note_fallen()
            if self._drift(numbers.AFTERMATH_WINDOW_S) <= numbers.AFTERMATH_DRIFT_UNITS:
                return

    def _poll(self) -> None:
        self.world.advance()
        self.steps += self.steps_a_poll
        self.time += numbers.POLL_S
        self.now = Frame(self.time, *self.world.poses())
        self.recent.append(self.now)
        if self.setup.frames:
            self.frames.append(self.now)

    def _still_near(self) -> bool:
        """Whether certainly nothing has fallen or begun to: by two subtractions."""
        shift = np.abs(self.now.centres - self.start.centres).max()
        turn = np.abs(self.now.turns - self.start.turns).max()  # a quarter of the angle in radians, or more
        return bool(shift < numbers.FALLING_UNITS and turn < math.radians(numbers.FALLING_TURN_DEG) / 5)

    def _falls_as_proven(self) -> bool:
        """Whether something that must fall is falling; where the fall is followed, only once it has fallen."""
        if self.setup.aftermath or not self.doomed:
            return False
        shift = np.abs(self.now.centres - self.start.centres)[self.doomed].max()
        turn = turned_deg(self.start.turns[self.doomed], self.now.turns[self.doomed]).max()
        return bool(shift > numbers.FALLING_UNITS or turn > numbers.FALLING_TURN_DEG)

    def _blown_up(self) -> bool:
        far = np.abs(self.now.centres - self.start.centres).max()
        return not far < numbers.BLOWN_UP_UNITS  # also when it is not a number

    def _note_fallen(self) -> bool:
        """Note what has fallen by now; says whether anything has."""
        shift = self.now.centres - self.start.centres
        fallen = shift[:, 2] < -self.most_drop
        fallen |= np.hypot(shift[:, 0], shift[:, 1]) > numbers.FALLEN_SHIFT_UNITS
        fallen |= turned_deg(self.start.turns, self.now.turns) > self.most_turn
        self.fell_at[fallen & ~np.isfinite(self.fell_at)] = self.time
        return bool(np.isfinite(self.fell_at).any())

    def _drift(self, window_s: float) -> float:
        """The most that anything has moved since `window_s` ago; infinite as long as nobody has looked so long."""
        while len(self.recent) > 1 and self.recent[1].time_s <= self.time - window_s + 1e-9:
            self.recent.pop(0)
        then = self.recent[0]
        if then.time_s > self.time - window_s + 1e-9:
            return np.inf
        shift = np.abs(self.now.centres - then.centres).max()
        turn = np.radians(turned_deg(then.turns, self.now.turns)).max()
        return float(max(shift, turn))

    def _outcome(self, end: End) -> Outcome:
        shift = np.linalg.norm(self.now.centres - self.start.centres, axis=1)
        turn = turned_deg(self.start.turns, self.now.turns)
        motions = tuple(
            Motion(float(far), float(angle), float(at) if np.isfinite(at) else None)
            for far, angle, at in zip(shift, turn, self.fell_at, strict=True)
        )
        if end is not End.STOOD and self.astir is None:
            self.astir = self._moving()
        return Outcome(
            end, motions, self.steps, self.time, tuple(self.frames), self.setup, self.now, self.astir or frozenset()
        )


def turned_deg(one: Array, other: Array) -> Array:
    """The angles between two rows of quaternions (n, 4)."""
    # By the chord between the two, or to the opposite of one, which is the same turn: an arc cosine would be blind
    # below 1e-8.
    chord = np.minimum(((one - other) ** 2).sum(axis=1), ((one + other) ** 2).sum(axis=1))
    return np.asarray(np.degrees(4 * np.arcsin(np.sqrt(chord) / 2)))
