"""`talo explain`: the reasons behind a judgement, for people and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from talo_physics.judgement import Judgement, explain
from talo_physics.rules.catalogue import RULES
from talo_physics.tower.finding import Verdict

if TYPE_CHECKING:
    from talo_physics.physics.explanation import Explanation, Joint

_REASONS = {
    "lean": "it leans on a side face, which pushes back; supports alone would not carry it",
    "friction tie": "it hangs on friction between supports; without friction they would not carry it",
    "self-stress": "only blocks pressed against its sides could hold it, and nothing presses them",
    "sharp edges": "sharp edges could just carry it, the rounded ones of the profile do not",
}

_BOTH_WAYS = {
    Verdict.NEEDS_PAWN: ": with the pawns it stands, without them it falls",
    Verdict.PAWN_TOPPLES: ": without the pawns it stands, with them it falls",
}


def explained(answer: Judgement) -> dict[str, Any]:
    """The judgement's JSON with the reasons added."""
    why = explain(answer)
    return {
        **answer.to_json(),
        "explanation": {
            "static": why.says,
            "reason": why.reason,
            "tilt_deg": why.tilt_deg,
            "loads": [{"piece": str(x.piece), "on": str(x.on), "grams": x.grams} for x in why.loads],
            "weakest": _joint_json(why.weakest),
            "tips": _joint_json(why.tips),
            "first_fallen": _first_fallen(answer),
            "fallen_pawns": [str(pawn) for pawn in answer.finding.fallen_pawns],
            "lies": [str(pose) for pose in answer.finding.lies],
            "help": {
                "counterweight_g": why.help.counterweight_g,
                "surface": why.help.surface and str(why.help.surface),
                "pawn_surfaces": [str(surface) for surface in answer.finding.counterweights],
                "least_friction": why.help.least_friction,
            },
            "rules": [{"rule": b.rule, "says": RULES[b.rule].says, "here": b.message} for b in answer.ruling.breaches],
        },
    }


def _joint_json(joint: Joint | None) -> dict[str, Any] | None:
    if joint is None:
        return None
    return {"piece": str(joint.piece), "on": str(joint.on), "edge": joint.edge, "spare_mm": joint.spare_mm}


def _first_fallen(answer: Judgement) -> str | None:
    return str(answer.finding.first_fallen) if answer.finding.first_fallen else None


def print_explained(out: Console, answer: Judgement, why: Explanation | None = None) -> None:
    """The reasons in words; `why`, where it is known already."""
    why, finding = why or explain(answer), answer.finding
    hair = " (marginal)" if finding.marginal else ""
    out.print(f"[bold]{escape(answer.scenario.title)}[/bold] [dim]{escape(answer.scenario.source)}[/dim]")
    out.print(f"  simulation  {finding.verdict}{hair}{_BOTH_WAYS.get(finding.verdict, '')}")
    _print_statics(out, why, _with_pawns(answer))
    if finding.first_fallen:
        when = "without the pawns: " if finding.verdict is Verdict.NEEDS_PAWN else _with_pawns(answer)
        out.print(f"  first       {when}{escape(str(finding.first_fallen))} falls first in the simulation")
    _print_help(out, why, answer)
    for breach in answer.ruling.breaches:
        out.print(f"  rule        [red]{breach.rule}[/red] ({RULES[breach.rule].says}): {escape(breach.message)}")
    if answer.legal:
        out.print("  rule        legal: no rule is broken")
    for warning in answer.ruling.warnings:
        out.print(f"  [yellow]note[/yellow]        {escape(warning)}")


def _with_pawns(answer: Judgement) -> str:
    """The mark of what is said of the tower with its pawns; none where no pawn stands on it, so that it is the same."""
    return "with the pawns: " if any(pawn.z for pawn in answer.ruling.situation.after.pawns) else ""


def _print_statics(out: Console, why: Explanation, when: str) -> None:
    """What statics says, with the pawns where they are."""
    tilt = f", up to {why.tilt_deg:g} degrees of tilt" if why.tilt_deg else ""
    reason = f": {_REASONS.get(why.reason, why.reason)}" if why.reason else ""
    out.print(f"  statics     {when}{why.says}{tilt}{reason}")
    for load in why.loads:
        out.print(f"  load        {escape(str(load.piece))} puts {load.grams:g} g on {escape(str(load.on))}")
    if why.weakest:
        out.print(f"  weakest     {when}{escape(str(why.weakest))}, {why.weakest.spare_mm:g} mm to spare")
    if why.tips:
        out.print(f"  tips        {when}{escape(str(why.tips))}")


def _print_help(out: Console, why: Explanation, answer: Judgement) -> None:
    if why.says == "stands":
        return
    if why.help.surface is not None:
        out.print(f"  would help  {why.help.counterweight_g:g} g on {why.help.surface}")
    if answer.finding.counterweights:
        where = ", ".join(str(surface) for surface in answer.finding.counterweights)
        out.print(f"  would help  a pawn on {where}")
    if why.help.least_friction is not None and why.reason != "self-stress":
        out.print(f"  would help  friction of {why.help.least_friction:g} or more, as far as statics can tell")
