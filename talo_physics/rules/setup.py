"""The `setup.*` rules as far as a tower with its pawns shows them."""

from __future__ import annotations

from collections.abc import Iterator

from talo_physics.rules.situation import Breach, Situation


def setup_water(situation: Situation) -> Iterator[Breach]:
    """No pawn on water, ever."""
    for pawn in situation.tower.pawns:
        if pawn.z == 0 and situation.board.is_water(pawn.x, pawn.y):
            yield Breach("setup.water", f"{pawn} stands on water")


def setup_breaches(situation: Situation) -> list[Breach]:
    """Every breach of the `setup.*` rules that can be seen here."""
    return list(setup_water(situation))
