"""Where two boxes in any pose touch: the polygon, edge or point that they share.

The axis of least overlap tells which face meets which (or which edges cross); the face that looks at it is
clipped to it, as in every collision library, only that nothing is thrown away: statics needs all corners.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from talo_physics.physics.bodies import Body

Array = NDArray[np.float64]
TOUCHING_UNITS = 0.03
"""Blocks in free poses this near each other touch: what their edges are rounded by, and a hand's inaccuracy."""
_FACE_FIRST = 1e-4
"""Faces are preferred to crossing edges unless these overlap less by this much."""
_GROUND = -1
_SAME_UNITS = 1e-4
"""Points nearer than this are one, and edges that bend by less (in radians) are straight."""


class Manifold(NamedTuple):
    """What two bodies share."""

    lower: int
    upper: int
    normal: Array
    """(3,) From the lower to the upper body."""
    points: Array
    """(k, 3) In order around the polygon."""


class _Box(NamedTuple):
    centre: Array
    half: Array
    axes: Array
    """(3, 3) Columns are the box's own axes."""

    @property
    def corners(self) -> Array:
        signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return np.asarray(self.centre + (signs * self.half) @ self.axes.T)


def _box(body: Body) -> _Box:
    axes = Rotation.from_quat(body.turn).as_matrix()
    centre = np.array(body.centre) + body.shape_above * axes[:, 2]
    return _Box(centre, np.array(body.half), axes)


def manifolds(bodies: Sequence[Body], turned: Sequence[int]) -> Iterator[Manifold]:
    """What the turned bodies share with each other and with the upright ones."""
    boxes = [_box(body) for body in bodies]
    reach = np.array([np.linalg.norm(box.half) for box in boxes]) + TOUCHING_UNITS
    centres = np.array([box.centre for box in boxes])
    is_turned = set(turned)
    for one, other in combinations(range(len(bodies)), 2):
        if one not in is_turned and other not in is_turned:
            continue
        between = centres[other] - centres[one]
        if between @ between <= (reach[one] + reach[other]) ** 2:
            found = _touch(boxes[one], boxes[other])
            if found is not None:
                yield Manifold(one, other, *found) if found[0][2] >= 0 else Manifold(other, one, -found[0], found[1])


def ground_manifolds(bodies: Sequence[Body], turned: Sequence[int]) -> Iterator[Manifold]:
    """What the turned bodies share with the table."""
    up = np.array([0.0, 0.0, 1.0])
    for number in turned:
        corners = _box(bodies[number]).corners
        low = corners[corners[:, 2] <= max(corners[:, 2].min(), 0.0) + TOUCHING_UNITS]
        if corners[:, 2].min() <= TOUCHING_UNITS:
            middle = low.mean(axis=0)
            angle = np.arctan2(low[:, 1] - middle[1], low[:, 0] - middle[0])
            yield Manifold(_GROUND, number, up, low[np.argsort(angle)] * (1, 1, 0))


def _touch(a: _Box, b: _Box) -> tuple[Array, Array] | None:
    """The normal from a to b and the points they share; None if they are apart."""
    between = b.centre - a.centre
    best: tuple[float, Array, int, int] = (-np.inf, np.zeros(3), -1, -1)
    for kind, axis in _axes(a, b):
        gap = abs(axis @ between) - np.abs(axis @ a.axes) @ a.half - np.abs(axis @ b.axes) @ b.half
        if gap > TOUCHING_UNITS:
            return None
        bias = 0.0 if kind[0] < 2 else _FACE_FIRST
        if gap - bias > best[0]:
            best = (float(gap - bias), axis if axis @ between >= 0 else -axis, *kind)
    _, normal, which, number = best
    if which == 0:
        points = _clipped(a, b, number, normal)
    elif which == 1:
        points = _clipped(b, a, number, -normal)
    else:
        points = _crossing(a, b, divmod(number, 3), normal)
    return (normal, points) if len(points) else None


def _axes(a: _Box, b: _Box) -> Iterator[tuple[tuple[int, int], Array]]:
    """Face normals of both and the directions across two edges, each with what it is."""
    for number in range(3):
        yield (0, number), a.axes[:, number]
    for number in range(3):
        yield (1, number), b.axes[:, number]
    for number in range(9):
        axis = np.cross(a.axes[:, number // 3], b.axes[:, number % 3])
        length = np.linalg.norm(axis)
        if length > 1e-6:
            yield (2, number), axis / length


def _clipped(flat: _Box, other: _Box, axis: int, normal: Array) -> Array:
    """The face of `other` that looks at the face `axis` of `flat`, cut to it; the points near that face."""
    along = other.axes.T @ normal
    number = int(np.argmax(np.abs(along)))
    side = -np.sign(along[number])
    u, v = (n for n in range(3) if n != number)
    face = [
        other.centre
        + side * other.half[number] * other.axes[:, number]
        + su * other.half[u] * other.axes[:, u]
        + sv * other.half[v] * other.axes[:, v]
        for su, sv in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    for edge in (n for n in range(3) if n != axis):
        for sign in (-1.0, 1.0):
            face = _cut(face, sign * flat.axes[:, edge], sign * (flat.axes[:, edge] @ flat.centre) + flat.half[edge])
    level = normal @ flat.centre + flat.half[axis]
    near = [point for point in face if normal @ point - level <= TOUCHING_UNITS]
    return _corners_only(np.array([p - (normal @ p - level) / 2 * normal for p in near]).reshape(-1, 3))


def _corners_only(points: Array) -> Array:
    """A polygon without points that lie on each other or in the middle of an edge, as cutting leaves them."""
    apart = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1) > _SAME_UNITS
    points = points[apart] if apart.any() else points[:1]
    if len(points) < 3:
        return points
    before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    turns = np.linalg.norm(np.cross(before, after), axis=1)
    bent = turns > _SAME_UNITS * np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    return np.asarray(points[bent]) if bent.sum() > 2 else points


def _cut(polygon: list[Array], outward: Array, limit: float) -> list[Array]:
    """The part of a polygon with outward @ point <= limit."""
    kept: list[Array] = []
    for index, point in enumerate(polygon):
        before = polygon[index - 1]
        over, over_before = outward @ point - limit, outward @ before - limit
        if (over <= 0) != (over_before <= 0):
            kept.append(before + (point - before) * (over_before / (over_before - over)))
        if over <= 0:
            kept.append(point)
    return kept


def _crossing(a: _Box, b: _Box, edges: tuple[int, int], normal: Array) -> Array:
    """The point midway between two crossing edges."""
    ends = []
    for box, edge, sign in ((a, edges[0], 1.0), (b, edges[1], -1.0)):
        towards = np.sign(sign * (box.axes.T @ normal))
        towards[edge] = 0.0
        ends.append((box.centre + box.axes @ (towards * box.half), box.axes[:, edge]))
    (p, u), (q, v) = ends
    cross = u @ v
    s, t = np.linalg.solve(np.array([[1.0, -cross], [cross, -1.0]]), np.array([u @ (q - p), v @ (q - p)]))
    return np.array([(p + s * u + q + t * v) / 2])


def mitres(points: Array, normal: Array) -> Array:
    """How the corners of a polygon move when its edges move inwards by one unit; of an edge, its ends."""
    if len(points) == 1:
        return np.zeros((1, 3))
    if len(points) == 2:
        along = (points[1] - points[0]) / max(float(np.linalg.norm(points[1] - points[0])), 1e-9)
        return np.array([along, -along])
    middle = points.mean(axis=0)
    edges = np.roll(points, -1, axis=0) - points
    inner = np.cross(normal, edges)
    inner /= np.maximum(np.linalg.norm(inner, axis=1, keepdims=True), 1e-9)
    inner *= np.sign(((middle - points) * inner).sum(axis=1, keepdims=True))
    before = np.roll(inner, 1, axis=0)
    return np.asarray((inner + before) / np.maximum(1 + (inner * before).sum(axis=1, keepdims=True), 0.1))
