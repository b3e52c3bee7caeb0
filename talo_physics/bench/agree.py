"""How often the witnesses agree: PyBullet against statics, naive PyBullet and MuJoCo, on the same random towers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from talo_physics.bench.growing import random_tower
from talo_physics.bench.witnesses import by_mujoco, by_naive
from talo_physics.judgement import Judgement, judge
from talo_physics.physics import mujoco
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Wishes


@dataclass(frozen=True)
class Witnesses:
    """What each of them says of one tower: stands or not; None where nobody was asked."""

    number: int
    judgement: Judgement
    naive: bool | None
    mujoco: bool | None

    @property
    def judge(self) -> bool:
        """What this package's simulation says."""
        return self.judgement.verdict == "stands"

    @property
    def statics(self) -> bool | None:
        """What statics says where it is clear."""
        says = self.judgement.finding.static.verdict
        return None if says == "undecided" else says == "stands"


@dataclass
class Agreement:
    """The count over many towers."""

    towers: int = 0
    clear: int = 0
    marginal: int = 0
    clear_disagreements: int = 0
    naive_wrong: int | None = None
    mujoco_wrong: int | None = None
    disputed: list[Judgement] = field(default_factory=list)

    def add(self, witnesses: Witnesses) -> None:
        """Count one tower. Wrong is who contradicts statics where it is clear."""
        self.towers += 1
        self.marginal += witnesses.judgement.marginal
        if witnesses.judgement.finding.disputed:
            self.disputed.append(witnesses.judgement)
        if witnesses.statics is None:
            return
        self.clear += 1
        self.clear_disagreements += witnesses.judge != witnesses.statics
        if witnesses.naive is not None:
            self.naive_wrong = (self.naive_wrong or 0) + (witnesses.naive != witnesses.statics)
        if witnesses.mujoco is not None:
            self.mujoco_wrong = (self.mujoco_wrong or 0) + (witnesses.mujoco != witnesses.statics)

    def to_json(self, disputes: Iterable[str]) -> dict[str, Any]:
        """As the contract lays it out; `disputes` are the files they were written to."""
        return {
            "towers": self.towers,
            "clear": self.clear,
            "clear_disagreements": self.clear_disagreements,
            "disputed": list(disputes),
            "naive_wrong": self.naive_wrong,
            "mujoco_wrong": self.mujoco_wrong,
            "marginal": self.marginal,
        }


def hear(number: int, seed: int, naive: bool) -> Witnesses:
    """Ask all witnesses about one tower."""
    tower = random_tower(seed, number)
    scenario = Scenario(tower, title=f"random tower {number} of seed {seed}", source=f"bench agree, seed {seed}")
    judgement = judge(scenario, Wishes(counterweights=False, before=False))
    third = by_mujoco(tower) if mujoco.is_installed() else None
    return Witnesses(number, judgement, by_naive(tower) if naive else None, third)


def hear_all(count: int, seed: int, naive: bool, executor: Executor | None) -> Iterator[Witnesses]:
    """All witnesses about towers 0 to count - 1, in order."""
    ask: Callable[[int], Witnesses] = partial(hear, seed=seed, naive=naive)
    return executor.map(ask, range(count), chunksize=4) if executor else map(ask, range(count))
