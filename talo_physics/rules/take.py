"""The `take.*` rules as far as a tower and a proposal show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from talo_physics.rules.situation import Breach, Situation

STOCK = {length: 11 - length for length in range(1, 11)}
"""How many blocks of each length there are: ten 1s down to one 10, 55 in all."""
HIGHEST_THROW = 10


def take_stock(situation: Situation) -> Iterator[Breach]:
    """Only as many blocks of a length as there are."""
    used = Counter(block.length for block in (*situation.tower.blocks, *situation.blocks))
    for length in sorted(used):
        if used[length] > STOCK[length]:
            yield Breach("take.stock", f"{used[length]} blocks of length {length}; there are {STOCK[length]}")


def take_sum(situation: Situation) -> Iterator[Breach]:
    """At most two blocks a turn, and together no more than a die can show."""
    lengths = [block.length for block in situation.blocks]
    if len(lengths) > 2:
        yield Breach("take.sum", f"{len(lengths)} blocks in one step; a throw gives two at most")
    elif sum(lengths) > HIGHEST_THROW:
        shown = " + ".join(str(length) for length in lengths)
        yield Breach("take.sum", f"{shown} is {sum(lengths)}; the die goes up to {HIGHEST_THROW}")


def take_breaches(situation: Situation) -> list[Breach]:
    """Every breach of the `take.*` rules that can be seen here."""
    return [*take_stock(situation), *take_sum(situation)]
