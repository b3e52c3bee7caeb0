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
    places = {place for foot in feet if foot not in taken for place in _through(foot, length)}
    found = []
    for axis, x, y, z in places:
        cells = _cells(axis, x, y, z, length)
        dry = z > 0 or all((cx, cy) in land for cx, cy, _ in cells)
        if dry and cells[-1][2] < TOP_LEVEL and taken.isdisjoint(cells):
            found.append(Placement(length, axis, x, y, z))
    return sorted(found, key=str)


def _through(foot: Cell, length: int) -> Iterator[tuple[str, int, int, int]]:
    """Every block of the length that rests with one of its cells here: its axis and its lowest cell."""
    x, y, z = foot
    yield "z", x, y, z
    if length > 1:
        for back in range(length):
            yield "x", x - back, y, z
            yield "y", x, y - back, z


def _cells(axis: str, x: int, y: int, z: int, length: int) -> list[Cell]:
    """The cells from the lowest on."""
    if axis == "x":
        return [(x + i, y, z) for i in range(length)]
    if axis == "y":
        return [(x, y + i, z) for i in range(length)]
    return [(x, y, z + i) for i in range(length)]
