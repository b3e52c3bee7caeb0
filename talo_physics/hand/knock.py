"""How hard can one knock against a block before something comes down, and what comes down then?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from talo_physics.physics.bumping import bumped
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Finding, Verdict
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.placement import Block
from talo_physics.tower.proposal import HARDEST_BUMP_NS, Bump

DIRECTIONS = {"right": (1.0, 0.0), "back": (0.0, 1.0), "left": (-1.0, 0.0), "front": (0.0, -1.0)}
LIGHTEST_NS = 1e-4
"""A breath."""
PRECISION = 1.1
"""The search ends once the knock that fells is no more than so many times one that does not."""


@dataclass(frozen=True)
class Knock:
    """The lightest knock found that brings something down."""

    block: Block
    towards: str
    impulse_ns: float | None
    """None where not even the hardest does."""
    fallen: tuple[Block | Pawn, ...] = ()


def knocks(scenario: Scenario, blocks: tuple[Block, ...]) -> Iterator[Knock]:
    """For each block and each of the four directions the lightest knock that brings something down."""
    for block in blocks:
        for towards in DIRECTIONS:
            yield _lightest(scenario, block, towards)


def _lightest(scenario: Scenario, block: Block, towards: str) -> Knock:
    """Ever harder by tens, then between what holds and what does not by halves of their ratio."""
    low, high, fell = LIGHTEST_NS, LIGHTEST_NS, _after(scenario, block, towards, LIGHTEST_NS)
    while fell.verdict is Verdict.STANDS:
        if high >= HARDEST_BUMP_NS:
            return Knock(block, towards, None)
        low, high = high, min(10 * high, HARDEST_BUMP_NS)
        fell = _after(scenario, block, towards, high)
    while high / low > PRECISION:
        middle = (low * high) ** 0.5
        found = _after(scenario, block, towards, middle)
        if found.verdict is Verdict.STANDS:
            low = middle
        else:
            high, fell = middle, found
    return Knock(block, towards, float(f"{high:.3g}"), (*fell.fallen, *fell.fallen_pawns))


def _after(scenario: Scenario, block: Block, towards: str, impulse_ns: float) -> Finding:
    x, y = DIRECTIONS[towards]
    bump = Bump(block, (x * impulse_ns, y * impulse_ns, 0.0))
    return bumped(scenario.tower, bump, scenario.profile)
