"""Profiles, solids and boards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from talo_physics.errors import FileError, TaloError
from talo_physics.geometry.board import BOARDS, load_board
from talo_physics.geometry.profile import Profile, load_profile, shipped_profile
from talo_physics.geometry.solids import block_mass, block_solid, pawn_mass, pawn_solid

NOMINAL = shipped_profile("nominal")


def test_nominal_holds_the_published_and_assumed_figures() -> None:
    assert NOMINAL.pitch_mm.value == 20
    assert (NOMINAL.density_kg_m3.value, NOMINAL.density_kg_m3.spread) == (700, 30)
    assert (NOMINAL.friction.value, NOMINAL.friction.provenance) == (0.4, "assumed")
    assert NOMINAL.edge_inset_mm.value == 0.2
    assert (NOMINAL.pawn.base_mm.value, NOMINAL.pawn.height_mm.value, NOMINAL.pawn.mass_g.value) == (15, 36, 3)
    assert all(
        NOMINAL.blocks[n].length_mm.value == 20 * n and NOMINAL.blocks[n].section_mm.value == 20 for n in range(1, 11)
    )
    assert all(figure.provenance and figure.source for figure in (NOMINAL.pitch_mm, NOMINAL.restitution))


@pytest.mark.parametrize("length", range(1, 11))
def test_a_block_is_a_box_with_chamfered_edges(length: int) -> None:
    inset, a, b = 0.2, 20.0 * length, 20.0
    # A chamfer takes a triangular prism off each of 12 edges; at the 8 corners three prisms meet and share c^3 / 3 * 2.
    prisms = inset**2 / 2 * 4 * (a + 2 * b)
    corners = 8 * inset**3 * 2 / 3
    solid = block_solid(NOMINAL, length)
    assert solid.is_watertight
    assert np.allclose(solid.extents, (a, b, b))
    assert solid.volume == pytest.approx(a * b * b - prisms + corners, abs=inset**3)
    upper_face = solid.vertices[solid.vertices[:, 2] > b / 2 - 1e-9]
    assert np.ptp(upper_face, axis=0)[:2] == pytest.approx((a - 2 * inset, b - 2 * inset))


def test_mass_is_density_times_volume_unless_weighed() -> None:
    assert block_mass(NOMINAL, 3).mass_g == pytest.approx(700e-6 * block_solid(NOMINAL, 3).volume)
    assert block_mass(NOMINAL.changed({"blocks.3.mass_g": 17.5}), 3).mass_g == 17.5


@pytest.mark.parametrize("length", [1, 4, 10])
def test_the_inertia_of_a_block_is_close_to_its_box(length: int) -> None:
    properties, a, b = block_mass(NOMINAL, length), 20.0 * length, 20.0
    box = properties.mass_g / 12 * np.array([2 * b * b, a * a + b * b, a * a + b * b])
    assert np.allclose(properties.inertia_g_mm2, box, rtol=2e-3)
    assert np.allclose(properties.centre_mm, 0, atol=1e-9)


def test_a_pawn_is_a_slender_cone_with_a_low_centre_of_mass() -> None:
    solid, properties = pawn_solid(NOMINAL), pawn_mass(NOMINAL)
    assert solid.is_watertight
    assert np.allclose(solid.extents, (15, 15, 36), atol=0.05)
    assert properties.mass_g == 3.0
    assert 36 / 4 < properties.centre_mm[2] < 36 / 2  # higher than a plain cone's, lower than a cylinder's
    assert properties.inertia_g_mm2[0] == pytest.approx(properties.inertia_g_mm2[1], rel=1e-6)
    assert properties.inertia_g_mm2[2] < properties.inertia_g_mm2[0]


def test_a_sharp_block_is_a_plain_box() -> None:
    for hardly_rounded in (0, 1e-12, 1e-7, 2e-5):
        solid = block_solid(NOMINAL.changed({"edge_inset_mm": hardly_rounded}), 2)
        assert solid.is_watertight
        assert solid.volume == pytest.approx(16000)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"colour": 1.0}, "no such key"),
        ({"pawn.mass_g": -3.0}, "pawn.mass_g: must lie between 0.01 and 100000, not -3"),
        ({"friction": -0.1}, "friction: must lie between 0 and 10"),
        ({"restitution": 1.5}, "between 0 and 1"),
        ({"blocks.3.length_mm": 90.0}, "not near"),
        ({"blocks.11.length_mm": 220.0}, "no such key"),
        ({"edge_inset_mm": 9.0}, "too little"),
        ({"pawn.base_mm": 25.0}, "does not fit"),
        ({"pitch_mm": float("nan")}, "finite"),
        ({"density_kg_m3": 1e308}, "density_kg_m3: must lie between"),
        ({"pawn.base_mm": 1e-300}, "pawn.base_mm: must lie between"),
    ],
)
def test_a_figure_that_cannot_be_is_named(settings: dict[str, float], expected: str) -> None:
    with pytest.raises(TaloError, match=expected):
        NOMINAL.changed(settings)


def profile_from(tmp_path: Path, text: str) -> Profile:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    return load_profile("mine.yaml", beside=tmp_path)


def test_a_profile_file_gives_only_what_it_knows(tmp_path: Path) -> None:
    profile = profile_from(tmp_path, "friction: 0.3\nblocks:\n  3: {length_mm: {value: 59.5, provenance: measured}}\n")
    assert profile.name == "mine"
    assert profile.friction.value == 0.3
    assert profile.blocks[3].length_mm.provenance == "measured"
    assert profile.blocks[3].section_mm.value == 20
    assert profile.density_kg_m3 == NOMINAL.density_kg_m3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "friction: 0.3\npawn:\n  mass_g: -3\n",
            r"mine.yaml:3:11: pawn.mass_g: must lie between 0.01 and 100000, not -3",
        ),
        ("frction: 0.3\n", r"mine.yaml:1:10: frction: unknown field"),
        ("friction: slippery\n", r"mine.yaml:1:11: friction: a mapping was expected"),
        ("friction: {value: 0.3, provenance: guessed}\n", r"mine.yaml:1:36: friction.provenance: one of"),
        ("blocks: {3: {length_mm: 12}}\n", r"mine.yaml:1:25: blocks.3.length_mm: 12 is not near 3 x 20 mm"),
        ("blocks: {11: {length_mm: 220}}\n", r"mine.yaml:1:14: blocks.11: lengths go from 1 to 10"),
        ("friction: {value: '0.3'}\n", r"mine.yaml:1:19: friction.value: a number was expected"),
        ("friction: 1:30\n", r"mine.yaml:1:11: friction: a mapping was expected"),
        ("[1, 2]\n", r"mine.yaml:1:1: a profile is a mapping"),
    ],
)
def test_a_bad_profile_file_is_told_with_its_place(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(FileError, match=expected):
        profile_from(tmp_path, text)


def test_all_misfits_of_a_profile_are_told(tmp_path: Path) -> None:
    with pytest.raises(FileError) as error:
        profile_from(tmp_path, "blocks: {4: {length_mm: 200}, 5: {length_mm: 3}}\npawn: {base_mm: 30}\n")
    assert [fault.field for fault in error.value.faults] == ["blocks.4.length_mm", "blocks.5.length_mm", "pawn.base_mm"]


def test_profiles_with_equal_figures_share_a_fingerprint() -> None:
    assert NOMINAL.changed({}).fingerprint == NOMINAL.fingerprint
    assert NOMINAL.changed({"friction": 0.3}).fingerprint != NOMINAL.fingerprint


def test_the_boards_are_as_the_rulebook_draws_them() -> None:
    assert set(BOARDS.names) == {"green", "island", "classic", "table"}
    island = load_board("island")
    land = [(x, y) for x in range(10) for y in range(10) if not island.is_water(x, y)]
    assert len(land) == 40
    assert island.provenance == "assumed"
    assert {(x, y) for x, y in land if island.field(x, y) == "m"} == {(4, 4), (4, 5), (5, 4), (5, 5)}
    classic = load_board("classic")
    assert {(x, y) for x in range(10) for y in range(10) if classic.field(x, y) == "s"} == {
        (2, 2),
        (7, 2),
        (2, 7),
        (7, 7),
    }
    assert not load_board("green").inside(10, 0)
    assert load_board("table").inside(500, -3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: b\nfields: |\n  gg\n", "10 rows"),
        ("name: b\nfields: |\n" + "  ggggggggg?\n" * 10, "row 1"),
        ("fields: x", "name: is required"),
        ("name: b", "fields: is required"),
    ],
)
def test_a_bad_board_file_is_told(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "b.yaml").write_text(text)
    with pytest.raises(FileError, match=expected):
        load_board("b.yaml", beside=tmp_path)


def test_trimesh_agrees_on_which_way_is_out() -> None:
    assert isinstance(pawn_solid(NOMINAL), trimesh.Trimesh)
    assert pawn_solid(NOMINAL).volume > 0
    assert block_solid(NOMINAL, 2).volume > 0
