"""Computer players: one that builds anything legal anywhere, one that builds its own way up, and one that does so
without asking whether it stands.

The first two are prudent: they build what statics vouches for, and only where there is no such thing what the
simulation shows to stand all the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from talo_physics.game.die import Die
from talo_physics.game.playing import counts, play
from talo_physics.game.state import State
from talo_physics.game.turn import Turn
from talo_physics.game.unfolding import LEGAL_OR_NOT, Steps, Unfolding, can_build, plans, step_ruling
from talo_physics.rules.blockade import GOAL, blockade, blockade_restart
from talo_physics.rules.move import FOUR, Walk
from talo_physics.rules.placing import placements
from talo_physics.rules.ruling import Physics
from talo_physics.rules.setup import start_breaches
from talo_physics.rules.situation import Situation
from talo_physics.rules.steps import after_step, breaches_by_place, prepared
from talo_physics.rules.take import MOST_THROWS, Take, combinations
from talo_physics.tower.pawn import Pawn, Surface
from talo_physics.tower.placement import Cell, Placement
from talo_physics.tower.proposal import PawnMove, Restart, Together
from talo_physics.tower.tower import Tower

Where = Callable[[Situation, int], Iterable[Placement]]
MOST_TRIES = 40
"""Places that the climber looks at for one block before it takes any."""
MOST_ATTEMPTS = 20
"""Turns that the reckless player makes up before it turns prudent."""


def throw_for(state: State, die: Die, physics: Physics) -> tuple[int, ...]:
    """The throws of a turn: again as long as nothing can be built, three times at most."""
    throws: list[int] = []
    for throw in die.throws(state.number):
        throws.append(throw)
        if len(throws) == MOST_THROWS or counts(state, throw, physics):
            break
    return tuple(throws)


@dataclass(frozen=True)
class Computer:
    """A player that builds at random; what it does follows from its seed and the turn's number."""

    seed: int
    name: str = "random"

    def turn(self, state: State, throws: tuple[int, ...], physics: Physics) -> Turn:
        """A legal turn for these throws, as `throw_for` gives them.

        It is made up with statics alone; only if the referee would not have it, with every step simulated.
        """
        turn = self._made_by(_TrustingHand(state, physics, self._rng(state)), throws)
        if play(state, turn, physics, LEGAL_OR_NOT).violations:
            turn = self._made_by(_Hand(state, physics, self._rng(state)), throws)
        return turn

    def _rng(self, state: State, attempt: str = "") -> random.Random:
        return random.Random(f"{self.name}/{self.seed}/{state.number}{attempt}")

    def _made_by(self, hand: _Hand, throws: tuple[int, ...]) -> Turn:
        takes = combinations(throws[-1], hand.state.stock)
        hand.rng.shuffle(takes)
        taken, steps = self._choice(hand, takes)
        return Turn(hand.state.to_move, throws, taken, steps)

    def _choice(self, hand: _Hand, takes: list[Take]) -> tuple[Take, Steps]:
        """What to take, and what to do with it; nothing and nothing where all is in vain."""
        for order in _orders(takes):
            steps = hand.build(order, hand.anywhere)
            if steps is not None:
                return order, (*steps, *hand.wander(steps))
        return hand.anything(takes)


class Climber(Computer):
    """A player that puts its blocks where they bring its own pawn highest."""

    def _choice(self, hand: _Hand, takes: list[Take]) -> tuple[Take, Steps]:
        climbs = ((order, hand.climb(order)) for order in _orders(takes))
        found = [(order, steps) for order, steps in climbs if steps is not None]
        return max(found, key=lambda choice: hand.height(choice[1])) if found else super()._choice(hand, takes)


class Reckless(Climber):
    """A climber that builds wherever the build rules allow, and does not ask whether it stands."""

    def turn(self, state: State, throws: tuple[int, ...], physics: Physics) -> Turn:
        """A turn that the referee does not refuse; whether it stands shows when it is played.

        What only a pawn's weight would hold is refused, and something else is made up then.
        """
        if can_build(state, throws[-1], physics):  # otherwise the turn is lost, for the reckless too
            for attempt in range(MOST_ATTEMPTS):
                turn = self._made_by(_BlindHand(state, physics, self._rng(state, f"/{attempt}")), throws)
                if turn.taken and not play(state, turn, physics, LEGAL_OR_NOT).refused:
                    return turn
        return super().turn(state, throws, physics)


def _orders(takes: list[Take]) -> list[Take]:
    """The takes, and each of two blocks also the other way round."""
    return list(dict.fromkeys(order for take in takes for order in (take, take[::-1])))


class _Hand:
    """A computer's hand in one turn: it looks, tries and builds, every step judged."""

    def __init__(self, state: State, physics: Physics, rng: random.Random) -> None:
        self.state, self.physics, self.rng = state, physics, rng
        self.start = state.situation

    def anything(self, takes: list[Take]) -> tuple[Take, Steps]:
        """Whatever can be built at all, two blocks at the same time included; nothing in a lost turn."""
        unfolding = Unfolding(self.state, self.physics)
        for take in takes:
            for plan in plans(take):
                for steps in unfolding.of(self.state.tower, plan):
                    return take, steps
        return (), ()

    def build(self, lengths: Take, where: Where) -> Steps | None:
        """Build the blocks one after the other; None if they cannot be."""
        return self._build(self.state.tower, lengths, where)

    def _build(self, tower: Tower, lengths: Take, where: Where) -> Steps | None:
        if not lengths:
            return ()
        situation = replace(self.start, tower=tower)
        for block in where(situation, lengths[0]):
            step = Together((block,))
            if self._legal(situation, step):
                rest = self._build(tower.plus([block]), lengths[1:], where)
                if rest is not None:
                    return (step, *rest)
        return None

    def anywhere(self, situation: Situation, length: int) -> list[Placement]:
        """Every placement, in a random order."""
        found = placements(situation, length)
        self.rng.shuffle(found)
        return found

    def _legal(self, situation: Situation, step: Together | PawnMove) -> bool:
        """Whether a step is legal and prudent: what only the simulation could decide is left to bolder players."""
        if not self._vouched_for(situation, step):
            return False
        return step_ruling(situation, self.start, step, self.physics).legal

    def _vouched_for(self, situation: Situation, step: Together | PawnMove) -> bool:
        placed = step.blocks if isinstance(step, Together) else (step.end,)
        return self.physics.vouches(situation.tower, placed)

    # ---- the pawn

    def _pawn(self, tower: Tower) -> Pawn | None:
        return next((pawn for pawn in tower.pawns if pawn.colour == self.state.to_move), None)

    def wander(self, steps: Steps) -> Steps:
        """A random move after the steps, or none; always the one that wins."""
        situation = replace(self.start, tower=self._after(steps))
        pawn = self._pawn(situation.tower)
        if pawn is None:
            return ()
        surfaces = sorted(Walk(situation, pawn).reachable())
        self.rng.shuffle(surfaces)
        surfaces.sort(key=lambda surface: surface.z < GOAL)  # the goal first, the rest as it comes
        if surfaces and (surfaces[0].z >= GOAL or self.rng.random() < 0.5):
            return self._first_legal_move(situation, pawn, surfaces[:3])
        return self._restart(situation, pawn) if not surfaces else ()

    def _first_legal_move(self, situation: Situation, pawn: Pawn, surfaces: list[Surface]) -> Steps:
        for surface in surfaces:
            move = PawnMove(pawn, Pawn(pawn.colour, surface.x, surface.y, surface.z))
            if self._legal(situation, move):
                return (move,)
        return ()

    def _restart(self, situation: Situation, pawn: Pawn) -> Steps:
        """Start again where the pawn was proven to be blocked when the turn began."""
        if pawn not in self.start.tower.pawns or not blockade(self.start, pawn).proven:
            return ()
        free = [place for place in start_fields(situation, pawn.colour) if self._may_restart(situation, place)]
        return (Restart(self.rng.choice(free)),) if free else ()

    def _may_restart(self, situation: Situation, place: Pawn) -> bool:
        ruling = step_ruling(situation, self.start, Restart(place), self.physics)
        return not blockade_restart(situation, place, self.start) and ruling.legal

    def _after(self, steps: Steps) -> Tower:
        situation = self.start
        for step in steps:
            situation = replace(situation, tower=after_step(prepared(situation, step), step), blocks=())
        return situation.tower

    # ---- climbing

    def climb(self, lengths: Take) -> Steps | None:
        """Up as far as it goes, then block by block where it helps most, and up again after each."""
        steps: Steps = self._up(())
        for length in lengths:
            if self._won(steps):
                return steps
            situation = replace(self.start, tower=self._after(steps))
            built = self._build(situation.tower, (length,), self._helpful) or self._build(
                situation.tower, (length,), self.anywhere
            )
            if built is None:
                return None
            steps = self._up((*steps, *built))
        return steps

    def _up(self, steps: Steps) -> Steps:
        """The steps, and then the highest surface that the pawn can reach, if that is higher."""
        situation = replace(self.start, tower=self._after(steps))
        pawn = self._pawn(situation.tower)
        if pawn is None:
            return steps
        higher = [surface for surface in Walk(situation, pawn).reachable() if surface.z > pawn.z]
        higher.sort(key=lambda surface: (-surface.z, surface))
        more = self._first_legal_move(situation, pawn, higher[:5])
        return (*steps, *more) if more else (*steps, *self._restart(situation, pawn))

    def _won(self, steps: Steps) -> bool:
        return self.height(steps) >= GOAL

    def height(self, steps: Steps) -> int:
        """How high the pawn stands after the steps."""
        pawn = self._pawn(self._after(steps))
        return pawn.z if pawn else 0

    def _helpful(self, situation: Situation, length: int) -> Iterator[Placement]:
        """Placements beside what the pawn can reach, the most useful first."""
        pawn = self._pawn(situation.tower)
        if pawn is None:
            return
        reached = {(s.x, s.y, s.z) for s in (*Walk(situation, pawn).reachable(), pawn.surface)}
        near = _one_step_from(reached)
        found = self.anywhere(situation, length)
        scored = [(_use(block, reached, near), number, block) for number, block in enumerate(found)]
        best = sorted((score, number, block) for score, number, block in scored if score < 0)
        yield from (block for _, _, block in best[:MOST_TRIES])


class _BlindHand(_Hand):
    """A hand that keeps the rules of building and moving, and leaves it to the tower whether it stands."""

    def _legal(self, situation: Situation, step: Together | PawnMove) -> bool:
        return not breaches_by_place(prepared(situation, step), step, self.start)


class _TrustingHand(_BlindHand):
    """A hand that believes statics where it vouches for a step."""

    def _legal(self, situation: Situation, step: Together | PawnMove) -> bool:
        return self._vouched_for(situation, step) and super()._legal(situation, step)


def _one_step_from(reached: set[Cell]) -> set[Cell]:
    """Where the top of a block is one step from a surface that is reached; from the board only one step up."""
    return {(x + dx, y + dy, z + up) for x, y, z in reached for up in (-1, 0, 1) if z > 0 or up == 1 for dx, dy in FOUR}


def _use(block: Placement, reached: set[Cell], near: set[Cell]) -> float:
    """How much a block helps, the less the better: the level of its top counts where that is one step from what is
    reached, and a little that it leaves the tops of what is reached free."""
    fields, top = block.footprint, block.top
    gain = 0.0
    if any((x, y, top) in near for x, y in fields):
        gain = max(gain, 1.0 + top - max(z for _, _, z in reached))
    covered = sum((x, y, block.z) in reached for x, y in fields)
    return 0.1 * covered - gain


def start_fields(situation: Situation, colour: str) -> list[Pawn]:
    """The fields from which a pawn may start."""
    fields = (Pawn(colour, x, y, 0) for x in range(10) for y in range(10))
    dry = (pawn for pawn in fields if not situation.board.is_water(pawn.x, pawn.y))
    return [pawn for pawn in dry if not start_breaches(situation, pawn)]


COMPUTERS = {"random": Computer, "climber": Climber, "reckless": Reckless}
