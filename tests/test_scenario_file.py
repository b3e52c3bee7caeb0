"""Scenario files: every fault named with file, line, column, field and what was expected."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from talo_physics.errors import FileError
from talo_physics.geometry.profile import load_profile
from talo_physics.scenario.file import load_scenario, parse_scenario, scenario_text, schema
from tests.test_text_forms import pawns, placements, togethers

GOOD = """title: A 4 and a 1 balance each other on a 1
edition: island
board: green
profile: nominal
variant: standard
rules: [balance.together]
figure: 21
tower: [1z@3,4,0]
pawns: [red@2,5,0]
turn: red
propose: 4x@2,4,1 + 1z@2,4,2
expect:
  verdict: stands
  legal: true
  violations: []
"""


def faults(text: str) -> list[str]:
    with pytest.raises(FileError) as error:
        parse_scenario(text.encode(), "f.yaml")
    return str(error.value).splitlines()


def test_the_example_of_the_contract_is_read() -> None:
    scenario = parse_scenario(GOOD.encode(), "f.yaml")
    assert [str(block) for block in scenario.tower.blocks] == ["1z@3,4,0"]
    assert str(scenario.proposal) == "4x@2,4,1 + 1z@2,4,2"
    assert scenario.turn == "red"
    assert scenario.expect is not None
    assert scenario.expect.violations == frozenset()


def test_only_the_title_is_required() -> None:
    scenario = parse_scenario(b"title: nothing yet", "f.yaml")
    assert (scenario.edition, scenario.board.name, scenario.profile.name, scenario.variant) == (
        "island",
        "green",
        "nominal",
        "standard",
    )


def test_every_fault_is_named_with_its_place() -> None:
    text = "titel: x\ntower:\n  - 1z@0,0,0\n  - 11x@1,0,0\n  - 4q@2,0,0\n"
    text += "pawns: [black@1,1,0]\nedition: deluxe\nfigure: many\n"
    assert faults(text) == [
        "f.yaml:1:1: title: is required",
        "f.yaml:1:8: titel: unknown field; did you mean 'title'?",
        "f.yaml:4:5: tower[1]: '11x@1,0,0': block lengths go from 1 to 10, not 11",
        "f.yaml:5:5: tower[2]: '4q@2,0,0': a placement such as 4x@2,4,1 was expected",
        "f.yaml:6:9: pawns[0]: 'black@1,1,0': pawns are yellow, red, blue, green, pink, orange, not black",
        "f.yaml:7:10: edition: one of island, classic was expected, not 'deluxe'",
        "f.yaml:8:9: figure: a whole number was expected, not 'many'",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("title: x\ntower: [3x@0,0,0, 3y@1,0,0]", "f.yaml:2:19: tower[1]: 3y@1,0,0 overlaps 3x@0,0,0 in cell 1,0,0"),
        ("title: x\ntower: [1z@0,0,3]", "f.yaml:2:9: tower[0]: 1z@0,0,3 floats: nothing is under it in layer 2"),
        ("title: x\ntower: [1z@0,0,0]\npawns: [red@0,0,0]", "f.yaml:3:9: pawns[0]: red@0,0,0 is inside block"),
        ("title: x\npawns: [red@0,0,0, blue@0,0,0]", "f.yaml:2:20: pawns[1]: blue@0,0,0 stands where red@0,0,0"),
        ("title: x\npawns: [red@12,0,0]", "f.yaml:2:9: pawns[0]: red@12,0,0 stands beyond the board"),
        ("title: x\nboard: moon", "f.yaml:2:8: board: 'moon' is neither a shipped board"),
        ("title: x\nprofile: ../../etc/none", "f.yaml:2:10: profile: '../../etc/none' is neither a shipped profile"),
        ("title: x\nvariant: fantasy\npawns: [red@0,0,0]", "f.yaml:3:8: pawns: the Fantasy variant has no pawns"),
        ("title: x\nvariant: fantasy\nedition: classic", "variant: the classic edition has no Fantasy variant"),
        ("title: x\ntower: [3~1,1,0.5,0,0,30]", "f.yaml:2:9: tower[0]: 3~1,1,0.5,0,0,30: free poses are for"),
        ("title: x\nexpect: {verdict: wobbles}", "f.yaml:2:19: expect.verdict: one of stands, needs_pawn"),
        ("title: x\nexpect: {violations: [build.nice]}", "expect.violations[0]: 'build.nice' is no rule id"),
        ("title: x\nexpect: {legal: maybe}", "expect.legal: true or false was expected, not 'maybe'"),
        ("title: x\nexpect: {leagl: true}", "f.yaml:2:17: expect.leagl: unknown field; did you mean 'legal'?"),
        ("title: x\nexpect: {zzz: true}", "expect.zzz: unknown field; known: verdict, marginal, legal, violations"),
        ("title: x\nexpect: stands", "f.yaml:2:9: expect: a mapping was expected, not 'stands'"),
        ("title: x\ntower: 1z@0,0,0", "f.yaml:2:8: tower: a list was expected, not '1z@0,0,0'"),
        ("title: x\ntower: [{a: 1}]", "f.yaml:2:9: tower[0]: a text such as 4x@2,4,1 was expected"),
        ("title: x\npropose: 4x@2", "f.yaml:2:10: propose"),
        ("title: x\npropose: []", "f.yaml:2:10: propose: at least one step was expected"),
        ("title: x\nfigure: true", "f.yaml:2:9: figure: a whole number was expected, not True"),
        ("title: x\nfigure: 2020-01-01", "f.yaml:2:9: figure: a whole number was expected, not 2020-01-01"),
        ("title:", "f.yaml:1:7: title: a text was expected, not nothing"),
        ('title: "a\\e[31m"', "f.yaml:1:8: title: a line of plain text was expected"),
        ("title: x\nexpect: {counterweights: [@3,4,1]}", "begins with @ is written in quotes"),
        ("title: x\nvariant: fantasy\ntower: ['3~3,4,0.5,0,0,0', '1~3,4,4,0,0,0']", "1~3,4,4,0,0,0 floats"),
        ("title: [x]", "f.yaml:1:8: title: a text was expected, not a list of 1"),
        ("title: x\npropose: red@1,1,1 -> red@2,1,1", "red@1,1,1 is not one of the pawns"),
        ("- title: x", "f.yaml:1:1: a scenario is a mapping"),
        ("title: x\nturn: purple", "f.yaml:2:7: turn: one of yellow"),
    ],
)
def test_a_bad_file_gets_one_clear_message(text: str, expected: str) -> None:
    (line,) = faults(text)
    assert expected in line


def test_faults_of_different_kinds_are_told_together() -> None:
    text = "title: x\nedition: y\nboard: moon\ntower: [1z@0,0,3]\npawns: [red@0,0]\n"
    assert [line.split(": ")[1] for line in faults(text)] == ["edition", "board", "tower[0]", "pawns[0]"]


def test_a_scenario_about_figure_0_is_still_about_it_when_it_is_written_out() -> None:
    scenario = parse_scenario(b"title: x\nfigure: 0", "f.yaml")
    assert parse_scenario(scenario_text(scenario).encode(), "f.yaml").figure == 0


def test_ten_thousand_blocks_get_one_message() -> None:
    text = "title: x\ntower:\n" + "".join(f"  - 1z@{i % 100},{i // 100},0\n" for i in range(10_000))
    assert faults(text) == ["f.yaml:3:3: tower: at most 500 blocks, not 10000"]


def test_the_faults_of_a_profile_are_told_at_their_own_place(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("pawn: {mass_g: -1}\n")
    (tmp_path / "s.yaml").write_text("title: x\nprofile: mine.yaml\n")
    with pytest.raises(FileError, match=r"mine.yaml:1:16: pawn.mass_g: must lie between"):
        load_scenario(tmp_path / "s.yaml")


def test_a_slip_in_a_profile_is_compared_with_the_fields_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("blocks: {3: {lenght_mm: 60}}\nfriction: {vlaue: 0.3}\n")
    with pytest.raises(FileError) as told:
        load_profile(str(tmp_path / "mine.yaml"))
    said = [fault.message for fault in told.value.faults if "unknown" in fault.message]
    assert said == ["unknown field; did you mean 'length_mm'?", "unknown field; did you mean 'value'?"]


def test_board_and_profile_files_are_found_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("friction: 0.1\n")
    (tmp_path / "lake.yaml").write_text("name: lake\nfields: |\n" + "  ~~~~~~~~~~\n" * 10)
    (tmp_path / "s.yaml").write_text("title: x\nprofile: mine.yaml\nboard: lake.yaml\n")
    scenario = load_scenario(tmp_path / "s.yaml")
    assert (scenario.profile.friction.value, scenario.board.name) == (0.1, "lake")


@settings(max_examples=200)
@given(
    st.dictionaries(
        st.sampled_from(["title", "tower", "pawns", "propose", "expect", "edition", "board", "figure", "x"]),
        st.none()
        | st.integers()
        | st.text(max_size=8)
        | st.lists(placements.map(str) | pawns.map(str) | st.integers() | st.text(max_size=5), max_size=4)
        | togethers.map(str)
        | st.dictionaries(st.sampled_from(["verdict", "legal", "y"]), st.booleans() | st.text(max_size=6), max_size=2),
        max_size=5,
    )
)
def test_no_data_at_all_brings_it_down(data: dict[str, object]) -> None:
    try:
        parse_scenario(json.dumps(data).encode(), "f.yaml")
    except FileError as error:
        lines = str(error).splitlines()
        assert all(re.match(r"f\.yaml:\d+:\d+: ", line) for line in lines), lines


def test_the_schema_knows_the_fields_and_the_text_forms() -> None:
    made = schema()
    assert set(made["properties"]) >= {"title", "tower", "propose", "expect"}
    assert made["required"] == ["title"]
    assert made["additionalProperties"] is False
    pattern = made["properties"]["tower"]["items"]["anyOf"][0]["pattern"]
    assert re.match(pattern, "10x@-1,4,1")
    assert not re.match(pattern, "11x@0,0,0")


SHIPPED = sorted((Path(__file__).parent.parent / "scenarios").rglob("*.yaml"))


def test_the_schema_accepts_every_scenario_as_plain_yaml_and_editors_read_it() -> None:
    checker = Draft202012Validator(schema())
    assert len(SHIPPED) > 100
    for path in SHIPPED:
        assert [error.message for error in checker.iter_errors(yaml.safe_load(path.read_text()))] == [], path
    for wrong in ({"tower": []}, {"title": "a", "tower": ["4q@1,2,3"]}, {"title": "a", "pawns": ["red@"]}):
        assert list(checker.iter_errors(wrong)), wrong
