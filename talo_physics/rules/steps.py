"""One step of a turn, judged: blocks placed at the same time, a pawn's move, a new start, a bump."""

from __future__ import annotations

from dataclasses import replace

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
    """Judge one step by the rules and by what physics shows."""
    breaches = breaches_by_place(situation, step, start)
    if isinstance(step, PawnMove):
        return _rule_on_move(situation, step, breaches, physics, wishes, rebuilt)
    if isinstance(step, Restart):
        return _rule_on_restart(situation, step, breaches, physics, wishes, rebuilt)
    if isinstance(step, Bump):
        finding = Finding(Verdict.STANDS) if breaches else physics.bump(situation.tower, step, wishes)
        return _ruling(situation, finding, breaches, rebuilt)
    finding = physics.examine(situation.tower, situation.fit, wishes)
    left_out = ", ".join(str(block) for block in situation.left_out)
    notes = [f"{left_out} not simulated: the space is taken"] if left_out else []
    if not situation.options.insertion:
        notes += [f"advice: {breach.message}" for breach in insertion(situation)]
    if not breaches and finding.verdict is Verdict.STANDS:
        notes += _advice(situation, physics)
    return _ruling(situation, finding, breaches, rebuilt, notes)


def _advice(situation: Situation, physics: Physics) -> list[str]:
    """What a player who knows their own hands would rather leave; never a breach."""
    most = situation.options.calm_hand
    if most is None:
        return []
    risk = physics.risk(situation.tower, situation.fit)
    return (
        [f"advice: a hand brings it down with a probability of {risk:.0%}, more than {most:g}"] if risk > most else []
    )


def _rule_on_move(
    situation: Situation,
    move: PawnMove,
    breaches: list[Breach],
    physics: Physics,
    wishes: Wishes,
    rebuilt: bool | None,
) -> Ruling:
    """A pawn's move: on every surface of its way the tower must bear it. It takes a way that does, if there is one."""
    walk, end = Walk(situation, move.start), move.end.surface

    def there(surface: Surface) -> Pawn:
        return Pawn(move.end.colour, surface.x, surface.y, surface.z)

    def bears(surface: Surface) -> bool:
        return physics.bears(with_pawn(situation.tower, there(surface)))

    way = walk.safe_path(end, bears)
    stop = end
    if way is None:
        way = walk.path(end) or [end]
        stop = next((surface for surface in way[1:-1] if not bears(surface)), end)
    judged = with_pawn(situation.tower, there(stop))
    if any(True for _ in judged.defects()):
        # It cannot stand there at all: the tower is judged without it.
        judged = situation.tower.with_pawns(p for p in situation.tower.pawns if p.colour != move.start.colour)
        finding = physics.examine(judged, (), wishes)
    else:
        finding = physics.examine(situation.tower, (there(stop),), wishes)
    ruling = replace(_ruling(situation, finding, breaches, rebuilt), situation=replace(situation, tower=judged))
    won = not breaches and finding.verdict is Verdict.STANDS and any(surface.z >= GOAL for surface in way[1:])
    return replace(ruling, winner=move.end.colour if won else None)


def _rule_on_restart(
    situation: Situation,
    restart: Restart,
    breaches: list[Breach],
    physics: Physics,
    wishes: Wishes,
    rebuilt: bool | None,
) -> Ruling:
    """A pawn that starts again leaves the tower: what it leaves behind must stand without it."""
    alone = situation.tower.with_pawns(p for p in situation.tower.pawns if p.colour != restart.pawn.colour)
    ruling = _ruling(situation, physics.examine(alone, (), wishes), breaches, rebuilt)
    return replace(ruling, situation=replace(situation, tower=alone))


def _bump_breaches(situation: Situation, bump: Bump) -> list[Breach]:
    if bump.block in situation.tower.blocks:
        return []
    return [Breach("build.support", f"{bump}: there is no {bump.block} in the tower")]


def _ruling(
    situation: Situation, finding: Finding, breaches: list[Breach], rebuilt: bool | None, notes: list[str] | None = None
) -> Ruling:
    found = (*breaches, *balance_breaches(situation, finding))
    warnings = (*(notes or ()), *marginal_note(finding), *finding.warnings)
    return Ruling(finding, situation, found, adjudicate(situation, finding, rebuilt), warnings)


def marginal_note(finding: Finding) -> list[str]:
    """What to tell of an answer that hangs by a hair."""
    if not finding.marginal:
        return []
    if finding.verdict is Verdict.STANDS:
        return ["marginal: it stands, but not on a table tilted by 1.5 degrees"]
    return ["marginal: the answer hangs by a hair"]
