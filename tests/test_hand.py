"""The calm hand: seeded, honest about what it does not know, and physical."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from talo_physics import Placement, Proposal, Scenario, TaloError, Tower, load_profile, load_scenario
from talo_physics.errors import FileError
from talo_physics.faces.cli import main
from talo_physics.game.record import parse_record
from talo_physics.geometry.hand import HANDS, Hand, load_hand
from talo_physics.hand.estimate import BATCH, Steadied, hand_trial, steady_hand, wilson
from talo_physics.hand.knock import knocks
from talo_physics.hand.sequence import survival
from talo_physics.physics.handling import HandTrial
from talo_physics.rules.options import Options
from talo_physics.rules.referee import rule_on
from tests.physics_table import Table
from tests.test_records import GAME


def scene(tower: list[str], propose: str, pawns: list[str] | None = None) -> Scenario:
    return Scenario(Tower.parse(tower, pawns or []), Proposal.parse(propose))


def placed(scenario: Scenario, hand: str = "adult", most: int = 2 * BATCH, **more: int | float) -> Steadied:
    *_, result = steady_hand(scenario, load_hand(hand), most, **more)  # type: ignore[arg-type]
    return result


SAFE = scene(["3z@3,4,0", "3z@5,4,0"], "3x@3,4,3")
EDGE = scene(["1z@3,4,0"], "4x@2,4,1")
SLENDER = scene([], "10z@4,4,0")


def test_a_bridge_stands_by_every_hand_and_a_knife_edge_by_hardly_any() -> None:
    assert [placed(SAFE, hand).falls for hand in HANDS.names] == [0, 0, 0]
    assert placed(EDGE, "steady").probability > 0.6


def test_a_child_fells_a_standing_10_more_often_than_a_steady_hand() -> None:
    assert placed(SLENDER, "child", 60).falls > placed(SLENDER, "steady", 60).falls


def test_a_perfect_hand_does_what_the_judge_says() -> None:
    perfect = Hand.model_validate(
        {
            "name": "perfect",
            "position_mm": 0,
            "yaw_deg": 0,
            "tilt_deg": 0,
            "height_mm": 0,
            "speed_mm_s": 0,
            "table_deg": 0,
        }
    )
    assert not hand_trial(SAFE, perfect, 1, 0).fell
    assert hand_trial(EDGE, perfect, 1, 0).fell


def test_the_same_seed_gives_the_same_trials_whatever_runs_them() -> None:
    alone = placed(EDGE, most=3 * BATCH, seed=5)
    with ThreadPoolExecutor(2) as pool:
        *_, together = steady_hand(EDGE, load_hand("adult"), 3 * BATCH, 5, executor=pool)
    assert alone.trials == together.trials
    assert alone.trials != placed(EDGE, most=3 * BATCH, seed=6).trials


def test_it_stops_once_the_interval_is_narrow_enough() -> None:
    result = placed(SAFE, most=1000, width=0.1)
    low, high = result.interval
    assert high - low <= 0.1
    assert len(result.trials) < 1000


@pytest.mark.parametrize("probability", [0.02, 0.3, 0.5, 0.9])
def test_the_interval_holds_the_true_probability_in_at_least_93_of_100(probability: float) -> None:
    rng = np.random.default_rng(1)
    repeats, held = 2000, 0
    for _ in range(repeats):
        low, high = wilson(int(rng.binomial(200, probability)), 200)
        held += low <= probability <= high
    assert held / repeats >= 0.93


@pytest.mark.slow
def test_the_interval_of_real_trials_holds_a_long_run() -> None:
    """Seeded repetitions of 40 trials against the frequency of all of them."""
    hand, count, size = load_hand("child"), 20, 40
    fell = np.array([hand_trial(SLENDER, hand, 11, number).fell for number in range(count * size)]).reshape(count, size)
    truth = fell.mean()
    held = [low <= truth <= high for low, high in (wilson(int(row.sum()), size) for row in fell)]
    assert np.mean(held) >= 0.93


def test_telling_falls_are_the_best_placed_the_largest_and_a_usual_one() -> None:
    one, other = Placement.parse("1z@0,0,0"), Placement.parse("2z@0,0,0")
    trials = (
        HandTrial(False, margin_deg=3.0),
        HandTrial(True, one, (one,), 3.0),
        HandTrial(True, one, (one,), 1.0),
        HandTrial(True, other, (one, other), 2.0),
        HandTrial(True, one, (one,), 2.0),
    )
    result = Steadied(EDGE, load_hand("adult"), 1, trials)
    assert result.telling == (2, 3, 4)
    assert result.first == [("1z@0,0,0", 3), ("2z@0,0,0", 1)]
    assert sum(count for _, _, count in result.histogram()) == 1


def test_a_trial_can_be_looked_at_again() -> None:
    result = placed(EDGE, "steady")
    replay = result.replay(result.telling[0])
    assert replay is not None
    assert replay.blocks == Tower.parse(["1z@3,4,0", "4x@2,4,1"]).blocks
    drop = replay.poses[0][1][2] - replay.poses[-1][1][2]
    assert drop > 0.1


def test_a_hand_feels_its_neighbours() -> None:
    """Between two walls a block has only the play of the grid."""
    walls = scene(["3z@3,4,0", "3z@5,4,0"], "1z@4,4,0")
    errors = [hand_trial(walls, load_hand("child"), 1, number).error_mm for number in range(30)]
    free = [hand_trial(scene([], "1z@4,4,0"), load_hand("child"), 1, number).error_mm for number in range(30)]
    assert np.mean(errors) < np.mean(free)


def test_the_spread_of_a_profile_is_drawn_for_each_block() -> None:
    uneven = load_profile("nominal").model_copy(
        update={
            "blocks": {
                n: figures.model_copy(update={"length_mm": figures.length_mm.model_copy(update={"spread": 3.0})})
                for n, figures in load_profile("nominal").blocks.items()
            }
        }
    )
    table = Tower.parse(["3z@3,3,0", "3z@5,3,0", "3z@3,5,0", "3z@5,5,0"])
    level = Scenario(table, Proposal.parse("3x@3,3,3"))
    odd = Scenario(table, Proposal.parse("3x@3,3,3"), profile=uneven)
    assert placed(level, "steady").falls == 0
    assert placed(odd, "steady").falls > 0  # legs that differ by millimetres: the beam settles askew


def test_nothing_to_place_is_told() -> None:
    with pytest.raises(TaloError, match="nothing for a hand to place"):
        placed(Scenario(Tower.parse(["1z@0,0,0"])))


def test_a_lean_has_no_margin_that_statics_could_tell() -> None:
    lean = load_scenario(Path(__file__).parent.parent / "scenarios" / "figures" / "20-lean.yaml")
    result = placed(lean, "steady")
    assert result.falls < len(result.trials)
    assert sum(count for _, _, count in result.histogram()) < len(result.trials) - result.falls


def test_a_negative_seed_is_another_seed() -> None:
    assert placed(EDGE, seed=-1).trials != placed(EDGE, seed=1).trials


# ---- knocks


def test_a_knock_that_fells_a_column_is_what_energy_says() -> None:
    """A 10 must be lifted over its edge: m v^2 / 2 = m g h, pushed at its centre it turns about its foot."""
    found = [knock.impulse_ns for knock in knocks(scene(["10z@4,4,0"], "1z@0,0,0"), Tower.parse(["10z@4,4,0"]).blocks)]
    mass, height, half_foot = 0.056, 0.2, 0.01 - 0.0002
    lift = math.hypot(height / 2, half_foot) - height / 2
    inertia = mass * (height**2 + 0.02**2) / 12 + mass * ((height / 2) ** 2 + half_foot**2)
    spin = math.sqrt(2 * mass * 9.81 * lift / inertia)
    expected = inertia * spin / (height / 2)
    assert all(impulse is not None and expected / 1.5 < impulse < 1.5 * expected for impulse in found), (
        found,
        expected,
    )


def test_a_flat_block_on_the_board_does_not_come_down() -> None:
    (first, *_) = knocks(scene(["4x@2,4,0"], "1z@0,0,0"), Tower.parse(["4x@2,4,0"]).blocks)
    assert first.impulse_ns is not None
    assert first.impulse_ns > 0.005  # it only slides away, and a block that leaves its field has fallen


# ---- games and advice


def test_a_game_survives_less_and_less() -> None:
    turns = list(survival(parse_record(GAME).record, load_hand("child"), BATCH, 1))
    assert [(turn.number, turn.illegal) for turn in turns] == [(1, ()), (2, ("build.space",)), (2, ())]
    assert all(turn.survives_low <= turn.survives <= turn.survives_high for turn in turns)
    assert turns[2].survives <= turns[1].survives == turns[0].survives <= 1.0


def test_a_turn_that_fell_in_the_record_ends_its_survival() -> None:
    text = GAME.replace("# to be continued\n", "3 red 2 = 2: 2x@0,0,0; bump 9z@6,7,0 by 0.06,0,0\n")
    text = text.replace("rebuild=2", "rebuild=never")
    *_, last = survival(parse_record(text).record, load_hand("steady"), BATCH, 1)
    assert (last.number, last.fell, last.survives) == (3, True, 0.0)


def test_calm_hand_is_advice_and_never_illegal() -> None:
    situation = scene([], "1z@0,0,0").situation
    step = Proposal.parse("10z@4,4,0")
    for most, advised in ((0.05, True), (0.5, False)):
        strict = Scenario(situation.tower, step).situation
        ruling = rule_on(type(strict)(**{**vars(strict), "options": Options(calm_hand=most)}), step, Table(risks=0.2))
        assert ruling.legal
        assert any("a hand brings it down with a probability of 20%" in text for text in ruling.warnings) == advised
    assert Options.parse(["calm_hand=0.05"]) == Options(calm_hand=0.05)
    with pytest.raises(TaloError, match="a probability such as"):
        Options.parse(["calm_hand=often"])


# ---- files and the command line


def talo(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["hand", *arguments], catch_exceptions=False)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "edge.yaml"
    path.write_text("title: an edge\ntower: [1z@3,4,0]\npropose: 4x@2,4,1\n")
    return str(path)


def test_the_command_prints_probability_first_blocks_and_pages(file: str, tmp_path: Path) -> None:
    result = talo(file, "--trials", "40", "--jobs", "1", "--replays", str(tmp_path / "falls"))
    assert result.exit_code == 0
    assert "with 95 % confidence" in result.stdout
    assert "goes first 4x@2,4,1" in result.stdout
    assert "the judge  topples, by a perfect hand" in result.stdout
    assert len(list((tmp_path / "falls").glob("*.html"))) == 3
    answer = json.loads(talo(file, "--trials", "40", "--jobs", "1", "--json").stdout)
    assert (answer["trials"], answer["falls"]) == (40, round(40 * answer["probability"]))
    assert answer["interval"][0] <= answer["probability"] <= answer["interval"][1]


def test_a_turn_that_is_not_placed_is_told(tmp_path: Path) -> None:
    path = tmp_path / "game.talo"
    path.write_text(GAME)
    few = ("--trials", str(BATCH), "--jobs", "1", "--hand", "steady")
    said = talo(str(path), *few).stdout.splitlines()
    assert said[1] == "turn   2 blue    is illegal (build.space): not placed"
    told = [json.loads(line) for line in talo(str(path), *few, "--json").stdout.splitlines()]
    assert [(turn["turn"], turn["illegal"], turn["wrong"]) for turn in told[:2]] == [
        (1, [], ""),
        (2, ["build.space"], ""),
    ]
    assert (told[1]["falls"], told[1]["survives"]) == (None, told[0]["survives"])


@pytest.mark.parametrize(
    ("ruling", "written", "expected"),
    [
        (" | illegal: build.space", "", "is illegal (build.space): not placed, nor any after it"),
        (" | illegal: build.space", " | legal", "is illegal (build.space): not placed, nor any after it"),
        (
            "9z@6,7,0 | legal",
            "9z@6,7,0 | wins: win.level-10",
            "is wrong in the record (the record says 'wins: win.level-10', the referee 'legal'): "
            "not placed, nor any after it",
        ),
    ],
)
def test_where_a_record_is_wrong_its_turns_end_and_say_so(
    tmp_path: Path, ruling: str, written: str, expected: str
) -> None:
    path = tmp_path / "game.talo"
    path.write_text(GAME.replace(ruling, written))
    *_, last = talo(str(path), "--trials", str(BATCH), "--jobs", "1", "--hand", "steady").stdout.splitlines()
    assert last == f"turn   2 blue    {expected}"


def test_a_tower_that_is_written_out_is_tried_as_one_in_a_file(file: str) -> None:
    often = ("--trials", "20", "--jobs", "1", "--json")
    written_out = json.loads(talo("--tower", "1z@3,4,0", "--propose", "4x@2,4,1", *often).stdout)
    assert written_out == {**json.loads(talo(file, *often).stdout), "scenario": written_out["scenario"]}


def test_two_processes_say_the_same_as_one(file: str) -> None:
    one, two = (json.loads(talo(file, "--trials", "80", "--jobs", jobs, "--json").stdout) for jobs in ("1", "2"))
    assert one == two


def test_bad_questions_to_a_hand_are_told(file: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("name: x\nposition_mm: -1\nyaw_deg: 1\ntilt_deg: often\nheight_mm: 1\nspeed_mm_s: 1\n")
    flat, air = tmp_path / "flat.yaml", tmp_path / "air.yaml"
    flat.write_text("title: x\ntower: [4x@3,3,0]\n")
    air.write_text("title: x\ntower: [1z@3,4,0]\npropose: 2x@5,5,3\n")
    for arguments, expected in (
        ((file, "--hand", "giant"), "neither a shipped hand (adult, child, steady) nor a file"),
        ((file, "--hand", str(bad)), "bad.yaml:2"),
        ((file, "--hand", str(bad)), "table_deg: is required"),
        ((file, "--block", "1z@3,4,0"), "--block goes with --bump"),
        ((file, "--bump"), "it does not stand by itself (topples)"),
        ((str(flat), "--bump", "--block", "9z@3,4,0"), "9z@3,4,0 is not in the tower"),
        ((str(air),), "no hand can place it: build.support: 2x@5,5,3 rests on nothing"),
        ((file, "--replays", str(bad)), "cannot be a folder"),
        ((str(tmp_path / "none.yaml"),), "no such file"),
        ((str(tmp_path / "none.talo"),), "no such file"),
        ((str(tmp_path / "none.talo"), "--tower", "1z@0,0,0"), "a tower and a profile of its own"),
        ((), "give scenario files"),
    ):
        result = talo(*arguments)
        assert (result.exit_code, expected in result.stderr) == (2, True), result.stderr
    with pytest.raises(FileError):
        load_hand(str(bad))
