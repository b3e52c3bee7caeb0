"""On which surfaces would one pawn hold a tower that falls without?

Only where something moves under it can a pawn help: what lies still is as good as fixed, with a pawn on it or
without, and what falls beside it falls all the same.

Statics rules out most of these surfaces at once: the way in which the tower cannot be held (a vector of velocities,
from the dual of the linear program) still does work after the pawn's weight is added. What is left is simulated.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from talo_physics.errors import StaticsError
from talo_physics.geometry.profile import Profile
from talo_physics.geometry.solids import block_mass, pawn_mass
from talo_physics.physics import numbers
from talo_physics.physics.bodies import bodies_of
from talo_physics.physics.statics import Statics
from talo_physics.tower.pawn import COLOURS, Pawn, Surface
from talo_physics.tower.space import has_room
from talo_physics.tower.tower import Tower

REFUSED = 1e-6
"""Work of a refusal (whose fastest part is 1) above which it counts: a millionth of a unit block's fall."""


def holding_surfaces(
    bare: Tower, whole: Tower, stirred: set[int], profile: Profile, stands: Callable[[Tower], bool]
) -> tuple[Surface, ...]:
    """The surfaces of `bare` on which one pawn holds it, sorted; each was put to `stands` with the pawn on it.

    Surfaces are those of `bare` on which a pawn has room in `whole`, the tower with everything around it; the pawns
    that there are do not count, for each surface is asked for one pawn alone. `stirred` are the blocks that do not
    stay where they are.
    """
    alone = whole.with_pawns(())
    surfaces = [surface for surface in bare.surfaces if has_room(alone, surface)]
    if bare.on_grid:
        surfaces = [surface for surface in surfaces if _under(bare, surface) & stirred]
        surfaces = _not_ruled_out(bare, surfaces, profile)
    return tuple(s for s in surfaces if stands(bare.with_pawns([Pawn(COLOURS[0], s.x, s.y, s.z)])))


def _under(tower: Tower, surface: Surface) -> set[int]:
    """The block of a surface and all that carry it."""
    found, left = set(), {tower.occupancy[surface.x, surface.y, surface.z - 1]}
    while left:
        found |= left
        left = {under for block in left for under in tower.supports[block]} - found
    return found


def _not_ruled_out(bare: Tower, surfaces: list[Surface], profile: Profile) -> list[Surface]:
    statics = Statics(bodies_of(profile, bare.blocks), numbers.SOFTNESS_UNITS)
    weight = pawn_mass(profile).mass_g / block_mass(profile, 1).mass_g
    refusals: list[NDArray[np.float64]] = []
    left = []
    for surface in surfaces:
        body = bare.occupancy[surface.x, surface.y, surface.z - 1]
        load = statics.point_load(body, (surface.x + 0.5, surface.y + 0.5), weight)
        if any(refusal @ (statics.loads + load) > REFUSED for refusal in refusals):
            continue  # the way it falls takes this pawn along
        try:
            refusal = statics.f_balance(profile.friction.value, load).refusal
        except StaticsError:
            refusal = None  # not ruled out: the simulation will tell
        if refusal is None:
            left.append(surface)
        else:
            refusals.append(refusal)
    return left
