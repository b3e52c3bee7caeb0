"""Placements counted in hand-checked positions; where a count is off, every placement is listed with its verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from talo_physics import Pawn, Tower, load_board
from talo_physics.game.choices import LegalPlacements, legal_placements
from talo_physics.game.state import Setting, State

POSITIONS = yaml.safe_load((Path(__file__).parent / "perft.yaml").read_text())["positions"]


def cases() -> Iterator[Any]:
    for position in POSITIONS:
        for counted in position["counts"]:
            yield pytest.param(position, counted, id=f"{position['name']}, a {counted['length']}")


def breakdown(found: LegalPlacements) -> str:
    """Each placement with what the judge says of it."""
    return "\n".join(
        f"  {block}  {(ruling := found.judge(block)).finding.verdict}  {', '.join(ruling.violations) or 'legal'}"
        for block in found.candidates
    )


@pytest.mark.parametrize(("position", "counted"), list(cases()))
def test_placements_are_as_many_as_counted_by_hand(position: dict[str, Any], counted: dict[str, Any]) -> None:
    pawns = tuple(Pawn.parse(text) for text in _texts(position.get("pawns", [])))
    tower = Tower(Tower.parse(_texts(position.get("tower", []))).blocks, pawns)
    setting = Setting(("red", "blue"), board=load_board(position.get("board", "green")))
    found = legal_placements(State(setting, tower), counted["length"])
    got = (len(found.candidates), found.count())
    assert got == (counted["build"], counted["legal"]), f"{counted['why']}\n{breakdown(found)}"


def _texts(values: list[Any]) -> list[str]:
    """YAML ends a plain value of a flow list at commas; put the coordinates together again."""
    return [f"{a},{b},{c}" for a, b, c in zip(*[iter(values)] * 3, strict=True)]
