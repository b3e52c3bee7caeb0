"""One step of a turn, judged: blocks placed at the same time, a pawn's move, a new start, a bump."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from talo_physics.rules.balance import balance_breaches, balance_together
from talo_physics.rules.blockade import GOAL, blockade_restart
from talo_physics.rules.build import build_breaches
from talo_physics.rules.collapse import adjudicate
from talo_physics.rules.insertion import insertion
from talo_physics.rules.move import Walk, move_breaches
from talo_physics.rules.ruling import Physics, Ruling
from talo_physics.rules.setup import setup_breaches
from talo_physics.rules.situation import Breach, Situation
from talo_physics.rules.take import take_stock
from talo_physics.tower.finding import Finding, Verdict, Wishes
from talo_physics.tower.pawn import Pawn, Surface
from talo_physics.tower.placement import FreePose
from talo_physics.tower.proposal import Bump, PawnMove, Restart, Step
from talo_physics.tower.space import snapped
from talo_physics.tower.tower import Tower


def prepared(situation: Situation, step: Step) -> Situation:
    """The situation with the step's blocks in hand; a free pose on the grid becomes the placement it amounts to."""
    if isinstance(step, PawnMove | Restart | Bump):
        return replace(situation, blocks=())
    blocks = step.blocks
    if situation.variant == "standard":
        blocks = tuple((snapped(block) or block) if isinstance(block, FreePose) else block for block in blocks)
    return replace(situation, blocks=blocks)


def after_step(situation: Situation, step: Step) -> Tower:
    """The tower after a step that stood."""
    if isinstance(step, PawnMove):
        return with_pawn(situation.tower, step.end)
    if isinstance(step, Restart):
        return with_pawn(situation.tower, step.pawn)
    return situation.after


def with_pawn(tower: Tower, pawn: Pawn) -> Tower:
    """The tower with the pawn of this colour moved there."""
    return tower.with_pawns(pawn if other.colour == pawn.colour else other for other in tower.pawns)


def breaches_by_place(situation: Situation, step: Step, start: Situation) -> list[Breach]:
    """What is wrong with a step without any simulation; `start` is how the turn began."""
    if situation.variant == "fantasy" and isinstance(step, PawnMove | Restart):
        return [Breach("fantasy.free", f"{step}: the Fantasy variant has no pawns")]
    if isinstance(step, PawnMove):
        return move_breaches(situation, step)
    if isinstance(step, Restart):
        return blockade_restart(situation, step.pawn, start)
    if isinstance(step, Bump):
        return _bump_breaches(situation, step)
    found = [*setup_breaches(situation), *take_stock(situation), *build_breaches(situation)]
    if situation.options.insertion:
        found += insertion(situation)
    return [*found, *balance_together(situation)]


def rule_on_step(
    situation: Situation, step: Step, start: Situation, physics: Physics, wishes: Wishes, rebuilt: bool | None
) -> Ruling:
    """Judge one step by the rules and by what physics shows; `start` is how the turn began."""
    return _Judge(situation, start, physics, wishes, rebuilt).on(step)


@dataclass(frozen=True)
class _Judge:
    """The one who judges a step."""

    situation: Situation
    start: Situation
    physics: Physics
    wishes: Wishes
    rebuilt: bool | None

    def on(self, step: Step) -> Ruling:
        breaches = breaches_by_place(self.situation, step, self.start)
        if isinstance(step, PawnMove):
            return self._move(step, breaches)
        if isinstance(step, Restart):
            return self._restart(step, breaches)
        if isinstance(step, Bump):
            tower = self.situation.tower
            finding = Finding(Verdict.STANDS) if breaches else self.physics.bump(tower, step, self.wishes)
            return self._ruling(finding, breaches, after=tower)
        return self._building(breaches)

    def _building(self, breaches: list[Breach]) -> Ruling:
        situation = self.situation
        finding = self.physics.examine(situation.tower, situation.fit, self.wishes)
        left_out = ", ".join(str(block) for block in situation.left_out)
        notes = [f"{left_out} not simulated: the space is taken"] if left_out else []
        if not situation.options.insertion:
            notes += [f"advice: {breach.message}" for breach in insertion(situation)]
        if not breaches and finding.verdict is Verdict.STANDS:
            notes += self._advice()
        return self._ruling(finding, breaches, situation.after, notes)

    def _advice(self) -> list[str]:
        """What a player who knows their own hands would rather leave; never a breach."""
        most = self.situation.options.calm_hand
        risk = 0.0 if most is None else self.physics.risk(self.situation.tower, self.situation.fit)
        if most is None or risk <= most:
            return []
        return [f"advice: a hand brings it down with a probability of {risk:.0%}, more than {most:g}"]

    def _move(self, move: PawnMove, breaches: list[Breach]) -> Ruling:
        """On every surface of its way the tower must bear the pawn. It takes a way that does, if there is one, and
        on level 10 it has won and goes no further."""
        tower, way = self.situation.tower, self._way(move)
        goal = next((surface for surface in way[1:] if surface.z >= GOAL), None)
        way = way[: way.index(goal) + 1] if goal else way
        failing = next((surface for surface in way[1:-1] if not self._bears(move, surface)), None)
        stop = _pawn_on(move, failing or way[-1])
        judged = with_pawn(tower, stop)
        if any(True for _ in judged.defects()):
            # It cannot stand there at all: the tower is judged without it.
            judged = tower.with_pawns(pawn for pawn in tower.pawns if pawn.colour != stop.colour)
            finding = self.physics.examine(judged, (), self.wishes)
        else:
            finding = self.physics.examine(tower, (stop,), self.wishes)
        ruling = self._ruling(finding, breaches, with_pawn(tower, _pawn_on(move, goal)) if goal else judged)
        won = goal is not None and not breaches and finding.verdict is Verdict.STANDS
        shown = replace(self.situation, tower=judged)
        return replace(ruling, situation=shown, winner=stop.colour if won else None)

    def _way(self, move: PawnMove) -> list[Surface]:
        walk, end = Walk(self.situation, move.start), move.end.surface
        safe = walk.safe_path(end, lambda surface: self._bears(move, surface))
        return safe or walk.path(end) or [move.start.surface, end]

    def _bears(self, move: PawnMove, surface: Surface) -> bool:
        return self.physics.bears(with_pawn(self.situation.tower, _pawn_on(move, surface)))

    def _restart(self, restart: Restart, breaches: list[Breach]) -> Ruling:
        """A pawn that starts again leaves the tower: what it leaves behind must stand without it."""
        tower = self.situation.tower
        alone = tower.with_pawns(pawn for pawn in tower.pawns if pawn.colour != restart.pawn.colour)
        finding = self.physics.examine(alone, (), self.wishes)
        ruling = self._ruling(finding, breaches, with_pawn(tower, restart.pawn))
        return replace(ruling, situation=replace(self.situation, tower=alone))

    def _ruling(self, finding: Finding, breaches: list[Breach], after: Tower, notes: Sequence[str] = ()) -> Ruling:
        situation, stood = self.situation, self.start.tower
        found = (*breaches, *balance_breaches(situation, finding))
        collapse = adjudicate(situation, finding, stood, self.rebuilt)
        warnings = (*notes, *marginal_note(finding), *finding.warnings)
        after = after if finding.verdict is Verdict.STANDS else situation.tower
        return Ruling(finding, situation, found, collapse, warnings, after)


def _pawn_on(move: PawnMove, surface: Surface) -> Pawn:
    return Pawn(move.end.colour, surface.x, surface.y, surface.z)


def _bump_breaches(situation: Situation, bump: Bump) -> list[Breach]:
    if bump.block in situation.tower.blocks:
        return []
    return [Breach("build.support", f"{bump}: there is no {bump.block} in the tower")]


def marginal_note(finding: Finding) -> list[str]:
    """What to tell of an answer that hangs by a hair."""
    if not finding.marginal:
        return []
    if finding.verdict is Verdict.STANDS:
        return ["marginal: it stands, but not on a table tilted by 1.5 degrees"]
    return ["marginal: the answer hangs by a hair"]
