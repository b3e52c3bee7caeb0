"""Who works: this process, processes on this machine, or a Dask cluster; the only module that knows Dask."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass

from talo_physics.errors import TaloError
from talo_physics.extras import extra
from talo_physics.many import worker_pool

CONNECT_S = 20
CHUNKS_A_WORKER = 2
"""One that is worked on, and one so that nobody waits for the next."""
RETRIES = 3
"""A chunk whose worker was lost or whose answer got lost is given to another so many times."""


@dataclass(frozen=True)
class Workers:
    """An executor, None for this process itself, and how many chunks it is given at a time."""

    executor: Executor | None = None
    ahead: int = 1


@contextmanager
def local_workers(jobs: int) -> Iterator[Workers]:
    """Processes on this machine. Where the work is broken off they are ended, not waited for."""
    if jobs == 1:
        yield Workers()
        return
    before = set(multiprocessing.active_children())
    with worker_pool(jobs) as pool:
        try:
            yield Workers(pool, CHUNKS_A_WORKER * jobs)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - before:
                process.kill()
            raise


@contextmanager
def dask_workers(address: str) -> Iterator[Workers]:
    """The workers of a Dask cluster, on which this package must be installed too.

    Raises:
        MissingExtraError: dask.distributed is not installed.
        TaloError: there is no scheduler at the address.
    """
    with extra("sweep", "distributed"):
        from distributed import Client
    try:
        client = Client(address, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        raise TaloError(f"--dask {address}: no Dask scheduler there: {str(error)[:200]}") from None
    with client:
        threads = sum(client.ncores().values())
        # Not pure: two chunks that are equal by chance are still two, and nothing old is answered from a cache.
        executor = client.get_executor(pure=False, retries=RETRIES)
        yield Workers(executor, max(4, CHUNKS_A_WORKER * threads))
