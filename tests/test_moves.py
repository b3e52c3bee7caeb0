"""Where pawns go and where blocks may be put: hand-checked positions."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from talo_physics import Pawn, Placement, Proposal, Tower, load_board
from talo_physics.bench.growing import random_tower
from talo_physics.faces.cli import main
from talo_physics.rules.blockade import blockade
from talo_physics.rules.build import build_breaches
from talo_physics.rules.insertion import ways_in
from talo_physics.rules.move import Walk
from talo_physics.rules.options import Options
from talo_physics.rules.placing import placements
from talo_physics.rules.referee import rule_on
from talo_physics.rules.situation import Situation
from talo_physics.rules.take import STOCK
from talo_physics.tower.pawn import Surface
from tests.physics_table import Table

STAIR = ["3x@2,4,0", "1z@3,4,1", "2z@4,4,1"]
SHAFT = ["3z@3,4,0", "3z@5,4,0", "3z@4,3,0", "3z@4,5,0"]


def situation(blocks: list[str], pawns: list[str] | None = None, board: str = "green") -> Situation:
    return Situation(Tower.parse(blocks, pawns or []), (), load_board(board))


def walk(blocks: list[str], *pawns: str, board: str = "green", **options: bool) -> Walk:
    place = replace(situation(blocks, list(pawns), board), options=Options(**options))
    return Walk(place, place.tower.pawns[0])


def reached(found: Walk) -> list[str]:
    return sorted(str(surface) for surface in found.reachable())


def test_a_pawn_reaches_all_that_steps_of_one_level_lead_to() -> None:
    assert reached(walk(STAIR, "red@2,4,1")) == ["@3,4,2", "@4,4,3"]
    assert reached(walk(STAIR, "red@1,4,0")) == ["@2,4,1", "@3,4,2", "@4,4,3"]
    assert reached(walk(STAIR, "red@9,9,0")) == []


def test_a_shortest_way_is_found_with_both_ends() -> None:
    path = walk(STAIR, "red@1,4,0").path(Surface(4, 4, 3))
    assert [str(surface) for surface in path or []] == ["@1,4,0", "@2,4,1", "@3,4,2", "@4,4,3"]
    assert walk(STAIR, "red@9,9,0").path(Surface(4, 4, 3)) is None


def test_other_pawns_close_a_way() -> None:
    assert reached(walk(["5x@2,4,0"], "red@2,4,1", "blue@4,4,1")) == ["@3,4,1"]


def test_the_board_is_entered_only_by_option_and_water_never() -> None:
    assert reached(walk(["1z@2,2,0"], "red@2,2,1")) == []
    assert "@1,2,0" in reached(walk(["1z@2,2,0"], "red@2,2,1", step_down_to_board=True))
    on_island = walk(["1z@2,2,0"], "red@2,2,1", board="island", step_down_to_board=True)
    assert "@3,2,0" not in reached(on_island)
    assert "@1,2,0" in reached(on_island)


def test_swept_headroom_needs_room_over_the_head_while_stepping_up() -> None:
    under_a_beam = ["3x@2,4,0", "1z@3,4,1", "3z@2,3,0", "3z@2,5,0", "3y@2,3,3"]
    assert "@3,4,2" in reached(walk(under_a_beam, "red@2,4,1"))
    assert "@3,4,2" not in reached(walk(under_a_beam, "red@2,4,1", swept_headroom=True))


@pytest.mark.parametrize(
    ("blocks", "pawn", "proven"),
    [
        ([], "red@4,4,0", False),
        (SHAFT, "red@4,4,0", True),
        (SHAFT[:3], "red@4,4,0", False),
        ([*SHAFT[:3], "1z@4,5,0"], "red@4,4,0", False),  # over the low wall
        ([*SHAFT[:3], "1z@4,5,0", "1z@3,5,0", "1z@5,5,0", "1z@4,6,0"], "red@4,4,0", False),
        (["10z@0,1,0", "9z@1,0,0"], "red@0,0,0", True),  # beyond the edge nothing is ever built in layer 0
        (["3z@0,1,0", "3z@1,0,0"], "red@0,0,1", False),  # a pawn on level 1 may go over a block in layer 1 there
        (["2z@2,0,0", "2z@0,2,0", "3x@1,0,2", "3y@0,1,2"], "red@0,0,0", True),  # under low beams it never gets up
    ],
)
def test_a_blockade_is_proven_only_where_nothing_built_could_help(blocks: list[str], pawn: str, proven: bool) -> None:
    red = Pawn.parse(pawn)
    answer = blockade(situation(blocks, [pawn]), red)
    assert answer.proven == proven
    if proven:
        assert any(block in answer.reason for block in blocks)


def test_a_pawn_is_blocked_for_good_when_the_wood_that_is_left_does_not_reach() -> None:
    longer = [length for length in range(2, 11) for _ in range(STOCK[length])]
    far_away = [f"{length}x@0,{30 + row},0" for row, length in enumerate(longer)]
    for used, proven in ((0, False), (1, True)):  # ten levels to climb, and ten or nine 1s to do it with
        ones = [f"1z@{30 + number},0,0" for number in range(used)]
        answer = blockade(situation([*far_away, *ones], ["red@4,4,0"]), Pawn.parse("red@4,4,0"))
        assert answer.proven == proven, answer.reason
    assert "9 units of wood are left" in answer.reason


@pytest.mark.parametrize(
    ("blocks", "block", "ways"),
    [
        ([], "3x@3,4,0", 5),
        (["3z@2,4,0"], "3x@3,4,0", 4),  # not from the left
        (["2z@3,4,0", "2z@5,4,0", "3x@3,4,2"], "1z@4,4,0", 2),  # under a bridge, from the front and from behind
        ([*SHAFT, "3x@3,4,3"], "1z@4,4,0", 0),
    ],
)
def test_a_hand_needs_a_straight_way_in(blocks: list[str], block: str, ways: int) -> None:
    tower = Tower.parse(blocks)
    assert len(ways_in(tower, Placement.parse(block))) == ways


def test_a_way_in_is_advice_or_a_rule() -> None:
    place = situation([*SHAFT, "3x@3,4,3"])
    step = Proposal.parse("1z@4,4,0")
    advised = rule_on(place, step, Table())
    assert (advised.violations, advised.warnings) == (
        (),
        ("advice: 1z@4,4,0 has no straight way in that is clear of blocks and pawns",),
    )
    strict = rule_on(replace(place, options=Options(insertion=True)), step, Table())
    assert strict.violations == ("build.space",)


@pytest.mark.parametrize(
    ("blocks", "length", "count"),
    [
        ([], 1, 100),
        ([], 4, 2 * 70 + 100),
        ([], 10, 2 * 10 + 100),
        (["1z@4,4,0"], 2, 2 * 88 + 99 + 5),  # two of each row through the cube are taken; five on top of it
        (["10z@4,4,0"], 1, 99),  # nothing above level 10
        (["2z@3,4,0", "2z@5,4,0", "3x@3,4,2"], 1, 98 + 3),  # on the board also under the bridge
    ],
)
def test_placements_are_counted_by_hand(blocks: list[str], length: int, count: int) -> None:
    found = placements(situation(blocks), length)
    assert len(found) == count, [str(block) for block in found]
    assert [str(block) for block in found] == sorted(str(block) for block in found)


@pytest.mark.parametrize("board", ["green", "island", "table"])
@pytest.mark.parametrize("length", [1, 3, 10])
def test_placements_are_what_the_build_rules_allow_of_all_that_there_is(board: str, length: int) -> None:
    tower = random_tower(7, 4)
    top = max(tower.standing_room, key=lambda surface: surface.z)
    place = situation([str(block) for block in tower.blocks], [f"red{top}"], board)
    everywhere = product("z" if length == 1 else "xyz", range(-10, 20), range(-10, 20), range(11))
    allowed = {
        block
        for block in (Placement(length, *where) for where in everywhere)
        if not build_breaches(replace(place, blocks=(block,)))
    }
    if board == "table":  # which has no end
        fields = set(product(range(10), repeat=2))
        allowed = {block for block in allowed if block.z > 0 or set(block.footprint) <= fields}
    assert set(placements(place, length)) == allowed


def test_placements_go_under_bridges_and_beyond_the_edge_but_not_into_pawns() -> None:
    bridge = ["2z@3,4,0", "2z@5,4,0", "3x@3,4,2"]
    assert "1z@4,4,0" in map(str, placements(situation(bridge), 1))
    assert "1z@4,4,0" not in map(str, placements(situation(bridge, ["red@4,4,0"]), 1))
    assert "3x@-2,0,1" in map(str, placements(situation(["1z@0,0,0"]), 3))


def test_on_the_island_board_layer_0_is_land_only() -> None:
    assert len(placements(situation([], board="island"), 1)) == 40


# ---- the command line


def talo(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "s.yaml"
    path.write_text("title: x\ntower: [1z@4,4,0]\npawns: [red@3,4,0]\npropose: 9x@0,0,0\n")
    return str(path)


def test_moves_are_printed_a_line_each_and_judged_on_request(scenario: str) -> None:
    lines = talo("moves", scenario, "--length", "10").stdout.splitlines()
    assert lines == sorted(lines)
    assert "10y@4,0,1" in lines
    assert "10x@0,4,1" not in lines  # the pawn's second level
    answers = [json.loads(line) for line in talo("moves", scenario, "--length", "10", "--json").stdout.splitlines()]
    assert [answer["placement"] for answer in answers] == lines
    assert answers[0]["verdict"] is None


def test_moves_of_a_tower_that_is_written_out_are_those_of_the_file(scenario: str) -> None:
    written_out = talo("moves", "--tower", "1z@4,4,0", "--pawn", "red@3,4,0", "--length", "10")
    assert written_out.stdout == talo("moves", scenario, "--length", "10").stdout
    on_island = talo("moves", "--tower", "", "--board", "island", "--length", "1").stdout
    assert on_island != talo("moves", "--tower", "", "--length", "1").stdout


def test_judged_moves_have_verdict_and_ruling(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("title: x\nboard: island\ntower: [1z@4,4,0]\n")
    answers = [
        json.loads(x) for x in talo("moves", str(path), "--length", "3", "--judge", "--json").stdout.splitlines()
    ]
    by_place = {answer["placement"]: answer for answer in answers}
    assert by_place["3x@3,4,1"] == {"placement": "3x@3,4,1", "verdict": "stands", "legal": True}
    assert by_place["3x@4,4,1"] == {"placement": "3x@4,4,1", "verdict": "topples", "legal": False}


def test_reach_prints_surfaces_and_the_blockade(scenario: str, tmp_path: Path) -> None:
    answer = talo("reach", scenario, "--pawn", "red").stdout
    assert answer == "@4,4,1\nred can reach 1 surface; it is not proven to be blocked for good\n"
    answer = json.loads(talo("reach", scenario, "--pawn", "red", "--json").stdout)
    assert (answer["reachable"], answer["blockade"]) == (["@4,4,1"], "not proven")
    shut = tmp_path / "shut.yaml"
    shut.write_text(f"title: x\ntower: [{', '.join(SHAFT)}]\npawns: [red@4,4,0]\n")
    assert json.loads(talo("reach", str(shut), "--pawn", "red", "--json").stdout)["blockade"] == "proven"
    last = talo("reach", str(shut), "--pawn", "red").stdout.splitlines()[-1]
    assert last.startswith("red can reach no surfaces; it is blocked for good: ")


def test_bad_questions_are_told(scenario: str, tmp_path: Path) -> None:
    for arguments, expected in (
        (("reach", scenario, "--pawn", "blue"), "no blue pawn; there are: red"),
        (("moves", scenario, "--length", "11"), "11 is not in the range"),
        (("moves", str(tmp_path / "none.yaml"), "--length", "1"), "no such file"),
        (("moves", "--length", "1"), "give scenario files"),
        (("moves", scenario, "--tower", "1z@0,0,0", "--length", "1"), "goes with a tower, not with files"),
        (("moves", scenario, scenario, "--length", "1"), "one scenario file was expected, not 2"),
    ):
        result = talo(*arguments)
        assert (result.exit_code, expected in result.stderr) == (2, True), result.stderr
