"""`talo view` and `talo play --browser`: a desk for a file, served until somebody ends it."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from talo_physics.errors import TaloError
from talo_physics.extras import extra
from talo_physics.faces.desk.album import Album
from talo_physics.faces.desk.desk import Desk
from talo_physics.faces.desk.files import RECORD, Folder
from talo_physics.faces.desk.match import Match
from talo_physics.game.keeping import read_record
from talo_physics.game.session import Session
from talo_physics.scenario.model import Scenario


@dataclass(frozen=True)
class Place:
    """Where and how a desk is served."""

    host: str
    port: int
    save: str | None = None
    open_browser: bool = False
    wait: bool = True
    """Whether to serve until interrupted; tests do not."""

    @property
    def folder(self) -> Folder:
        """Where the page may save.

        Raises:
            TaloError: there is no such folder.
        """
        if self.save is None:
            return Folder()
        path = Path(self.save)
        if not path.is_dir():
            raise TaloError(f"--save {self.save}: there is no such folder")
        return Folder(path)


def is_record(file: str) -> bool:
    """Whether a file is a record by its name."""
    return file.endswith(RECORD)


def view_record(file: str, place: Place) -> None:
    """Serve a desk for a recorded game."""
    path = Path(file)
    read = read_record(path)
    if read.torn:
        click.echo(f"{file}: the last line breaks off and is left out: {read.torn[:60]!r}", err=True)
    serve(Album(read.record, place.folder, path.parent), place)


def view_scenario(scenario: Scenario, place: Place) -> None:
    """Serve a desk for a scenario; it is judged at once."""
    desk = Album(scenario, place.folder)
    serve(desk, place, desk.judge if scenario.tower.blocks or scenario.proposal else None)


def play_match(session: Session, own_die: bool, place: Place) -> None:
    """Serve a desk for a game."""
    match = Match(session, place.folder, own_die)
    serve(match, place, match.go_on if session.computer else None)


def check_installed() -> None:
    """See that a desk can be served at all, before anything is judged or written for it.

    Raises:
        MissingExtraError: viser is not installed.
    """
    with extra("view", "viser"):
        import talo_physics.faces.desk.server  # noqa: F401  # what it needs is what counts


def serve(desk: Desk, place: Place, begin: Callable[[], object] | None = None) -> None:
    """Serve a desk until somebody interrupts it; what it begins with begins once there is something to look at.

    Raises:
        MissingExtraError: viser is not installed.
        TaloError: the port is in use.
    """
    try:
        check_installed()
        from talo_physics.faces.desk.door import is_loopback
        from talo_physics.faces.desk.server import Served

        served = Served(desk, place.host, place.port)
    except BaseException:
        desk.close()
        raise
    try:
        click.echo(f"the desk is at {served.address} (Ctrl+C ends it)")
        if not is_loopback(place.host):
            click.echo(
                f"it listens on {place.host}: whoever can reach this computer can see this desk and work at it",
                err=True,
            )
        if begin:
            begin()
        if place.open_browser and not webbrowser.open(served.address):
            click.echo("no browser could be opened; open the address in one", err=True)
        if place.wait:
            threading.Event().wait()
    except KeyboardInterrupt:
        click.echo()
    finally:
        served.stop()
