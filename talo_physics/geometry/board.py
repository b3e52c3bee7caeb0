"""A board: which fields there are, which of them are water, and where pawns may start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator

from talo_physics.geometry.profile import Provenance
from talo_physics.geometry.shelf import Shelf, validated

SIZE = 10
LAND, START, NO_START, WATER = "g", "s", "m", "~"


class Board(BaseModel):
    """The ground of a game. `fields` is None (in a file: `none`) on the bare table, which has no grid and no edge."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    provenance: Provenance = "assumed"
    source: str = ""
    fields: tuple[str, ...] | None
    """Rows from y = 9 down to y = 0, a letter a field: `g` land, `s` marked start, `m` no start, `~` water."""

    def __repr__(self) -> str:
        return f"Board({self.name!r})"

    __str__ = __repr__

    @field_validator("fields", mode="before")
    @classmethod
    def _rows(cls, value: Any) -> Any:
        if value == "none":
            return None
        rows = tuple(value.split()) if isinstance(value, str) else value
        if not (isinstance(rows, tuple | list) and len(rows) == SIZE and all(isinstance(r, str) for r in rows)):
            raise ValueError(f"{SIZE} rows of {SIZE} letters were expected")
        for number, row in enumerate(rows, start=1):
            if len(row) != SIZE or set(row) - {LAND, START, NO_START, WATER}:
                raise ValueError(f"row {number} is {row!r}: {SIZE} of the letters g, s, m, ~ were expected")
        return tuple(rows)

    def field(self, x: int, y: int) -> str | None:
        """The letter of a field, None beyond the board's edge."""
        if self.fields is None:
            return LAND
        return self.fields[SIZE - 1 - y][x] if 0 <= x < SIZE and 0 <= y < SIZE else None

    def inside(self, x: int, y: int) -> bool:
        """Whether the field lies on the board."""
        return self.field(x, y) is not None

    def is_water(self, x: int, y: int) -> bool:
        """Whether the field is water; beyond the edge is not."""
        return self.field(x, y) == WATER


BOARDS = Shelf("board", "boards", lambda document: validated(Board, document, _EXPECTED))
_EXPECTED = "a board is a mapping with name and fields"


def shipped_board(name: str) -> Board:
    """A board that comes with the package."""
    return BOARDS.shipped(name)


def load_board(name_or_path: str, beside: Path | None = None) -> Board:
    """A shipped board by its name, or a board file by its path (relative to `beside`).

    >>> from talo_physics import load_board
    >>> load_board("island").name
    'island'

    Raises:
        FileError: every fault of the file, with its place.
        TaloError: neither a shipped board nor a file.
    """
    return BOARDS.load(name_or_path, beside)
