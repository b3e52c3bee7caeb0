"""Light and shadow: which points the sun does not reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from talo_physics.faces.view.raster import Raster
from talo_physics.faces.view.shapes import Array

MAP_PIXELS = 1400
BIAS_UNITS, BIAS_PIXELS = 0.03, 4.0
"""A face lies in its own shadow only from this depth on; less speckles faces that the sun only grazes."""
AMBIENT = 0.62
SUN = 0.44
SHADE_OF_SKY, SHADE_OF_LIT = 0.4, 0.4
"""What is left where the sun does not reach: of the sky's light, and of all, so that sides still differ."""
SKY = 0.10
"""How much brighter what looks up is than what looks down, from the sky alone."""
_SOFT = ((-1.5, -0.5), (0.5, -1.5), (1.5, 0.5), (-0.5, 1.5))
"""Where the shadow is looked up round a point, in pixels of the map: four answers make a soft edge."""


def sun_for(right: Array) -> Array:
    """The direction to the sun: over the left shoulder of whoever looks, so that three sides of a box differ."""
    forward = np.array([-right[1], right[0], 0.0])
    sun = -0.62 * right - 0.42 * forward + 1.15 * np.array([0.0, 0.0, 1.0])
    return np.asarray(sun / np.linalg.norm(sun))


def brightness(normals: Array, sun: Array) -> tuple[Array, Array]:
    """Of faces with these normals (n, 3): in the sun and in the shade."""
    sky = AMBIENT + SKY * normals[:, 2]
    lit = sky + SUN * np.maximum(0.0, normals @ sun)
    return lit, np.minimum(lit, SHADE_OF_SKY * sky + SHADE_OF_LIT * lit)


class Shadows:
    """How far the light gets, as seen from the sun."""

    def __init__(self, faces: Sequence[Array], sun: Array) -> None:
        side = np.cross([0.0, 0.0, 1.0], sun)
        side /= np.linalg.norm(side)
        self.axes = np.array([side, np.cross(sun, side), sun])
        seen = np.vstack([face @ self.axes.T for face in faces])
        low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
        self.scale = (MAP_PIXELS - 8) / float(max((high - low).max(), 1.0))
        self.origin = low - 4 / self.scale
        self.raster = Raster(MAP_PIXELS, MAP_PIXELS)
        for number, face in enumerate(faces):
            local = face @ self.axes.T
            x, y = ((local[:, :2] - self.origin) * self.scale).T
            self.raster.fill(np.column_stack([x, MAP_PIXELS - y, local[:, 2]]), number)

    def depth(self, points: tuple[NDArray[np.float32], ...]) -> NDArray[np.float32]:
        """Of points, given as arrays of x, y and z: how much of the sun is hidden, from 0 to 1."""
        axes = self.axes.astype(np.float32)
        across, along, up = (sum(a * p for a, p in zip(axis, points, strict=True)) for axis in axes)
        x = (across - self.origin[0]) * self.scale
        y = MAP_PIXELS - (along - self.origin[1]) * self.scale
        bias = BIAS_UNITS + BIAS_PIXELS / self.scale
        hidden = np.zeros(points[0].shape, dtype=np.float32)
        for dx, dy in _SOFT:
            column = (x + dx).astype(np.int32).clip(0, MAP_PIXELS - 1)
            row = (y + dy).astype(np.int32).clip(0, MAP_PIXELS - 1)
            hidden += self.raster.near[row, column] > up + bias
        return np.asarray(hidden / len(_SOFT), dtype=np.float32)
