"""Sweeps: what they judge, and that nothing is lost or done twice when they are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

import talo_physics
from talo_physics import load_profile
from talo_physics.errors import FileError, MissingExtraError, TaloError
from talo_physics.faces.cli import main
from talo_physics.faces.progress_lines import ProgressLines
from talo_physics.game.record import parse_record
from talo_physics.game.replay import replay
from talo_physics.scenario.file import parse_scenario
from talo_physics.sweep import table
from talo_physics.sweep.cluster import Workers, dask_workers
from talo_physics.sweep.columns import COLUMNS
from talo_physics.sweep.folder import Folder, open_folder
from talo_physics.sweep.gaming import seating
from talo_physics.sweep.parameters import Axis, Point, points
from talo_physics.sweep.plan import Numbered, Plan
from talo_physics.sweep.running import carry_out, missing
from talo_physics.sweep.spec import Games, Spec, Towers, load_spec
from talo_physics.sweep.working import run_chunk

ROOT = Path(__file__).parent.parent
COLUMN = """
title: A 3 on a column
tower: [1z@3,4,0]
propose: 3x@2,4,1
expect: {verdict: stands}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """Twelve rows of a scenario, six of two small towers."""
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "column.yaml").write_text(COLUMN)
    (tmp_path / "cases" / "even.yaml").write_text(COLUMN.replace("3x@2,4,1", "4x@2,4,1"))
    path = tmp_path / "sweep.yaml"
    path.write_text(
        "scenarios: [cases]\ntowers: {count: 2, blocks: 3}\nchunk: 2\n"
        "parameters:\n  friction: {from: 0.2, to: 0.4, steps: 3}\n  tilt_deg: [0, 30]\n"
    )
    return path


def talo(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["sweep", *(str(a) for a in arguments)], catch_exceptions=False)


def rows_of(folder: Path) -> pl.DataFrame:
    return pl.scan_parquet(folder / "parts" / "*.parquet").collect()


# ---- what is judged


def test_every_combination_is_a_row_with_its_provenance(spec: Path, tmp_path: Path) -> None:
    result = talo(spec, "-o", tmp_path / "out", "--jobs", 1, "--json")
    assert result.exit_code == 0
    summary = json.loads(result.stdout)
    assert (summary["rows"], summary["done"], summary["new"], summary["failed"]) == (24, 24, 24, 0)
    rows = rows_of(tmp_path / "out")
    assert rows["row"].to_list() == list(range(24))
    assert rows.schema == pl.Schema(table.schema())
    first = rows.row(0, named=True)
    assert (first["kind"], first["source"], first["verdict"]) == ("scenario", "cases/column.yaml", "stands")
    assert (first["version"], first["seed"]) == (talo_physics.__version__, 1)
    assert json.loads(first["parameters"]) == {"friction": 0.2, "table_tilt_deg": 0.0}
    assert (first["friction"], first["edge_inset_mm"]) == (0.2, 0.2)
    assert first["profile"] == "nominal (friction=0.2)"
    assert first["profile_fingerprint"] == load_profile("nominal").changed({"friction": 0.2}).fingerprint
    assert rows.filter(kind="tower")["number"].to_list() == [0] * 6 + [1] * 6
    again = parse_scenario(first["text"].replace(first["profile"], "nominal").encode(), "text")
    assert str(again.proposal) == "3x@2,4,1"


def test_a_tilt_asks_whether_it_still_stands_on_a_tilted_table(spec: Path, tmp_path: Path) -> None:
    talo(spec, "-o", tmp_path / "out", "--jobs", 1)
    rows = rows_of(tmp_path / "out").filter(source="cases/column.yaml")
    assert rows["stands_tilted"].to_list() == [True, False] * 3
    assert rows["verdict"].unique().to_list() == ["stands"]
    fallen = rows_of(tmp_path / "out").filter(source="cases/even.yaml")
    assert not fallen["stands_tilted"].any()
    assert fallen["unmet"].list.first()[0] == "verdict: expected stands, got topples"


def judged_towers(towers: Towers, *axes: Axis, margin: bool = False) -> list[dict[str, Any]]:
    plan = Plan(Spec(towers=towers, axes=axes, margin=margin))
    return run_chunk(plan.chunk(0, plan.rows))


def test_a_tilt_is_asked_by_itself_and_says_what_the_margin_says() -> None:
    tilts = Axis("tilt_deg", (0.0, 1.5, 6.0, 20.0))
    asked = judged_towers(Towers(count=3, blocks=6), tilts)
    searched = judged_towers(Towers(count=3, blocks=6), tilts, margin=True)
    assert [row["stands_tilted"] for row in asked] == [row["stands_tilted"] for row in searched]
    assert {row["stands_tilted"] for row in asked} == {True, False}
    assert {row["tilt_deg"] for row in asked} == {None}
    assert all(row["tilt_deg"] > 0 for row in searched)


def test_a_level_table_costs_nothing_more_and_one_direction_that_falls_is_enough() -> None:
    plain = judged_towers(Towers(count=3, blocks=6))
    rows = judged_towers(Towers(count=3, blocks=6), Axis("tilt_deg", (0.0, 1.5, 40.0)))
    level, slight, steep = rows[::3], rows[1::3], rows[2::3]
    assert [row["trials"] for row in level] == [row["trials"] for row in plain]
    assert [row["stands_tilted"] for row in level] == [row["verdict"] == "stands" for row in plain]
    assert [row["trials"] - 8 for row in slight] == [row["trials"] for row in plain]  # each direction once
    assert not any(row["stands_tilted"] for row in steep)
    assert [row["trials"] - 1 for row in steep] == [row["trials"] for row in plain]


def test_what_cannot_be_built_does_not_stand_tilted_either(tmp_path: Path) -> None:
    (tmp_path / "air.yaml").write_text(COLUMN.replace("3x@2,4,1", "3x@2,4,5"))
    path = tmp_path / "sweep.yaml"
    path.write_text("scenarios: [air.yaml]\nparameters: {tilt_deg: 1.5}\n")
    (row,) = run_chunk(Plan(load_spec(path)).chunk(0, 1))
    assert (row["error"], row["legal"], row["stands_tilted"]) == (None, False, False)


def test_daring_towers_do_not_all_stand() -> None:
    assert {row["verdict"] for row in judged_towers(Towers(count=8, blocks=12))} == {"stands"}
    daring = judged_towers(Towers(count=8, blocks=12, daring=0.3))
    assert {row["verdict"] for row in daring} >= {"topples"}
    assert [row["blocks"] for row in daring] == [12] * 8


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_daring_is_a_share(tmp_path: Path, share: float) -> None:
    path = tmp_path / "sweep.yaml"
    path.write_text(f"towers: {{count: 1, blocks: 3, daring: {share}}}\n")
    with pytest.raises(FileError, match=r"1:39: towers.daring: .* should be (greater|less) than or equal"):
        load_spec(path)


def test_a_hand_places_what_is_proposed_or_the_last_block_of_a_tower(tmp_path: Path) -> None:
    (tmp_path / "even.yaml").write_text(COLUMN.replace("3x@2,4,1", "4x@2,4,1"))
    path = tmp_path / "sweep.yaml"
    path.write_text("scenarios: [even.yaml]\ntowers: {count: 1, blocks: 2}\nparameters: {hand: [steady, child]}\n")
    assert talo(path, "-o", tmp_path / "out", "--jobs", 1).exit_code == 0
    rows = rows_of(tmp_path / "out")
    assert rows["hand"].to_list() == ["steady", "child"] * 2
    assert rows["falls_by_hand"][0] > 0.5  # an even block on a column
    assert (rows["falls_low"] <= rows["falls_by_hand"]).all()
    assert (rows["falls_by_hand"] <= rows["falls_high"]).all()


def test_where_a_hand_has_nothing_to_place_the_row_says_so(tmp_path: Path) -> None:
    (tmp_path / "air.yaml").write_text(COLUMN.replace("3x@2,4,1", "3x@2,4,5"))
    (tmp_path / "move.yaml").write_text(COLUMN.replace("3x@2,4,1", "red@2,4,0 -> red@3,4,1\npawns: [red@2,4,0]"))
    path = tmp_path / "sweep.yaml"
    path.write_text("scenarios: [air.yaml, move.yaml]\nparameters: {hand: adult}\n")
    assert talo(path, "-o", tmp_path / "out", "--jobs", 1).exit_code == 0
    rows = rows_of(tmp_path / "out")
    assert rows["falls_by_hand"].to_list() == [None, None]
    assert rows["verdict"].null_count() == 0  # judged all the same
    notes = ["\n".join(warnings) for warnings in rows["warnings"]]
    assert "not placed by hand: no hand can place it: build.support" in notes[0]
    assert "not placed by hand: no block is proposed" in notes[1]


def test_draws_follow_the_spread_and_the_seed_and_spare_what_is_set() -> None:
    nominal = load_profile("nominal")
    drawn = [point.profile(nominal, seed=1) for point in points((Axis("spread", (0.0, 1.0, 2.0)),))]
    assert len({profile.fingerprint for profile in drawn}) == 3
    assert all(abs(profile.friction.value - 0.4) <= 0.2 for profile in drawn)
    assert all(profile.pitch_mm.value == 20 for profile in drawn)
    assert drawn[0].name == "nominal, draw 0"
    assert drawn[0] == Point(draw=0).profile(nominal, seed=1) != Point(draw=0).profile(nominal, seed=2)
    chosen = Point((("friction", 0.3),), draw=0).profile(nominal, seed=1)
    assert (chosen.friction.value, chosen.density_kg_m3.value) == (0.3, drawn[0].density_kg_m3.value)


def test_the_same_blocks_follow_each_other() -> None:
    found = points((Axis("tilt_deg", (0.0, 1.0)), Axis("friction", (0.2, 0.3))))
    assert [(point.settings[0][1], point.tilt_deg) for point in found] == [(0.2, 0), (0.2, 1), (0.3, 0), (0.3, 1)]


@pytest.mark.slow
def test_a_game_is_a_row_with_its_record(tmp_path: Path) -> None:
    spec = tmp_path / "games.yaml"
    spec.write_text("games: {count: 2, computers: random, edition: classic, most_turns: 2}\n")
    assert talo(spec, "-o", tmp_path / "out", "--jobs", 1).exit_code == 0
    rows = rows_of(tmp_path / "out")
    assert rows["result"].to_list() == ["unfinished"] * 2
    assert rows["turns"].to_list() == [2, 2]
    assert rows["text"].n_unique() == 2
    assert [line.wrong for line in replay(parse_record(rows["text"][0]).record)] == [""] * 2
    for row in rows.iter_rows(named=True):
        assert sum(row["built"]) == row["blocks"] > 0
        assert (row["computers"], len(row["levels"]), row["extent"]) == (["random"] * 2, 2, None)


@pytest.mark.slow
def test_a_game_that_falls_says_how_often_and_how_far(tmp_path: Path) -> None:
    spec = tmp_path / "games.yaml"
    spec.write_text("games: {count: 3, computers: reckless}\n")
    assert talo(spec, "-o", tmp_path / "out", "--jobs", 1).exit_code == 0
    rows = rows_of(tmp_path / "out")
    falls = [text.count("| collapse ") for text in rows["text"]]
    assert rows["falls"].to_list() == falls
    assert sum(falls) > 0
    for row in rows.iter_rows(named=True):
        assert (row["extent"] in ("partial", "total")) == (row["result"] == "collapse") == (row["loser"] is not None)
        assert (max(row["levels"]) == 10) == (row["result"] == "won")


def test_several_kinds_of_players_take_every_seat_in_turn() -> None:
    games = Games.model_validate({"count": 5, "computers": ["climber", "reckless"]})
    seated = [seating(games, number) for number in range(5)]
    assert seated[:2] == [("climber", "climber"), ("climber", "reckless")]
    assert seated[2:4] == [("reckless", "climber"), ("reckless", "reckless")]
    assert seated[4] == seated[0]
    assert seating(Games.model_validate({"count": 1, "computers": "random"}), 7) == ("random", "random")


def test_a_game_is_played_once_however_many_hands_and_tilts_there_are() -> None:
    axes = Axis("friction", (0.2, 0.4)), Axis("hand", ("adult", "child")), Axis("tilt_deg", (0.0, 1.0))
    plan = Plan(Spec(towers=Towers(count=1), games=Games(count=2), axes=axes))
    assert plan.rows == 8 + 4
    assert [first for first, _ in plan.ranges()] == [0, 8, 9, 10, 11]
    cases = [plan.case(row) for row in range(8, 12)]
    assert [case.subject.number for case in cases if isinstance(case.subject, Numbered)] == [0, 0, 1, 1]
    assert [case.point.settings[0][1] for case in cases] == [0.2, 0.4] * 2
    assert {(case.point.hand, case.point.tilt_deg) for case in cases} == {(None, None)}
    with pytest.raises(IndexError):
        plan.case(12)


def test_a_row_that_cannot_be_judged_says_why_and_the_exit_code_tells(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(COLUMN)
    spec = tmp_path / "sweep.yaml"
    # Each figure is possible by itself; together they leave too little of a face.
    spec.write_text("scenarios: [case.yaml]\nparameters: {blocks.3.section_mm: [12, 20], edge_inset_mm: [0.2, 3.5]}\n")
    result = talo(spec, "-o", tmp_path / "out", "--jobs", 1)
    assert result.exit_code == 1
    assert "1 rows have no answer" in result.stdout
    rows = rows_of(tmp_path / "out")
    assert rows["error"].is_not_null().to_list() == [False, True, False, False]
    assert "too little of a face" in rows["error"][1]


def test_every_column_says_what_it_means() -> None:
    assert all(
        kind in ("int", "float", "bool", "text", "texts", "ints") and meaning for kind, meaning in COLUMNS.values()
    )


# ---- resuming


def test_a_limit_is_a_beginning_that_can_be_gone_on_with(spec: Path, tmp_path: Path) -> None:
    talo(spec, "-o", tmp_path / "whole", "--jobs", 1)
    assert talo(spec, "-o", tmp_path / "out", "--jobs", 1, "--limit", 5).exit_code == 0
    assert rows_of(tmp_path / "out").height == 5
    summary = json.loads(talo(spec, "-o", tmp_path / "out", "--jobs", 1, "--json").stdout)
    assert (summary["new"], summary["done"]) == (20, 24)  # the chunk that the limit cut short is done again
    assert rows_of(tmp_path / "out").equals(rows_of(tmp_path / "whole"))
    assert json.loads(talo(spec, "-o", tmp_path / "out", "--json").stdout)["new"] == 0


def test_a_folder_with_rows_of_another_sweep_is_refused(spec: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    talo(spec, "-o", out, "--jobs", 1, "--limit", 2)
    result = talo(spec, "-o", out, "--seed", 2)
    assert result.exit_code == 2
    assert "holds rows of another sweep (seed changed); give another folder" in result.stderr
    (tmp_path / "cases" / "column.yaml").write_text(COLUMN.replace("1z@3,4,0", "1z@2,4,0").replace("3x@2", "3x@1"))
    assert "(scenarios changed)" in talo(spec, "-o", out).stderr
    assert rows_of(out).height == 2
    result = talo(spec, "-o", tmp_path)
    assert result.exit_code == 2
    assert "holds cases and no sweep; give a new or empty folder" in result.stderr


def test_a_second_process_on_the_same_folder_is_told(spec: Path, tmp_path: Path) -> None:
    with open_folder(tmp_path / "out", Plan(load_spec(spec))):
        result = talo(spec, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert "another process is sweeping into this folder" in result.stderr


def test_ctrl_c_leaves_a_good_state_and_says_how_to_go_on(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def interrupted(chunk: Any) -> Any:
        calls.append(chunk)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return run_chunk(chunk)

    monkeypatch.setattr("talo_physics.sweep.running.run_chunk", interrupted)
    result = talo(spec, "-o", tmp_path / "out", "--jobs", 1)
    assert result.exit_code == 130
    assert "6 of 24 rows" in result.stdout
    assert "The same command goes on from there" in result.stderr
    monkeypatch.undo()
    assert "24 of 24 rows, 6 of them before" in talo(spec, "-o", tmp_path / "out", "--jobs", 1).stdout


def test_without_the_extra_it_says_what_to_install(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'talo-physics\[sweep\]'"), dask_workers("tcp://x:1"):
        pass
    monkeypatch.setitem(sys.modules, "polars", None)
    result = talo(spec, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert "polars is not installed; install it with: pip install 'talo-physics[sweep]'" in result.stderr


def test_jobs_and_a_cluster_do_not_go_together(spec: Path, tmp_path: Path) -> None:
    assert "give one of them" in talo(spec, "-o", tmp_path / "out", "--jobs", 2, "--dask", "tcp://x:1").stderr


def test_without_a_terminal_progress_is_a_line_every_half_minute(capsys: pytest.CaptureFixture[str]) -> None:
    now = 100.0
    lines = ProgressLines(1000, 100, "rows", clock=lambda: now)
    for seconds in (10.0, 29.0, 31.0, 40.0, 61.5):
        now = 100.0 + seconds
        lines.advance(20)
    now = 170.0
    lines.end()
    assert capsys.readouterr().err.splitlines() == [
        "160 of 1000 rows, 1.94 rows/s, 7 min 14 s left",
        "200 of 1000 rows, 1.63 rows/s, 8 min 12 s left",
        "200 of 1000 rows, 1.43 rows/s, 9 min 20 s left",
    ]


def test_a_long_time_left_is_told_in_hours(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    lines = ProgressLines(1000, 0, "rows", clock=lambda: now)
    now = 40.0
    lines.advance(5)
    assert capsys.readouterr().err == "5 of 1000 rows, 0.125 rows/s, 2 h 12 min left\n"


def test_a_piped_sweep_tells_its_end_and_nothing_where_there_is_nothing_to_do(spec: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert "5 of 5 rows, " in talo(spec, "-o", out, "--jobs", 1, "--limit", 5, "--json").stderr
    assert talo(spec, "-o", out, "--jobs", 1, "--limit", 4, "--json").stderr == ""


def parts_in(folder: Path) -> int:
    return len(list((folder / "parts").glob("*.parquet")))


@contextmanager
def started(*command: object, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is gone when the test is."""
    process = subprocess.Popen([sys.executable, *(str(part) for part in command)], **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_until(ready: Any, process: subprocess.Popen[bytes]) -> None:
    """Wait while the process runs; it must not end before."""
    while not ready():
        with suppress(subprocess.TimeoutExpired):
            raise AssertionError(f"it ended with {process.wait(0.02)}")


@pytest.fixture
def longer(spec: Path) -> Path:
    """A sweep of 60 chunks, two rows each."""
    text = "scenarios: [cases]\ntowers: {count: 4, blocks: 3}\nchunk: 2\n"
    spec.write_text(text + "parameters: {friction: {from: 0.2, to: 0.58, steps: 20}}\n")
    return spec


@pytest.mark.slow
def test_killed_at_any_moment_it_ends_with_the_same_rows(longer: Path, tmp_path: Path) -> None:
    spec = longer
    assert talo(spec, "-o", tmp_path / "whole", "--jobs", 1).exit_code == 0
    out = tmp_path / "out"
    command = ("-m", "talo_physics", "sweep", spec, "-o", out, "--jobs", 2)
    for kept in (1, 8):
        with started(*command, stdout=subprocess.DEVNULL) as process:
            wait_until(lambda: parts_in(out) >= kept, process)  # noqa: B023  # called at once
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        assert kept <= parts_in(out) < 60
    before = parts_in(out)
    (out / "parts" / ".rows-000000000-000000002.parquet.abc").write_bytes(b"half")  # as a killed process leaves it
    summary = json.loads(talo(spec, "-o", out, "--jobs", 2, "--json").stdout)
    assert summary["new"] == 2 * (60 - before)
    assert rows_of(out).equals(rows_of(tmp_path / "whole"))
    assert not list((out / "parts").glob(".rows*"))


# ---- a cluster


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two worker processes on loopback."""
    file = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    own = ("-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file)
    worker = ("-m", "dask", "worker", "--scheduler-file", file, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    worker = (*worker, "--local-directory", folder)
    with started(*own, **quiet) as scheduler:
        wait_until(lambda: file.is_file() and file.read_text().endswith("}"), scheduler)
        with started(*worker, **quiet) as one, started(*worker, **quiet) as other:
            yield json.loads(file.read_text())["address"], [one, other]


@pytest.mark.slow
def test_on_a_cluster_every_row_is_there_once_though_a_worker_is_killed(longer: Path, tmp_path: Path) -> None:
    from distributed import Client

    spec = longer
    plan = Plan(load_spec(spec))
    (tmp_path / "cluster").mkdir()
    with cluster(tmp_path / "cluster") as (address, processes):
        with Client(address) as client:
            client.wait_for_workers(2, timeout=60)
        with open_folder(tmp_path / "out", plan) as folder, dask_workers(address) as workers:
            chunks = missing(folder, None)
            done = carry_out(folder, workers, chunks)
            kept = next(done)
            processes[0].kill()  # with chunks given to it
            kept += sum(done)
        assert kept == plan.rows
        result = talo(spec, "-o", tmp_path / "again", "--dask", address)  # on the one that is left
        assert result.exit_code == 0
    rows = rows_of(tmp_path / "out")
    assert rows["row"].to_list() == list(range(plan.rows))
    assert rows.equals(rows_of(tmp_path / "again"))
    assert rows.rows(named=True)[:2] == run_chunk(plan.chunk(0, 2))


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_told(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("talo_physics.sweep.cluster.CONNECT_S", 0.2)
    result = talo(spec, "-o", tmp_path / "out", "--dask", "tcp://127.0.0.1:1")
    assert result.exit_code == 2
    assert "--dask tcp://127.0.0.1:1: no Dask scheduler there" in result.stderr


def test_a_worker_that_fails_costs_only_what_it_was_doing(spec: Path, tmp_path: Path) -> None:
    class Failing(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            if args[0].first == 4:
                return super().submit(divmod, 1, 0)
            return super().submit(fn, *args, **kwargs)

    class Gone(Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            raise BrokenExecutor("gone")

    plan = Plan(load_spec(spec))
    with open_folder(tmp_path / "out", plan) as folder, Failing(1) as threads:
        with pytest.raises(TaloError, match=r"rows 4 to 5: the worker failed .*ZeroDivisionError"):
            list(carry_out(folder, Workers(threads, 1), missing(folder, None)))
        assert folder_rows(folder) == [0, 1, 2, 3]
        with pytest.raises(TaloError, match=r"rows 4 to 5: the worker failed .BrokenExecutor: gone"):
            list(carry_out(folder, Workers(Gone()), missing(folder, None)))
        assert sum(carry_out(folder, Workers(), missing(folder, None))) == 20


def folder_rows(folder: Folder) -> list[int]:
    return rows_of(folder.path)["row"].to_list()


def test_a_sweep_file_among_its_scenarios_is_not_one_of_them(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(COLUMN)
    (tmp_path / "sweep.yaml").write_text("scenarios: [.]\n")
    assert [scenario.source for scenario in load_spec(tmp_path / "sweep.yaml").scenarios] == ["case.yaml"]


def test_a_board_among_the_scenarios_of_a_sweep_is_not_one_of_them(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "case.yaml").write_text(COLUMN)
    (tmp_path / "cases" / "sea.yaml").write_text("name: sea\nfields: none\n")
    (tmp_path / "sweep.yaml").write_text("scenarios: [cases]\n")
    result = talo(tmp_path / "sweep.yaml", "-o", tmp_path / "out", "--jobs", 1)
    assert result.exit_code == 0
    assert "cases/sea.yaml: a board, not a scenario" in result.stderr
    assert rows_of(tmp_path / "out")["source"].to_list() == ["cases/case.yaml"]


def test_files_are_read_once_and_their_faults_told_together(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("title: x\ntower: [12x@3,4,0]\n")
    (tmp_path / "two.yaml").write_text("tower: []\n")
    path = tmp_path / "sweep.spec"
    path.write_text("scenarios: [one.yaml, two.yaml]\n")
    with pytest.raises(FileError) as told:
        load_spec(path)
    assert [fault.source.split("/")[-1] for fault in told.value.faults] == ["one.yaml", "two.yaml"]
