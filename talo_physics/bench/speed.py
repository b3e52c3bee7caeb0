"""How fast: this judge, naive PyBullet, MuJoCo and statics alone, side by side on the same seeded towers."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from talo_physics.bench.growing import at_the_edge, grown
from talo_physics.geometry.profile import shipped_profile
from talo_physics.physics import mujoco
from talo_physics.physics.bodies import Body, bodies_of, materials
from talo_physics.physics.examiner import Examiner
from talo_physics.physics.naive import naive_stands
from talo_physics.physics.numbers import SOFTNESS_UNITS, WARY
from talo_physics.physics.statics import Statics
from talo_physics.physics.trial import Setup
from talo_physics.tower.finding import Wishes
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.placement import Placement
from talo_physics.tower.tower import Tower

SIZES = (5, 15, 25, 40, 55)
WITNESSES = ("judge", "naive", "mujoco", "static")
NOMINAL = shipped_profile("nominal")


@dataclass
class Row:
    """The measurements of one size."""

    size: int
    ms: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in WITNESSES})
    wrong: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WITNESSES, 0))

    def median_ms(self, witness: str) -> float | None:
        """None where nobody was asked."""
        return round(median(self.ms[witness]), 2) if self.ms[witness] else None

    def to_json(self) -> dict[str, Any]:
        """As the contract lays it out; statics is what the others are right or wrong against."""
        answer: dict[str, Any] = {}
        for name in WITNESSES:
            answer[f"{name}_ms"] = self.median_ms(name)
            if name != "static":
                answer[f"{name}_wrong"] = self.wrong[name] if self.ms[name] else None
        return answer


def towers(size: int, count: int, seed: int) -> Iterator[Tower]:
    """Towers of a size with a pawn on top; the last block of every second one has its middle right over an edge."""
    for number in range(count):
        rng = random.Random(f"speed/{seed}/{size}/{number}")
        tower = grown(rng, size - number % 2)
        tower = at_the_edge(rng, tower) if number % 2 else tower
        top = max(tower.standing_room, key=lambda surface: (surface.z, surface))
        yield tower.with_pawns([Pawn("red", top.x, top.y, top.z)])


def measure(size: int, count: int, seed: int, naive: bool = True) -> Iterator[Row]:
    """Measure one size, tower by tower; what is yielded grows with each."""
    row = Row(size)
    for tower in towers(size, count, seed):
        blocks = [block for block in tower.blocks if isinstance(block, Placement)]
        bodies = bodies_of(NOMINAL, tower.blocks)
        statics = Statics(bodies)
        stands = statics.stands_on_supports()
        clear = stands or not Statics(bodies, SOFTNESS_UNITS).could_stand(NOMINAL.friction.value)
        asked: dict[str, Callable[[], bool]] = {
            "judge": partial(_judge, tower),
            "static": partial(_static, bodies),
        }
        if naive:
            asked["naive"] = partial(naive_stands, blocks, NOMINAL)
        if mujoco.is_installed():
            asked["mujoco"] = partial(_mujoco, bodies)
        for name, ask in asked.items():
            begun = time.perf_counter()
            answer = ask()
            row.ms[name].append(1e3 * (time.perf_counter() - begun))
            row.wrong[name] += clear and answer != stands
        yield row


def _judge(tower: Tower) -> bool:
    """The whole question, bare and loaded, marginal detection included, by somebody who has seen nothing yet."""
    found = Examiner(NOMINAL).examine(tower, (), Wishes(counterweights=False))
    return found.verdict in ("stands", "pawn_topples")


def _mujoco(bodies: tuple[Body, ...]) -> bool:
    return mujoco.run(bodies, materials(NOMINAL), Setup(patience=WARY)).stood


def _static(bodies: tuple[Body, ...]) -> bool:
    """V with its margin: contacts, assembly and solving."""
    statics = Statics(bodies)
    stands = statics.stands_on_supports()
    if stands:
        statics.shrink_margin()
    return stands


def exponent(rows: list[Row]) -> float | None:
    """How the judge's time grows with the number of blocks, as a power."""
    points = [(row.size, row.median_ms("judge")) for row in rows if row.median_ms("judge")]
    if len(points) < 2:
        return None
    sizes, times = np.log(np.array(points, dtype=float)).T
    return round(float(np.polyfit(sizes, times, 1)[0]), 2)
