"""How fast: this judge, naive PyBullet, MuJoCo and statics alone, side by side on the same seeded towers.

The judge answers the whole question, without pawns and with them, marginal or not, as somebody who has seen nothing
yet: an examiner a tower, only imports are warm. Naive PyBullet and MuJoCo answer a part of it: does it stand without
pawns. `trial` is what the judge takes for just that part, its statics included, to be compared with MuJoCo, which is
given the same knowledge of when a short look is enough. `answer` is the judge with the list of what falls as well.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from talo_physics.bench.growing import at_the_edge, grown, off_balance
from talo_physics.bench.stopwatch import PARTS, REST, by_part
from talo_physics.bench.witnesses import by_statics
from talo_physics.geometry.profile import shipped_profile
from talo_physics.physics import mujoco
from talo_physics.physics.bodies import Body, bodies_of, materials
from talo_physics.physics.examiner import Examiner
from talo_physics.physics.naive import naive_stands
from talo_physics.physics.numbers import CALM, WARY
from talo_physics.physics.statics import Statics
from talo_physics.physics.trial import Setup
from talo_physics.tower.finding import Wishes
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.placement import Placement
from talo_physics.tower.tower import Tower

SIZES = (5, 15, 25, 40, 55)
WITNESSES = ("judge", "trial", "answer", "naive", "mujoco", "static")
NOMINAL = shipped_profile("nominal")
VERDICT = Wishes(counterweights=False, before=False, fallen=False)
ANSWER = Wishes(counterweights=False)


@dataclass
class Row:
    """The measurements of one size."""

    size: int
    ms: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in WITNESSES})
    wrong: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WITNESSES, 0))
    parts_ms: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in (*PARTS, REST)})
    """Where the judge's time goes, tower by tower."""

    def median_ms(self, witness: str) -> float | None:
        """None where nobody was asked."""
        return round(median(self.ms[witness]), 2) if self.ms[witness] else None

    def times_faster(self, witness: str, than: str) -> float | None:
        """How many times faster a witness is than another, by their medians."""
        one, other = self.median_ms(witness), self.median_ms(than)
        return round(other / one, 1) if one and other else None

    def to_json(self) -> dict[str, Any]:
        """As the contract lays it out, and more; statics is what the others are right or wrong against."""
        answer: dict[str, Any] = {}
        for name in WITNESSES:
            answer[f"{name}_ms"] = self.median_ms(name)
            if name != "static":
                answer[f"{name}_wrong"] = self.wrong[name] if self.ms[name] else None
        answer["judge_times_faster_than_naive"] = self.times_faster("judge", "naive")
        answer["trial_times_faster_than_mujoco"] = self.times_faster("trial", "mujoco")
        answer["judge_parts_ms"] = {name: round(median(ms), 2) for name, ms in self.parts_ms.items() if ms}
        return answer


def towers(size: int, count: int, seed: int) -> Iterator[Tower]:
    """Towers of a size with a pawn on top. Half of them stand; of the others half end with a block whose middle lies
    right over an edge, half with one that lies plainly off its support."""
    for number in range(count):
        rng = random.Random(f"speed/{seed}/{size}/{number}")
        tower = grown(rng, size - number % 2)
        if number % 2:
            tower = (at_the_edge, off_balance)[number // 2 % 2](rng, tower)
        top = max(tower.standing_room, key=lambda surface: (surface.z, surface))
        yield tower.with_pawns([Pawn("red", top.x, top.y, top.z)])


def measure(size: int, count: int, seed: int, naive: bool = True) -> Iterator[Row]:
    """Measure one size, tower by tower; what is yielded grows with each."""
    row = Row(size)
    _warm_up(naive)
    for tower in towers(size, count, seed):
        stands = by_statics(tower)
        for name, ask in _witnesses(tower, naive).items():
            begun = time.perf_counter()
            answer = ask()
            row.ms[name].append(1e3 * (time.perf_counter() - begun))
            row.wrong[name] += stands is not None and answer != stands
        with by_part() as watch:
            _judge(_unseen(tower), VERDICT)
        for part, ms in watch.ms.items():
            row.parts_ms[part].append(ms)
        yield row


def _witnesses(tower: Tower, naive: bool) -> dict[str, Callable[[], bool]]:
    blocks = [block for block in tower.blocks if isinstance(block, Placement)]
    bodies = bodies_of(NOMINAL, tower.blocks)
    asked: dict[str, Callable[[], bool]] = {
        "judge": partial(_judge, _unseen(tower), VERDICT),
        "trial": partial(_trial, _unseen(tower)),
        "answer": partial(_judge, _unseen(tower), ANSWER),
        "static": partial(_static, bodies),
    }
    if naive:
        asked["naive"] = partial(naive_stands, blocks, NOMINAL)
    if mujoco.is_installed():
        vouched_for = Examiner(NOMINAL).case(tower.with_pawns(())).steadiness.assured
        asked["mujoco"] = partial(_mujoco, bodies, Setup(patience=CALM if vouched_for else WARY))
    return asked


def _warm_up(naive: bool) -> None:
    """Ask every witness once about something small: what is measured is no import."""
    for ask in _witnesses(Tower.parse(["1z@4,4,0", "2x@4,4,1"], ["red@4,4,2"]), naive).values():
        ask()


def _unseen(tower: Tower) -> Tower:
    """The tower without anything that was worked out of it before."""
    return Tower.parse([str(block) for block in tower.blocks], [str(pawn) for pawn in tower.pawns])


def _judge(tower: Tower, wishes: Wishes) -> bool:
    """The whole question, bare and loaded, marginal detection included, by somebody who has seen nothing yet."""
    found = Examiner(NOMINAL).examine(tower, (), wishes)
    return found.verdict in ("stands", "pawn_topples")


def _trial(tower: Tower) -> bool:
    """Whether it stands without pawns, by somebody who has seen nothing yet."""
    return Examiner(NOMINAL).case(tower.with_pawns(())).level().stood


def _mujoco(bodies: tuple[Body, ...], setup: Setup) -> bool:
    return mujoco.run(bodies, materials(NOMINAL), setup).stood


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
