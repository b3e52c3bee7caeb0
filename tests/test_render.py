"""Pictures, films, models and pages of towers: what a person looks for is there, where it must be."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from math import inf
from pathlib import Path

import numpy as np
import pytest
import trimesh
from click.testing import CliRunner, Result
from PIL import Image

import talo_physics
from talo_physics import Judgement, Proposal, Scenario, Tower, Wishes, judge, load_board, load_profile, load_scenario
from talo_physics.errors import TaloError
from talo_physics.faces.cli import main
from talo_physics.faces.notebook import gallery, register, show
from talo_physics.faces.view.camera import NAMED, Camera, View
from talo_physics.faces.view.drawing import solid_of
from talo_physics.faces.view.film import TURN_FRAMES
from talo_physics.faces.view.labels import staff_levels, staff_marks, write_lengths
from talo_physics.faces.view.page import page, scene_data, script_json
from talo_physics.faces.view.palette import FALLEN, PROPOSED
from talo_physics.faces.view.scene import Scene, State, scene_of
from talo_physics.faces.view.still import Frame, Studio, png
from talo_physics.tower.space import box_of

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "scenarios"
TIPS = str(SCENARIOS / "figures" / "19-even-4-on-standing.yaml")
GOOD = str(SCENARIOS / "figures" / "21-together.yaml")
SMALL = Frame(480, 360)
Pixel = tuple[int, int, int]


def talo(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def judged(tower: str, propose: str = "", pawns: str = "", board: str = "green") -> Judgement:
    proposal = Proposal.parse(propose) if propose else None
    scene = Scenario(Tower.parse(tower.split(), pawns.split()), proposal, title="A title", board=load_board(board))
    return judge(scene, Wishes(replay=True))


def pixel(scene: Scene, point: tuple[float, float, float], view: str = "corner") -> Pixel:
    """The colour at a point in space, as a picture shows it."""
    studio = Studio(scene, Frame(480, 360, View.parse(view)))
    x, y, _ = studio.painter.camera.project(np.array([point]))[0]
    found = studio.picture().getpixel((round(x), round(y)))
    assert isinstance(found, tuple)
    return found


def is_red(colour: Pixel) -> bool:
    return colour[0] > 2 * max(colour[1:])


def is_green(colour: Pixel) -> bool:
    return colour[1] > 1.2 * max(colour[0], colour[2])


def is_blue(colour: Pixel) -> bool:
    return colour[2] > 1.15 * max(colour[:2])


def is_wood(colour: Pixel) -> bool:
    red, green, blue = colour
    return red > green > 1.1 * blue and not is_red(colour)


# ---- what is seen where


def test_pawns_and_fallen_blocks_have_their_colours_where_they_stand() -> None:
    scene = scene_of(judged("1z@3,4,0 4x@3,4,1", pawns="blue@8,1,0"))
    assert is_red(pixel(scene, (5.2, 4.5, 2.0)))  # the 4 has fallen
    assert is_wood(pixel(scene, (3.3, 4.0, 0.5)))  # the 1 under it has not
    assert is_blue(pixel(scene, (8.5, 1.5, 0.8)))


def test_what_only_a_pawn_holds_is_told_apart_from_what_fell() -> None:
    scene = scene_of(judged("1z@3,4,0 4x@2,4,1", pawns="red@2,4,2"))
    held = next(piece for piece in scene.pieces if str(piece.thing) == "4x@2,4,1")
    assert held.state is State.HELD
    assert "4x@2,4,1" in scene.caption.held
    assert not is_red(pixel(scene, (5.0, 4.5, 2.0)))


def test_boards_have_land_water_and_starts() -> None:
    island = scene_of(Tower(), load_board("island"))
    assert is_blue(pixel(island, (5.5, 1.5, 0.0)))
    assert is_green(pixel(island, (1.5, 1.5, 0.0)))
    classic = scene_of(Tower(), load_board("classic"))
    assert is_green(pixel(classic, (1.5, 2.5, 0.0)))
    red, green, blue = pixel(classic, (2.5, 2.5, 0.0))  # a marked start is yellow
    assert min(red, green) > 1.5 * blue
    table = pixel(scene_of(Tower(), load_board("table")), (5.4, 5.4, 0.0))
    assert max(table) - min(table) < 30


def test_the_nearer_block_hides_the_farther_one_from_every_side() -> None:
    tower = Tower.parse(["2z@2,2,0", "2z@2,7,0"], ["red@2,4,0"])
    scene = scene_of(tower)
    red_dot = (2.5, 4.5, 0.6)
    assert is_red(pixel(scene, red_dot, "right"))
    assert is_red(pixel(scene, red_dot, "left"))
    assert is_wood(pixel(scene, red_dot, "front"))
    assert is_wood(pixel(scene, red_dot, "back"))


@pytest.mark.parametrize("side", NAMED)
def test_everything_is_in_the_picture_from_every_side(side: str) -> None:
    scene = scene_of(judged("10z@9,9,0", "10z@0,0,0"))
    studio = Studio(scene, Frame(480, 360, NAMED[side]))
    x, y, _ = studio.painter.camera.project(scene.corners).T
    assert x.min() >= 0
    assert x.max() <= 480
    assert y.min() >= 0
    assert y.max() <= 360 - studio.band


def test_what_is_proposed_has_an_outline() -> None:
    def outlined(answer: Judgement) -> int:
        pixels = np.asarray(Studio(scene_of(answer), SMALL).picture()).astype(int)[:250]
        return int((np.abs(pixels - PROPOSED).max(axis=2) < 40).sum())

    assert outlined(judged("1z@3,4,0 3x@2,4,1")) == 0
    assert outlined(judged("1z@3,4,0", "3x@2,4,1")) > 100


def test_what_could_not_be_placed_is_a_dashed_ghost() -> None:
    scene = scene_of(judged("3x@4,4,0", "3y@4,3,0"))
    assert [str(ghost.thing) for ghost in scene.ghosts] == ["3y@4,3,0"]
    pixels = np.asarray(Studio(scene, SMALL).picture()).astype(int)[:250]
    assert (np.abs(pixels - FALLEN).max(axis=2) < 40).sum() > 50


def test_a_moving_pawn_is_shown_where_it_goes_with_an_arrow() -> None:
    answer = judge(load_scenario(SCENARIOS / "moves" / "13-up-the-stair.yaml"))
    scene = scene_of(answer)
    (moved,) = [piece for piece in scene.pieces if piece.proposed]
    assert str(moved.thing) == "red@4,4,3"
    assert len(scene.moves) == 1


class Pen:
    """Notes what is written."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def text(self, place: object, text: str, *_: object, **__: object) -> None:
        self.texts.append(text)


def written(tower: str, view: str) -> list[str]:
    scene = scene_of(Tower.parse(tower.split()))
    studio = Studio(scene, Frame(800, 600, View.parse(view)))
    pen = Pen()
    drawing = studio.painter.draw(scene, [solid_of(piece) for piece in scene.pieces])
    write_lengths(pen, drawing, scene.pieces)  # type: ignore[arg-type]
    return sorted(pen.texts)


def test_each_block_says_its_length_where_it_is_seen() -> None:
    assert written("1z@3,4,0 4x@2,4,1 10y@8,0,0", "corner") == ["1", "10", "4"]
    assert written("1z@3,4,0 4x@2,4,1", "top") == ["4"]  # the 1 is hidden
    assert written("4~5,5,0.5,0,0,33", "corner") == ["4"]


def test_the_measuring_bar_reaches_over_the_tower_up_to_level_10() -> None:
    low, high = scene_of(Tower.parse(["1z@3,4,0"])), scene_of(Tower.parse(["10z@3,4,0"]))
    assert (staff_levels(low), staff_levels(high)) == (4, 10)
    assert [mark.text for mark in staff_marks(NAMED["corner"], 10)] == [str(level) for level in range(11)]


def test_a_picture_is_the_same_whenever_it_is_drawn() -> None:
    scene = scene_of(judged("1z@3,4,0", "4x@2,4,1"))
    assert png(scene, SMALL) == png(scene, SMALL)


def test_pieces_stand_where_their_space_is() -> None:
    tower = Tower.parse(["2z@0,0,0", "3y@0,0,2", "4x@1,1,0", "5~6,6,0.5,0,0,30"], ["red@0,2,3"])
    for piece in scene_of(tower).pieces[:-1]:
        corners = np.vstack(piece.faces)
        box = box_of(piece.thing).corners
        assert np.allclose([corners.min(axis=0), corners.max(axis=0)], [box.min(axis=0), box.max(axis=0)])
    foot = np.vstack(scene_of(tower).pieces[-1].faces)
    assert np.allclose([foot[:, 2].min(), foot[:, 0].mean()], [3.0, 0.5], atol=0.05)


def test_a_view_is_a_name_or_two_angles() -> None:
    assert View.parse("30,25") == View(30, 25)
    right, up, forward = NAMED["front"].axes
    assert np.allclose(right, [1, 0, 0])
    assert forward[1] > 0.9 > up[1]
    for bad in ("", "up", "1", "1,2,3", "400,20", "0,91", "0,-5", "nan,nan"):
        with pytest.raises(TaloError, match="--from"):
            View.parse(bad)


def test_a_camera_takes_pixels_back_to_points() -> None:
    camera = Camera.fitting(NAMED["corner"], np.array([(0.0, 0.0, 0.0), (10.0, 10.0, 5.0)]), (0, 0, 200, 100))
    point = np.array([3.0, 4.0, 2.0])
    x, y, near = camera.project(point[None])[0]
    a, b, c = camera.rays()
    assert np.allclose(camera.eye + (a * (x - 0.5) + b * (y - 0.5) + c) / near, point)


# ---- what moves


def test_a_motion_starts_where_the_pieces_stand_and_carries_them_along() -> None:
    scene = scene_of(judged("1z@3,4,0", "4x@3,4,1"))
    motion = scene.motion
    assert motion.falls
    for matrix, piece in zip(motion.at(0.0), scene.pieces, strict=True):
        assert np.allclose(matrix, piece.matrix, atol=1e-6)
    end = scene.at(motion.span_s[1])
    fallen = end.pieces[1]
    assert fallen.matrix[2, 3] < 1.2  # it was 1.5
    assert np.allclose(fallen.matrix[:3, :3] @ fallen.matrix[:3, :3].T, np.eye(3), atol=1e-6)
    assert np.vstack(fallen.faces)[:, 2].min() > -0.1  # it lies on the table, not in it
    one, other = motion.times_s[5:7]
    heights = [motion.at(t)[1][2, 3] for t in (one, (one + other) / 2, other)]
    assert heights[1] == pytest.approx((heights[0] + heights[2]) / 2)


def test_blocks_in_free_poses_are_carried_along_too() -> None:
    tower = Tower.parse(["3~4.5,4.5,1.5,0,90,0"])
    fantasy = Scenario(tower, Proposal.parse("6~6.1,4.5,3.5,0,0,30"), board=load_board("table"), variant="fantasy")
    scene = scene_of(judge(fantasy, Wishes(replay=True)))
    for matrix, piece in zip(scene.motion.at(0.0), scene.pieces, strict=True):
        assert np.allclose(matrix, piece.matrix, atol=1e-6)
    corners = np.vstack(scene.at(99.0).pieces[1].faces)
    assert corners[:, 2].max() == pytest.approx(1.0, abs=0.1)  # it ends flat on the table


def test_a_replay_of_what_a_pawn_had_held_runs_without_the_pawn() -> None:
    scene = scene_of(judged("1z@3,4,0 4x@2,4,1", pawns="red@2,4,2"))
    assert [piece.is_pawn for piece in scene.pieces] == [False, False, True]
    assert [piece.is_pawn for piece in scene.at(99.0).pieces] == [False, False]


def test_what_a_replay_leaves_out_stays_where_it_is() -> None:
    scene = scene_of(judged("1z@3,4,0 1z@8,8,0", "3x@2,4,1", pawns="red@9,9,0"))
    assert not scene.motion.falls
    later = scene.at(99.0)
    assert [str(piece.thing) for piece in later.pieces] == ["1z@3,4,0", "1z@8,8,0", "3x@2,4,1", "red@9,9,0"]
    assert len(scene_of(Tower.parse(["1z@3,4,0"])).at(1.0).pieces) == 1  # without any motion nothing moves


def test_a_simulation_that_left_all_bounds_is_shown_as_far_as_it_went() -> None:
    replay = judged("1z@3,4,0", "4x@3,4,1").finding.replay
    assert replay
    lost = tuple(tuple((float("nan"),) * 7 for _ in row) for row in replay.poses[10:])
    scene = scene_of(replace(replay, poses=replay.poses[:10] + lost))
    assert scene.motion.times_s == replay.times_s[:10]
    far = tuple(tuple((500.0, -500.0, 900.0, *pose[3:]) for pose in row) for row in replay.poses[10:])
    away = scene_of(replace(replay, poses=replay.poses[:10] + far))
    assert png(away.at(99.0), SMALL)
    assert page(away)


def frames(path: Path) -> list[Image.Image]:
    image = Image.open(path)
    found = []
    for number in range(image.n_frames):
        image.seek(number)
        found.append(image.convert("RGB"))
    return found


@pytest.mark.parametrize("ending", ["gif", "webp"])
def test_a_film_shows_the_fall_and_stops_at_its_end(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"fall.{ending}"
    assert talo("render", TIPS, "-o", str(path), "--size", "240x200").exit_code == 0
    shown = frames(path)
    assert len(shown) > 20
    first, middle, last = (np.asarray(shown[i]).astype(int) for i in (0, len(shown) // 2, -1))
    assert np.abs(first - middle).max() > 100
    assert np.abs(middle - last).max() > 100
    image = Image.open(path)
    image.seek(len(shown) - 1)
    image.load()
    assert image.info["duration"] == 1800


def test_a_film_of_what_stands_goes_round_it_once(tmp_path: Path) -> None:
    path = tmp_path / "turn.gif"
    assert talo("render", GOOD, "-o", str(path), "--size", "240x200").exit_code == 0
    shown = frames(path)
    assert len(shown) == TURN_FRAMES
    assert np.abs(np.asarray(shown[0]).astype(int) - np.asarray(shown[10]).astype(int)).max() > 100


# ---- solids


def test_a_model_is_in_metres_with_y_up_and_names_its_pieces(tmp_path: Path) -> None:
    path = tmp_path / "tower.glb"
    assert talo("render", "--tower", "2z@0,0,0 3y@0,0,2", "--pawn", "red@0,2,3", "-o", str(path)).exit_code == 0
    loaded = trimesh.load(path)
    assert {"2z@0,0,0", "3y@0,0,2", "red@0,2,3"} <= set(loaded.graph.nodes)
    assert loaded.bounds[1][1] == pytest.approx(0.096, abs=1e-4)  # three levels and a pawn of 36 mm
    assert loaded.bounds[1][0] == pytest.approx(0.205, abs=1e-4)  # the board and its rim


def test_a_model_at_the_end_shows_where_everything_lies(tmp_path: Path) -> None:
    for moment in ("start", "end"):
        done = talo("render", TIPS, "-o", str(tmp_path / f"{moment}.glb"), "--at", moment)
        assert done.exit_code == 0
    heights = [trimesh.load(tmp_path / f"{moment}.glb").bounds[1][1] for moment in ("start", "end")]
    assert heights[0] == pytest.approx(0.04, abs=1e-4)
    assert heights[1] > 0.045  # the 4 leans on the 1 with one end up


# ---- pages

EVIL = """</script><script>alert(1)</script><img src=x onerror=alert(2)> " ' & --> <!-- ${x}"""


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.inside = ""
        self.texts: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.inside = f"{tag}#{dict(attrs).get('id', '')}"

    def handle_data(self, data: str) -> None:
        self.texts[self.inside] = self.texts.get(self.inside, "") + data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    return reader


def evil_page() -> str:
    scene = Scenario(Tower.parse(["1z@3,4,0"]), Proposal.parse("4x@2,4,1"), title=EVIL)
    return page(scene_of(judge(scene, Wishes(replay=True))))


def test_a_page_refers_to_nothing_outside() -> None:
    text = page(scene_of(judged("1z@3,4,0", "4x@3,4,1")))
    reader = read(text)
    assert not {name for name, _ in reader.attributes} & {"src", "href", "action", "onload", "onclick", "style"}
    assert not re.search(r"https?:|//[a-z]|url\(|@import|fetch\(|XMLHttpRequest|import\(|innerHTML|eval\(", text)
    assert "default-src 'none'" in text


def test_a_title_from_a_stranger_is_only_text() -> None:
    reader = read(evil_page())
    assert reader.tags.count("script") == 2
    assert "img" not in reader.tags
    assert reader.texts["h1#"].strip() == EVIL


def test_data_cannot_end_the_script_it_stands_in() -> None:
    text = script_json({"title": EVIL + "\u2028"})
    assert not set(text) & set("<>&\u2028")
    assert json.loads(text) == {"title": EVIL + "\u2028"}


def test_a_page_holds_the_verdict_and_the_whole_motion() -> None:
    answer = judged("1z@3,4,0", "4x@3,4,1")
    reader = read(page(scene_of(answer)))
    assert reader.texts["span#verdict"] == answer.verdict == "topples"
    assert reader.texts["span#ruling"].strip() == f"illegal: {', '.join(answer.violations)}"
    data = json.loads(reader.texts["script#scene"])
    assert [piece["label"] for piece in data["pieces"]] == ["1", "4"]
    assert set(data["tracks"]) >= {"1"}
    assert len(data["tracks"]["1"]) == len(data["times"])
    assert data["tracks"]["1"][-1][2] < 1.2 < data["tracks"]["1"][0][2]


def test_a_page_of_what_stands_says_so() -> None:
    scene = scene_of(judged("1z@3,4,0", "3x@2,4,1"))
    assert scene_data(scene, NAMED["corner"])["falls"] is False
    assert "nothing falls" in page(scene)


# ---- the command


def test_one_command_writes_every_kind_and_says_what_it_wrote(tmp_path: Path) -> None:
    paths = [tmp_path / f"x.{ending}" for ending in ("png", "glb", "html")]
    options = [part for path in paths for part in ("-o", str(path))]
    done = talo("render", TIPS, *options, "--size", "320x240", "--from", "left")
    assert done.exit_code == 0
    assert [line.split(": ")[0] for line in done.stdout.splitlines()] == [str(path) for path in paths]
    assert "topples (marginal), illegal: balance.falls, balance.even-tips" in done.stdout
    assert Image.open(paths[0]).size == (320, 240)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.glb", "x.html", "x.png"]  # nothing half-written


def test_an_empty_tower_and_a_fantasy_tower_can_be_drawn(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("title: nothing yet\n")
    (tmp_path / "free.yaml").write_text(
        "title: free\nvariant: fantasy\nboard: table\ntower: ['3~4.5,4.5,0.5,0,0,45', '4~5.5,4.5,1.5,0,0,-20']\n"
    )
    for name in ("empty", "free"):
        for ending in ("png", "glb", "html"):
            done = talo("render", str(tmp_path / f"{name}.yaml"), "-o", str(tmp_path / f"{name}.{ending}"))
            assert (done.exit_code, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((TIPS,), "Missing option '-o'"),
        (("-o", "OUT.png"), "give scenario files"),
        ((TIPS, "-o", "OUT.jpg"), "a file ending in .png, .gif, .webp, .glb, .html was expected"),
        ((TIPS, "-o", "OUT"), "a file ending in"),
        ((TIPS, "-o", "OUT.png", "-o", "OUT.doc"), "a file ending in"),
        ((TIPS, "-o", "nowhere/at/all.png"), "there is no folder nowhere/at"),
        ((TIPS, "-o", "OUT.png", "--from", "below"), "--from below: one of corner, front"),
        ((TIPS, "-o", "OUT.png", "--size", "10x10"), "160x160 to 2400x2400 was expected"),
        ((TIPS, "-o", "OUT.gif", "--size", "2000x2000"), "to 1000x1000 was expected"),
        ((TIPS, "-o", "OUT.png", "--size", "big"), "--size big: WIDTHxHEIGHT in pixels was expected"),
        ((TIPS, "-o", "OUT.png", "--size", "100"), "--size 100: WIDTHxHEIGHT in pixels was expected"),
        ((TIPS, "-o", "OUT.png", "--at", "noon"), "start, end or seconds"),
        ((TIPS, "-o", "OUT.png", "--at", "-1"), "start, end or seconds"),
        (("nowhere.yaml", "-o", "OUT.png"), "nowhere.yaml: no such file"),
        ((str(SCENARIOS / "figures"), "-o", "OUT.png"), "one scenario file was expected"),
        (("--tower", "1z@0,0,4", "-o", "OUT.png"), "1z@0,0,4 floats"),
        (("--tower", "3~4,4,0.5,0,0,45", "-o", "OUT.png"), "free poses are for variant: fantasy"),
        ((TIPS, "-o", "OUT.png", "--set", "frction=1"), "no such key"),
    ],
)
def test_bad_input_exits_2_with_a_message_and_writes_nothing(
    tmp_path: Path, arguments: tuple[str, ...], expected: str
) -> None:
    done = talo("render", *(part.replace("OUT", str(tmp_path / "out")) for part in arguments))
    assert (done.exit_code, done.stdout) == (2, "")
    assert expected in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_where_a_file_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.png").mkdir()
    done = talo("render", TIPS, "-o", str(tmp_path / "x.png"))
    assert (done.exit_code, "that is a folder" in done.stderr) == (2, True)


def test_the_picture_in_the_readme_is_what_its_command_makes(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    (picture,) = re.findall(r"!\[[^]]+\]\(([^)]+\.png)\)", text)
    command = re.search(r"^talo render .*-o (/tmp/\S+\.png).*$", text, re.M)
    assert command
    made = tmp_path / "made.png"
    words = command[0].replace(command[1], str(made)).split()[1:]
    words[1] = str(ROOT / words[1])
    assert talo(*words).exit_code == 0
    committed = np.asarray(Image.open(ROOT / picture).convert("RGB")).astype(int)
    assert np.abs(committed - np.asarray(Image.open(made)).astype(int)).mean() < 1.0
    assert (ROOT / picture).stat().st_size < 150_000


# ---- notebooks


def test_towers_judgements_and_replays_show_themselves() -> None:
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    register(shell)
    answer = judged("1z@3,4,0", "4x@3,4,1")

    def shown(thing: object) -> dict[str, object]:
        return dict(shell.display_formatter.format(thing)[0])

    assert Image.open(io.BytesIO(shown(answer.scenario.tower)["image/png"])).size == (800, 620)  # type: ignore[arg-type]
    assert "text/html" not in shown(answer.scenario.tower)
    for thing in (answer, answer.finding.replay):
        found = shown(thing)
        assert set(found) == {"text/plain", "image/png", "text/html"}
        assert str(found["text/html"]).startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert "text/html" not in shown(judge(answer.scenario))  # without a replay there is only the picture
    assert shown(answer.scenario.tower)["text/plain"] == "1z@3,4,0"
    assert shown(answer)["text/plain"] == "topples, illegal: balance.falls, balance.even-tips"
    assert str(shown(answer.finding.replay)["text/plain"]).startswith("2 blocks and 0 pawns over ")


def test_importing_the_package_in_a_notebook_is_enough() -> None:
    code = (
        "from IPython.core.interactiveshell import InteractiveShell; shell = InteractiveShell.instance()\n"
        "from talo_physics import Tower; import sys\n"
        "print('PIL' in sys.modules)\n"
        "print(sorted(shell.display_formatter.format(Tower.parse(['1z@3,4,0']))[0]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines() == ["False", "['image/png', 'text/plain']"]


def test_show_takes_a_board_and_a_profile_and_can_be_turned() -> None:
    tower = Tower.parse(["1z@1,1,0"])
    board, profile = load_board("island"), load_profile("nominal")
    shown = talo_physics.show(tower, board, profile)
    assert (shown.scene.board, shown.scene.profile) == (board, profile)
    assert show(tower)._repr_html_() is None
    assert "iframe" in str(show(tower, turn=True)._repr_html_())


def test_show_stops_the_fall_and_goes_round_the_table() -> None:
    answer = judged("1z@3,4,0", "4x@3,4,1")
    begin, end, side = (
        np.asarray(shown.picture).astype(int)
        for shown in (show(answer, at=0.0), show(answer, at=inf), show(answer, at=inf, side="left"))
    )
    assert begin.shape == end.shape == side.shape == (620, 800, 3)
    assert np.abs(begin - end).mean() > 0.3
    assert np.abs(end - side).mean() > 0.3
    assert not show(answer, at=inf).moving
    assert show(answer, size=(300, 200)).picture.size == (300, 200)
    with pytest.raises(TaloError, match=r"Wishes\(replay=True\)"):
        show(answer.scenario.tower, at=1.0)
    with pytest.raises(TaloError, match="corner, front"):
        show(answer, side="below")


def test_a_gallery_has_all_pictures_in_their_order() -> None:
    towers = [show(Tower.parse([f"{length}z@4,4,0"]), size=(240, 180)) for length in (1, 5, 9)]
    wall = gallery(*towers, columns=2)
    assert wall.size == (480, 360)
    drawn = np.asarray(wall.convert("RGB")).astype(int)
    places = [drawn[:180, :240], drawn[:180, 240:], drawn[180:, :240]]
    for place, shown in zip(places, towers, strict=True):
        assert np.abs(place - np.asarray(shown.picture).astype(int)).mean() < 4.0  # a palette is not quite the same
    assert (drawn[180:, 240:] == 255).all()
    assert gallery(towers[0], columns=3).size == (240, 180)
    with pytest.raises(TaloError, match="at least one picture"):
        gallery()
