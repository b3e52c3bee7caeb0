"""What is written into a picture: lengths on blocks, coordinates round the board, levels on the measuring bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import ImageDraw, ImageFont

from talo_physics.faces.view.camera import Camera, View
from talo_physics.faces.view.drawing import Drawing, Solid
from talo_physics.faces.view.palette import FAINT_INK, STAFF, ink_on
from talo_physics.faces.view.raster import NOTHING
from talo_physics.faces.view.scene import Piece, Scene
from talo_physics.faces.view.shapes import Array, box_shell
from talo_physics.geometry.board import SIZE

GAP = 0.72
"""Units between the board's edge and what is written beside it."""
STAFF_HALF = 0.09
LEAST_STAFF, GOAL, MOST_STAFF = 4, 10, 40
"""Levels on the measuring bar: one more than the tower has up to level 10, where a game ends."""
SMALLEST_TEXT = 7
_STEEP_DEG = 70
"""From above, a measuring bar is only a dot."""
_PATCH = 0.3
"""A length is printed where this much of a unit round it is seen."""


@dataclass(frozen=True)
class Mark:
    """Something written at a point in space."""

    text: str
    at: tuple[float, float, float]


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font that comes with Pillow: nothing from outside is needed."""
    return ImageFont.load_default(size)


# ---- the measuring bar


def staff_foot(view: View) -> tuple[float, float]:
    """Where the measuring bar stands: beside the corner that is seen farthest to the left, in front of all blocks."""
    right, _, forward = view.axes
    corners = [(x, y) for x in (-GAP, SIZE + GAP) for y in (-GAP, SIZE + GAP)]
    return min(corners, key=lambda c: (round(float(right[:2] @ c), 1), float(forward[:2] @ c)))


def staff_levels(scene: Scene) -> int:
    """How many levels the measuring bar has."""
    top = int(np.ceil(scene.top - 0.01))
    return min(max(LEAST_STAFF, min(top + 1, GOAL), top), MOST_STAFF)


def staff(view: View, levels: int) -> list[Solid]:
    """The measuring bar, a solid a level; none where it is looked at from above."""
    if view.up_deg > _STEEP_DEG:
        return []
    x, y = staff_foot(view)
    shell = box_shell(np.array([STAFF_HALF, STAFF_HALF, 0.5]))
    return [
        Solid(tuple(face + np.array([x, y, level + 0.5]) for face in shell), STAFF[level % 2], smooth=True, casts=False)
        for level in range(levels)
    ]


def staff_marks(view: View, levels: int) -> list[Mark]:
    """The levels, to the left of the bar."""
    if view.up_deg > _STEEP_DEG:
        return []
    x, y = np.array(staff_foot(view)) - 0.36 * view.axes[0][:2]
    return [Mark(str(level), (x, y, float(level))) for level in range(levels + 1)]


# ---- coordinates


def coordinates(view: View, board_has_fields: bool) -> tuple[list[Mark], list[Mark]]:
    """The numbers along x and along y, at the edges nearest to whoever looks, else at the right.

    On a board they number the fields; on the bare table, where blocks lie anywhere, they are a ruler.
    """
    near_x, near_y = (_near_edge(view, axis) for axis in (0, 1))
    middle, count = (0.5, SIZE) if board_has_fields else (0.0, SIZE + 1)
    along_x = [Mark(str(i), (i + middle, near_y, 0.0)) for i in range(count)]
    along_y = [Mark(str(i), (near_x, i + middle, 0.0)) for i in range(count)]
    along_x.append(Mark("x", (SIZE / 2, near_y + np.sign(near_y) * GAP, 0.0)))
    along_y.append(Mark("y", (near_x + np.sign(near_x) * GAP, SIZE / 2, 0.0)))
    return along_x, along_y


def _near_edge(view: View, axis: int) -> float:
    right, _, forward = view.axes
    return min((SIZE + GAP, -GAP), key=lambda edge: (round(float(forward[axis]) * edge, 3), -float(right[axis]) * edge))


def write_row(draw: ImageDraw.ImageDraw, drawing: Drawing, marks: Sequence[Mark], size: int) -> None:
    """Write marks along a line, so many of them as have room and are not hidden."""
    if not marks:
        return
    pixels = drawing.camera.project(np.array([mark.at for mark in marks]))[:, :2]
    steps = np.abs(np.diff(pixels[:10], axis=0))
    room = np.maximum(steps[:, 0] / (1.15 * size), steps[:, 1] / (0.8 * size))
    every = max(1, int(np.ceil(1 / max(float(room.min()), 0.05)))) if len(room) else 1
    for number, (mark, (x, y)) in enumerate(zip(marks, pixels, strict=True)):
        has_room = number % every == 0 or not mark.text.isdecimal()
        if has_room and drawing.sees(NOTHING, np.array([[x, y]])):
            draw.text((x, y), mark.text, FAINT_INK, font(size), anchor="mm")


# ---- lengths


def write_lengths(draw: ImageDraw.ImageDraw, drawing: Drawing, pieces: Sequence[Piece]) -> None:
    """Print each block's length where most of it is seen; not at all where too little is."""
    for number, piece in enumerate(pieces):
        if not piece.label:
            continue
        for middle, patch, side in _places(drawing.camera, piece):
            if drawing.sees(number, patch):
                size = int(min(side * 0.58, 40))
                if size >= SMALLEST_TEXT:
                    draw.text(tuple(middle), piece.label, ink_on(piece.colour), font(size), anchor="mm")
                break


def _places(camera: Camera, piece: Piece) -> Iterator[tuple[Array, Array, float]]:
    """Where a length could be printed, best first: the pixel, pixels round it, and the room in pixels."""
    turn, centre = piece.matrix[:3, :3], piece.matrix[:3, 3]
    half = np.abs(np.vstack(piece.shell)).max(axis=0)
    cells = max(1, round(2 * float(half[0])))
    steps = (np.arange(cells) - (cells - 1) / 2) * 2 * half[0] / cells
    found = []
    for axis in range(3):
        normal = turn[:, axis]
        outwards = 1.0 if normal @ (camera.eye - centre) > 0 else -1.0
        one, other = (turn[:, i] * half[1] for i in range(3) if i != axis)
        face = centre + outwards * half[axis] * normal
        for step in [0.0] if axis == 0 else steps:
            middle = face + step * turn[:, 0]
            patch = np.array([middle + a * one + b * other for a, b in ((0, 0), *_AROUND)])
            pixels = camera.project(patch)[:, :2]
            (ax, ay), (bx, by) = (pixels[[1, 3]] - pixels[[2, 4]]) / (2 * _PATCH)
            area = abs(float(ax * by - ay * bx))
            room = area / max(float(np.hypot(ax, ay)), float(np.hypot(bx, by)), 1e-9)
            found.append((area, abs(float(step)), pixels[0], pixels, room))
    most = max(place[0] for place in found)
    # Of places about as large the one nearest to the block's middle.
    for _, _, middle, pixels, side in sorted(found, key=lambda place: (-round(3 * place[0] / most), place[1])):
        yield middle, pixels, side


_AROUND = ((2 * _PATCH, 0), (-2 * _PATCH, 0), (0, 2 * _PATCH), (0, -2 * _PATCH))
