"""Text forms: one spelling each, read back as written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talo_physics import Pawn, Placement, Proposal, TaloError
from talo_physics.errors import TextFormError
from talo_physics.tower.pawn import COLOURS, Surface
from talo_physics.tower.placement import FreePose, parse_block
from talo_physics.tower.proposal import PawnMove, Together, parse_step

coordinates = st.integers(-999, 999)
levels = st.integers(0, 999)
placements = st.builds(Placement, st.integers(1, 10), st.sampled_from("xyz"), coordinates, coordinates, levels)
numbers = st.floats(-999, 999, allow_nan=False).map(lambda value: value + 0.0)
poses = st.builds(FreePose, st.integers(1, 10), numbers, numbers, st.floats(0, 999), numbers, numbers, numbers)
pawns = st.builds(Pawn, st.sampled_from(COLOURS), coordinates, coordinates, levels)
togethers = st.lists(placements | poses, min_size=1, max_size=4).map(lambda blocks: Together(tuple(blocks)))


@given(placements)
def test_a_placement_reads_back(placement: Placement) -> None:
    assert Placement.parse(str(placement)) == placement


@given(poses)
def test_a_free_pose_reads_back(pose: FreePose) -> None:
    assert FreePose.parse(str(pose)) == pose


@given(pawns)
def test_a_pawn_and_its_surface_read_back(pawn: Pawn) -> None:
    assert Pawn.parse(str(pawn)) == pawn
    assert Surface.parse(str(pawn.surface)) == pawn.surface


@given(togethers)
def test_blocks_placed_together_read_back(together: Together) -> None:
    assert Together.parse(str(together)) == together


@given(pawns, coordinates, coordinates, levels)
def test_a_pawn_move_reads_back(pawn: Pawn, x: int, y: int, z: int) -> None:
    move = PawnMove(pawn, Pawn(pawn.colour, x, y, z))
    assert parse_step(str(move)) == move


@given(st.text(max_size=40) | st.from_regex(r"[0-9a-z@~,.+>\- ]{1,30}", fullmatch=True))
def test_any_other_text_is_a_text_form_error(text: str) -> None:
    for parse in (parse_block, Pawn.parse, Surface.parse, parse_step):
        try:
            value = parse(text)
        except TextFormError:
            continue
        assert parse(str(value)) == value


@pytest.mark.parametrize("text", ["1x@3,4,0", "1y@3,4,0", "1z@3,4,0"])
def test_a_1_is_always_written_standing(text: str) -> None:
    assert str(Placement.parse(text)) == "1z@3,4,0"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("11x@0,0,0", "1 to 10"),
        ("0x@0,0,0", "1 to 10"),
        ("99999999999x@0,0,0", "1 to 10"),
        ("4w@0,0,0", "4x@2,4,1"),
        ("4x@0,0", "x,y,z"),
        ("4x@0,0,-1", "z is 0 or more"),
        ("4x@0.5,0,0", "whole numbers"),
        ("4x@12345,0,0", "999"),
        ("3~0,0,0.5,0,0", "free pose"),
        ("3~0,0,-2,0,0,0", "below the table"),
        ("", "4x@2,4,1"),
    ],
)
def test_a_bad_block_says_what_was_expected(text: str, expected: str) -> None:
    with pytest.raises(TextFormError, match=expected):
        parse_block(text)


@pytest.mark.parametrize("text", ["black@0,0,0", "red@1,2", "red", "@1,2,3", "red@1,2,3 -> blue@1,2,4"])
def test_a_bad_pawn_is_an_error_the_user_can_mend(text: str) -> None:
    with pytest.raises(TaloError):
        parse_step(text) if "->" in text else Pawn.parse(text)


def test_a_proposal_is_one_step_or_a_list() -> None:
    assert Proposal.parse("4x@2,4,1 + 1z@2,4,2").steps == (Together.parse("4x@2,4,1 + 1z@2,4,2"),)
    assert len(Proposal.parse(["4x@2,4,1", "red@3,4,1 -> red@5,4,2"]).steps) == 2
