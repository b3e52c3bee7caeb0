"""A scenario as a value."""

from __future__ import annotations

from dataclasses import dataclass, field

from talo_physics.geometry.board import Board, shipped_board
from talo_physics.geometry.profile import Profile, shipped_profile
from talo_physics.rules.situation import Edition, Situation, Variant
from talo_physics.tower.proposal import Proposal
from talo_physics.tower.tower import Tower


@dataclass(frozen=True)
class Expectation:
    """What a scenario says will come out; None where it says nothing."""

    verdict: str | None = None
    marginal: bool | None = None
    legal: bool | None = None
    violations: frozenset[str] | None = None
    fallen: frozenset[str] | None = None
    counterweights: frozenset[str] | None = None


@dataclass(frozen=True)
class Scenario:
    """A tower, what is proposed on it, and under which rules.

    >>> from talo_physics import Proposal, Scenario, Tower, load_board, load_profile
    >>> tower = Tower.parse(["1z@3,4,0"], ["red@7,7,0"])
    >>> slippery = load_profile("nominal").changed({"friction": 0.2})
    >>> scene = Scenario(tower, Proposal.parse("3x@2,4,1"), board=load_board("island"), profile=slippery)
    >>> scene.edition, scene.board.name, scene.profile.friction.value
    ('island', 'island', 0.2)
    """

    tower: Tower
    proposal: Proposal | None = None
    title: str = ""
    source: str = ""
    board: Board = field(default_factory=lambda: shipped_board("green"))
    profile: Profile = field(default_factory=lambda: shipped_profile("nominal"))
    edition: Edition = "island"
    variant: Variant = "standard"
    rules: tuple[str, ...] = ()
    figure: int | None = None
    turn: str | None = None
    expect: Expectation | None = None

    @property
    def situation(self) -> Situation:
        """What the rules look at before anything is placed."""
        return Situation(self.tower, (), self.board, self.edition, self.variant, turn=self.turn)
