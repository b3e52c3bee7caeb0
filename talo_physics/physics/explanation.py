"""Why a tower stands or falls, from statics: who carries what, the weakest joint, what goes first, what would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from talo_physics.errors import StaticsError
from talo_physics.geometry.profile import Profile
from talo_physics.geometry.solids import block_mass
from talo_physics.physics import numbers
from talo_physics.physics.bodies import bodies_of
from talo_physics.physics.contacts import GROUND, Contacts
from talo_physics.physics.statics import CONE_SIDES, Statics
from talo_physics.physics.steadiness import sharp_outset
from talo_physics.tower.pawn import Pawn, Surface
from talo_physics.tower.placement import Block
from talo_physics.tower.tower import Tower

Array = NDArray[np.float64]
Point = tuple[float, float, float]
BOARD = "the board"
STEEPEST_FRICTION = 2.0
FRICTION_RESOLUTION = 0.01
_STILL = 1e-6


@dataclass(frozen=True)
class Load:
    """What one piece puts on what is under it."""

    piece: Block | Pawn
    on: Block | Pawn | str
    grams: float
    at: Point = (0.0, 0.0, 0.0)
    """The middle of the push, in units."""


@dataclass(frozen=True)
class Joint:
    """Where a piece turns over what is under it."""

    piece: Block | Pawn
    on: Block | Pawn | str
    edge: str
    """Which edge of the shared face: `edge x=4`, `edge from 4,3 to 5,4`, or `corner 4,3`."""
    spare_mm: float
    """How far the edge could move inwards before it tips; 0 where it tips already."""
    ends: tuple[Point, ...] = ()
    """The corners of the edge, in units."""

    def __str__(self) -> str:
        return f"{self.piece} over the {self.edge} of {self.on}"


@dataclass(frozen=True)
class Help:
    """What would let a tower stand that does not."""

    counterweight_g: float | None = None
    """The least weight that would do, on `surface`."""
    surface: Surface | None = None
    least_friction: float | None = None
    """The least friction at which any forces could hold it; None if none up to 2 does."""


@dataclass(frozen=True)
class Explanation:
    """What statics says of a tower, in the tower's own pieces."""

    says: str
    """`stands`, `topples`, `undecided`, or `no answer`."""
    reason: str = ""
    """Why it is undecided: `lean`, `friction tie`, `self-stress`, or `sharp edges` that alone could carry it; or why
    there is no answer."""
    tilt_deg: float = 0.0
    """The least tilt of the table that the supports alone do not bear."""
    loads: tuple[Load, ...] = ()
    weakest: Joint | None = None
    tips: Joint | None = None
    """What goes first and about which edge it turns."""
    help: Help = Help()

    def __str__(self) -> str:
        tilt = f", up to {self.tilt_deg:g} degrees of tilt" if self.tilt_deg else ""
        lines = [f"statics: {self.says}{f' ({self.reason})' if self.reason else ''}{tilt}"]
        lines += [f"{load.piece} puts {load.grams:g} g on {load.on}" for load in self.loads]
        if self.weakest:
            lines.append(f"weakest: {self.weakest}, {self.weakest.spare_mm:g} mm to spare")
        if self.tips:
            lines.append(str(self.tips).replace(" over ", " tips over ", 1))
        if self.help.surface is not None:
            lines.append(f"{self.help.counterweight_g:g} g on {self.help.surface} would hold it")
        return "\n  ".join(lines)


def explain_tower(tower: Tower, profile: Profile) -> Explanation:
    """Explain a tower with its pawns; a linear program that fails is told as such."""
    try:
        return _Explainer(tower, profile).explanation()
    except StaticsError as error:
        return Explanation("no answer", str(error))


def _edge(points: Array) -> str:
    """The corners of an edge, as people say it."""
    for axis, letter in enumerate("xy"):
        if len(points) > 1 and np.ptp(points[:, axis]) < 1e-6:
            return f"edge {letter}={points[0, axis]:.4g}"
    ends = [f"{x:.4g},{y:.4g}" for x, y in points[:2, :2]]
    return f"edge from {ends[0]} to {ends[1]}" if len(ends) > 1 else f"corner {ends[0]}"


def _points(points: Array) -> tuple[Point, ...]:
    return tuple((float(x), float(y), float(z)) for x, y, z in points[:2])


def _middle(pushes: Array, supports: Contacts, contact: int) -> Point:
    at = supports.owner == contact
    x, y, z = np.average(supports.points[at], axis=0, weights=pushes[at])
    return float(x), float(y), float(z)


class _Explainer:
    def __init__(self, tower: Tower, profile: Profile) -> None:
        self.tower, self.profile = tower, profile
        self.pieces: Sequence[Block | Pawn] = (*tower.blocks, *tower.pawns)
        bodies = bodies_of(profile, tower.blocks, tuple(pawn.surface for pawn in tower.pawns))
        self.statics = Statics(bodies)
        self.softer = Statics(bodies, numbers.SOFTNESS_UNITS)
        self.sharp = Statics(bodies, sharp_outset(profile))
        self.gram = block_mass(profile, 1).mass_g

    def explanation(self) -> Explanation:
        why = self._as_set_down()
        if why.says == "topples" and any(body.leans for body in self.statics.bodies):
            # It may only not touch yet what it is going to lean on.
            reason = "a block leans: where it finds its hold, only the simulation shows"
            return replace(why, says="undecided", reason=reason)
        return why

    def _as_set_down(self) -> Explanation:
        refusal = self.statics.narrow_refusal()
        if refusal is None:
            margin = self.statics.shrink_margin()
            spare_mm = margin.amount * self.profile.pitch_mm.value
            weakest = self._joint(margin.refusal, spare_mm) or self._smallest(spare_mm)
            tilt = self.statics.least_tilt_deg(self.profile.friction.value)
            return Explanation("stands", tilt_deg=tilt, loads=self._loads(), weakest=weakest)
        tips = self._joint(refusal, 0.0)
        friction = self.profile.friction.value
        held = self.softer.could_stand(friction)
        help_ = Help(*self._counterweight(refusal), least_friction=self._least_friction())
        if held:
            return Explanation("undecided", self._why_undecided(friction), tips=tips, help=help_)
        reason = "sharp edges" if self.sharp.stands_on_supports() else ""
        return Explanation("topples", reason, tips=tips, help=help_)

    def _loads(self) -> tuple[Load, ...]:
        pushes, supports = self.statics.even_pushes(), self.statics.supports
        assert pushes is not None
        sums = np.bincount(supports.owner, pushes, minlength=len(supports.lower)) * self.gram
        return tuple(
            Load(self.pieces[upper], self._name(lower), round(float(grams), 1), _middle(pushes, supports, contact))
            for contact, (lower, upper, grams) in enumerate(zip(supports.lower, supports.upper, sums, strict=True))
            if grams > 0.05
        )

    def _name(self, body: int) -> Block | Pawn | str:
        return BOARD if body == GROUND else self.pieces[body]

    def _smallest(self, spare_mm: float) -> Joint | None:
        """The smallest of the faces, where the edges can move in until nothing is left of it."""
        supports = self.statics.supports
        if not len(supports.lower) or not np.isfinite(supports.inradii).any():
            return None
        contact = int(np.argmin(supports.inradii))
        ends = supports.points[supports.owner == contact][1:3]
        lower, upper = int(supports.lower[contact]), int(supports.upper[contact])
        return Joint(self.pieces[upper], self._name(lower), _edge(ends), round(spare_mm, 2), _points(ends))

    def _joint(self, refusal: Array | None, spare_mm: float) -> Joint | None:
        """The contact about whose edge the refused motion turns, nearest to what stays still."""
        if refusal is None:
            return None
        supports, centres = self.statics.supports, self.statics.centres
        # A refusal of V is, for each body, a field of downward speed: at its centre, and its slopes along x and y.
        fields = np.vstack([refusal.reshape(-1, 3), np.zeros(3)])  # the last is the board, which is -1
        middles = np.vstack([centres, np.zeros(3)])

        def down(body: NDArray[np.int64]) -> Array:
            arm = supports.points[:, :2] - middles[body[supports.owner], :2]
            field = fields[body[supports.owner]]
            return np.asarray(field[:, 0] + (field[:, 1:] * arm).sum(axis=1))

        speed = np.abs(down(supports.lower))
        opening = down(supports.lower) - down(supports.upper)  # how fast the upper piece lifts off the lower
        best: tuple[float, int] | None = None
        for contact in range(len(supports.lower)):
            at = supports.owner == contact
            turning = float(np.ptp(opening[at]))
            if turning > _STILL:
                carried_along = float(speed[at].max())
                key = (carried_along - turning, contact)
                best = key if best is None or key < best else best
        if best is None:
            return None
        contact = best[1]
        at = supports.owner == contact
        still = opening[at] <= opening[at].min() + 0.01 * np.ptp(opening[at])
        ends = supports.points[at][still]
        lower, upper = int(supports.lower[contact]), int(supports.upper[contact])
        return Joint(self.pieces[upper], self._name(lower), _edge(ends), round(spare_mm, 2), _points(ends))

    def _counterweight(self, refusal: Array) -> tuple[float | None, Surface | None]:
        """The least weight that lets it stand, and where: only where the motion goes up can a weight help."""
        best: tuple[float, Surface] | None = None
        if not self.tower.on_grid:
            return None, None
        for surface in self.tower.standing_room:
            body = self.tower.occupancy[surface.x, surface.y, surface.z - 1]
            at = (surface.x + 0.5, surface.y + 0.5)
            down, *slope = refusal[3 * body : 3 * body + 3]
            if down + np.dot(slope, at - self.statics.centres[body, :2]) >= -_STILL:
                continue
            weight = self.statics.least_weight(body, at)
            if weight is not None and (best is None or weight < best[0] - 1e-9):
                best = (weight, surface)
        return (None, None) if best is None else (round(best[0] * self.gram, 1), best[1])

    def _least_friction(self) -> float | None:
        # The judge's cones are pyramids around the true ones; along the grid they are wider by this much.
        wider = np.cos(np.pi / CONE_SIDES)
        if not self.statics.could_stand(STEEPEST_FRICTION * wider):
            return None
        low, high = 0.0, STEEPEST_FRICTION
        while high - low > FRICTION_RESOLUTION:
            middle = (low + high) / 2
            low, high = (low, middle) if self.statics.could_stand(middle * wider) else (middle, high)
        return round(high, 2)

    def _why_undecided(self, friction: float) -> str:
        """What F leans on: friction between supports, side faces that only push, or side faces that rub."""
        if self.statics.f_balance(friction, only_supports=True).forces is not None:
            return "friction tie"
        if self.statics.f_balance(friction, sides=False).forces is not None:
            return "lean"
        return "self-stress" if self.statics.could_stand(friction) else "sharp edges"
