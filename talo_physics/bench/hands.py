"""How long the calm hand takes: trials of one seeded tower, on some processes."""

from __future__ import annotations

import multiprocessing
import random
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from talo_physics.bench.growing import grown
from talo_physics.geometry.hand import load_hand
from talo_physics.hand.estimate import steady_hand
from talo_physics.scenario.model import Scenario
from talo_physics.tower.proposal import Proposal, Together
from talo_physics.tower.tower import Tower

BLOCKS = 15


@dataclass(frozen=True)
class HandBench:
    """What so many trials took."""

    trials: int
    jobs: int
    seconds: float
    probability: float


def measure_hand(trials: int, jobs: int, seed: int) -> HandBench:
    """Place the last block of a tower of 15 by an adult's hand; the start of the processes is counted too."""
    *below, last = grown(random.Random(f"hand/{seed}"), BLOCKS).blocks
    scenario = Scenario(Tower(tuple(below)), Proposal((Together((last,)),)), f"{BLOCKS} blocks")
    begun = time.perf_counter()
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        *_, result = steady_hand(scenario, load_hand("adult"), trials, seed, executor=pool)
    return HandBench(trials, jobs, round(time.perf_counter() - begun, 2), result.probability)
