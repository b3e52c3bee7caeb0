"""How it scales: the rate of several processes against one, and what a worker's memory does over many judgements."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from talo_physics.bench.growing import grown
from talo_physics.judgement import judge
from talo_physics.many import judge_many, worker_pool
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Wishes

STATM = Path("/proc/self/statm")
PAGE_MB = 4096 / 1e6
QUICK = Wishes(counterweights=False, before=False)


@dataclass(frozen=True)
class Rates:
    """Judgements a second."""

    one: float
    """Of one worker process."""
    many: float
    jobs: int

    @property
    def ratio(self) -> float:
        """How many times the rate of one."""
        return self.many / self.one


def scenes(count: int, seed: int, blocks: int) -> Iterator[Scenario]:
    """Different generated towers of a size."""
    for number in range(count):
        yield Scenario(grown(random.Random(f"scale/{seed}/{number}"), blocks, daring=0.02))


def rates(count: int, seed: int = 1, blocks: int = 12, jobs: int = 2) -> Rates:
    """Judge the same towers with one process and with several, once they are all awake."""
    towers = list(scenes(count, seed, blocks))
    measured = []
    for processes in (1, jobs):
        with worker_pool(processes) as pool:
            _wake(pool, processes)
            begun = time.perf_counter()
            answers = sum(1 for _ in judge_many(towers, QUICK, pool))
            measured.append(answers / (time.perf_counter() - begun))
    return Rates(measured[0], measured[1], jobs)


def _wake(pool: ProcessPoolExecutor, processes: int) -> None:
    """Let every process import what it needs, which takes longer than many judgements."""
    first = Scenario(grown(random.Random(0), 2))
    awake: set[int] = set()
    while len(awake) < processes:
        awake |= {future.result() for future in [pool.submit(_judging, first) for _ in range(processes)]}


def _judging(scenario: Scenario) -> int:
    """Which process judged it."""
    judge(scenario, QUICK)
    return os.getpid()


def memory_mb(count: int, every: int, seed: int = 1, blocks: int = 6) -> Iterator[float]:
    """This process's memory after each `every` of `count` judgements of different towers; Linux only."""
    for number, _ in enumerate(judge_many(scenes(count, seed, blocks), QUICK), start=1):
        if number % every == 0:
            yield int(STATM.read_text().split()[1]) * PAGE_MB
