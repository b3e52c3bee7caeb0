"""The replay page in a real browser, opened from a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from talo_physics import Proposal, Scenario, Tower, Wishes, judge, show
from talo_physics.faces.cli import main

CHROMIUM = Path("/usr/bin/chromium")
if not CHROMIUM.exists():
    pytest.skip(f"no browser: {CHROMIUM} is missing", allow_module_level=True)
playwright = pytest.importorskip("playwright.sync_api", reason="no browser: playwright is not installed")

pytestmark = pytest.mark.browser
TIPS = str(Path(__file__).parent.parent / "scenarios" / "figures" / "19-even-4-on-standing.yaml")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
COLOURS = """() => {
  const canvas = document.getElementById("canvas");
  const data = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return new Set(data).size;
}"""
PICTURE = "() => document.getElementById('canvas').toDataURL()"


class Visit:
    """A page, and everything that went wrong on it."""

    def __init__(self, tab: playwright.Page) -> None:
        self.tab = tab
        self.troubles: list[str] = []
        self.requests: list[str] = []
        tab.on("console", lambda message: self.troubles.append(message.text))
        tab.on("pageerror", lambda error: self.troubles.append(str(error)))
        tab.on("dialog", lambda dialog: self.troubles.append(dialog.message))
        tab.on("request", lambda request: self.requests.append(request.url))

    def open(self, path: Path) -> None:
        self.tab.goto(path.as_uri())
        self.settle()

    def settle(self) -> None:
        """Until the finer picture is drawn."""
        self.tab.wait_for_timeout(400)

    def picture(self) -> str:
        self.settle()
        return str(self.tab.evaluate(PICTURE))

    def clock(self) -> float:
        return float(self.tab.inner_text("#clock").removesuffix(" s"))


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: playwright.Browser) -> Iterator[Visit]:
    tab = browser.new_page(viewport={"width": 900, "height": 650})
    yield Visit(tab)
    tab.close()


@pytest.fixture(scope="module")
def fall(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "fall.html"
    assert CliRunner().invoke(main, ["render", TIPS, "-o", str(path)]).exit_code == 0
    return path


def test_the_page_opens_from_a_file_without_a_complaint_or_a_request(visit: Visit, fall: Path) -> None:
    visit.open(fall)
    assert visit.troubles == []
    assert visit.requests == [fall.as_uri()]
    assert visit.tab.evaluate(COLOURS) > 100
    assert visit.tab.inner_text("#verdict") == "topples (marginal)"
    assert visit.tab.inner_text("#ruling") == "illegal: balance.falls, balance.even-tips"


def test_the_slider_the_mouse_and_the_sides_change_the_picture(visit: Visit, fall: Path) -> None:
    visit.open(fall)
    seen = [visit.picture()]
    visit.tab.locator("#time").fill("2")
    assert visit.clock() == 2.0
    seen.append(visit.picture())
    visit.tab.mouse.move(450, 300)
    visit.tab.mouse.down()
    visit.tab.mouse.move(300, 280, steps=4)
    visit.tab.mouse.up()
    seen.append(visit.picture())
    visit.tab.mouse.wheel(0, -400)
    seen.append(visit.picture())
    for name in ("front", "top"):
        visit.tab.get_by_role("button", name=name).click()
        seen.append(visit.picture())
    assert len(set(seen)) == len(seen)
    assert visit.troubles == []


def test_it_plays_to_the_end_slower_and_faster(visit: Visit, fall: Path) -> None:
    visit.open(fall)
    visit.tab.click("#slower")
    assert visit.tab.inner_text("#speed") == "0.5x"
    for _ in range(3):
        visit.tab.click("#faster")
    assert visit.tab.inner_text("#speed") == "4x"
    start = visit.clock()
    visit.tab.click("#play")
    assert visit.tab.inner_text("#play") == "Pause"
    visit.tab.wait_for_function("() => document.getElementById('play').textContent === 'Play'", timeout=20_000)
    end = float(visit.tab.get_attribute("#time", "max") or 0)
    assert start < visit.clock() == pytest.approx(end, abs=0.01)
    assert visit.troubles == []


def test_a_stranger_s_title_runs_nothing(visit: Visit, tmp_path: Path) -> None:
    title = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    scenario = tmp_path / "evil.yaml"
    scenario.write_text(f"title: '{title}'\ntower: [1z@3,4,0]\npropose: 4x@2,4,1\n")
    path = tmp_path / "evil.html"
    assert CliRunner().invoke(main, ["render", str(scenario), "-o", str(path)]).exit_code == 0
    visit.open(path)
    assert visit.troubles == []
    assert visit.requests == [path.as_uri()]
    assert visit.tab.inner_text("h1") == title


def test_a_browser_that_cannot_draw_says_so(visit: Visit, fall: Path) -> None:
    visit.tab.add_init_script("HTMLCanvasElement.prototype.getContext = () => null;")
    visit.open(fall)
    assert visit.tab.is_visible("#trouble")
    assert visit.tab.inner_text("#verdict") == "topples (marginal)"


def test_what_stands_can_be_turned_but_not_played(visit: Visit, tmp_path: Path) -> None:
    path = tmp_path / "stands.html"
    arguments = ["render", "--tower", "1z@3,4,0", "--propose", "3x@2,4,1", "-o", str(path)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    visit.open(path)
    assert not visit.tab.is_visible("#play")
    assert "nothing falls" in visit.tab.inner_text("footer")
    before = visit.picture()
    visit.tab.get_by_role("button", name="back").click()
    assert visit.picture() != before
    assert visit.troubles == []


def test_a_replay_draws_itself_inside_a_notebook_s_page(visit: Visit, tmp_path: Path) -> None:
    answer = judge(Scenario(Tower.parse(["1z@3,4,0"]), Proposal.parse("4x@3,4,1")), Wishes(replay=True))
    notebook = tmp_path / "cell.html"
    notebook.write_text(f"<!DOCTYPE html><meta charset=utf-8><p>Out[1]:</p>{show(answer)._repr_html_()}")
    visit.open(notebook)
    inside = visit.tab.frames[1]
    assert inside.evaluate(COLOURS) > 100
    assert visit.troubles == []
