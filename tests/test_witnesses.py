"""Other witnesses: MuJoCo behind the same interface, naive PyBullet, and the count of who agrees with whom."""

from __future__ import annotations

import builtins
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from talo_physics import Scenario, Tower, judge, load_profile, load_scenario
from talo_physics.bench.agree import Agreement, Witnesses
from talo_physics.bench.growing import random_tower
from talo_physics.bench.speed import ANSWER, VERDICT, towers
from talo_physics.bench.stopwatch import PARTS, by_part
from talo_physics.bench.witnesses import WITNESSES
from talo_physics.errors import MissingExtraError
from talo_physics.faces.cli import main
from talo_physics.faces.disputes import save_dispute
from talo_physics.physics import mujoco
from talo_physics.physics.bodies import bodies_of, materials
from talo_physics.physics.bullet import World
from talo_physics.physics.examiner import Examiner
from talo_physics.physics.naive import naive_stands
from talo_physics.physics.numbers import WARY
from talo_physics.physics.trial import Setup
from talo_physics.rules.take import STOCK
from talo_physics.scenario.file import parse_scenario, scenario_text

ROOT = Path(__file__).parent.parent
NOMINAL = load_profile("nominal")


def mujoco_stands(*blocks: str) -> bool:
    return mujoco.run(bodies_of(NOMINAL, Tower.parse(blocks).blocks), materials(NOMINAL), Setup(patience=WARY)).stood


def test_mujoco_sees_the_figures_as_the_judge_does() -> None:
    assert mujoco_stands("1z@4,4,0", "3x@3,4,1")
    assert not mujoco_stands("1z@4,4,0", "4x@3,4,1")
    assert mujoco_stands("1z@4,4,0", "2z@7,4,0", "4x@3,4,1")
    assert not mujoco_stands("1z@4,4,0", "2z@2,4,0", "4x@3,4,1")
    assert mujoco_stands(*(f"1z@4,4,{z}" for z in range(10)))


def test_without_mujoco_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name == "mujoco":
            raise ImportError(name)
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    assert not mujoco.is_installed()
    with pytest.raises(MissingExtraError, match=r"pip install 'talo-physics\[check\]'"):
        mujoco_stands("1z@4,4,0")


def test_every_witness_knows_the_plain_cases_whether_a_pawn_is_there_or_not() -> None:
    stands = Tower.parse(["1z@4,4,0", "3x@3,4,1"], ["red@3,4,2"])
    falls = Tower.parse(["1z@4,4,0", "3x@4,4,1"], ["red@4,4,2"])
    assert {name: ask(stands) for name, ask in WITNESSES.items()} == dict.fromkeys(WITNESSES, True)
    assert {name: ask(falls) for name, ask in WITNESSES.items()} == dict.fromkeys(WITNESSES, False)


def test_only_statics_may_abstain() -> None:
    leans = Tower.parse(["1z@4,4,0", "4x@3,4,1", "2z@7,4,0"])
    assert [ask(leans) for ask in WITNESSES.values()] == [True, None, True, True]


def test_naive_pybullet_knows_the_plain_cases() -> None:
    assert naive_stands(Tower.parse(["1z@4,4,0", "3x@3,4,1"]).blocks, NOMINAL)  # type: ignore[arg-type]
    assert not naive_stands(Tower.parse(["1z@4,4,0", "3x@4,4,1"]).blocks, NOMINAL)  # type: ignore[arg-type]


def test_random_towers_are_the_same_for_the_same_seed_and_keep_to_the_stock() -> None:
    assert random_tower(1, 5) == random_tower(1, 5)
    assert random_tower(1, 5) != random_tower(2, 5)
    for number in range(6):
        tower = random_tower(1, number)
        assert not list(tower.defects())
        assert all(sum(block.length == n for block in tower.blocks) <= STOCK[n] for n in STOCK)
        assert all(block.top <= 10 for block in tower.blocks)  # type: ignore[union-attr]


def test_wrong_is_who_contradicts_statics_where_it_is_clear() -> None:
    stands = judge(Scenario(Tower.parse(["1z@4,4,0"])))
    lean = judge(Scenario(Tower.parse(["1z@4,4,0", "2z@7,4,0", "4x@3,4,1"])))
    count = Agreement()
    count.add(Witnesses(0, stands, naive=False, mujoco=None))
    count.add(Witnesses(1, stands, naive=True, mujoco=None))
    count.add(Witnesses(2, lean, naive=True, mujoco=None))
    assert (count.towers, count.clear, count.clear_disagreements) == (3, 2, 0)
    assert (count.naive_wrong, count.mujoco_wrong, count.marginal) == (1, None, 0)


def test_bench_agree_prints_the_json_of_the_contract(tmp_path: Path) -> None:
    arguments = ["bench", "agree", "-n", "6", "--seed", "4", "--jobs", "1", "--json", "--disputes", str(tmp_path)]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    answer = json.loads(result.stdout)
    assert result.exit_code == 0
    assert {"towers", "clear", "clear_disagreements", "disputed", "naive_wrong", "mujoco_wrong"} <= set(answer)
    assert answer["towers"] == 6
    assert answer["clear_disagreements"] == 0


def test_bench_agree_asks_only_whom_it_was_told_to() -> None:
    result = CliRunner().invoke(
        main, ["bench", "agree", "-n", "2", "--no-naive", "--jobs", "1"], catch_exceptions=False
    )
    assert "naive PyBullet          not asked" in result.stdout


def test_the_bench_has_towers_that_stand_and_fall_and_balance_on_an_edge() -> None:
    assert list(towers(9, 4, 1)) == list(towers(9, 4, 1))
    assert list(towers(9, 4, 1)) != list(towers(9, 4, 2))
    found = [Examiner(NOMINAL).examine(tower.with_pawns(()), (), ANSWER) for tower in towers(9, 4, 1)]
    assert [(str(each.verdict), each.marginal) for each in found] == [
        ("stands", False),
        ("topples", True),
        ("stands", False),
        ("topples", False),
    ]


def test_what_falls_is_found_out_only_where_it_is_asked_for() -> None:
    tower = Tower.parse(["1z@4,4,0", "4x@3,4,1"])
    verdict, answer = (Examiner(NOMINAL).examine(tower, (), wishes) for wishes in (VERDICT, ANSWER))
    assert (verdict.verdict, verdict.marginal) == (answer.verdict, answer.marginal)
    assert (verdict.fallen, [str(block) for block in answer.fallen]) == ((), ["4x@3,4,1"])
    assert verdict.cost.sim_s < answer.cost.sim_s


def test_the_time_is_counted_where_it_is_spent_and_nothing_stays_behind() -> None:
    before = World.advance
    with by_part() as watch:
        Examiner(NOMINAL).examine(Tower.parse(["1z@4,4,0", "3x@3,4,1"]), (), VERDICT)
    assert all(watch.ms[part] > 0 for part in PARTS)
    assert World.advance is before


def test_bench_prints_the_json_of_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("talo_physics.faces.benching.SIZES", (5, 10))
    result = CliRunner().invoke(main, ["bench", "-n", "2", "--json"], catch_exceptions=False)
    answer = json.loads(result.stdout)
    assert set(answer["sizes"]) == {"5", "10"}
    assert set(answer["sizes"]["5"]) >= {
        *(f"{name}_ms" for name in ("judge", "naive", "mujoco", "static")),
        *(f"{name}_wrong" for name in ("judge", "naive", "mujoco")),
    }
    assert answer["sizes"]["5"]["judge_wrong"] == 0
    assert set(answer["sizes"]["5"]["judge_parts_ms"]) >= {"setup", "stepping", "polling", "statics"}
    assert isinstance(answer["exponent"], float)


# ---- disputes


def test_a_scenario_is_written_as_it_is_read() -> None:
    for path in sorted((ROOT / "scenarios").rglob("*.yaml"))[::7]:
        scenario = load_scenario(path)
        again = parse_scenario(scenario_text(scenario, "a note\nof two lines").encode(), "again.yaml")
        assert (again.tower, again.proposal, again.title) == (scenario.tower, scenario.proposal, scenario.title)
        assert (again.board, again.edition, again.variant, again.turn) == (
            scenario.board,
            scenario.edition,
            scenario.variant,
            scenario.turn,
        )


def test_a_dispute_is_saved_once_as_a_ready_scenario(tmp_path: Path) -> None:
    answer = judge(load_scenario(ROOT / "scenarios/figures/20-lean.yaml"))
    first, second = (save_dispute(answer, str(tmp_path)) for _ in range(2))
    assert first == second
    (path,) = tmp_path.iterdir()
    assert first == f"written as {path}"
    assert load_scenario(path).proposal == answer.scenario.proposal
    assert "statics says undecided" in path.read_text()


def test_a_dispute_keeps_the_profile_it_arose_under(tmp_path: Path) -> None:
    scenario = load_scenario(ROOT / "scenarios/figures/20-lean.yaml")
    slippery = replace(scenario, profile=scenario.profile.changed({"friction": 0.35}))
    save_dispute(judge(slippery), str(tmp_path))
    (path,) = tmp_path.glob("*.yaml")
    assert load_scenario(path).profile.friction.value == 0.35


def test_a_dispute_that_cannot_be_written_is_told_and_not_fatal(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    answer = judge(load_scenario(ROOT / "scenarios/figures/20-lean.yaml"))
    assert save_dispute(answer, str(tmp_path / "file")).startswith("not written: ")


def test_options_of_agree_stand_behind_its_name() -> None:
    result = CliRunner().invoke(main, ["bench", "-n", "3", "agree"], catch_exceptions=False)
    assert (result.exit_code, "stand behind its name" in result.stderr) == (2, True)


# ---- explain


def talo(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_explain_says_why_in_words() -> None:
    text = talo("explain", str(ROOT / "scenarios/figures/21-together.yaml"))
    assert "4x@2,4,1 puts 28 g on 1z@3,4,0" in text
    assert "4x@2,4,1 over the edge x=3.99 of 1z@3,4,0, 5.78 mm to spare" in text
    falls = talo("explain", "--tower", "1z@4,4,0", "--propose", "3x@4,4,1")
    for part in ("3x@4,4,1 over the edge x=4.99 of 1z@4,4,0", "17.5 g on @4,4,2", "balance.odd-centred"):
        assert part in falls


def test_explain_says_what_holds_with_the_pawns_and_what_without() -> None:
    held = talo("explain", "--tower", "1z@3,4,0 4x@2,4,1", "--pawn", "red@2,4,2")
    assert "with the pawns it stands, without them it falls" in held
    assert "  statics     with the pawns: stands" in held
    assert "  weakest     with the pawns: 4x@2,4,1" in held
    assert "  first       without the pawns: 4x@2,4,1 falls first" in held
    beside = talo("explain", "--tower", "1z@3,4,0 3x@2,4,1", "--pawn", "red@7,7,0")
    assert "with the pawns" not in beside  # on the board it changes nothing


def test_explain_as_json_adds_the_reasons_to_the_judgement() -> None:
    answer = json.loads(talo("explain", "--json", str(ROOT / "scenarios/figures/20-lean.yaml")))
    assert answer["verdict"] == "stands"
    why = answer["explanation"]
    assert (why["static"], why["reason"]) == ("undecided", "lean")
    assert why["tips"] == {"piece": "4x@2,4,1", "on": "1z@3,4,0", "edge": "edge x=3.99", "spare_mm": 0.0}
    assert 0 < why["help"]["least_friction"] < 0.4
    fallen = json.loads(talo("explain", "--json", str(ROOT / "scenarios/figures/19-even-4-on-standing.yaml")))
    assert fallen["explanation"]["first_fallen"] == "4x@3,4,1"
    assert fallen["explanation"]["help"]["pawn_surfaces"] == fallen["counterweights"]
