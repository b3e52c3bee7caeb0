"""A replay as matrices: where each shell is at each moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from talo_physics.faces.view.shapes import Array
from talo_physics.tower.finding import Replay
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.tower import Tower

SEEN_UNITS = 0.02
"""A shift that an eye sees; less than that is taken as rest."""
LEAD_S = 0.4
"""How much of the rest before and after a fall is worth watching."""
FARTHEST_UNITS = 12.0
"""A picture follows what rolls this far beyond the board, no farther."""


@dataclass(frozen=True, eq=False)
class Motion:
    """Where pieces are over time. The pieces are those of a scene, in its order."""

    times_s: tuple[float, ...] = ()
    matrices: Array = field(default_factory=lambda: np.zeros((0, 0, 4, 4)))
    """(times, pieces that are there, 4, 4)."""
    present: tuple[bool, ...] = ()
    """Of each piece of the scene whether it takes part; a pawn that was taken away does not."""

    @property
    def falls(self) -> bool:
        """Whether there is anything to watch."""
        return bool(self._unrest().any())

    @property
    def span_s(self) -> tuple[float, float]:
        """From shortly before the first visible movement until shortly after the last one."""
        moving = np.flatnonzero(self._unrest())
        if not len(moving):
            return 0.0, 0.0
        first, last = self.times_s[moving[0]], self.times_s[min(moving[-1] + 1, len(self.times_s) - 1)]
        return max(0.0, first - LEAD_S), min(self.times_s[-1], last + LEAD_S)

    def _unrest(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Of each step from one time to the next whether something is under way.

        The start is compared with the first pose and the end with the last: a slow start adds up.
        """
        if len(self.times_s) < 2 or not self.matrices.size:
            return np.zeros(0, dtype=bool)
        from_start = np.abs(self.matrices - self.matrices[0]).max(axis=(1, 2, 3)) > SEEN_UNITS
        to_end = np.abs(self.matrices - self.matrices[-1]).max(axis=(1, 2, 3)) > SEEN_UNITS
        return np.asarray((from_start & to_end)[1:-1] if len(self.times_s) > 2 else from_start[1:])

    def at(self, time_s: float) -> tuple[Array, ...]:
        """The matrices at one moment, between two polls in proportion; empty where nothing is known to move."""
        if not self.times_s or not self.matrices.size:
            return ()
        from scipy.spatial.transform import Rotation, Slerp

        time_s = float(np.clip(time_s, self.times_s[0], self.times_s[-1]))
        after = int(np.searchsorted(self.times_s, time_s))
        if self.times_s[after] == time_s:
            return tuple(self.matrices[after])
        low, high = self.times_s[after - 1], self.times_s[after]
        share = (time_s - low) / (high - low)
        result = []
        for one, other in zip(self.matrices[after - 1], self.matrices[after], strict=True):
            between = one + share * (other - one)
            turns = Rotation.from_matrix(np.array([one[:3, :3], other[:3, :3]]))
            between[:3, :3] = Slerp([0.0, 1.0], turns)([share]).as_matrix()[0]
            result.append(between)
        return tuple(result)

    def places(self) -> list[Array]:
        """Points (n, 3) that the pieces come through, as far as a picture follows them."""
        if not self.matrices.size:
            return []
        centres = self.matrices[:, :, :3, 3].reshape(-1, 3)
        near = np.all((centres[:, :2] > -FARTHEST_UNITS) & (centres[:, :2] < 10 + FARTHEST_UNITS), axis=1)
        kept = centres[near]
        return [kept.min(axis=0)[None], kept.max(axis=0)[None]] if len(kept) else []


STILL = Motion()


def motion_of(replay: Replay, tower: Tower, placed: Sequence[Array], without_pawns: bool = False) -> Motion:
    """The motion of a tower, whose pieces were set down at `placed`; what the replay leaves out stays there.

    `without_pawns` tells that the pawns have left: the replay shows what their weight had held.

    A replay knows centres of mass and turns since the start, so each piece is carried along rigidly from where
    it was set down.
    """
    things = (*tower.blocks, *tower.pawns)
    followed = {thing: place for place, thing in enumerate((*replay.blocks, *replay.pawns))}
    present = tuple(thing in followed or not (without_pawns and isinstance(thing, Pawn)) for thing in things)
    times = len(replay.times_s)
    poses = np.array(replay.poses, dtype=float).reshape(times, len(followed), 7)
    known = np.isfinite(poses).all(axis=(1, 2))
    if not known.all():  # a simulation that left all bounds is shown as far as it went
        times = int(np.argmin(known))
        poses = poses[:times]
    rows = []
    for thing, matrix, there in zip(things, placed, present, strict=True):
        if thing in followed:
            rows.append(_carried(poses[:, followed[thing]], matrix))
        elif there:
            rows.append(np.repeat(matrix[None], times, axis=0))
    if not rows or not times:
        return Motion(present=present)
    return Motion(replay.times_s[:times], np.stack(rows, axis=1), present)


def _carried(poses: Array, matrix: Array) -> Array:
    """(times, 4, 4) of a piece with these poses (times, 7) that was set down at `matrix`."""
    from scipy.spatial.transform import Rotation

    turns = Rotation.from_quat(poses[:, 3:]).as_matrix()
    turns = turns @ turns[0].T
    result = np.repeat(np.eye(4)[None], len(poses), axis=0)
    result[:, :3, :3] = turns @ matrix[:3, :3]
    result[:, :3, 3] = np.einsum("tij,j->ti", turns, matrix[:3, 3] - poses[0, :3]) + poses[:, :3]
    return result
