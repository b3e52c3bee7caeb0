"""What a collapse means: how far it went, who has lost, who has won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from talo_physics.rules.situation import Situation
from talo_physics.tower.finding import Finding, Verdict
from talo_physics.tower.pawn import Pawn


@dataclass(frozen=True)
class Collapse:
    """The adjudication of a fall."""

    extent: str
    """`proposal`: only what was being placed fell; `partial`; `total`: no block is left where it was."""
    loser: str | None
    winner: tuple[str, ...]
    rules: tuple[str, ...]


def adjudicate(situation: Situation, finding: Finding, turn: str | None) -> Collapse | None:
    """What follows from the fall; None where nothing falls.

    Where only the proposal fell, the tower still is as it was: it counts as rebuilt. Everything else is taken
    not to be rebuildable: the loser is the player whose turn it is.
    """
    if finding.verdict not in (Verdict.TOPPLES, Verdict.PAWN_TOPPLES):
        return None
    extent = _extent(situation, finding)
    if situation.variant == "fantasy":
        return Collapse(extent, None, (), ("fantasy.ends",))
    if extent == "proposal":
        return Collapse(extent, None, (), ("collapse.rebuilt",))
    if situation.edition == "classic":
        return Collapse(extent, turn, (), ("collapse.ends",))
    return Collapse(extent, turn, _highest(situation.tower.pawns, turn), ("collapse.ends", "collapse.winner"))


def _extent(situation: Situation, finding: Finding) -> str:
    fallen = set(finding.fallen)
    before = set(situation.tower.blocks)
    if not fallen & before and situation.fit and not finding.fallen_pawns:
        return "proposal"
    return "total" if before <= fallen else "partial"


def _highest(pawns: Sequence[Pawn], loser: str | None) -> tuple[str, ...]:
    """The colours of the highest pawns before the collapse, the loser's left out; a tie is shared.

    Nobody where it is not known whose turn it was: the highest may be the one who has lost.
    """
    if loser is None:
        return ()
    others = [pawn for pawn in pawns if pawn.colour != loser]
    top = max((pawn.z for pawn in others), default=0)
    return tuple(sorted(pawn.colour for pawn in others if pawn.z == top))
