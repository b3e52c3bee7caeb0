"""Physics as a table: it says what it is told to, and remembers what it was asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from talo_physics import Pawn, Tower, Wishes
from talo_physics.tower.finding import Finding, Verdict
from talo_physics.tower.placement import Block
from talo_physics.tower.proposal import Bump


@dataclass
class Table:
    """Everything stands but for what `findings` says of the pieces placed; pawns in `breaking` are not borne."""

    findings: dict[str, Finding] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    breaking: tuple[str, ...] = ()
    risks: float = 0.0

    def examine(self, tower: Tower, placed: tuple[Block | Pawn, ...], wishes: Wishes) -> Finding:
        return self._answer(" + ".join(str(piece) for piece in placed))

    def bump(self, tower: Tower, bump: Bump, wishes: Wishes) -> Finding:
        return self._answer(str(bump))

    def vouches(self, tower: Tower, placed: tuple[Block | Pawn, ...]) -> bool:
        return True

    def risk(self, tower: Tower, placed: tuple[Block, ...]) -> float:
        return self.risks

    def bears(self, tower: Tower) -> bool:
        return all(str(pawn) not in self.breaking for pawn in tower.pawns)

    def _answer(self, text: str) -> Finding:
        self.asked.append(text)
        return self.findings.get(text, Finding(Verdict.STANDS))


def falls(*blocks: str, verdict: Verdict = Verdict.TOPPLES) -> Finding:
    return Finding(verdict, fallen=Tower.parse(blocks).blocks)
