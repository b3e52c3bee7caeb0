"""Proofs of statics, and the code that checks them, which shares nothing with the code that makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from talo_physics.physics.bodies import Body

Array = NDArray[np.float64]
Index = NDArray[np.int64]
RELATIVE_RESIDUAL = 1e-6
"""Of the whole weight (times a unit for moments): far above the solver's noise, far below any block."""


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


def stance_faults(bodies: Sequence[Body], stance: Stance, friction: float) -> list[str]:
    """What is wrong with a stance; nothing if it proves that the bodies can stand."""
    weights = np.array([body.mass for body in bodies])
    slack = RELATIVE_RESIDUAL * float(weights.sum())
    faults = []
    pull = stance.forces[:, 2] < -slack
    if pull.any():
        faults.append(f"{int(pull.sum())} forces pull")
    sliding = np.hypot(stance.forces[:, 0], stance.forces[:, 1]) > friction * stance.forces[:, 2] + slack
    if sliding.any():
        faults.append(f"{int(sliding.sum())} forces lie outside their friction cones")
    centres = np.array([body.centre for body in bodies]).reshape(-1, 3)
    force, moment = np.zeros((len(bodies), 3)), np.zeros((len(bodies), 3))
    force[:, 2] -= weights
    for owner, sign in ((stance.upper, 1.0), (stance.lower, -1.0)):
        real = owner >= 0
        on = owner[real]
        np.add.at(force, on, sign * stance.forces[real])
        np.add.at(moment, on, sign * np.cross(stance.points[real] - centres[on], stance.forces[real]))
    worst = max(np.abs(force).max(initial=0.0), np.abs(moment).max(initial=0.0))
    if not worst <= slack:
        faults.append(f"forces or moments are out of balance by {worst:.2g}")
    return faults


def fall_faults(bodies: Sequence[Body], fall: Fall, touching: Stance) -> list[str]:
    """What is wrong with a fall; nothing if the whole goes down and no two bodies move into each other.

    `touching` lists who touches whom where; its forces are the directions in which the faces look.
    """
    weights = np.array([body.mass for body in bodies])
    centres = np.array([body.centre for body in bodies]).reshape(-1, 3)
    fastest = max(np.abs(fall.velocities).max(initial=0.0), np.abs(fall.turning).max(initial=0.0))
    if not fastest > 0:
        return ["nothing moves"]
    faults = []
    if not weights @ fall.velocities[:, 2] < -RELATIVE_RESIDUAL * fastest:
        faults.append("the centre of mass does not go down")

    def speed(owner: Index) -> Array:
        there = np.where(owner >= 0, owner, 0)
        moving = fall.velocities[there] + np.cross(fall.turning[there], touching.points - centres[there])
        return np.asarray(moving * (owner >= 0)[:, None])

    opening = ((speed(touching.upper) - speed(touching.lower)) * touching.forces).sum(axis=1)
    if (opening < -RELATIVE_RESIDUAL * fastest * 10).any():
        faults.append(f"{int((opening < 0).sum())} contacts move into each other")
    return faults
