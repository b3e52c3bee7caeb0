"""The desk's door: who may come in, what is there first, and what the command line says."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from talo_physics import Scenario, Tower, load_scenario
from talo_physics.faces.cli import main
from talo_physics.faces.desk.album import Album
from tests.test_browser import CHROMIUM, QUIET, playwright

viser = pytest.importorskip("viser", reason="no desk: viser is not installed")
from talo_physics.faces.desk.door import is_own_page  # noqa: E402  # it needs what comes with viser
from talo_physics.faces.desk.server import Served  # noqa: E402  # it needs viser
from tests.test_desk import ALL_55, PATIENCE_MS, ROOT, SOFT, TIPS, colours  # noqa: E402  # it needs viser

pytestmark = pytest.mark.browser
NO_WEBGL = [*QUIET, "--disable-3d-apis"]


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served(Album(load_scenario(ALL_55)), port=0)
    yield made
    made.stop()


def get(served: Served, path: str, **headers: str) -> tuple[HTTPResponse, str]:
    """Ask the desk for something, as whoever the headers say."""
    connection = HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE_MS / 1000)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer, answer.read().decode()


# ---- the first picture


class First:
    """A page that shows the first picture, and everything that went wrong on it."""

    def __init__(self, tab: playwright.Page, served: Served) -> None:
        self.tab, self.served = tab, served
        self.troubles: list[str] = []
        self.requests: set[str] = set()
        tab.set_default_timeout(PATIENCE_MS)
        tab.on("console", lambda message: self.troubles.append(message.text) if message.type == "error" else None)
        tab.on("pageerror", lambda error: self.troubles.append(str(error)))
        tab.on("request", lambda request: self.requests.add(request.url))

    def open(self) -> None:
        self.tab.goto(self.served.address)

    def colours(self) -> int:
        """Of the picture, once it is drawn."""
        drawn = self.tab.frame_locator("#first iframe").locator("canvas[width]")
        return colours(np.asarray(Image.open(BytesIO(drawn.screenshot())).convert("RGB")))

    def wait_words(self, words: str) -> None:
        self.tab.wait_for_selector(f"#first-words:has-text({json.dumps(words)})")


def test_the_first_picture_is_there_before_viser_s_page(served: Served) -> None:
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=SOFT)
        first = First(browser.new_page(viewport={"width": 1000, "height": 760}), served)
        held: list[playwright.Route] = []
        first.tab.route("**/index.html", lambda route: held.append(route))  # noqa: PLW0108  # a bound method will not do
        with first.tab.expect_request("**/index.html"):
            first.open()
        assert first.colours() > 50
        first.wait_words(served.desk.table.scenario.title)
        assert "coming" in first.tab.inner_text("#first-said")
        assert first.tab.locator("#root canvas").count() == 0
        held[0].continue_()
        first.tab.wait_for_selector("#title")
        first.tab.wait_for_selector("#first", state="detached")
        assert first.tab.locator("#root canvas").first.is_visible()
        assert first.troubles == []
        browser.close()


def test_without_webgl_the_picture_stays_follows_the_table_and_says_why(served: Served) -> None:
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=NO_WEBGL)
        first = First(browser.new_page(viewport={"width": 1000, "height": 760}), served)
        first.open()
        first.tab.wait_for_selector("#first-said:has-text('cannot draw in three dimensions')")
        assert first.colours() > 50
        served.desk.load(TIPS.read_bytes(), "tips.yaml")
        first.wait_words("A 4 on a standing 1 tips")
        served.desk.judge().result()
        first.wait_words("topples (marginal)")
        inside = first.tab.frame_locator("#first iframe")
        inside.get_by_role("button", name="Play").wait_for()  # the fall can be replayed
        assert first.colours() > 50
        served.stop()
        first.tab.wait_for_selector("#first-said:has-text('does not answer')")
        assert [trouble for trouble in first.troubles if "ERR_CONNECTION_REFUSED" not in trouble] == []
        assert all(url.startswith(served.address) for url in first.requests)
        browser.close()


def test_the_page_shows_the_table_as_it_is(served: Served) -> None:
    _, before = get(served, "/")
    assert "All 55 blocks" in before
    served.desk.load(b"title: <b>another</b>\ntower: [1z@3,4,0]\n", "another.yaml")
    answer, after = get(served, "/")
    assert "&lt;b&gt;another" in after
    assert "<b>another" not in after
    assert "All 55 blocks" not in after
    assert answer.headers["Cache-Control"] == "no-store"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert "another" in json.loads(get(served, "/table.json")[1])["words"]


def test_a_table_that_cannot_be_drawn_leaves_viser_s_page(
    served: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks(_: object) -> str:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr("talo_physics.faces.desk.door.first_page", breaks)
    answer, page = get(served, "/")
    assert (answer.status, "<title>Viser</title>" in page) == (200, True)
    assert "ZeroDivisionError" in capsys.readouterr().err


# ---- serving


@pytest.mark.parametrize(
    ("origin", "host", "ok"),
    [
        (None, "127.0.0.1:8256", True),
        ("http://127.0.0.1:8256", "127.0.0.1:8256", True),
        ("http://localhost:8256", "localhost:8256", True),
        ("https://example.org", "127.0.0.1:8256", False),
        ("http://example.org:8256", "example.org:8256", False),
        ("http://127.0.0.1:9999", "127.0.0.1:8256", False),
        ("null", "127.0.0.1:8256", False),
    ],
)
def test_pages_of_other_sites_are_turned_away(origin: str | None, host: str, ok: bool) -> None:
    headers = {"Host": host} | ({"Origin": origin} if origin else {})
    assert is_own_page(headers, "127.0.0.1") is ok
    if origin and "example.org:8256" in origin:
        assert is_own_page(headers, "0.0.0.0")


@pytest.mark.parametrize("path", ["/", "/table.json", "/index.html"])
def test_the_table_is_shown_to_nobody_who_calls_it_by_another_name(served: Served, path: str) -> None:
    for name in ("example.org", f"example.org:{served.port}", "127.0.0.1.example.org", "", "[", "a b", "x" * 300):
        answer, words = get(served, path, Host=name)
        assert (answer.status, "All 55" in words) == (403, False), name
    assert get(served, path, Origin="https://example.org")[0].status == 403
    assert get(served, path, Host=f"localhost:{served.port}")[0].status == 200


@pytest.mark.parametrize("path", ["/../server.py", "/%2e%2e/server.py", "/..%5cserver.py", "//etc/passwd", "/no"])
def test_no_other_file_is_given_out(served: Served, path: str) -> None:
    assert get(served, path)[0].status == 404


def test_another_site_cannot_work_the_desk() -> None:
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect
    from websockets.typing import Subprotocol

    served = Served(Album(Scenario(Tower.parse(["1z@3,4,0"]))), port=0)
    protocol = [Subprotocol(f"viser-v{viser.__version__}")]
    address = served.address.replace("http", "ws")
    try:
        with pytest.raises(InvalidStatus, match="403"):
            connect(address, origin="https://example.org", subprotocols=protocol)  # type: ignore[arg-type]
        with connect(address, origin=served.address, subprotocols=protocol) as own:  # type: ignore[arg-type]
            assert own.recv(timeout=30)
        assert served.server.request_share_url() is None
    finally:
        served.stop()


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = CliRunner().invoke(main, ["view", str(TIPS), "--port", str(port), "--no-wait"])
    assert result.exit_code == 2
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use; --port chooses another port" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["view", "vanished.yaml"], "no such file"),
        (["view", "vanished.talo"], "no such file"),
        (["view", str(TIPS), "--save", "nowhere"], "there is no such folder"),
        (["view", str(TIPS), "--host", "no.such.host.invalid"], "cannot listen on"),
        (["view", str(ROOT / "games" / "level-10.talo"), "--set", "friction=0.2"], "a record keeps its profile"),
        (["view", str(ROOT / "unplayable" / "two-reds.talo")], "setup.players"),
    ],
)
def test_what_cannot_be_opened_is_told(arguments: list[str], expected: str) -> None:
    result = CliRunner().invoke(main, [*arguments, "--port", "0", "--no-wait"])
    assert (result.exit_code, expected in result.stderr) == (2, True), result.stderr


def test_the_desk_says_where_it_is_and_who_can_come(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _: False)
    alone = CliRunner().invoke(main, ["view", str(TIPS), "--port", "0", "--no-wait", "--open"])
    assert alone.exit_code == 0
    assert alone.stdout.startswith("the desk is at http://127.0.0.1:")
    assert alone.stderr == "no browser could be opened; open the address in one\n"
    wide = CliRunner().invoke(main, ["view", "--port", "0", "--no-wait", "--host", "0.0.0.0"])
    assert "it listens on 0.0.0.0: whoever can reach this computer" in wide.stderr
    game = tmp_path / "game.talo"
    played = CliRunner().invoke(main, ["play", str(game), "--browser", "--port", "0", "--no-wait"])
    assert played.stdout.startswith("the desk is at")
    assert game.exists()


def test_without_viser_the_install_command_is_told() -> None:
    program = (
        "import sys; sys.modules['viser'] = None\n"
        "from talo_physics.faces.cli import main\n"
        f"main(['view', {str(TIPS)!r}, '--port', '0', '--no-wait'])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "pip install 'talo-physics[view]'" in result.stderr
