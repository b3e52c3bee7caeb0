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

_Part = tuple[Index, Index, Index, Array]


def _upright_contacts(bodies: Sequence[Body], numbers: Index) -> Contacts:
    centres, halves = _boxes(bodies)
    low, high = centres - halves, centres + halves
    parts = [_pairs(low, high, axis) for axis in range(3)]
    parts.append(_on_ground(low, high))
    lower, upper, axis, corners = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    names = np.append(numbers, GROUND)  # GROUND is -1: the last
    inward = np.sign(corners.mean(axis=1, keepdims=True) - corners)
    of_pawns = np.array([body.is_pawn for body in bodies], dtype=bool)
    inward[of_pawns[upper]] = 0.0  # a pawn's round foot is no edge that could be rounded further
    return Contacts(
        names[lower],
        names[upper],
        np.eye(3)[axis],
        np.repeat(np.arange(len(lower)), 4),
        corners.reshape(-1, 3),
        inward.reshape(-1, 3),
    )


def _boxes(bodies: Sequence[Body]) -> tuple[Array, Array]:
    centres = np.array([(*b.centre[:2], b.centre[2] + b.shape_above) for b in bodies]).reshape(-1, 3)
    halves = np.array([b.half for b in bodies]).reshape(-1, 3)
    round_foot = np.array([[INSCRIBED, INSCRIBED, 1.0] if b.is_pawn else [1.0, 1.0, 1.0] for b in bodies])
    return centres, halves * round_foot.reshape(-1, 3)


def _pairs(low: Array, high: Array, axis: int) -> _Part:
    """Pairs whose faces look at each other along an axis and overlap across it."""
    gap = low[None, :, axis] - high[:, None, axis]
    near = np.abs(gap) <= SETTLING_UNITS
    for other in (other for other in range(3) if other != axis):
        ends = np.minimum(high[:, None, other], high[None, :, other])
        starts = np.maximum(low[:, None, other], low[None, :, other])
        near &= ends - starts > LEAST_OVERLAP_UNITS
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
