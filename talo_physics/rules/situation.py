"""What a rule looks at, and what it says when it is broken."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from talo_physics.geometry.board import Board
from talo_physics.rules.options import Options
from talo_physics.tower.placement import Block
from talo_physics.tower.space import fitting, sinks
from talo_physics.tower.tower import Tower

Edition = Literal["island", "classic"]
Variant = Literal["standard", "fantasy"]


@dataclass(frozen=True)
class Breach:
    """A rule that is broken, and how, in the user's words."""

    rule: str
    message: str


@dataclass(frozen=True)
class Situation:
    """A tower, the blocks about to be placed on it at the same time, and under which rules."""

    tower: Tower
    blocks: tuple[Block, ...]
    board: Board
    edition: Edition = "island"
    variant: Variant = "standard"
    options: Options = field(default_factory=Options)
    turn: str | None = None
    """The colour whose turn it is, where that is known."""
    players: tuple[str, ...] = ()
    """The colours in the order of their turns, where that is known."""

    @cached_property
    def _fitting(self) -> tuple[tuple[Block, bool], ...]:
        return tuple((block, not found and not sinks(block)) for block, found in fitting(self.tower, self.blocks))

    @property
    def fit(self) -> tuple[Block, ...]:
        """The blocks that are in nobody's space: what can be simulated."""
        return tuple(block for block, fits in self._fitting if fits)

    @property
    def left_out(self) -> tuple[Block, ...]:
        """The blocks that cannot be simulated: their space is taken."""
        return tuple(block for block, fits in self._fitting if not fits)

    @cached_property
    def after(self) -> Tower:
        """The tower with all blocks that fit."""
        return self.tower.plus(self.fit)
