"""Killed with SIGKILL at a chosen moment and started again: nothing is lost, and it ends as if nothing had happened.

The process under test stops by itself in the middle of a system call and says so on its standard output; only then
it is killed. So each test kills at the same moment every time, and nobody waits for a clock.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

pytestmark = pytest.mark.slow

STOPPED = "stopped: "
STOPS = f"""
import multiprocessing, os, sys
from talo_physics.faces.cli import main

call, number, share = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
real, count = getattr(os, call), 0

def stops(*given):
    global count
    count += 1
    if count == number:
        if call == "write":  # a part of it is out already
            real(given[0], given[1][: int(len(given[1]) * share)])
        print({STOPPED!r}, *(process.pid for process in multiprocessing.active_children()), flush=True)
        sys.stdin.readline()
    return real(*given)

setattr(os, call, stops)
main(sys.argv[4:])
"""


@dataclass
class Stopped:
    """A `talo` that stands still in the middle of a call."""

    process: subprocess.Popen[str]
    told: list[str]
    """What it had printed until then."""
    workers: list[int]

    def kill(self) -> None:
        """It is gone, and had no chance to tidy up."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def stopped(arguments: list[object], call: str, number: int, share: float = 0.0) -> Iterator[Stopped]:
    """Run `talo`, and wait until it stands still in the `number`-th `os.<call>`; of a write a share is out already."""
    options = [call, str(number), str(share), *(str(argument) for argument in arguments)]
    process = subprocess.Popen(
        [sys.executable, "-c", STOPS, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        try:
            told: list[str] = []
            for line in process.stdout:
                if line.startswith(STOPPED):
                    yield Stopped(process, told, [int(pid) for pid in line.removeprefix(STOPPED).split()])
                    break
                told.append(line)
            else:
                raise AssertionError(f"it ended with {process.wait()} before it came to that: {told}")
        finally:
            process.kill()


def talo(*arguments: object) -> str:
    """Run `talo` to its end; what it printed."""
    command = [sys.executable, "-m", "talo_physics", *(str(argument) for argument in arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# ---- sweeps

ROWS, CHUNK = 16, 2


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    """A sweep of eight chunks."""
    path = tmp_path / "sweep.yaml"
    path.write_text(
        f"towers: {{count: 4, blocks: 3}}\nparameters: {{friction: [0.2, 0.3, 0.4, 0.5]}}\nchunk: {CHUNK}\n"
    )
    return path


def rows_of(folder: Path) -> pl.DataFrame:
    return pl.scan_parquet(folder / "parts" / "*.parquet").collect()


def files_in(folder: Path) -> list[str]:
    """The names of all files, those half written too, but for the lock."""
    return sorted(item.name for item in folder.rglob("*") if item.is_file() and item.name != ".lock")


def parts_in(folder: Path) -> int:
    return len(list((folder / "parts").glob("*.parquet")))


# The manifest is the first file that is written, the chunks follow. Kept: how many chunks are whole by then.
MOMENTS = {1: [("fsync", 1, 0), ("replace", 2, 0), ("replace", 9, 7)], 2: [("fsync", 6, 4)]}
"""By the number of processes."""


@pytest.mark.parametrize("jobs", MOMENTS)
def test_a_sweep_killed_while_it_writes_goes_on_and_ends_with_the_same_rows(
    sweep: Path, tmp_path: Path, jobs: int
) -> None:
    talo("sweep", sweep, "-o", tmp_path / "whole", "--jobs", 1)
    for call, number, kept in MOMENTS[jobs]:
        out = tmp_path / f"{call}-{number}"
        with stopped(["sweep", sweep, "-o", out, "--jobs", jobs], call, number) as halted:
            half_done = [name for name in files_in(out) if name.startswith(".")]
            halted.kill()
        assert len(half_done) == 1, "it was to be killed with a file half way"
        assert parts_in(out) == kept
        summary = json.loads(talo("sweep", sweep, "-o", out, "--jobs", jobs, "--json"))
        assert (summary["done"], summary["new"]) == (ROWS, ROWS - CHUNK * kept)
        assert rows_of(out).equals(rows_of(tmp_path / "whole"))
        assert files_in(out) == files_in(tmp_path / "whole"), "something half done was left behind"


def test_killed_again_and_again_a_sweep_comes_to_its_end(sweep: Path, tmp_path: Path) -> None:
    talo("sweep", sweep, "-o", tmp_path / "whole", "--jobs", 1)
    out = tmp_path / "out"
    for kept in range(3):  # each life writes one chunk, and is killed in the next (at first it writes the manifest too)
        with stopped(["sweep", sweep, "-o", out, "--jobs", 1], "fsync", 2 if kept else 3) as halted:
            halted.kill()
        assert parts_in(out) == kept + 1
    talo("sweep", sweep, "-o", out, "--jobs", 1)
    assert rows_of(out).equals(rows_of(tmp_path / "whole"))


def test_a_sweep_whose_worker_is_killed_says_so_and_goes_on_with_the_same_command(sweep: Path, tmp_path: Path) -> None:
    talo("sweep", sweep, "-o", tmp_path / "whole", "--jobs", 1)
    out = tmp_path / "out"
    with stopped(["sweep", sweep, "-o", out, "--jobs", 2], "fsync", 2) as halted:
        assert len(halted.workers) == 2
        for worker in halted.workers:
            os.kill(worker, signal.SIGKILL)
        _, complaint = halted.process.communicate("go on\n")
    assert halted.process.returncode == 2
    assert "the same command goes on from there" in complaint
    assert "Traceback" not in complaint
    kept = parts_in(out)
    assert 1 <= kept < ROWS // CHUNK
    summary = json.loads(talo("sweep", sweep, "-o", out, "--jobs", 2, "--json"))
    assert summary["new"] == ROWS - CHUNK * kept
    assert rows_of(out).equals(rows_of(tmp_path / "whole"))


# ---- games

HEADER = ["--computer", "red=random", "--computer", "blue=random", "--seed", "3", "--json"]


@pytest.fixture(scope="module")
def whole_game(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The record of the game that nobody killed."""
    path = tmp_path_factory.mktemp("whole") / "game.talo"
    talo("play", path, *HEADER)
    return path.read_text()


@pytest.mark.parametrize("share", [0.02, 0.5, 0.999, 1.0], ids=lambda share: f"{share:g} of the line")
def test_a_game_killed_in_the_middle_of_a_line_is_the_same_game_in_the_end(
    whole_game: str, tmp_path: Path, share: float
) -> None:
    path, turn = tmp_path / "game.talo", 7
    with stopped(["play", path, *HEADER], "write", turn, share) as halted:
        halted.kill()
    assert len(halted.told) == turn - 1
    assert whole_game.startswith(path.read_text()), "what is on the disk is the beginning of the game"
    went_on = [json.loads(line) for line in talo("play", path, "--json").splitlines()]
    assert went_on[0]["number"] in (turn, turn + 1)
    assert path.read_text() == whole_game


def test_a_game_killed_between_turns_has_every_turn_that_was_told(whole_game: str, tmp_path: Path) -> None:
    path = tmp_path / "game.talo"
    for turn in (1, 9):  # the file is brought to the disk once when it is begun, and once a turn
        if path.exists():
            path.unlink()
        with stopped(["play", path, *HEADER], "fsync", 1 + turn) as halted:
            halted.kill()
        told = [json.loads(line)["number"] for line in halted.told]
        assert told == list(range(1, turn))
        talo("play", path, "--json")
        assert path.read_text() == whole_game


def test_a_game_killed_while_it_begins_or_is_repaired_can_be_begun_or_repaired_again(
    whole_game: str, tmp_path: Path
) -> None:
    path = tmp_path / "game.talo"
    for call in ("fsync", "replace"):
        with stopped(["play", path, *HEADER], call, 1) as halted:
            halted.kill()
        assert not path.exists()
    torn = "".join(whole_game.splitlines(keepends=True)[:15])[:-20]
    path.write_text(torn)
    for call in ("fsync", "replace"):  # the first thing that is written is the file without its torn line
        with stopped(["play", path, "--json"], call, 1) as halted:
            halted.kill()
        assert path.read_text() == torn
    talo("play", path, "--json")
    assert path.read_text() == whole_game
