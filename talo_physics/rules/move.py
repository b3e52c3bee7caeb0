"""The `move.*` rules: where a pawn may go. Ways over surfaces, and why a place cannot be reached."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from talo_physics.rules.situation import Breach, Situation
from talo_physics.tower.pawn import HEADROOM, Pawn, Surface
from talo_physics.tower.proposal import PawnMove
from talo_physics.tower.tower import Tower

FOUR = ((1, 0), (0, 1), (-1, 0), (0, -1))
DIAGONAL = ((1, 1), (-1, 1), (-1, -1), (1, -1))


@dataclass(frozen=True)
class Walk:
    """The ways of one pawn over a tower; `forgiven` rules are taken as if they were not there."""

    situation: Situation
    pawn: Pawn
    forgiven: frozenset[str] = frozenset()
    shunned: frozenset[Surface] = frozenset()
    """Surfaces that it keeps off."""

    @property
    def tower(self) -> Tower:
        """What it walks over."""
        return self.situation.tower

    @cached_property
    def _others(self) -> set[tuple[int, int, int]]:
        """The cells of the other pawns."""
        return {cell for pawn in self.tower.pawns if pawn.colour != self.pawn.colour for cell in pawn.cells}

    def is_surface(self, surface: Surface) -> bool:
        """Whether there is something to stand on: the top of a block, or the board where it may be stood on."""
        if surface.z == 0:
            board = self.situation.board
            return board.inside(surface.x, surface.y) and not board.is_water(surface.x, surface.y)
        below = self.tower.occupancy.get((surface.x, surface.y, surface.z - 1))
        return below is not None and self.tower.occupancy.get((surface.x, surface.y, surface.z)) != below

    def may_stand(self, surface: Surface) -> bool:
        """Whether this pawn may stand there: `move.headroom`, `move.occupied`."""
        if surface in self.shunned or not self.is_surface(surface):
            return False
        cells = [(surface.x, surface.y, surface.z + i) for i in range(HEADROOM)]
        if "move.headroom" not in self.forgiven and any(cell in self.tower.occupancy for cell in cells):
            return False
        return "move.occupied" in self.forgiven or not any(cell in self._others for cell in cells)

    def steps(self, start: Surface) -> Iterator[Surface]:
        """Where one step leads."""
        directions = FOUR + (DIAGONAL if "move.diagonal" in self.forgiven else ())
        heights = range(11) if "move.step" in self.forgiven else range(max(0, start.z - 1), start.z + 2)
        for dx, dy in directions:
            for z in heights:
                there = Surface(start.x + dx, start.y + dy, z)
                if self._board_allows(start, there) and self.may_stand(there) and self._room_to_step(start, there):
                    yield there

    def _board_allows(self, start: Surface, there: Surface) -> bool:
        """On level 0 a pawn waits for a block beside it, and it comes back there only if the option says so."""
        if there.z > 0:
            return True
        if start.z == 0:
            return "move.start-waits" in self.forgiven
        return self.situation.options.step_down_to_board or "move.free" in self.forgiven

    def _room_to_step(self, start: Surface, there: Surface) -> bool:
        if not self.situation.options.swept_headroom or start.z == there.z or "move.headroom" in self.forgiven:
            return True
        low, high = (start, there) if start.z < there.z else (there, start)
        return all((low.x, low.y, low.z + i) not in self.tower.occupancy for i in range(high.z - low.z + HEADROOM))

    @cached_property
    def _before(self) -> dict[Surface, list[Surface]]:
        """For each surface that can be reached the ones before it on its shortest ways."""
        begin = self.pawn.surface
        before: dict[Surface, list[Surface]] = {begin: []}
        distance = {begin: 0}
        queue = deque([begin])
        while queue:
            here = queue.popleft()
            for there in self.steps(here):
                if there not in before:
                    before[there], distance[there] = [], distance[here] + 1
                    queue.append(there)
                if distance[there] == distance[here] + 1:
                    before[there].append(here)
        return before

    def reachable(self) -> set[Surface]:
        """The surfaces that the pawn can reach, any distance, the one it stands on left out."""
        return set(self._before) - {self.pawn.surface}

    def path(self, end: Surface) -> list[Surface] | None:
        """A shortest way, both ends included; None if there is none."""
        return next(self.paths(end), None)

    def paths(self, end: Surface) -> Iterator[list[Surface]]:
        """All shortest ways, both ends included."""
        if end == self.pawn.surface:
            yield [end]
        for last in self._before.get(end, ()):
            for way in self.paths(last):
                yield [*way, end]

    def safe_path(self, end: Surface, bears: Callable[[Surface], bool]) -> list[Surface] | None:
        """A shortest way over surfaces that bear the pawn, its ends not asked; None if there is none."""
        walk = self
        while way := walk.path(end):
            failing = next((surface for surface in way[1:-1] if not bears(surface)), None)
            if failing is None:
                return way
            walk = replace(walk, shunned=walk.shunned | {failing})
        return None


# In the order in which they are looked for: what is in the way comes before how it might be gone round.
_REASONS = {
    "move.occupied": "another pawn is in the way",
    "move.headroom": "there are not two free levels on the way",
    "move.diagonal": "it could only go diagonally",
    "move.step": "a step of two or more levels is in the way",
    "move.start-waits": "on level 0 a pawn waits until a block lies right beside it",
    "move.free": "it goes over blocks, not over the board",
}


def move_own(situation: Situation, pawn: Pawn, what: object) -> Iterator[Breach]:
    """Only the own pawn is moved, and it is moved from where it stands."""
    if situation.turn is not None and pawn.colour != situation.turn:
        yield Breach("move.own", f"{what}: it is {situation.turn}'s turn")
    if pawn.colour not in {other.colour for other in situation.tower.pawns}:
        yield Breach("move.own", f"{what}: there is no {pawn.colour} pawn")


def move_breaches(situation: Situation, move: PawnMove) -> list[Breach]:
    """Every rule that a move breaks: the fewest without which there would be a way."""
    found = list(move_own(situation, move.start, move))
    if not found and move.start not in situation.tower.pawns:
        found.append(Breach("move.own", f"{move}: {move.start} is not where it stands"))
    end = move.end.surface
    if situation.board.is_water(end.x, end.y) and end.z == 0:
        return [*found, Breach("setup.water", f"{move}: {end} is water")]
    walk = Walk(situation, move.start)
    if end == move.start.surface:
        return [*found, Breach("move.free", f"{move}: it stays where it stands")]
    if not walk.is_surface(end):
        return [*found, Breach("move.free", f"{move}: there is nothing to stand on at {end}")]
    for size in range(len(_REASONS) + 1):
        for rules in combinations(_REASONS, size):
            forgiving = Walk(situation, move.start, frozenset(rules))
            if forgiving.path(end) is not None:
                return found + [Breach(rule, f"{move}: {_REASONS[rule]}") for rule in rules]
    return [*found, Breach("move.free", f"{move}: no blocks lead to {end}")]
