"""What lies on the desk: a tower, the steps in hand, and a block about to be placed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from talo_physics.errors import TaloError
from talo_physics.faces.view.scene import Scene, scene_of
from talo_physics.game.state import State
from talo_physics.rules.build import TOP_LEVEL, build_breaches
from talo_physics.rules.move import Walk
from talo_physics.rules.options import Options
from talo_physics.rules.situation import Breach, Situation
from talo_physics.rules.steps import after_step, prepared
from talo_physics.rules.take import take_stock
from talo_physics.scenario.model import Scenario
from talo_physics.tower.pawn import Pawn, Surface
from talo_physics.tower.placement import Placement
from talo_physics.tower.proposal import PawnMove, Proposal, Restart, Step, Together
from talo_physics.tower.tower import Tower

FARTHEST_FIELD = 9
"""How far beyond the board a block may begin: one of 10 still touches it."""


@dataclass(frozen=True)
class Table:
    """A scenario whose proposal is in hand, and how the rules are read."""

    scenario: Scenario
    options: Options = field(default_factory=Options)

    @classmethod
    def of_game(cls, state: State, title: str, steps: tuple[Step, ...] = ()) -> Table:
        """The table of a game between two turns, with steps of the next one in hand."""
        setting = state.setting
        scenario = Scenario(
            state.tower,
            Proposal(steps) if steps else None,
            title,
            board=setting.board,
            profile=setting.profile,
            edition=setting.edition,
            variant=setting.variant,
            turn=None if state.result else state.to_move,
        )
        return cls(scenario, setting.options)

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is in hand."""
        return self.scenario.proposal.steps if self.scenario.proposal else ()

    def with_steps(self, steps: tuple[Step, ...]) -> Table:
        """The table with other steps in hand."""
        # What a file expects, it expects of its own proposal.
        return replace(self, scenario=replace(self.scenario, proposal=Proposal(steps) if steps else None, expect=None))

    @property
    def situation(self) -> Situation:
        """As the rules see it once the steps in hand are done; nothing is simulated."""
        situation = replace(self.scenario.situation, options=self.options)
        for step in self.steps:
            situation = prepared(situation, step)
            situation = replace(situation, tower=after_step(situation, step), blocks=())
        return situation

    @property
    def tower(self) -> Tower:
        """With the steps in hand done."""
        return self.situation.tower

    def pawn(self, colour: str) -> Pawn:
        """Where a pawn is after the steps in hand.

        Raises:
            TaloError: there is no such pawn.
        """
        found = next((pawn for pawn in self.tower.pawns if pawn.colour == colour), None)
        if found is None:
            raise TaloError(f"there is no {colour[:20]} pawn")
        return found

    def reach(self, colour: str) -> tuple[Surface, ...]:
        """The surfaces that a pawn can reach after the steps in hand, sorted."""
        return tuple(sorted(Walk(self.situation, self.pawn(colour)).reachable()))

    @property
    def scene(self) -> Scene:
        """What there is to see while nobody has judged it."""
        tower = self.tower
        scene = scene_of(tower, self.scenario.board, self.scenario.profile)
        new = set(tower.blocks) - set(self.scenario.tower.blocks)
        went = {step.end for step in self.steps if isinstance(step, PawnMove)}
        went |= {step.pawn for step in self.steps if isinstance(step, Restart)}
        pieces = tuple(replace(piece, proposed=piece.thing in new | went) for piece in scene.pieces)
        moves = tuple(step for step in self.steps if isinstance(step, PawnMove))
        return replace(scene, pieces=pieces, moves=moves)


@dataclass(frozen=True)
class Choice:
    """A block that somebody is about to place."""

    length: int = 4
    axis: str = "x"
    x: int = 4
    y: int = 4
    layer: int | None = None
    """None is the lowest layer in which it rests."""
    together: bool = False
    """Whether it is placed at the same time as the last block in hand."""

    def __post_init__(self) -> None:
        """Check what a page sends.

        Raises:
            TaloError: no such block, or no such place.
        """
        if self.length not in range(1, 11) or self.axis not in ("x", "y", "z"):
            raise TaloError("blocks are 1 to 10 long and lie along x or y, or stand (z)")
        reach = range(-FARTHEST_FIELD, 10 + FARTHEST_FIELD)
        if self.x not in reach or self.y not in reach or self.layer not in (None, *range(TOP_LEVEL + 1)):
            raise TaloError(f"fields go from {reach[0]} to {reach[-1]}, layers from 0 to {TOP_LEVEL}")


@dataclass(frozen=True)
class Ghost:
    """Where a chosen block would lie, and what is against it."""

    block: Placement
    breaches: tuple[Breach, ...] = ()

    @property
    def hovers(self) -> bool:
        """Whether it could not lie there by itself: no room, or nothing under it."""
        return any(breach.rule in ("build.space", "build.support") for breach in self.breaches)

    @property
    def words(self) -> str:
        """What to tell of it."""
        if not self.breaches:
            return f"{self.block} can be placed here"
        return "; ".join(f"{breach.rule}: {breach.message}" for breach in self.breaches)


def ghost_of(table: Table, choice: Choice) -> Ghost:
    """Where a chosen block would lie by the build rules' geometry."""
    situation = table.situation
    beside: tuple[Step, ...] = table.steps[-1:] if choice.together else ()
    company = beside[0].blocks if beside and isinstance(beside[0], Together) else ()
    if company:  # what is placed at the same time is looked at as one
        situation = table.with_steps(table.steps[:-1]).situation

    def ghost(layer: int) -> Ghost:
        block = Placement(choice.length, choice.axis, choice.x, choice.y, layer)
        asked = replace(situation, blocks=(*company, block))
        return Ghost(block, (*take_stock(asked), *build_breaches(asked)))

    if choice.layer is not None:
        return ghost(choice.layer)
    tried = [ghost(layer) for layer in range(TOP_LEVEL)]
    # The lowest place that nothing is against; without one, the lowest where it has room and rests.
    return min(tried, key=lambda one: (bool(one.breaches), one.hovers, one.block.z))


def placed(table: Table, choice: Choice) -> Table:
    """The table with the chosen block in hand.

    Raises:
        TaloError: it cannot lie there; says why.
    """
    ghost = ghost_of(table, choice)
    if ghost.breaches:
        raise TaloError(f"refused: {ghost.words}")
    last = table.steps[-1] if table.steps else None
    if choice.together and isinstance(last, Together):
        return table.with_steps((*table.steps[:-1], Together((*last.blocks, ghost.block))))
    return table.with_steps((*table.steps, Together((ghost.block,))))


def walked(table: Table, colour: str, end: Surface) -> Table:
    """The table with a pawn's move in hand; whether it may go there is for the referee to say."""
    pawn = table.pawn(colour)
    return table.with_steps((*table.steps, PawnMove(pawn, Pawn(colour, end.x, end.y, end.z))))
