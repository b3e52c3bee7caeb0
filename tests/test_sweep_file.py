"""The sweep file: what it may say, and what is told of one that says something else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from talo_physics.errors import TaloError
from talo_physics.game.record import parse_record
from talo_physics.sweep import table
from talo_physics.sweep.gaming import game_seed, seating
from talo_physics.sweep.parameters import Axis
from talo_physics.sweep.plan import Plan
from talo_physics.sweep.spec import Spec, Towers, load_spec
from tests.test_sweep import ROOT, talo


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("title: nothing to do\n", ["at least one of scenarios, towers, games was expected"]),
        ("towers: {count: 0}\nseeds: 2\n", ["1:17: towers.count:", "2:8: seeds: unknown field; did you mean 'seed'?"]),
        ("towers: {cuont: 20}\n", ["1:17: towers.cuont: unknown field; did you mean 'count'?"]),
        ("towers: {count: 1, daring: 0.5}\n", ["1:28: towers.daring: goes with blocks"]),
        (
            "towers: {count: 1}\nparameters: {hand: 3}\n",
            ["2:20: parameters.hand: one of the hands adult, child, steady"],
        ),
        (
            "towers: {count: 1}\nparameters: {frction: 3}\n",
            ["2:23: parameters.frction: no such parameter; known: tilt"],
        ),
        (
            "towers: {count: 1}\nparameters:\n  friction: [0.2, x, -1]\n  spread: 0\n",
            ["3:19: parameters.friction[1]: a number", "4:11: parameters.spread: a number of draws"],
        ),
        (
            "towers: {count: 1}\nparameters: {friction: [-1]}\n",
            ["2:24: parameters.friction: must lie between 0 and 10"],
        ),
        ("towers: {count: 1}\nparameters: {friction: {from: 1, too: 2}}\n", ["friction.too: unknown field", "to is"]),
        ("towers: {count: 1}\nparameters: {tilt_deg: 90}\n", ["2:24: parameters.tilt_deg: a tilt lies between 0"]),
        ("towers: {count: 1}\nparameters: {friction: [0.2, 0.2]}\n", ["parameters.friction: a value is given twice"]),
        ("games: {count: 1, players: [red]}\n", ["1:28: games.players: 1 player; 2 to 4 can play"]),
        (
            "games: {count: 1, computers: clever}\n",
            ["1:30: games.computers: one of random, climber, reckless, or a list of different ones was expected"],
        ),
        ("games: {count: 1, computers: [climber, climber]}\n", ["1:30: games.computers: one of random"]),
        ("games: {count: 1, computers: [[climber], {a: 1}]}\n", ["1:30: games.computers: one of random"]),
        ("games: {count: 1, board: nowhere}\n", ["1:26: games.board: 'nowhere' is neither a shipped board"]),
        (
            "title: x\nscenarios: [nowhere.yaml, nowhere]\n",
            [
                "spec.talo-sweep:2:13: scenarios[0]: nowhere.yaml: no such file or folder",
                "spec.talo-sweep:2:27: scenarios[1]: nowhere: no such file or folder",
            ],
        ),
        ('scenarios: ["a\\0b"]\n', ["1:13: scenarios[0]: a\\x00b: no such file or folder"]),
        ("scenarios: [.]\nprofile: nobody\n", ["2:10: profile: 'nobody' is neither", "bad.yaml:2:9: tower[0]"]),
        ("[1, 2]\n", ["1:1: a sweep is a mapping"]),
    ],
)
def test_every_fault_of_a_sweep_file_is_told_with_its_place(tmp_path: Path, text: str, complaints: list[str]) -> None:
    if "[.]" in text:
        (tmp_path / "bad.yaml").write_text("title: x\ntower: [12x@3,4,0]\n")
    path = tmp_path / "spec.talo-sweep"
    path.write_text(text)
    result = talo(path, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    for complaint in complaints:
        assert complaint in result.stderr
    assert not (tmp_path / "out").exists()


def test_the_shipped_sweep_file_is_one() -> None:
    plan = Plan(load_spec(ROOT / "notebooks" / "sweep.yaml"))
    assert plan.rows == (len(plan.spec.scenarios) + 8) * 2 * 3 * 2 * 2
    assert len(plan.spec.scenarios) > 40


def test_the_shipped_games_are_a_thousand() -> None:
    plan = Plan(load_spec(ROOT / "notebooks" / "games.yaml"))
    assert plan.rows == len(list(plan.ranges())) == 1000
    assert plan.spec.games is not None
    kept = pl.read_parquet(ROOT / "notebooks" / "data" / "games.parquet")
    assert kept["number"].to_list() == kept["row"].to_list() == list(range(1000))
    assert [tuple(kinds) for kinds in kept["computers"]] == [seating(plan.spec.games, n) for n in range(1000)]
    assert kept["error"].null_count() == 1000
    assert kept.schema == {name: kind for name, kind in table.schema().items() if name in kept.columns}
    records = [parse_record(text).record for text in kept["text"][::50]]
    assert [record.seed for record in records] == [game_seed(1, number) for number in range(0, 1000, 50)]


def test_a_sweep_is_the_same_sweep_in_every_process() -> None:
    code = (
        "from talo_physics.sweep.plan import Plan; from talo_physics.sweep.spec import load_spec; "
        "print(Plan(load_spec('notebooks/sweep.yaml')).fingerprint)"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1


def test_chunks_cover_every_row_once() -> None:
    for count in (1, 15, 16, 17, 100_000):
        plan = Plan(Spec(towers=Towers(count=count), axes=(Axis("friction", (0.2, 0.4)),)))
        ranges = list(plan.ranges())
        assert [first for first, _ in ranges] == [0, *(end for _, end in ranges[:-1])]
        assert ranges[-1][1] == plan.rows == 2 * count
        assert len(ranges) <= max(1 + 2 * count // 16, 1001)
    with pytest.raises(TaloError, match="rows; 100000000 at most"):
        Plan(Spec(towers=Towers(count=10**8), axes=(Axis("friction", (0.2, 0.4)),))).checked()
