"""The desk in a real browser, worked through its own controls."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from talo_physics import Pawn, Scenario, Tower, load_scenario
from talo_physics.faces.cli import main
from talo_physics.faces.desk.album import Album
from talo_physics.faces.desk.desk import Desk
from talo_physics.faces.desk.files import Folder
from talo_physics.faces.desk.match import Match
from talo_physics.game.keeping import read_record
from talo_physics.game.session import Session, new_record
from talo_physics.scenario.file import parse_scenario
from tests.test_browser import CHROMIUM, QUIET, playwright

viser = pytest.importorskip("viser", reason="no desk: viser is not installed")
from talo_physics.faces.desk.server import Served  # noqa: E402  # it needs viser

pytestmark = pytest.mark.browser
ROOT = Path(__file__).parent.parent / "scenarios"
TIPS = ROOT / "figures" / "19-even-4-on-standing.yaml"
ALL_55 = ROOT / "edges" / "all-55.yaml"
# WebGL without a graphics card.
SOFT = [flag for flag in QUIET if flag != "--disable-gpu"] + ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PATIENCE_MS = 60_000
Open = Callable[..., AbstractContextManager["Page"]]


class Page:
    """The desk's page, and everything that went wrong on it.

    Viser's page sends the last change of a short while only, whichever control it was: tests wait for each.
    """

    def __init__(self, served: Served, tab: playwright.Page) -> None:
        self.served, self.desk, self.tab = served, served.desk, tab
        self.troubles: list[str] = []
        self.requests: set[str] = set()
        tab.set_default_timeout(PATIENCE_MS)
        tab.on("console", lambda message: self.troubles.append(message.text) if message.type == "error" else None)
        tab.on("pageerror", lambda error: self.troubles.append(str(error)))
        tab.on("request", lambda request: self.requests.add(request.url.removeprefix("blob:")))
        tab.on("websocket", lambda socket: self.requests.add(socket.url.replace("ws:", "http:")))
        tab.goto(served.address)
        tab.wait_for_selector("#title")
        tab.wait_for_selector("#first", state="detached")

    def text(self, part: str) -> str:
        return self.tab.inner_text(f"#{part}")

    def wait_text(self, part: str, words: str) -> None:
        try:
            self.tab.wait_for_selector(f"#{part}:has-text({json.dumps(words)})")
        except playwright.TimeoutError:
            desk = self.desk
            pytest.fail(f"{words!r} never came; {self.tab.inner_text('body')!r} with {desk.choice}, {desk.trouble!r}")

    def press(self, name: str) -> None:
        self.tab.get_by_role("button", name=name, exact=True).click()

    def go_to(self, name: str) -> None:
        self.tab.get_by_role("tab", name=name).click()

    def choose(self, label: str, option: str) -> None:
        self.tab.get_by_label(label, exact=True).click()
        self.tab.get_by_role("option", name=option, exact=True).click()

    def number(self, label: str, value: int) -> None:
        """Type into the number beside a slider."""
        row = self.tab.locator(f"xpath=//label[normalize-space()='{label}']/ancestor::*[.//input[@type='text']][1]")
        field = row.locator("input[type=text]").first
        field.fill(str(value))
        field.press("Enter")

    def picture(self) -> np.ndarray:
        image = Image.open(BytesIO(self.tab.locator("canvas").first.screenshot())).convert("RGB")
        return np.asarray(image)

    def wait_picture(self, accept: Callable[[np.ndarray], bool]) -> np.ndarray:
        """Look until the picture is as it should be; a frame takes its time without a graphics card."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while not accept(seen := self.picture()):
            assert time.monotonic() < end, "the picture never came"
        return seen


def colours(picture: np.ndarray) -> int:
    return len(np.unique(picture.reshape(-1, 3), axis=0))


def differs(one: np.ndarray) -> Callable[[np.ndarray], bool]:
    return lambda other: one.shape != other.shape or int((np.abs(one.astype(int) - other) > 24).sum()) > 300


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=str(CHROMIUM), args=SOFT)
        yield opened
        opened.close()


@pytest.fixture
def open_desk(browser: playwright.Browser) -> Open:
    @contextmanager
    def opened(desk: Desk) -> Iterator[Page]:
        served = Served(desk, port=0)
        tab = browser.new_page(viewport={"width": 1000, "height": 760}, accept_downloads=True)
        try:
            page = Page(served, tab)
            yield page
            assert page.troubles == []
            assert page.requests
            assert all(url.startswith(served.address) for url in page.requests), page.requests
        finally:
            tab.close()
            served.stop()

    return opened


def judged(path: Path) -> dict[str, object]:
    answer: dict[str, object] = json.loads(CliRunner().invoke(main, ["judge", "--json", str(path)]).stdout)
    return answer


def test_the_verdict_on_the_page_is_that_of_talo_judge(open_desk: Open) -> None:
    with open_desk(Album(load_scenario(TIPS))) as page:
        assert page.text("verdict") == "not judged yet"
        page.press("Judge")
        page.wait_text("verdict", "ruling")
        printed = CliRunner().invoke(main, ["judge", str(TIPS)]).stdout
        shown = " ".join(page.text("verdict").split())
        for line in printed.splitlines()[1:-1]:
            assert " ".join(line.split()) in shown
        assert str(judged(TIPS)["verdict"]) in page.tab.inner_text("#verdict td.verdict")
        assert page.wait_picture(lambda picture: colours(picture) > 50) is not None
        page.go_to("Why")
        page.wait_text("reasons", "over the edge")


def test_a_block_is_placed_through_the_controls(open_desk: Open) -> None:
    with open_desk(Album(Scenario(Tower.parse(["1z@3,4,0"]), title="a pillar"))) as page:
        before = page.wait_picture(lambda picture: colours(picture) > 50)
        page.choose("Length", "3")
        page.wait_text("ghost", "3x@4,4,0")
        page.number("x", 2)
        page.wait_text("ghost", "3x@2,4,1 can be placed here")
        ghostly = page.wait_picture(differs(before))
        page.press("Place")
        page.wait_text("hand", "3x@2,4,1")
        page.press("Judge")
        page.wait_text("verdict", "stands")
        page.wait_picture(differs(ghostly))
        page.press("Keep")
        page.tab.wait_for_selector("#hand", state="detached")
        assert [str(block) for block in page.desk.table.scenario.tower.blocks] == ["1z@3,4,0", "3x@2,4,1"]
        page.press("Take back")
        page.wait_text("hand", "3x@2,4,1")
        page.choose("Direction", "upright")
        page.wait_text("ghost", "3z@2,4,2 can be placed here")


def test_an_illegal_placement_is_red_and_refused_in_words(open_desk: Open) -> None:
    with open_desk(Album(Scenario(Tower.parse(["1z@3,4,0"]), title="a pillar"))) as page:
        page.number("x", 2)
        page.wait_text("ghost", "4x@2,4,1")
        page.choose("Layer", "0")
        words = "build.space: 4x@2,4,0 is in the space of 1z@3,4,0"
        page.wait_text("ghost", words)

        def is_red(picture: np.ndarray) -> bool:
            red, green, blue = (picture[..., i].astype(int) for i in range(3))
            return int(((red > green + 60) & (red > blue + 60)).sum()) > 400

        page.wait_picture(is_red)
        page.press("Place")
        page.wait_text("trouble", f"refused: {words}")
        assert page.desk.table.steps == ()


def test_the_fall_is_replayed_slower_faster_and_by_the_slider(open_desk: Open) -> None:
    desk = Album(load_scenario(TIPS))
    desk.judge().result()
    with open_desk(desk) as page:
        start = page.wait_picture(lambda picture: colours(picture) > 50)
        page.go_to("Replay")
        page.press("Slower")
        page.wait_text("replay", "0.5x")
        for _ in range(3):
            page.press("Faster")
        page.wait_text("replay", "4x")
        page.press("Play")
        end = f"{desk.clock.end_s:.2f} s of {desk.clock.end_s:.2f} s"
        page.wait_text("replay", end)
        page.wait_picture(differs(start))
        page.number("Time", 0)
        page.wait_text("replay", f"{desk.clock.begin_s:.2f} s of")
        assert page.tab.get_by_role("button", name="Play", exact=True).is_visible()


def test_forces_joint_counterweights_and_reach_are_shown(open_desk: Open) -> None:
    desk = Album(load_scenario(ROOT / "figures" / "22-pawn-holds.yaml"))
    desk.judge().result()
    with open_desk(desk) as page:
        seen = page.wait_picture(lambda picture: colours(picture) > 50)
        page.go_to("Show")
        page.tab.get_by_label("Contact forces").click()
        seen = page.wait_picture(differs(seen))
        page.tab.get_by_label("Weakest joint").click()
        seen = page.wait_picture(differs(seen))
        page.tab.get_by_label("Where a pawn would hold it").click()
        seen = page.wait_picture(differs(seen))
        page.choose("Reach of", "red")
        page.tab.mouse.move(100, 700)
        page.wait_picture(differs(seen))
        assert page.served.panel.marks().reach == desk.reach("red") != ()


def test_two_browsers_see_the_same_desk(open_desk: Open, browser: playwright.Browser) -> None:
    with open_desk(Album(Scenario(Tower.parse(["1z@3,4,0"]), title="a pillar"))) as page:
        other = Page(page.served, browser.new_page(viewport={"width": 900, "height": 700}))
        page.number("x", 2)
        other.wait_text("ghost", "4x@2,4,1 can be placed here")
        other.press("Place")
        page.wait_text("hand", "4x@2,4,1")
        other.tab.close()
        page.press("Judge")
        page.wait_text("verdict", "topples")


def test_the_page_answers_while_a_judgement_runs(open_desk: Open) -> None:
    go_on = threading.Event()
    desk = Album(Scenario(Tower.parse(["1z@3,4,0"]), title="a pillar"))
    with open_desk(desk) as page:
        begun = desk.work("judging", lambda: go_on.wait(PATIENCE_MS / 1000) and None)
        page.wait_text("doing", "judging")
        page.number("x", 2)
        page.wait_text("ghost", "4x@2,4,1 can be placed here")
        page.press("Judge")
        page.wait_text("trouble", "one moment: judging")
        go_on.set()
        begun.result()
        page.tab.wait_for_selector("#doing", state="detached")


def test_a_browser_that_leaves_or_loads_again_disturbs_nothing(open_desk: Open, browser: playwright.Browser) -> None:
    go_on = threading.Event()
    desk = Album(load_scenario(TIPS))
    with open_desk(desk) as page:
        other = Page(page.served, browser.new_page(viewport={"width": 900, "height": 700}))
        begun = desk.work("waiting", lambda: go_on.wait(PATIENCE_MS / 1000) and None)
        page.wait_text("doing", "waiting")
        other.tab.close()
        go_on.set()
        begun.result()
        page.press("Judge")
        page.wait_text("verdict", "topples")
        page.go_to("Replay")
        for _ in range(3):
            page.press("Slower")
        page.wait_text("replay", "0.1x")
        page.press("Play")
        page.tab.wait_for_selector("#replay:not(:has-text('0.00 s of'))")
        page.tab.reload()
        page.tab.wait_for_selector("#first", state="detached")
        page.wait_text("verdict", "topples")
        assert desk.clock.begun
        assert desk.trouble == ""


def test_files_are_downloaded_saved_and_opened(open_desk: Open, tmp_path: Path) -> None:
    desk = Album(Scenario(Tower.parse(["1z@3,4,0"]), title="a pillar"), Folder(tmp_path))
    with open_desk(desk) as page:
        page.go_to("Files")
        with page.tab.expect_download() as download:
            page.press("Download scenario")
        text = Path(download.value.path()).read_bytes()
        assert download.value.suggested_filename == "table.yaml"
        assert parse_scenario(text, "download").tower == desk.table.scenario.tower
        page.press("Save scenario")
        page.wait_text("note", "saved as")
        assert (tmp_path / "table.yaml").read_bytes() == text
        page.press("Download record")
        page.wait_text("trouble", "there is no game on this desk")
        upload = page.tab.locator("input[type=file]")
        upload.set_input_files({"name": "bad.yaml", "mimeType": "text/yaml", "buffer": b"title: x\nbord: green\n"})
        page.wait_text("trouble", "bad.yaml:2:7: bord: unknown field; did you mean 'board'?")
        upload.set_input_files({"name": "giant.yaml", "mimeType": "text/yaml", "buffer": b"#" * 3_000_000})
        page.wait_text("trouble", "giant.yaml: larger than 2 MB")
        upload.set_input_files(str(TIPS))
        page.wait_text("title", "A 4 on a standing 1 tips")


def test_a_record_is_gone_through_on_the_page(open_desk: Open) -> None:
    desk = Album(read_record(ROOT / "games" / "collapse-island.talo").record)
    with open_desk(desk) as page:
        page.tab.wait_for_selector("label:has-text('Turn')")
        page.wait_text("verdict", "turn")
        page.number("Turn", len(desk.leaves) - 1)
        page.wait_text("verdict", "collapse")


def test_a_game_is_played_on_the_page(open_desk: Open, tmp_path: Path) -> None:
    starts = [Pawn.parse("red@2,2,0"), Pawn.parse("blue@7,7,0")]
    path = tmp_path / "game.talo"
    session = Session.begin(new_record(["red", "blue"], starts, 7, computers=(("blue", "random"),)), path)
    with open_desk(Match(session)) as page:
        page.press("Play turn")
        page.wait_text("trouble", "throw the die first")
        page.press("Throw the die")
        page.wait_text("turn", "red throws 3; take 3 or 2 + 1")
        page.choose("Length", "3")
        page.wait_text("ghost", "3x@4,4,0")
        page.number("x", 3)
        page.wait_text("ghost", "3x@3,4,0")
        page.number("y", 2)
        page.wait_text("ghost", "3x@3,2,0 can be placed here")
        page.press("Place")
        page.press("Play turn")
        page.wait_text("turn", "turn 3: red's turn")
        assert "1 red 3 = 3: 3x@3,2,0 | legal" in path.read_text()
        assert re.search(r"^2 blue .* \| legal$", path.read_text(), re.M)
        page.press("Take back")
        page.wait_text("note", "2 taken back")
        assert "red 3" not in path.read_text()


def test_after_a_fall_the_page_asks_for_the_players_word(open_desk: Open, tmp_path: Path) -> None:
    starts, path = [Pawn.parse("red@2,2,0"), Pawn.parse("blue@7,7,0")], tmp_path / "game.talo"
    session = Session.begin(new_record(["red", "blue"], starts, 7), path)
    session.own_throw([1])
    session.play(session.turn_of("1z@0,0,0"))
    match = Match(session, own_die=True)
    match.enter_throw(4)
    with open_desk(match) as page:
        page.wait_text("turn", "blue throws 4")
        match.add("4x@-1,0,1")
        page.wait_text("hand", "4x@-1,0,1")
        assert not page.tab.get_by_role("button", name="Not rebuilt").is_visible()
        page.press("Play turn")
        page.wait_text("question", "4x@-1,0,1 fell. Could you rebuild it as it was?")
        page.press("Place")
        page.wait_text("trouble", "first your word")
        page.press("Not rebuilt")
        page.wait_text("turn", "the game is over")
        assert "; not rebuilt | collapse proposal, blue loses" in path.read_text()


def test_a_stranger_s_title_runs_nothing(open_desk: Open) -> None:
    title = "<img src=http://192.0.2.1/x onerror=alert(1)><script>alert(2)</script> **bold**"
    with open_desk(Album(Scenario(Tower.parse(["1z@3,4,0"]), title=title))) as page:
        assert page.text("title") == title


def test_all_55_blocks_are_there(open_desk: Open) -> None:
    with open_desk(Album(load_scenario(ALL_55))) as page:
        page.wait_picture(lambda picture: colours(picture) > 200)
