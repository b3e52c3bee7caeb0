"""The command line `talo`. Everything heavy is imported when a command needs it, so that help comes at once."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from talo_physics import __version__
from talo_physics.errors import TaloError
from talo_physics.faces.cli_game import add_game_commands, desk_options
from talo_physics.faces.cli_hand import hand
from talo_physics.faces.cli_inputs import figures, input_options, one_scenario, together, tower_options
from talo_physics.faces.cli_measure import add_measure_command
from talo_physics.faces.cli_sweep import sweep

if TYPE_CHECKING:
    from talo_physics.faces.inputs import Entry, Inputs
    from talo_physics.judgement import Judgement
    from talo_physics.tower.finding import Wishes

DONE, UNMET, BAD_INPUT = 0, 1, 2


class _Group(click.Group):
    """Turns every error of the user's, and every way output can fail, into one message and exit code 2."""

    def main(self, *args: Any, **extra: Any) -> Any:
        if sys.stdout is None:
            sys.exit(BAD_INPUT)  # nobody is there to be told anything
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # a title need not fit the terminal's alphabet
        try:
            return super().main(*args, **extra)
        except SystemExit as stop:
            sys.exit(_flushed(stop.code))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TaloError as error:
            click.echo(f"talo: {error}", err=True)
            ctx.exit(BAD_INPUT)
        except OSError as error:
            _give_up_output(error)
            ctx.exit(BAD_INPUT)


def _flushed(code: Any) -> Any:
    """The exit code once all output is out; trouble with that is bad input too."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _give_up_output(error)
        return BAD_INPUT
    return code


def _give_up_output(error: OSError) -> None:
    """Say what is wrong, unless it is only that the reader has left; and let Python not try again on its way out."""
    if error.errno != errno.EPIPE:
        click.echo(f"talo: {error.strerror or error}", err=True)
    if isinstance(sys.stdout, io.TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="talo")
def main() -> None:
    """Simulator and referee for the building game Talo."""


_json = click.option("--json", "as_json", is_flag=True, help="One JSON object a line a scenario.")
_profile = together(figures, _json)
_jobs = click.option("--jobs", type=click.IntRange(1, 1024), default=1, show_default=True, help="Processes.")
_disputes = click.option(
    "--disputes", default="disputes", show_default=True, metavar="FOLDER", help="Where disputed cases are written."
)


@main.command()
@input_options
@click.option("--margin", is_flag=True, help="Also find the least tilt of the table at which it falls.")
@_profile
@_jobs
@_disputes
def judge(
    files: tuple[str, ...],
    margin: bool,
    profile: str | None,
    settings: tuple[str, ...],
    as_json: bool,
    jobs: int,
    disputes: str,
    **inline: Any,
) -> None:
    """Judge proposals: simulate them, then rule on them."""
    from talo_physics.faces.inputs import Inputs
    from talo_physics.tower.finding import Wishes

    inputs = Inputs.gather(files, inline, profile, settings)
    wishes = Wishes(margin=margin)
    if as_json:
        sys.exit(_each_as_json(inputs, wishes, disputes, jobs))
    from talo_physics.faces.show import Show

    show = Show()
    answers = list(_judged(inputs, wishes, disputes, show.progress, jobs))
    show.judgements(answers)
    sys.exit(_code(inputs, answers))


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE|FOLDER...")
@_profile
@_jobs
@_disputes
def check(
    files: tuple[str, ...], profile: str | None, settings: tuple[str, ...], as_json: bool, jobs: int, disputes: str
) -> None:
    """Judge every scenario against what it expects."""
    from talo_physics.faces.inputs import Inputs
    from talo_physics.tower.finding import Wishes

    inputs = Inputs.gather(files, {}, profile, settings)
    if as_json:
        sys.exit(_each_as_json(inputs, Wishes(), disputes, jobs, unmet=True))
    from talo_physics.faces.show import Show

    show = Show()
    answers = list(_judged(inputs, Wishes(), disputes, show.progress, jobs))
    show.checks(answers, bad=inputs.bad)
    sys.exit(_code(inputs, answers))


@main.command()
@input_options
@_profile
@_disputes
def explain(
    files: tuple[str, ...],
    profile: str | None,
    settings: tuple[str, ...],
    as_json: bool,
    disputes: str,
    **inline: Any,
) -> None:
    """Say why: who carries what, the weakest joint, the way it falls, what would help, the rules."""
    from talo_physics.faces.explaining import explained, print_explained
    from talo_physics.faces.inputs import Inputs
    from talo_physics.faces.show import Show
    from talo_physics.tower.finding import Wishes

    inputs = Inputs.gather(files, inline, profile, settings)
    show = Show()
    answers = []
    for answer in _judged(inputs, Wishes(), disputes, iter if as_json else show.progress):
        answers.append(answer)
        if as_json:
            click.echo(json.dumps(explained(answer)))
        else:
            print_explained(show.out, answer)
    sys.exit(_code(inputs, answers))


@main.command()
@click.argument("files", nargs=-1, metavar="[FILE|-]")
@tower_options
@click.option("--length", type=click.IntRange(1, 10), required=True, help="The block's length.")
@click.option("--judge", "judging", is_flag=True, help="Add the verdict of each; they are simulated.")
@_profile
def moves(
    files: tuple[str, ...],
    length: int,
    judging: bool,
    profile: str | None,
    settings: tuple[str, ...],
    as_json: bool,
    **inline: Any,
) -> None:
    """List every placement of a block that the build rules allow on a scenario's tower."""
    from talo_physics.faces.moving import list_moves

    list_moves(one_scenario(files, profile, settings, inline), length, judging, as_json)


@main.command()
@click.argument("file", metavar="FILE")
@click.option("--pawn", "colour", required=True, metavar="COLOUR", help="Whose pawn.")
@click.option("--step-down-to-board", is_flag=True, help="Read the rules so that a pawn may go back to level 0.")
@click.option("--swept-headroom", is_flag=True, help="Read them so that stepping up needs room over the head.")
@_json
def reach(file: str, colour: str, step_down_to_board: bool, swept_headroom: bool, as_json: bool) -> None:
    """List the surfaces that a pawn can reach, and whether it is blocked for good."""
    from talo_physics.faces.moving import list_reach
    from talo_physics.rules.options import Options

    options = Options(step_down_to_board, swept_headroom)
    list_reach(one_scenario((file,), None, ()), colour, options, as_json)


@main.command()
@input_options
@click.option(
    "-o",
    "outputs",
    multiple=True,
    required=True,
    metavar="PATH",
    help="PATH.png, .gif, .webp, .glb or .html; again for more.",
)
@click.option(
    "--from",
    "side",
    default="corner",
    show_default=True,
    metavar="SIDE",
    help="corner, front, right, back, left, top or angles: 30,25.",
)
@click.option("--size", metavar="WIDTHxHEIGHT", help="In pixels; 1200x900 by default, films 720x600.")
@click.option(
    "--at", default="start", show_default=True, metavar="MOMENT", help="Of PNG and GLB: start, end or seconds."
)
@figures
def render(
    files: tuple[str, ...],
    outputs: tuple[str, ...],
    side: str,
    size: str | None,
    at: str,
    profile: str | None,
    settings: tuple[str, ...],
    **inline: Any,
) -> None:
    """Write pictures: a PNG of the tower, a GIF or WebP of the fall, a GLB model, an HTML page to replay it."""
    from talo_physics.faces.rendering import render as render_scenario

    render_scenario(one_scenario(files, profile, settings, inline), outputs, side, size, at)


@main.command()
@click.argument("file", required=False, metavar="[FILE]")
@desk_options
@figures
def view(file: str | None, profile: str | None, settings: tuple[str, ...], **place: Any) -> None:
    """Open the referee's desk in a browser, with a scenario, a recorded game, or an empty table."""
    from talo_physics.faces.desk.opening import Place, check_installed, is_record, view_record, view_scenario

    check_installed()
    if file and is_record(file):
        if profile is not None or settings:
            raise click.UsageError("a record keeps its profile; --profile and --set go with scenarios")
        view_record(file, Place(**place))
        return
    inline = {} if file else {"tower": ("",)}
    view_scenario(one_scenario((file,) if file else (), profile, settings, inline), Place(**place))


_seed = click.option("--seed", type=int, default=1, show_default=True)
_naive = click.option("--naive/--no-naive", default=True, show_default=True, help="Also ask naive PyBullet: slow.")


@main.group(invoke_without_command=True)
@click.option("-n", "count", type=click.IntRange(1, 10_000), default=4, show_default=True, help="Towers a size.")
@_seed
@_naive
@_json
@click.pass_context
def bench(ctx: click.Context, count: int, seed: int, naive: bool, as_json: bool) -> None:
    """Measure the judge on this machine: its speed, or with `agree` how often the witnesses agree."""
    given = [p for p in ctx.params if ctx.get_parameter_source(p) is not click.core.ParameterSource.DEFAULT]
    if ctx.invoked_subcommand and given:
        raise click.UsageError(f"options of {ctx.invoked_subcommand} stand behind its name")
    if ctx.invoked_subcommand is None:
        from talo_physics.faces.benching import bench_speed

        sys.exit(bench_speed(count, seed, naive, as_json))


@bench.command()
@click.option("-n", "count", type=click.IntRange(1, 1_000_000), default=100, show_default=True, help="Towers.")
@_seed
@_naive
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes; all cores by default.")
@_json
@_disputes
def agree(count: int, seed: int, naive: bool, jobs: int | None, as_json: bool, disputes: str) -> None:
    """Compare PyBullet with statics, naive PyBullet and MuJoCo on random towers."""
    from talo_physics.faces.benching import bench_agree

    sys.exit(bench_agree(count, seed, naive, jobs, as_json, disputes))


@bench.command("hand")
@click.option("-n", "count", type=click.IntRange(1, 1_000_000), default=500, show_default=True, help="Trials.")
@_seed
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes; all cores by default.")
@_json
def bench_hand(count: int, seed: int, jobs: int | None, as_json: bool) -> None:
    """Time the calm hand: trials of a tower of 15 blocks."""
    from talo_physics.faces.benching import bench_hand as run_bench

    sys.exit(run_bench(count, seed, jobs, as_json))


@bench.command("scale")
@click.option("-n", "count", type=click.IntRange(10, 1_000_000), default=400, show_default=True, help="Judgements.")
@_seed
@click.option("--jobs", type=click.IntRange(2), default=2, show_default=True, help="Processes against one.")
@_json
def bench_scale(count: int, seed: int, jobs: int, as_json: bool) -> None:
    """Measure the rate of several processes against one, and what memory and answers do over as many judgements."""
    from talo_physics.faces.benching import bench_scale as run_bench

    sys.exit(run_bench(count, seed, jobs, as_json))


@main.command()
def schema() -> None:
    """Print the JSON Schema of the scenario file, for editors."""
    from talo_physics.scenario.file import schema as scenario_schema

    click.echo(json.dumps(scenario_schema(), indent=2))


add_game_commands(main)
main.add_command(hand)
add_measure_command(main)
main.add_command(sweep)


def _judged(
    inputs: Inputs,
    wishes: Wishes,
    disputes: str,
    progress: Callable[[list[Entry]], Iterable[Entry]],
    jobs: int = 1,
) -> Iterator[Judgement]:
    """Judge what can be read, in input order; what cannot is told on stderr and counted in `inputs`."""
    from talo_physics.faces.disputes import save_dispute
    from talo_physics.many import Failed, worker_pool

    jobs = min(jobs, len(inputs.entries))
    with worker_pool(jobs) if jobs > 1 else nullcontext() as pool:
        outcomes = inputs.judged(wishes, pool)
        for entry in progress(inputs.entries):
            outcome = next(outcomes)
            if isinstance(outcome, TaloError | Failed):
                inputs.bad += 1
                click.echo(entry.complaint(outcome), err=True)
                continue
            if outcome.finding.disputed:
                click.echo(f"{entry.source}: disputed, {save_dispute(outcome, disputes)}", err=True)
            yield outcome


def _each_as_json(inputs: Inputs, wishes: Wishes, disputes: str, jobs: int, unmet: bool = False) -> int:
    answers = []
    for answer in _judged(inputs, wishes, disputes, iter, jobs):
        extra = {"unmet": list(answer.unmet)} if unmet else {}
        click.echo(json.dumps({**answer.to_json(), **extra}))
        answers.append(answer)
    return _code(inputs, answers)


def _code(inputs: Inputs, answers: list[Judgement]) -> int:
    if inputs.bad:
        return BAD_INPUT
    return UNMET if any(answer.unmet for answer in answers) else DONE
