"""The solid part of a picture: ground, pieces, measuring bar, with light, shadows and outlines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from talo_physics.faces.view.camera import Camera
from talo_physics.faces.view.ground import ground_of
from talo_physics.faces.view.light import Shadows, brightness, sun_for
from talo_physics.faces.view.palette import BACKGROUND, FALLEN, PROPOSED, Colour
from talo_physics.faces.view.raster import NOTHING, Raster
from talo_physics.faces.view.scene import Piece, Scene
from talo_physics.faces.view.shapes import Array, Shell
from talo_physics.geometry.board import Board
from talo_physics.tower.proposal import PawnMove

MOST_PIXELS = 9_000_000
"""Of the picture before it is made smaller; larger ones are drawn with fewer pixels a pixel."""
FOG_FROM, FOG_TO = 9.0, 26.0
"""Units from the board's middle between which the table fades into the background."""
GROUND_SHADE = 0.36
"""How much darker the ground is in shadow."""
_RING_UNITS = 0.36
LINE, FAINT_LINE = 0.62, 0.30
"""How dark outlines are: between pieces, and between the faces of one."""


@dataclass(frozen=True, eq=False)
class Solid:
    """Anything with faces: a piece, or a part of the measuring bar."""

    faces: Shell
    colour: Colour
    proposed: bool = False
    smooth: bool = False
    """Whether its inner edges are left out: a pawn is round."""
    casts: bool = True
    """Whether it throws a shadow."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A drawn picture, and which solid is seen at each of its fine pixels."""

    image: Image.Image
    solid: NDArray[np.int32]
    fineness: int
    camera: Camera

    def sees(self, number: int, pixels: Array) -> bool:
        """Whether the solid is what is seen at all these pixels (n, 2)."""
        fine = np.floor(pixels * self.fineness).astype(int)
        height, width = self.solid.shape
        x, y = fine[:, 0], fine[:, 1]
        if x.min() < 0 or y.min() < 0 or x.max() >= width or y.max() >= height:
            return False
        return bool((self.solid[y, x] == number).all())


def solid_of(piece: Piece) -> Solid:
    """A piece as a solid."""
    return Solid(piece.faces, piece.colour, piece.proposed, piece.is_pawn)


def fineness_for(width: int, height: int) -> int:
    """Fine pixels along a pixel's side: the more, the smoother the edges."""
    return 2 if 4 * width * height <= MOST_PIXELS else 1


class Painter:
    """Draws on one board with one camera; what never changes there is worked out once."""

    def __init__(self, board: Board, camera: Camera, size: tuple[int, int]) -> None:
        width, height = size
        self.camera, self.fineness = camera, fineness_for(width, height)
        self.fine = camera.scaled(self.fineness)
        self.shape = (height * self.fineness, width * self.fineness)
        self.sun = sun_for(camera.axes[0])
        self.rays = _rays(self.fine, self.shape)
        # The table's own third value at each pixel; not positive in the sky.
        self.floor = (-self.rays[2] / self.fine.eye[2]).astype(np.float32)
        self.on_table = self.floor > 1e-4
        self.backdrop = self._backdrop(board)

    def _backdrop(self, board: Board) -> NDArray[np.float32]:
        """Table and board in full light, faded into the background far away."""
        pixels = np.empty((*self.shape, 3), dtype=np.float32)
        pixels[:] = BACKGROUND
        x, y = (
            e + r[self.on_table] / self.floor[self.on_table] for e, r in zip(self.fine.eye, self.rays[:2], strict=False)
        )
        fog = ((np.hypot(x - 5, y - 5) - FOG_FROM) / (FOG_TO - FOG_FROM)).clip(0, 1)[:, None].astype(np.float32)
        pixels[self.on_table] = ground_of(board).colours(x, y) * (1 - fog) + np.array(BACKGROUND, np.float32) * fog
        return pixels

    def draw(self, scene: Scene, solids: Sequence[Solid]) -> Drawing:
        """Draw solids, and over them the ghosts and moves that are only proposed."""
        raster = Raster(self.shape[1], self.shape[0])
        owners: list[int] = []
        for number, solid in enumerate(solids):
            cuts = np.cumsum([len(face) for face in solid.faces])[:-1]
            raster.fill_all(np.split(self.fine.project(np.vstack(solid.faces)), cuts), first=len(owners))
            owners += [number] * len(solid.faces)
        owner = np.array([*owners, NOTHING], dtype=np.int32)[raster.face]  # NOTHING is the last one
        pixels = self._shaded(solids, raster)
        pixels = _outlined(pixels, solids, raster, owner, self.fineness)
        image = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
        overlay = ImageDraw.Draw(image)
        for ghost in scene.ghosts:
            _ghost(overlay, ghost, self.fine, self.fineness)
        for move in scene.moves:
            _arrow(overlay, move, self.fine, self.fineness)
        small = image.reduce(self.fineness) if self.fineness > 1 else image
        return Drawing(small, owner, self.fineness, self.camera)

    def _shaded(self, solids: Sequence[Solid], raster: Raster) -> NDArray[np.float32]:
        """The colours of all pixels, with light and shadow but without lines."""
        pixels = self.backdrop.copy()
        covered = raster.face != NOTHING
        hidden = self._hidden(solids, raster, covered)
        pixels *= np.where(covered, 1, 1 - GROUND_SHADE * hidden)[..., None]
        lit, shade = _face_colours(solids, self.sun)
        faces, weight = raster.face[covered], hidden[covered][:, None]
        pixels[covered] = lit[faces] * (1 - weight) + shade[faces] * weight
        return pixels

    def _hidden(self, solids: Sequence[Solid], raster: Raster, covered: NDArray[np.bool_]) -> NDArray[np.float32]:
        """How much of the sun is hidden at each pixel; looked up once for all fine pixels of a pixel."""
        faces = [face for solid in solids if solid.casts for face in solid.faces]
        if not faces:
            return np.zeros(self.shape, dtype=np.float32)
        coarse = (slice(None, None, self.fineness), slice(None, None, self.fineness))
        near = np.where(covered[coarse], raster.near[coarse], self.floor[coarse])
        seen = covered[coarse] | self.on_table[coarse]
        eye = self.fine.eye.astype(np.float32)
        points = tuple(e + r[coarse][seen] / near[seen] for e, r in zip(eye, self.rays, strict=True))
        hidden = np.zeros(seen.shape, dtype=np.float32)
        hidden[seen] = Shadows(faces, self.sun).depth(points)
        return np.repeat(np.repeat(hidden, self.fineness, axis=0), self.fineness, axis=1)


def _rays(camera: Camera, shape: tuple[int, int]) -> tuple[NDArray[np.float32], ...]:
    """What leads from the eye to each pixel's point, in x, y and z; one over the third value times as far."""
    height, width = shape
    by_x, by_y, first = camera.rays()
    columns, rows = np.arange(width), np.arange(height)
    return tuple(
        ((columns * a)[None, :] + (rows * b + c)[:, None]).astype(np.float32)
        for a, b, c in zip(by_x, by_y, first, strict=True)
    )


def _face_colours(solids: Sequence[Solid], sun: Array) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The colour of each face (n, 3) in the sun and in the shade."""
    faces = [face[:3] for solid in solids for face in solid.faces]
    if not faces:
        return np.zeros((0, 3), dtype=np.float32), np.zeros((0, 3), dtype=np.float32)
    first, second, third = np.stack(faces, axis=1)
    normals = np.cross(second - first, third - second)
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-12)[:, None]
    base = np.array([solid.colour for solid in solids for _ in solid.faces], dtype=np.float32)
    bright, dim = brightness(normals, sun)
    return (base * bright[:, None]).astype(np.float32), (base * dim[:, None]).astype(np.float32)


def _outlined(
    pixels: NDArray[np.float32],
    solids: Sequence[Solid],
    raster: Raster,
    owner: NDArray[np.int32],
    fineness: int,
) -> NDArray[np.float32]:
    """The pixels with lines where one solid or face ends and another begins."""
    keys: list[int] = []
    for solid in solids:  # a new key for each face, but one for all faces of what is round
        begin = keys[-1] + 1 if keys else 0
        keys += [begin + (0 if solid.smooth else number) for number in range(len(solid.faces))]
    edge_keys = np.array([*keys, NOTHING], dtype=np.int32)
    borders, creases = _changes(owner), _changes(edge_keys[raster.face])
    pixels *= np.where(borders, 1 - LINE, np.where(creases, 1 - FAINT_LINE, 1.0)).astype(np.float32)[..., None]
    marked = np.array([*(solid.proposed for solid in solids), False])[owner]
    if marked.any():
        line = (borders & _near(marked, 1)) | (creases & marked)
        pixels[_near(line, fineness)] = PROPOSED
    return pixels


def _changes(keys: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Where a pixel differs from its neighbour on the right or below, on both sides of the border."""
    result = np.zeros(keys.shape, dtype=bool)
    sideways, downwards = keys[:, 1:] != keys[:, :-1], keys[1:] != keys[:-1]
    result[:, 1:] |= sideways
    result[:, :-1] |= sideways
    result[1:] |= downwards
    result[:-1] |= downwards
    return result


def _near(mask: NDArray[np.bool_], pixels: int) -> NDArray[np.bool_]:
    """The mask, wider by some pixels on every side."""
    wide = mask.copy()
    for by in range(1, pixels + 1):
        wide[:, by:] |= mask[:, :-by]
        wide[:, :-by] |= mask[:, by:]
    result = wide.copy()
    for by in range(1, pixels + 1):
        result[by:] |= wide[:-by]
        result[:-by] |= wide[by:]
    return result


def _ghost(overlay: ImageDraw.ImageDraw, ghost: Piece, camera: Camera, fineness: int) -> None:
    """The edges of a block that is not there, dashed."""
    for face in ghost.faces:
        pixels = camera.project(face)[:, :2]
        for start, end in zip(pixels, np.roll(pixels, -1, axis=0), strict=True):
            _dashed(overlay, start, end, fineness)


def _dashed(overlay: ImageDraw.ImageDraw, start: Array, end: Array, fineness: int) -> None:
    count = max(1, round(float(np.hypot(*(end - start))) / (9 * fineness)))
    for i in range(count):
        dash = [start + (end - start) * (i + share) / count for share in (0.0, 0.6)]
        overlay.line([tuple(point) for point in dash], fill=FALLEN, width=2 * fineness)


def _arrow(overlay: ImageDraw.ImageDraw, move: PawnMove, camera: Camera, fineness: int) -> None:
    """An arc from head to head of a pawn that moves, and a ring where it stood."""
    around = np.linspace(0, 2 * np.pi, 33)
    foot = np.column_stack([np.cos(around), np.sin(around), 0 * around]) * _RING_UNITS
    ring = camera.project(foot + np.array([move.start.x + 0.5, move.start.y + 0.5, move.start.z]))[:, :2]
    overlay.line([tuple(point) for point in ring], fill=PROPOSED, width=2 * fineness, joint="curve")
    start, end = (np.array([pawn.x + 0.5, pawn.y + 0.5, pawn.z + 1.9]) for pawn in (move.start, move.end))
    share = np.linspace(0, 1, 33)[:, None]
    lift = 4 * share * (1 - share) * (0.5 + 0.12 * float(np.linalg.norm(end - start)))
    way = start + (end - start) * share + lift * np.array([0.0, 0.0, 1.0])
    pixels = camera.project(way)[:, :2]
    overlay.line([tuple(point) for point in pixels], fill=PROPOSED, width=3 * fineness, joint="curve")
    along = pixels[-1] - pixels[-4]
    along = along / max(float(np.hypot(*along)), 1e-9) * 11 * fineness
    across = np.array([-along[1], along[0]]) * 0.5
    overlay.polygon(
        [tuple(pixels[-1]), tuple(pixels[-1] - along + across), tuple(pixels[-1] - along - across)], PROPOSED
    )
