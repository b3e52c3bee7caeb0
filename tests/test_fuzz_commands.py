"""Whole commands on spoilt files and options: exit code 0, 1 or 2, JSON where it was asked for, never a traceback.

Most files are spoilt so gently that they can still be read, so that what they say has to be judged as well. Other and
more inputs: see `test_fuzz.py`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner, Result
from hypothesis import strategies as st

from talo_physics.faces.cli import main
from talo_physics.game.record import parse_record
from talo_physics.geometry.profile import figure_keys, shipped_profile
from talo_physics.sweep.parameters import figures
from tests.fuzzing import GENTLE, TIMES, as_bytes, fuzz, spoilt
from tests.test_fuzz import RECORDS, SCENARIOS

pytestmark = pytest.mark.slow

COMMANDS = {"judge": 600, "check": 200, "explain": 300, "render": 40, "moves and reach": 100, "replay": 200}
COMMANDS |= {"figures": 100, "written out": 300, "options": 200, "typed": 60}
"""How many command lines of each kind are run."""
JUDGED = {"judge": 200, "check": 60, "explain": 80, "render": 10, "replay": 60, "figures": 30}
"""Of so many at least the input could be read, and an answer came."""

SMALL = [text for text in SCENARIOS if len(text) < 1200]
"""Not those of 55 blocks: when one of these falls, a pawn is tried on each of a hundred surfaces, for half a minute."""
STILL_READ = spoilt(SMALL, GENTLE, most=3)
SPOILT = as_bytes(STILL_READ) | as_bytes(STILL_READ) | as_bytes(spoilt(SMALL, most=2))


def _no_number(name: str) -> NoReturn:
    raise AssertionError(f"{name} is no JSON")


def ran(*arguments: object) -> Result:
    """A command that was run as from the command line, and ended as one should."""
    result = CliRunner().invoke(main, [str(part) for part in arguments], catch_exceptions=False)
    assert result.exit_code in (0, 1, 2), result.output
    assert "Traceback" not in result.output, result.output
    assert (result.exit_code == 2) <= bool(result.stderr.strip()), "bad input, and no word about it"
    if "--json" in arguments:
        for line in result.stdout.splitlines():
            json.loads(line, parse_constant=_no_number)
    return result


class Files:
    """Runs a command on files of the inputs' bytes, and counts how many gave an answer."""

    def __init__(self, folder: Path, name: str, *arguments: object) -> None:
        self.path, self.arguments, self.answered = folder / name, arguments, 0

    def __call__(self, raw: bytes) -> None:
        self.path.write_bytes(raw)
        self.answered += ran(*self.arguments, self.path).exit_code in (0, 1)


@pytest.mark.parametrize(
    ("command", "options"),
    [("judge", ["--json"]), ("check", []), ("explain", ["--json"])],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_can_be_read_can_be_judged(command: str, options: list[str], tmp_path: Path) -> None:
    files = Files(tmp_path, "case.yaml", command, *options, "--disputes", tmp_path / "disputes")
    fuzz(COMMANDS[command], SPOILT, files)
    assert files.answered >= JUDGED[command] * TIMES


def test_what_can_be_read_can_be_drawn(tmp_path: Path) -> None:
    outputs = [part for ending in ("png", "glb", "html") for part in ("-o", tmp_path / f"tower.{ending}")]
    files = Files(tmp_path, "case.yaml", "render", "--size", "160x160", "--at", "end", *outputs)
    fuzz(COMMANDS["render"], SPOILT, files)
    assert files.answered >= JUDGED["render"] * TIMES


def test_what_can_be_read_has_its_moves_and_ways(tmp_path: Path) -> None:
    moves = Files(tmp_path, "case.yaml", "moves", "--length", 3, "--json")
    reach = Files(tmp_path, "case.yaml", "reach", "--pawn", "red", "--json")

    def check(raw: bytes) -> None:
        moves(raw)
        reach(raw)

    fuzz(COMMANDS["moves and reach"], SPOILT, check)
    assert moves.answered
    assert reach.answered


def test_a_record_that_can_be_read_can_be_adjudicated(tmp_path: Path) -> None:
    files = Files(tmp_path, "game.talo", "replay", "--json")
    short = [text for text in RECORDS if len(text) < 3000]
    fuzz(COMMANDS["replay"], as_bytes(spoilt(short, GENTLE, most=2)) | as_bytes(spoilt(short, most=1)), files)
    assert files.answered >= JUDGED["replay"] * TIMES


KEYS = [key.replace(".N.", f".{length}.") for length in (1, 4) for key in figure_keys()]
FACTORS = st.sampled_from([0.0, 1e-300, 1e-9, 0.1, 0.51, 0.9, 1.1, 1.49, 2.0, 25.0, 1e5, 1e300])


def test_with_any_figures_that_a_profile_may_have_it_is_judged(tmp_path: Path) -> None:
    path, answered = tmp_path / "case.yaml", 0
    path.write_text("title: x\ntower: [1z@3,4,0, 1z@6,4,0, 4x@3,4,1]\npawns: [red@2,5,0]\npropose: 1z@4,4,2\n")
    nominal = dict(figures(shipped_profile("nominal")))

    def check(settings: dict[str, float]) -> None:
        nonlocal answered
        usual = {key: nominal[key].value if key in nominal else 5.6 for key in settings}
        given = [f"--set={key}={usual[key] * factor!r}" for key, factor in settings.items()]
        answered += ran("judge", "--json", "--margin", "--disputes", tmp_path, *given, path).exit_code == 0

    fuzz(COMMANDS["figures"], st.dictionaries(st.sampled_from(KEYS), FACTORS, max_size=3), check)
    assert answered >= JUDGED["figures"] * TIMES


BLOCKS = ["1z@3,4,0", "1z@3,4,0 3x@2,4,1", "2x@3,4,0, 1z@3,4,1; 1z@4,4,1", "3~4.5,4.5,0.5,0,0,45"]
STEPS = ["4x@2,4,1 + 1z@2,4,2", "red@3,4,1 -> red@2,4,2", "bump 1z@3,4,0 by 0.02,0,0", "red@0,0,0", "3~3,4,2,0,0,9"]
NAMES = ["green", "classic", "island", "fantasy", "nominal", "red", "mine.yaml"]


def test_a_tower_can_be_written_out_in_any_way() -> None:
    texts = {
        "--tower": spoilt(BLOCKS, most=1),
        "--propose": spoilt(STEPS, most=1),
        "--pawn": spoilt(["red@3,4,1", "blue@2,2,0"], most=1),
        "--board": spoilt(NAMES, most=1),
        "--turn": spoilt(NAMES, most=1),
        "--variant": st.sampled_from(["standard", "fantasy"]),
        "--set": spoilt(["friction=0.3", "pawn.mass_g=5", "blocks.1.length_mm=19.5"], most=1),
    }
    given = st.fixed_dictionaries({"--tower": texts.pop("--tower")}, optional=texts)
    fuzz(
        COMMANDS["written out"],
        given.filter(lambda options: not any("\0" in text for text in options.values())),  # no shell can say it
        lambda options: ran("judge", "--json", *(f"{name}={text}" for name, text in options.items())) and None,
    )


TYPED = ["3x@2,4,0", "2x@0,0,0; go @0,0,1", "red@2,2,0 -> red@3,2,1", "bump 3x@2,4,0 by 1,0,0; rebuilt", "red@0,0,0"]
TYPED += ["try 3x@2,4,0", "moves 4", "reach", "draw", "stock", "undo", "help", "hint", "7", "y", "n", "save", ""]


def test_players_may_type_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # they may save, too
    game = tmp_path / "game.talo"

    def check(lines: list[str]) -> None:
        game.unlink(missing_ok=True)
        command = ["play", str(game), "--seed=3", "--players=red blue", "--start=red@2,2,0", "--start=blue@7,7,0"]
        typed = "\n".join(line.replace("/", "").encode("utf-8", "replace").decode() for line in lines)
        result = CliRunner().invoke(main, command, input=typed, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert parse_record(game.read_text()).record.players

    fuzz(COMMANDS["typed"], st.lists(spoilt(TYPED, most=1), max_size=6), check)


OPTIONS: list[tuple[list[str], dict[str, list[str]]]] = [
    (["render"], {"--from": ["30,25", "left"], "--size": ["200x200"], "--at": ["1.5", "end"]}),
    (
        ["hand", "--trials=1", "--jobs=1"],
        {"--width": ["0.5"], "--seed": ["1"], "--hand": ["adult"], "--set": ["friction=1"]},
    ),
    (["hand", "--bump", "--jobs=1"], {"--block": ["1z@3,4,0"]}),
    (["reach"], {"--pawn": ["red"]}),
    (["moves"], {"--length": ["4"], "--profile": ["nominal"]}),
]


def test_options_may_be_anything(tmp_path: Path) -> None:
    case = tmp_path / "case.yaml"
    case.write_text("title: x\ntower: [1z@3,4,0]\npawns: [red@2,2,0]\npropose: 3x@2,4,1\n")
    lines = [
        st.fixed_dictionaries({}, optional={name: spoilt(texts, most=1) for name, texts in options.items()}).map(
            lambda chosen, command=command: [*command, *(f"{name}={text}" for name, text in chosen.items())]
        )
        for command, options in OPTIONS
    ]

    def check(line: list[str]) -> None:
        ran(*line, *(["-o", tmp_path / "tower.glb"] if line[0] == "render" else []), case)

    fuzz(COMMANDS["options"], st.one_of(lines), check)
