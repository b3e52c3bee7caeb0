"""Scanned blocks: what they measure, what is mended, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from talo_physics.errors import FileError
from talo_physics.geometry.profile import load_profile, shipped_profile
from talo_physics.geometry.scans import read_scan
from talo_physics.geometry.solids import block_solid
from tests.test_measure import line, report, run, table

NOMINAL = shipped_profile("nominal")


def scan(
    length: int, mm: float, section: float, noise: float = 0.0, seed: int = 1, turned: bool = True
) -> trimesh.Trimesh:
    """A chamfered block as a scanner sees it: a fine mesh with noise, somewhere in space."""
    solid = block_solid(
        NOMINAL.changed({f"blocks.{length}.length_mm": mm, f"blocks.{length}.section_mm": section}), length
    )
    vertices, faces = trimesh.remesh.subdivide_to_size(solid.vertices, solid.faces, 1.5, max_iter=20)
    rng = np.random.default_rng(seed)
    mesh = trimesh.Trimesh(vertices, faces)
    mesh.vertices += rng.normal(0, noise, mesh.vertices.shape)
    if turned:
        mesh.apply_transform(trimesh.transformations.random_rotation_matrix(rng.random(3)))
        mesh.apply_translation(rng.normal(0, 100, 3))
    return mesh


@pytest.mark.parametrize("ending", ["stl", "ply", "obj", "glb"])
@pytest.mark.parametrize(
    ("length", "mm", "section"), [(1, 19.4, 19.9), (1, 20.5, 19.9), (4, 79.1, 20.1), (10, 199.2, 19.8)]
)
def test_scans_of_known_truth_come_back(tmp_path: Path, length: int, mm: float, section: float, ending: str) -> None:
    path = tmp_path / f"{length}-a.{ending}"
    scan(length, mm, section, noise=0.06).export(path)
    block = read_scan(path, None, 20)
    assert block.length == length
    assert block.length_mm == pytest.approx(mm, abs=0.05)
    assert block.section_mm == pytest.approx((section, section), abs=0.05)
    assert block.volume_mm3 == pytest.approx(mm * section**2, rel=5e-3)


def test_a_folder_of_scans_becomes_a_profile(tmp_path: Path) -> None:
    scans = tmp_path / "scans"
    scans.mkdir()
    for seed, name in enumerate("abc"):
        scan(3, 59.5 + 0.1 * seed, 20, 0.03, seed).export(scans / f"3-{name}.stl")
    scan(2, 39.9, 20, 0.03).export(scans / "small.ply")
    (scans / "masses.csv").write_text("id;mass\n3-a;16,5\n3-b.stl;16,7\n9-z;50\n")
    result = run(scans, "-o", tmp_path / "mine.yaml", "--no-cases")
    profile = load_profile(str(tmp_path / "mine.yaml"))
    length, mass = profile.blocks[3].length_mm, profile.blocks[3].mass_g
    assert (length.value, length.samples, length.provenance) == (pytest.approx(59.6, abs=0.05), 3, "measured")
    assert length.spread == pytest.approx(0.1, abs=0.02)
    assert mass is not None
    assert (mass.value, mass.samples, mass.provenance) == (pytest.approx(16.6), 2, "measured")
    weighed_density = profile.density_kg_m3
    assert weighed_density.provenance == "measured"
    by_volume = profile.blocks[2].mass_g
    assert by_volume is not None
    assert by_volume.value == pytest.approx(weighed_density.value * 1e-6 * 39.9 * 400, rel=5e-3)
    assert "not weighed" in by_volume.source
    assert "a mass for 9-z, but no such scan" in result.stdout


def test_a_mass_that_no_block_has_is_told(tmp_path: Path) -> None:
    scan(1, 20, 20).export(tmp_path / "1-a.stl")
    (tmp_path / "Masses.csv").write_text("id,mass\n1-a,0.0056\n")
    assert "1-a.stl: 0.0056 g would be 0.7 kg/m3; a mass in grams was expected" in run(tmp_path, code=2).stderr


def test_a_file_that_is_given_twice_counts_once(tmp_path: Path) -> None:
    path = table(tmp_path / "c.csv", [line("a", 4, 80)])
    assert report(path, tmp_path, path)["blocks"] == 1


def test_the_mass_of_a_scan_that_nobody_weighed_is_as_well_known_as_its_density(tmp_path: Path) -> None:
    scan(4, 79.5, 20).export(tmp_path / "4-a.stl")
    run(tmp_path, "-o", tmp_path / "mine.yaml", "--no-cases")
    mass = load_profile(str(tmp_path / "mine.yaml")).blocks[4].mass_g
    assert mass is not None
    assert mass.value == pytest.approx(700e-6 * 79.5 * 400, rel=5e-3)
    assert mass.spread == pytest.approx(mass.value * 30 / 700, rel=1e-2)
    assert mass.provenance == "published"


def small_hole(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    away = np.linalg.norm(mesh.triangles_center - mesh.vertices[200], axis=1)
    mesh.update_faces(away > 1.5)
    assert not mesh.is_watertight
    return mesh


def specks(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    dust = trimesh.creation.box((0.4, 0.4, 0.4), transform=trimesh.transformations.translation_matrix((300, 0, 0)))
    return trimesh.util.concatenate([mesh, dust])


def inside_out(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    faces = mesh.faces.copy()
    faces[100:400] = faces[100:400, ::-1]
    return trimesh.Trimesh(mesh.vertices, faces, process=False)


def all_inside_out(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    mesh.invert()
    return mesh


@pytest.mark.parametrize(
    ("damage", "note"),
    [
        (small_hole, "closed 1 hole"),
        (specks, "dropped 1 loose speck"),
        (inside_out, "turned faces"),
        (lambda m: (m.invert(), m)[1], ""),
    ],
    ids=["hole", "specks", "some faces inside out", "all inside out"],
)
def test_what_is_safe_to_repair_is_repaired(tmp_path: Path, damage: Callable[[Any], Any], note: str) -> None:
    damage(scan(3, 59.7, 20, 0.03)).export(tmp_path / "3-a.ply")
    block = read_scan(tmp_path / "3-a.ply", None, 20)
    assert (block.length_mm, *block.section_mm) == pytest.approx((59.7, 20, 20), abs=0.05)
    assert block.volume_mm3 == pytest.approx(59.7 * 400, rel=5e-3)
    assert [note in odd.message for odd in block.oddities] == [True] * bool(note)


def without_an_end(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    mesh.update_faces(mesh.triangles_center[:, 0] < mesh.bounds[1, 0] - 1)
    return mesh


def wide_hole(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    middle = mesh.bounds.mean(axis=0) * (1, 1, 0) + mesh.bounds[1] * (0, 0, 1)
    mesh.update_faces(np.linalg.norm(mesh.triangles_center - middle, axis=1) > 4)
    return mesh


def soup(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    apart = mesh.triangles + np.random.default_rng(1).normal(0, 1e-3, (len(mesh.faces), 1, 3))
    return trimesh.Trimesh(apart.reshape(-1, 3), np.arange(3 * len(apart)).reshape(-1, 3), process=False)


def twice(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    other = mesh.copy()
    other.apply_translation((100, 0, 0))
    return trimesh.util.concatenate([mesh, other])


@pytest.mark.parametrize(
    ("name", "made", "expected"),
    [
        (
            "3-a.stl",
            without_an_end,
            "not closed: 1 hole, and no six faces to be seen; scan the missing",
        ),
        ("3-a.stl", wide_hole, "not closed: 1 hole, the widest 8."),
        ("3-a.stl", twice, "2 separate bodies: one block a file"),
        ("4-a.stl", lambda m: m, "named as a 4, but 60.0 mm are a 3; call it 3-..."),
        ("3-a.stl", lambda m: m.apply_scale(0.001), "these look like metres; say --unit m"),
        ("3-a.stl", lambda m: m.apply_scale(1 / 25.4), "these look like inches; say --unit in"),
        ("3-a.stl", lambda m: m.apply_scale(0.1), "these look like centimetres; say --unit cm"),
        ("3-a.stl", lambda m: m.apply_scale(7), "not a block about 20 mm thick; say --unit"),
        (
            "3-a.stl",
            lambda m: m.apply_scale(1.4),
            "84.00 mm is not near 3 x 20 mm; blocks of another grid",
        ),
        ("a.stl", lambda m: trimesh.creation.icosphere(radius=10), "not a scan of one block"),
        ("a.stl", lambda m: trimesh.creation.box((260, 20, 20)), "no block of 1 to 10 units"),
        ("a.stl", lambda m: trimesh.Trimesh([[0, 0, 0], [60, 0, 0], [0, 20, 0]], [[0, 1, 2]]), "not closed: 1 hole"),
        ("a.ply", soup, "its surface is in "),
        ("a.ply", lambda m: m.apply_scale(1e30), "beyond all bounds"),
        ("a.ply", lambda m: trimesh.PointCloud(m.vertices), "no surface in it"),
    ],
)
def test_a_scan_that_is_none_is_told_with_what_to_do(
    tmp_path: Path, name: str, made: Callable[[Any], Any], expected: str
) -> None:
    made(scan(3, 60, 20, turned=False)).export(tmp_path / name)
    assert expected in run(tmp_path / name, "-o", tmp_path / "mine.yaml", code=2).stderr
    assert not (tmp_path / "mine.yaml").exists()


def test_a_scan_whose_faces_have_corners_that_are_not_there_is_refused(tmp_path: Path) -> None:
    raw = bytearray(scan(3, 60, 20).export(file_type="glb"))
    figures = 12 + 8 + int.from_bytes(raw[12:16], "little") + 8  # behind the file's head, a text, and their heads
    raw[figures : figures + 4] = b"\x40\x40\x40\x40"  # the first corner of the first face
    (tmp_path / "3-a.glb").write_bytes(raw)
    with pytest.raises(FileError, match=r"3-a\.glb: a damaged file: some of its faces have corners that are not there"):
        read_scan(tmp_path / "3-a.glb", None, 20)


def test_a_unit_that_is_told_is_converted(tmp_path: Path) -> None:
    scan(3, 60, 20).apply_scale(0.001).export(tmp_path / "3-a.stl")
    assert read_scan(tmp_path / "3-a.stl", "m", 20).length_mm == pytest.approx(60, abs=0.01)
    with pytest.raises(FileError, match="--unit cm does not make it one"):
        read_scan(tmp_path / "3-a.stl", "cm", 20)


def test_glb_files_are_in_metres_by_their_standard(tmp_path: Path) -> None:
    scan(3, 60, 20).apply_scale(0.001).export(tmp_path / "3-a.glb")
    block = read_scan(tmp_path / "3-a.glb", None, 20)
    assert block.length_mm == pytest.approx(60, abs=0.01)
    assert "in metres" in block.oddities[0].message


@pytest.mark.parametrize("ending", ["stl", "ply", "obj", "glb"])
@pytest.mark.parametrize(
    "raw", [b"", b"garbage", b"solid x\nfacet", b"ply\n", b"glTF\2\0\0\0", b"v 0 0 nan\nf 1 1 1\n"]
)
def test_files_that_are_no_meshes_are_refused(tmp_path: Path, ending: str, raw: bytes) -> None:
    (tmp_path / f"a.{ending}").write_bytes(raw)
    assert f"a.{ending}: " in run(tmp_path, code=2).stderr


def test_a_file_beyond_all_bounds_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "4-a.stl").open("wb") as handle:
        handle.truncate(700_000_000)
    assert "reduce it in the scanning program" in run(tmp_path / "4-a.stl", code=2).stderr
