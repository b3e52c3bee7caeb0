"""Measuring: readings and scans of known truth come back as a profile; what is odd is told, what is wrong refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from talo_physics.errors import FileError, TaloError
from talo_physics.faces.cli import main
from talo_physics.geometry.callipers import read_callipers
from talo_physics.geometry.measuring import profile_text
from talo_physics.geometry.oddities import oddities
from talo_physics.geometry.profile import load_profile, shipped_profile
from talo_physics.geometry.scans import read_scan
from talo_physics.geometry.solids import block_solid
from talo_physics.geometry.tilting import read_angles

NOMINAL = shipped_profile("nominal")
SIDES = ("length", "width", "height")
HEADING = ["id", "class", *(f"{side}_{i}" for side in SIDES for i in (1, 2, 3)), "mass"]


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["measure", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def report(*arguments: object) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(run(*arguments, "--json", "--no-cases").stdout)
    return data


def line(name: str, length: int, mm: float, width: float = 20.0, height: float = 20.0, mass: object = "") -> list[Any]:
    return [name, length, mm, mm, mm, width, width, width, height, height, height, mass]


def table(path: Path, rows: Iterable[Sequence[object]], heading: Sequence[str] = HEADING, comma: str = ",") -> Path:
    path.write_text("\n".join(comma.join(map(str, row)) for row in (heading, *rows)) + "\n")
    return path


# ---- callipers


def test_readings_of_known_truth_come_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    truth = {1: (19.9, 19.8, 680.0), 4: (79.4, 19.9, 700.0), 10: (199.1, 20.1, 720.0)}
    rows = []
    for length, (mm, section, density) in truth.items():
        for piece in range(12):
            sides = rng.normal((mm, section, section), 0.05)
            readings = [f"{r:.2f}" for side in sides for r in rng.normal(side, 0.02, 3)]
            rows.append([f"{length}-{piece}", length, *readings, f"{1e-6 * density * math.prod(sides):.2f}"])
    run(table(tmp_path / "c.csv", rows), "-o", tmp_path / "mine.yaml", "--no-cases")
    profile = load_profile(str(tmp_path / "mine.yaml"))
    for length, (mm, section, density) in truth.items():
        block = profile.blocks[length]
        assert block.mass_g is not None
        assert block.length_mm.value == pytest.approx(mm, abs=0.05)
        assert block.section_mm.value == pytest.approx(section, abs=0.05)
        assert block.mass_g.value == pytest.approx(1e-6 * density * mm * section**2, rel=5e-3)
        assert block.length_mm.spread == pytest.approx(0.05, abs=0.03)
        assert {block.length_mm.samples, block.section_mm.samples, block.mass_g.samples} == {12}
        assert {block.length_mm.provenance, block.mass_g.provenance} == {"measured"}
    assert profile.density_kg_m3.value == pytest.approx(700, rel=5e-3)
    assert profile.density_kg_m3.samples == 36


def test_what_was_not_measured_stays_as_it_was(tmp_path: Path) -> None:
    run(table(tmp_path / "c.csv", [line("a", 3, 59.8)]), "-o", tmp_path / "mine.yaml", "--no-cases")
    profile = load_profile(str(tmp_path / "mine.yaml"))
    assert profile.blocks[4] == NOMINAL.blocks[4]
    assert (profile.friction, profile.density_kg_m3, profile.pawn) == (
        NOMINAL.friction,
        NOMINAL.density_kg_m3,
        NOMINAL.pawn,
    )
    assert profile.blocks[3].mass_g is None
    assert profile.name == "mine"


def test_a_single_piece_takes_the_spread_of_the_others(tmp_path: Path) -> None:
    rows = [line("a", 2, 39.9), line("b", 2, 40.1), line("c", 5, 100.0)]
    run(table(tmp_path / "c.csv", rows), "-o", tmp_path / "mine.yaml", "--no-cases")
    blocks = load_profile(str(tmp_path / "mine.yaml")).blocks
    assert blocks[5].length_mm.spread == blocks[2].length_mm.spread == pytest.approx(0.1414, abs=1e-4)
    assert "one piece" in blocks[5].length_mm.source
    assert "one piece" not in blocks[2].length_mm.source


@pytest.mark.parametrize(
    "text",
    [
        "id;class;length_1;width_1;height_1;mass\na;4;79,9;19,9;20,1;22,4\n",
        "id\tclass\tlength_1\twidth_1\theight_1\tmass\na\t4\t79,9\t19.9\t20,1\t22.4\n",
        'id,class,length_1,width_1,height_1,mass\na,4,"79,9","19,9","20,1","22,4"\n',
        "\ufeffBlock, Length class, Length 1 (mm), Width 1, Height 1, Mass (g)\r\n"
        "\r\n# by hand\r\na, 4, 79.9, 19.9, 20.1, 22.4\r\n",
        "mass;height_mm;width;class;length;id\r22.4;20.1;19.9;4;79.9;a\r",
    ],
    ids=["semicolons", "tabs", "quoted", "spreadsheet", "other order"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_tables_are_read_as_spreadsheets_write_them(tmp_path: Path, text: str, encoding: str) -> None:
    (tmp_path / "c.csv").write_bytes(text.lstrip("\ufeff" if encoding == "utf-16" else "").encode(encoding))
    (block,) = read_callipers(tmp_path / "c.csv", None, 20)
    assert (block.name, block.length, block.length_mm, block.section_mm) == ("a", 4, 79.9, (19.9, 20.1))
    assert block.mass_g == 22.4


def test_inches_are_converted_when_told(tmp_path: Path) -> None:
    path = table(tmp_path / "c.csv", [line("a", 4, 3.15, 0.787, 0.787)])
    assert "looks like inches" in run(path, code=2).stderr.replace("these look", "looks")
    assert report(path, "--unit", "in")["figures"][0]["value"] == pytest.approx(80.01)


START = ",".join(HEADING) + "\n"
GOOD = "a,4,80,80,80,20,20,20,20,20,20,22\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "c.csv:1:1: the file is empty"),
        ("\n\n# nothing\n", "c.csv:1:1: the file is empty"),
        (START, "c.csv:1:1: a heading without blocks"),
        ("id,length_1\na,80\n", "c.csv:1:1: missing columns class, width_1, height_1; columns id, class"),
        ("id,class,class\n", "c.csv:1:10: class: a second column for the class"),
        (START + "a,4,80,1,80,20,20,20,20,20,20,-22\n", "c.csv:2:31: mass: a mass in grams was expected, not -22"),
        (START + "a,4,-80,80,80,20,20,20,20,20,20,22\n", "c.csv:2:5: length_1: a length greater than 0"),
        (
            START + "a,11,80,80,80,20,20,20,20,20,20,22\n",
            "2:3: class: a length from 1 to 10 was expected, not '11'",
        ),
        (START + "a,2.5,80,80,80,20,20,20,20,20,20,22\n", "c.csv:2:3: class: a length from 1 to 10"),
        (
            START + "a,,80,80,80,20,20,20,20,20,20,22\n",
            "2:3: class: a length from 1 to 10 was expected, not 'nothing'",
        ),
        (START + "a,4\n", "c.csv:2:4: length_1: at least one reading was expected"),
        (START + ",4,80,80,80,20,20,20,20,20,20,22\n", "c.csv:2:1: id: each block needs a name"),
        (START + "a,4,eighty,80,80,20,20,20,20,20,20,22\n", "c.csv:2:5: length_1: a number was expected, not 'eighty'"),
        (START + "a,4,nan,80,80,20,20,20,20,20,20,22\n", "length_1: a number was expected"),
        (START + "a,4,1e999,80,80,20,20,20,20,20,20,22\n", "length_1: a finite number"),
        (START + 'a,4,"1.080,5",80,80,20,20,20,20,20,20,22\n', "without separators for thousands"),
        (START + GOOD + GOOD, "c.csv:3:1: id: a is on line 2 already"),
        (START + "a,4,60,60,60,20,20,20,20,20,20,22\n", "length_1: 60 mm is not near 4 x 20 mm; is it a 3?"),
        (START + "a,4,.08,.08,.08,.02,.02,.02,.02,.02,.02,22\n", "these look like metres; say --unit m"),
        (
            START + "a,4,79,9,80,0,80,1,20,0,20,0,20,1,20,0,20,1,20,0,22,4\n",
            "if decimals are written with commas",
        ),
        (
            START + "a,4,80,80,80,20,20,20,20,20,20,0.022\n",
            "mass: 0.022 g would be 0.688 kg/m3; a mass in grams",
        ),
        ("id,class,length_1,length_1\n", "c.csv:1:19: length_1: a second column of this name"),
        ("a,4,80,80,80\n", "missing columns id, class"),
        ("PK\x03\x04", "save it as CSV"),
        ("id\0class\n", "not a text file"),
    ],
)
def test_a_bad_table_is_told_with_its_place(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "c.csv").write_text(text)
    result = run(tmp_path / "c.csv", "-o", tmp_path / "mine.yaml", "--no-cases", code=2)
    assert expected in result.stderr
    assert not (tmp_path / "mine.yaml").exists()


def test_every_fault_of_a_table_is_told_up_to_a_number(tmp_path: Path) -> None:
    rows = [["a", 40, -1, 80, 80, 20, "x", 20, 20, 20, 20, -2], *([f"b{i}", 77] for i in range(50))]
    error = run(table(tmp_path / "c.csv", rows), code=2).stderr
    assert [name in error for name in ("2:3: class", "2:6: length_1", "2:18: width_2", "2:32: mass")] == [True] * 4
    assert "more faults" in error
    assert len(error.splitlines()) < 30


def test_text_that_is_no_utf8_is_told(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_bytes("id,class,Länge\n".encode("latin-1"))
    assert "save it as CSV in UTF-8" in run(tmp_path / "c.csv", code=2).stderr


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=80), st.text('a14,;"\n\t.0-#', max_size=80).map(lambda t: (START + t).encode())))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(raw)
    for read in (lambda: read_callipers(path, None, 20), lambda: read_angles(str(path))):
        with suppress(TaloError):
            read()


@pytest.mark.slow
def test_a_hundred_thousand_lines_are_read(tmp_path: Path) -> None:
    data = report(table(tmp_path / "c.csv", (line(f"b{i}", 1 + i % 10, 20 * (1 + i % 10)) for i in range(100_000))))
    assert data["blocks"] == 100_000
    assert data["figures"][0]["samples"] == 10_000


# ---- what is odd


@pytest.mark.parametrize(
    ("rows", "kind", "expected"),
    [
        (
            [line("a", 4, 80), line("b", 4, 79), line("c", 4, 80)],
            "block",
            "b is 1.00 mm too short: 79.00",
        ),
        ([line(n, 4, 79.2) for n in "abc"], "length", "the 4s are 0.80 mm too short in the mean"),
        ([["a", 4, 80, 80.1, 83, *[20] * 6, ""]], "reading", "a: length reading 83.00 mm is 2.90 mm off"),
        ([line("a", 10, 200, 20.2, 20.2)], "heights", "a standing 10 is 2.00 mm too low against 10 lying blocks"),
        (
            [line("a", 4, 80), line("b", 6, 120), line("c", 10, 199)],
            "heights",
            "a standing 10 is 1.00 mm too low against a standing 4 on a standing 6",
        ),
        ([line("a", 4, 80, 20.4, 20.4)], "pitch", "0.40 mm too thick for the grid"),
        ([line("a", 4, 80, 20.2, 19.8)], "square", "a is not square: 20.20 x 19.80 mm"),
        ([line(n, 1, 20, mass=m) for n, m in zip("abcd", (5.6, 5.5, 5.7, 8), strict=True)], "density", "d weighs 8 g"),
        ([line(n, 1, 20, mass=4) for n in "abc"], "density", "beech has 700"),
        ([["a", 4, 80, "", "", *[20] * 6, ""]], "few readings", "a: 1 reading of a side"),
        ([line("a", 4, 80)], "few blocks", "one block only of length 4"),
        ([line("a", 4, 80)], "not measured", "no blocks of length 1, 2, 3, 5"),
    ],
)
def test_what_is_odd_is_told(tmp_path: Path, rows: list[list[object]], kind: str, expected: str) -> None:
    odd = [o["message"] for o in report(table(tmp_path / "c.csv", rows))["odd"] if o["kind"] == kind]
    assert any(expected in message for message in odd), odd


def test_a_slip_of_the_callipers_does_not_count(tmp_path: Path) -> None:
    data = report(table(tmp_path / "c.csv", [["a", 4, 80, 80.1, 83, *[20] * 6, ""]]))
    assert data["figures"][0]["value"] == 80.05
    (odd,) = [o for o in data["odd"] if o["kind"] == "reading"]
    assert odd["where"].endswith("c.csv:2:13: length_3")


def test_a_good_set_is_not_odd(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [
        line(f"{n}-{i}", n, 20 * n + rng.normal(0, 0.05), mass=f"{5.6 * n:.2f}") for n in range(1, 11) for i in "ab"
    ]
    assert report(table(tmp_path / "c.csv", rows))["odd"] == []


def test_a_block_that_is_in_two_files_is_told(tmp_path: Path) -> None:
    for name in ("c.csv", "d.csv"):
        table(tmp_path / name, [line("a", 4, 80)])
    assert "a is in" in next(o["message"] for o in report(tmp_path)["odd"] if o["kind"] == "twice")


# ---- friction


@pytest.mark.parametrize("text", ["21,22,23", "21.0 22.0 23.0", "21,0; 22,0; 23,0"])
def test_friction_is_the_tangent_of_the_angle(tmp_path: Path, text: str) -> None:
    run("--friction", text, "-o", tmp_path / "mine.yaml", "--no-cases")
    friction = load_profile(str(tmp_path / "mine.yaml")).friction
    tangents = [math.tan(math.radians(angle)) for angle in (21, 22, 23)]
    assert friction.value == pytest.approx(np.mean(tangents), abs=1e-4)
    assert friction.spread == pytest.approx(np.std(tangents, ddof=1), abs=1e-4)
    assert (friction.samples, friction.provenance) == (3, "measured")


@pytest.mark.parametrize(
    "text", ["block;angle\na;21,5\nb;22\n", "21.5\n22\n", "Angle deg\n21.5\n\n22\n", "angle_1,angle_2\n21.5,22\n"]
)
def test_angles_are_read_from_a_table(tmp_path: Path, text: str) -> None:
    (tmp_path / "tilt.csv").write_text(text)
    assert read_angles(str(tmp_path / "tilt.csv")) == (21.5, 22)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-21,22", "an angle between 0 and 80 degrees was expected, not -21"),
        ("21,95", "not 95"),
        ("0.38,0.40", "looks like radians"),
        (",", "angles in degrees were expected"),
        ("2.1.5", "not '2.1.5'"),
        ("", "cannot be read"),
        ("nowhere.csv", "nowhere.csv: cannot be read: No such file"),
    ],
)
def test_bad_angles_are_told(text: str, expected: str) -> None:
    assert expected in run("--friction", text, code=2).stderr


def test_bad_angles_of_a_table_are_told_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "tilt.csv").write_text("block,angle\na,21\nb,-4\nc,steep\n")
    error = run("--friction", tmp_path / "tilt.csv", code=2).stderr
    assert "tilt.csv:3:3: angle: an angle between 0 and 80" in error
    assert "tilt.csv:4:3: angle: a number was expected" in error
    (tmp_path / "tilt.csv").write_text("block,slope\na,21\n")
    assert "a column called angle was expected" in run("--friction", tmp_path / "tilt.csv", code=2).stderr


def test_odd_angles_are_told() -> None:
    odd = [o["message"] for o in report("--friction", "20,21,40")["odd"]]
    assert odd == ["a block slid at 40 degrees, others at 21"]
    assert "wood on wood" in report("--friction", "45")["odd"][0]["message"]


# ---- scans


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


# ---- the command


def test_every_bad_file_is_told_and_nothing_written(tmp_path: Path) -> None:
    (tmp_path / "a.stl").write_bytes(b"")
    (tmp_path / "c.csv").write_text("")
    table(tmp_path / "d.csv", [line("a", 4, 80)])
    (tmp_path / "mine.yaml").write_text("as it was")
    error = run(tmp_path, "-o", tmp_path / "mine.yaml", code=2).stderr
    assert ["a.stl: " in error, "c.csv:1:1" in error, "nothing was written" in error] == [True] * 3
    assert (tmp_path / "mine.yaml").read_text() == "as it was"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "give calliper readings"),
        (["nowhere.csv"], "nowhere.csv: no such file"),
        (["good.csv", "-o", "."], "a file was expected, not a folder"),
        (["good.csv", "-o", "nominal.yaml"], "nominal is the name of a shipped profile"),
        (["good.csv", "-o", "good.csv"], "would overwrite"),
        (["good.csv", "--cases", "nowhere"], "--cases nowhere: no such file or folder"),
        (["good.csv", "--cases", ".", "--no-cases"], "contradict"),
        (["notes.doc"], "a table (.csv, .tsv, .txt) or a scan (.stl, .ply, .obj, .glb) was expected"),
        (["empty"], "no files in this folder to measure from"),
        (["good.csv", "--pitch", "nan"], "pitch"),
        (["good.csv", "-o", "good.csv/mine.yaml"], "cannot be written"),
    ],
)
def test_bad_usage_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "good.csv", [line("a", 4, 80)])
    (tmp_path / "notes.doc").write_text("x")
    (tmp_path / "empty").mkdir()
    assert expected in run(*arguments, code=2).stderr
    assert sorted(item.name for item in tmp_path.iterdir()) == ["empty", "good.csv", "notes.doc"]


def test_another_grid_can_be_told(tmp_path: Path) -> None:
    one = table(tmp_path / "c.csv", [line("a", 4, 100, 25, 25)])
    assert "is not near 10 x 25 mm" in run(one, "--pitch", "25", code=2).stderr
    rows = [line(f"b{n}", n, 25 * n, 25, 25) for n in range(1, 11)]
    run(table(tmp_path / "c.csv", rows), "--pitch", "25", "-o", tmp_path / "m.yaml", "--no-cases")
    assert load_profile(str(tmp_path / "m.yaml")).pitch_mm.value == 25


def bridge(folder: Path) -> Path:
    folder.mkdir()
    text = "title: a bridge\ntower: [2z@2,4,0, 1z@4,4,0, 1z@4,4,1]\npropose: 3x@2,4,2\n"
    (folder / "bridge.yaml").write_text(text)
    (folder / "block.yaml").write_text("title: a block\ntower: [4x@2,4,0]\n")
    return folder


def test_a_short_pillar_lets_a_bridge_settle(tmp_path: Path) -> None:
    path, cases = table(tmp_path / "c.csv", [line("a", 2, 35.0)]), bridge(tmp_path / "cases")
    data = json.loads(run(path, "--cases", cases, "--json").stdout)["cases"]
    assert (data["judged"], data["bad"]) == (2, 0)
    (change,) = data["changed"]
    assert change["scenario"].endswith("bridge.yaml")
    assert (change["before"]["verdict"], change["after"]["verdict"]) == ("stands", "topples")
    words = run(path, "--cases", cases).stdout
    assert "2 judged, 1 come out otherwise" in words
    assert "bridge.yaml: stands, legal -> topples, illegal" in words


def test_a_case_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    path, cases = table(tmp_path / "c.csv", [line("a", 4, 80)]), bridge(tmp_path / "cases")
    (cases / "bad.yaml").write_text("title: 3\n")
    result = run(path, "--cases", cases, code=2)
    assert "bad.yaml:1:8: title" in result.stderr
    assert "1 could not be judged" in result.stdout


def test_the_rulebooks_figures_are_the_cases_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table(tmp_path / "c.csv", [line("a", 4, 80)])
    (tmp_path / "scenarios").mkdir()
    bridge(tmp_path / "scenarios" / "figures")
    monkeypatch.chdir(tmp_path)
    assert "2 judged, 0 come out otherwise" in run(path).stdout
    monkeypatch.setattr("talo_physics.faces.measuring.CASES", Path("nowhere"))
    assert "none compared" in run(path).stdout


def test_a_profile_written_is_a_profile_read(tmp_path: Path) -> None:
    (tmp_path / "again.yaml").write_text(profile_text(NOMINAL))
    assert load_profile(str(tmp_path / "again.yaml")) == NOMINAL


def test_nothing_measured_is_nothing_odd() -> None:
    from talo_physics.geometry.measuring import Measured

    assert oddities(Measured(), NOMINAL, NOMINAL) == []
