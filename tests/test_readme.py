"""The README tells the truth: its commands run, its output is real, its Python is doctested."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner

from talo_physics import load_board, load_profile
from talo_physics.faces.cli import main
from talo_physics.game.record import parse_record
from talo_physics.game.replay import replay
from talo_physics.rules.options import Options
from talo_physics.scenario.file import parse_scenario

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.S)


def invoke(command: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, shlex.split(command)[1:], catch_exceptions=False)
    return result.exit_code, result.stdout


COMMANDS = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
SET_UP = [line for line in COMMANDS if line.startswith("python3 -m venv")]


def test_two_lines_set_up_and_one_of_them_is_what_ci_runs() -> None:
    assert len(SET_UP) == 2
    assert "-m pytest" in SET_UP[1]
    assert "grep -m1 -- '-m pytest' README.md" in (ROOT / ".ci" / "run").read_text()


@pytest.mark.parametrize("command", [SET_UP[0].split("/bin/")[-1], *(c for c in COMMANDS if c not in SET_UP)])
def test_command_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As in the checkout, but what a command writes stays out of it.
    for name in ("scenarios", "notebooks", "talo_physics/geometry/examples"):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    code, output = invoke(command)
    assert code == 0
    assert output


@pytest.mark.parametrize("example", blocks("console"))
def test_output_is_real(example: str) -> None:
    command, _, expected = example.partition("\n")
    _, output = invoke(command.removeprefix("$ "))

    def without_time(text: str) -> str:
        return re.sub(r"in \d+ ms", "in N ms", text).strip()

    assert without_time(output) == without_time(expected)


def test_the_record_is_as_the_referee_says() -> None:
    (example,) = blocks("talo")
    assert [line.wrong for line in replay(parse_record(example).record)] == [""] * 4


def test_the_scenario_is_one_and_the_sweep_is_the_shipped_one() -> None:
    scenario, sweep, *_ = blocks("yaml")
    assert parse_scenario(scenario.encode(), "README.md").expect is not None
    assert sweep == (ROOT / "notebooks" / "sweep.yaml").read_text()


def test_the_profile_and_the_board_are_ones(tmp_path: Path) -> None:
    *_, profile, board = blocks("yaml")
    (tmp_path / "varnished.yaml").write_text(profile)
    (tmp_path / "lagoon.yaml").write_text(board)
    assert load_profile("varnished.yaml", beside=tmp_path).blocks[4].length_mm.value == 79.6
    assert load_board("lagoon.yaml", beside=tmp_path).name == "lagoon"


def test_every_option_is_in_the_table() -> None:
    table = README.partition("| option |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)", table, re.M) != []
    assert set(re.findall(r"^\| `(\w+)", table, re.M)) == {field.name for field in fields(Options)}


def test_python_examples_are_doctested() -> None:
    text = "\n".join(blocks("python"))
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0
    assert test.examples


def test_every_command_that_there_is_is_in_the_table() -> None:
    assert set(re.findall(r"^\| `talo (\w+)", README, re.M)) == set(main.commands)
