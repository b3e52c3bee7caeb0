"""The desk's server: on this computer alone unless told otherwise, for the desk's own page alone, and offline."""

from __future__ import annotations

import io
import threading
import time
from contextlib import redirect_stdout

import viser

from talo_physics.errors import TaloError
from talo_physics.faces.desk.desk import Desk
from talo_physics.faces.desk.door import Door, check_address
from talo_physics.faces.desk.first import PANEL_PX
from talo_physics.faces.desk.panel import Panel
from talo_physics.faces.desk.stage import Stage
from talo_physics.faces.desk.uploads import limit_uploads

LOOPBACK = "127.0.0.1"
PORT = 8256
"""Any; this one is nobody's."""
FRAME_S = 1 / 20
BRAND = (120, 82, 48)


class _Server(viser.ViserServer):
    """Viser without its tunnel: a page could ask for one to a host on the internet."""

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Never."""
        return None


def _shown(host: str) -> str:
    """The host as an address shows it; a browser on this computer comes to all of its addresses by loopback."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{host}]" if ":" in host else host


class Served:
    """A desk with its page; `stop` ends it."""

    def __init__(self, desk: Desk, host: str = LOOPBACK, port: int = PORT) -> None:
        """Start serving.

        Raises:
            TaloError: the port is in use.
        """
        check_address(host, port)
        self.desk = desk
        door = Door(desk, host)
        with redirect_stdout(io.StringIO()), door.keep():  # the command line says where it listens in its own words
            self.server = _Server(host=host, port=port, label="Talo", verbose=False)
        self.port = self.server.get_port()
        self.address = f"http://{_shown(host)}:{self.port}"
        if door.tries != 1:
            self.server.stop()
            unguarded = "this viser does not let the desk guard its door; install the one of talo-physics[view]"
            faster = f"cannot listen on {host}:{port}: somebody was faster; --port chooses another port"
            raise TaloError(faster if door.tries else unguarded)
        gui = self.server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND, control_width="large")
        gui.main_panel.dock_right()
        gui.main_panel.set_width(PANEL_PX)
        limit_uploads(self.server, desk.refuse_upload)
        self.stage = Stage(self.server)
        self.panel = Panel(self.server, desk)
        self.stage.aim_camera(desk.scene, desk.grows)
        self._changed, self._over = threading.Event(), threading.Event()
        desk.watch(self._changed.set)
        self._draw()
        self._painter = threading.Thread(target=self._paint, name="painter", daemon=True)
        self._painter.start()

    # ---- drawing, by one thread

    def _paint(self) -> None:
        last = time.monotonic()
        while not self._over.is_set():
            self._changed.wait(FRAME_S if self.desk.clock.playing else None)
            self._changed.clear()
            now = time.monotonic()
            self.desk.clock.tick(min(now - last, 4 * FRAME_S))
            last = now
            if not self._over.is_set():
                self._draw()
                if self.desk.clock.playing:
                    self._over.wait(max(0.0, FRAME_S - (time.monotonic() - now)))

    def _draw(self) -> None:
        """Show the desk; what cannot be drawn is told, and the page goes on."""
        desk, clock = self.desk, self.desk.clock
        try:
            self.panel.refresh()
            self.stage.show(desk.scene, clock.time_s if clock.begun else None)
            self.stage.mark(self.panel.marks())
        except Exception as error:
            desk.trouble = f"this cannot be drawn: {type(error).__name__}: {error}"
            self.panel.say_trouble()

    def stop(self) -> None:
        """End it."""
        self._over.set()
        self._changed.set()
        self._painter.join(timeout=5)
        self.desk.close()
        with redirect_stdout(io.StringIO()):
            self.server.stop()
