"""Blocks, pawns and whole towers as files that other programs read: GLB, STL, PLY, OBJ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from talo_physics.errors import TaloError
from talo_physics.faces.view.palette import PAWNS, WOOD, Colour
from talo_physics.faces.view.shapes import set_down
from talo_physics.geometry.profile import Profile
from talo_physics.geometry.solids import block_solid, pawn_solid
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.placement import Block
from talo_physics.tower.tower import Tower
from talo_physics.writing import write_whole

if TYPE_CHECKING:
    import trimesh

ENDINGS = (".glb", ".stl", ".ply", ".obj")


def tower_scene(tower: Tower, profile: Profile) -> trimesh.Scene:
    """The tower as solids in millimetres, each node named by its text form; z is up."""
    import trimesh

    scene = trimesh.Scene()
    pitch = profile.pitch_mm.value
    things: tuple[Block | Pawn, ...] = (*tower.blocks, *tower.pawns)
    for number, (thing, matrix) in enumerate(zip(things, set_down(profile, tower), strict=True)):
        if isinstance(thing, Pawn):
            solid, name = painted(pawn_solid(profile), PAWNS[thing.colour]), f"pawn {thing.colour}"
        else:
            solid, name = painted(block_solid(profile, thing.length), WOOD[thing.length]), f"block {number}"
        in_mm = matrix.copy()
        in_mm[:3, 3] *= pitch
        scene.add_geometry(solid, node_name=str(thing), geom_name=name, transform=in_mm)
    return scene


def painted(solid: trimesh.Trimesh, colour: Colour) -> trimesh.Trimesh:
    """The solid in one colour."""
    import trimesh

    solid.visual = trimesh.visual.ColorVisuals(solid, face_colors=np.tile((*colour, 255), (len(solid.faces), 1)))
    return solid


def save_solid(solid: trimesh.Trimesh | trimesh.Scene, path: Path | str) -> None:
    """Write a block, a pawn or a tower; the ending chooses the format. The file is there whole or not at all."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise TaloError(f"{path}: solids are written as {', '.join(ENDINGS)}")
    data: Any = solid.export(file_type=path.suffix.lower()[1:])
    write_whole(path, data.encode() if isinstance(data, str) else data)
