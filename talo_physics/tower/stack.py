"""How high each block really lies, in millimetres: the sum of what is under it, not a number of levels.

With a profile of unequal blocks a bridge lies on its higher support; the simulation lets it settle on the lower.
"""

from __future__ import annotations

from talo_physics.geometry.profile import Profile
from talo_physics.tower.pawn import Surface
from talo_physics.tower.placement import Placement
from talo_physics.tower.tower import Tower


def height_mm(profile: Profile, block: Placement) -> float:
    """The height of a block as it lies or stands."""
    figures = profile.blocks[block.length]
    return figures.length_mm.value if block.stands else figures.section_mm.value


def bottoms_mm(profile: Profile, tower: Tower) -> list[float]:
    """The height of each block's lower face above the board, in the order of the tower.

    A block without support hangs where the grid says: its level times the pitch.
    """
    bottoms = [0.0] * len(tower.blocks)
    placed = [(block.z, i) for i, block in enumerate(tower.blocks) if isinstance(block, Placement)]
    for z, index in sorted(placed):
        tops = [bottoms[under] + _top_of(profile, tower, under) for under in tower.supports[index]]
        bottoms[index] = max(tops, default=z * profile.pitch_mm.value)
    return bottoms


def surface_mm(profile: Profile, tower: Tower, bottoms: list[float], surface: Surface) -> float:
    """The height of a surface above the board."""
    under = tower.occupancy.get((surface.x, surface.y, surface.z - 1))
    if under is None:
        return surface.z * profile.pitch_mm.value
    return bottoms[under] + _top_of(profile, tower, under)


def _top_of(profile: Profile, tower: Tower, index: int) -> float:
    block = tower.blocks[index]
    assert isinstance(block, Placement)  # only blocks on the grid are in the occupancy
    return height_mm(profile, block)
