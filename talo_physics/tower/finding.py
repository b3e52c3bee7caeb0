"""What physics finds out about a tower: a plain value, so that rules can read it without knowing physics."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf

from talo_physics.tower.pawn import Pawn, Surface
from talo_physics.tower.placement import Block, FreePose


class Verdict(StrEnum):
    """What happens without the pawns (bare) and with them (loaded)."""

    STANDS = "stands"
    NEEDS_PAWN = "needs_pawn"
    """Bare it falls, loaded it stands."""
    PAWN_TOPPLES = "pawn_topples"
    """Bare it stands, loaded it falls."""
    TOPPLES = "topples"

    @classmethod
    def of(cls, bare_stands: bool, loaded_stands: bool) -> Verdict:
        """The verdict for the two results."""
        if bare_stands:
            return cls.STANDS if loaded_stands else cls.PAWN_TOPPLES
        return cls.NEEDS_PAWN if loaded_stands else cls.TOPPLES


@dataclass(frozen=True)
class Cost:
    """What an answer took: simulations, their solver steps and their simulated seconds."""

    trials: int = 0
    steps: int = 0
    sim_s: float = 0.0

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(self.trials + other.trials, self.steps + other.steps, self.sim_s + other.sim_s)


@dataclass(frozen=True)
class Wishes:
    """What an answer should hold beside the verdict; each wish costs time.

    >>> from talo_physics import Scenario, Tower, Wishes, judge
    >>> column = Scenario(Tower.parse(["5z@3,4,0"]))
    >>> judge(column, Wishes(margin=True)).finding.tilt_deg  # of the table, at which it falls
    11.1
    """

    margin: bool = False
    """The least tilt of the table at which it falls: a search."""
    tilted_deg: float = 0.0
    """Whether it stands on a table tilted this far, in each of eight directions: far less work than the margin."""
    marginal: bool = True
    """Whether the answer hangs by a hair."""
    counterweights: bool = True
    before: bool = True
    """Whether the tower stood before the proposal."""
    fallen: bool = True
    """Which blocks fall and where they lie, not only that it falls: the fall is followed until all lies still."""
    replay: bool = False


@dataclass(frozen=True)
class StaticFinding:
    """What statics says of the same tower: a verdict, or "undecided"."""

    verdict: str
    tilt_deg: float | None = None


Pose = tuple[float, float, float, float, float, float, float]
"""Centre of mass x, y, z in units, then the quaternion x, y, z, w of the turn since it was set down."""


@dataclass(frozen=True)
class Replay:
    """A simulated motion: at each time the pose of every block, then of every pawn."""

    blocks: tuple[Block, ...]
    pawns: tuple[Pawn, ...]
    times_s: tuple[float, ...]
    poses: tuple[tuple[Pose, ...], ...]


@dataclass(frozen=True)
class Finding:
    """What the simulation shows of a tower with a proposal."""

    verdict: Verdict
    marginal: bool = False
    fallen: tuple[Block, ...] = ()
    """What fell, in the order of tower and proposal; for `needs_pawn`, what falls when the pawn leaves."""
    fell_at_s: tuple[float, ...] = ()
    """When each of them fell."""
    moved: tuple[Block, ...] = ()
    fallen_pawns: tuple[Pawn, ...] = ()
    lies: tuple[FreePose, ...] = ()
    """Where the fallen blocks lie in the end, in the same order."""
    tilt_deg: float | None = None
    stands_tilted: bool | None = None
    """Whether it stands on a table tilted as far as was wished."""
    static: StaticFinding = StaticFinding("undecided")
    disputed: bool = False
    """Whether statics says the opposite, even of the simulation at utmost effort."""
    counterweights: tuple[Surface, ...] = ()
    warnings: tuple[str, ...] = ()
    cost: Cost = Cost()
    replay: Replay | None = None
    """The simulated motion, where it was asked for."""

    @property
    def first_fallen(self) -> Block | None:
        """The first block to fall; of several at the same moment the first listed."""
        times = list(zip(self.fell_at_s, range(len(self.fallen)), strict=False))
        return self.fallen[min(times)[1]] if times else None

    def fell_before(self, one: Block, other: Block) -> bool:
        """Whether the one fell and the other fell later, or not at all."""
        times = dict(zip(self.fallen, self.fell_at_s, strict=False))
        return one in self.fallen and times.get(one, 0.0) < times.get(other, inf if other not in self.fallen else 0.0)
