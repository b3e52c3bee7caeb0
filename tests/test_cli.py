"""The command line, as people and scripts meet it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from talo_physics.faces.cli import main

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / "scenarios" / "figures"
GAME = str(ROOT / "scenarios" / "games" / "blockade.talo")
GOOD, TIPS = str(FIGURES / "21-together.yaml"), str(FIGURES / "19-even-4-on-standing.yaml")


def talo(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin, catch_exceptions=False)


def lines(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    path = tmp_path / "wrong.yaml"
    path.write_text("title: x\ntower: [1z@3,4,0]\nexpect: {verdict: topples}\n")
    return str(path)


@pytest.fixture
def bad(tmp_path: Path) -> str:
    path = tmp_path / "bad.yaml"
    path.write_text("title: x\ntower: [12x@3,4,0]\n")
    return str(path)


def test_json_is_one_object_a_line_in_input_order_with_the_fields_of_the_contract() -> None:
    result = talo("judge", "--json", TIPS, GOOD)
    assert result.exit_code == 0
    first, second = lines(result)
    assert list(first) == [
        "scenario",
        "title",
        "verdict",
        "marginal",
        "legal",
        "violations",
        "fallen",
        "moved",
        "tilt_deg",
        "static",
        "disputed",
        "counterweights",
        "collapse",
        "warnings",
        "sim",
    ]
    assert (first["scenario"], second["scenario"]) == (TIPS, GOOD)
    assert (first["verdict"], first["marginal"], first["legal"]) == ("topples", True, False)
    assert first["collapse"] == {"extent": "proposal", "loser": None, "winner": [], "rules": ["collapse.rebuilt"]}
    assert (second["verdict"], second["collapse"], second["tilt_deg"]) == ("stands", None, None)
    assert set(second["sim"]) == {"trials", "steps", "sim_s", "wall_ms"}  # type: ignore[call-overload]


def test_a_tower_can_be_written_out() -> None:
    (answer,) = lines(talo("judge", "--json", "--tower", "1z@3,4,0", "--propose", "4x@2,4,1"))
    assert (answer["verdict"], answer["fallen"]) == ("topples", ["4x@2,4,1"])
    together = talo("judge", "--json", "--tower", "1z@3,4,0, 1z@9,9,0", "--propose", "4x@2,4,1 + 1z@2,4,2")
    assert lines(together)[0]["legal"] is True
    pawn = talo("judge", "--json", "--tower", "1z@3,4,0 4x@2,4,1", "--pawn", "red@2,4,2")
    assert lines(pawn)[0]["verdict"] == "needs_pawn"


def test_the_margin_and_the_profile_can_be_asked_for() -> None:
    (answer,) = lines(talo("judge", "--json", "--margin", "--tower", "1z@3,4,0"))
    assert answer["tilt_deg"] == pytest.approx(21.8, abs=0.3)
    (slippery,) = lines(talo("judge", "--json", "--margin", "--set", "friction=0.1", "--tower", "1z@3,4,0"))
    assert slippery["tilt_deg"] == pytest.approx(5.7, abs=0.3)
    (icy,) = lines(talo("judge", "--json", "--margin", "--set", "friction=0", "--tower", "1z@3,4,0"))
    assert (icy["verdict"], icy["static"]["tilt_deg"]) == ("stands", 0)


def test_settings_change_each_scenarios_own_profile() -> None:
    scenario = str(ROOT / "scenarios" / "edges" / "pawn-on-a-centred-9.yaml")
    assert lines(talo("judge", "--json", scenario))[0]["verdict"] == "stands"
    heavy = talo("judge", "--json", "--set", "pawn.mass_g=60", scenario)
    assert (lines(heavy)[0]["verdict"], heavy.exit_code) == ("pawn_topples", 1)


def test_standard_input_is_read() -> None:
    result = talo("judge", "--json", "-", stdin="title: from a pipe\ntower: [1z@3,4,0]\n")
    assert lines(result)[0]["title"] == "from a pipe"


def test_an_unmet_expectation_exits_1_and_says_so(wrong: str) -> None:
    assert talo("judge", "--json", wrong).exit_code == 1
    result = talo("check", wrong)
    assert result.exit_code == 1
    assert "verdict: expected topples, got stands" in result.stdout


def test_a_bad_file_exits_2_and_the_others_are_still_judged(bad: str, wrong: str) -> None:
    result = talo("judge", "--json", bad, GOOD, wrong)
    assert result.exit_code == 2
    assert len(lines(result)) == 2
    assert f"{bad}:2:9: tower[0]" in result.stderr


def test_one_trial_is_not_called_trials() -> None:
    assert "simulated  1 trial, " in talo("judge", "--tower", "1z@3,4,0").stdout


def test_a_plus_between_the_blocks_of_a_tower_is_understood() -> None:
    plain, plus = (talo("moves", "--tower", f"1z@2,4,0{mark}1z@6,4,0", "--length", "9") for mark in (" ", " + "))
    assert (plus.exit_code, plus.stdout) == (0, plain.stdout)


def test_a_folder_is_searched(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("b.yaml", "a.yml", "deep/c.yaml"):
        (tmp_path / name).write_text(f"title: {name}\ntower: [1z@0,0,0]\n")
    (tmp_path / "notes.txt").write_text("not a scenario")
    assert [answer["title"] for answer in lines(talo("judge", "--json", str(tmp_path)))] == [
        "a.yml",
        "b.yaml",
        "deep/c.yaml",
    ]


BESIDE = {
    "varnished.yaml": ("profile", "name: varnished\nfriction: {value: 0.2, source: 'title page'}\n"),
    "slippery.yml": ("profile", "blocks: {3: {mass_g: 20}}\n"),
    "sub/lagoon.yaml": ("board", "name: lagoon\nfields: |\n" + "  ~~~~~~~~~~\n" * 10),
    "shaky.yaml": ("hand", "name: shaky\nposition_mm: 3\ntilt_deg: 2\n"),
}


def test_profiles_boards_and_hands_beside_the_scenarios_of_a_folder_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name, (_, text) in BESIDE.items():
        (tmp_path / name).write_text(text)
    result = talo("check", str(tmp_path))
    assert result.exit_code == 2
    assert "no scenario files (*.yaml) in this folder" in result.stderr
    (tmp_path / "flow.yaml").write_text("{title: x, profile: varnished.yaml, board: sub/lagoon.yaml}\n")
    result = talo("check", str(tmp_path))
    assert result.exit_code == 0
    told = [f"{tmp_path / name}: a {kind}, not a scenario" for name, (kind, _) in BESIDE.items()]
    assert sorted(result.stderr.splitlines()) == sorted(told)


@pytest.mark.parametrize("name", BESIDE)
def test_a_profile_board_or_hand_in_place_of_a_scenario_is_told(tmp_path: Path, name: str) -> None:
    kind, text = BESIDE[name]
    path = tmp_path / Path(name).name
    path.write_text(text)
    result = talo("judge", str(path))
    assert (result.exit_code, result.stderr) == (2, f"{path}: a {kind}, not a scenario\n")


def test_a_file_that_might_be_anything_is_read_as_a_scenario(tmp_path: Path) -> None:
    (tmp_path / "named.yaml").write_text("name: x\n")
    (tmp_path / "mixed.yaml").write_text("friction: 0.2\nfields: none\n")
    (tmp_path / "broken.yaml").write_text("fields: [\n")
    result = talo("check", str(tmp_path))
    assert result.exit_code == 2
    for place in ("named.yaml:1:1: title: is required", "mixed.yaml:1:1: title: is", "broken.yaml:2:1: not YAML"):
        assert place in result.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("judge",), "give scenario files"),
        (("judge", "nowhere.yaml"), "nowhere.yaml: no such file"),
        (("judge", "--tower", "1z@0,0,0", GOOD), "--tower goes with a tower, not with files"),
        (
            ("judge", "--tower", "1z@2,4,0", "1z@6,4,0"),
            'put all blocks into one quoted text: --tower "1z@2,4,0 1z@6,4,0"',
        ),
        (("judge", "--tower", "1z@0,0"), "--tower: '1z@0,0': three whole numbers"),
        (("judge", "--tower", "1z@0,0,4"), "--tower: 1z@0,0,4 floats"),
        (("judge", "--propose", "4x@2,4,1 +"), "--propose: '': a placement"),
        (("judge", "--set", "friction", GOOD), "KEY=VALUE"),
        (("judge", GAME), "blockade.talo: a recorded game, not a scenario; 'talo replay' adjudicates it"),
        (("render", GAME, "-o", "tower.png"), "blockade.talo: a recorded game, not a scenario"),
        (("hand", "--width", "nan", GOOD), "nan is not a number"),
        (("judge", "--set", "friction=high", GOOD), "KEY=VALUE"),
        (("judge", "--set", "frction=1", GOOD), "no such key"),
        (("judge", "--set", "pawn.mass_g=-1", GOOD), "pawn.mass_g: must lie between"),
        (("judge", "--profile", "oak", GOOD), "neither a shipped profile"),
        (("judge", "--tower", "1z@0,0,0", "--turn", "purple"), "--turn: one of"),
        (("judge", "--tower", "1z@0,0,0", "--pawn", "red@0,0"), "--pawn: 'red@0,0': three whole numbers"),
        (("judge", "--tower", "1z@0,0,0", "--board", ""), "--board: '' is neither"),
        (("judge", "--profile", "", GOOD), "'' is neither a shipped profile"),
        (("check",), "Missing argument"),
        (("chek",), "No such command"),
        (("judge", "--bogus"), "No such option"),
    ],
)
def test_bad_usage_exits_2_with_a_message_on_stderr(arguments: tuple[str, ...], expected: str) -> None:
    result = talo(*arguments)
    assert result.exit_code == 2
    assert expected in result.stderr
    assert result.stdout == ""


def test_an_empty_folder_is_told_and_the_others_are_judged(tmp_path: Path) -> None:
    result = talo("judge", "--json", str(tmp_path), GOOD)
    assert (result.exit_code, "no scenario files" in result.stderr) == (2, True)
    assert len(lines(result)) == 1


def test_a_setting_is_checked_against_each_scenarios_own_profile(tmp_path: Path) -> None:
    blocks = "".join(f"  {n}: {{length_mm: {40 * n}, section_mm: 40}}\n" for n in range(1, 11))
    (tmp_path / "big.yaml").write_text(f"pitch_mm: 40\nblocks:\n{blocks}")
    (tmp_path / "s.yaml").write_text("title: x\nprofile: big.yaml\ntower: [1z@0,0,0]\n")
    assert talo("judge", "--set", "blocks.1.length_mm=41", str(tmp_path / "s.yaml")).exit_code == 0


def in_a_shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    python = f"{sys.executable} -m talo_physics"
    done = subprocess.run(
        ["bash", "-c", command.replace("talo", python, 1)],
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        check=False,
    )
    assert b"Traceback" not in done.stderr
    return done


def test_output_that_cannot_be_written_is_a_message_or_silence_never_a_traceback(tmp_path: Path) -> None:
    full = in_a_shell(f"talo judge {GOOD} > /dev/full")
    assert (full.returncode, b"No space left" in full.stderr) == (2, True)
    assert in_a_shell(f"talo judge --json {GOOD} {TIPS} {GOOD} {TIPS} | head -c 1").returncode == 0
    assert in_a_shell(f"talo judge {GOOD} >&-").returncode == 2
    closed = in_a_shell("talo judge - <&-")
    assert (closed.returncode, b"standard input is closed" in closed.stderr) == (2, True)
    (tmp_path / "s.yaml").write_text("title: Türmchen\ntower: [1z@0,0,0]\n")
    ascii_only = in_a_shell(f"talo judge {tmp_path / 's.yaml'}", PYTHONIOENCODING="ascii")
    assert (ascii_only.returncode, b"T\\xfcrmchen" in ascii_only.stdout) == (0, True)


def test_people_get_the_verdict_the_rules_and_what_would_hold_it() -> None:
    text = talo("judge", TIPS).stdout
    for part in ("topples (marginal)", "balance.even-tips (fig 19)", "fell", "@3,4,2", "the game goes on"):
        assert part in text
    assert "\x1b[" not in text  # plain when piped


def test_several_are_a_line_each_when_piped() -> None:
    text = talo("judge", TIPS, GOOD).stdout.splitlines()
    assert text == [
        f"{TIPS}: topples (marginal), illegal: balance.falls, balance.even-tips",
        f"{GOOD}: stands, legal",
    ]


def test_check_counts() -> None:
    assert "2 scenarios: 2 as expected, 0 not" in talo("check", TIPS, GOOD).stdout
    assert [answer["unmet"] for answer in lines(talo("check", "--json", TIPS))] == [[]]


def test_schema_prints_json() -> None:
    assert json.loads(talo("schema").stdout)["title"] == "Talo scenario"


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout.strip()


def test_import_alone_and_help_bring_in_nothing_heavy() -> None:
    names = ("pybullet", "scipy", "trimesh", "PIL", "numpy", "pydantic", "polars", "dask", "distributed", "pettingzoo")
    heavy = f"set({names}) & set(sys.modules)"
    assert run(f"import sys, talo_physics; print({heavy})") == "set()"
    assert run(f"import sys, talo_physics.faces.cli; print({heavy})") == "set()"


def test_standard_output_holds_nothing_but_json(tmp_path: Path) -> None:
    """In a process of its own: PyBullet prints from C, past Python's own streams."""
    done = subprocess.run(
        [sys.executable, "-m", "talo_physics", "judge", "--json", TIPS],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "80"},
    )
    assert json.loads(done.stdout)["verdict"] == "topples"
    assert done.stderr == ""


def test_a_margin_that_statics_cannot_tell_is_printed_all_the_same() -> None:
    result = talo("judge", "--margin", str(FIGURES / "20-lean.yaml"))
    assert result.exit_code == 0
    assert "degrees of tilt (statics: cannot tell)" in result.stdout
