"""Proofs of statics, and the code that checks them, which shares nothing with the code that makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from talo_physics.physics.bodies import UPRIGHT, Body

Array = NDArray[np.float64]
Index = NDArray[np.int64]
RELATIVE_RESIDUAL = 1e-6
"""Of the whole weight (times a unit for moments): far above the solver's noise, far below any block."""
STILL = 1e-9
"""Of the fastest: what moves no faster than this does not move."""
NEAR_UNITS = 0.16
"""How far from its body a force may act: what faces may be apart before a tower has settled."""


@dataclass(frozen=True)
class Stance:
    """Why it stands: forces that push and balance. Row by row: from whom, on whom, where, how."""

    lower: Index
    """(m,) -1 for the board."""
    upper: Index
    points: Array
    """(m, 3)"""
    forces: Array
    """(m, 3) On the upper body; in unit weights."""


@dataclass(frozen=True)
class Fall:
    """Why it falls: how each block starts to move. No contact stands in the way, and the whole goes down."""

    velocities: Array
    """(n, 3) Of the centres of mass."""
    turning: Array
    """(n, 3) Rates of turning."""

    @property
    def speeds(self) -> Array:
        """(n,) How fast each block goes or turns, whichever is more."""
        return np.asarray(np.abs(np.hstack([self.velocities, self.turning])).max(axis=1))

    @property
    def moving(self) -> frozenset[int]:
        """The blocks that go or turn."""
        return frozenset(np.flatnonzero(self.speeds > STILL * self.speeds.max()).tolist())


def stance_faults(bodies: Sequence[Body], stance: Stance, friction: float) -> list[str]:
    """What is wrong with a stance; nothing if it proves that the bodies can stand."""
    weights = np.array([body.mass for body in bodies])
    slack = RELATIVE_RESIDUAL * float(weights.sum())
    if not (np.isfinite(stance.points).all() and np.isfinite(stance.forces).all()):
        return ["not all of it is numbers"]
    faults = []
    astray = _off_body(bodies, stance.upper, stance.points) | _off_body(bodies, stance.lower, stance.points)
    if astray.any():
        faults.append(f"{int(astray.sum())} forces act where nothing touches")
    pull = stance.forces[:, 2] < -slack
    if pull.any():
        faults.append(f"{int(pull.sum())} forces pull")
    sliding = np.hypot(stance.forces[:, 0], stance.forces[:, 1]) > friction * stance.forces[:, 2] + slack
    if sliding.any():
        faults.append(f"{int(sliding.sum())} forces lie outside their friction cones")
    numbers = np.arange(len(bodies))[:, None]
    share = (stance.upper == numbers) * 1.0 - (stance.lower == numbers)  # of each body in each force
    pushes = np.hstack([stance.forces, _moments(stance.points, stance.forces)])
    left_over = share @ pushes  # with the moments about the origin
    centres = np.array([body.centre for body in bodies]).reshape(-1, 3)
    left_over[:, 3:] -= _moments(centres, left_over[:, :3])
    left_over[:, 2] -= weights
    worst = np.abs(left_over).max(initial=0.0)
    if not worst <= slack:
        faults.append(f"forces or moments are out of balance by {worst:.2g}")
    return faults


def _moments(arms: Array, forces: Array) -> Array:
    """(n, 3) The cross products of rows; numpy's own takes five times as long on a few."""
    (x, y, z), (fx, fy, fz) = arms.T, forces.T
    return np.column_stack([y * fz - z * fy, z * fx - x * fz, x * fy - y * fx])


def _off_body(bodies: Sequence[Body], owner: Index, points: Array) -> NDArray[np.bool_]:
    """Which points do not lie in or near the body they are said to touch; the board is the plane z = 0."""
    if not len(points):
        return np.zeros(0, dtype=bool)
    there = np.maximum(owner, 0)
    rows = np.array([(*body.centre, *body.half, body.shape_above) for body in bodies])[there]
    local = points - rows[:, :3]
    if any(body.turn != UPRIGHT for body in bodies):
        local = Rotation.from_quat(np.array([body.turn for body in bodies])[there]).inv().apply(local)
    local[:, 2] -= rows[:, 6]
    outside = (np.abs(local) > rows[:, 3:6] + NEAR_UNITS).any(axis=1)
    return np.where(owner >= 0, outside, np.abs(points[:, 2]) > NEAR_UNITS)


def fall_faults(
    bodies: Sequence[Body],
    fall: Fall,
    touching: Stance,
    friction: float,
    lean: tuple[float, float] = (0.0, 0.0),
) -> list[str]:
    """What is wrong with a fall; nothing if the whole goes down and no contact could resist.

    On a table that leans, down is also downhill; `lean` is that direction times the tangent.

    At every contact the bodies part at least as fast as friction times how fast they slide: then no force inside a
    friction cone takes anything from the fall. `touching` lists who touches whom where; its forces are the
    directions in which the faces look.
    """
    if not (np.isfinite(fall.velocities).all() and np.isfinite(fall.turning).all()):
        return ["not all of it is numbers"]
    weights = np.array([body.mass for body in bodies])
    centres = np.array([body.centre for body in bodies]).reshape(-1, 3)
    fastest = max(np.abs(fall.velocities).max(initial=0.0), np.abs(fall.turning).max(initial=0.0))
    if not fastest > 0:
        return ["nothing moves"]
    faults = []
    if not weights @ (fall.velocities @ (-lean[0], -lean[1], 1.0)) < -RELATIVE_RESIDUAL * fastest:
        faults.append("the centre of mass does not go down")

    def speed(owner: Index) -> Array:
        there = np.where(owner >= 0, owner, 0)
        moving = fall.velocities[there] + _moments(fall.turning[there], touching.points - centres[there])
        return np.asarray(moving * (owner >= 0)[:, None])

    parting = speed(touching.upper) - speed(touching.lower)
    opening = (parting * touching.forces).sum(axis=1)
    sliding = np.linalg.norm(parting - opening[:, None] * touching.forces, axis=1)
    slack = 10 * RELATIVE_RESIDUAL * fastest
    if (opening < -slack).any():
        faults.append(f"{int((opening < -slack).sum())} contacts move into each other")
    if (opening < friction * sliding - slack).any():
        faults.append(f"{int((opening < friction * sliding - slack).sum())} contacts rub")
    return faults
