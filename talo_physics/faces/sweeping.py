"""`talo sweep`: a plan is carried out with progress on the terminal, and a summary is told."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from talo_physics.faces.progress_lines import ProgressLines
from talo_physics.sweep.cluster import dask_workers, local_workers
from talo_physics.sweep.folder import Folder, open_folder
from talo_physics.sweep.plan import Plan
from talo_physics.sweep.running import carry_out, missing
from talo_physics.sweep.spec import load_spec
from talo_physics.sweep.table import count_failed, polars

DONE, FAILED_ROWS, STOPPED = 0, 1, 130
"""Exit codes; the last is what shells expect after Ctrl-C."""


@dataclass(frozen=True)
class Summary:
    """What became of a sweep."""

    folder: str
    parts: str
    """All rows in their order, for `polars.scan_parquet`."""
    rows: int
    """Of the whole sweep, or up to the limit."""
    done: int
    """Of them there are now."""
    new: int
    """Of them were worked out in this run."""
    failed: int
    """Rows without an answer; their `error` says why."""
    seconds: float
    rows_per_s: float | None
    fingerprint: str
    stopped: bool = False


def run_sweep(
    spec: Path, output: Path, jobs: int | None, dask: str | None, seed: int | None, limit: int | None, as_json: bool
) -> int:
    """Run `talo sweep`; returns the exit code."""
    polars()  # told now, not after the first chunk
    plan = Plan(load_spec(spec, seed)).checked()
    for other in plan.spec.others:
        click.echo(str(other), err=True)
    with open_folder(output, plan) as folder:
        summary = _swept(folder, jobs, dask, limit)
    if as_json:
        click.echo(json.dumps(asdict(summary)))
    else:
        _tell(summary)
    if summary.stopped:
        click.echo(f"stopped; what is finished is kept. The same command goes on from there: {output}", err=True)
        return STOPPED
    return FAILED_ROWS if summary.failed else DONE


def _swept(folder: Folder, jobs: int | None, dask: str | None, limit: int | None) -> Summary:
    chunks = missing(folder, limit)
    rows = min(folder.plan.rows, limit or folder.plan.rows)
    already = rows - sum(end - first for first, end in chunks)
    jobs = min(jobs or os.cpu_count() or 1, max(1, len(chunks)))
    begun, new, stopped = time.monotonic(), 0, False
    try:
        # Ctrl-C ends the workers on its way out of here; chunks under way are lost, the others kept.
        with (
            dask_workers(dask) if dask and chunks else local_workers(jobs) as workers,
            _progress(rows, already) as advance,
        ):
            for kept in carry_out(folder, workers, chunks):
                new += kept
                advance(kept)
    except KeyboardInterrupt:
        stopped = True
    seconds = time.monotonic() - begun
    return Summary(
        folder=str(folder.path),
        parts=folder.pattern,
        rows=rows,
        done=already + new,
        new=new,
        failed=count_failed(folder.parts()),
        seconds=round(seconds, 2),
        rows_per_s=round(new / seconds, 2) if new else None,
        fingerprint=folder.plan.fingerprint,
        stopped=stopped,
    )


def _tell(summary: Summary) -> None:
    already = f", {summary.done - summary.new} of them before" if summary.done > summary.new else ""
    rate = f", {summary.rows_per_s:g} rows/s" if summary.rows_per_s else ""
    click.echo(f"{summary.done} of {summary.rows} rows{already}; {summary.seconds:.1f} s{rate}")
    if summary.failed:
        click.echo(f"{summary.failed} rows have no answer; their column error says why")
    click.echo(f"read them with polars.scan_parquet({summary.parts!r})")


class _Rate(ProgressColumn):
    """Rows a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.1f} rows/s" if speed else "")


@contextmanager
def _progress(rows: int, already: int) -> Iterator[Callable[[int], None]]:
    """To be told of each number of rows that is done: a bar with the rate and the time left, or lines without a
    terminal."""
    err = Console(stderr=True)
    if not err.is_terminal:
        lines = ProgressLines(rows, already, "rows")
        try:
            yield lines.advance
        finally:
            lines.end()
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn()
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task("rows", total=rows, completed=already)
        yield lambda done: progress.advance(task, done)
