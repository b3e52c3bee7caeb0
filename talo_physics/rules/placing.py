"""Every placement of a block that the `build.*` rules allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from talo_physics.geometry.board import SIZE
from talo_physics.rules.build import TOP_LEVEL, build_breaches
from talo_physics.rules.situation import Situation
from talo_physics.tower.placement import Placement


def placements(situation: Situation, length: int) -> list[Placement]:
    """The placements of a block of this length on the situation's tower, under bridges and beyond the edge too.

    Sorted by their text forms. On the bare table, which has no fields, layer 0 is taken as that of a 10 x 10 board.
    """
    candidates = dict.fromkeys(_candidates(situation, length))
    allowed = [block for block in candidates if not build_breaches(replace(situation, blocks=(block,)))]
    return sorted(allowed, key=str)


def _candidates(situation: Situation, length: int) -> Iterator[Placement]:
    """Placements with at least one cell on the board or on a block, and no cell in a block."""
    tower = situation.tower
    feet = [(x, y, 0) for x in range(SIZE) for y in range(SIZE)]
    feet += [(x, y, z + 1) for x, y, z in tower.occupancy if z + 1 < TOP_LEVEL]
    for x, y, z in feet:
        if (x, y, z) in tower.occupancy:
            continue
        for axis in "z" if length == 1 else "xyz":
            for back in range(length) if axis != "z" else (0,):
                block = Placement(length, axis, x - back * (axis == "x"), y - back * (axis == "y"), z)
                if not any(cell in tower.occupancy for cell in block.cells):
                    yield block
