"""The command `talo hand`."""

from __future__ import annotations

from pathlib import Path

import click

from talo_physics.errors import TaloError
from talo_physics.faces.cli_numbers import FiniteRange


@click.command()
@click.argument("file", metavar="FILE|GAME")
@click.option("--hand", default="adult", show_default=True, metavar="NAME", help="steady, adult, child or a path.")
@click.option("--trials", type=click.IntRange(1, 1_000_000), default=500, show_default=True, help="At most.")
@click.option("--width", type=FiniteRange(0.0, 1.0), default=0.0, help="Stop once the interval is as narrow.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes; all cores by default.")
@click.option("--profile", metavar="NAME", help="Geometry profile: a shipped name or a path.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a figure, e.g. friction=0.3.")
@click.option("--replays", metavar="FOLDER", help="Write the three most telling falls there, as pages.")
@click.option("--bump", is_flag=True, help="Instead: how hard can one knock before something comes down?")
@click.option("--block", "blocks", multiple=True, metavar="BLOCK", help="With --bump: only against this one.")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def hand(
    file: str,
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
) -> None:
    """Simulate a human hand: the probability that it brings the proposal down.

    With a recorded game (FILE.talo): turn by turn the probability that the game survives its players' hands.
    """
    from talo_physics.faces.handing import Request, knock, place, survive
    from talo_physics.faces.inputs import Inputs

    request = Request(hand, trials, seed, width, jobs, as_json)
    if blocks and not bump:
        raise click.UsageError("--block goes with --bump")
    if Path(file).suffix == ".talo":
        if bump or replays or profile or settings:
            raise click.UsageError("a game has neither --bump nor --replays, and a profile of its own")
        survive(Path(file), request)
        return
    entries = Inputs.gather([file], {}, profile, settings).entries
    if len(entries) != 1:
        raise TaloError(f"{file}: one scenario file was expected, not {len(entries)}")
    scenario = entries[0].load()
    if bump:
        knock(scenario, request, blocks)
    else:
        place(scenario, request, replays)
