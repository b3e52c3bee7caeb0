"""`talo bench`: figures of this machine, with a progress bar, as a table or as JSON."""

from __future__ import annotations

import json
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict
from statistics import median

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from talo_physics.bench.agree import Agreement, hear_all
from talo_physics.bench.hands import BLOCKS, measure_hand
from talo_physics.bench.scale import endurance, rates
from talo_physics.bench.speed import SIZES, WITNESSES, Row, exponent, measure
from talo_physics.bench.stopwatch import PARTS, REST
from talo_physics.faces.disputes import save_dispute


def _progress() -> Progress:
    """A bar with a count and the time left; nothing without a terminal."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    err = Console(stderr=True)
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


def bench_speed(count: int, seed: int, naive: bool, as_json: bool) -> int:
    """Run `talo bench`; returns the exit code."""
    rows: dict[int, Row] = {}
    with _progress() as progress:
        task = progress.add_task("towers", total=count * len(SIZES))
        for size in SIZES:
            for row in measure(size, count, seed, naive):
                rows[size] = row
                progress.advance(task)
    growth = exponent(list(rows.values()))
    if as_json:
        print(json.dumps({"sizes": {str(n): row.to_json() for n, row in rows.items()}, "exponent": growth}))
        return 0
    _print_speed(list(rows.values()), growth)
    return 0


def _print_speed(rows: list[Row], growth: float | None) -> None:
    def shown(figure: float | None) -> str:
        return "" if figure is None else f"{figure:.1f}"

    times = Table("blocks", *WITNESSES, "naive / judge", "mujoco / trial", box=box.SIMPLE_HEAD, title="median ms")
    parts = Table("blocks", *PARTS, REST, box=box.SIMPLE_HEAD, title="where the judge's time goes, median ms")
    for row in rows:
        ratios = row.times_faster("judge", "naive"), row.times_faster("trial", "mujoco")
        times.add_row(str(row.size), *(shown(row.median_ms(name)) for name in WITNESSES), *map(shown, ratios))
        parts.add_row(str(row.size), *(shown(median(row.parts_ms[name])) for name in (*PARTS, REST)))
    out = Console(highlight=False)
    for table in (times, parts):
        table.title_justify = "left"
        out.print(table)
    asked = [name for name in WITNESSES if name != "static" and all(row.ms[name] for row in rows)]
    wrong = ", ".join(f"{name} {sum(row.wrong[name] for row in rows)}" for name in asked)
    out.print("judge: bare and loaded, marginal or not; trial: stands bare; answer: judge and what falls")
    out.print(f"wrong where statics is clear: {wrong}")
    out.print(f"the judge's time grows with the power {growth} of the number of blocks")


def bench_hand(count: int, seed: int, jobs: int | None, as_json: bool) -> int:
    """Run `talo bench hand`; returns the exit code."""
    with Console(stderr=True).status("placing"):
        found = measure_hand(count, jobs or os.cpu_count() or 1, seed)
    if as_json:
        print(json.dumps(asdict(found)))
    else:
        print(f"{found.trials} trials of {BLOCKS} blocks on {found.jobs} processes: {found.seconds:.1f} s")
    return 0


def bench_scale(count: int, seed: int, jobs: int, as_json: bool) -> int:
    """Run `talo bench scale`; returns the exit code."""
    with Console(stderr=True).status("judging"):
        speed = rates(count, seed, jobs=jobs)
        endured = endurance(count, seed)
    memory = [round(mb, 1) for mb in endured.memory_mb]
    if as_json:
        found = {"one_per_s": round(speed.one, 1), "many_per_s": round(speed.many, 1), "ratio": round(speed.ratio, 2)}
        found |= {"jobs": jobs, "judgements": endured.judgements, "differing": len(endured.differing)}
        print(json.dumps({**found, "memory_mb": memory, "memory_growth": endured.growth and round(endured.growth, 3)}))
        return 0
    print(
        f"one process {speed.one:.0f} judgements a second, {jobs} processes {speed.many:.0f}: {speed.ratio:.2f} times"
    )
    print(
        f"{endured.judgements} judgements in two passes over the same towers: "
        f"{len(endured.differing)} said otherwise the second time"
    )
    if endured.growth is not None:
        print(f"memory, MB: {' '.join(f'{mb:.1f}' for mb in memory)}; {endured.growth:.3f} times after the warm-up")
    return 0


def bench_agree(count: int, seed: int, naive: bool, jobs: int | None, as_json: bool, folder: str) -> int:
    """Run `talo bench agree`; returns the exit code."""
    jobs = min(jobs or os.cpu_count() or 1, count)
    # Spawned, not forked: a fork would share the physics client of its parent.
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) if jobs > 1 else nullcontext(None)
    agreement = Agreement()
    with pool as executor, _progress() as progress:
        task = progress.add_task("towers", total=count)
        for witnesses in hear_all(count, seed, naive, executor):
            agreement.add(witnesses)
            progress.advance(task)
    files = [save_dispute(judgement, folder) for judgement in agreement.disputed]
    if as_json:
        print(json.dumps(agreement.to_json(files)))
    else:
        _print(agreement, files)
    return 0


def _print(agreement: Agreement, files: list[str]) -> None:
    out = Console(highlight=False)
    clear = agreement.clear
    table = Table("witness", "wrong", "of", box=box.SIMPLE_HEAD, title="where statics is clear", title_justify="left")
    rows = {
        "this judge (PyBullet)": agreement.clear_disagreements,
        "naive PyBullet": agreement.naive_wrong,
        "MuJoCo, tuned": agreement.mujoco_wrong,
    }
    for name, wrong in rows.items():
        table.add_row(name, "not asked" if wrong is None else str(wrong), "" if wrong is None else str(clear))
    out.print(f"{agreement.towers} towers, {clear} of them clear, {agreement.marginal} marginal")
    out.print(table)
    for name in files:
        out.print(f"disputed: {name}")
