"""Can it stand? Two linear programs over the contact forces, beside the simulation.

V, supports only. Every contact force is parallel to gravity and pushes, at the corners of the faces that lie on
each other. Feasible: the tower stands on its supports alone, and no friction is called upon (on a table that
leans, no more than the lean itself).

    find f >= 0 with, for every body:  sum of f = its weight,  moments of f about its centre of mass = 0

F, with friction and side faces. Every contact force lies in its friction cone. Infeasible: it cannot stand,
however the forces run. Feasible proves nothing, for F admits forces that nothing brings about: a block "held"
between two walls.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, eye, hstack

from talo_physics.errors import SimulationError
from talo_physics.physics.bodies import Body
from talo_physics.physics.contacts import Contacts, contacts_of

Array = NDArray[np.float64]
Index = NDArray[np.integer[Any]]
_Entries = tuple[Array, Index, Index]
"""Values of a sparse matrix with their rows and columns."""
_CONE_SIDES = 8
_RELATIVE_RESIDUAL = 1e-6
"""Of the total weight: below it the forces balance, far above the solver's 1e-7 of noise."""


class Statics:
    """The linear programs of one set of bodies."""

    def __init__(self, bodies: Sequence[Body], outset: float = 0.0) -> None:
        self._bodies = bodies
        self._contacts = contacts_of(bodies, outset)
        self._masses = np.array([body.mass for body in bodies])
        self._centres = np.array([body.centre for body in bodies]).reshape(-1, 3)

    def stands_on_supports(self, lean: tuple[float, float] = (0.0, 0.0)) -> bool:
        """V: whether it stands on its supports alone; `lean` is the downhill direction times the tangent."""
        matrix, loads = self._v_program(self._contacts.supports(), np.array(lean))
        return self._unbalanced(matrix, loads) is None

    def could_stand(self, friction: float) -> bool:
        """F: whether any forces at all could hold it."""
        return self.mechanism(friction) is None

    def mechanism(self, friction: float, extra_load: Array | None = None) -> Array | None:
        """F: None if forces could hold it, else velocities (six a body) at which no contact can resist the fall."""
        loads = self._loads if extra_load is None else self._loads + extra_load
        return self._unbalanced(self._f_program(friction), loads)

    def does_work(self, mechanism: Array, extra_load: Array) -> bool:
        """Whether the mechanism still goes down with an extra load: then no forces can hold that either."""
        return bool(mechanism @ (self._loads + extra_load) > self._tolerance)

    def point_load(self, body: int, at: tuple[float, float], weight: float) -> Array:
        """A weight on top of a body, as an extra load."""
        load = np.zeros(6 * len(self._masses))
        arm = np.array([*at, 0.0]) - self._centres[body]
        load[6 * body : 6 * body + 6] = (0.0, 0.0, weight, *np.cross(arm, (0.0, 0.0, weight)))
        return load

    @cached_property
    def _loads(self) -> Array:
        loads = np.zeros(6 * len(self._masses))
        loads[2::6] = self._masses
        return loads

    @property
    def _tolerance(self) -> float:
        return _RELATIVE_RESIDUAL * float(self._masses.sum())

    def _unbalanced(self, matrix: coo_matrix, loads: Array) -> Array | None:
        """None if matrix @ f = loads for some f >= 0; else a vector y with matrix.T @ y <= 0 and loads @ y > 0.

        Solved by the least sum of what is left over, whose dual is that vector.
        """
        rows, columns = matrix.shape
        left_over = eye(rows, format="coo")
        cost = np.concatenate([np.zeros(columns), np.ones(2 * rows)])
        program = hstack([matrix, left_over, -left_over], format="csc")
        answer = linprog(cost, A_eq=program, b_eq=loads, method="highs")
        if answer.status != 0:
            raise SimulationError(f"the statics of {len(self._bodies)} bodies was not solved: {answer.message}")
        return None if answer.fun <= self._tolerance else np.asarray(answer.eqlin.marginals)

    def _v_program(self, supports: Contacts, lean: Array) -> tuple[coo_matrix, Array]:
        # Seen along gravity, a lean moves each point downhill by its height times the tangent.
        points = supports.corners[:, :, :2] + lean * supports.corners[:, :, 2:]
        centres = self._centres[:, :2] + lean * self._centres[:, 2:]
        entries: list[_Entries] = []
        column = np.arange(4 * len(supports.upper))
        for body, sign in ((supports.upper, 1.0), (supports.lower, -1.0)):
            real = np.repeat(body >= 0, 4)
            owner = np.repeat(body, 4)[real]
            arm = points.reshape(-1, 2)[real] - centres[owner]
            for row, value in ((0, np.ones(len(arm))), (1, arm[:, 0]), (2, arm[:, 1])):
                entries.append((sign * value, 3 * owner + row, column[real]))
        loads = np.zeros(3 * len(self._masses))
        loads[::3] = self._masses
        return _matrix(entries, (len(loads), len(column))), loads

    def _f_program(self, friction: float) -> coo_matrix:
        contacts = self._contacts
        edges = _cone_edges(contacts.axis, friction)  # (n, k, 3)
        count = edges.shape[1]
        forces = np.repeat(edges, 4, axis=0)  # (4n, k, 3), a cone at every corner
        points = contacts.corners.reshape(-1, 3)
        column = np.arange(len(points) * count).reshape(-1, count)
        entries: list[_Entries] = []
        for body, sign in ((contacts.upper, 1.0), (contacts.lower, -1.0)):
            real = np.repeat(body >= 0, 4)
            owner = np.repeat(body, 4)[real]
            force = sign * forces[real]
            arm = (points[real] - self._centres[owner])[:, None, :]
            wrench = np.concatenate([force, np.cross(arm, force)], axis=2)  # (m, k, 6)
            rows = np.broadcast_to(6 * owner[:, None, None] + np.arange(6), wrench.shape)
            columns = np.broadcast_to(column[real][:, :, None], wrench.shape)
            entries.append((wrench.ravel(), rows.ravel(), columns.ravel()))
        return _matrix(entries, (6 * len(self._masses), column.size))


def _cone_edges(axis: NDArray[np.int64], friction: float) -> Array:
    """The edges of a pyramid around each contact's friction cone, outside it, so that none is denied."""
    outer = friction / np.cos(np.pi / _CONE_SIDES)
    angle = 2 * np.pi * np.arange(_CONE_SIDES) / _CONE_SIDES
    edges = np.zeros((len(axis), _CONE_SIDES, 3))
    rows = np.arange(len(axis))
    edges[rows, :, axis] = 1.0
    edges[rows, :, (axis + 1) % 3] = outer * np.cos(angle)
    edges[rows, :, (axis + 2) % 3] = outer * np.sin(angle)
    return edges


def _matrix(entries: list[_Entries], shape: tuple[int, int]) -> coo_matrix:
    values, rows, columns = (np.concatenate(part) for part in zip(*entries, strict=True))
    return coo_matrix((values, (rows, columns)), shape=shape)
