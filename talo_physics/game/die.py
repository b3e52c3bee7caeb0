"""The ten-sided die. What it shows in a turn follows from the seed and the turn's number alone.

So a game that is taken up again, or whose last turn is taken back, throws the same: nobody throws until they like it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from talo_physics.rules.take import HIGHEST_THROW


@dataclass(frozen=True)
class Die:
    """A seeded die.

    >>> from itertools import islice
    >>> list(islice(Die(1).throws(1), 3)) == list(islice(Die(1).throws(1), 3))
    True
    """

    seed: int

    def throws(self, number: int) -> Iterator[int]:
        """What it shows in the turn of this number, throw by throw."""
        rng = random.Random(f"die/{self.seed}/{number}")
        while True:
            yield rng.randint(1, HIGHEST_THROW)
