"""The `take.*` rules: which blocks a throw gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from talo_physics.rules.situation import Breach, Situation
from talo_physics.tower.tower import Tower

STOCK = {length: 11 - length for length in range(1, 11)}
"""How many blocks of each length there are: ten 1s down to one 10, 55 in all."""
HIGHEST_THROW = 10
MOST_BLOCKS = 2
MOST_THROWS = 3

Take = tuple[int, ...]
"""The lengths of the blocks taken for a throw, the longer one first."""


def stock_left(tower: Tower) -> Counter[int]:
    """How many blocks of each length are not built yet."""
    return Counter(STOCK) - Counter(block.length for block in tower.blocks)


def combinations(throw: int, stock: Counter[int]) -> list[Take]:
    """What may be taken for a throw: one block of that length, or two that add up to it.

    >>> combinations(5, Counter({5: 1, 4: 2, 1: 1, 3: 1}))
    [(5,), (4, 1)]
    """
    if not 1 <= throw <= HIGHEST_THROW:
        return []
    takes: list[Take] = [(throw,), *((throw - short, short) for short in range(1, throw // 2 + 1))]
    return [take for take in takes if not Counter(take) - stock]


def take_stock(situation: Situation) -> Iterator[Breach]:
    """Only as many blocks of a length as there are."""
    used = Counter(block.length for block in (*situation.tower.blocks, *situation.blocks))
    for length in sorted(used):
        if used[length] > STOCK[length]:
            yield Breach("take.stock", f"{used[length]} blocks of length {length}; there are {STOCK[length]}")


def take_sum(lengths: Sequence[int]) -> Iterator[Breach]:
    """At most two blocks a turn, and together no more than a die can show."""
    if len(lengths) > MOST_BLOCKS:
        yield Breach("take.sum", f"{len(lengths)} blocks in one turn; a throw gives {MOST_BLOCKS} at most")
    elif sum(lengths) > HIGHEST_THROW:
        yield Breach("take.sum", f"{_sum(lengths)} is {sum(lengths)}; the die goes up to {HIGHEST_THROW}")


def take_matches(throw: int, taken: Sequence[int]) -> Iterator[Breach]:
    """What is taken is exactly what the die shows; also `take.sum`."""
    yield from take_sum(taken)
    if sum(taken) != throw and sum(taken) <= HIGHEST_THROW:
        yield Breach("take.sum", f"{_sum(taken)} is {sum(taken)}; the throw was {throw}")


def _sum(lengths: Sequence[int]) -> str:
    return " + ".join(str(length) for length in lengths)
