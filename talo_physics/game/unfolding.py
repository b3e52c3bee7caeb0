"""How the blocks of a throw can be built: every list of steps, found lazily, each step judged when it is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from talo_physics.game.state import State
from talo_physics.rules.blockade import blockade, blockade_restart
from talo_physics.rules.move import Walk
from talo_physics.rules.placing import placements
from talo_physics.rules.ruling import Physics, Ruling
from talo_physics.rules.situation import Situation
from talo_physics.rules.steps import after_step, prepared, rule_on_step
from talo_physics.rules.take import Take, combinations
from talo_physics.tower.finding import Wishes
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.placement import Cell, Placement
from talo_physics.tower.proposal import PawnMove, Restart, Step, Together
from talo_physics.tower.tower import Tower

LEGAL_OR_NOT = Wishes(marginal=False, counterweights=False, before=False, fallen=False)
"""What a choice needs to know."""
Steps = tuple[Step, ...]
Plan = tuple[Take, ...]
"""What is built at the same time, step by step; () is a pawn's move, or none."""


def step_ruling(situation: Situation, start: Situation, step: Step, physics: Physics) -> Ruling:
    """The ruling on one step of a turn that began as `start`."""
    return rule_on_step(prepared(situation, step), step, start, physics, LEGAL_OR_NOT, None)


def can_build(state: State, throw: int, physics: Physics) -> bool:
    """Whether something that the throw offers can be built legally at all."""
    if state.setting.variant == "fantasy":
        return bool(combinations(throw, state.stock))
    unfolding = Unfolding(state, physics)
    takes = combinations(throw, state.stock)
    # With the pawn where it stands it is mostly settled at once; only else may its going away make room.
    ways = (plan for moves in (False, True) for take in takes for plan in plans(take, moves))
    return any(True for plan in ways for _ in unfolding.of(state.tower, plan))


def plans(take: Take, moves: bool = True) -> Iterator[Plan]:
    """The orders in which the blocks of a take can be built: one after the other, then together."""
    move: Plan = ((),) if moves else ()
    if len(take) == 1:
        yield (*move, take, *move)
        return
    long, short = take
    for first, second in dict.fromkeys([(long, short), (short, long)]):
        yield (*move, (first,), *move, (second,), *move)
    yield (*move, take, *move)


class Unfolding:
    """All ways in which a plan can be carried out from a tower."""

    def __init__(self, state: State, physics: Physics) -> None:
        self.start, self.physics = state.situation, physics
        self.pawn = state.pawn

    @cached_property
    def _blocked(self) -> bool:
        return self.pawn is not None and blockade(self.start, self.pawn).proven

    def of(self, tower: Tower, plan: Plan) -> Iterator[Steps]:
        """The lists of steps, each legal."""
        if not plan:
            yield ()
            return
        situation = replace(self.start, tower=tower)
        head, rest = plan[0], plan[1:]
        if not head:
            yield from self.of(tower, rest)
        for step in self._steps(situation, head):
            ruling = step_ruling(situation, self.start, step, self.physics)
            if ruling.winner:
                yield (step,)
            elif ruling.legal:
                after = after_step(prepared(situation, step), step)
                yield from ((step, *steps) for steps in self.of(after, rest))

    def _steps(self, situation: Situation, lengths: Take) -> Iterator[Step]:
        if not lengths:
            yield from self._moves(situation)
        elif len(lengths) == 1:
            yield from (Together((block,)) for block in self._likeliest_first(situation, lengths[0]))
        else:
            yield from self._pairs(situation, lengths)

    def _likeliest_first(self, situation: Situation, length: int) -> Iterator[Placement]:
        """What lies low and is vouched for, then what only the simulation can decide: one that stands may be enough."""
        doubtful = []
        for block in sorted(placements(situation, length), key=lambda block: (block.z, str(block))):
            if self.physics.vouches(situation.tower, (block,)):
                yield block
            else:
                doubtful.append(block)
        yield from doubtful

    def _moves(self, situation: Situation) -> Iterator[Step]:
        pawn = next((pawn for pawn in situation.tower.pawns if pawn.colour == situation.turn), None)
        if pawn is None:
            return
        for surface in sorted(Walk(situation, pawn).reachable()):
            yield PawnMove(pawn, Pawn(pawn.colour, surface.x, surface.y, surface.z))
        if self._blocked and pawn == self.pawn:
            fields = (Pawn(pawn.colour, x, y, 0) for x in range(10) for y in range(10))
            yield from (Restart(there) for there in fields if not blockade_restart(situation, there, self.start))

    def _pairs(self, situation: Situation, lengths: Take) -> Iterator[Step]:
        """Two blocks at the same time that do not stand one after the other."""
        seen: set[frozenset[Placement]] = set()
        for first, second in dict.fromkeys([lengths, lengths[::-1]]):
            for one in placements(situation, first):
                if step_ruling(situation, self.start, Together((one,)), self.physics).legal:
                    continue  # then the other one comes after it, or not at all
                with_one = situation.tower.plus([one])
                near = _beside(with_one, len(with_one.blocks) - 1)
                for other in placements(replace(situation, tower=with_one), second):
                    # What does not hang together with a block that falls cannot hold it.
                    if (pair := frozenset((one, other))) not in seen and not near.isdisjoint(other.cells):
                        seen.add(pair)
                        yield Together((one, other))


def _beside(tower: Tower, index: int) -> set[Cell]:
    """The cells that share a face with what hangs together with a block."""
    group = next(group for group in tower.components if index in group)
    cells = [cell for cell, owner in tower.occupancy.items() if owner in group]
    sides = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
    return {(x + dx, y + dy, z + dz) for x, y, z in cells for dx, dy, dz in sides}
