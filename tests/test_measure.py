"""Measuring: readings and scans of known truth come back as a profile; what is odd is told, what is wrong refused."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from talo_physics.errors import TaloError
from talo_physics.faces.cli import main
from talo_physics.geometry.callipers import read_callipers
from talo_physics.geometry.measuring import profile_text
from talo_physics.geometry.oddities import oddities
from talo_physics.geometry.profile import load_profile, shipped_profile
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
