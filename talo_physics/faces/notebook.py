"""Towers, judgements and replays that show themselves in a notebook, offline.

Nothing upstream knows of pictures: IPython is told by name what to draw of which type, and draws when it must.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from talo_physics.faces.view.scene import Scene
    from talo_physics.geometry.board import Board
    from talo_physics.geometry.profile import Profile
    from talo_physics.judgement import Judgement
    from talo_physics.tower.finding import Replay
    from talo_physics.tower.tower import Tower

SHOWN = (
    ("talo_physics.tower.tower", "Tower"),
    ("talo_physics.judgement", "Judgement"),
    ("talo_physics.tower.finding", "Replay"),
)
SIZE = (800, 620)
PAGE_HEIGHT = 560


@dataclass(frozen=True, eq=False)
class Shown:
    """Something to look at: a picture, and where there is a motion a page to replay it."""

    scene: Scene = field(repr=False)
    moving: bool

    def _repr_png_(self) -> bytes:
        from talo_physics.faces.view.still import Frame, png

        return png(self.scene, Frame(*SIZE))

    def _repr_html_(self) -> str | None:
        """A frame of its own: the page's style and script stay apart from the notebook's."""
        if not self.moving:
            return None
        from talo_physics.faces.view.page import page

        style = f"width:100%;height:{PAGE_HEIGHT}px;border:1px solid #ccc8c2"
        return f'<iframe srcdoc="{escape(page(self.scene))}" style="{style}" sandbox="allow-scripts"></iframe>'


def show(
    thing: Tower | Judgement | Replay, board: Board | None = None, profile: Profile | None = None, turn: bool = False
) -> Shown:
    """Something to look at in a notebook: a tower, a judgement or a replay.

    A replay, and a judgement that was asked for one (`Wishes(replay=True)`), can be played; with `turn` everything
    else can be turned by hand too. A judgement knows its board and profile.

    >>> from talo_physics import Tower, load_board, show
    >>> show(Tower.parse(["1z@3,4,0", "3x@2,4,1"]), load_board("island"), turn=True)
    Shown(moving=True)
    """
    from talo_physics.faces.view.scene import scene_of

    scene = scene_of(thing, board, profile)
    return Shown(scene, turn or bool(scene.motion.times_s))


def register(shell: Any) -> None:
    """Let towers, judgements and replays show themselves in an IPython shell."""
    formatters = shell.display_formatter.formatters
    for module, name in SHOWN:
        formatters["image/png"].for_type_by_name(module, name, lambda thing: show(thing)._repr_png_())
        formatters["text/html"].for_type_by_name(module, name, lambda thing: show(thing)._repr_html_())
