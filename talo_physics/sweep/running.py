"""Carrying out a plan: what is missing in the folder is handed to the workers, and kept chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait

from talo_physics.errors import TaloError
from talo_physics.sweep.cluster import Workers
from talo_physics.sweep.columns import Row
from talo_physics.sweep.folder import Folder
from talo_physics.sweep.plan import Plan
from talo_physics.sweep.table import parquet
from talo_physics.sweep.working import run_chunk

Range = tuple[int, int]


def wanted(plan: Plan, limit: int | None) -> Iterator[Range]:
    """The chunks of the first `limit` rows, the last one cut short; of all rows without a limit."""
    for first, end in plan.ranges():
        if limit is not None and first >= limit:
            return
        yield first, end if limit is None else min(end, limit)


def missing(folder: Folder, limit: int | None) -> list[Range]:
    """The chunks that are not there yet."""
    whole = {first: (first, end) for first, end in folder.plan.ranges()}
    return [(first, end) for first, end in wanted(folder.plan, limit) if not folder.has(*whole[first])]


def carry_out(folder: Folder, workers: Workers, chunks: list[Range]) -> Iterator[int]:
    """Work out these chunks; yields how many rows have been kept each time that some have.

    Chunks are kept as they are finished, in whatever order; only so many are under way at a time.

    Raises:
        TaloError: a worker died. What is kept is kept.
    """
    if workers.executor is None:
        for rows in chunks:
            yield _keep(folder, rows, run_chunk(folder.plan.chunk(*rows)))
        return
    under_way: dict[Future[list[Row]], Range] = {}
    for rows in chunks:
        try:
            under_way[workers.executor.submit(run_chunk, folder.plan.chunk(*rows))] = rows
        except BrokenExecutor as error:
            raise _told(rows, error) from error
        if len(under_way) >= workers.ahead:
            yield from _finished(folder, under_way)
    while under_way:
        yield from _finished(folder, under_way)


def _finished(folder: Folder, under_way: dict[Future[list[Row]], Range]) -> Iterator[int]:
    """Wait for at least one chunk, and keep what is finished; only then tell of what failed."""
    done, _ = wait(under_way, return_when=FIRST_COMPLETED)
    failed: list[tuple[Range, BaseException]] = []
    for future in done:
        rows, error = under_way.pop(future), future.exception()
        if error is None:
            yield _keep(folder, rows, future.result())
        else:
            failed.append((rows, error))
    for rows, error in failed:
        raise _told(rows, error) from error


def _told(rows: Range, error: BaseException) -> TaloError:
    return TaloError(
        f"rows {rows[0]} to {rows[1] - 1}: the worker failed ({type(error).__name__}: {str(error)[:200]}); "
        "what is finished is kept, the same command goes on from there"
    )


def _keep(folder: Folder, rows: Range, answer: list[Row]) -> int:
    folder.keep(*rows, parquet(answer))
    return len(answer)
