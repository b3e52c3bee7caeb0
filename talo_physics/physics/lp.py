"""The linear programs of statics: are there forces that balance the loads?

    find f >= 0 with matrix @ f = loads

HiGHS solves them. It is called through highspy: on towers of 5, 25 and 55 blocks it takes 0.2, 0.5 and 1.0 ms for a
program of which scipy's linprog, over the same solver, makes 1.3, 1.8 and 2.8 ms. Small programs are first tried by
least squares over f >= 0, which finds forces where there are some in a sixth of that.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from talo_physics.errors import StaticsError
from talo_physics.physics.columns import Columns

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Balance:
    """What a program came to: forces, or the reason why there are none."""

    forces: Array | None
    """f >= 0 with matrix @ f = loads."""
    refusal: Array | None
    """y with matrix.T @ y <= 0 and loads @ y > 0: no f >= 0 can balance the loads (Farkas)."""


@cache
def _highs() -> ModuleType:
    import highspy

    module: ModuleType = highspy
    return module


def balance(matrix: Columns, loads: Array, cost: Array | None = None, narrow: bool = False) -> Balance:
    """Solve one program; of several answers the one of least cost. A `narrow` refusal speaks of few bodies.

    Raises:
        StaticsError: the solver came to neither answer; that is never a verdict.
    """
    program = Program(matrix, loads, cost, narrow)
    try:
        return program.balance
    finally:
        program.release()


class Program:
    """One program, kept so that it can be asked again with other loads."""

    def __init__(self, matrix: Columns, loads: Array, cost: Array | None = None, narrow: bool = False) -> None:
        self.matrix, self.loads, self.cost, self.narrow = matrix, loads, cost, narrow
        self._solver: Any = None
        self._dense: Array | None = None
        """The whole matrix of a small program."""
        if cost is None and 0 < math.prod(matrix.shape) <= SMALL_ENTRIES:
            self._dense = matrix.dense()

    @cached_property
    def balance(self) -> Balance:
        """The answer; ask for it before other loads.

        Raises:
            StaticsError: the solver came to neither answer; that is never a verdict.
        """
        loads, (rows, columns) = self.loads, self.matrix.shape
        if not columns:
            return Balance(None, loads / np.abs(loads).max()) if np.any(loads) else Balance(np.zeros(0), None)
        if self._dense is not None:
            found = _least_squares(self._dense, loads)
            if found and (found.forces is not None or not self.narrow):
                return found
            self._dense = None
        cost = np.zeros(columns) if self.cost is None else self.cost
        direct = self._solver = _solve(self.matrix, loads, cost, presolve="off")
        status = direct.getModelStatus()
        if status == _highs().HighsModelStatus.kOptimal:
            return Balance(np.maximum(np.array(direct.getSolution().col_value), 0.0), None)
        if status == _highs().HighsModelStatus.kInfeasible:
            _, found, ray = direct.getDualRay()
            if found and (refusal := np.array(ray)) @ loads > 0:
                return Balance(None, refusal / np.abs(refusal).max())
        if self.cost is None:
            return robust_balance(self.matrix, loads)
        raise StaticsError(f"a linear program of {rows} rows and {columns} columns was not solved: {status}")

    def balances(self, others: Iterable[Array], least: Array) -> bool:
        """Whether there are forces, none below its least, for each of some other loads.

        The solver goes on from its last answer: four loads take it no longer than the first did.
        """
        if self._dense is not None:
            below = self._dense @ least
            found = (_least_squares(self._dense, loads - below) for loads in others)
            return all(answer is not None and answer.forces is not None for answer in found)
        if self._solver is None:
            return False
        rows, columns = (np.arange(count, dtype=np.int32) for count in self.matrix.shape)
        self._solver.changeColsBounds(len(columns), columns, least, np.full(len(columns), np.inf))
        for loads in others:
            self._solver.changeRowsBounds(len(rows), rows, loads, loads)
            self._solver.run()
            if self._solver.getModelStatus() != _highs().HighsModelStatus.kOptimal:
                return False
        return True

    def release(self) -> None:
        """Let others have the solver; what is known stays known."""
        if self._solver is not None:
            _solvers.give(self._solver)
            self._solver = None


def _least_squares(matrix: Array, loads: Array) -> Balance | None:
    """The forces that leave least out of balance; None where that is neither nothing nor plainly something.

    What they leave is a refusal: if any force could make it less, it would not be the least.
    """
    try:
        forces, _ = nnls(matrix, loads)  # what it says is left over may be wrong: it has said 0 of 0.16
    except RuntimeError:  # it came to no end
        return None
    refusal = loads - matrix @ forces
    left_over, whole = np.abs(refusal).max(), np.abs(loads).sum()
    if left_over <= _BALANCED * whole:
        return Balance(forces, None)
    refusal /= left_over
    plain = left_over > _PLAIN * whole and (matrix.T @ refusal).max() <= _FLAT
    return Balance(None, refusal) if plain else None


def robust_balance(matrix: Columns, loads: Array) -> Balance:
    """The same question as a program that always has an answer: the least sum of what is left out of balance.

    Not shaken by the many equal choices that friction cones give in a large tower; on those `balance` can stall for
    seconds (55 blocks, 4800 columns: 14 s there, 0.15 s here).

    Raises:
        StaticsError: the solver came to no answer.
    """
    if matrix.shape[1] == 0:
        return balance(matrix, loads)
    rows, columns = matrix.shape
    cost = np.concatenate([np.zeros(columns), np.ones(2 * rows)])
    # A column more for what is left over in each row, and one for what is missing.
    wider = matrix.beside(Columns.unit(rows, 1.0)).beside(Columns.unit(rows, -1.0))
    solver = _solve(wider, loads, cost, presolve="on")
    status, solution = solver.getModelStatus(), solver.getSolution()
    left_over = solver.getInfo().objective_function_value
    _solvers.give(solver)
    if status != _highs().HighsModelStatus.kOptimal:
        raise StaticsError(f"a linear program of {rows} rows and {columns} columns was not solved: {status}")
    if left_over <= _BALANCED * np.abs(loads).sum():
        return Balance(np.maximum(np.array(solution.col_value)[:columns], 0.0), None)
    refusal = np.array(solution.row_dual)
    refusal = refusal if refusal @ loads > 0 else -refusal
    return Balance(None, refusal / np.abs(refusal).max())


class _Solvers(threading.local):
    """Solvers to be used again, for a new one takes 0.1 to 0.2 ms more; each thread has its own.

    A model that is passed to one replaces all of the model before: the answers are the same to the last bit.
    """

    def __init__(self) -> None:
        self._spare: list[Any] = []

    def take(self) -> Any:
        if self._spare:
            return self._spare.pop()
        solver = _highs().Highs()
        for name, value in _OPTIONS.items():
            solver.setOptionValue(name, value)
        return solver

    def give(self, solver: Any) -> None:
        if not self._spare:
            self._spare.append(solver)


# One thread, one strategy and a limit in steps, not in seconds: the same answer every time, and always one.
_OPTIONS = {"output_flag": False, "solver": "simplex", "parallel": "off"}
_solvers = _Solvers()


def _solve(matrix: Columns, loads: Array, cost: Array, presolve: str) -> Any:
    """A solver that has run. Without presolve an infeasible program also tells why."""
    highs = _highs()
    rows, columns = matrix.shape
    program = highs.HighsLp()
    program.num_row_, program.num_col_ = rows, columns
    program.col_cost_, program.col_lower_ = cost, np.zeros(columns)
    program.col_upper_ = np.full(columns, np.inf)
    program.row_lower_ = program.row_upper_ = loads
    program.a_matrix_.format_ = highs.MatrixFormat.kColwise
    program.a_matrix_.start_, program.a_matrix_.index_ = matrix.starts, matrix.rows
    program.a_matrix_.value_ = matrix.data
    solver = _solvers.take()
    solver.setOptionValue("presolve", presolve)
    solver.setOptionValue("simplex_iteration_limit", _MOST_STEPS_A_ROW * rows + _MOST_STEPS)
    solver.passModel(program)
    solver.run()
    return solver


class Family:
    """Programs that differ by one parameter: matrix(t) = fixed + t * changing, the loads stay."""

    def __init__(self, fixed: Columns, changing: Array, loads: Array) -> None:
        self.fixed, self.changing, self.loads = fixed, changing, loads

    def at(self, parameter: float) -> Columns:
        """The matrix at a value of the parameter."""
        return self.fixed.with_data(self.fixed.data + parameter * self.changing)

    def balance(self, parameter: float, narrow: bool = False) -> Balance:
        """The program at a value of the parameter, solved."""
        return balance(self.at(parameter), self.loads, narrow=narrow)

    def greatest(self, most: float, resolution: float) -> tuple[float, Array | None]:
        """The greatest parameter up to `most` at which forces balance, and the refusal just beyond it.

        Balance at 0 is taken for granted. A refusal found at one value stays one down to where the first of its
        columns turns positive; where that gains little, the interval is halved.
        """
        low, high, probe = 0.0, most, most
        refusal: Array | None = None
        while high - low > resolution or refusal is None:
            found = self.balance(probe, narrow=True).refusal
            if found is None:
                low = probe
                if refusal is None:
                    return most, None
            else:
                refusal, high = found, min(probe, self._end_of(found, probe))
            near_the_end = high - resolution
            gained = found is not None and high < (low + probe) / 2
            probe = near_the_end if gained and near_the_end > low else (low + high) / 2
        return low, refusal

    def _end_of(self, refusal: Array, parameter: float) -> float:
        """Where a refusal at `parameter` stops to be one, going down."""
        columns = self.fixed.columns
        weights = refusal[self.fixed.rows]
        at_zero = np.bincount(columns, weights * self.fixed.data, minlength=self.fixed.shape[1])
        slope = np.bincount(columns, weights * self.changing, minlength=self.fixed.shape[1])
        falling = slope < -_FLAT
        return float(np.max(-at_zero[falling] / slope[falling], initial=0.0))


SMALL_ENTRIES = 1500
"""V of ten blocks, F of two. Of more, four loads one after the other take least squares longer than HiGHS."""
_FLAT = 1e-12
_BALANCED = 1e-7
"""Of all loads: what may be left over."""
_PLAIN = 1e-4
"""Of all loads: what is left over for more reasons than rounding."""
_MOST_STEPS, _MOST_STEPS_A_ROW = 1000, 100
"""Programs of random towers take up to 20 steps a row."""
