"""Talo in numbers for learning programs: what they see as arrays, and what they may do as whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from talo_physics.game.state import State
from talo_physics.game.stepwise import Begun
from talo_physics.geometry.board import LAND, NO_START, SIZE, START, WATER
from talo_physics.rules.setup import MOST_PLAYERS
from talo_physics.rules.take import HIGHEST_THROW, MOST_BLOCKS, Take
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.placement import Placement
from talo_physics.tower.proposal import PawnMove, Restart

PAD = 5
"""How far beyond the board's edge blocks may reach here; the rulebook knows no limit."""
SPAN = SIZE + 2 * PAD
LEVELS = 10
NOWHERE = -PAD - 1
"""Each coordinate of a pawn that does not play."""
AXES = "xyz"
GROUND = {None: 0, LAND: 1, START: 2, NO_START: 3, WATER: 4}

SHORTEST = HIGHEST_THROW // 2 + 1
"""A take goes by its shorter block: 0 (one block alone) to 5."""
PLACES = (MOST_BLOCKS, len(AXES), LEVELS, SPAN, SPAN)
SURFACES = (LEVELS + 1, SPAN, SPAN)
TAKE, TAKE_TOGETHER = 0, SHORTEST
PLACE = 2 * SHORTEST
MOVE = PLACE + int(np.prod(PLACES))
END = MOVE + int(np.prod(SURFACES))
ACTIONS = END + 1

Array = NDArray[np.int8]
Choice = tuple[Take, bool] | Placement | PawnMove | Restart | None
"""What an action stands for: a take, a placement, a move; None ends the turn."""

BOUNDS: dict[str, tuple[tuple[int, ...], int, int]] = {
    "lengths": ((LEVELS, SPAN, SPAN), 0, 10),
    "axes": ((LEVELS, SPAN, SPAN), 0, 3),
    "ground": ((SPAN, SPAN), 0, 4),
    "pawns": ((MOST_PLAYERS, 3), NOWHERE, SPAN),
    "stock": ((10,), 0, 10),
    "throw": ((1,), 0, HIGHEST_THROW),
    "left": ((MOST_BLOCKS,), 0, 10),
    "held": ((5,), -PAD, SPAN),
}
"""What is seen: shape, least and greatest number of each array. Cells go by z, y, x from the window's corner on."""


def choices(turn: Begun) -> dict[int, Choice]:
    """Every action that the mask allows, and what it stands for."""
    found: dict[int, Choice] = {}
    for take, together in turn.takes:
        short = take[1] if len(take) > 1 else 0
        found[(TAKE_TOGETHER if together else TAKE) + short] = take, together
    for slot, length in enumerate(dict.fromkeys(turn.left)):
        for block in turn.places(length):
            if all(_inside(x, y) for x, y in block.footprint):
                cell = (slot, AXES.index(block.axis), block.z, block.y + PAD, block.x + PAD)
                found[PLACE + int(np.ravel_multi_index(cell, PLACES))] = block
    for move in turn.moves:
        end = move.end if isinstance(move, PawnMove) else move.pawn
        if _inside(end.x, end.y) and end.z <= LEVELS:
            found[MOVE + int(np.ravel_multi_index((end.z, end.y + PAD, end.x + PAD), SURFACES))] = move
    if turn.is_complete or not found:  # who has nothing left to do cannot but end it
        found[END] = None
    return found


def _inside(x: int, y: int) -> bool:
    return -PAD <= x < SIZE + PAD and -PAD <= y < SIZE + PAD


def mask_of(allowed: dict[int, Choice]) -> Array:
    """(ACTIONS,), 1 where an action is allowed."""
    mask = np.zeros(ACTIONS, np.int8)
    mask[list(allowed)] = 1
    return mask


def seen(state: State, turn: Begun | None, colour: str) -> dict[str, Array]:
    """What the player of a colour sees, as `BOUNDS` lays it out; the own pawn first, the others in turn order."""
    tower = turn.tower if turn else state.tower
    arrays = {name: np.zeros(shape, np.int8) for name, (shape, _, _) in BOUNDS.items()}
    for (x, y, z), index in tower.occupancy.items():
        block: Any = tower.blocks[index]
        arrays["lengths"][z, y + PAD, x + PAD] = block.length
        arrays["axes"][z, y + PAD, x + PAD] = AXES.index(block.axis) + 1
    for y in range(SPAN):
        for x in range(SPAN):
            arrays["ground"][y, x] = GROUND[state.setting.board.field(x - PAD, y - PAD)]
    players = state.setting.players
    first = players.index(colour)
    arrays["pawns"][:] = NOWHERE
    for row, other in enumerate((*players[first:], *players[:first])):
        arrays["pawns"][row] = _place(next(pawn for pawn in tower.pawns if pawn.colour == other))
    arrays["stock"][:] = [state.stock[length] for length in range(1, 11)]
    if turn:
        arrays["throw"][0] = turn.throws[-1]
        arrays["left"][: len(turn.left)] = turn.left
        if turn.held:
            held = turn.held
            arrays["held"][:] = (held.length, AXES.index(held.axis) + 1, held.x, held.y, held.z)
    return arrays


def _place(pawn: Pawn) -> tuple[int, int, int]:
    return pawn.x, pawn.y, pawn.z
