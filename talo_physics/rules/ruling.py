"""The ruling on a proposal: physics is asked step by step, the rules judge what it says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from talo_physics.rules.balance import balance_breaches, balance_together
from talo_physics.rules.build import build_breaches
from talo_physics.rules.catalogue import in_order
from talo_physics.rules.collapse import Collapse, adjudicate
from talo_physics.rules.move import MoveOptions, Walk, move_breaches
from talo_physics.rules.setup import setup_breaches
from talo_physics.rules.situation import Breach, Situation
from talo_physics.rules.take import take_breaches, take_stock
from talo_physics.tower.finding import Finding, Verdict, Wishes
from talo_physics.tower.placement import Block, FreePose
from talo_physics.tower.proposal import PawnMove, Proposal, Together
from talo_physics.tower.space import snapped
from talo_physics.tower.tower import Tower


class Physics(Protocol):
    """All that rules ask of physics."""

    def examine(self, tower: Tower, proposed: tuple[Block, ...], wishes: Wishes) -> Finding:
        """What happens when the blocks are placed at the same time; without any, what the tower itself does."""

    def bears(self, tower: Tower) -> bool:
        """Whether a tower stands with its pawns where they are; by statics alone where that is clear."""


@dataclass(frozen=True)
class Ruling:
    """What the rulebook says of a proposal, with the finding it rests on."""

    finding: Finding
    situation: Situation
    """What was judged last: the tower, and the blocks placed on it."""
    breaches: tuple[Breach, ...] = ()
    collapse: Collapse | None = None
    warnings: tuple[str, ...] = ()

    @property
    def violations(self) -> tuple[str, ...]:
        """The ids of all rules that are broken, in the order of the rulebook."""
        return in_order({breach.rule for breach in self.breaches})

    @property
    def legal(self) -> bool:
        """Whether no rule at all is broken."""
        return not self.breaches


def rule_on(
    start: Situation,
    proposal: Proposal | None,
    physics: Physics,
    turn: str | None = None,
    wishes: Wishes = Wishes(),
    options: MoveOptions = MoveOptions(),
) -> Ruling:
    """Judge a proposal on the tower of `start` (whose own blocks are not proposed), or that tower itself.

    Steps are simulated up to the first that does not stand; what breaks a rule by its place alone is told of all.
    """
    if start.variant == "fantasy":
        wishes = replace(wishes, counterweights=False)  # there are no pawns
    if proposal is None:
        return _rule_on_tower(start, physics, turn, wishes)
    situation, rulings, fallen = start, list[Ruling](), False
    for number, step in enumerate(proposal.steps, start=1):
        situation = replace(situation, blocks=_as_played(step, situation.variant))
        if fallen:
            rulings[-1] = _with_more(rulings[-1], _breaches_by_place(situation, step, turn, options))
        else:
            if isinstance(step, PawnMove):
                ruling = _rule_on_move(situation, step, physics, turn, wishes, options)
            else:
                ruling = _rule_on_step(situation, physics, turn, wishes)
            fallen = ruling.finding.verdict is not Verdict.STANDS
            if fallen and len(proposal.steps) > 1:
                note = f"step {number} of {len(proposal.steps)} ({step}): {ruling.finding.verdict}"
                note += "; the later steps were not simulated" if number < len(proposal.steps) else ""
                ruling = replace(ruling, warnings=(*ruling.warnings, note))
            rulings.append(ruling)
        after = moved_pawn(situation.tower, step) if isinstance(step, PawnMove) else situation.after
        situation = replace(situation, tower=after, blocks=())
    return _joined(rulings)


def moved_pawn(tower: Tower, move: PawnMove) -> Tower:
    """The tower after a pawn's move."""
    return tower.with_pawns(move.end if pawn.colour == move.end.colour else pawn for pawn in tower.pawns)


def _rule_on_move(
    situation: Situation, move: PawnMove, physics: Physics, turn: str | None, wishes: Wishes, options: MoveOptions
) -> Ruling:
    """A pawn's move: by the rules, and on every surface of its way by physics."""
    breaches = move_breaches(situation, move, turn, options)
    way = Walk(situation.tower, move.start, situation, options).path(move.end.surface) or [move.end.surface]
    for surface in way[1:-1]:
        on_the_way = moved_pawn(situation.tower, replace(move, end=replace(move.end, **vars(surface))))
        if not physics.bears(on_the_way):
            break
    else:
        on_the_way = moved_pawn(situation.tower, move)
    if any(True for _ in on_the_way.defects()):  # it cannot stand there at all: the tower is judged without it
        on_the_way = situation.tower.with_pawns(p for p in situation.tower.pawns if p.colour != move.start.colour)
    finding = physics.examine(on_the_way, (), wishes)
    there = replace(situation, tower=on_the_way)
    breaches += balance_breaches(there, finding)
    collapse = adjudicate(situation, finding, turn or move.start.colour)
    return Ruling(finding, there, tuple(breaches), collapse, (*_marginal(finding), *finding.warnings))


def _breaches_by_place(
    situation: Situation, step: Together | PawnMove, turn: str | None, options: MoveOptions
) -> list[Breach]:
    """What is wrong with a step without any simulation."""
    if isinstance(step, PawnMove):
        return move_breaches(situation, step, turn, options)
    return _place_breaches(situation)


def _as_played(step: Together | PawnMove, variant: str) -> tuple[Block, ...]:
    """The blocks of a step; a free pose that lies on the grid is the placement that it amounts to."""
    if isinstance(step, PawnMove):
        return ()
    if variant == "fantasy":
        return step.blocks
    return tuple((snapped(block) or block) if isinstance(block, FreePose) else block for block in step.blocks)


def _place_breaches(situation: Situation) -> list[Breach]:
    """What breaks a rule without any simulation."""
    taken = take_breaches(situation) if situation.variant == "standard" else list(take_stock(situation))
    return [*setup_breaches(situation), *taken, *build_breaches(situation), *balance_together(situation)]


def _with_more(ruling: Ruling, breaches: list[Breach]) -> Ruling:
    return replace(ruling, breaches=(*ruling.breaches, *breaches))


def _rule_on_step(situation: Situation, physics: Physics, turn: str | None, wishes: Wishes) -> Ruling:
    finding = physics.examine(situation.tower, situation.fit, wishes)
    breaches = [*_place_breaches(situation), *balance_breaches(situation, finding)]
    left_out = ", ".join(str(block) for block in situation.left_out)
    warnings = [f"{left_out} not simulated: the space is taken"] if left_out else []
    return Ruling(
        finding,
        situation,
        tuple(breaches),
        adjudicate(situation, finding, turn),
        (*warnings, *_marginal(finding), *finding.warnings),
    )


def _rule_on_tower(situation: Situation, physics: Physics, turn: str | None, wishes: Wishes) -> Ruling:
    """A tower is judged as if each of its blocks had been proposed, but for what was placed together."""
    finding = physics.examine(situation.tower, (), wishes)
    own = replace(situation, tower=Tower(), blocks=situation.tower.blocks)
    placed = [*setup_breaches(situation), *take_stock(own), *build_breaches(own)]
    breaches = [*placed, *balance_breaches(situation, finding)]
    warnings = (*_marginal(finding), *finding.warnings)
    return Ruling(finding, situation, tuple(breaches), adjudicate(situation, finding, turn), warnings)


def _marginal(finding: Finding) -> list[str]:
    if not finding.marginal:
        return []
    if finding.verdict is Verdict.STANDS:
        return ["marginal: it stands, but not on a table tilted by 1.5 degrees"]
    return ["marginal: the answer hangs by a hair"]


def _joined(rulings: list[Ruling]) -> Ruling:
    """The rulings of all steps as one: the last step's finding, everything else gathered."""
    last = rulings[-1]
    cost = last.finding.cost
    for ruling in rulings[:-1]:
        cost = cost.plus(ruling.finding.cost)
    finding = replace(
        last.finding,
        marginal=any(ruling.finding.marginal for ruling in rulings),
        disputed=any(ruling.finding.disputed for ruling in rulings),
        cost=cost,
    )
    breaches = tuple(dict.fromkeys(breach for ruling in rulings for breach in ruling.breaches))
    warnings = tuple(dict.fromkeys(text for ruling in rulings for text in ruling.warnings))
    return Ruling(finding, last.situation, breaches, last.collapse, warnings)
