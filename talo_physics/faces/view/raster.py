"""Which face is seen at which pixel: convex faces into a depth buffer."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

import numpy as np
from numpy.typing import NDArray

from talo_physics.faces.view.shapes import Array

NOTHING = -1


class Raster:
    """A picture's depth and faces. Depth is the camera's third value: greater is nearer, linear in the pixels."""

    def __init__(self, width: int, height: int) -> None:
        self.near: NDArray[np.float32] = np.full((height, width), -np.inf, dtype=np.float32)
        self.face: NDArray[np.int32] = np.full((height, width), NOTHING, dtype=np.int32)

    def fill_all(self, faces: Iterable[Array], first: int = 0) -> None:
        """Draw projected faces, numbered from `first` on; what looks away or lies behind the eye is left out."""
        for number, face in enumerate(faces, start=first):
            if face[:, 2].min() > 0:
                self.fill(face, number)

    def fill(self, face: Array, number: int) -> None:
        """Draw one projected face (k, 3) where nothing nearer is."""
        points: list[list[float]] = face.tolist()  # a face has few corners: plain numbers are faster than arrays
        if _turned_away(points):
            return
        height, width = self.face.shape
        xs, ys = [point[0] for point in points], [point[1] for point in points]
        top, bottom = max(0, ceil(min(ys) - 0.5)), min(height, ceil(max(ys) - 0.5))
        left, right = max(0, ceil(min(xs) - 0.5)), min(width, ceil(max(xs) - 0.5))
        if top >= bottom or left >= right:
            return
        rows, columns = np.arange(top, bottom) + 0.5, np.arange(left, right) + 0.5
        begin, end = _spans(points, rows)
        by_x, by_y, at_origin = _plane(points)
        near = ((at_origin + by_y * rows)[:, None] + (by_x * columns)[None, :]).astype(np.float32)
        held = self.near[top:bottom, left:right]
        seen = (columns >= begin[:, None]) & (columns < end[:, None])
        seen &= near > held
        held[seen] = near[seen]
        self.face[top:bottom, left:right][seen] = number


def _turned_away(points: list[list[float]]) -> bool:
    """Whether its back is seen, or only its edge: with y downwards, what looks here runs clockwise in pixels."""
    twice = 0.0
    x0, y0, _ = points[-1]
    for x1, y1, _ in points:
        twice += x0 * y1 - y0 * x1
        x0, y0 = x1, y1
    return twice > -0.1


def _spans(points: list[list[float]], rows: Array) -> tuple[Array, Array]:
    """Where each row of pixels enters and leaves a convex face."""
    begin, end = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
    first = rows[0]
    x0, y0, _ = points[-1]
    for x1, y1, _ in points:
        low, high = max(0, ceil(min(y0, y1) - first)), max(0, ceil(max(y0, y1) - first))
        if low < high:
            x = x0 + (rows[low:high] - y0) * ((x1 - x0) / (y1 - y0))
            np.minimum(begin[low:high], x, out=begin[low:high])
            np.maximum(end[low:high], x, out=end[low:high])
        x0, y0 = x1, y1
    return begin, end


def _plane(points: list[list[float]]) -> tuple[float, float, float]:
    """The third value as a linear function of the first two."""
    (x0, y0, w0), (x1, y1, w1), (x2, y2, w2) = points[:3]
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    by_x = ((w1 - w0) * (y2 - y0) - (w2 - w0) * (y1 - y0)) / area
    by_y = ((w2 - w0) * (x1 - x0) - (w1 - w0) * (x2 - x0)) / area
    return by_x, by_y, w0 - by_x * x0 - by_y * y0
