"""The desk's door: who may come in, what is there first, and what the command line says."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPResponse
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from talo_physics import Scenario, Tower, load_scenario
from talo_physics.errors import TaloError
from talo_physics.faces.cli import main
from talo_physics.faces.desk.album import Album
from tests.test_browser import CHROMIUM, QUIET, playwright

viser = pytest.importorskip("viser", reason="no desk: viser is not installed")
from viser.infra import ClientId  # noqa: E402  # it needs viser

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


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts a game in a process of its own, always at the same port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from talo_physics.faces.cli import main; main()", "play"]
    command += [str(tmp_path / "game.talo"), "--browser", "--port", str(port)]
    begun: list[subprocess.Popen[str]] = []

    def begin() -> subprocess.Popen[str]:
        begun.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert begun[-1].stdout is not None
        assert begun[-1].stdout.readline().startswith(f"the desk is at http://127.0.0.1:{port}")
        return begun[-1]

    yield begin
    for process in begun:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


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


def test_a_server_that_is_killed_is_told_of_and_a_new_one_goes_on(
    game: Callable[[], subprocess.Popen[str]], tmp_path: Path
) -> None:
    path, process = tmp_path / "game.talo", game()
    address = f"http://127.0.0.1:{process.args[-1]}"  # type: ignore[index]
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), args=SOFT)
        tab = browser.new_page(viewport={"width": 1000, "height": 760})
        tab.set_default_timeout(PATIENCE_MS)
        tab.goto(address)
        tab.wait_for_selector("#first", state="detached")
        tab.get_by_role("button", name="Throw the die", exact=True).click()
        tab.wait_for_selector("#turn:has-text('throws')")
        thrown = tab.inner_text("#turn")
        process.kill()
        process.wait()
        kept = path.read_text()
        tab.wait_for_selector("#gone:has-text('does not answer')")
        process = game()
        tab.wait_for_selector("#gone", state="hidden")
        tab.wait_for_selector("#turn:not(:has-text('throws'))")
        assert path.read_text() == kept
        tab.get_by_role("button", name="Throw the die", exact=True).click()
        tab.wait_for_selector("#turn:has-text('throws')")
        assert tab.inner_text("#turn") == thrown  # no other throw by killing the desk
        browser.close()
    process.send_signal(signal.SIGINT)
    assert process.wait() == 0


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


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"\xff\xfe\0nonsense\r\n\r\n", b""),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx", b""),
        (b"GET /" + b"a" * 99_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", b""),
        (b"GET /" + b"a" * 3_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", b"HTTP/1.1 404"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: example.org\r\n\r\n", b"HTTP/1.1 403"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://[\r\n\r\n", b"HTTP/1.1 403"),
        (b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 403"),
    ],
)
def test_nonsense_at_the_door_is_turned_away_in_silence(
    served: Served, request_: bytes, status: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE_MS / 1000) as knock:
        knock.sendall(request_)
        assert knock.recv(12) == status
    assert get(served, "/alive")[1] == "yes\n"
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def test_an_upload_of_which_more_comes_than_was_said_is_dropped(served: Served) -> None:
    from viser._messages import FileTransferPart, FileTransferStartUpload

    inner, under_way = served.server._websock_server, served.server.gui._current_file_upload_states
    button = next(iter(served.server.gui._gui_input_handle_from_uuid))
    (start,), (part,) = (inner._incoming_handlers[kind] for kind in (FileTransferStartUpload, FileTransferPart))
    start(ClientId(0), FileTransferStartUpload(button, "liar", "liar.yaml", "text/yaml", 3, 10))
    assert "liar" in under_way
    part(ClientId(0), FileTransferPart(button, "liar", 0, b"more than ten bytes"))
    assert "liar" not in under_way
    start(ClientId(0), FileTransferStartUpload(button, "giant", "giant.yaml", "text/yaml", 1, 10**12))
    assert "giant" not in under_way
    assert served.desk.trouble == "giant.yaml: larger than 2 MB: neither a scenario nor a record"


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


def test_whoever_is_faster_at_a_port_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("talo_physics.faces.desk.server.check_address", lambda *_: None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(TaloError, match="somebody was faster; --port chooses another port"):
            Served(Album(load_scenario(TIPS)), port=taken.getsockname()[1])


def test_an_address_of_ipv6_is_served_and_shown() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    for host in ("::1", "::"):
        try:
            served = Served(Album(load_scenario(TIPS)), host, port=0)
        except TaloError as error:
            pytest.skip(f"no IPv6 here: {error}")
        connection = HTTPConnection("::1", served.port, timeout=PATIENCE_MS / 1000)
        connection.request("GET", "/alive")
        assert connection.getresponse().status == 200
        assert served.address == f"http://[::1]:{served.port}"
        served.stop()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["view", "vanished.yaml"], "no such file"),
        (["view", "vanished.talo"], "no such file"),
        (["view", str(TIPS), "--save", "nowhere"], "there is no such folder"),
        (["view", str(TIPS), "--host", "no.such.host.invalid"], "--host takes a name or an address"),
        (["view", str(TIPS), "--host", "::ffff:127.0.0.1"], "--host takes a name or an address"),
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
