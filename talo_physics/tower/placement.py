"""Where one block is: on the grid (`Placement`) or in any pose (`FreePose`, Fantasy variant only)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from talo_physics.errors import TextFormError

Cell = tuple[int, int, int]
FARTHEST = 999
"""Coordinates beyond this are a slip of the pen, not a tower."""

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


def shown(text: object) -> str:
    """A user's text for a message: quoted, never longer than a line."""
    quoted = repr(str(text))
    return quoted if len(quoted) <= 60 else quoted[:56] + "...'"


def _length(text: str, whole: str) -> int:
    length = int(text) if len(text) < 4 else FARTHEST
    if not 1 <= length <= 10:
        raise TextFormError(f"{shown(whole)}: block lengths go from 1 to 10, not {text[:8]}")
    return length


def read_cell(text: str, whole: str) -> Cell:
    """Read `x,y,z` of the text form `whole`."""
    match = re.fullmatch(r"\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*", text, re.ASCII)
    if not match:
        raise TextFormError(f"{shown(whole)}: three whole numbers x,y,z were expected after '@'")
    if any(len(part) > 5 or abs(int(part)) > FARTHEST for part in match.groups()):
        raise TextFormError(f"{shown(whole)}: coordinates go from -{FARTHEST} to {FARTHEST}")
    x, y, z = (int(part) for part in match.groups())
    if z < 0:
        raise TextFormError(f"{shown(whole)}: z is 0 or more, not {z}")
    return x, y, z


@dataclass(frozen=True, order=True)
class Placement:
    """A block on the grid: its length, the axis it lies (x, y) or stands (z) along, and its lowest cell.

    >>> beam = Placement.parse("4x@2,4,1")
    >>> str(beam), beam.cells[-1]
    ('4x@2,4,1', (5, 4, 1))
    """

    length: int
    axis: str
    x: int
    y: int
    z: int

    _FORM: ClassVar[re.Pattern[str]] = re.compile(r"\s*(\d+)([xyz])@([^@~+>]*)", re.ASCII)

    def __post_init__(self) -> None:
        if not 1 <= self.length <= 10 or self.axis not in ("x", "y", "z") or self.z < 0:
            raise TextFormError(f"{self}: not a block on the grid")
        if self.length == 1:  # a cube lies as it stands; one spelling for it
            object.__setattr__(self, "axis", "z")

    @classmethod
    def parse(cls, text: str) -> Placement:
        """Read the text form.

        Raises:
            TextFormError: it is not one.
        """
        match = cls._FORM.fullmatch(text)
        if not match:
            raise TextFormError(f"{shown(text)}: a placement such as 4x@2,4,1 was expected")
        return cls(_length(match[1], text), match[2], *read_cell(match[3], text))

    def __str__(self) -> str:
        return f"{self.length}{self.axis}@{self.x},{self.y},{self.z}"

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The unit cells it fills, from the lowest on."""
        step = tuple(int(self.axis == axis) for axis in "xyz")
        return tuple((self.x + i * step[0], self.y + i * step[1], self.z + i * step[2]) for i in range(self.length))

    @property
    def stands(self) -> bool:
        """Whether it stands upright (a 1 always does)."""
        return self.axis == "z"

    @property
    def top(self) -> int:
        """The level of its upper face."""
        return self.z + (self.length if self.stands else 1)

    @cached_property
    def footprint(self) -> tuple[tuple[int, int], ...]:
        """The fields it covers."""
        return tuple(dict.fromkeys((x, y) for x, y, _ in self.cells))


@dataclass(frozen=True, order=True)
class FreePose:
    """A block anywhere: its centre in units and its rotation in degrees (intrinsic x-y-z); unrotated it lies along x.

    >>> str(FreePose.parse("3~1.5, 2, 0.5, 0, 0, 45"))
    '3~1.5,2,0.5,0,0,45'
    """

    length: int
    x: float
    y: float
    z: float
    rx: float
    ry: float
    rz: float

    _FORM: ClassVar[re.Pattern[str]] = re.compile(
        r"\s*(\d+)~" + ",".join(rf"\s*({_NUMBER})\s*" for _ in range(6)), re.ASCII
    )

    @classmethod
    def parse(cls, text: str) -> FreePose:
        """Read the text form.

        Raises:
            TextFormError: it is not one.
        """
        match = cls._FORM.fullmatch(text)
        if not match:
            raise TextFormError(f"{shown(text)}: a free pose such as 3~4.5,5,0.5,0,0,30 was expected")
        numbers = [float(part) + 0.0 for part in match.groups()[1:]]  # + 0.0 turns -0 into 0
        if any(not math.isfinite(number) or abs(number) > FARTHEST for number in numbers):
            raise TextFormError(f"{shown(text)}: numbers go from -{FARTHEST} to {FARTHEST}")
        if numbers[2] < 0:
            raise TextFormError(f"{shown(text)}: the centre lies below the table")
        return cls(_length(match[1], text), *numbers)

    def __str__(self) -> str:
        numbers = (self.x, self.y, self.z, self.rx, self.ry, self.rz)
        return f"{self.length}~" + ",".join(repr(float(n)).removesuffix(".0") for n in numbers)


Block = Placement | FreePose


def parse_block(text: str) -> Block:
    """Read a placement or a free pose, whichever `text` is."""
    return FreePose.parse(text) if "~" in text else Placement.parse(text)
