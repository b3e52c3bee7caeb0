"""Which face is seen at which pixel: convex faces into a depth buffer."""

from __future__ import annotations

from collections.abc import Iterable

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
        if _turned_away(face):
            return
        height, width = self.face.shape
        top = max(0, int(np.ceil(face[:, 1].min() - 0.5)))
        bottom = min(height, int(np.ceil(face[:, 1].max() - 0.5)))
        left = max(0, int(np.ceil(face[:, 0].min() - 0.5)))
        right = min(width, int(np.ceil(face[:, 0].max() - 0.5)))
        if top >= bottom or left >= right:
            return
        rows, columns = np.arange(top, bottom) + 0.5, np.arange(left, right) + 0.5
        begin, end = _spans(face, rows)
        by_x, by_y, at_origin = _plane(face)
        near = ((at_origin + by_y * rows)[:, None] + (by_x * columns)[None, :]).astype(np.float32)
        held = self.near[top:bottom, left:right]
        seen = (columns >= begin[:, None]) & (columns < end[:, None])
        seen &= near > held
        held[seen] = near[seen]
        self.face[top:bottom, left:right][seen] = number


def _turned_away(face: Array) -> bool:
    """Whether its back is seen, or only its edge: with y downwards, what looks here runs clockwise in pixels."""
    x, y = face[:, 0], face[:, 1]
    area = float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
    return area > -0.05


def _spans(face: Array, rows: Array) -> tuple[Array, Array]:
    """Where each row of pixels enters and leaves a convex face."""
    begin, end = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
    for (x0, y0, _), (x1, y1, _) in zip(face, np.roll(face, -1, axis=0), strict=True):
        if y0 == y1:
            continue
        crossed = (rows >= min(y0, y1)) & (rows < max(y0, y1))
        x = x0 + (rows[crossed] - y0) * ((x1 - x0) / (y1 - y0))
        begin[crossed] = np.minimum(begin[crossed], x)
        end[crossed] = np.maximum(end[crossed], x)
    return begin, end


def _plane(face: Array) -> tuple[float, float, float]:
    """The third value as a linear function of the first two."""
    (x0, y0, w0), (x1, y1, w1), (x2, y2, w2) = face[:3]
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    by_x = ((w1 - w0) * (y2 - y0) - (w2 - w0) * (y1 - y0)) / area
    by_y = ((w2 - w0) * (x1 - x0) - (w1 - w0) * (x2 - x0)) / area
    return by_x, by_y, w0 - by_x * x0 - by_y * y0
