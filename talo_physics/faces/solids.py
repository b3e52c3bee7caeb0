"""Blocks, pawns and whole towers as files that other programs read: GLB, STL, PLY, OBJ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from talo_physics.errors import TaloError
from talo_physics.geometry.profile import Profile
from talo_physics.geometry.solids import block_solid, pawn_solid
from talo_physics.tower.placement import FreePose, Placement
from talo_physics.tower.stack import bottoms_mm, height_mm, surface_mm
from talo_physics.tower.tower import Tower
from talo_physics.writing import write_whole

if TYPE_CHECKING:
    import trimesh

ENDINGS = (".glb", ".stl", ".ply", ".obj")
_WOOD = (205, 170, 125, 255)
_PAWN_COLOURS = {
    "yellow": (240, 200, 40, 255),
    "red": (200, 40, 40, 255),
    "blue": (40, 80, 200, 255),
    "green": (40, 150, 60, 255),
    "pink": (235, 120, 170, 255),
    "orange": (240, 130, 30, 255),
}


def tower_scene(tower: Tower, profile: Profile) -> trimesh.Scene:
    """The tower as solids in millimetres, each node named by its text form; z is up."""
    import trimesh

    scene = trimesh.Scene()
    bottoms = bottoms_mm(profile, tower)
    for number, (block, bottom) in enumerate(zip(tower.blocks, bottoms, strict=True)):
        solid = block_solid(profile, block.length)
        _paint(solid, _WOOD)
        turn = _free_pose(profile, block) if isinstance(block, FreePose) else _on_grid(profile, block, bottom)
        scene.add_geometry(solid, node_name=f"{block}", geom_name=f"block {number}", transform=turn)
    for pawn in tower.pawns:
        solid = pawn_solid(profile)
        _paint(solid, _PAWN_COLOURS[pawn.colour])
        pitch = profile.pitch_mm.value
        foot = surface_mm(profile, tower, bottoms, pawn.surface)
        move = np.eye(4)
        move[:3, 3] = ((pawn.x + 0.5) * pitch, (pawn.y + 0.5) * pitch, foot)
        scene.add_geometry(solid, node_name=str(pawn), geom_name=f"pawn {pawn.colour}", transform=move)
    return scene


def _paint(solid: trimesh.Trimesh, colour: tuple[int, int, int, int]) -> None:
    import trimesh

    solid.visual = trimesh.visual.ColorVisuals(solid, face_colors=np.tile(colour, (len(solid.faces), 1)))


def _on_grid(profile: Profile, block: Placement, bottom_mm: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    pitch = profile.pitch_mm.value
    first, last = np.array(block.cells[0]), np.array(block.cells[-1]) + 1
    centre = (first + last) / 2 * pitch
    centre[2] = bottom_mm + height_mm(profile, block) / 2
    along = {"x": (0, 1, 2), "y": (1, 2, 0), "z": (2, 0, 1)}[block.axis]  # where the solid's own axes go
    matrix = np.eye(4)
    matrix[:3, :3] = np.eye(3)[:, along]
    matrix[:3, 3] = centre
    return matrix


def _free_pose(profile: Profile, pose: FreePose) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    from scipy.spatial.transform import Rotation

    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_euler("XYZ", (pose.rx, pose.ry, pose.rz), degrees=True).as_matrix()
    matrix[:3, 3] = np.array([pose.x, pose.y, pose.z]) * profile.pitch_mm.value
    return matrix


def save_solid(solid: trimesh.Trimesh | trimesh.Scene, path: Path | str) -> None:
    """Write a block, a pawn or a tower; the ending chooses the format. The file is there whole or not at all."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise TaloError(f"{path}: solids are written as {', '.join(ENDINGS)}")
    data: Any = solid.export(file_type=path.suffix.lower()[1:])
    write_whole(path, data.encode() if isinstance(data, str) else data)
