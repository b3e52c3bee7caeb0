"""The command `talo measure`."""

from __future__ import annotations

import json
import os.path
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from talo_physics.errors import TaloError
from talo_physics.faces.cli_numbers import FiniteRange

if TYPE_CHECKING:
    from talo_physics.faces.measuring import Comparison, Report
    from talo_physics.faces.show import Show

DONE, BAD_INPUT = 0, 2
MOST_SHOWN = 20
"""Odd things that a person reads; --json has all of them."""


def add_measure_command(group: click.Group) -> None:
    """Put it into the command line."""
    group.add_command(measure)


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE|FOLDER]...")
@click.option("-o", "output", metavar="PROFILE", help="The profile file to write; without it only the report.")
@click.option("--unit", type=click.Choice(["mm", "cm", "m", "in"]), help="Of lengths in the files; mm without.")
@click.option("--friction", metavar="ANGLES", help="Degrees at which a block slid, 21.5,22,20.8, or a CSV of them.")
@click.option("--pitch", type=FiniteRange(5, 100), metavar="MM", help="The board's grid.")
@click.option("--cases", metavar="FOLDER", help="Scenarios to compare; the rulebook's figures without.")
@click.option("--no-cases", is_flag=True, help="Compare none.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def measure(
    files: tuple[str, ...],
    output: str | None,
    unit: str | None,
    friction: str | None,
    pitch: float | None,
    cases: str | None,
    no_cases: bool,
    as_json: bool,
) -> None:
    """Turn calliper readings (CSV) and scanned blocks (STL, PLY, OBJ, GLB) into a geometry profile.

    Says what is odd about the blocks, and which cases come out otherwise with them.
    """
    if not files and friction is None:
        raise click.UsageError("give calliper readings, scans, a folder of them, or --friction")
    if cases is not None and no_cases:
        raise click.UsageError("--cases and --no-cases contradict each other")
    from talo_physics.faces.measuring import Comparison, cases_folder, write_profile
    from talo_physics.faces.show import Show

    show = Show()
    folder = None if no_cases else cases_folder(cases)
    report = _report(files, output, unit, friction, pitch, show)
    if output is not None:
        write_profile(report.profile, output)
    comparison = Comparison(folder) if folder else None
    if comparison:
        comparison.run(report.base, report.profile, show.progress)
        for complaint in comparison.complaints:
            click.echo(complaint, err=True)
    if as_json:
        extra = {"written": output, "cases": comparison and comparison.to_json()}
        click.echo(json.dumps({**report.to_json(), **extra}))
    else:
        _print(show, report, comparison, output)
        if not comparison and not no_cases:
            show.out.print("cases      none compared: no scenarios/figures here; say --cases FOLDER")
    sys.exit(BAD_INPUT if comparison and comparison.complaints else DONE)


def _report(
    files: tuple[str, ...],
    output: str | None,
    unit: str | None,
    friction: str | None,
    pitch: float | None,
    show: Show,
) -> Report:
    from talo_physics.faces.measuring import Report, jobs, profile_name, read_blocks, strange_masses
    from talo_physics.geometry.measuring import Measured
    from talo_physics.geometry.profile import shipped_profile
    from talo_physics.geometry.specimen import plain
    from talo_physics.geometry.tilting import read_angles

    name, base = profile_name(output), shipped_profile("nominal")
    work = jobs(files)
    inputs = [job.path for job in work] + ([Path(friction)] if friction is not None else [])
    if output is not None and any(os.path.realpath(path) == os.path.realpath(output) for path in inputs):
        raise TaloError(f"-o {output}: would overwrite what is measured from")
    angles = read_angles(friction) if friction is not None else ()
    specimens, errors = read_blocks(work, unit, pitch or base.pitch_mm.value, show.progress)
    if errors:
        raise TaloError("\n".join([*map(str, errors), "nothing was written"]))
    listed = friction is None or not os.path.isfile(friction)
    source = "tilt table" if listed else f"tilt table {plain(str(friction))}"
    measured = Measured(tuple(specimens), angles, source, pitch, tuple(strange_masses(work)))
    return Report.of(base, measured, name)


def _print(show: Show, report: Report, comparison: Comparison | None, output: str | None) -> None:
    from rich.markup import escape

    measured = report.measured
    groups = ", ".join(f"{len(group)} of length {length}" for length, group in measured.by_length.items())
    if measured.specimens:
        show.out.print(f"measured   {_count(len(measured.specimens), 'block')}: {groups}")
    if measured.angles_deg:
        show.out.print(f"measured   {_count(len(measured.angles_deg), 'angle')} of sliding")
    _print_figures(show, report)
    for odd in report.odd[:MOST_SHOWN]:
        place = f" [dim]{escape(odd.where)}[/dim]" if odd.where else ""
        show.out.print(f"[yellow]odd[/yellow]        {escape(odd.message)}{place}")
    if len(report.odd) > MOST_SHOWN:
        show.out.print(f"[yellow]odd[/yellow]        and {len(report.odd) - MOST_SHOWN} more; --json lists all")
    if comparison:
        _print_cases(show, comparison)
    if output is not None:
        show.out.print(f"[green]written[/green]    {escape(output)}; judge with --profile {escape(output)}")


def _print_figures(show: Show, report: Report) -> None:
    from rich import box
    from rich.table import Table

    table = Table("figure", "value", "spread", "pieces", "before", "provenance", box=box.SIMPLE_HEAD, pad_edge=False)
    for key, figure, before in report.figures():
        known = "" if before is None else f"{before.value:g}"
        pieces = "" if figure.samples is None else str(figure.samples)
        table.add_row(key, f"{figure.value:g}", f"{figure.spread:.2g}", pieces, known, figure.provenance)
    show.out.print(table)


def _print_cases(show: Show, comparison: Comparison) -> None:
    from rich.markup import escape

    count = f"{comparison.judged} judged, {len(comparison.changes)} come out otherwise"
    count += f", {len(comparison.complaints)} could not be judged" if comparison.complaints else ""
    show.out.print(f"cases      {count} [dim]{escape(comparison.folder)}[/dim]")
    for change in comparison.changes:
        source = escape(change.before.scenario.source)
        data = change.to_json()
        show.out.print(f"[yellow]changed[/yellow]    {source}: {_words(data['before'])} -> {_words(data['after'])}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _words(outcome: dict[str, Any]) -> str:
    marginal = " (marginal)" if outcome["marginal"] else ""
    return f"{outcome['verdict']}{marginal}, {'legal' if outcome['legal'] else 'illegal'}"
