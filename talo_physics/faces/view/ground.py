"""The table and the board printed on it, as one flat picture that a renderer looks up point by point."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from talo_physics.faces.view.palette import CHEQUER, FIELDS, TABLE, Colour, mixed
from talo_physics.geometry.board import SIZE, START, Board

PIXELS = 64
"""Of a field's side."""
RIM = 0.25
"""The board's frame, in units."""
WOODEN_RIM: Colour = (176, 138, 92)
MARK: Colour = (150, 120, 20)
_SPAN = SIZE + 2 * RIM


@dataclass(frozen=True, eq=False)
class Ground:
    """The board from above."""

    texels: NDArray[np.uint8]
    """(n, n, 3); the first row is the board's far edge. Beyond it lies the table."""

    def colours(self, x: Any, y: Any) -> NDArray[np.uint8]:
        """(..., 3), the colour of each point of the table."""
        scale = len(self.texels) / _SPAN
        column = ((x + RIM) * scale).astype(np.int32)
        row = ((SIZE + RIM - y) * scale).astype(np.int32)
        inside = (x > -RIM) & (x < SIZE + RIM) & (y > -RIM) & (y < SIZE + RIM)
        found = np.empty((*x.shape, 3), dtype=np.uint8)
        found[:] = TABLE
        found[inside] = self.texels[row[inside].clip(0, len(self.texels) - 1), column[inside]]
        return found


@lru_cache(maxsize=8)
def ground_of(board: Board) -> Ground:
    """The ground of a board: its fields, with thin lines between them and a ring on marked starts."""
    side = round(_SPAN * PIXELS)
    image = Image.new("RGB", (side, side), WOODEN_RIM if board.fields else TABLE)
    draw = ImageDraw.Draw(image)
    for x in range(SIZE):
        for y in range(SIZE):
            _field(draw, board, x, y)
    return Ground(np.asarray(image))


def _field(draw: ImageDraw.ImageDraw, board: Board, x: int, y: int) -> None:
    left, top = (x + RIM) * PIXELS, (SIZE - 1 - y + RIM) * PIXELS
    square = (left, top, left + PIXELS, top + PIXELS)
    if board.fields is None:  # the bare table has no fields; the lines are only there to count by
        draw.rectangle(square, fill=TABLE, outline=mixed(TABLE, (0, 0, 0), 0.09), width=1)
        return
    letter = board.field(x, y) or START
    colour = field_colour(letter, x, y)
    draw.rectangle(square, fill=colour, outline=mixed(colour, (0, 0, 0), 0.22), width=1)
    if letter == START:
        ring = [edge + (0.22 if i < 2 else -0.22) * PIXELS for i, edge in enumerate(square)]
        draw.ellipse(ring, outline=MARK, width=5)


def field_colour(letter: str, x: int, y: int) -> Colour:
    """The colour of a field."""
    return mixed(FIELDS[letter], (0, 0, 0), 1 - CHEQUER if (x + y) % 2 else 0.0)
