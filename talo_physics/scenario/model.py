"""A scenario as a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from talo_physics.errors import TaloError
from talo_physics.geometry.board import Board, load_board, shipped_board
from talo_physics.geometry.profile import Profile, load_profile, shipped_profile
from talo_physics.rules.situation import Edition, Situation, Variant
from talo_physics.tower.proposal import Proposal
from talo_physics.tower.tower import Tower

_KINDS: dict[str, type] = {"tower": Tower, "proposal": Proposal, "board": Board, "profile": Profile}


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

    >>> from talo_physics import Proposal, Scenario, Tower, load_profile
    >>> scene = Scenario.parse("1z@3,4,0", propose="3x@2,4,1", pawns="red@7,7,0", board="island")
    >>> scene.board, scene.profile, str(scene.proposal)
    (Board('island'), Profile('nominal'), '3x@2,4,1')

    From values, with a profile of one's own:

    >>> slippery = load_profile("nominal").changed({"friction": 0.2})
    >>> Scenario(Tower.parse("1z@3,4,0"), Proposal.parse("3x@2,4,1"), profile=slippery).profile.friction.value
    0.2
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

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            value = getattr(self, name)
            if not isinstance(value, kind) and not (name == "proposal" and value is None):
                raise TaloError(
                    f"{name}: a {kind.__name__} was expected, not {type(value).__name__}; "
                    "Scenario.parse takes texts and names"
                )

    @classmethod
    def parse(
        cls,
        tower: str | Iterable[str] = (),
        propose: str | Iterable[str] | None = None,
        pawns: str | Iterable[str] = (),
        board: str = "green",
        profile: str = "nominal",
        **more: Any,
    ) -> Scenario:
        """A scenario from text forms, and from the names or paths of a board and a profile; `more` are its fields.

        Raises:
            TaloError: what is wrong with one of them.
        """
        proposal = None if propose is None else Proposal.parse(propose)
        return cls(Tower.parse(tower, pawns), proposal, board=load_board(board), profile=load_profile(profile), **more)

    @property
    def situation(self) -> Situation:
        """What the rules look at before anything is placed."""
        return Situation(self.tower, (), self.board, self.edition, self.variant, turn=self.turn)
