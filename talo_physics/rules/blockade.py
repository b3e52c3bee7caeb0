"""Is a pawn blocked for good? Proven, or not proven.

Whatever could ever be built is over-approximated: every free cell may one day be filled, every other pawn may go
away, the pawn may wait as long as it likes. Only what is built stays for ever. If not even so a way leads to level 10,
there is none: "proven" is never wrong.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from talo_physics.rules.move import FOUR
from talo_physics.rules.situation import Situation
from talo_physics.rules.take import STOCK
from talo_physics.tower.pawn import HEADROOM, Pawn, Surface

GOAL = 10
FARTHEST = 12
"""How far beyond the board anything could ever be stood on: the longest block, and a little more."""


@dataclass(frozen=True)
class Blockade:
    """Whether a pawn can never reach level 10 any more, and why."""

    proven: bool
    reason: str

    def __str__(self) -> str:
        return "proven" if self.proven else "not proven"


def blockade(situation: Situation, pawn: Pawn) -> Blockade:
    """Whether no further building could ever bring the pawn to level 10."""
    tower = situation.tower
    stock_left = len(tower.blocks) < sum(STOCK.values())

    def could_stand(surface: Surface) -> bool:
        if not (-FARTHEST <= surface.x < 10 + FARTHEST and -FARTHEST <= surface.y < 10 + FARTHEST):
            return False
        if any((surface.x, surface.y, surface.z + i) in tower.occupancy for i in range(HEADROOM)):
            return False
        if surface.z == 0:
            return situation.board.inside(surface.x, surface.y)
        return stock_left or (surface.x, surface.y, surface.z - 1) in tower.occupancy

    seen, queue = {pawn.surface}, deque([pawn.surface])
    while queue:
        here = queue.popleft()
        if here.z >= GOAL:
            return Blockade(False, f"what could still be built may lead it to level {GOAL}")
        for dx, dy in FOUR:
            for z in range(max(0, here.z - 1), min(GOAL, here.z + 1) + 1):
                there = Surface(here.x + dx, here.y + dy, z)
                if there not in seen and could_stand(there):
                    seen.add(there)
                    queue.append(there)
    return Blockade(True, _reason(situation, seen))


def _reason(situation: Situation, inside: set[Surface]) -> str:
    """Which blocks close the pawn in."""
    tower = situation.tower
    walls: set[int] = set()
    for surface in inside:
        for dx, dy in FOUR:
            for z in range(surface.z + HEADROOM + 1):
                index = tower.occupancy.get((surface.x + dx, surface.y + dy, z))
                if index is not None:
                    walls.add(index)
        above = tower.occupancy.get((surface.x, surface.y, surface.z + HEADROOM))
        walls |= {above} if above is not None else set()
    names = ", ".join(str(tower.blocks[index]) for index in sorted(walls))
    return f"closed in by {names}" if names else "no blocks are left to build with"
