"""The matrices of statics, kept column by column without their zeros, as HiGHS takes them.

Only what is needed: scipy's sparse matrices check so much that making one takes as long as solving a small program.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from talo_physics.physics.contacts import GROUND, Contacts

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Places = NDArray[np.int32]


@dataclass(frozen=True)
class Columns:
    """The entries of a matrix, one column after the other."""

    data: Array
    rows: Places
    """In which row each entry stands; in a column no row comes twice."""
    starts: Places
    """(columns + 1,) Where each column begins among the entries, and the end of the last."""
    height: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.height, len(self.starts) - 1

    @property
    def columns(self) -> Index:
        """In which column each entry stands."""
        return np.repeat(np.arange(self.shape[1]), np.diff(self.starts))

    def with_data(self, data: Array) -> Columns:
        """Other entries in the same places."""
        return replace(self, data=data)

    def dense(self) -> Array:
        """With its zeros."""
        whole = np.zeros(self.shape)
        whole[self.rows, self.columns] = self.data
        return whole

    def only(self, chosen: NDArray[np.bool_]) -> Columns:
        """Some of the columns."""
        keep = chosen[self.columns]
        counts = np.diff(self.starts)[chosen]
        return Columns(self.data[keep], self.rows[keep], _starts(counts), self.height)

    def beside(self, other: Columns) -> Columns:
        """The columns of both, these first."""
        return Columns(
            np.concatenate([self.data, other.data]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.starts, self.starts[-1] + other.starts[1:]]),
            self.height,
        )

    @classmethod
    def unit(cls, height: int, value: float) -> Columns:
        """A square matrix with one value along its diagonal."""
        return cls(np.full(height, value), np.arange(height, dtype=np.int32), _starts(np.ones(height)), height)

    @classmethod
    def one(cls, column: Array) -> Columns:
        """A single column."""
        rows = np.arange(len(column), dtype=np.int32)
        return cls(column, rows, np.array([0, len(column)], dtype=np.int32), len(column))


def _starts(counts: NDArray[np.generic]) -> Places:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


class Pattern:
    """Where the entries of a program's matrix stand: for each corner one or two bodies, `rows` rows each."""

    def __init__(self, contacts: Contacts, bodies: int, rows: int, columns_a_point: int = 1) -> None:
        touching = np.column_stack([contacts.upper[contacts.owner], contacts.lower[contacts.owner]])
        there = touching != GROUND
        self.point, side = np.nonzero(there)
        self.body: Index = touching[self.point, side]
        self.sign = 1.0 - 2.0 * side
        self._height = rows * bodies
        self._starts = _starts(np.repeat(rows * there.sum(axis=1), columns_a_point))
        row = rows * self.body[:, None, None] + np.arange(rows)
        self._order: Index | None = None
        if columns_a_point > 1:
            column = columns_a_point * self.point[:, None, None] + np.arange(columns_a_point)[None, :, None]
            row, column = np.broadcast_arrays(row, column)
            self._order = np.argsort(column.ravel(), kind="stable")
        self._rows = self.ordered(row.ravel()).astype(np.int32)

    def ordered(self, values: NDArray[Any]) -> NDArray[Any]:
        """The values, given corner by corner and body by body, column by column."""
        return values if self._order is None else values[self._order]

    def matrix(self, values: Array) -> Columns:
        """The matrix of values that are given corner by corner and body by body."""
        return Columns(self.ordered(values), self._rows, self._starts, self._height)
