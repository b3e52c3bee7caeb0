"""Random towers grown as in a game: block by block from the stock, dropped onto what is there."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from talo_physics.geometry.profile import Profile, shipped_profile
from talo_physics.physics.bodies import bodies_of
from talo_physics.physics.statics import Statics
from talo_physics.rules.take import STOCK
from talo_physics.tower.placement import Placement
from talo_physics.tower.tower import Tower

TRIES_A_BLOCK = 60
EDGE_TRIES = 200


def random_tower(seed: int, number: int) -> Tower:
    """The `number`-th tower of a seed, of 2 to 55 blocks: most stand, some were built daringly, and the last block
    of every third lies with its middle right over an edge."""
    rng = random.Random(f"{seed}/{number}")
    size = rng.randint(2, 55)
    tower = grown(rng, size, daring=rng.choice([0.0, 0.0, 0.0, 0.02, 0.1]))
    return at_the_edge(rng, tower) if number % 3 == 0 else tower


def grown(rng: random.Random, size: int, daring: float = 0.0) -> Tower:
    """A tower of up to `size` blocks. Each block stands on its supports by statics, but for a share of `daring`."""
    tower, tries = Tower(), 0
    profile = shipped_profile("nominal")
    while len(tower.blocks) < size and tries < TRIES_A_BLOCK * size:
        tries += 1
        block = _dropped(rng, tower)
        if block is None:
            continue
        after = tower.plus([block])
        if rng.random() < daring or (_overhang(after, block) < 0 and _stands(after, profile)):
            tower = after
    return tower


def at_the_edge(rng: random.Random, tower: Tower) -> Tower:
    """The tower with one more block whose middle lies right over the edge of its outermost support."""
    return _with_one_more(rng, tower, lambda overhang: overhang == 0)


def off_balance(rng: random.Random, tower: Tower) -> Tower:
    """The tower with one more block whose middle lies beyond its outermost support by half a unit or more."""
    return _with_one_more(rng, tower, lambda overhang: overhang >= 0.5)


def _with_one_more(rng: random.Random, tower: Tower, wanted: Callable[[float], bool]) -> Tower:
    """The tower with one more block of the wanted overhang; as it is where none was found."""
    for _ in range(EDGE_TRIES):
        block = _dropped(rng, tower)
        if block is not None and wanted(_overhang(tower.plus([block]), block)):
            return tower.plus([block])
    return tower


def _stands(tower: Tower, profile: Profile) -> bool:
    return Statics(bodies_of(profile, tower.blocks)).stands_on_supports()


def _overhang(tower: Tower, block: Placement) -> float:
    """How far its middle lies beyond its outermost support, in units; negative inside."""
    if block.z == 0 or block.stands:
        return -0.5
    carried = [i for i, (x, y, z) in enumerate(block.cells) if (x, y, z - 1) in tower.occupancy]
    middle = block.length / 2
    return max(carried[0] - middle, middle - carried[-1] - 1)


def _dropped(rng: random.Random, tower: Tower) -> Placement | None:
    """A random block of the stock on top of what is under it; None where the rules forbid it there."""
    left = Counter(STOCK) - Counter(block.length for block in tower.blocks)
    if not left:
        return None
    length = rng.choice(sorted(left.elements()))
    axis = rng.choice("xyz")
    x, y = rng.randrange(2, 8), rng.randrange(2, 8)
    back = rng.randrange(length)
    x, y = (x - back, y) if axis == "x" else (x, y - back) if axis == "y" else (x, y)
    fields = set(Placement(length, axis, x, y, 0).footprint)
    z = max((top + 1 for fx, fy, top in tower.occupancy if (fx, fy) in fields), default=0)
    block = Placement(length, axis, x, y, z)
    off_board = z == 0 and any(not (0 <= fx < 10 and 0 <= fy < 10) for fx, fy in fields)
    return None if off_board or block.top > 10 else block
