"""From the frames of a canonical simulation back to the tower that was asked about."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from talo_physics.physics.trial import Frame, Outcome
from talo_physics.tower.finding import Pose, Replay
from talo_physics.tower.placement import Block, FreePose
from talo_physics.tower.symmetry import SYMMETRIES, Symmetry, Way
from talo_physics.tower.tower import Tower


def replay_of(outcome: Outcome, way: Way, tower: Tower) -> Replay:
    """The motion of `tower`, whose canonical form was reached by `way` and simulated."""
    order = (*way.blocks, *(len(way.blocks) + i for i in way.pawns))
    rows = [_poses_back(frame, way, order) for frame in outcome.frames]
    times = tuple(round(frame.time_s, 6) for frame in outcome.frames)
    return Replay(tower.blocks, tower.pawns, times, tuple(rows))


_ALONG = {"x": (0.0, 0.0, 0.0), "y": (0.0, 0.0, 90.0), "z": (0.0, -90.0, 0.0)}
"""How a block that lies along x is turned to lie or stand along each axis."""


def resting_places(outcome: Outcome, way: Way, tower: Tower) -> tuple[FreePose, ...]:
    """Where each block of `tower` is in the end, to a thousandth of a unit and of a degree."""
    if outcome.last is None:
        return ()
    order = (*way.blocks, *(len(way.blocks) + i for i in way.pawns))
    poses = _poses_back(outcome.last, way, order)[: len(tower.blocks)]
    return tuple(_free_pose(block, pose) for block, pose in zip(tower.blocks, poses, strict=True))


def _free_pose(block: Block, pose: Pose) -> FreePose:
    turn = Rotation.from_quat(pose[3:])
    if not isinstance(block, FreePose):
        turn = turn * Rotation.from_euler("XYZ", _ALONG[block.axis], degrees=True)
    numbers = [round(float(n), 3) + 0.0 for n in (*pose[:3], *_angles_deg(turn.as_matrix()))]
    return FreePose(block.length, *numbers)


def _angles_deg(matrix: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> tuple[float, float, float]:
    """Intrinsic x-y-z angles; for a block that points straight up or down, all of its spin is given to x."""
    upright = np.hypot(matrix[0, 0], matrix[0, 1]) < 1e-6
    x = np.arctan2(matrix[2, 1], matrix[1, 1]) if upright else np.arctan2(-matrix[1, 2], matrix[2, 2])
    y = np.arcsin(np.clip(matrix[0, 2], -1.0, 1.0))
    z = 0.0 if upright else np.arctan2(-matrix[0, 1], matrix[0, 0])
    return float(np.degrees(x)), float(np.degrees(y)), float(np.degrees(z))


def replay_as_it_is(outcome: Outcome, tower: Tower) -> Replay:
    """The motion of a tower that was simulated itself, not its canonical form."""
    order = tuple(range(len(tower.blocks)))
    pawns = tuple(range(len(tower.pawns)))
    return replay_of(outcome, Way(SYMMETRIES[0], 0, 0, order, pawns), tower)


def _poses_back(frame: Frame, way: Way, order: tuple[int, ...]) -> tuple[Pose, ...]:
    back = _matrix(way.symmetry).T
    centres = (frame.centres + np.array([way.left, way.front, 0.0])) @ back.T
    turns = Rotation.from_matrix(back @ Rotation.from_quat(frame.turns).as_matrix() @ back.T).as_quat()
    rows: list[Pose] = [(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)] * len(order)
    for place, centre, turn in zip(order, centres, turns, strict=True):
        x, y, z = (float(v) for v in centre)
        a, b, c, d = (float(v) for v in turn)
        rows[place] = (x, y, z, a, b, c, d)
    return tuple(rows)


def _matrix(symmetry: Symmetry) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The symmetry as it acts on points; fields are mirrored about grid line 0 just as points are."""
    columns = [symmetry.direction((1, 0)), symmetry.direction((0, 1))]
    matrix = np.eye(3)
    matrix[:2, :2] = np.array(columns).T
    return matrix
