"""What the rulebook says of a proposal, and all that it asks of physics for that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from talo_physics.rules.catalogue import in_order
from talo_physics.rules.collapse import Collapse
from talo_physics.rules.situation import Breach, Situation
from talo_physics.tower.finding import Finding, Verdict, Wishes
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.placement import Block
from talo_physics.tower.proposal import Bump
from talo_physics.tower.tower import Tower


class Physics(Protocol):
    """All that rules ask of physics."""

    def examine(self, tower: Tower, placed: tuple[Block | Pawn, ...], wishes: Wishes) -> Finding:
        """What happens when these are placed at the same time; without any, what the tower itself does.

        A pawn is placed by going there from where it stands.
        """

    def vouches(self, tower: Tower, placed: tuple[Block | Pawn, ...]) -> bool:
        """Whether it is certain without any simulation that it stands when these are placed; no is no verdict."""

    def bears(self, tower: Tower) -> bool:
        """Whether a tower stands with its pawns where they are; by statics alone where that is clear."""

    def risk(self, tower: Tower, placed: tuple[Block, ...]) -> float:
        """The probability that a human hand brings something down in placing these."""

    def bump(self, tower: Tower, bump: Bump, wishes: Wishes) -> Finding:
        """What happens when a block of the tower is knocked."""


@dataclass(frozen=True)
class Ruling:
    """What the rulebook says of a proposal, with the finding it rests on."""

    finding: Finding
    situation: Situation
    """What was judged last: the tower, and the blocks placed on it."""
    breaches: tuple[Breach, ...] = ()
    collapse: Collapse | None = None
    warnings: tuple[str, ...] = ()
    after: Tower = field(default_factory=Tower)
    """The tower after all that was done; where something fell, as it was before that step."""
    later: tuple[Breach, ...] = ()
    """Those of the breaches that concern steps behind the one that fell."""
    winner: str | None = None
    """Whose pawn came to stand on level 10."""

    @property
    def violations(self) -> tuple[str, ...]:
        """The ids of all rules that are broken, in the order of the rulebook."""
        return in_order({breach.rule for breach in self.breaches})

    @property
    def legal(self) -> bool:
        """Whether no rule at all is broken."""
        return not self.breaches

    @property
    def fell(self) -> bool:
        """Whether something fell."""
        return self.finding.verdict in (Verdict.TOPPLES, Verdict.PAWN_TOPPLES)
