"""The eight symmetries of the board, and the one form that stands for all towers that look alike.

A physics engine is not symmetric to the last bit. So what is simulated is not the tower itself but its
canonical form: turned, mirrored and moved to one fixed place, its blocks in one fixed order. Towers that look
alike then get the same answer, bit for bit, and the canonical form is the key of a cache.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple, TypeVar

from talo_physics.tower.pawn import Surface
from talo_physics.tower.placement import Block, Placement

T = TypeVar("T", int, float)
Direction = tuple[int, int]
"""A compass direction on the table: (1, 0) is along x, (1, 1) diagonal; (0, 0) is none."""
BlockKey = tuple[int, int, int, str, int]
SceneKey = tuple[tuple[BlockKey, ...], tuple[tuple[int, int, int], ...]]
_SWAPPED = {"x": "y", "y": "x", "z": "z"}


@dataclass(frozen=True)
class Symmetry:
    """A symmetry of the square: first swap x and y, then mirror x, then mirror y."""

    swap: bool
    mirror_x: bool
    mirror_y: bool

    def field(self, x: int, y: int) -> tuple[int, int]:
        """Where the field x,y goes. Mirrors are about the grid line 0, so that fields land on fields."""
        if self.swap:
            x, y = y, x
        return (-1 - x if self.mirror_x else x), (-1 - y if self.mirror_y else y)

    def direction(self, direction: tuple[T, T]) -> tuple[T, T]:
        """Where a direction points afterwards."""
        x, y = direction[::-1] if self.swap else direction
        return (-x if self.mirror_x else x), (-y if self.mirror_y else y)

    def placement(self, block: Placement) -> Placement:
        """Where a block goes."""
        z, x, y, axis, length = self.block_key(block)
        return Placement(length, axis, x, y, z)

    def block_key(self, block: Placement) -> BlockKey:
        """Where a block goes, as a bare row: z, x, y, axis, length."""
        x, y, axis = block.x, block.y, block.axis
        if self.swap:
            x, y, axis = y, x, _SWAPPED[axis]
        # Mirrored, the far end becomes the lowest cell.
        if self.mirror_x:
            x = -x - (block.length if axis == "x" else 1)
        if self.mirror_y:
            y = -y - (block.length if axis == "y" else 1)
        return block.z, x, y, axis, block.length

    def surface(self, surface: Surface) -> Surface:
        """Where a surface goes."""
        return Surface(*self.field(surface.x, surface.y), surface.z)


SYMMETRIES = tuple(Symmetry(*bits) for bits in product((False, True), repeat=3))


def moved(block: Placement, dx: int, dy: int) -> Placement:
    """The block moved along the board."""
    return Placement(block.length, block.axis, block.x + dx, block.y + dy, block.z)


@dataclass(frozen=True)
class Scene:
    """Blocks and the feet of pawns: what one simulation is about."""

    blocks: tuple[Block, ...]
    pawns: tuple[Surface, ...] = ()

    @cached_property
    def on_grid(self) -> bool:
        """Whether every block is on the grid."""
        return all(isinstance(block, Placement) for block in self.blocks)


class Way(NamedTuple):
    """A way from a scene to its canonical form: a symmetry, then a shift, then an order."""

    symmetry: Symmetry
    left: int
    front: int
    blocks: tuple[int, ...]
    """The original index of each canonical block."""
    pawns: tuple[int, ...]


@dataclass(frozen=True)
class Canonical:
    """The canonical form of a scene, and the ways back."""

    scene: Scene
    ways_back: tuple[Way, ...]
    """More than one where the scene is symmetric in itself."""

    def blocks_back(self, indices: Iterable[int]) -> set[int]:
        """The original indices of canonical blocks; in a symmetric scene, of all that look alike."""
        return {way.blocks[i] for i in indices for way in self.ways_back}

    def pawns_back(self, indices: Iterable[int]) -> set[int]:
        """The original indices of canonical pawns; in a symmetric scene, of all that look alike."""
        return {way.pawns[i] for i in indices for way in self.ways_back}


def canonical(scene: Scene) -> Canonical:
    """The canonical form: the least of the eight, with blocks and pawns sorted and shifted to the corner.

    Free poses have no such form; their blocks are only put in order.
    """
    placements = tuple(block for block in scene.blocks if isinstance(block, Placement))
    if len(placements) < len(scene.blocks):
        return _ordered(scene)
    forms = [_Form(symmetry, placements, scene.pawns) for symmetry in SYMMETRIES]
    least = min(form.key for form in forms)
    blocks = tuple(Placement(length, axis, x, y, z) for z, x, y, axis, length in least[0])
    pawns = tuple(Surface(x, y, z) for z, x, y in least[1])
    return Canonical(Scene(blocks, pawns), tuple(form.way() for form in forms if form.key == least))


def _ordered(scene: Scene) -> Canonical:
    block_order = tuple(sorted(range(len(scene.blocks)), key=lambda i: str(scene.blocks[i])))
    pawn_order = tuple(sorted(range(len(scene.pawns)), key=scene.pawns.__getitem__))
    sorted_scene = Scene(tuple(scene.blocks[i] for i in block_order), tuple(scene.pawns[i] for i in pawn_order))
    return Canonical(sorted_scene, (Way(SYMMETRIES[0], 0, 0, block_order, pawn_order),))


class _Form:
    """A scene as one of the symmetries turns it, shifted to the corner."""

    def __init__(self, symmetry: Symmetry, blocks: tuple[Placement, ...], pawns: tuple[Surface, ...]) -> None:
        self.symmetry = symmetry
        turned = [symmetry.block_key(block) for block in blocks]
        feet = [(*symmetry.field(pawn.x, pawn.y), pawn.z) for pawn in pawns]
        self.left = left = min([*(row[1] for row in turned), *(foot[0] for foot in feet)], default=0)
        self.front = front = min([*(row[2] for row in turned), *(foot[1] for foot in feet)], default=0)
        self.blocks: list[BlockKey] = [(z, x - left, y - front, axis, length) for z, x, y, axis, length in turned]
        self.pawns = [(z, x - left, y - front) for x, y, z in feet]
        # Sorted from the ground up: the order in which people build is also the solver's best.
        self.key: SceneKey = tuple(sorted(self.blocks)), tuple(sorted(self.pawns))

    def way(self) -> Way:
        """The way from the scene to this form."""
        blocks = sorted(range(len(self.blocks)), key=self.blocks.__getitem__)
        pawns = sorted(range(len(self.pawns)), key=self.pawns.__getitem__)
        return Way(self.symmetry, self.left, self.front, tuple(blocks), tuple(pawns))
