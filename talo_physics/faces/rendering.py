"""`talo render`: a judged scenario as pictures, films, solids and pages; a file's ending chooses."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path

import click

from talo_physics.errors import TaloError
from talo_physics.faces.show import Show
from talo_physics.faces.view.camera import View
from talo_physics.faces.view.scene import Scene, scene_of
from talo_physics.faces.view.still import Frame, png
from talo_physics.judgement import judge
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Wishes
from talo_physics.writing import write_whole

ENDINGS = (".png", ".gif", ".webp", ".glb", ".html")
SMALLEST, LARGEST = 160, 2400
LARGEST_FILM = 1000
"""Films are held in memory frame by frame."""
_FILM_FRAME = (720, 600)
"""Unless told otherwise: a film has many frames."""


def render(scenario: Scenario, outputs: Sequence[str], side: str, size: str | None, at: str) -> None:
    """Judge a scenario and write all pictures of it.

    Raises:
        TaloError: an ending, folder, side, size or moment that cannot be; nothing is written then.
    """
    paths = [checked_path(output) for output in outputs]
    view, time_s = View.parse(side), moment_s(at)
    frames = [_frame(path, size, view) for path in paths]
    show = Show()
    with show.err.status("judging"):
        scene = scene_of(judge(scenario, Wishes(counterweights=False, before=False, replay=True)))
    moment = scene if time_s is None else scene.at(min(time_s, scene.motion.span_s[1]))
    for path, frame in zip(paths, frames, strict=True):
        data = _MAKERS[path.suffix.lower()](scene, moment, frame, show)
        write_whole(path, data)
        click.echo(f"{path}: {_size_text(len(data))}; {scene.caption.in_short}")


def checked_path(output: str) -> Path:
    """Where a file will be written.

    Raises:
        TaloError: not with this ending, or not there.
    """
    path = Path(output)
    if path.suffix.lower() not in ENDINGS:
        raise TaloError(f"-o {output}: a file ending in {', '.join(ENDINGS)} was expected")
    if not os.path.isdir(path.parent):
        raise TaloError(f"-o {output}: there is no folder {path.parent}")
    if os.path.isdir(path):
        raise TaloError(f"-o {output}: that is a folder")
    return path


def moment_s(at: str) -> float | None:
    """The moment that `start`, `end` or a number of simulated seconds stands for; None is before anything moves.

    Raises:
        TaloError: it is none of these.
    """
    if at == "start":
        return None
    try:
        time_s = inf if at == "end" else float(at)
    except ValueError:
        time_s = -1.0
    if not time_s >= 0.0:
        raise TaloError(f"--at {at[:40]}: start, end or seconds such as 1.5 were expected")
    return time_s


def _frame(path: Path, size: str | None, view: View) -> Frame:
    is_film = path.suffix.lower() in (".gif", ".webp")
    if size is None:
        return Frame(*_FILM_FRAME, view=view) if is_film else Frame(view=view)
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", size)
    if not match:
        raise TaloError(f"--size {size[:40]}: WIDTHxHEIGHT in pixels was expected, such as 1200x900")
    largest = LARGEST_FILM if is_film else LARGEST
    sides = int(match[1]), int(match[2])
    if not all(SMALLEST <= side <= largest for side in sides):
        raise TaloError(f"--size {size[:40]}: {SMALLEST}x{SMALLEST} to {largest}x{largest} was expected for {path}")
    return Frame(*sides, view=view)


def _png(_: Scene, moment: Scene, frame: Frame, show: Show) -> bytes:
    with show.err.status("drawing"):
        return png(moment, frame)


def _gif(scene: Scene, _: Scene, frame: Frame, show: Show) -> bytes:
    from talo_physics.faces.view.film import frames_of, gif

    film = frames_of(scene, frame, lambda times: show.progress(times, "drawing"))
    with show.err.status("packing"):
        return gif(film)


def _webp(scene: Scene, _: Scene, frame: Frame, show: Show) -> bytes:
    from talo_physics.faces.view.film import frames_of, webp

    film = frames_of(scene, frame, lambda times: show.progress(times, "drawing"))
    with show.err.status("packing"):
        return webp(film)


def _glb(_: Scene, moment: Scene, frame: Frame, show: Show) -> bytes:
    from talo_physics.faces.view.model import glb

    return glb(moment)


def _html(scene: Scene, _: Scene, frame: Frame, show: Show) -> bytes:
    from talo_physics.faces.view.page import page

    return page(scene, frame.view).encode()


_MAKERS: dict[str, Callable[[Scene, Scene, Frame, Show], bytes]] = {
    ".png": _png,
    ".gif": _gif,
    ".webp": _webp,
    ".glb": _glb,
    ".html": _html,
}


def _size_text(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"
