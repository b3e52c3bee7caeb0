"""Can it stand? Two linear programs over the contact forces, beside the simulation.

V, supports only. Every contact force is parallel to gravity and pushes, at the corners of the faces that lie on
each other. Feasible: the tower stands on its supports alone, and no friction is called upon (on a table that
leans, no more than the lean itself).

    find f >= 0 with, for every body:  sum of f = its weight,  moments of f about its centre of mass = 0

F, with friction and side faces. Every contact force lies in its friction cone.

    find f >= 0 along the edges of the cones with, for every body:  forces + weight = 0,  moments = 0

Infeasible: it cannot stand, however the forces run. Feasible proves nothing, for F admits forces that nothing
brings about: a block "held" between two walls.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from talo_physics.errors import StaticsError
from talo_physics.physics import numbers
from talo_physics.physics.bodies import Body
from talo_physics.physics.certificates import STILL, Fall, Stance, fall_faults, stance_faults
from talo_physics.physics.columns import Columns, Pattern
from talo_physics.physics.contacts import Contacts, contacts_of
from talo_physics.physics.lp import Balance, Family, Program, balance, robust_balance

Array = NDArray[np.float64]
Index = NDArray[np.int64]
CONE_SIDES = 8
EVENNESS = 1e-6
"""The price of a force against being out of balance: small enough that weights are met to a millionth."""
DIRECT_COLUMNS = 400
"""Programs over friction cones up to this size, a handful of blocks, are solved directly: in a third of the time."""
SHRINK_RESOLUTION_UNITS = 1e-3
MOST_SHRINK_UNITS = 5.0
TANGENT_RESOLUTION = 5e-4
"""0.02 mm and 0.03 degrees: finer than any block is made."""


@dataclass(frozen=True)
class Margin:
    """How far an answer is from its edge."""

    amount: float
    """How far the edges of all supports can move inwards, in units; or the tangent of a tilt."""
    refusal: Array | None
    """The way it goes just beyond; None if nothing was found up to the most that was asked."""


class Statics:
    """The linear programs of one set of bodies."""

    def __init__(self, bodies: Sequence[Body], outset: float = 0.0) -> None:
        self._take(bodies, contacts_of(bodies).widened(outset))

    def _take(self, bodies: Sequence[Body], contacts: Contacts) -> None:
        self.bodies, self.contacts = bodies, contacts
        self._narrower: Statics | None = None
        """The same bodies with narrower footprints: what V says of them is a good guess."""
        self._leans: dict[tuple[float, float], Balance] = {}
        self.masses = np.array([body.mass for body in bodies])
        self.centres = np.array([body.centre for body in bodies]).reshape(-1, 3)

    def widened(self, outset: float) -> Statics:
        """The same bodies with every footprint wider a side."""
        wider = Statics.__new__(Statics)
        wider._take(self.bodies, self.contacts.widened(outset))
        wider._v_pattern = self._v_pattern  # who touches whom is the same
        wider._narrower = self
        return wider

    def _part(self, some: Index) -> Statics:
        """Some of the bodies, among others that hold still whatever pushes them."""
        part = Statics.__new__(Statics)
        part._take([self.bodies[i] for i in some], self.contacts.of(some, len(self.bodies)))
        return part

    # ---- V

    @cached_property
    def supports(self) -> Contacts:
        """The contacts that V knows."""
        return self.contacts.supports()

    def stands_on_supports(self, lean: tuple[float, float] = (0.0, 0.0)) -> bool:
        """V: whether it stands on its supports alone; `lean` is the downhill direction times the tangent."""
        return self.v_balance(lean).forces is not None

    def even_pushes(self) -> Array | None:
        """V: of all forces that carry it, the most even ones; None if none do."""
        found = self.v_balance().forces
        if found is None or not len(found):
            return found
        matrix = self._v_matrix.dense()
        # Least squares over f >= 0: balance first, with a small price on every force, so that the load is shared.
        price = np.sqrt(EVENNESS) * np.eye(matrix.shape[1])
        pushes, _ = nnls(np.vstack([matrix, price]), np.concatenate([self._v_loads, np.zeros(matrix.shape[1])]))
        return np.asarray(pushes)

    def least_weight(self, body: int, at: tuple[float, float]) -> float | None:
        """V: the least weight on top of a body at a point that lets it stand on its supports; None if none does."""
        column = np.zeros(len(self._v_loads))
        column[3 * body : 3 * body + 3] = (-1.0, *(self.centres[body, :2] - at))
        matrix = self._v_matrix.beside(Columns.one(column))
        cost = np.zeros(matrix.shape[1])
        cost[-1] = 1.0
        forces = balance(matrix, self._v_loads, cost).forces
        return None if forces is None else float(forces[-1])

    def v_balance(self, lean: tuple[float, float] = (0.0, 0.0)) -> Balance:
        """V, solved."""
        steepness = math.hypot(*lean)
        if not steepness:
            return self._level.balance
        if lean not in self._leans:
            family = self._leaning((lean[0] / steepness, lean[1] / steepness))
            self._leans[lean] = family.balance(steepness)
        return self._leans[lean]

    def narrow_refusal(self) -> Array | None:
        """V: why it does not stand on its supports, by as few bodies as possible; None if it does."""
        return balance(self._v_matrix, self._v_loads, narrow=True).refusal

    @cached_property
    def _level(self) -> Program:
        program = Program(self._v_matrix, self._v_loads)
        if program.balance.forces is None or self._narrower is not None:
            program.release()  # nothing more will be asked
        return program

    def stands_shrunk(self, shrink: float) -> bool:
        """V: whether it stands with the edges of all supports moved inwards that far."""
        return self._shrinking.balance(shrink).forces is not None

    def bears_all_round(self, slope: float, friction: float) -> bool:
        """Whether its supports alone carry it on a table that leans by `slope` (a tangent) in any direction.

        Four leans prove it for all; where these are too steep, the directions of the compass are asked. Let f be
        forces that carry it level. On a table that leans by l, each contact takes the push f' and the rub l f, which
        balances the pull downhill, so that only the moments of f' are new:

            find f' >= |l| f / friction with  sum of f' = its weight,  moments of f' = -l (moments of f over heights)

        All of that is linear in l: what holds at the corners of a square holds everywhere within, and the square
        with its corners at sqrt(2) slope holds the circle. May say no where V, asked for a single lean, says yes.
        """
        forces = self._level.balance.forces
        if forces is None or friction <= slope:  # everything slides
            return False
        pattern = self._v_pattern
        height = self.supports.points[pattern.point, 2] - self.centres[pattern.body, 2]
        over = np.bincount(pattern.body, pattern.sign * forces[pattern.point] * height, minlength=len(self.masses))

        def borne(steepness: float, directions: Sequence[tuple[int, int]]) -> bool:
            leans = [np.outer(over, (0.0, x, y)).ravel() * (steepness / math.hypot(x, y)) for x, y in directions]
            return self._level.balances((self._v_loads - lean for lean in leans), steepness / friction * forces)

        try:
            return borne(math.sqrt(2) * slope, numbers.COMPASS[::2]) or borne(slope, numbers.COMPASS)
        finally:
            self._level.release()  # nobody asks twice

    def shrink_margin(self) -> Margin:
        """V: how far the edges of all supports can move inwards, for a tower that stands on them."""
        most = self.supports.inradii.min(initial=MOST_SHRINK_UNITS)
        return Margin(*self._shrinking.greatest(float(most), SHRINK_RESOLUTION_UNITS))

    def tilt_margin(self, direction: tuple[float, float], steepest: float) -> Margin:
        """V: the steepest tangent of a tilt that way, for a tower that stands level."""
        length = math.hypot(*direction)
        family = self._leaning((direction[0] / length, direction[1] / length))
        return Margin(*family.greatest(steepest, TANGENT_RESOLUTION))

    def least_tilt_deg(self, friction: float) -> float:
        """V: the least tilt, over the compass, that it does not bear; for a tower that stands level."""
        steepest = min(friction, math.tan(math.radians(numbers.STEEPEST_TILT_DEG)))
        for direction in numbers.COMPASS:
            length = math.hypot(*direction)
            if not self.stands_on_supports((steepest * direction[0] / length, steepest * direction[1] / length)):
                steepest = self.tilt_margin(direction, steepest).amount
        return round(math.degrees(math.atan(steepest)), 2)

    @cached_property
    def _v_pattern(self) -> Pattern:
        return Pattern(self.supports, len(self.masses), 3)

    @cached_property
    def _v_loads(self) -> Array:
        loads = np.zeros(3 * len(self.masses))
        loads[::3] = self.masses
        return loads

    @cached_property
    def _v_matrix(self) -> Columns:
        """What each force adds to the weight carried and to the moments of its bodies, on a level table."""
        return self._v_pattern.matrix(self._v_entries(1.0, self.supports.points, self.centres))

    def _v_entries(self, weight: float, points: Array, centres: Array) -> Array:
        """The entries of a program over points (m, 3), seen along gravity."""
        pattern = self._v_pattern
        entries = np.full((len(pattern.point), 3), weight)
        entries[:, 1:] = points[pattern.point, :2] - centres[pattern.body, :2]
        return np.asarray((pattern.sign[:, None] * entries).ravel())

    def _v_family(self, moving: Array, moving_centres: Array) -> Family:
        """Programs over points and centres that move with a parameter."""
        changing = self._v_pattern.ordered(self._v_entries(0.0, moving, moving_centres))
        return Family(self._v_matrix, changing, self._v_loads)

    @cached_property
    def _shrinking(self) -> Family:
        return self._v_family(self.supports.inward, np.zeros_like(self.centres))

    def _leaning(self, direction: tuple[float, float]) -> Family:
        # Seen along gravity, a lean moves each point downhill by its height times the tangent.
        downhill = np.array(direction)
        return self._v_family(downhill * self.supports.points[:, 2:], downhill * self.centres[:, 2:])

    # ---- F

    def could_stand(self, friction: float) -> bool:
        """F: whether any forces at all could hold it."""
        return self.fall(friction) is None

    def f_balance(
        self, friction: float, extra_load: Array | None = None, sides: bool = True, only_supports: bool = False
    ) -> Balance:
        """F, solved; without `sides`, side faces push but do not rub; with `only_supports` they are not there.

        Friction cones are taken as pyramids around them, so that no force is denied.
        """
        loads = self.loads if extra_load is None else self.loads + extra_load
        matrix = self._f_matrix(friction, friction if sides else 0.0)
        if only_supports:
            matrix = matrix.only(np.repeat(self.contacts.carries[self.contacts.owner], CONE_SIDES))
        return (balance if matrix.shape[1] <= DIRECT_COLUMNS else robust_balance)(matrix, loads)

    @cached_property
    def loads(self) -> Array:
        """(6 n,) What the contact forces must balance: for each body force, then moment."""
        loads = np.zeros(6 * len(self.masses))
        loads[2::6] = self.masses
        return loads

    def pull(self, lean: tuple[float, float]) -> Array:
        """What a lean of the table adds to the loads: the pull downhill."""
        load = np.zeros((len(self.masses), 6))
        load[:, :2] = -self.masses[:, None] * np.array(lean)
        return load.ravel()

    def point_load(self, body: int, at: tuple[float, float], weight: float) -> Array:
        """A weight on top of a body, as an extra load."""
        load = np.zeros(6 * len(self.masses))
        arm = np.array([*at, 0.0]) - self.centres[body]
        load[6 * body : 6 * body + 6] = (0.0, 0.0, weight, *np.cross(arm, (0.0, 0.0, weight)))
        return load

    @cached_property
    def _f_pattern(self) -> Pattern:
        return Pattern(self.contacts, len(self.masses), 6, CONE_SIDES)

    def _f_matrix(self, friction: float, side_friction: float) -> Columns:
        pattern, contacts = self._f_pattern, self.contacts
        rough = np.where(contacts.carries, friction, side_friction)
        forces = cone_edges(contacts.normal, rough)[contacts.owner[pattern.point]]  # (entries, k, 3)
        arms = (contacts.points[pattern.point] - self.centres[pattern.body])[:, None, :]
        wrenches = np.concatenate([forces, cross(arms, forces)], axis=2)
        return pattern.matrix((pattern.sign[:, None, None] * wrenches).ravel())

    # ---- certificates

    def stance(self) -> Stance | None:
        """The forces by which it stands on its supports alone; None if it does not."""
        pushes = self.v_balance().forces
        if pushes is None:
            return None
        supports = self.supports
        forces = np.zeros((len(pushes), 3))
        forces[:, 2] = pushes
        return Stance(supports.lower[supports.owner], supports.upper[supports.owner], supports.points, forces)

    def fall(self, friction: float, lean: tuple[float, float] = (0.0, 0.0)) -> Fall | None:
        """The way it falls if no forces at all can hold it; None if some could."""
        return next(self._falls(friction, lean), None)

    def _falls(self, friction: float, lean: tuple[float, float]) -> Iterator[Fall]:
        """The ways it falls that F finds; on small parts first, which take a tenth of the time or less.

        The parts are the bodies that move where V refuses, then those with all that touch them. If they cannot stay
        up among all others as fixed as the board, they cannot stay up among others that give way.
        """
        refusal = (self._narrower or self).v_balance(lean).refusal
        if refusal is None:
            return  # what V carries, F carries too
        moves = np.abs(refusal.reshape(-1, 3)).max(axis=1) > STILL
        for part in (moves, self.contacts.beside(moves)):
            if not part.all() and (fall := self._fall_of(np.flatnonzero(part), friction, lean)) is not None:
                yield fall
        if self.v_balance(lean).refusal is not None:
            found = self.f_balance(friction, self.pull(lean)).refusal
            if found is not None:
                yield Fall(*_velocities(found))

    def _fall_of(self, some: Index, friction: float, lean: tuple[float, float]) -> Fall | None:
        """The way some of the bodies fall if no forces can hold them among the others."""
        part = self._part(some)
        found = part.f_balance(friction, part.pull(lean)).refusal
        if found is None:
            return None
        whole = np.zeros((len(self.bodies), 6))
        whole[some] = found.reshape(-1, 6)
        return Fall(*_velocities(whole))

    def proven_stance(self) -> bool:
        """Whether it stands on its supports alone, by forces that were checked.

        Raises:
            StaticsError: the solver's forces do not hold what they promise.
        """
        stance = self.stance()
        if stance and (faults := stance_faults(self.bodies, stance, friction=0.0)):
            raise StaticsError("; ".join(faults))
        return stance is not None

    def proven_fall(self, friction: float) -> bool:
        """Whether no forces at all can hold it, by a motion that was checked.

        Raises:
            StaticsError: the solver's motion does not hold what it promises.
        """
        return self.checked_fall(friction) is not None

    def checked_fall(self, friction: float, lean: tuple[float, float] = (0.0, 0.0)) -> Fall | None:
        """The way it falls where no forces at all can hold it, after a check; None if some could.

        Raises:
            StaticsError: the solver's motion does not hold what it promises.
        """
        faults: list[str] = []
        for fall in self._falls(friction, lean):
            faults = fall_faults(self.bodies, fall, self.touching, friction, lean)
            if not faults:
                return fall
        if faults:
            raise StaticsError("; ".join(faults))
        return None

    @property
    def touching(self) -> Stance:
        """Who touches whom where, with the directions in which the faces look in the place of forces."""
        contacts = self.contacts
        owner = contacts.owner
        return Stance(contacts.lower[owner], contacts.upper[owner], contacts.points, contacts.normal[owner])


def _velocities(refusal: Array) -> tuple[Array, Array]:
    """A refusal of F as velocities of the centres (n, 3) and rates of turning (n, 3).

    A load is what contacts must push against, so a refusal does work against gravity: the fall is its reverse.
    """
    rows = -refusal.reshape(-1, 6)
    return rows[:, :3], rows[:, 3:]


def cone_edges(normal: Array, friction: Array) -> Array:
    """(n, k, 3) The edges of a pyramid around each contact's friction cone, outside it, so that none is denied."""
    outer = friction / np.cos(np.pi / CONE_SIDES)
    angle = 2 * np.pi * np.arange(CONE_SIDES) / CONE_SIDES
    least = np.argmin(np.abs(normal), axis=1)
    first = cross(normal, np.eye(3)[least])
    first /= np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-12)
    second = cross(normal, first)
    around = np.cos(angle)[None, :, None] * first[:, None, :] + np.sin(angle)[None, :, None] * second[:, None, :]
    return np.asarray(normal[:, None, :] + outer[:, None, None] * around)


def cross(one: Array, other: Array) -> Array:
    """Cross products along the last axis; numpy's own takes five times as long on a few."""
    x, y, z = one[..., 0], one[..., 1], one[..., 2]
    a, b, c = other[..., 0], other[..., 1], other[..., 2]
    return np.stack([y * c - z * b, z * a - x * c, x * b - y * a], axis=-1)
