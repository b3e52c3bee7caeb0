"""The `build.*` rules: where a block may be put. One function a rule, named like it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from talo_physics.rules.situation import Breach, Situation
from talo_physics.tower.placement import Block, FreePose, Placement
from talo_physics.tower.space import box_of, fitting, rests, sinks

TOP_LEVEL = 10
_EXACT = 1e-6
_SAMPLE_UNITS = 0.1


def build_grid(situation: Situation) -> Iterator[Breach]:
    """Every block exactly on the grid."""
    for block in situation.blocks:
        if isinstance(block, FreePose):
            yield Breach("build.grid", f"{block} is not on the grid")


def build_diagonal(situation: Situation) -> Iterator[Breach]:
    """Never diagonally."""
    for block in situation.blocks:
        if isinstance(block, FreePose) and not _square_to_grid(block):
            yield Breach("build.diagonal", f"{block} is turned against the grid")


def build_edge(situation: Situation) -> Iterator[Breach]:
    """A block directly on the board stays inside the grid."""
    for block in _in_layer_0(situation):
        if any(not situation.board.inside(x, y) for x, y in _fields(block)):
            yield Breach("build.edge", f"{block} sticks out beyond the board in layer 0")


def build_height(situation: Situation) -> Iterator[Breach]:
    """Nothing above level 10."""
    for block in situation.blocks:
        top = block.top if isinstance(block, Placement) else box_of(block).corners[:, 2].max()
        if top > TOP_LEVEL + _EXACT:
            yield Breach("build.height", f"{block} reaches level {top:g}, above level {TOP_LEVEL}")


def build_water(situation: Situation) -> Iterator[Breach]:
    """In layer 0 only on island fields."""
    for block in _in_layer_0(situation):
        wet = sorted(field for field in _fields(block) if situation.board.is_water(*field))
        if wet:
            where = " ".join(f"{x},{y}" for x, y in wet)
            yield Breach("build.water", f"{block} lies on water: {where}")


def build_space(situation: Situation) -> Iterator[Breach]:
    """No two blocks, nor a block and a pawn, in the same space."""
    for block, clash in fitting(situation.tower, situation.blocks):
        if clash:
            yield Breach("build.space", f"{block} is in the space of {', '.join(str(other) for other in clash)}")
        if sinks(block):
            yield Breach("build.space", f"{block} is in the space of the board")


def build_support(situation: Situation) -> Iterator[Breach]:
    """A block rests on the board or on a block."""
    around = situation.tower.plus(situation.blocks)
    for block in situation.blocks:
        if not rests(around, block):
            yield Breach("build.support", f"{block} rests on nothing")


Rule = Callable[[Situation], Iterator[Breach]]
STANDARD: tuple[Rule, ...] = (
    build_grid,
    build_diagonal,
    build_edge,
    build_height,
    build_water,
    build_space,
    build_support,
)
FANTASY: tuple[Rule, ...] = (build_space,)
"""No grid, no edge, no height; two things in one space stay impossible."""


def build_breaches(situation: Situation) -> list[Breach]:
    """Every breach of every `build.*` rule. `build.overhang` is a permission: nothing breaks it."""
    rules = FANTASY if situation.variant == "fantasy" else STANDARD
    return [breach for rule in rules for breach in rule(situation)]


def _square_to_grid(pose: FreePose) -> bool:
    """Whether the block's axes are those of the grid."""
    return bool(np.allclose(np.abs(box_of(pose).axes).max(axis=0), 1.0, atol=_EXACT))


def _in_layer_0(situation: Situation) -> Iterator[Block]:
    """The blocks directly on the board."""
    for block in situation.blocks:
        bottom = block.z if isinstance(block, Placement) else box_of(block).corners[:, 2].min()
        if bottom < 1.0 - _EXACT:
            yield block


def _fields(block: Block) -> set[tuple[int, int]]:
    """The fields that a block in layer 0 covers; of a free pose, by points on its length and width."""
    if isinstance(block, Placement):
        return set(block.footprint)
    box = box_of(block)
    along = [np.arange(-h + _EXACT, h, _SAMPLE_UNITS) for h in box.half]
    grid = np.stack(np.meshgrid(*along), axis=-1).reshape(-1, 3)
    points = np.vstack([box.centre + grid @ box.axes.T, box.centre + 0.999999 * (box.corners - box.centre)])
    low = points[points[:, 2] < 1.0]
    return {(int(x), int(y)) for x, y in np.unique(np.floor(low[:, :2]).astype(int), axis=0)}
