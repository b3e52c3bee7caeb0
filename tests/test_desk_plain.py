"""The desk without a page: what is on the table, the ghost, the words, the clock, the files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

from talo_physics import Proposal, Scenario, Tower, Wishes, judge, load_board, load_scenario
from talo_physics.errors import FileError, TaloError
from talo_physics.faces.cli import main
from talo_physics.faces.desk.album import Album
from talo_physics.faces.desk.arrays import Picture, poses_of, squares
from talo_physics.faces.desk.clock import Clock
from talo_physics.faces.desk.desk import Desk
from talo_physics.faces.desk.files import Folder, checked_name, left_out, uploaded
from talo_physics.faces.desk.table import Choice, Table, ghost_of
from talo_physics.faces.desk.texts import head, reasons, verdict
from talo_physics.faces.desk.words import judged_lines
from talo_physics.faces.view.scene import scene_of
from talo_physics.faces.view.shapes import quaternions
from talo_physics.game.keeping import read_record
from talo_physics.game.record import Record
from talo_physics.scenario.file import parse_scenario
from talo_physics.tower.pawn import Surface
from tests.test_records import GAME

ROOT = Path(__file__).parent.parent / "scenarios"
TIPS = ROOT / "figures" / "19-even-4-on-standing.yaml"
DONE_S = 60
"""How long a simulation may take on a busy machine."""


def table(*blocks: str, pawns: tuple[str, ...] = (), board: str = "green") -> Table:
    return Table(Scenario(Tower.parse(blocks, pawns), board=load_board(board), title="a case"))


def words(desk: Desk) -> dict[str, str]:
    return {line.about: line.text for line in desk.lines if line.about}


@pytest.fixture
def desk() -> Iterator[Album]:
    made = Album(table("1z@3,4,0").scenario)
    yield made
    made.close()


# ---- the ghost


@pytest.mark.parametrize(
    ("choice", "lies", "against"),
    [
        (Choice(4, "x", 2, 4), "4x@2,4,1", ""),
        (Choice(4, "x", 5, 5), "4x@5,5,0", ""),
        (Choice(4, "x", 2, 4, layer=0), "4x@2,4,0", "build.space: 4x@2,4,0 is in the space of 1z@3,4,0"),
        (Choice(4, "x", 5, 5, layer=2), "4x@5,5,2", "build.support: 4x@5,5,2 rests on nothing"),
        (Choice(4, "x", 8, 0), "4x@8,0,0", "build.edge: 4x@8,0,0 sticks out beyond the board in layer 0"),
        (Choice(10, "z", 3, 4), "10z@3,4,1", "build.height: 10z@3,4,1 reaches level 11, above level 10"),
        (Choice(1, "y", 3, 4), "1z@3,4,1", ""),
    ],
)
def test_a_ghost_lies_as_low_as_it_can_and_says_what_is_against_it(choice: Choice, lies: str, against: str) -> None:
    ghost = ghost_of(table("1z@3,4,0"), choice)
    assert (str(ghost.block), bool(ghost.breaches)) == (lies, bool(against))
    assert against in ghost.words


def test_a_ghost_knows_water_pawns_and_the_stock() -> None:
    assert "build.water" in ghost_of(table(board="island"), Choice(4, "x", 3, 0)).words
    assert "red@3,4,0" in ghost_of(table(pawns=("red@3,4,0",)), Choice(4, "x", 2, 4, layer=0)).words
    assert "take.stock" in ghost_of(table("10x@0,0,0"), Choice(10, "x", 0, 1)).words


def test_a_ghost_sees_the_steps_in_hand() -> None:
    hand = table("1z@3,4,0").with_steps(Proposal.parse("4x@2,4,1").steps)
    assert str(ghost_of(hand, Choice(1, "z", 2, 4)).block) == "1z@2,4,0"
    assert str(ghost_of(hand, Choice(1, "z", 2, 4, layer=2)).block) == "1z@2,4,2"
    assert not ghost_of(hand, Choice(1, "z", 2, 4, layer=2, together=True)).breaches
    assert "4x@2,4,1" in ghost_of(hand, Choice(1, "z", 2, 4, layer=1, together=True)).words


@pytest.mark.parametrize("wrong", [{"length": 11}, {"axis": "w"}, {"x": 99}, {"y": -30}, {"layer": 12}])
def test_what_a_page_cannot_choose_is_told(desk: Album, wrong: dict[str, object]) -> None:
    before = desk.choice
    desk.choose(**wrong)
    assert desk.trouble
    assert desk.choice == before


# ---- placing and judging


def test_a_block_is_placed_judged_kept_and_taken_back(desk: Album) -> None:
    desk.choose(length=4, axis="x", x=2, y=4)
    desk.place()
    desk.choose(length=1, axis="z", x=2, y=4, layer=2, together=True)
    desk.place()
    assert str(desk.table.scenario.proposal) == "4x@2,4,1 + 1z@2,4,2"
    desk.keep()
    assert desk.trouble == "let it be judged first"
    desk.judge().result(DONE_S)
    assert words(desk)["verdict"] == "stands"
    desk.keep()
    assert [str(block) for block in desk.table.scenario.tower.blocks] == ["1z@3,4,0", "4x@2,4,1", "1z@2,4,2"]
    for _ in range(3):
        desk.take_back()
    assert desk.table.steps == ()
    desk.take_back()
    assert desk.trouble == "there is nothing to take back"


def test_an_illegal_placement_is_refused_in_words(desk: Album) -> None:
    desk.choose(length=4, axis="x", x=2, y=4, layer=0)
    desk.place()
    assert desk.trouble == "refused: build.space: 4x@2,4,0 is in the space of 1z@3,4,0"
    assert desk.table.steps == ()
    assert 'role="alert"' in head(desk)


def test_the_desk_says_what_the_terminal_says() -> None:
    desk = Album(load_scenario(TIPS))
    desk.judge().result(DONE_S)
    printed = CliRunner().invoke(main, ["judge", str(TIPS)]).stdout.splitlines()[1:]
    explained = CliRunner().invoke(main, ["explain", str(TIPS)]).stdout.splitlines()[1:]
    assert desk.answer is not None

    def plain(lines: list[str]) -> list[str]:
        return [" ".join(line.split()) for line in lines if "simulated" not in line]

    assert plain([f"{line.about} {line.text}" for line in desk.lines]) == plain(printed)
    assert plain([f"{line.about} {line.text}" for line in desk.answer.reasons]) == plain(explained)
    assert [str(surface) for surface in desk.counterweights] == ["@3,4,2", "@4,4,2"]
    assert "topples (marginal)" in verdict(desk)
    assert "over the edge" in reasons(desk)
    desk.close()


def test_an_answer_to_an_old_question_is_dropped(desk: Album) -> None:
    desk.add("4x@2,4,1")
    begun = desk.judge()
    desk.take_back()
    begun.result(DONE_S)
    assert (desk.answer, desk.lines, desk.doing) == (None, (), "")


def test_one_judgement_at_a_time(desk: Album) -> None:
    seen: list[str] = []
    desk.watch(lambda: seen.append(desk.doing))
    begun = desk.judge()
    desk.judge()
    begun.result(DONE_S)
    assert seen[0] == "judging"
    assert seen[-1] == ""


def test_what_cannot_be_judged_is_told_and_the_desk_goes_on(desk: Album, capsys: pytest.CaptureFixture[str]) -> None:
    def breaks() -> None:
        raise ZeroDivisionError("a fault")

    desk.work("breaking", breaks).result(DONE_S)
    assert "went wrong and changed nothing: ZeroDivisionError: a fault" in desk.trouble
    assert "ZeroDivisionError" in capsys.readouterr().err
    desk.add("9w@1,1,1")
    assert "a placement such as 4x@2,4,1 was expected" in desk.trouble
    desk.judge().result(DONE_S)
    assert words(desk)["verdict"] == "stands"


def test_pawns_walk_and_their_reach_is_known() -> None:
    desk = Album(load_scenario(ROOT / "moves" / "13-up-the-stair.yaml"))
    desk.lay(desk.table.with_steps(()))
    assert Surface(4, 4, 3) in desk.reach("red")
    assert desk.reach("nobody") == ()
    desk.walk("red", "@4,4,3")
    assert str(desk.table.scenario.proposal) == "red@2,4,1 -> red@4,4,3"
    desk.walk("blue", "@4,4,3")
    assert desk.trouble == "there is no blue pawn"
    desk.walk("red", "nowhere")
    assert "a surface such as @3,4,1 was expected" in desk.trouble
    desk.throw()
    assert "the die shows" in desk.note
    desk.close()


def test_a_stranger_s_words_are_text() -> None:
    evil = "<img src=http://example.org/x onerror=alert(1)>"
    desk = Album(Scenario(Tower.parse(["1z@3,4,0"]), title=evil))
    desk.add(evil)
    assert "<img" not in head(desk)
    assert "&lt;img" in head(desk)
    desk.close()


# ---- files


def test_what_is_on_the_table_reads_back(desk: Album) -> None:
    desk.add("4x@2,4,1 + 1z@2,4,2")
    text, ending = desk.text("scenario")
    again = parse_scenario(text.encode(), "again")
    assert (again.tower, again.proposal, ending) == (desk.table.scenario.tower, desk.table.scenario.proposal, ".yaml")
    with pytest.raises(TaloError, match="there is no game on this desk"):
        desk.text("record")


def test_files_are_saved_in_one_folder_under_plain_names(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    desk = Album(table("1z@3,4,0").scenario, Folder(folder))
    for name in ("../evil", "/etc/evil", "a/b", ".hidden", "", "a\0b", "x" * 99, "evil.talo"):
        desk.save(name, "scenario")
        assert desk.trouble == "a name of letters, digits, spaces, - and _ was expected", name
    (folder / "taken.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    desk.save("taken", "scenario")
    assert "exists already" in desk.trouble
    desk.save("my tower.yaml", "scenario")
    assert desk.note == f"saved as {folder / 'my tower.yaml'}"
    assert sorted(path.name for path in tmp_path.rglob("*.yaml")) == ["my tower.yaml", "taken.yaml"]
    desk.close()


def test_without_a_folder_nothing_is_saved(desk: Album) -> None:
    desk.save("tower", "scenario")
    assert "--save FOLDER" in desk.trouble
    assert checked_name(" tower ", ".yaml") == "tower.yaml"


def test_an_uploaded_scenario_is_laid_on_the_table(desk: Album) -> None:
    desk.load(TIPS.read_bytes(), "tips.yaml")
    assert desk.table.scenario.title == load_scenario(TIPS).title
    desk.load(b"title: x\ntower: [4x@2,4,1]\n", "floats.yaml")
    assert desk.trouble == "floats.yaml:2:9: tower[0]: 4x@2,4,1 floats: nothing is under it in layer 0"
    desk.load(b"\xff\xfe", "bytes.yaml")
    assert "not UTF-8 text" in desk.trouble
    desk.load(b"", "empty.yaml")
    assert "empty" in desk.trouble


@pytest.mark.parametrize("field", ["board", "profile"])
def test_an_upload_leads_to_no_file(tmp_path: Path, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    secret = tmp_path / "secret.yaml"
    secret.write_text("name: secret\nfields: none\n")
    for path in (str(secret), "secret.yaml", "./secret.yaml", "/etc/passwd"):
        with pytest.raises(FileError, match="paths are not followed") as told:
            uploaded(f"title: x\n{field}: {path}\n".encode(), "evil.yaml")
        assert "secret\n" not in str(told.value)
        with pytest.raises(FileError, match="paths are not followed"):
            uploaded(f"talo: 1\n{field}: {path}\nplayers: red@2,2,0 blue@7,7,0\n\n".encode(), "evil.talo")


# ---- records


def test_a_record_is_gone_through_turn_by_turn(tmp_path: Path) -> None:
    path = tmp_path / "game.talo"
    path.write_text(GAME)
    desk = Album(read_record(path).record)
    desk._worker.submit(lambda: None).result(DONE_S)  # behind the adjudication
    assert len(desk.leaves) == len(desk.record.entries) + 1
    assert desk.page == 0
    desk.turn_to(1)
    desk._worker.submit(lambda: None).result(DONE_S)
    assert desk.answer is not None
    assert words(desk)["ruling"].startswith(desk.record.entries[1].ruling)
    desk.turn_to(99)
    assert words(desk) == {"end": "the game is not over"}
    assert desk.text("record") == (GAME, ".talo")
    desk.load(TIPS.read_bytes(), "tips.yaml")
    desk.turn_to(0)
    assert desk.trouble == "there is no record on this desk"
    desk.load(GAME.encode(), "game.talo")
    desk._worker.submit(lambda: None).result(DONE_S)
    assert desk.leaves
    desk.close()


# ---- what is not written


def test_a_disputed_case_is_told_and_not_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    answer = judge(load_scenario(TIPS))
    assert not any(line.about == "disputed" for line in judged_lines(answer))
    finding = replace(answer.finding, disputed=True)
    told = judged_lines(replace(answer, ruling=replace(answer.ruling, finding=finding)))
    assert told[-1].about == "disputed"
    assert "`talo judge` does, in disputes/" in told[-1].text
    assert list(tmp_path.iterdir()) == []


def test_what_a_file_only_names_is_told(tmp_path: Path) -> None:
    own = load_board("island").model_copy(update={"name": "my island"})
    green = load_board("island").model_copy(update={"name": "green"})
    for board, name in ((own, "my island"), (green, "green")):
        desk = Album(Scenario(Tower.parse(["1z@3,4,0"]), board=board), Folder(tmp_path))
        desk.save(f"on {name}", "scenario")
        assert desk.note.startswith(f"saved as {tmp_path / f'on {name}.yaml'}. the file only names its board '{name}'")
        assert (tmp_path / f"on {name}.yaml").read_text().startswith(f"# the file only names its board '{name}'")
        desk.close()
    record = replace(read_record_of(tmp_path), board="mine.yaml")
    assert left_out(record) == "the file only names its board mine.yaml: keep that in the same place beside it"
    assert left_out(read_record_of(tmp_path)) == ""


def read_record_of(folder: Path) -> Record:
    path = folder / "game.talo"
    path.write_text(GAME)
    return read_record(path).record


# ---- clock and arrays


def test_the_clock_plays_pauses_and_changes_its_speed() -> None:
    motion = scene_of(judge(load_scenario(TIPS), Wishes(replay=True))).motion
    clock = Clock(motion)
    assert clock.has_fall
    assert not clock.begun
    clock.play()
    clock.tick(0.1)
    assert clock.time_s == pytest.approx(clock.begin_s + 0.1)
    clock.slower()
    assert clock.speed == 0.5
    for _ in range(9):
        clock.faster()
    assert clock.speed == 4.0
    clock.tick(100)
    assert (clock.time_s, clock.playing) == (clock.end_s, False)
    clock.play()
    assert clock.time_s == clock.begin_s
    clock.pause()
    clock.tick(1)
    for nowhere in (-5.0, float("nan")):
        clock.seek(nowhere)
        assert clock.time_s == clock.begin_s
    with pytest.raises(TaloError, match="nothing falls"):
        Clock().play()


def test_blocks_and_lines_go_along_with_a_fall() -> None:
    scene = scene_of(judge(load_scenario(TIPS), Wishes(replay=True)))
    picture = Picture(scene)
    start, _ = picture.split(picture.at(None))
    end, _ = picture.split(picture.at(scene.motion.span_s[1]))
    assert np.allclose(poses_of(start).positions[1], (5, 4.5, 1.5))
    assert poses_of(end).positions[1][2] < 1.4
    assert picture.lines(start).points.shape == picture.lines(end).points.shape
    assert len(picture.outlines(start).points) == 12
    low, high = (picture.lines(start).points.reshape(-1, 3).min(axis=0), picture.lines(start).points.max(axis=(0, 1)))
    assert np.allclose([low, high], [(3, 4, 0), (7, 5, 2)], atol=0.05)


def test_turns_are_the_quaternions_that_scipy_finds() -> None:
    turns = Rotation.random(200, random_state=1)
    halves = Rotation.from_euler("xyz", [(180, 0, 0), (0, 180, 0), (0, 0, 180), (0, 0, 0)], degrees=True)
    for known in (turns, halves):
        assert np.allclose(np.abs(np.sum(quaternions(known.as_matrix()) * known.as_quat(), axis=1)), 1)


def test_a_table_is_shown_without_what_takes_long_to_import() -> None:
    program = (
        "import sys\n"
        "from talo_physics import load_scenario\n"
        "from talo_physics.faces.desk.album import Album\n"
        "from talo_physics.faces.desk.first import first_page\n"
        f"first_page(Album(load_scenario({str(TIPS)!r})))\n"
        "print(sorted({'pybullet', 'scipy', 'trimesh', 'highspy'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_a_pawn_that_left_is_not_there_in_a_replay() -> None:
    scene = scene_of(judge(load_scenario(ROOT / "figures" / "22-pawn-holds.yaml"), Wishes(replay=True)))
    picture = Picture(scene)
    assert all(place is not None for place in picture.split(picture.at(None))[1])
    assert picture.split(picture.at(scene.motion.span_s[1]))[1] == [None]


def test_lengths_are_printed_where_nothing_hides_them() -> None:
    wall = Picture(scene_of(Tower.parse(["5x@0,0,0", "3x@1,0,1"])))
    alone = Picture(scene_of(Tower.parse(["5x@0,0,0"])))
    tops = [
        points
        for points in wall.lines(wall.split(wall.at(None))[0]).points.reshape(-1, 3)
        if 1.0 < points[2] < 1.02 and points[0] < 1
    ]
    assert tops  # beside the block on top, not under it
    assert len(alone.lines(alone.split(alone.at(None))[0]).points) > 12
    assert squares(()) is None
