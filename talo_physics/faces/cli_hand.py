"""The command `talo hand`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from talo_physics.faces.cli_inputs import figures, inline_options, one_scenario
from talo_physics.faces.cli_numbers import FiniteRange


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE|GAME|-]")
@inline_options
@click.option("--hand", default="adult", show_default=True, metavar="NAME", help="steady, adult, child or a path.")
@click.option("--trials", type=click.IntRange(1, 1_000_000), default=500, show_default=True, help="At most.")
@click.option("--width", type=FiniteRange(0.0, 1.0), default=0.0, help="Stop once the interval is as narrow.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes; all cores by default.")
@figures
@click.option("--replays", metavar="FOLDER", help="Write the three most telling falls there, as pages.")
@click.option("--bump", is_flag=True, help="Instead: how hard can one knock before something comes down?")
@click.option("--block", "blocks", multiple=True, metavar="BLOCK", help="With --bump: only against this one.")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def hand(
    files: tuple[str, ...],
    hand: str,
    trials: int,
    width: float,
    seed: int,
    jobs: int | None,
    profile: str | None,
    settings: tuple[str, ...],
    replays: str | None,
    bump: bool,
    blocks: tuple[str, ...],
    as_json: bool,
    **inline: Any,
) -> None:
    """Simulate a human hand: the probability that it brings the proposal down.

    With a recorded game (FILE.talo): turn by turn the probability that the game survives its players' hands.
    """
    from talo_physics.faces.handing import Request, knock, place, survive

    request = Request(hand, trials, seed, width, jobs, as_json)
    if blocks and not bump:
        raise click.UsageError("--block goes with --bump")
    if len(files) == 1 and Path(files[0]).suffix == ".talo":
        if bump or replays or profile or settings or any(inline.values()):
            raise click.UsageError("a game has neither --bump nor --replays, and a tower and a profile of its own")
        survive(Path(files[0]), request)
        return
    scenario = one_scenario(files, profile, settings, inline)
    if bump:
        knock(scenario, request, blocks)
    else:
        place(scenario, request, replays)
