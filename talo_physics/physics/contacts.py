"""Where bodies touch: the polygons that faces share, from geometry, on the grid and off it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from talo_physics.physics.bodies import UPRIGHT, Body
from talo_physics.physics.manifold import Manifold, ground_manifolds, manifolds, mitres

Array = NDArray[np.float64]
Index = NDArray[np.int64]
GROUND = -1
INSCRIBED = np.sqrt(0.5)
"""The square in a pawn's round foot."""
SETTLING_UNITS = 0.15
"""Faces this near each other meet once the tower has settled: unequal blocks, rounded edges."""
LEAST_OVERLAP_UNITS = 1e-6
UPWARDS = 0.999
"""A face whose normal has at least this much of up in it carries; others only push sideways."""


@dataclass(frozen=True)
class Contacts:
    """Pairs of faces, and the corners of what they share."""

    lower: Index
    """(n,) The body whose face looks along the normal; GROUND for the board."""
    upper: Index
    """(n,) The body whose face looks against it."""
    normal: Array
    """(n, 3)"""
    owner: Index
    """(m,) The contact that each corner belongs to, ascending."""
    points: Array
    """(m, 3) The corners."""
    inward: Array
    """(m, 3) How each corner moves when the edges of its polygon move inwards by one unit."""

    @cached_property
    def carries(self) -> NDArray[np.bool_]:
        """(n,) Which contacts are supports: one face on top of the other."""
        return np.asarray(self.normal[:, 2] > UPWARDS)

    @cached_property
    def inradii(self) -> Array:
        """(n,) How far the edges of each polygon can move inwards until nothing is left; of a point, for ever."""
        count = len(self.owner)
        first = np.flatnonzero(np.diff(self.owner, prepend=-1))
        following = np.arange(1, count + 1)
        following[np.append(first[1:], count) - 1 if count else []] = first
        edges = self.points[following] - self.points
        lengths = np.linalg.norm(edges, axis=1)
        along = edges / np.maximum(lengths, 1e-12)[:, None]
        # An edge is gone once its two corners have moved together.
        closing = -((self.inward[following] - self.inward) * along).sum(axis=1)
        reach = np.where(closing > 1e-9, lengths / np.maximum(closing, 1e-9), np.inf)
        radii = np.full(len(self.lower), np.inf)
        np.minimum.at(radii, self.owner, reach)
        return radii

    def widened(self, outset: float) -> Contacts:
        """The same contacts with every footprint wider a side, to see what sharper edges could carry.

        Who touches whom stays: blocks that merely pass each other at an edge do not touch.
        """
        return replace(self, points=self.points - outset * self.inward * (1.0, 1.0, 0.0)) if outset else self

    def supports(self) -> Contacts:
        """Only the contacts that carry."""
        return self._only(self.carries)

    def beside(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(bodies,) The chosen bodies and all that touch one of them."""
        known = np.append(chosen, False)  # GROUND is -1: the last
        touches = known[self.lower] | known[self.upper]
        known[self.lower[touches]] = known[self.upper[touches]] = True
        return known[:-1]

    def of(self, some: Index, bodies: int) -> Contacts:
        """Only the contacts of some of the `bodies`, which are renumbered; all others count as the board."""
        place = np.full(bodies + 1, GROUND)  # GROUND is -1: the last
        place[some] = np.arange(len(some))
        renamed = replace(self, lower=place[self.lower], upper=place[self.upper])
        return renamed._only((renamed.lower != GROUND) | (renamed.upper != GROUND))

    def _only(self, chosen: NDArray[np.bool_]) -> Contacts:
        number = np.cumsum(chosen) - 1
        keep = chosen[self.owner]
        return Contacts(
            self.lower[chosen],
            self.upper[chosen],
            self.normal[chosen],
            number[self.owner[keep]],
            self.points[keep],
            self.inward[keep],
        )


def contacts_of(bodies: Sequence[Body]) -> Contacts:
    """All contacts of bodies."""
    upright = np.array([i for i, body in enumerate(bodies) if body.turn == UPRIGHT], dtype=np.int64)
    parts = [_upright_contacts([bodies[i] for i in upright], upright)]
    if len(upright) < len(bodies):
        turned = [i for i in range(len(bodies)) if bodies[i].turn != UPRIGHT]
        parts.append(_of_manifolds([*manifolds(bodies, turned), *ground_manifolds(bodies, turned)]))
    return _joined(parts)


def _joined(parts: list[Contacts]) -> Contacts:
    if len(parts) == 1:
        return parts[0]
    first, second = parts
    return Contacts(
        np.concatenate([first.lower, second.lower]),
        np.concatenate([first.upper, second.upper]),
        np.concatenate([first.normal, second.normal]),
        np.concatenate([first.owner, second.owner + len(first.lower)]),
        np.concatenate([first.points, second.points]),
        np.concatenate([first.inward, second.inward]),
    )


def _of_manifolds(found: list[Manifold]) -> Contacts:
    counts = [len(manifold.points) for manifold in found]
    points = np.concatenate([np.zeros((0, 3)), *(manifold.points for manifold in found)])
    inward = np.concatenate([np.zeros((0, 3)), *(mitres(manifold.points, manifold.normal) for manifold in found)])
    return Contacts(
        np.array([manifold.lower for manifold in found], dtype=np.int64),
        np.array([manifold.upper for manifold in found], dtype=np.int64),
        np.array([manifold.normal for manifold in found]).reshape(-1, 3),
        np.repeat(np.arange(len(found)), counts),
        points,
        inward,
    )


# ---- upright boxes, all pairs at once

_ACROSS = np.array([[1, 2], [0, 2], [0, 1]])
"""The two axes across each."""
_ROUND = np.array([[False, False], [True, False], [True, True], [False, True]])
"""The corners of a rectangle, one after the other: whether at its end along each of its axes."""
_BOARD = np.array([[-np.inf, -np.inf, -np.inf], [np.inf, np.inf, 0.0]])
"""The board as a box, from its low to its high corner."""


def _upright_contacts(bodies: Sequence[Body], numbers: Index) -> Contacts:
    low, high, of_pawns = _boxes(bodies)
    axis, lower, upper = np.nonzero(_facing(low, high))
    at = (high[lower, axis] + low[upper, axis]) / 2
    at[lower == len(bodies)] = 0.0  # what stands on the board stands on it, however it was set down
    start, end = np.maximum(low[lower], low[upper]), np.minimum(high[lower], high[upper])
    corners = _rectangles(start, end, axis, at)
    inward = np.sign(corners.mean(axis=1, keepdims=True) - corners)
    inward[of_pawns[upper]] = 0.0  # a pawn's round foot is no edge that could be rounded further
    names = np.append(numbers, GROUND)
    return Contacts(
        names[lower],
        names[upper],
        np.eye(3)[axis],
        np.repeat(np.arange(len(lower)), 4),
        corners.reshape(-1, 3),
        inward.reshape(-1, 3),
    )


def _boxes(bodies: Sequence[Body]) -> tuple[Array, Array, NDArray[np.bool_]]:
    """The low and high corners of all boxes, the last one the board; and which are pawns."""
    rows = np.array([(*body.centre, *body.half, body.shape_above, body.is_pawn) for body in bodies]).reshape(-1, 8)
    centres, halves, of_pawns = rows[:, :3], rows[:, 3:6], rows[:, 7] > 0
    centres[:, 2] += rows[:, 6]
    halves[of_pawns, :2] *= INSCRIBED
    return np.vstack([centres - halves, _BOARD[:1]]), np.vstack([centres + halves, _BOARD[1:]]), of_pawns


def _facing(low: Array, high: Array) -> NDArray[np.bool_]:
    """(3, n, n) For each axis, whose upper face along it meets whose lower face."""
    gap = np.abs(low.T[:, None, :] - high.T[:, :, None]) <= SETTLING_UNITS
    ends = np.minimum(high.T[:, :, None], high.T[:, None, :])
    starts = np.maximum(low.T[:, :, None], low.T[:, None, :])
    beside = ends - starts > LEAST_OVERLAP_UNITS
    gap[2, -1, :-1] = low[:-1, 2] <= SETTLING_UNITS  # nothing is below the board
    return np.asarray(gap & beside[[1, 0, 0]] & beside[[2, 2, 1]])


def _rectangles(start: Array, end: Array, axis: Index, at: Array) -> Array:
    """(n, 4, 3) The corners of rectangles across an axis each."""
    each = np.arange(len(axis))[:, None]
    across = _ACROSS[axis]
    corners = np.empty((len(axis), 4, 3))
    corners[each, :, axis[:, None]] = at[:, None, None]
    sides = np.where(_ROUND, end[each, across][:, None, :], start[each, across][:, None, :])
    corners[each[:, :, None], np.arange(4)[:, None], across[:, None, :]] = sides
    return corners
