"""A tower drawn in letters, layer by layer, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from talo_physics.geometry.board import NO_START, SIZE, START, WATER, Board
from talo_physics.tower.placement import Cell, Placement
from talo_physics.tower.tower import Tower

LEGEND = (
    "digits are block lengths, X is a 10; | stands, - and : lie along x and y; R red, B blue ... pawns, * above a pawn"
)
GAP = "   "
_GROUND = {WATER: "~", START: "s", NO_START: "m"}


def drawn(tower: Tower, board: Board, width: int = 80) -> list[str]:
    """The layers from the board up, as many side by side as fit."""
    window = _Window(tower, board)
    top = max([1, *(z + 1 for _, _, z in tower.occupancy), *(pawn.z + 1 for pawn in tower.pawns)])
    panels = [window.layer(z) for z in range(top)]
    across = max(1, (width + len(GAP)) // (len(panels[0][0]) + len(GAP)))
    lines: list[str] = []
    for begin in range(0, len(panels), across):
        rows = zip(*panels[begin : begin + across], strict=True)
        lines += [GAP.join(row).rstrip() for row in rows]
    return lines


class _Window:
    """The part of the plane that is drawn: the board, and what sticks out beyond it."""

    def __init__(self, tower: Tower, board: Board) -> None:
        self.board = board
        self.letters = dict(_letters(tower))
        xs = [0, SIZE - 1, *(x for x, _, _ in self.letters)]
        ys = [0, SIZE - 1, *(y for _, y, _ in self.letters)]
        self.xs, self.ys = range(min(xs), max(xs) + 1), range(max(ys), min(ys) - 1, -1)

    def layer(self, z: int) -> list[str]:
        """One layer: a heading, a row for each y from the back to the front, and the numbers of x."""
        rows = [f"{y:>3} " + "".join(f"{self._letter(x, y, z):<2}" for x in self.xs) for y in self.ys]
        below = "    " + "".join(f"{abs(x) % 10:<2}" for x in self.xs)
        width = max(len(row) for row in (*rows, below))
        title = f"layer {z}" + (" (on the board)" if z == 0 else f" (on level {z})")
        return [line.ljust(width) for line in (title, *rows, below, "")]

    def _letter(self, x: int, y: int, z: int) -> str:
        if (x, y, z) in self.letters:
            return self.letters[x, y, z]
        if not self.board.inside(x, y):
            return " " if z == 0 else "'"
        return _GROUND.get(self.board.field(x, y) or "", ".") if z == 0 else "."


def _letters(tower: Tower) -> Iterator[tuple[Cell, str]]:
    """What stands in each cell, in one or two letters."""
    for block in tower.blocks:
        if isinstance(block, Placement):
            length = "X" if block.length == 10 else str(block.length)
            mark = {"x": "-", "y": ":", "z": "|"}[block.axis]
            yield from ((cell, length + mark) for cell in block.cells)
    for pawn in tower.pawns:
        feet, head = pawn.cells
        yield feet, pawn.colour[0].upper()
        yield head, "*"
