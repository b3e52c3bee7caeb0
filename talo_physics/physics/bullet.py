"""The one place that owns PyBullet: a world of rigid bodies that is set up, stepped and looked at.

One client a process is kept and reset for each simulation: a reset world gives the same bits as a new one.
Everything that Bullet keeps beyond a reset (the contact breaking threshold) is set every time.

A reset takes as long as a small tower takes to settle. Where nothing moves it is spared: the bodies of the simulation
before are taken away, the ground and the shapes stay. That gives the same bits as long as no two bodies part. Once
they do, when Bullet forgets that they were near each other depends on what was there before, and with it the order in
which it solves.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from talo_physics.geometry.solids import PAWN_FOOT_SHARE, PAWN_HEAD_RADIUS
from talo_physics.physics.bodies import Body, Materials
from talo_physics.physics.numbers import CONTACT_BREAKING_UNITS, GRAVITY, POLL_S, Effort

Array = NDArray[np.float64]
_GROUND_HALF = (4000.0, 4000.0, 1.0)
"""Beyond the farthest coordinates there are, wherever the canonical form puts the tower."""
_FAR = 3000.0
MOST_EMPTIED = 64
"""What is taken away leaves a kilobyte a body behind until the next reset."""
_lock = threading.RLock()


@lru_cache(maxsize=1)
def engine() -> ModuleType:
    """Import PyBullet without the build line that it prints from C on import."""
    with _quiet_stderr():
        import pybullet
    module: ModuleType = pybullet
    return module


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    try:
        kept = os.dup(2)
    except OSError:  # stderr is closed: nothing to keep quiet
        yield
        return
    silence = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(silence, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(silence)


class Client:
    """A connection to the engine, and what is in its world."""

    def __init__(self) -> None:
        self.number: int = engine().connect(engine().DIRECT)
        self.bodies: list[int] = []
        self.shapes: dict[tuple[object, ...], tuple[int, int]] = {}
        """What collides and what is seen of each kind of body."""
        self.contact: dict[str, float] = {}
        """Of the ground, where there is one."""
        self.emptied = 0
        """How often, since the last reset."""
        self.sound = False
        """Whether the last simulation ended in good order."""

    def reset(self) -> None:
        """Nothing is left."""
        engine().resetSimulation(physicsClientId=self.number)
        self.bodies, self.shapes, self.contact, self.emptied = [], {}, {}, 0

    def empty(self) -> None:
        """Only the ground and the shapes are left. In reverse, so that numbers are given out in their order again."""
        if not self.sound or self.emptied >= MOST_EMPTIED:
            self.reset()
        for body in reversed(self.bodies):
            engine().removeBody(body, physicsClientId=self.number)
        self.bodies, self.emptied = [], self.emptied + 1


class World:
    """A world with bodies in it. Use it in a `with open_world(...)`; there is only one at a time."""

    def __init__(self, client: Client, bodies: Sequence[Body], materials: Materials) -> None:
        self._p = engine()
        self._kept, self._client = client, client.number
        # Bullet multiplies the figures of the two bodies that touch.
        self._contact = {
            "lateralFriction": math.sqrt(materials.friction),
            "restitution": math.sqrt(materials.restitution),
        }
        if client.contact != self._contact:
            if client.contact:  # another ground is there
                client.reset()
            self._add_ground()
            client.contact = self._contact
        self._ids = self._add_all(bodies)
        self.sound = True
        """Whether everything was where it can be when it was last looked at."""

    def set_gravity(self, lean: tuple[float, float]) -> None:
        """Gravity on a table that leans: `lean` is the downhill direction times the sine of the angle."""
        x, y = lean
        down = math.sqrt(max(0.0, 1.0 - x * x - y * y))
        self._p.setGravity(GRAVITY * x, GRAVITY * y, -GRAVITY * down, physicsClientId=self._client)

    def push(self, body: int, velocity: tuple[float, float, float]) -> None:
        """Give one body a velocity, through its centre of mass."""
        self._p.resetBaseVelocity(self._ids[body], velocity, physicsClientId=self._client)

    def set_effort(self, effort: Effort) -> int:
        """How carefully the steps from here on are solved; says how many make a poll."""
        self._p.setPhysicsEngineParameter(
            fixedTimeStep=POLL_S,
            numSubSteps=effort.steps_a_poll,
            numSolverIterations=effort.iterations,
            solverResidualThreshold=effort.residual,
            contactBreakingThreshold=CONTACT_BREAKING_UNITS,
            deterministicOverlappingPairs=1,
            physicsClientId=self._client,
        )
        return effort.steps_a_poll

    def advance(self) -> None:
        """One poll: as many solver steps as the effort says, in one call."""
        self._p.stepSimulation(physicsClientId=self._client)

    def poses(self) -> tuple[Array, Array]:
        """Centres of mass (n, 3) and quaternions (n, 4) of the bodies, in the order given."""
        rows = [self._p.getBasePositionAndOrientation(i, self._client) for i in self._ids]
        centres = np.array([row[0] for row in rows]).reshape(-1, 3)
        self.sound = bool(np.abs(centres).max(initial=0.0) < _FAR)  # not if it is not a number
        return centres, np.array([row[1] for row in rows]).reshape(-1, 4)

    def _add_ground(self) -> None:
        shape = self._p.createCollisionShape(self._p.GEOM_BOX, halfExtents=_GROUND_HALF, physicsClientId=self._client)
        body = self._p.createMultiBody(
            0.0, shape, basePosition=(0.0, 0.0, -_GROUND_HALF[2]), useMaximalCoordinates=1, physicsClientId=self._client
        )
        self._p.changeDynamics(body, -1, physicsClientId=self._client, **self._contact)

    def _shapes(self, body: Body) -> tuple[int, int]:
        """What of a body collides, and what is seen of it."""
        kind = (body.half, body.is_pawn, body.shape_above)
        if kind not in self._kept.shapes:
            self._kept.shapes[kind] = self._pawn_shapes(body) if body.is_pawn else (self._box(body), -1)
        return self._kept.shapes[kind]

    def _box(self, body: Body) -> int:
        shape: int = self._p.createCollisionShape(self._p.GEOM_BOX, halfExtents=body.half, physicsClientId=self._client)
        return shape

    def _pawn_shapes(self, body: Body) -> tuple[int, int]:
        # Nobody sees it, but of cylinders Bullet would make a mesh to be seen: 0.3 ms instead of 0.06.
        looks: int = self._p.createVisualShape(self._p.GEOM_BOX, halfExtents=body.half, physicsClientId=self._client)
        return self._pawn_shape(body), looks

    def _pawn_shape(self, body: Body) -> int:
        """The foot as a flat disc, stem and head as a slender one over the whole height."""
        radius, _, half = body.half
        foot = 2 * half * PAWN_FOOT_SHARE
        middle = body.shape_above
        shape: int = self._p.createCollisionShapeArray(
            shapeTypes=[self._p.GEOM_CYLINDER] * 2,
            radii=[radius, radius * PAWN_HEAD_RADIUS],
            lengths=[foot, 2 * half],
            halfExtents=[[0.0, 0.0, 0.0]] * 2,
            collisionFramePositions=[[0.0, 0.0, middle - half + foot / 2], [0.0, 0.0, middle]],
            physicsClientId=self._client,
        )
        return shape

    def _add_all(self, bodies: Sequence[Body]) -> list[int]:
        """Add the bodies; those of one kind at once, for a call takes 60 microseconds and one body more of it 6."""
        kinds: dict[tuple[object, ...], list[int]] = {}
        for number, body in enumerate(bodies):
            kinds.setdefault((body.half, body.is_pawn, body.mass, body.turn), []).append(number)
        ids = [0] * len(bodies)
        for numbers in kinds.values():
            for number, made in zip(numbers, self._add_alike([bodies[i] for i in numbers]), strict=True):
                self._kept.bodies.append(made)
                self._give_dynamics(made, bodies[number])
                ids[number] = made
        return ids

    def _add_alike(self, alike: Sequence[Body]) -> Sequence[int]:
        """Add bodies that differ only in where they are."""
        first = alike[0]
        made: int | tuple[int, ...] = self._p.createMultiBody(
            first.mass,
            *self._shapes(first),
            basePosition=first.centre,
            baseOrientation=first.turn,
            batchPositions=[body.centre for body in alike] if len(alike) > 1 else [],
            useMaximalCoordinates=1,  # rigid bodies, not multibodies: several times faster
            physicsClientId=self._client,
        )
        return made if isinstance(made, tuple) else (made,)

    def _give_dynamics(self, made: int, body: Body) -> None:
        self._p.changeDynamics(
            made,
            -1,
            mass=body.mass,  # without it Bullet takes 0 together with a new inertia
            localInertiaDiagonal=body.inertia,
            linearDamping=0.0,
            angularDamping=0.0,
            physicsClientId=self._client,
            **self._contact,
        )


class _Clients:
    """The client of this process; a forked child makes its own."""

    def __init__(self) -> None:
        self._by_process: dict[int, Client] = {}

    def get(self) -> Client:
        if os.getpid() not in self._by_process:
            self._by_process[os.getpid()] = Client()
        return self._by_process[os.getpid()]


_clients = _Clients()


@contextmanager
def open_world(bodies: Sequence[Body], materials: Materials, kept: bool = False) -> Iterator[World]:
    """A world with these bodies in it, for as long as the `with` lasts: a new one, or the `kept` one emptied."""
    with _lock:
        client = _clients.get()
        if kept:
            client.empty()
        else:
            client.reset()
        client.sound = False
        world = World(client, bodies, materials)
        yield world
        client.sound = world.sound
