"""Every placement of a block that the `build.*` rules allow.

Games ask for them by the thousand, so they are not found by trying every rule on every place: only places are looked
at that rest on something, and a set of taken cells answers the rest. A test holds this against the rules themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from talo_physics.geometry.board import SIZE
from talo_physics.rules.build import TOP_LEVEL
from talo_physics.rules.situation import Situation
from talo_physics.tower.placement import Cell, Placement


def placements(situation: Situation, length: int) -> list[Placement]:
    """The placements of a block of this length on the situation's tower, under bridges and beyond the edge too.

    Sorted by their text forms. On the bare table, which has no fields, layer 0 is taken as that of a 10 x 10 board.
    """
    tower, board = situation.tower, situation.board
    taken = set(tower.occupancy) | {cell for pawn in tower.pawns for cell in pawn.cells}
    land = {(x, y) for x in range(SIZE) for y in range(SIZE) if not board.is_water(x, y)}
    feet = [(x, y, 0) for x, y in land] + [(x, y, z + 1) for x, y, z in tower.occupancy]
    found: set[tuple[str, int, int, int]] = set()
    for foot in feet:
        if foot in taken:
            continue
        for axis, cells in _through(foot, length):
            x, y, z = cells[0]
            dry = z > 0 or all((cx, cy) in land for cx, cy, _ in cells)
            if dry and cells[-1][2] < TOP_LEVEL and taken.isdisjoint(cells):
                found.add((axis, x, y, z))
    return sorted((Placement(length, *place) for place in found), key=str)


def _through(foot: Cell, length: int) -> Iterator[tuple[str, list[Cell]]]:
    """The cells of every block of the length that rests with one of its cells here, from its lowest cell on."""
    x, y, z = foot
    yield "z", [(x, y, z + i) for i in range(length)]
    if length > 1:
        for back in range(length):
            yield "x", [(x - back + i, y, z) for i in range(length)]
            yield "y", [(x, y - back + i, z) for i in range(length)]
