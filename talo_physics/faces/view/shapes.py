"""Blocks and pawns as closed shells of flat faces, in units, and where each is set down."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from talo_physics.geometry.profile import Profile
from talo_physics.geometry.solids import pawn_outline
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.placement import Block, FreePose, Placement
from talo_physics.tower.stack import bottoms_mm, height_mm, surface_mm
from talo_physics.tower.tower import Tower

Array = NDArray[np.float64]
Shell = tuple[Array, ...]
"""Flat convex faces, each (k, 3), its corners counter-clockwise as seen from outside."""
PAWN_SIDES = 28
# The corners of a box's faces by the signs of its half sides, counter-clockwise as seen from outside.
_BOX = np.array(
    [
        [(1, -1, -1), (1, 1, -1), (1, 1, 1), (1, -1, 1)],
        [(-1, 1, -1), (-1, -1, -1), (-1, -1, 1), (-1, 1, 1)],
        [(1, 1, -1), (-1, 1, -1), (-1, 1, 1), (1, 1, 1)],
        [(-1, -1, -1), (1, -1, -1), (1, -1, 1), (-1, -1, 1)],
        [(-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)],
        [(-1, 1, -1), (1, 1, -1), (1, -1, -1), (-1, -1, -1)],
    ],
    dtype=float,
)


def box_shell(half: Array) -> Shell:
    """A box centred on the origin."""
    return tuple(face * half for face in _BOX)


def half_sides(profile: Profile, length: int) -> Array:
    """Half the sides of a block that lies along x, in units."""
    block = profile.blocks[length]
    sides = np.array([block.length_mm.value, block.section_mm.value, block.section_mm.value])
    return np.asarray(sides / 2 / profile.pitch_mm.value)


@lru_cache(maxsize=32)
def pawn_shell(profile: Profile) -> Shell:
    """A pawn that stands on the origin."""
    rings = []
    angles = 2 * np.pi * np.arange(PAWN_SIDES) / PAWN_SIDES
    for radius, height in pawn_outline(profile) / profile.pitch_mm.value:
        rings.append(np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(PAWN_SIDES, height)]))
    faces = []
    for low, high in pairwise(rings[1:-1]):  # between the foot's rim and the crown
        for i in range(PAWN_SIDES):
            j = (i + 1) % PAWN_SIDES
            faces.append(np.array([low[i], low[j], high[j], high[i]]))
    crown = [np.array([rings[-2][i], rings[-2][(i + 1) % PAWN_SIDES], rings[-1][0]]) for i in range(PAWN_SIDES)]
    return (*faces, *crown, rings[1][::-1])


def shell_of(profile: Profile, thing: Block | Pawn) -> Shell:
    """The shell of a block lying along x about the origin, or of a pawn standing on it."""
    return pawn_shell(profile) if isinstance(thing, Pawn) else box_shell(half_sides(profile, thing.length))


def set_down(profile: Profile, tower: Tower) -> tuple[Array, ...]:
    """Where the shells of the tower's blocks, then of its pawns stand: matrices (4, 4), in units."""
    bottoms = bottoms_mm(profile, tower)
    blocks = [
        _free_pose(block) if isinstance(block, FreePose) else _on_grid(profile, block, bottom)
        for block, bottom in zip(tower.blocks, bottoms, strict=True)
    ]
    return (*blocks, *(_pawn(profile, tower, bottoms, pawn) for pawn in tower.pawns))


def _on_grid(profile: Profile, block: Placement, bottom_mm: float) -> Array:
    centre = (np.array(block.cells[0]) + np.array(block.cells[-1]) + 1) / 2
    centre[2] = (bottom_mm + height_mm(profile, block) / 2) / profile.pitch_mm.value
    along = {"x": (0, 1, 2), "y": (1, 2, 0), "z": (2, 0, 1)}[block.axis]  # where the shell's own axes go
    return _matrix(np.eye(3)[:, along], centre)


def _free_pose(pose: FreePose) -> Array:
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_euler("XYZ", (pose.rx, pose.ry, pose.rz), degrees=True).as_matrix()
    return _matrix(turn, np.array([pose.x, pose.y, pose.z]))


def _pawn(profile: Profile, tower: Tower, bottoms: list[float], pawn: Pawn) -> Array:
    foot = surface_mm(profile, tower, bottoms, pawn.surface) / profile.pitch_mm.value
    return _matrix(np.eye(3), np.array([pawn.x + 0.5, pawn.y + 0.5, foot]))


def _matrix(turn: Array, place: Array) -> Array:
    matrix = np.eye(4)
    matrix[:3, :3] = turn
    matrix[:3, 3] = place
    return matrix


def quaternions(turns: Array) -> Array:
    """Rotation matrices (n, 3, 3) as quaternions x, y, z, w (n, 4); by hand, since scipy takes long to import."""
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(turns, 0, -1)
    # Each row is four times one part of the quaternion times the whole of it; the largest part is told best.
    rows = np.array(
        [
            (1 + a - e - i, b + d, c + g, h - f),
            (b + d, 1 - a + e - i, f + h, c - g),
            (c + g, f + h, 1 - a - e + i, d - b),
            (h - f, c - g, d - b, 1 + a + e + i),
        ]
    )
    largest = rows.diagonal().argmax(axis=-1)  # of (n, 4)
    found = rows[largest, :, np.arange(len(turns))]
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def moved(shell: Shell, matrix: Array) -> Shell:
    """The shell where the matrix puts it."""
    return tuple(face @ matrix[:3, :3].T + matrix[:3, 3] for face in shell)
