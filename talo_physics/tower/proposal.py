"""What a player proposes: blocks placed at the same time, a pawn's move, or a list of such steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from talo_physics.errors import TextFormError
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.placement import Block, parse_block, shown

MOST_AT_ONCE = 60
"""Blocks in one step; more than the 55 there are is a slip of the pen."""


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


Step = Together | PawnMove


def parse_step(text: str) -> Step:
    """Read one step, whichever `text` is."""
    return PawnMove.parse(text) if "->" in text else Together.parse(text)


@dataclass(frozen=True)
class Proposal:
    """The steps of one turn, in their order; mostly just one."""

    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, text: str | Iterable[str]) -> Proposal:
        """Read one step, or a list of steps."""
        texts = [text] if isinstance(text, str) else list(text)
        return cls(tuple(parse_step(step) for step in texts))

    def __str__(self) -> str:
        return ", then ".join(str(step) for step in self.steps)
