"""Where bodies on the grid touch: rectangles between their faces, from their boxes.

Works for upright boxes; blocks in free poses have no contacts here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from talo_physics.physics.bodies import UPRIGHT, Body

Array = NDArray[np.float64]
GROUND = -1
INSCRIBED = np.sqrt(0.5)
"""The square in a pawn's round foot."""
SETTLING_UNITS = 0.15
"""Faces this near each other meet once the tower has settled: unequal blocks, rounded edges."""
LEAST_OVERLAP_UNITS = 1e-6


@dataclass(frozen=True)
class Contacts:
    """Pairs of faces. Rows of `lower`, `upper`, `axis`, `corners` belong together."""

    lower: NDArray[np.int64]
    """The body whose face looks along the axis; GROUND for the board."""
    upper: NDArray[np.int64]
    """The body whose face looks against it."""
    axis: NDArray[np.int64]
    """0, 1 for side faces, 2 for supports."""
    corners: Array
    """(n, 4, 3): the corners of the shared rectangle."""

    def supports(self) -> Contacts:
        """Only the contacts that carry: one face on top of the other."""
        return self._only(self.axis == 2)

    def _only(self, mask: NDArray[np.bool_]) -> Contacts:
        return Contacts(self.lower[mask], self.upper[mask], self.axis[mask], self.corners[mask])


def contacts_of(bodies: Sequence[Body], outset: float = 0.0) -> Contacts:
    """All contacts of bodies; `outset` widens every footprint, to see what sharper edges could carry."""
    centres, halves = _boxes(bodies)
    halves = halves + np.array([outset, outset, 0.0])
    low, high = centres - halves, centres + halves
    parts = [_pairs(low, high, axis) for axis in range(3)]
    parts.append(_on_ground(low, high))
    lower, upper, axis, corners = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return Contacts(lower, upper, axis, corners)


def _boxes(bodies: Sequence[Body]) -> tuple[Array, Array]:
    if any(body.turn != UPRIGHT for body in bodies):
        raise NotImplementedError("statics of blocks in free poses")
    centres = np.array([(*b.centre[:2], b.centre[2] + b.shape_above) for b in bodies]).reshape(-1, 3)
    halves = np.array([b.half for b in bodies]).reshape(-1, 3)
    round_foot = np.array([[INSCRIBED, INSCRIBED, 1.0] if b.is_pawn else [1.0, 1.0, 1.0] for b in bodies])
    return centres, halves * round_foot.reshape(-1, 3)


_Part = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Array]


def _pairs(low: Array, high: Array, axis: int) -> _Part:
    """Pairs whose faces look at each other along an axis and overlap across it."""
    gap = low[None, :, axis] - high[:, None, axis]
    near = np.abs(gap) <= SETTLING_UNITS
    across = [other for other in range(3) if other != axis]
    for other in across:
        overlap = np.minimum(high[:, None, other], high[None, :, other]) - np.maximum(
            low[:, None, other], low[None, :, other]
        )
        near &= overlap > LEAST_OVERLAP_UNITS
    lower, upper = np.nonzero(near)
    start = np.maximum(low[lower], low[upper])
    end = np.minimum(high[lower], high[upper])
    middle = (high[lower, axis] + low[upper, axis]) / 2
    return lower, upper, np.full(len(lower), axis), _rectangles(start, end, axis, middle)


def _on_ground(low: Array, high: Array) -> _Part:
    upper = np.nonzero(low[:, 2] <= SETTLING_UNITS)[0]
    corners = _rectangles(low[upper], high[upper], 2, np.zeros(len(upper)))
    return np.full(len(upper), GROUND), upper, np.full(len(upper), 2), corners


def _rectangles(start: Array, end: Array, axis: int, at: Array) -> Array:
    one, other = (a for a in range(3) if a != axis)
    corners = np.empty((len(start), 4, 3))
    corners[:, :, axis] = at[:, None]
    corners[:, :, one] = np.stack([start[:, one], end[:, one], end[:, one], start[:, one]], axis=1)
    corners[:, :, other] = np.stack([start[:, other], start[:, other], end[:, other], end[:, other]], axis=1)
    return corners
