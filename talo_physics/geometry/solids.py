"""Blocks and pawns as solids (trimesh), and what physics needs of them: mass, centre of mass, inertia.

A block is its box with every edge chamfered by the profile's edge inset. A pawn is a solid of revolution: a
low foot, a slender cone and a round head, as an elongated Halma pawn is turned.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from talo_physics.geometry.profile import Profile

if TYPE_CHECKING:
    import trimesh

MM3_TO_M3 = 1e-9
SHARP_MM = 1e-5
"""Edges rounded by less are sharp: no block's is, and the corners of a mesh so close together become one."""
_PAWN_SECTIONS = 48
PAWN_FOOT_SHARE = 0.08
"""The height of a pawn's foot, of the total height."""
# The pawn's outline as (radius / base radius, height / total height), from the foot's centre to the crown.
# The foot carries a cone that ends in a ball; the proportions are assumed, as the profile's figures are.
_PAWN_FOOT = ((0.0, 0.0), (1.0, 0.0), (1.0, PAWN_FOOT_SHARE))
_PAWN_NECK_RADIUS = 0.36  # of the base radius, where the cone meets the head
PAWN_HEAD_RADIUS = 0.5
"""The radius of a pawn's head, of the base radius."""


class MassProperties(NamedTuple):
    """What a rigid body needs to know of its solid; millimetres and grams."""

    mass_g: float
    volume_mm3: float
    centre_mm: tuple[float, float, float]
    """Centre of mass. Blocks: from the box's centre. Pawns: from the middle of the foot, z up."""
    inertia_g_mm2: tuple[float, float, float]
    """Moments about the centre of mass along x, y, z; products vanish by symmetry."""


def block_solid(profile: Profile, length: int) -> trimesh.Trimesh:
    """The solid of a block lying along x, centred on the origin, in millimetres."""
    import trimesh

    block = profile.blocks[length]
    half = np.array([block.length_mm.value, block.section_mm.value, block.section_mm.value]) / 2
    inset = profile.edge_inset_mm.value
    if inset < SHARP_MM:
        box: trimesh.Trimesh = trimesh.creation.box(extents=2 * half)
        return box
    corners = [
        sign * (half - inset * (1 - np.eye(3)[face]))
        for face in range(3)
        for sign in (np.array(s) for s in product((-1, 1), repeat=3))
    ]
    solid: trimesh.Trimesh = trimesh.convex.convex_hull(np.array(corners))
    return solid


def pawn_outline(profile: Profile) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The outline that turns into a pawn: (n, 2) of radius and height in millimetres, from the foot to the crown."""
    radius, height = profile.pawn.base_mm.value / 2, profile.pawn.height_mm.value
    head = PAWN_HEAD_RADIUS * radius
    neck_angle = -np.arccos(_PAWN_NECK_RADIUS / PAWN_HEAD_RADIUS)
    arc = np.linspace(neck_angle, np.pi / 2, 13)
    ball = np.column_stack([head * np.cos(arc), height - head + head * np.sin(arc)])
    ball[-1, 0] = 0.0
    return np.vstack([np.array(_PAWN_FOOT) * (radius, height), ball])


def pawn_solid(profile: Profile) -> trimesh.Trimesh:
    """The solid of a pawn standing on the origin, in millimetres."""
    import trimesh

    solid: trimesh.Trimesh = trimesh.creation.revolve(pawn_outline(profile), sections=_PAWN_SECTIONS)
    return solid


@lru_cache(maxsize=256)
def block_mass(profile: Profile, length: int) -> MassProperties:
    """Mass properties of a block lying along x."""
    solid = block_solid(profile, length)
    weighed = profile.blocks[length].mass_g
    mass = weighed.value if weighed else 1e3 * profile.density_kg_m3.value * MM3_TO_M3 * float(solid.volume)
    return _properties(solid, mass)


@lru_cache(maxsize=32)
def pawn_mass(profile: Profile) -> MassProperties:
    """Mass properties of a pawn."""
    return _properties(pawn_solid(profile), profile.pawn.mass_g.value)


def _properties(solid: trimesh.Trimesh, mass_g: float) -> MassProperties:
    if not solid.is_watertight:
        raise ValueError("a solid must be closed to have a volume")
    solid = solid.copy()
    solid.density = mass_g / solid.volume
    centre = [float(value) for value in solid.center_mass]
    moments = [float(value) for value in np.diag(solid.moment_inertia)]
    return MassProperties(
        mass_g, float(solid.volume), (centre[0], centre[1], centre[2]), (moments[0], moments[1], moments[2])
    )
