"""The `balance.*` rules, judged from what the simulation shows, never from odd and even alone."""

from __future__ import annotations

from collections.abc import Iterator

from talo_physics.rules.situation import Breach, Situation
from talo_physics.tower.finding import Finding, Verdict
from talo_physics.tower.placement import Block, Placement
from talo_physics.tower.tower import Tower


def balance_falls(finding: Finding) -> Iterator[Breach]:
    """No block ever falls."""
    if finding.verdict in (Verdict.TOPPLES, Verdict.PAWN_TOPPLES):
        pieces = [str(piece) for piece in (*finding.fallen, *finding.fallen_pawns)] or ["the tower"]
        verb = "falls" if len(pieces) == 1 else "fall"
        because = " under the weight of pawns" if finding.verdict is Verdict.PAWN_TOPPLES else ""
        yield Breach("balance.falls", f"{', '.join(pieces)} {verb}{because}")


def balance_pawn(finding: Finding) -> Iterator[Breach]:
    """The construction stands without any pawn's weight."""
    if finding.verdict is Verdict.NEEDS_PAWN:
        what = ", ".join(str(block) for block in finding.fallen) or "the tower"
        yield Breach("balance.pawn", f"only a pawn's weight holds {what}")


def balance_even_tips(situation: Situation, finding: Finding) -> Iterator[Breach]:
    """An even block on a single standing block tips."""
    for block, under, _ in _fallen_across_one(situation, finding):
        if block.length % 2 == 0 and under.stands:
            yield Breach("balance.even-tips", f"{block} is even and tips on the single block {under}")


def balance_odd_centred(situation: Situation, finding: Finding) -> Iterator[Breach]:
    """An odd block across a single block lies centred; the classic edition says so of standing blocks only."""
    for block, under, offset in _fallen_across_one(situation, finding):
        named = under.stands or situation.edition == "island"
        if block.length % 2 == 1 and offset != block.length // 2 and named:
            yield Breach("balance.odd-centred", f"{block} is odd and does not lie centred on the single block {under}")


def balance_together(situation: Situation) -> Iterator[Breach]:
    """Two blocks of one turn at the same time, not more."""
    if len(situation.blocks) > 2 and situation.variant == "standard":
        yield Breach("balance.together", f"{len(situation.blocks)} blocks at the same time; a turn has two at most")


def balance_breaches(situation: Situation, finding: Finding) -> list[Breach]:
    """Every breach of the `balance.*` rules that the simulation shows.

    `balance.lean` is a permission: nothing breaks it. `balance.together` needs no simulation and is asked by itself.
    """
    found = [*balance_falls(finding), *balance_pawn(finding)]
    if situation.variant == "standard":
        found += balance_even_tips(situation, finding)
        found += balance_odd_centred(situation, finding)
    return found


def _fallen_across_one(situation: Situation, finding: Finding) -> Iterator[tuple[Placement, Placement, int]]:
    """Lying blocks that tipped and rest on one cell of one block: with that block and which cell of theirs it is.

    A block that goes down with what is under it did not tip: it must have fallen first.
    """
    if finding.verdict not in (Verdict.TOPPLES, Verdict.PAWN_TOPPLES):
        return
    after = situation.after
    concerned: tuple[Block, ...] = situation.fit or after.blocks
    for block in concerned:
        if isinstance(block, Placement) and not block.stands and block in finding.fallen:
            under = _rests_on(after, block)
            if len(under) == 1:
                offset, support = under[0]
                if finding.fell_before(block, support):
                    yield block, support, offset


def _rests_on(tower: Tower, block: Placement) -> list[tuple[int, Placement]]:
    """The cells of the block, by number, that lie on a block, and that block."""
    found = []
    for number, (x, y, z) in enumerate(block.cells):
        index = tower.occupancy.get((x, y, z - 1))
        support = tower.blocks[index] if index is not None else None
        if isinstance(support, Placement):
            found.append((number, support))
    return found
