"""From a tower to rigid bodies, in the units of the simulation.

A unit of length is the grid's pitch and a unit of mass is a block of length 1: stability does not depend on
scale, and the engine's tolerances are made for things of about that size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from talo_physics.geometry.profile import Profile
from talo_physics.geometry.solids import MassProperties, block_mass, pawn_mass
from talo_physics.physics.numbers import LEANS_FROM_DEG, LEAST_GAP_UNITS
from talo_physics.tower.pawn import Surface
from talo_physics.tower.placement import Block, FreePose, Placement
from talo_physics.tower.stack import bottoms_mm, height_mm, surface_mm
from talo_physics.tower.tower import Tower

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Body:
    """A rigid body as it is set down. A block collides as a box, a pawn as its foot and its stem."""

    centre: Vector
    """Centre of mass."""
    half: Vector
    """Half the sides of the colliding box, along the body's axes. Of a pawn: radius, radius, half height."""
    mass: float
    inertia: Vector
    """Moments about the centre of mass along the body's axes, from its solid."""
    turn: Quaternion = UPRIGHT
    is_pawn: bool = False
    shape_above: float = 0.0
    """How far the shape's middle lies above the centre of mass."""
    leans: bool = False
    """Whether no face of it looks up: it settles before it stands, and statics cannot tell where."""


@dataclass(frozen=True)
class Materials:
    """What the contacts of a simulation need to know."""

    friction: float
    restitution: float


def inset_units(profile: Profile) -> float:
    """How far a block's footprint on the grid stays inside its cells, a side."""
    return max(profile.edge_inset_mm.value / profile.pitch_mm.value, LEAST_GAP_UNITS)


def materials(profile: Profile) -> Materials:
    """The contact figures of a profile."""
    return Materials(profile.friction.value, profile.restitution.value)


def bodies_of(profile: Profile, blocks: tuple[Block, ...], pawns: tuple[Surface, ...] = ()) -> tuple[Body, ...]:
    """The blocks, then the pawns, as bodies."""
    tower = Tower(blocks)
    bottoms = bottoms_mm(profile, tower)
    made = [
        _grid_body(profile, block, bottom) if isinstance(block, Placement) else _free_body(profile, block)
        for block, bottom in zip(blocks, bottoms, strict=True)
    ]
    made += [_pawn_body(profile, pawn, surface_mm(profile, tower, bottoms, pawn)) for pawn in pawns]
    return tuple(made)


def _masses(profile: Profile, properties: MassProperties) -> tuple[float, NDArray[np.float64]]:
    unit, pitch = block_mass(profile, 1).mass_g, profile.pitch_mm.value
    return properties.mass_g / unit, np.array(properties.inertia_g_mm2) / (unit * pitch**2)


def _grid_body(profile: Profile, block: Placement, bottom_mm: float) -> Body:
    """A block on the grid, where its cells are."""
    kind = _kind(profile, block.length, block.axis)
    z = (bottom_mm + height_mm(profile, block) / 2) / profile.pitch_mm.value
    return replace(kind, centre=(block.x + kind.centre[0], block.y + kind.centre[1], z))


@lru_cache(maxsize=256)
def _kind(profile: Profile, length: int, axis: str) -> Body:
    """A block of a length along an axis, in the corner of the grid on the board.

    Its footprint is inset by what the edges are rounded, its height is exact. A block that is thicker or longer than
    its cells would push its neighbours off the grid; people make room instead, so its footprint never leaves its cells.
    """
    pitch, figures = profile.pitch_mm.value, profile.blocks[length]
    inset = inset_units(profile) * pitch
    along = "xyz".index(axis)
    half = np.full(3, min(figures.section_mm.value, pitch) / 2 - inset)
    half[along] = min(figures.length_mm.value, length * pitch) / 2 - inset
    half[2] = height_mm(profile, Placement(length, axis, 0, 0, 0)) / 2
    mass, moments = _masses(profile, block_mass(profile, length))
    order = {0: [0, 1, 2], 1: [1, 0, 2], 2: [2, 1, 0]}[along]  # the solid lies along x
    return Body(
        centre=(length / 2 if axis == "x" else 0.5, length / 2 if axis == "y" else 0.5, float(half[2] / pitch)),
        half=_vector(half / pitch),
        mass=mass,
        inertia=_vector(moments[order]),
    )


def _free_body(profile: Profile, pose: FreePose) -> Body:
    """A block in a free pose: the footprint of the face that looks most upwards is inset, its height is exact."""
    pitch, figures = profile.pitch_mm.value, profile.blocks[pose.length]
    half = np.array([figures.length_mm.value, figures.section_mm.value, figures.section_mm.value]) / 2
    turn = Rotation.from_euler("XYZ", (pose.rx, pose.ry, pose.rz), degrees=True)
    upwards = np.abs(turn.as_matrix()[2])
    up, leans = int(np.argmax(upwards)), bool(upwards.max() < np.cos(np.radians(LEANS_FROM_DEG)))
    half = half - profile.edge_inset_mm.value * (np.arange(3) != up)
    mass, moments = _masses(profile, block_mass(profile, pose.length))
    x, y, z, w = (float(part) for part in turn.as_quat())
    return Body((pose.x, pose.y, pose.z), _vector(half / pitch), mass, _vector(moments), (x, y, z, w), leans=leans)


def _pawn_body(profile: Profile, pawn: Surface, bottom_mm: float) -> Body:
    pitch, figures = profile.pitch_mm.value, profile.pawn
    properties = pawn_mass(profile)
    mass, moments = _masses(profile, properties)
    radius, height = figures.base_mm.value / 2 / pitch, figures.height_mm.value / pitch
    above_foot = properties.centre_mm[2] / pitch
    return Body(
        centre=(pawn.x + 0.5, pawn.y + 0.5, bottom_mm / pitch + above_foot),
        half=(radius, radius, height / 2),
        mass=mass,
        inertia=_vector(moments),
        is_pawn=True,
        shape_above=height / 2 - above_foot,
    )


def _vector(values: NDArray[np.float64]) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])
