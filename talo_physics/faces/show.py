"""Judgements for people: colours, tables and a progress bar on a terminal, plain lines when piped."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Sequence, Sized
from typing import TypeVar

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

from talo_physics.game.playing import Played
from talo_physics.judgement import Judgement
from talo_physics.rules.catalogue import RULES
from talo_physics.tower.finding import Verdict

T = TypeVar("T")
WIDE = 110
"""Columns from which on a table has room for titles."""
_COLOURS = {
    Verdict.STANDS: "green",
    Verdict.NEEDS_PAWN: "yellow",
    Verdict.PAWN_TOPPLES: "red",
    Verdict.TOPPLES: "red",
}


class Show:
    """Prints to standard output unless told otherwise, progress to standard error."""

    def __init__(self, out: Console | None = None) -> None:
        self.out = out or Console(highlight=False, soft_wrap=True)
        self.err = Console(stderr=True)

    def progress(self, items: Iterable[T], doing: str = "judging", total: int | None = None) -> Iterable[T]:
        """The items with a progress bar; a single one with something that moves. Nothing without a terminal.

        `total` is how many there are, where they cannot be counted beforehand.
        """
        count = total if total is not None else len(items) if isinstance(items, Sized) else 1
        if count > 1 and self.err.is_terminal:
            yield from track(items, description=doing, total=count, console=self.err, transient=True)
            return
        with self.err.status(doing):
            yield from items

    def judgements(self, answers: Sequence[Judgement]) -> None:
        """One in full, several as a table."""
        if len(answers) == 1:
            self.in_full(answers[0])
        elif self.out.is_terminal:
            self._table(answers)
        else:
            for answer in answers:
                self.out.print(f"{escape(answer.scenario.source)}: {_verdict(answer)}, {_ruling(answer)}")
        for answer in answers if len(answers) > 1 else ():
            self._unmet(answer)

    def checks(self, answers: Sequence[Judgement], bad: int) -> None:
        """What did not come out as expected, and a count."""
        if self.out.is_terminal:
            self._table(answers)
        for answer in answers:
            self._unmet(answer)
        failed = sum(bool(answer.unmet) for answer in answers)
        silent = sum(answer.scenario.expect is None for answer in answers)
        noun = "scenario" if len(answers) == 1 else "scenarios"
        count = f"{len(answers)} {noun}: {len(answers) - failed - silent} as expected, {failed} not"
        count += f", {silent} expect nothing" if silent else ""
        count += f", {bad} could not be read" if bad else ""
        self.out.print(f"[{'red' if failed or bad else 'green'}]{count}")

    def _unmet(self, answer: Judgement) -> None:
        for unmet in answer.unmet:
            self.out.print(f"[red]{escape(answer.scenario.source)}: {escape(unmet)}")

    def _table(self, answers: Sequence[Judgement]) -> None:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("scenario", no_wrap=True)
        if self.out.width >= WIDE:
            table.add_column("title")
        table.add_column("verdict", no_wrap=True)
        table.add_column("ruling")
        folder = _common_folder([answer.scenario.source for answer in answers])
        for answer in answers:
            mark = "[red]✗ " if answer.unmet else ""
            name = os.path.relpath(answer.scenario.source, folder) if folder else answer.scenario.source
            title = [escape(answer.scenario.title)] if self.out.width >= WIDE else []
            table.add_row(mark + escape(name), *title, _verdict(answer), _ruling(answer))
        if folder:
            self.out.print(f"[dim]{escape(folder)}[/dim]")
        self.out.print(table)

    def in_full(self, answer: Judgement) -> None:
        """One judgement with all there is to it."""
        scenario, finding = answer.scenario, answer.finding
        self.out.print(f"[bold]{escape(scenario.title)}[/bold] [dim]{escape(scenario.source)}[/dim]")
        if scenario.proposal:
            self.out.print(f"  proposed   {escape(str(scenario.proposal))}")
        self.out.print(f"  verdict    {_verdict(answer)}")
        self.out.print(f"  ruling     {_ruling(answer)}")
        for breach in answer.ruling.breaches:
            rule = RULES.get(breach.rule)
            figures = f" (fig {', '.join(map(str, rule.figures))})" if rule and rule.figures else ""
            self.out.print(f"             [red]{breach.rule}[/red]{figures}: {escape(breach.message)}")
        self._line("fell", finding.fallen if finding.verdict is not Verdict.NEEDS_PAWN else ())
        self._line("moved", finding.moved)
        if answer.verdict in (Verdict.TOPPLES, Verdict.NEEDS_PAWN):
            self._line("a pawn on", finding.counterweights, empty="no surface", after=" would hold it")
        if finding.tilt_deg is not None:
            static = finding.static.tilt_deg
            says = "cannot tell" if static is None else f"{static:g}"
            self.out.print(f"  falls at   {finding.tilt_deg:g} degrees of tilt (statics: {says})")
        if collapse := answer.ruling.collapse:
            lost = (
                "it is over"
                if "fantasy.ends" in collapse.rules
                else f"{collapse.loser or 'whoever placed it'} has lost"
            )
            ends = lost if collapse.ends else "the game goes on"
            won = f", {' and '.join(collapse.winner)} won" if collapse.winner else ""
            self.out.print(f"  collapse   {collapse.extent}: {ends}{won} ({', '.join(collapse.rules)})")
        for warning in answer.ruling.warnings:
            self.out.print(f"  [yellow]note[/yellow]       {escape(warning)}")
        cost = finding.cost
        trials = "1 trial" if cost.trials == 1 else f"{cost.trials} trials"
        self.out.print(f"  [dim]simulated  {trials}, {cost.sim_s:.1f} s, in {answer.wall_ms:.0f} ms[/dim]")
        self._unmet(answer)

    def _line(self, label: str, values: Sequence[object], empty: str = "", after: str = "") -> None:
        if values or empty:
            text = escape(", ".join(str(value) for value in values)) or empty
            self.out.print(f"  {label:<10} {text}{after}")


def report(out: Console, played: Played) -> None:
    """What the referee says of a turn in a game."""
    colour = "red" if played.refused or played.ruling.collapse else "green"
    out.print(f"{played.before.number} {escape(str(played.turn))} | [{colour}]{escape(played.words)}[/{colour}]")
    for breach in played.ruling.breaches:
        out.print(f"  {breach.rule}: {escape(breach.message)}")
    for warning in played.ruling.warnings:
        out.print(f"  [yellow]note[/yellow] {escape(warning)}")
    for block in played.ruling.finding.moved:
        out.print(f"  moved {block}")
    for pose in played.ruling.finding.lies if played.ruling.collapse else ():
        out.print(f"  lies now {pose}")


def rebuilt_question(played: Played) -> str:
    """What the players are asked about a collapse."""
    return f"{', '.join(str(block) for block in played.ruling.finding.fallen)} fell. Could you rebuild it as it was?"


def thrown(throws: Sequence[int], takes: Sequence[Sequence[int]]) -> str:
    """What a throw gives, on a line."""
    shown = ", then ".join(str(throw) for throw in throws)
    if not takes:
        return f"{shown}: nothing can be built, the turn is lost (take.reroll)"
    return f"{shown}; take {' or '.join(' + '.join(map(str, take)) for take in takes)}"


def _common_folder(sources: Sequence[str]) -> str:
    try:
        return os.path.commonpath([os.path.dirname(source) for source in sources])
    except ValueError:  # none, or absolute and relative ones
        return ""


def _verdict(answer: Judgement) -> str:
    colour = _COLOURS[answer.verdict]
    return f"[{colour}]{answer.verdict}[/{colour}]{' (marginal)' if answer.marginal else ''}"


def _ruling(answer: Judgement) -> str:
    if answer.legal:
        return "[green]legal[/green]"
    return f"[red]illegal[/red]: {', '.join(answer.violations)}"
