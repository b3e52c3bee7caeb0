"""Towers, judgements and replays that show themselves in a notebook, offline.

Nothing upstream knows of pictures: IPython is told by name what to draw of which type, and draws when it must.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from talo_physics.errors import TaloError

if TYPE_CHECKING:
    from PIL import Image

    from talo_physics.faces.view.scene import Scene
    from talo_physics.faces.view.still import Frame
    from talo_physics.geometry.board import Board
    from talo_physics.geometry.profile import Profile
    from talo_physics.judgement import Judgement
    from talo_physics.tower.finding import Replay
    from talo_physics.tower.tower import Tower

SIZE = (800, 620)
PAGE_HEIGHT = 560


@dataclass(frozen=True, eq=False)
class Shown:
    """Something to look at: a picture, and where there is a motion a page to replay it."""

    scene: Scene = field(repr=False)
    moving: bool
    frame: Frame = field(repr=False)
    at_s: float | None = field(default=None, repr=False)
    """The moment of the motion that the picture shows; None is before anything moves."""

    @property
    def picture(self) -> Image.Image:
        """The picture, to be put beside others or to be saved; all moments of a motion are seen from one place."""
        from talo_physics.faces.view.still import Studio

        studio = Studio(self.scene, self.frame)
        if self.at_s is None:
            return studio.picture()
        return studio.picture(self.scene.at(self.at_s), note=f"{self.at_s:.2f} s")

    def _repr_png_(self) -> bytes:
        data = io.BytesIO()
        self.picture.save(data, "PNG", optimize=True)
        return data.getvalue()

    def _repr_html_(self) -> str | None:
        """A frame of its own: the page's style and script stay apart from the notebook's."""
        if not self.moving:
            return None
        from talo_physics.faces.view.page import page

        content = escape(page(self.scene, self.frame.view))
        style = f"width:100%;height:{PAGE_HEIGHT}px;border:1px solid #ccc8c2"
        return f'<iframe srcdoc="{content}" style="{style}" sandbox="allow-scripts"></iframe>'


def show(
    thing: Tower | Judgement | Replay,
    board: Board | None = None,
    profile: Profile | None = None,
    turn: bool = False,
    *,
    side: str = "corner",
    size: tuple[int, int] = SIZE,
    at: float | None = None,
) -> Shown:
    """Something to look at in a notebook: a tower, a judgement or a replay.

    A replay, and a judgement that was asked for one (`Wishes(replay=True)`), can be played; with `turn` everything
    else can be turned by hand too. A judgement knows its board and profile.

    `side` is where it is seen from: `corner`, `front`, `right`, `back`, `left`, `top`, or two angles such as `30,25`;
    `size` is that of the picture in pixels. `at` gives a still picture of the motion after so many simulated seconds,
    with `inf` of its end. `.picture` is the picture itself, a Pillow image.

    >>> from talo_physics import Tower, load_board, show
    >>> tower = Tower.parse(["1z@3,4,0", "3x@2,4,1"])
    >>> show(tower, load_board("island"), turn=True)
    Shown(moving=True)
    >>> show(tower, side="top", size=(400, 300)).picture.size
    (400, 300)

    Raises:
        TaloError: there is no such side, or `at` of something that has no motion.
    """
    from talo_physics.faces.view.camera import View
    from talo_physics.faces.view.scene import scene_of
    from talo_physics.faces.view.still import Frame

    scene, frame = scene_of(thing, board, profile), Frame(*size, view=View.parse(side))
    if at is None:
        return Shown(scene, turn or bool(scene.motion.times_s), frame)
    if not scene.motion.times_s:
        raise TaloError("there is no motion to stop: a judgement has one if it is asked for Wishes(replay=True)")
    return Shown(scene, turn, frame, min(at, scene.motion.span_s[1]))


def gallery(*shown: Shown, columns: int = 3) -> Image.Image:
    """Pictures beside each other, row by row, as one that a notebook can keep: with a palette it stays small.

    >>> from talo_physics import Tower, show
    >>> three = [show(Tower.parse([f"{length}z@4,4,0"]), size=(200, 160)) for length in (1, 2, 3)]
    >>> gallery(*three, columns=2).size
    (400, 320)

    Raises:
        TaloError: there is nothing to put on show.
    """
    if not shown or columns < 1:
        raise TaloError("a gallery wants at least one picture, and at least one column")
    from PIL import Image

    pictures = [one.picture for one in shown]
    columns, rows = min(columns, len(pictures)), -(-len(pictures) // columns)
    width, height = (max(sides) for sides in zip(*(picture.size for picture in pictures), strict=True))
    wall = Image.new("RGB", (columns * width, rows * height), "white")
    for place, picture in enumerate(pictures):
        wall.paste(picture, (place % columns * width, place // columns * height))
    return wall.quantize(256, dither=Image.Dither.NONE)


def _tower_in_words(tower: Tower) -> str:
    return ", ".join(str(piece) for piece in (*tower.blocks, *tower.pawns)) or "an empty board"


def _replay_in_words(replay: Replay) -> str:
    return f"{len(replay.blocks)} blocks and {len(replay.pawns)} pawns over {replay.times_s[-1]:.2f} s"


IN_WORDS: dict[tuple[str, str], Callable[[Any], str]] = {
    ("talo_physics.tower.tower", "Tower"): _tower_in_words,
    ("talo_physics.judgement", "Judgement"): lambda answer: answer.in_short,
    ("talo_physics.tower.finding", "Replay"): _replay_in_words,
}
"""What shows itself, and a line for where no picture can be shown: all its fields would fill pages."""


def register(shell: Any) -> None:
    """Let towers, judgements and replays show themselves in an IPython shell."""
    formatters = shell.display_formatter.formatters
    for (module, name), words in IN_WORDS.items():
        formatters["image/png"].for_type_by_name(module, name, lambda thing: show(thing)._repr_png_())
        formatters["text/html"].for_type_by_name(module, name, lambda thing: show(thing)._repr_html_())
        formatters["text/plain"].for_type_by_name(module, name, _printing(words))


def _printing(words: Callable[[Any], str]) -> Callable[[Any, Any, bool], None]:
    return lambda thing, printer, cycle: printer.text(words(thing))
