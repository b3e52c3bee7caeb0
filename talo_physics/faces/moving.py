"""`talo moves` and `talo reach`: what could be done in a position, a line each."""

from __future__ import annotations

import json
from dataclasses import replace

import click

from talo_physics.errors import TaloError
from talo_physics.faces.show import Show
from talo_physics.judgement import judge
from talo_physics.rules.blockade import blockade
from talo_physics.rules.move import Walk
from talo_physics.rules.options import Options
from talo_physics.rules.placing import placements
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Wishes
from talo_physics.tower.proposal import Proposal, Together

QUICK = Wishes(counterweights=False, before=False)


def list_moves(scenario: Scenario, length: int, judging: bool, as_json: bool) -> None:
    """Print every placement of a block of this length that the build rules allow, sorted."""
    found = placements(scenario.situation, length)
    for block in Show().progress(found) if judging else found:
        answer = judge(replace(scenario, proposal=Proposal((Together((block,)),))), QUICK) if judging else None
        if as_json:
            verdict, legal = (str(answer.verdict), answer.legal) if answer else (None, None)
            click.echo(json.dumps({"placement": str(block), "verdict": verdict, "legal": legal}))
        elif answer:
            ruling = "legal" if answer.legal else f"illegal: {', '.join(answer.violations)}"
            click.echo(f"{block}  {answer.verdict}{' (marginal)' if answer.marginal else ''}  {ruling}")
        else:
            click.echo(str(block))


def list_reach(scenario: Scenario, colour: str, options: Options, as_json: bool) -> None:
    """Print the surfaces that a pawn can reach, sorted, and last in words whether it is blocked for good."""
    pawn = next((pawn for pawn in scenario.tower.pawns if pawn.colour == colour), None)
    if pawn is None:
        there = ", ".join(pawn.colour for pawn in scenario.tower.pawns) or "none"
        raise TaloError(f"{scenario.source}: no {colour} pawn; there are: {there}")
    walk = Walk(replace(scenario.situation, options=options), pawn)
    surfaces = sorted(str(surface) for surface in walk.reachable())
    blocked = blockade(scenario.situation, pawn)
    if as_json:
        click.echo(json.dumps({"reachable": surfaces, "blockade": str(blocked), "reason": blocked.reason}))
        return
    for surface in surfaces:
        click.echo(surface)
    many = "1 surface" if len(surfaces) == 1 else f"{len(surfaces) or 'no'} surfaces"
    hope = f"blocked for good: {blocked.reason}" if blocked.proven else "not proven to be blocked for good"
    click.echo(f"{colour} can reach {many}; it is {hope}")
