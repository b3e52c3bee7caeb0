"""The sides of a scanned block: six planes fitted to its surface.

The corners and edges of a scan are its worst part, and its outermost points are its noise. So the sides are
distances between opposite planes, each fitted to the inner part of a face.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import trimesh

Array = NDArray[np.float64]

SAMPLES = 60_000
"""Points drawn from the surface, by area: some hundred for the smallest face of the longest block."""
ROUNDS = 4
INNER = 0.12
"""How much of the shorter side is left out along each edge of a face: 2.4 mm of 20, more than edges are rounded."""
OUTLYING = 4.0
"""Points farther from their plane than so many (robust) standard deviations are specks, not surface."""
ON_FACE = 0.025
"""A point lies on the box if it is within this share of the shorter side: half a millimetre of 20."""
FEWEST_POINTS = 20
FLAT = 1e-3
"""Thinner than this share of its extent it bounds no volume, and has no least box."""
_MAD_TO_SIGMA = 1.4826


class Box(NamedTuple):
    """A fitted box, in the scan's unit."""

    sides: tuple[float, float, float]
    """Along the box's own axes, the longest first."""
    flat: float
    """The share of the surface that lies on the six planes; 1 for a box."""
    noise: float
    """How far the surface strays from its planes (standard deviation)."""


def fit_box(mesh: trimesh.Trimesh) -> Box | None:
    """Fit six planes to a mesh; None if it has no six faces. The same mesh always gives the same box."""
    import trimesh

    points, faces = trimesh.sample.sample_surface(mesh, SAMPLES, seed=1)[:2]
    points = np.asarray(points, dtype=float)
    normals = np.asarray(mesh.face_normals[faces], dtype=float)
    points -= np.median(points, axis=0)
    scale = float(np.ptp(points))  # so that no unit is too small or too large for trimesh's tolerances
    if not scale > 0 or not np.all(np.linalg.norm(normals, axis=1) > 0.5):
        return None  # faces so small that they look nowhere
    points /= scale
    first = _first_axes(points)
    if first is None:
        return None
    axes = _axes_by_normals(first, normals)
    for _ in range(ROUNDS):
        fitted = _planes(points @ axes.T, normals @ axes.T)
        if fitted is None:
            return None
        tilts, low, high, noise = fitted
        axes = _nearest_rotation(tilts @ axes)
    sides = high - low
    if not np.all(sides > 0):
        return None
    flat = _share_on_planes(points @ axes.T, low, high)
    longest, second, third = sorted((scale * float(side) for side in sides), reverse=True)
    return Box((longest, second, third), flat, scale * noise)


def _first_axes(points: Array) -> Array | None:
    """Rough axes: those of the least box around the points, without the farthest ones, which may be specks.

    None where all lie in a plane.
    """
    import trimesh

    if np.linalg.svd(points[::50], compute_uv=False)[2] < FLAT:
        return None
    distance = np.linalg.norm(points, axis=1)
    kept = points[distance <= np.quantile(distance, 0.995)]
    to_origin, _ = trimesh.bounds.oriented_bounds(kept)
    return np.asarray(to_origin[:3, :3], dtype=float)


def _axes_by_normals(axes: Array, normals: Array) -> Array:
    """Axes turned to where the faces look: each normal counts for the axis it is nearest to."""
    for _ in range(ROUNDS):
        along = normals @ axes.T
        nearest = np.argmax(np.abs(along), axis=1)
        means = []
        for axis in range(3):
            chosen = nearest == axis
            outward = normals[chosen] * np.sign(along[chosen, axis])[:, None]
            means.append(np.median(outward, axis=0) if chosen.any() else axes[axis])
        axes = _nearest_rotation(np.array(means))
    return axes


def _planes(local: Array, normals: Array) -> tuple[Array, Array, Array, float] | None:
    """Fit the faces in the box's frame.

    Returns:
        The (3, 3) directions in which opposite faces look in the mean; the (3,) lower and upper planes; the noise.
    """
    reach = np.quantile(np.abs(local), 0.99, axis=0)
    edge = 2 * INNER * float(reach.min())
    looking = np.argmax(np.abs(normals), axis=1)
    tilts, low, high, noises = np.eye(3), np.zeros(3), np.zeros(3), []
    for axis in range(3):
        others = [i for i in range(3) if i != axis]
        inner = (looking == axis) & np.all(np.abs(local[:, others]) < reach[others] - edge, axis=1)
        slopes = []
        for side, planes in ((-1, low), (1, high)):
            face = local[inner & (np.sign(local[:, axis]) == side)]
            plane = _plane(face, axis, others)
            if plane is None:
                return None
            planes[axis], slope, noise = plane
            slopes.append(slope)
            noises.append(noise)
        tilts[axis, others] = -np.mean(slopes, axis=0)
    return tilts, low, high, float(np.median(noises))


def _plane(face: Array, axis: int, others: list[int]) -> tuple[float, Array, float] | None:
    """A plane through a face: its height over the middle, its two slopes, its noise; without specks."""
    for _ in range(2):
        if len(face) < FEWEST_POINTS:
            return None
        middle = np.median(face[:, axis])
        away = np.abs(face[:, axis] - middle)
        face = face[away <= max(OUTLYING * _MAD_TO_SIGMA * float(np.median(away)), 1e-9)]
    heights, across = face[:, axis], face[:, others]
    system = np.column_stack([np.ones(len(face)), across - across.mean(axis=0)])
    solution = np.linalg.lstsq(system, heights, rcond=None)[0]
    return float(solution[0]), solution[1:], float(np.std(heights - system @ solution))


def _share_on_planes(local: Array, low: Array, high: Array) -> float:
    near = ON_FACE * float((high - low).min())
    off = np.minimum(np.abs(local - low), np.abs(local - high)).min(axis=1)
    inside = np.all((local >= low - near) & (local <= high + near), axis=1)
    return float(np.mean((off <= near) & inside))


def _nearest_rotation(rows: Array) -> Array:
    """The orthonormal axes nearest to three that are almost so."""
    u, _, v = np.linalg.svd(rows / np.linalg.norm(rows, axis=1)[:, None])
    return np.asarray(u @ v)
