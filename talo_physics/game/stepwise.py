"""A turn made step by step: what may be taken, built and gone next by the rules' geometry, and what came of it.

For players that choose one thing at a time, such as learning programs. Whether what they build stands is simulated
when they have built it: what falls, falls, and is adjudicated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from talo_physics.game.playing import Played, play
from talo_physics.game.state import State
from talo_physics.game.turn import Turn
from talo_physics.game.unfolding import Steps, step_ruling
from talo_physics.rules.blockade import blockade, blockade_restart
from talo_physics.rules.move import Walk
from talo_physics.rules.placing import placements
from talo_physics.rules.ruling import Physics
from talo_physics.rules.situation import Situation
from talo_physics.rules.steps import after_step, prepared
from talo_physics.rules.take import Take, combinations
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.placement import Placement
from talo_physics.tower.proposal import PawnMove, Proposal, Restart, Step, Together
from talo_physics.tower.tower import Tower


@dataclass(frozen=True)
class Begun:
    """A turn that has begun: the throws, and what was chosen and done so far."""

    state: State
    throws: tuple[int, ...]
    taken: Take | None = None
    together: bool = False
    """Whether the two blocks taken are placed at the same time."""
    held: Placement | None = None
    """The first of two that are placed at the same time, until the second is."""
    steps: Steps = ()
    moved: bool = False
    """Whether the last step was the pawn's; it does not go twice without building in between."""

    @cached_property
    def tower(self) -> Tower:
        """What stands now, without what is held."""
        situation = self.state.situation
        for step in self.steps:
            situation = replace(situation, tower=after_step(prepared(situation, step), step), blocks=())
        return situation.tower

    @property
    def _now(self) -> Situation:
        return replace(self.state.situation, tower=self.tower)

    # ---- what may be chosen

    @property
    def takes(self) -> list[tuple[Take, bool]]:
        """What may be taken, each with whether it is placed at the same time; nothing once it is taken."""
        if self.taken is not None:
            return []
        found = combinations(self.throws[-1], self.state.stock)
        return [(take, together) for take in found for together in (False, True)[: len(take)]]

    @property
    def left(self) -> Take:
        """The lengths that are taken and not yet placed, the longer one first."""
        placed = (*Proposal(self.steps).blocks, *((self.held,) if self.held else ()))
        rest = Counter(self.taken or ()) - Counter(block.length for block in placed)
        return tuple(sorted(rest.elements(), reverse=True))

    def places(self, length: int) -> list[Placement]:
        """Where the `build.*` rules allow a block of this length."""
        situation = self._now
        if self.held:
            situation = replace(situation, tower=self.tower.plus([self.held]))
        return placements(situation, length)

    @property
    def moves(self) -> Iterator[PawnMove | Restart]:
        """Where the pawn may go by the `move.*` rules; from where it is blocked for good, where it may start again."""
        pawn = next((pawn for pawn in self.tower.pawns if pawn.colour == self.state.to_move), None)
        if pawn is None or self.taken is None or self.moved or self.held:
            return
        reached = sorted(Walk(self._now, pawn).reachable())
        yield from (PawnMove(pawn, Pawn(pawn.colour, there.x, there.y, there.z)) for there in reached)
        start = self.state.situation
        if not reached and pawn in start.tower.pawns and blockade(start, pawn).proven:
            fields = (Pawn(pawn.colour, x, y, 0) for x in range(10) for y in range(10))
            yield from (Restart(there) for there in fields if not blockade_restart(self._now, there, start))

    @property
    def is_complete(self) -> bool:
        """Whether all that was taken is built, so that the turn may end."""
        return self.taken is not None and not self.left and not self.held

    # ---- choosing

    def take(self, take: Take, together: bool) -> Begun:
        """With these blocks in hand."""
        return replace(self, taken=take, together=together)

    def place(self, block: Placement, physics: Physics) -> Begun | Played | None:
        """With a block placed; the first of two at the same time is only held."""
        if self.together and self.held is None:
            return replace(self, held=block)
        return self._done(Together((self.held, block) if self.held else (block,)), physics)

    def go(self, move: PawnMove | Restart, physics: Physics) -> Begun | Played | None:
        """With the pawn moved."""
        return self._done(move, physics)

    def _done(self, step: Step, physics: Physics) -> Begun | Played | None:
        """The turn with one more step; the turn as it was played where that fell or won; None where it is refused."""
        ruling = step_ruling(self._now, self.state.situation, step, physics)
        after = replace(self, steps=(*self.steps, step), held=None, moved=not isinstance(step, Together))
        if ruling.fell or ruling.winner:
            return after.end(physics)
        return after if ruling.legal else None

    def end(self, physics: Physics) -> Played | None:
        """The turn as it is played; None where it is refused, so that nothing of it counts."""
        turn = Turn(self.state.to_move, self.throws, self.taken or (), self.steps)
        played = play(self.state, turn, physics)
        return None if played.refused else played
