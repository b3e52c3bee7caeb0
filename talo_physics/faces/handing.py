"""`talo hand`: how likely a person brings it down, how hard one may knock, and whether a game survives."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from talo_physics.errors import TaloError
from talo_physics.faces.show import Show
from talo_physics.game.keeping import read_record
from talo_physics.geometry.hand import load_hand
from talo_physics.hand.estimate import Steadied, steady_hand
from talo_physics.hand.knock import Knock, knocks
from talo_physics.hand.sequence import Survival, survival
from talo_physics.judgement import Judgement, judge
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Verdict, Wishes
from talo_physics.tower.placement import Block, parse_block
from talo_physics.tower.proposal import Together
from talo_physics.writing import make_folder, write_whole

BAR = 30


@dataclass(frozen=True)
class Request:
    """What was asked for."""

    hand: str
    trials: int
    seed: int
    width: float
    jobs: int | None
    as_json: bool


@contextmanager
def _workers(jobs: int | None, batches: int) -> Iterator[Executor | None]:
    """Processes, spawned because a fork would share the physics client; none where one is enough."""
    count = min(jobs or os.cpu_count() or 1, batches)
    if count <= 1:
        yield None
        return
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn")) as pool:
        yield pool
        pool.shutdown(cancel_futures=True)


def place(scenario: Scenario, request: Request, replays: str | None) -> None:
    """Print the probability that the proposal falls by this hand."""
    hand = load_hand(request.hand)
    show = Show()
    if replays:
        make_folder(Path(replays))
    perfect = judge(scenario, Wishes(marginal=False, counterweights=False))
    with _workers(request.jobs, request.trials // 20) as executor:
        steps = steady_hand(scenario, hand, request.trials, request.seed, request.width, executor)
        *_, result = show.progress(steps, "placing", total=-(-request.trials // 20))
    written = _write_replays(result, replays) if replays else []
    if request.as_json:
        click.echo(json.dumps(_to_json(result, perfect, written)))
    else:
        _print(result, perfect, written)


def _notes(perfect: Judgement) -> list[str]:
    """What the hand's figures do not show."""
    steps = perfect.scenario.proposal.steps if perfect.scenario.proposal else ()
    others = [f"not tried by hand: {step}" for step in steps if not isinstance(step, Together)]
    return [*others, *perfect.ruling.warnings]


def _to_json(result: Steadied, perfect: Judgement, written: list[str]) -> dict[str, Any]:
    low, high = result.interval
    return {
        "scenario": result.scenario.source,
        "hand": result.hand.name,
        "seed": result.seed,
        "trials": len(result.trials),
        "falls": result.falls,
        "verdict": str(perfect.verdict),
        "warnings": _notes(perfect),
        "probability": round(result.probability, 4),
        "interval": [round(low, 4), round(high, 4)],
        "first": dict(result.first),
        "margin_deg": [[round(a, 3), round(b, 3), n] for a, b, n in result.histogram()],
        "telling": list(result.telling),
        "replays": written,
    }


def _print(result: Steadied, perfect: Judgement, written: list[str]) -> None:
    low, high = result.interval
    click.echo(f"{result.scenario.title} {result.scenario.source}".rstrip())
    click.echo(f"  falls      {result.probability:.1%} ({low:.1%} to {high:.1%} with 95 % confidence)")
    click.echo(f"  trials     {len(result.trials)} by the hand '{result.hand.name}', seed {result.seed}")
    click.echo(f"  the judge  {perfect.verdict}, by a perfect hand")
    for note in _notes(perfect):
        click.echo(f"  note       {note}")
    for block, count in result.first[:5]:
        click.echo(f"  goes first {block}: {count} of {result.falls}")
    stood, known = len(result.trials) - result.falls, result.histogram()
    if known:
        click.echo("  margin     of those that stood: so much more could the table have leant")
    for begin, end, count in known:
        click.echo(f"  {begin:5.1f} to {end:4.1f} degrees {'#' * round(BAR * count / stood)} {count}")
    if untold := stood - sum(count for _, _, count in known):
        click.echo(f"  margin     of {untold} that stood leaning or by friction, statics cannot tell it")
    for path in written:
        click.echo(f"  a telling fall: {path}")


def _write_replays(result: Steadied, folder: str) -> list[str]:
    """The most telling falls as pages to look at."""
    from talo_physics.faces.view.page import page
    from talo_physics.faces.view.scene import scene_of

    written = []
    for number in result.telling:
        replay = result.replay(number)
        if replay:
            path = Path(folder) / f"fall-{number}.html"
            scene = scene_of(replay, result.scenario.board, result.scenario.profile)
            write_whole(path, page(scene).encode())
            written.append(str(path))
    return written


def knock(scenario: Scenario, request: Request, texts: tuple[str, ...]) -> None:
    """Print the lightest knock against each block, the proposal's too, that brings something down."""
    built = judge(scenario, Wishes(marginal=False, counterweights=False, before=False))
    if built.verdict is not Verdict.STANDS:
        raise TaloError(
            f"{scenario.source}: it does not stand by itself ({built.verdict}): there is nothing to knock at"
        )
    scenario = replace(scenario, tower=built.ruling.after)
    chosen: tuple[Block, ...] = tuple(parse_block(text) for text in texts) or scenario.tower.blocks
    for block in chosen:
        if block not in scenario.tower.blocks:
            raise TaloError(f"{block} is not in the tower")
    show = Show()
    found = list(show.progress(knocks(scenario, chosen), "knocking", total=4 * len(chosen)))
    if request.as_json:
        click.echo(json.dumps({"scenario": scenario.source, "knocks": [_knock_json(one) for one in found]}))
        return
    click.echo(f"{scenario.title} {scenario.source}".rstrip())
    for one in sorted(found, key=lambda one: one.impulse_ns if one.impulse_ns is not None else float("inf")):
        how = f"{one.impulse_ns:g} N s brings down {len(one.fallen)}: " if one.impulse_ns else "nothing comes down"
        click.echo(f"  {one.block} to the {one.towards}: {how}{', '.join(map(str, one.fallen))}")


def _knock_json(one: Knock) -> dict[str, Any]:
    return {
        "block": str(one.block),
        "towards": one.towards,
        "impulse_ns": one.impulse_ns,
        "fallen": [str(block) for block in one.fallen],
    }


def survive(path: Path, request: Request) -> None:
    """Print turn by turn how likely a recorded game has survived so far."""
    record, hand, show = read_record(path).record, load_hand(request.hand), Show()
    with _workers(request.jobs, request.trials // 20) as executor:
        turns = survival(record, hand, request.trials, request.seed, request.width, path.parent, executor)
        for turn in show.progress(turns, "playing", total=len(record.entries)):
            click.echo(json.dumps(_turn_json(turn)) if request.as_json else _turn_line(turn))


def _turn_json(turn: Survival) -> dict[str, Any]:
    return {
        "turn": turn.number,
        "player": turn.player,
        "falls": turn.steadied and round(turn.steadied.probability, 4),
        "fell_in_the_record": turn.fell,
        "illegal": list(turn.illegal),
        "wrong": turn.wrong,
        "survives": round(turn.survives, 4),
        "interval": [round(turn.survives_low, 4), round(turn.survives_high, 4)],
    }


def _turn_line(turn: Survival) -> str:
    """A turn for people: what a hand makes of it, or why it is not placed."""
    who = f"turn {turn.number:>3} {turn.player:<7}"
    if turn.illegal or turn.wrong:
        why = f"is illegal ({', '.join(turn.illegal)})" if turn.illegal else f"is wrong in the record ({turn.wrong})"
        return f"{who} {why}: not placed" + (", nor any after it" if turn.wrong else "")
    otherwise = "fell in the record" if turn.fell else "nothing built"
    falls = f"falls {turn.steadied.probability:6.1%}" if turn.steadied else otherwise
    so_far = f"{turn.survives:.1%} ({turn.survives_low:.1%} to {turn.survives_high:.1%})"
    return f"{who} {falls:<14} the game survives so far: {so_far}"
