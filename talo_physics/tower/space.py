"""Who is in whose space, for blocks on the grid and in free poses alike.

Boxes here have their nominal size: a block of length n fills n x 1 x 1 units.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from talo_physics.tower.pawn import COLOURS, Pawn, Surface
from talo_physics.tower.placement import Block, FreePose, Placement
from talo_physics.tower.tower import Tower

Array = NDArray[np.float64]
SLACK_UNITS = 0.02
"""Two blocks by hand touch, they do not overlap: this much of each other's space is the play of the grid."""
NEAR_UNITS = 0.05
"""A block this close above another rests on it once let go."""
_EXACT = 1e-6
_PAWN_HALF = (0.375, 0.375, 0.9)


@dataclass(frozen=True)
class Box:
    """A box anywhere: centre (3,), half sides (3,), and its axes as the columns of a rotation (3, 3)."""

    centre: Array
    half: Array
    axes: Array

    @property
    def corners(self) -> Array:
        """(8, 3)."""
        signs = np.array(list(product((-1.0, 1.0), repeat=3)))
        return np.asarray(self.centre + (signs * self.half) @ self.axes.T)

    def lowered(self, by: float) -> Box:
        """The box a little further down."""
        return Box(self.centre - (0.0, 0.0, by), self.half, self.axes)

    def overlaps(self, other: Box, slack: float = SLACK_UNITS) -> bool:
        """Whether they share more space than the slack: no axis separates them."""
        between = other.centre - self.centre
        if between @ between > (np.linalg.norm(self.half) + np.linalg.norm(other.half)) ** 2:
            return False
        edges = [np.cross(a, b) for a in self.axes.T for b in other.axes.T]
        for axis in (*self.axes.T, *other.axes.T, *edges):
            norm = np.linalg.norm(axis)
            if norm < 1e-9:
                continue  # parallel edges separate nothing that the faces do not
            unit = axis / norm
            reach = np.abs(unit @ self.axes) @ self.half + np.abs(unit @ other.axes) @ other.half
            if reach - abs(unit @ between) <= slack:
                return False
        return True


def box_of(block: Block | Pawn) -> Box:
    """The space of a block or pawn."""
    if isinstance(block, FreePose):
        from scipy.spatial.transform import Rotation

        axes = Rotation.from_euler("XYZ", (block.rx, block.ry, block.rz), degrees=True).as_matrix()
        return Box(np.array([block.x, block.y, block.z]), np.array([block.length / 2, 0.5, 0.5]), axes)
    if isinstance(block, Pawn):
        centre = np.array([block.x + 0.5, block.y + 0.5, block.z + _PAWN_HALF[2]])
        return Box(centre, np.array(_PAWN_HALF), np.eye(3))
    low, high = np.array(block.cells[0], dtype=float), np.array(block.cells[-1], dtype=float) + 1.0
    return Box((low + high) / 2, (high - low) / 2, np.eye(3))


def clashes(tower: Tower, block: Block) -> list[Block | Pawn]:
    """The blocks and pawns of the tower in whose space the block would be."""
    if isinstance(block, Placement) and tower.on_grid:
        return tower.clashes(block)
    box = box_of(block)
    return [other for other in (*tower.blocks, *tower.pawns) if box.overlaps(box_of(other))]


def sinks(block: Block) -> bool:
    """Whether the block would be in the space of the board or table."""
    return bool(box_of(block).corners[:, 2].min() < -SLACK_UNITS)


def rests(tower: Tower, block: Block) -> bool:
    """Whether the block rests on the board or on a block of the tower."""
    if isinstance(block, Placement) and tower.on_grid:
        return tower.is_supported(block)
    box = box_of(block)
    if box.corners[:, 2].min() <= NEAR_UNITS:
        return True
    lowered = box.lowered(NEAR_UNITS + SLACK_UNITS)
    return any(lowered.overlaps(box_of(other)) for other in tower.blocks if other != block)


def has_room(tower: Tower, surface: Surface) -> bool:
    """Whether one more pawn fits on the surface."""
    if surface not in tower.standing_room:
        return False
    pawn = box_of(Pawn(COLOURS[0], surface.x, surface.y, surface.z))
    return tower.on_grid or not any(pawn.overlaps(box_of(block)) for block in tower.blocks)


def snapped(pose: FreePose) -> Placement | None:
    """The placement that a free pose amounts to; None if it is off the grid or under the board."""
    box = box_of(pose)
    corners = box.corners
    square = np.allclose(np.abs(box.axes).max(axis=0), 1.0, atol=_EXACT)
    if not square or not np.allclose(corners, np.round(corners), atol=_EXACT) or corners[:, 2].min() < -_EXACT:
        return None
    axis = "xyz"[int(np.argmax(np.abs(box.axes[:, 0])))]
    x, y, z = (int(value) for value in np.round(corners.min(axis=0)))
    return Placement(pose.length, axis, x, y, z)


def defects(tower: Tower) -> Iterator[tuple[str, int, str]]:
    """Everything that keeps a tower from existing: "tower" or "pawns", which one, and in words."""
    yield from tower.defects()
    if tower.on_grid:
        return
    for index, (block, found) in enumerate(fitting(Tower(), tower.blocks)):
        if found:
            yield "tower", index, f"{block} overlaps {found[0]}"
        elif sinks(block):
            yield "tower", index, f"{block} is sunk into the table"
        elif not rests(tower, block):
            yield "tower", index, f"{block} floats: nothing is under it"


def fitting(tower: Tower, blocks: Iterable[Block]) -> Iterator[tuple[Block, list[Block | Pawn]]]:
    """For each block in turn what it clashes with; what clashes takes no space from the next ones."""
    for block in blocks:
        found = clashes(tower, block)
        if not found:
            tower = tower.plus([block])
        yield block, found
