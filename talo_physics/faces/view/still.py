"""A picture of a scene: the drawing, what is written into it, and the caption under it."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from talo_physics.faces.view.camera import NAMED, Camera, View
from talo_physics.faces.view.drawing import Painter, solid_of
from talo_physics.faces.view.labels import (
    coordinates,
    font,
    staff,
    staff_foot,
    staff_levels,
    staff_marks,
    write_lengths,
    write_row,
)
from talo_physics.faces.view.palette import FAINT_INK, INK, VERDICTS, Colour, ink_on
from talo_physics.faces.view.scene import Scene
from talo_physics.faces.view.shapes import Array

PAPER: Colour = (255, 255, 255)


@dataclass(frozen=True)
class Frame:
    """How a picture is taken: its size in pixels, and from where."""

    width: int = 1200
    height: int = 900
    view: View = NAMED["corner"]

    @property
    def text(self) -> int:
        """The height of ordinary text."""
        return max(11, min(28, self.width // 52, self.height // 30))


class Studio:
    """Takes pictures of one scene with one camera, so that the frames of a film fit together."""

    def __init__(self, scene: Scene, frame: Frame) -> None:
        self.scene, self.frame = scene, frame
        self.levels = staff_levels(scene)
        self.band = _caption_height(scene, frame)
        self.painter = self._painter(frame.view)

    def _painter(self, view: View) -> Painter:
        x, y = staff_foot(view)
        around = [(a, b, 0.0) for a in (-1.0, 11.0) for b in (-1.0, 11.0)]  # room for the coordinates
        corners: Array = np.vstack([self.scene.corners, around, [(x, y, 0.0), (x, y, float(self.levels))]])
        side = 1.6 * self.frame.text
        frame = (side, side, self.frame.width - side, self.frame.height - self.band - side)
        camera = Camera.fitting(view, corners, frame)
        return Painter(self.scene.board, camera, (self.frame.width, self.frame.height - self.band))

    def picture(self, scene: Scene | None = None, view: View | None = None, note: str = "") -> Image.Image:
        """A picture; of the scene at another moment, from another side, with a note in its corner."""
        shown, view = scene or self.scene, view or self.frame.view
        painter = self.painter if view == self.frame.view else self._painter(view)
        width, height, text = self.frame.width, self.frame.height - self.band, self.frame.text
        solids = [*(solid_of(piece) for piece in shown.pieces), *staff(view, self.levels)]
        drawing = painter.draw(shown, solids)
        image = Image.new("RGB", (width, self.frame.height), PAPER)
        image.paste(drawing.image)
        pen = ImageDraw.Draw(image)
        for marks in coordinates(view, shown.board.fields is not None):
            write_row(pen, drawing, marks, text)
        write_row(pen, drawing, staff_marks(view, self.levels), text)
        write_lengths(pen, drawing, shown.pieces)
        if note:
            pen.text((width - text, text), note, INK, font(text), anchor="ra")
        _write_caption(pen, self.scene, self.frame, height)
        return image


def png(scene: Scene, frame: Frame) -> bytes:
    """The scene as a PNG file."""
    data = io.BytesIO()
    Studio(scene, frame).picture().save(data, "PNG", optimize=True)
    return data.getvalue()


# ---- the caption


def _caption_height(scene: Scene, frame: Frame) -> int:
    caption = scene.caption
    lines = bool(caption.title) * 1.75 + bool(caption.verdict) * 1.85 + 1.45 * len(caption.keys)
    return round((lines + 0.8) * frame.text) if lines else 0


def _write_caption(pen: ImageDraw.ImageDraw, scene: Scene, frame: Frame, top: int) -> None:
    """Title, verdict and ruling, and the key to the colours."""
    caption, text = scene.caption, frame.text
    y, room = top + 0.55 * text, frame.width - 2.0 * text
    pen.line([(0, top), (frame.width, top)], fill=(200, 198, 194), width=1)
    if caption.title:
        pen.text((text, y), _cut(caption.title, round(1.2 * text), room), INK, font(round(1.2 * text)))
        y += 1.75 * text
    if caption.verdict:
        colour, label = VERDICTS[caption.verdict], caption.verdict_text
        width = pen.textlength(label, font(text))
        pill = (text, y, 2 * text + width, y + 1.5 * text)
        pen.rounded_rectangle(pill, radius=0.4 * text, fill=colour)
        pen.text((1.5 * text, y + 0.75 * text), label, ink_on(colour), font(text), anchor="lm")
        rest = _cut(caption.ruling, text, room - width - 2 * text)
        pen.text((2.8 * text + width, y + 0.75 * text), rest, INK, font(text), anchor="lm")
        y += 1.85 * text
    for name, colour, is_outline, what in caption.keys:
        square = (text, y + 0.2 * text, 1.9 * text, y + 1.1 * text)
        if is_outline:
            pen.rectangle(square, outline=colour, width=max(2, text // 6))
        else:
            pen.rectangle(square, fill=colour, outline=INK)
        pen.text((2.5 * text, y), _cut(f"{name}: {what}", text, room - 1.5 * text), FAINT_INK, font(text))
        y += 1.45 * text


def _cut(words: str, size: int, room: float) -> str:
    """The words, or so many of them as have room."""
    if font(size).getlength(words) <= room:
        return words
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if font(size).getlength(words[:middle] + "...") <= room:
            low = middle
        else:
            high = middle - 1
    return words[:low] + "..."
