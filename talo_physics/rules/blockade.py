"""Is a pawn blocked for good? Proven, or not proven; and what follows: `blockade.restart`.

Whatever could ever be built is over-approximated: every free cell may one day be filled as long as the stock has
units left for it, every other pawn may go away, the pawn may wait as long as it likes, and nothing ever falls. Only
what is built stays for ever. If not even so a way leads to level 10, there is none: "proven" is never wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

from talo_physics.geometry.board import SIZE
from talo_physics.rules.move import FOUR, move_own
from talo_physics.rules.setup import setup_middle_island, taken_field
from talo_physics.rules.situation import Breach, Situation
from talo_physics.rules.take import stock_left
from talo_physics.tower.pawn import HEADROOM, Pawn, Surface

GOAL = 10
FREE_MARGIN = GOAL + 1
"""Beyond everything that is built a pawn could climb to the goal in so many steps; it need not look farther."""


@dataclass(frozen=True)
class Blockade:
    """Whether a pawn can never reach level 10 any more, and why."""

    proven: bool
    reason: str

    def __str__(self) -> str:
        return "proven" if self.proven else "not proven"


def blockade(situation: Situation, pawn: Pawn) -> Blockade:
    """Whether no further building could ever bring the pawn to level 10."""
    return _Hope(situation).of(pawn)


class _Hope:
    """All ways that could ever come to be, each as dear as the surfaces that would have to be built for it."""

    def __init__(self, situation: Situation) -> None:
        self.situation, self.occupancy = situation, situation.tower.occupancy
        stock = stock_left(situation.tower)
        self.units = sum(length * count for length, count in stock.items())

    @cached_property
    def _bounds(self) -> tuple[int, int, int, int]:
        xs = [0, SIZE - 1, *(x for x, _, _ in self.occupancy)]
        ys = [0, SIZE - 1, *(y for _, y, _ in self.occupancy)]
        return min(xs) - FREE_MARGIN, max(xs) + FREE_MARGIN, min(ys) - FREE_MARGIN, max(ys) + FREE_MARGIN

    def of(self, pawn: Pawn) -> Blockade:
        """Look for a way that the stock could pay for, upwards first: mostly there is one right above."""
        cost = {pawn.surface: 0}
        queue = [(GOAL - pawn.z, 0, pawn.surface)]
        while queue:
            _, spent, here = heappop(queue)
            if spent > cost[here]:
                continue  # a cheaper way here was found since
            if here.z >= GOAL:
                return Blockade(False, f"what could still be built may lead it to level {GOAL}")
            for there, price in self._steps(here):
                if spent + price <= min(self.units, cost.get(there, self.units + 1) - 1):
                    cost[there] = spent + price
                    heappush(queue, (GOAL - there.z, spent + price, there))
        return Blockade(True, self._reason(set(cost)))

    def _steps(self, here: Surface) -> Iterator[tuple[Surface, int]]:
        """Where one step could ever lead, and how many units of wood that takes at least."""
        left, right, front, back = self._bounds
        for dx, dy in FOUR:
            x, y = here.x + dx, here.y + dy
            if left <= x <= right and front <= y <= back:
                for z in range(max(0, here.z - 1), min(GOAL, here.z + 1) + 1):
                    if all((x, y, z + i) not in self.occupancy for i in range(HEADROOM)):
                        built = (x, y, z - 1) in self.occupancy
                        if built or (z == 0 and self._may_step_down(here, x, y)):
                            yield Surface(x, y, z), 0
                        elif z > 1 or (z == 1 and self._may_build_on(x, y)):
                            yield Surface(x, y, z), 1

    def _may_step_down(self, here: Surface, x: int, y: int) -> bool:
        """On level 0 a pawn never walks, and it comes back there only if the option says so."""
        return here.z > 0 and self.situation.options.step_down_to_board and self.situation.board.inside(x, y)

    def _may_build_on(self, x: int, y: int) -> bool:
        """Layer 0 is never built on beyond the board's edge (`build.edge`), nor on water (`build.water`)."""
        return self.situation.board.inside(x, y) and not self.situation.board.is_water(x, y)

    def _reason(self, inside: set[Surface]) -> str:
        """Which blocks close the pawn in."""
        walls: set[int] = set()
        for surface in inside:
            for dx, dy in FOUR:
                for z in range(surface.z + HEADROOM + 1):
                    index = self.occupancy.get((surface.x + dx, surface.y + dy, z))
                    if index is not None:
                        walls.add(index)
            above = self.occupancy.get((surface.x, surface.y, surface.z + HEADROOM))
            walls |= {above} if above is not None else set()
        names = ", ".join(str(self.situation.tower.blocks[index]) for index in sorted(walls))
        left = f"{self.units} units of wood are left" if self.units else "no blocks are left to build with"
        return f"closed in by {names}; {left}" if names else left


def blockade_restart(situation: Situation, pawn: Pawn, start: Situation) -> list[Breach]:
    """A pawn that was blocked for good when the turn began may start again on any free field of level 0.

    Any field, also in the classic edition; but on the island board neither water nor the middle island.
    """
    found = list(move_own(situation, pawn, f"{pawn} as a new start"))
    before = next((other for other in start.tower.pawns if other.colour == pawn.colour), None)
    if before is not None and before not in situation.tower.pawns:
        found.append(Breach("blockade.restart", f"{pawn.colour} has moved in this turn: it is not blocked any more"))
    elif before is not None and not (blocked := blockade(start, before)).proven:
        found.append(Breach("blockade.restart", f"{before} is not proven to be blocked: {blocked.reason}"))
    if pawn.z != 0 or not situation.board.inside(pawn.x, pawn.y):
        found.append(Breach("blockade.restart", f"{pawn} is not a field of level 0"))
    elif situation.board.is_water(pawn.x, pawn.y):
        found.append(Breach("setup.water", f"{pawn} stands on water"))
    if pawn == before:
        found.append(Breach("blockade.restart", f"{pawn} is where it stands already"))
    if there := taken_field(situation, pawn):
        found.append(Breach("blockade.restart", f"{pawn} is not free: {there} is there"))
    return [*found, *setup_middle_island(situation, pawn)]
