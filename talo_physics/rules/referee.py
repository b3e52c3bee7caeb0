"""The referee: a proposal is judged step by step, the rules looking at what physics says of each."""

from __future__ import annotations

from dataclasses import replace

from talo_physics.rules.balance import balance_breaches
from talo_physics.rules.build import build_breaches
from talo_physics.rules.collapse import adjudicate
from talo_physics.rules.ruling import Physics, Ruling
from talo_physics.rules.setup import setup_breaches
from talo_physics.rules.situation import Breach, Situation
from talo_physics.rules.steps import after_step, breaches_by_place, marginal_note, prepared, rule_on_step
from talo_physics.rules.take import take_stock, take_sum
from talo_physics.tower.finding import Finding, Verdict, Wishes
from talo_physics.tower.proposal import Proposal, Step
from talo_physics.tower.tower import Tower


def rule_on(
    start: Situation,
    proposal: Proposal | None,
    physics: Physics,
    wishes: Wishes = Wishes(),
    rebuilt: bool | None = None,
) -> Ruling:
    """Judge a proposal on the tower of `start` (whose own blocks are not proposed), or that tower itself.

    A list of steps is one turn. `rebuilt` is the players' word on whether they rebuilt a collapse.
    """
    if start.variant == "fantasy":
        wishes = replace(wishes, counterweights=False)  # there are no pawns
    if proposal is None:
        return _rule_on_tower(start, physics, wishes)
    ruling = rule_on_steps(start, proposal.steps, physics, wishes, rebuilt)
    if start.variant == "standard":
        ruling = with_more(ruling, list(take_sum([block.length for block in proposal.blocks])))
    return ruling


def rule_on_steps(
    start: Situation, steps: tuple[Step, ...], physics: Physics, wishes: Wishes, rebuilt: bool | None
) -> Ruling:
    """Judge steps one after the other up to the first that does not stand, or the one that wins.

    What breaks a rule by its place alone is told of the later ones too.
    """
    situation, rulings, over = start, list[Ruling](), False
    for number, step in enumerate(steps, start=1):
        situation = prepared(situation, step)
        if over:
            rulings[-1] = _with_later(rulings[-1], _later(situation, step, start, rulings[-1]))
        else:
            ruling = rule_on_step(situation, step, start, physics, wishes, rebuilt)
            stands = ruling.finding.verdict is Verdict.STANDS
            if not stands and len(steps) > 1:
                note = f"step {number} of {len(steps)} ({step}): {ruling.finding.verdict}"
                note += "; the later steps were not simulated" if number < len(steps) else ""
                ruling = replace(ruling, warnings=(*ruling.warnings, note))
            rulings.append(ruling)
            over = not stands or ruling.winner is not None
        situation = replace(situation, tower=after_step(situation, step), blocks=())
    return _joined(rulings) if rulings else Ruling(Finding(Verdict.STANDS), start, after=start.tower)


def _later(situation: Situation, step: Step, start: Situation, last: Ruling) -> list[Breach]:
    """What is wrong with a step behind one that fell or won."""
    if last.winner:
        return [Breach("win.level-10", f"{step}: the game is over, {last.winner} stands on level 10")]
    return breaches_by_place(situation, step, start)


def _with_later(ruling: Ruling, breaches: list[Breach]) -> Ruling:
    return replace(with_more(ruling, breaches), later=(*ruling.later, *breaches))


def with_more(ruling: Ruling, breaches: list[Breach]) -> Ruling:
    """The ruling with more breaches."""
    return replace(ruling, breaches=(*ruling.breaches, *breaches))


def _rule_on_tower(situation: Situation, physics: Physics, wishes: Wishes) -> Ruling:
    """A tower is judged as if each of its blocks had been proposed, but for what was placed together."""
    finding = physics.examine(situation.tower, (), wishes)
    own = replace(situation, tower=Tower(), blocks=situation.tower.blocks)
    placed = [*setup_breaches(situation), *take_stock(own), *build_breaches(own)]
    breaches = [*placed, *balance_breaches(situation, finding)]
    warnings = (*marginal_note(finding), *finding.warnings)
    return Ruling(
        finding, situation, tuple(breaches), adjudicate(situation, finding, situation.tower), warnings, situation.tower
    )


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
    return replace(
        last,
        finding=finding,
        breaches=tuple(dict.fromkeys(breach for ruling in rulings for breach in ruling.breaches)),
        warnings=tuple(dict.fromkeys(text for ruling in rulings for text in ruling.warnings)),
    )
