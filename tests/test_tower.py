"""Towers as values: what fills what, what touches what, how high things really lie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talo_physics import Placement, Scenario, Tower, judge
from talo_physics.errors import TowerError
from talo_physics.geometry.profile import shipped_profile
from talo_physics.tower.pawn import Surface
from talo_physics.tower.placement import parse_block
from talo_physics.tower.space import box_of, clashes, defects, fitting, rests
from talo_physics.tower.stack import bottoms_mm, surface_mm
from talo_physics.tower.symmetry import SYMMETRIES, Scene, canonical, moved

NOMINAL = shipped_profile("nominal")
placements = st.builds(
    Placement, st.integers(1, 10), st.sampled_from("xyz"), st.integers(-3, 9), st.integers(-3, 9), st.integers(0, 4)
)


def texts(values: object) -> list[str]:
    return [str(value) for value in values]  # type: ignore[attr-defined]


def test_occupancy_and_surfaces_of_a_bridge() -> None:
    tower = Tower.parse(["2z@2,4,0", "2z@4,4,0", "3x@2,4,2"])
    assert len(tower.occupancy) == 7
    assert texts(tower.surfaces) == ["@2,4,3", "@3,4,3", "@4,4,3"]
    assert tower.supports == ((), (), (0, 1))


def test_a_pawn_fits_where_two_levels_are_free() -> None:
    low_bridge = Tower.parse(["1x@3,4,0", "2z@2,4,0", "2z@4,4,0", "3x@2,4,2"])
    assert Surface(3, 4, 1) in low_bridge.surfaces
    assert Surface(3, 4, 1) not in low_bridge.standing_room
    assert Surface(3, 4, 3) in low_bridge.standing_room


def test_side_faces_and_supports_are_contacts() -> None:
    tower = Tower.parse(["1z@0,0,0", "1z@1,0,0", "1z@0,0,1", "1z@5,5,0"])
    assert tower.contacts == ((0, 1), (0, 2))
    assert sorted(map(sorted, tower.components)) == [[0, 1, 2], [3]]


def test_a_part_takes_its_pawns_along() -> None:
    tower = Tower.parse(["1z@0,0,0", "1z@5,5,0"], ["red@0,0,1", "blue@3,3,0"])
    assert texts(tower.part([0]).pawns) == ["red@0,0,1"]


@pytest.mark.parametrize(
    ("blocks", "pawns", "expected"),
    [
        (["3x@0,0,0", "3y@1,0,0"], [], "3y@1,0,0 overlaps 3x@0,0,0 in cell 1,0,0"),
        (["1z@0,0,0", "1z@0,0,2"], [], "1z@0,0,2 floats"),
        (["1z@0,0,0"], ["red@0,0,0"], "red@0,0,0 is inside block 1z@0,0,0"),
        (["1z@0,0,0", "1z@1,0,0", "2x@0,0,1", "1z@0,0,2"], ["red@1,0,1"], "red@1,0,1 is inside block 2x@0,0,1"),
        ([], ["red@1,1,0", "blue@1,1,0"], "blue@1,1,0 stands where red@1,1,0 stands"),
        ([], ["red@1,1,0", "red@2,2,0"], "second red"),
        ([], ["red@1,1,3"], "red@1,1,3 stands on nothing"),
        (["3~1,1,0.5,0,0,0", "3~2,1.5,0.5,0,0,45"], [], "3~2,1.5,0.5,0,0,45 overlaps 3~1,1,0.5,0,0,0"),
        (["3~1,1,0.3,0,0,0"], [], "sunk into the table"),
    ],
)
def test_a_tower_that_cannot_exist_says_why(blocks: list[str], pawns: list[str], expected: str) -> None:
    tower = Tower.parse(blocks, pawns)
    assert any(expected in message for _, _, message in defects(tower))
    with pytest.raises(TowerError, match=expected):
        judge(Scenario(tower))


def test_all_defects_are_told_not_just_the_first() -> None:
    tower = Tower.parse(["3x@0,0,0", "3y@1,0,0", "1z@9,9,5"], ["red@0,0,0"])
    assert [(where, index) for where, index, _ in tower.defects()] == [("tower", 1), ("tower", 2), ("pawns", 0)]


def test_the_order_of_the_list_does_not_make_a_block_float() -> None:
    assert not list(defects(Tower.parse(["3x@2,4,1", "1z@3,4,0"])))


def test_heights_are_sums_of_measured_blocks_not_of_levels() -> None:
    short = NOMINAL.changed({"blocks.3.length_mm": 59.0, "blocks.5.section_mm": 20.4})
    tower = Tower.parse(["3z@2,4,0", "1z@6,4,0", "1z@6,4,1", "1z@6,4,2", "5x@2,4,3", "1z@4,4,4"])
    assert bottoms_mm(short, tower) == pytest.approx([0, 0, 20, 40, 60, 80.4])
    assert surface_mm(short, tower, bottoms_mm(short, tower), Surface(2, 4, 4)) == pytest.approx(80.4)


@given(
    st.lists(placements, max_size=5), st.sampled_from(SYMMETRIES), st.integers(-9, 9), st.integers(-9, 9), st.randoms()
)
def test_towers_that_look_alike_have_one_canonical_form(
    blocks: list[Placement], symmetry: object, dx: int, dy: int, rng: object
) -> None:
    alike = [moved(symmetry.placement(block), dx, dy) for block in blocks]  # type: ignore[attr-defined]
    rng.shuffle(alike)  # type: ignore[attr-defined]
    assert canonical(Scene(tuple(alike))).scene == canonical(Scene(tuple(blocks))).scene


@given(st.lists(placements, min_size=1, max_size=5, unique=True))
def test_the_way_back_leads_to_blocks_of_the_same_kind(blocks: list[Placement]) -> None:
    form = canonical(Scene(tuple(blocks)))
    for way in form.ways_back:
        assert sorted(way.blocks) == list(range(len(blocks)))
        for new, old in enumerate(way.blocks):
            there = moved(way.symmetry.placement(blocks[old]), -way.left, -way.front)
            assert there == form.scene.blocks[new]


def test_a_symmetric_scene_has_several_ways_back() -> None:
    cross = Tower.parse(["1z@4,4,0", "3x@3,4,1", "3y@4,3,2"])
    assert len(canonical(Scene(cross.blocks)).ways_back) == 4
    assert len(canonical(Scene(Tower.parse(["1z@4,4,0"]).blocks)).ways_back) == 8


@given(placements, placements)
def test_boxes_overlap_where_cells_do(one: Placement, other: Placement) -> None:
    shared = bool(set(one.cells) & set(other.cells))
    assert box_of(one).overlaps(box_of(other)) == shared


def test_a_turned_block_clashes_with_what_it_reaches_into() -> None:
    tower = Tower.parse(["1z@4,4,0"])
    assert texts(clashes(tower, parse_block("5~4.5,6,0.5,0,0,90"))) == ["1z@4,4,0"]
    assert clashes(tower, parse_block("5~4.5,6,1.5,0,0,0")) == []
    assert rests(tower, parse_block("3~4.5,4.5,1.5,0,0,30"))
    assert not rests(tower, parse_block("3~4.5,4.5,2.5,0,0,30"))


def test_what_clashes_takes_no_space_from_the_next() -> None:
    tower = Tower.parse(["1z@4,4,0"])
    blocks = Tower.parse(["3x@4,4,0", "1z@5,4,0"]).blocks
    assert [bool(clash) for _, clash in fitting(tower, blocks)] == [True, False]
