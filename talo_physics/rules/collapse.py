"""The `collapse.*` rules: how far a fall went, whether it is rebuilt, who has lost, who has won."""

from __future__ import annotations

from dataclasses import dataclass

from talo_physics.rules.situation import Situation
from talo_physics.tower.finding import Finding, Verdict
from talo_physics.tower.tower import Tower


@dataclass(frozen=True)
class Collapse:
    """The adjudication of a fall."""

    extent: str
    """`proposal`: only what was being placed fell; `partial`; `total`: no block is left where it was."""
    loser: str | None
    winner: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def ends(self) -> bool:
        """Whether the game is over."""
        return "collapse.rebuilt" not in self.rules


def adjudicate(situation: Situation, finding: Finding, stood: Tower, rebuilt: bool | None = None) -> Collapse | None:
    """What follows from the fall; None where nothing falls. `stood` is the tower before the turn.

    Whether it is rebuilt as it was is the players' word, or else what `options.rebuild` says. The loser of one that
    is not is the player whose turn it is.
    """
    if finding.verdict not in (Verdict.TOPPLES, Verdict.PAWN_TOPPLES):
        return None
    extent = _extent(finding, stood)
    if situation.variant == "fantasy":
        return Collapse(extent, None, (), ("fantasy.ends",))
    if rebuilt is None:
        rebuilt = situation.options.rebuilds(displaced(finding, stood))
    if rebuilt:
        return Collapse(extent, None, (), ("collapse.rebuilt",))
    if situation.edition == "classic":
        return Collapse(extent, situation.turn, (), ("collapse.ends",))
    return Collapse(extent, situation.turn, _winner(situation), ("collapse.ends", "collapse.winner"))


def displaced(finding: Finding, stood: Tower) -> int:
    """How many blocks and pawns fell that had stood before the turn."""
    return len(set(finding.fallen) & set(stood.blocks)) + len(finding.fallen_pawns)


def _extent(finding: Finding, stood: Tower) -> str:
    if finding.fallen and not displaced(finding, stood):
        return "proposal"
    return "total" if set(stood.blocks) <= set(finding.fallen) else "partial"


def _winner(situation: Situation) -> tuple[str, ...]:
    """The colours of the highest pawns before the collapse, the loser's left out.

    Nobody where it is not known whose turn it was: the highest may be the one who has lost.
    """
    if situation.turn is None:
        return ()
    others = [pawn for pawn in situation.tower.pawns if pawn.colour != situation.turn]
    top = max((pawn.z for pawn in others), default=0)
    highest = sorted(pawn.colour for pawn in others if pawn.z == top)
    if situation.options.highest_tie == "first_in_turn_order" and situation.players:
        highest = sorted(highest, key=situation.players.index)[:1]
    return tuple(highest)
