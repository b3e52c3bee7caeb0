"""What a player does in a turn: blocks placed at the same time, a pawn's move, a new start, an unlucky bump."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from talo_physics.errors import TextFormError
from talo_physics.tower.pawn import COLOURS, Pawn
from talo_physics.tower.placement import Block, parse_block, shown

MOST_AT_ONCE = 60
"""Blocks in one step; more than the 55 there are is a slip of the pen."""
HARDEST_BUMP_NS = 10.0
"""A hammer blow; a finger gives hundredths."""


@dataclass(frozen=True)
class Together:
    """One block, or several placed at the same time: `4x@2,4,1 + 1z@2,4,2`."""

    blocks: tuple[Block, ...]

    @classmethod
    def parse(cls, text: str) -> Together:
        """Read the text form.

        Raises:
            TextFormError: it is not one.
        """
        parts = text.split("+")
        if len(parts) > MOST_AT_ONCE:
            raise TextFormError(f"{shown(text)}: {len(parts)} blocks at once; there are 55 in all")
        return cls(tuple(parse_block(part.strip()) for part in parts))

    def __str__(self) -> str:
        return " + ".join(str(block) for block in self.blocks)


@dataclass(frozen=True)
class PawnMove:
    """A pawn goes from where it stands to another surface: `red@3,4,1 -> red@5,4,2`."""

    start: Pawn
    end: Pawn

    @classmethod
    def parse(cls, text: str) -> PawnMove:
        """Read the text form.

        Raises:
            TextFormError: it is not one.
        """
        parts = text.split("->")
        if len(parts) != 2:
            raise TextFormError(f"{shown(text)}: a move such as red@3,4,1 -> red@5,4,2 was expected")
        start, end = (Pawn.parse(part.strip()) for part in parts)
        if start.colour != end.colour:
            raise TextFormError(f"{shown(text)}: a pawn keeps its colour, {start.colour} is not {end.colour}")
        return cls(start, end)

    def __str__(self) -> str:
        return f"{self.start} -> {self.end}"


@dataclass(frozen=True)
class Restart:
    """A pawn that is blocked for good starts again on the board: `red@0,0,0`, the place where it is put."""

    pawn: Pawn

    @classmethod
    def parse(cls, text: str) -> Restart:
        """Read the text form.

        Raises:
            TextFormError: it is not one.
        """
        return cls(Pawn.parse(text))

    def __str__(self) -> str:
        return str(self.pawn)


@dataclass(frozen=True)
class Bump:
    """A block is knocked by accident: `bump 4x@2,4,1 by 0.02,0,0`, an impulse in N s along x, y and z."""

    block: Block
    impulse_ns: tuple[float, float, float]

    @classmethod
    def parse(cls, text: str) -> Bump:
        """Read the text form.

        Raises:
            TextFormError: it is not one.
        """
        block, by, numbers = text.strip().removeprefix("bump").partition(" by ")
        try:
            x, y, z = (float(part) + 0.0 for part in numbers.split(","))  # + 0.0 turns -0 into 0
        except ValueError:
            by = ""
        if not by or not text.strip().startswith("bump "):
            raise TextFormError(f"{shown(text)}: a bump such as 'bump 4x@2,4,1 by 0.02,0,0' was expected")
        if not math.hypot(x, y, z) <= HARDEST_BUMP_NS:
            raise TextFormError(f"{shown(text)}: an impulse goes up to {HARDEST_BUMP_NS:g} N s")
        return cls(parse_block(block.strip()), (x, y, z))

    def __str__(self) -> str:
        return f"bump {self.block} by " + ",".join(repr(part).removesuffix(".0") for part in self.impulse_ns)


Step = Together | PawnMove | Restart | Bump


def parse_step(text: str) -> Step:
    """Read one step, whichever `text` is."""
    if "->" in text:
        return PawnMove.parse(text)
    if text.strip().startswith("bump"):
        return Bump.parse(text)
    if text.strip().startswith(COLOURS):
        return Restart.parse(text)
    return Together.parse(text)


@dataclass(frozen=True)
class Proposal:
    """The steps of one turn, in their order; mostly just one.

    >>> from talo_physics import Proposal
    >>> both = Proposal.parse("4x@2,4,1 + 1z@2,4,2")
    >>> len(both.steps), [str(block) for block in both.blocks]
    (1, ['4x@2,4,1', '1z@2,4,2'])
    >>> str(Proposal.parse(["4x@3,2,0", "red@2,2,0 -> red@3,2,1"]))
    '4x@3,2,0, then red@2,2,0 -> red@3,2,1'
    """

    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, text: str | Iterable[str]) -> Proposal:
        """Read one step, or a list of steps."""
        texts = [text] if isinstance(text, str) else list(text)
        return cls(tuple(parse_step(step) for step in texts))

    def __str__(self) -> str:
        return ", then ".join(str(step) for step in self.steps)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of all its steps."""
        return tuple(block for step in self.steps if isinstance(step, Together) for block in step.blocks)
