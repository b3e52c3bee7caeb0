"""A scene as a few arrays, so that a page gets it in a few messages: all blocks in one, all lines in another.

Blocks are unit cubes, stretched to their sides. Edges and printed lengths are lines that go along with their block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from talo_physics.faces.view.palette import PROPOSED, Colour, ink_on, mixed
from talo_physics.faces.view.scene import Piece, Scene
from talo_physics.faces.view.shapes import Array, Shell, box_shell, quaternions
from talo_physics.tower.pawn import Surface
from talo_physics.tower.placement import Cell, Placement

Index = NDArray[np.int64]
Bytes = NDArray[np.uint8]
PROUD = 0.012
"""How far printed lengths stand off a face, so that they are seen."""
DIGIT_HEIGHT = 0.46
EDGE_SHADE = 0.5
FLAT = 0.03
"""How far a marked surface lies above what it marks."""
MARK_HALF = 0.4
# Strokes of the digits in a box of 1 x 2, from the lower left.
_STROKES: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "0": (((0, 0), (1, 0), (1, 2), (0, 2), (0, 0)),),
    "1": (((0.1, 1.5), (0.6, 2), (0.6, 0)),),
    "2": (((0, 2), (1, 2), (1, 1), (0, 1), (0, 0), (1, 0)),),
    "3": (((0, 2), (1, 2), (1, 0), (0, 0)), ((0.2, 1), (1, 1))),
    "4": (((0, 2), (0, 0.8), (1, 0.8)), ((0.8, 1.6), (0.8, 0))),
    "5": (((1, 2), (0, 2), (0, 1), (1, 1), (1, 0), (0, 0)),),
    "6": (((1, 2), (0, 2), (0, 0), (1, 0), (1, 1), (0, 1)),),
    "7": (((0, 2), (1, 2), (0.4, 0)),),
    "8": (((0, 0), (1, 0), (1, 2), (0, 2), (0, 0)), ((0, 1), (1, 1))),
    "9": (((1, 1), (0, 1), (0, 2), (1, 2), (1, 0), (0, 0)),),
}


class Mesh(NamedTuple):
    """Corners (n, 3) and triangles (m, 3)."""

    vertices: Array
    faces: Index


class Poses(NamedTuple):
    """Where things are: places (n, 3) and turns as quaternions w, x, y, z (n, 4)."""

    positions: Array
    wxyzs: Array


class Lines(NamedTuple):
    """Segments (n, 2, 3), and the colours of their ends (n, 2, 3)."""

    points: Array
    colours: Bytes


def mesh_of(shell: Shell) -> Mesh:
    """Triangles of a shell's flat faces."""
    corners, triangles, count = [], [], 0
    for face in shell:
        corners.append(face)
        triangles += [(count, count + i, count + i + 1) for i in range(1, len(face) - 1)]
        count += len(face)
    return Mesh(np.vstack(corners), np.array(triangles, dtype=np.int64))


UNIT_CUBE = mesh_of(box_shell(np.full(3, 0.5)))


def poses_of(matrices: Sequence[Array]) -> Poses:
    """The poses of matrices (4, 4)."""
    stacked = np.array(matrices).reshape(-1, 4, 4)
    if not len(stacked):
        return Poses(np.zeros((0, 3)), np.zeros((0, 4)))
    return Poses(stacked[:, :3, 3], np.roll(quaternions(stacked[:, :3, :3]), 1, axis=1))


class Picture:
    """The arrays of one scene; blocks and pawns apart, each in the scene's order."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.blocks = [piece for piece in scene.pieces if not piece.is_pawn]
        self.pawns = [piece for piece in scene.pieces if piece.is_pawn]
        self.sides = np.array([_sides(piece) for piece in self.blocks]).reshape(-1, 3)
        self.colours = np.array([piece.colour for piece in self.blocks], dtype=np.uint8).reshape(-1, 3)
        taken = {cell for block in self.blocks if isinstance(block.thing, Placement) for cell in block.thing.cells}
        self._plain = _Strokes([(i, *stroke) for i, piece in enumerate(self.blocks) for stroke in _print(piece, taken)])
        outlined = [
            (i, points, PROPOSED) for i, piece in enumerate(self.blocks) if piece.proposed for points in _edges(piece)
        ]
        self._outlines = _Strokes(outlined)

    def at(self, time_s: float | None) -> list[Array | None]:
        """Where each piece of the scene is; None is where nothing has begun, and for a piece that has left."""
        placed = () if time_s is None else self.scene.motion.at(time_s)
        if not placed:
            return [piece.matrix for piece in self.scene.pieces]
        moving = iter(placed)
        return [next(moving) if there else None for there in self.scene.motion.present]

    def split(self, places: Sequence[Array | None]) -> tuple[list[Array], list[Array | None]]:
        """Places of all pieces as those of blocks, which never leave, and those of pawns."""
        pairs = list(zip(self.scene.pieces, places, strict=True))
        return (
            [piece.matrix if place is None else place for piece, place in pairs if not piece.is_pawn],
            [place for piece, place in pairs if piece.is_pawn],
        )

    def lines(self, blocks: Sequence[Array]) -> Lines:
        """Edges and printed lengths with the blocks where they are."""
        return self._plain.at(blocks)

    def outlines(self, blocks: Sequence[Array]) -> Lines:
        """The outlines of what is proposed, also of what is not there because its space is taken."""
        ghosts = _Strokes(
            [(i, points, PROPOSED) for i, ghost in enumerate(self.scene.ghosts) for points in _edges(ghost)]
        )
        return _joined(self._outlines.at(blocks), ghosts.at([ghost.matrix for ghost in self.scene.ghosts]))


Stroke = tuple[int, Array, Colour]
"""A segment (2, 3) in the frame of the block of this number, and its colour."""


class _Strokes:
    """Segments that go along with their blocks."""

    def __init__(self, strokes: Iterable[Stroke]) -> None:
        listed = list(strokes)
        self.owner = np.array([owner for owner, _, _ in listed], dtype=np.int64)
        self.points = np.array([points for _, points, _ in listed]).reshape(-1, 2, 3)
        self.colours = np.repeat(np.array([c for _, _, c in listed], dtype=np.uint8).reshape(-1, 1, 3), 2, axis=1)

    def at(self, matrices: Sequence[Array]) -> Lines:
        if not len(self.owner):
            return Lines(self.points, self.colours)
        owners = np.array(matrices)[self.owner]
        turned = np.einsum("nij,nkj->nki", owners[:, :3, :3], self.points)
        return Lines(turned + owners[:, None, :3, 3], self.colours)


def _joined(one: Lines, other: Lines) -> Lines:
    return Lines(np.concatenate([one.points, other.points]), np.concatenate([one.colours, other.colours]))


def _sides(piece: Piece) -> Array:
    return np.asarray(2 * np.abs(np.vstack(piece.shell)).max(axis=0))


def _print(piece: Piece, taken: set[Cell]) -> Iterator[tuple[Array, Colour]]:
    """The edges of a block, and its length where it can be seen."""
    dark = mixed(piece.colour, (0, 0, 0), EDGE_SHADE)
    yield from ((points, dark) for points in _edges(piece))
    yield from ((points, ink_on(piece.colour)) for points in _lengths(piece, taken))


def _edges(piece: Piece) -> Iterator[Array]:
    """The twelve edges, (2, 3) each."""
    half = _sides(piece) / 2
    for axis in range(3):
        one, other = (i for i in range(3) if i != axis)
        for a in (-1, 1):
            for b in (-1, 1):
                ends = np.zeros((2, 3))
                ends[:, one], ends[:, other] = a * half[one], b * half[other]
                ends[:, axis] = -half[axis], half[axis]
                yield ends


def _lengths(piece: Piece, taken: set[Cell]) -> Iterator[Array]:
    """The strokes of the printed length, upright as the block was set down; on each face, where nothing hides it."""
    turn, half = piece.matrix[:3, :3], _sides(piece) / 2
    strokes = list(_written(piece.label))
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = sign * np.eye(3)[axis]
            out = turn @ normal
            along = _free_place(piece, out, taken)
            if along is None:
                continue
            up = turn.T @ (np.array([0.0, 0.0, 1.0]) if abs(out[2]) < 0.5 else np.array([0.0, 1.0, 0.0]))
            up -= (up @ normal) * normal  # a block in a free pose leans
            up /= np.linalg.norm(up)
            right = np.cross(up, normal)
            middle = (half[axis] + PROUD) * normal + (along if axis else 0.0) * np.eye(3)[0]
            for stroke in strokes:
                yield np.array([middle + x * right + y * up for x, y in stroke])


def _free_place(piece: Piece, out: Array, taken: set[Cell]) -> float | None:
    """How far from its middle, along the block, a face that looks outwards like this is nearest seen; None: nowhere."""
    block = piece.thing
    if not isinstance(block, Placement):
        return 0.0
    dx, dy, dz = (round(float(part)) for part in out)
    free = [
        place - (block.length - 1) / 2
        for place, (x, y, z) in enumerate(block.cells)
        if (x + dx, y + dy, z + dz) not in taken and z + dz >= 0
    ]
    return min(free, key=abs, default=None)


def _written(text: str) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """The strokes of a number about the origin."""
    scale, wide = DIGIT_HEIGHT / 2, 1.5
    left = -(wide * len(text) - 0.5) / 2
    for place, digit in enumerate(text):
        for line in _STROKES[digit]:
            corners = [(scale * (left + place * wide + x), scale * (y - 1)) for x, y in line]
            yield from pairwise(corners)


def squares(surfaces: Iterable[Surface]) -> Mesh | None:
    """Flat squares on surfaces; None where there are none."""
    corner = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]) * MARK_HALF
    middles = (np.array([surface.x + 0.5, surface.y + 0.5, surface.z + FLAT]) for surface in surfaces)
    shell = tuple(corner + middle for middle in middles)
    return mesh_of(shell) if shell else None
