"""Pawns, and the surfaces they stand on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from talo_physics.errors import TextFormError
from talo_physics.tower.placement import Cell, read_cell, shown

COLOURS = ("yellow", "red", "blue", "green", "pink", "orange")
HEADROOM = 2
"""Levels of free space a pawn takes up: its own height."""


@dataclass(frozen=True, order=True)
class Surface:
    """A field of a level that something can stand on: `@3,4,1` is the top of a block in layer 0 over field 3,4."""

    x: int
    y: int
    z: int

    @classmethod
    def parse(cls, text: str) -> Surface:
        """Read the text form.

        Raises:
            TextFormError: it is not one.
        """
        if not text.strip().startswith("@"):
            raise TextFormError(f"{shown(text)}: a surface such as @3,4,1 was expected")
        return cls(*read_cell(text.strip()[1:], text))

    def __str__(self) -> str:
        return f"@{self.x},{self.y},{self.z}"


@dataclass(frozen=True, order=True)
class Pawn:
    """A pawn of a colour; z is the level of the surface under its feet.

    >>> Pawn.parse("red@3,4,1").surface
    Surface(x=3, y=4, z=1)
    """

    colour: str
    x: int
    y: int
    z: int

    @classmethod
    def parse(cls, text: str) -> Pawn:
        """Read the text form.

        Raises:
            TextFormError: it is not one.
        """
        match = re.fullmatch(r"\s*([A-Za-z]+)@([^@~+>]*)", text, re.ASCII)
        if not match:
            raise TextFormError(f"{shown(text)}: a pawn such as red@3,4,1 was expected")
        if match[1] not in COLOURS:
            raise TextFormError(f"{shown(text)}: pawns are {', '.join(COLOURS)}, not {match[1][:20]}")
        return cls(match[1], *read_cell(match[2], text))

    def __str__(self) -> str:
        return f"{self.colour}{self.surface}"

    @property
    def surface(self) -> Surface:
        """What it stands on."""
        return Surface(self.x, self.y, self.z)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells it fills."""
        return tuple((self.x, self.y, self.z + i) for i in range(HEADROOM))
