"""Can a hand get the block there? Only along a straight way that is clear of blocks and pawns.

The rulebook does not ask for it: it is advice. With the option `insertion` it is a rule, and what is in the way is
cited as `build.space`, for the block would have to pass through the space of others.
"""

from __future__ import annotations

from collections.abc import Iterator

from talo_physics.rules.situation import Breach, Situation
from talo_physics.tower.placement import Cell, Placement
from talo_physics.tower.tower import Tower

WAYS_IN: dict[str, Cell] = {
    "from above": (0, 0, 1),
    "along x from the right": (1, 0, 0),
    "along x from the left": (-1, 0, 0),
    "along y from behind": (0, 1, 0),
    "along y from the front": (0, -1, 0),
}
"""Each with the direction in which the hand is."""


def ways_in(tower: Tower, block: Placement) -> list[str]:
    """The straight ways on which a hand can bring the block to its place."""
    taken = {cell for pawn in tower.pawns for cell in pawn.cells} | set(tower.occupancy)
    return [name for name, towards in WAYS_IN.items() if not any(_in_the_way(block, towards, cell) for cell in taken)]


def _in_the_way(block: Placement, towards: Cell, cell: Cell) -> bool:
    """Whether the block passes the cell, coming from where `towards` points."""
    axis = next(i for i in range(3) if towards[i])
    low = min(part[axis] for part in block.cells) if towards[axis] > 0 else max(part[axis] for part in block.cells)
    if (cell[axis] - low) * towards[axis] < 0:
        return False
    across = [i for i in range(3) if i != axis]
    return any(all(part[i] == cell[i] for i in across) for part in block.cells)


def insertion(situation: Situation) -> Iterator[Breach]:
    """Every block needs a straight way in; of two placed at the same time, one may come after the other."""
    for block in situation.fit:
        if isinstance(block, Placement) and situation.tower.on_grid and not ways_in(situation.tower, block):
            yield Breach("build.space", f"{block} has no straight way in that is clear of blocks and pawns")
