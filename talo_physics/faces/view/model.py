"""A scene as a GLB file, which other programs open: metres, y up, a node a piece, named by its text form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from talo_physics.faces.solids import painted
from talo_physics.faces.view.ground import RIM, field_colour
from talo_physics.faces.view.palette import TABLE, WOOD
from talo_physics.faces.view.scene import Piece, Scene
from talo_physics.geometry.board import LAND, SIZE
from talo_physics.geometry.solids import block_solid, pawn_solid
from talo_physics.tower.pawn import Pawn

if TYPE_CHECKING:
    import trimesh

BOARD_THICKNESS = 0.2
_MM_TO_M = 1e-3
_Y_UP = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], dtype=float)


def glb(scene: Scene) -> bytes:
    """The scene as a GLB file."""
    made: Any = solid_scene(scene)  # trimesh's export has no types
    return bytes(made.export(file_type="glb"))


def solid_scene(scene: Scene) -> trimesh.Scene:
    """The scene as solids with their chamfers, on its board."""
    import trimesh

    made = trimesh.Scene()
    metres = scene.profile.pitch_mm.value * _MM_TO_M
    to_world = _Y_UP @ np.diag([metres, metres, metres, 1.0])
    made.add_geometry(_board(scene), node_name=f"board {scene.board.name}", transform=to_world)
    for number, piece in enumerate(scene.pieces):
        made.add_geometry(
            _solid(scene, piece), node_name=f"{piece.thing}", geom_name=f"{number}", transform=to_world @ piece.matrix
        )
    return made


def _solid(scene: Scene, piece: Piece) -> trimesh.Trimesh:
    thing, profile = piece.thing, scene.profile
    solid = pawn_solid(profile) if isinstance(thing, Pawn) else block_solid(profile, thing.length)
    solid.vertices /= profile.pitch_mm.value
    return painted(solid, piece.colour)


def _board(scene: Scene) -> Any:
    """A plate with its fields, their tops on level 0."""
    import trimesh

    fields = scene.board.fields
    plate = _box(-RIM, -RIM, SIZE + RIM, SIZE + RIM, -BOARD_THICKNESS, -0.01)
    parts = [painted(plate, TABLE if fields is None else WOOD[9])]
    for x in range(SIZE) if fields else ():
        for y in range(SIZE):
            colour = field_colour(scene.board.field(x, y) or LAND, x, y)
            parts.append(painted(_box(x, y, x + 1, y + 1, -0.01, 0.0), colour))
    whole: Any = trimesh.util.concatenate(parts)
    return whole


def _box(x0: float, y0: float, x1: float, y1: float, low: float, high: float) -> trimesh.Trimesh:
    import trimesh

    made: trimesh.Trimesh = trimesh.creation.box(bounds=[(x0, y0, low), (x1, y1, high)])
    return made
