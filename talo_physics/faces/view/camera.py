"""Where a picture is taken from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from talo_physics.errors import TaloError
from talo_physics.faces.view.shapes import Array

LOWEST_DEG, HIGHEST_DEG = 3.0, 90.0
DISTANCE = 4.6
"""The eye's distance in radii of what is looked at: near enough for depth, far enough for straight columns."""


@dataclass(frozen=True)
class View:
    """A direction to look from: round the table from the front (0) by the right side (90), and upwards."""

    round_deg: float
    up_deg: float

    @classmethod
    def parse(cls, text: str) -> View:
        """Read a name, or two angles such as `30,25`.

        Raises:
            TaloError: it is neither.
        """
        if text in NAMED:
            return NAMED[text]
        try:
            around, up = (float(part) for part in text.split(","))
        except ValueError:
            around = up = np.nan
        if not (abs(around) <= 360.0 and LOWEST_DEG <= up <= HIGHEST_DEG):
            raise TaloError(
                f"--from {text[:40]}: one of {', '.join(NAMED)} was expected, or two angles such as 30,25: "
                f"round the table from the front (-360 to 360) and up ({LOWEST_DEG:g} to {HIGHEST_DEG:g})"
            )
        return cls(around, up)

    def turned(self, by_deg: float) -> View:
        """The view from further round the table."""
        return View(self.round_deg + by_deg, self.up_deg)

    @property
    def axes(self) -> Array:
        """Right, up and forward as rows (3, 3)."""
        around, up = np.radians(self.round_deg), np.radians(self.up_deg)
        towards = np.array([np.sin(around) * np.cos(up), -np.cos(around) * np.cos(up), np.sin(up)])
        right = np.array([np.cos(around), np.sin(around), 0.0])
        return np.array([right, np.cross(towards, right), -towards])


NAMED = {
    "corner": View(28, 27),
    "front": View(0, 14),
    "right": View(90, 14),
    "back": View(180, 14),
    "left": View(270, 14),
    "top": View(0, 90),
}


@dataclass(frozen=True, eq=False)
class Camera:
    """Projects points to pixels, x to the right and y down; the third value grows towards the eye, linear in them."""

    eye: Array
    axes: Array
    focal: float
    """In pixels."""
    middle: tuple[float, float]
    """The pixel that the eye looks straight at."""

    @classmethod
    def fitting(cls, view: View, corners: Array, frame: tuple[float, float, float, float]) -> Camera:
        """The camera that sees all corners (n, 3) within the frame: left, top, right, bottom in pixels."""
        centre = (corners.min(axis=0) + corners.max(axis=0)) / 2
        radius = max(float(np.linalg.norm(corners - centre, axis=1).max()), 1.0)
        axes = view.axes
        rough = cls(centre - DISTANCE * radius * axes[2], axes, 1.0, (0.0, 0.0))
        seen = rough.project(corners)[:, :2]
        low, high = seen.min(axis=0), seen.max(axis=0)
        left, top, right, bottom = frame
        width, height = np.maximum(high - low, 1e-6)
        focal = float(min((right - left) / width, (bottom - top) / height))
        x, y = np.array([left + right, top + bottom]) / 2 - focal * (low + high) / 2
        return cls(rough.eye, axes, focal, (float(x), float(y)))

    def project(self, points: Array) -> Array:
        """(n, 3) of points to (n, 3): pixel x, pixel y, and one over the distance."""
        local = (points - self.eye) @ self.axes.T
        near = 1.0 / local[:, 2]
        x = self.middle[0] + self.focal * local[:, 0] * near
        y = self.middle[1] - self.focal * local[:, 1] * near
        return np.column_stack([x, y, near])

    def scaled(self, by: float) -> Camera:
        """The same view with more or fewer pixels."""
        return Camera(self.eye, self.axes, self.focal * by, (self.middle[0] * by, self.middle[1] * by))

    def rays(self) -> tuple[Array, Array, Array]:
        """What takes pixels back to points: the point at pixel (x, y) with third value w is eye + (a x + b y + c) / w.

        a, b and c are (3,); x and y count from the middle of the first pixel.
        """
        right, up, forward = self.axes
        a, b = right / self.focal, -up / self.focal
        return a, b, forward + a * (0.5 - self.middle[0]) + b * (0.5 - self.middle[1])
