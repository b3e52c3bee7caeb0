"""Random towers grown as in a game: block by block from the stock, dropped onto what is there."""

from __future__ import annotations

import random
from collections import Counter

from talo_physics.geometry.profile import shipped_profile
from talo_physics.physics.bodies import bodies_of
from talo_physics.physics.statics import Statics
from talo_physics.rules.take import STOCK
from talo_physics.tower.placement import Placement
from talo_physics.tower.tower import Tower


def grown(rng: random.Random, size: int, daring: float = 0.0) -> Tower:
    """A tower of up to `size` blocks. Each block stands on its supports by statics, but for a share of `daring`."""
    tower, tries = Tower(), 0
    while len(tower.blocks) < size and tries < 60 * size:
        tries += 1
        block = _dropped(rng, tower)
        if block is None:
            continue
        after = tower.plus([block])
        if rng.random() < daring or (_over_its_supports(after, block) and stands_by_statics(after)):
            tower = after
    return tower


def stands_by_statics(tower: Tower) -> bool:
    return Statics(bodies_of(shipped_profile("nominal"), tower.blocks)).stands_on_supports()


def _over_its_supports(tower: Tower, block: Placement) -> bool:
    """Whether its middle lies between its outermost supports: without that the linear program need not be asked."""
    if block.z == 0 or block.stands:
        return True
    carried = [i for i, (x, y, z) in enumerate(block.cells) if (x, y, z - 1) in tower.occupancy]
    return carried[0] < block.length / 2 < carried[-1] + 1


def _dropped(rng: random.Random, tower: Tower) -> Placement | None:
    left = Counter(STOCK) - Counter(block.length for block in tower.blocks)
    length = rng.choice(sorted(left.elements()))
    axis = rng.choice("xyz")
    x, y = rng.randrange(2, 8), rng.randrange(2, 8)
    back = rng.randrange(length)
    x, y = (x - back, y) if axis == "x" else (x, y - back) if axis == "y" else (x, y)
    fields = Placement(length, axis, x, y, 0).footprint
    z = max((top for top in (_height(tower, field) for field in fields)), default=0)
    block = Placement(length, axis, x, y, z)
    off_board = z == 0 and any(not (0 <= fx < 10 and 0 <= fy < 10) for fx, fy in fields)
    return None if off_board or block.top > 10 else block


def _height(tower: Tower, field: tuple[int, int]) -> int:
    return max((z + 1 for x, y, z in tower.occupancy if (x, y) == field), default=0)
