"""What can be done in a position: placements and turns, found lazily and judged by simulation on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from talo_physics.game.playing import play
from talo_physics.game.state import State
from talo_physics.game.turn import Turn
from talo_physics.game.unfolding import Unfolding, can_build, plans, step_ruling
from talo_physics.judgement import examiner_for
from talo_physics.rules.move import Walk
from talo_physics.rules.placing import placements
from talo_physics.rules.ruling import Physics, Ruling
from talo_physics.rules.take import combinations
from talo_physics.tower.pawn import Surface
from talo_physics.tower.placement import Placement
from talo_physics.tower.proposal import Together


@dataclass(frozen=True)
class LegalPlacements:
    """The legal placements of one block on the state's tower: `in`, `bool`, `count()` and iteration.

    What the `build.*` rules forbid is left out by geometry; the rest is simulated, one placement at a time, when it
    is asked for.
    """

    state: State
    length: int
    physics: Physics

    @cached_property
    def candidates(self) -> list[Placement]:
        """What the `build.*` rules allow, under bridges and beyond the edge too; sorted by their text forms."""
        return placements(self.state.situation, self.length) if self.state.stock[self.length] else []

    def judge(self, block: Placement) -> Ruling:
        """The ruling on one placement."""
        return step_ruling(self.state.situation, self.state.situation, Together((block,)), self.physics)

    def __iter__(self) -> Iterator[Placement]:
        return (block for block in self.candidates if self.judge(block).legal)

    def __contains__(self, block: object) -> bool:
        return block in self.candidates and isinstance(block, Placement) and self.judge(block).legal

    def __bool__(self) -> bool:
        # What lies low stands most often: the first one asked is mostly the answer.
        return any(self.judge(block).legal for block in sorted(self.candidates, key=lambda block: block.z))

    def count(self) -> int:
        """How many there are; simulates every candidate."""
        return sum(1 for _ in self)


@dataclass(frozen=True)
class LegalTurns:
    """The legal turns for a throw: `in`, `bool`, `count()` and iteration, each simulated when it is asked for.

    A turn is a way to build what was taken, with the pawn moving or staying before, between and after. Two blocks
    that stand one after the other are not listed as placed together; but such a turn is `in` the legal ones too.
    """

    state: State
    throw: int
    physics: Physics

    def __iter__(self) -> Iterator[Turn]:
        if self.state.result:
            return
        for take in combinations(self.throw, self.state.stock):
            for plan in plans(take):
                for steps in Unfolding(self.state, self.physics).of(self.state.tower, plan):
                    yield Turn(self.state.to_move, (self.throw,), take, steps)

    def __contains__(self, turn: object) -> bool:
        if not isinstance(turn, Turn) or turn.throws != (self.throw,):
            return False
        return not play(self.state, turn, self.physics).violations

    def __bool__(self) -> bool:
        return not self.state.result and can_build(self.state, self.throw, self.physics)

    def count(self) -> int:
        """How many there are; simulates every step of every one, which takes long for two blocks."""
        return sum(1 for _ in self)


def legal_placements(state: State, length: int, physics: Physics | None = None) -> LegalPlacements:
    """The legal placements of a block of this length.

    >>> from talo_physics import Pawn, Placement, Setting, legal_placements, new_game
    >>> start = new_game(Setting(("red", "blue")), [Pawn.parse("red@2,2,0"), Pawn.parse("blue@7,7,0")])
    >>> nines = legal_placements(start, 9)
    >>> Placement.parse("9x@0,0,0") in nines, Placement.parse("9x@0,2,0") in nines  # red stands there
    (True, False)
    """
    return LegalPlacements(state, length, physics or examiner_for(state.setting.profile))


def legal_turns(state: State, throw: int, physics: Physics | None = None) -> LegalTurns:
    """The legal turns for a throw."""
    return LegalTurns(state, throw, physics or examiner_for(state.setting.profile))


def reachable(state: State, colour: str) -> list[Surface]:
    """The surfaces that a pawn can reach, any distance, sorted; the one it stands on left out.

    >>> from talo_physics import Pawn, Setting, Turn, new_game, play, reachable
    >>> start = new_game(Setting(("red", "blue")), [Pawn.parse("red@2,2,0"), Pawn.parse("blue@7,7,0")])
    >>> after = play(start, Turn.parse("red 3 = 3: 3x@3,2,0")).after
    >>> [str(surface) for surface in reachable(after, "red") if surface.z]
    ['@3,2,1', '@4,2,1', '@5,2,1']
    """
    pawn = state.pawn_of(colour)
    return sorted(Walk(state.situation, pawn).reachable()) if pawn else []


def path(state: State, colour: str, end: Surface) -> list[Surface] | None:
    """A shortest way of a pawn, both ends included; None if there is none."""
    pawn = state.pawn_of(colour)
    return Walk(state.situation, pawn).path(end) if pawn else None
