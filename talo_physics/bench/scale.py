"""How it scales: the rate of several processes against one, and what memory and answers do over many judgements."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from talo_physics.bench.growing import grown
from talo_physics.judgement import examiner_for, judge
from talo_physics.many import judge_many, worker_pool
from talo_physics.physics.examiner import CACHE_SIZE
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Wishes
from talo_physics.tower.tower import Tower

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
    """Judge the same towers with one process and with several in turn, once they are all awake; the best of two."""
    towers = list(scenes(count, seed, blocks))
    rounds = [[_rate(towers, processes) for processes in (1, jobs)] for _ in range(2)]
    one, many = (max(measured) for measured in zip(*rounds, strict=True))
    return Rates(one, many, jobs)


def _rate(towers: list[Scenario], processes: int) -> float:
    with worker_pool(processes) as pool:
        _wake(pool, processes)
        begun = time.perf_counter()
        answers = sum(1 for _ in judge_many(towers, QUICK, executor=pool))
        return answers / (time.perf_counter() - begun)


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


@dataclass(frozen=True)
class Endurance:
    """What many judgements in a row came to: all towers once, then all of them again."""

    judgements: int
    differing: tuple[int, ...]
    """The numbers of the towers that were judged otherwise the second time; there should be none."""
    memory_mb: tuple[float, ...]
    """This process's memory, at ten moments of each pass; nothing where the system does not tell."""

    @property
    def growth(self) -> float | None:
        """How many times the memory after the warm-up, the first tenth of all, there was at most from then on."""
        warm = self.memory_mb[len(self.memory_mb) // 10 :]
        return max(warm) / warm[0] if warm else None


def endurance(count: int, seed: int = 1) -> Endurance:
    """Judge half as many small towers twice, each time from scratch."""
    grow = (grown(random.Random(f"endure/{seed}/{n}"), 3 + n % 4, daring=0.2) for n in range(count // 2))
    towers = [" ".join(str(block) for block in tower.blocks) for tower in grow]
    moments = {round(len(towers) * tenth / 10) for tenth in range(1, 11)}
    passes: list[list[str]] = []
    memory: list[float] = []
    for _ in range(2):
        if len(towers) <= CACHE_SIZE:  # of more, none is remembered until its turn comes again
            examiner_for.cache_clear()
        passes.append([])
        for number, text in enumerate(towers, start=1):
            # Towers and blocks remember what was worked out of them: kept ones would take more and more.
            passes[-1].append(_answer(Scenario(Tower.parse(text.split()))))
            if number in moments and STATM.exists():
                memory.append(int(STATM.read_text().split()[1]) * PAGE_MB)
    differing = (n for n, (first, second) in enumerate(zip(*passes, strict=True)) if first != second)
    return Endurance(2 * len(towers), tuple(differing), tuple(memory))


def _answer(scenario: Scenario) -> str:
    """All that is said of it, but for how long that took; its hash, for there will be many."""
    said = judge(scenario, QUICK).to_json()
    del said["sim"]["wall_ms"]
    return sha256(json.dumps(said).encode()).hexdigest()
