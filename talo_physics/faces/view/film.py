"""A fall as a moving picture; of what stands, a slow turn round it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from talo_physics.faces.view.scene import Scene
from talo_physics.faces.view.still import Frame, Studio

FRAME_S = 0.05
"""As often as a simulation is looked at; a GIF knows only hundredths of a second."""
MOST_FRAMES = 100
"""A longer fall is shown in larger steps."""
TURN_FRAMES, TURN_FRAME_S = 45, 0.12
FIRST_S, LAST_S = 0.9, 1.8
"""How long the first and the last frame are held, so that a loop has a beginning and an end."""
COLOURS = 192

Progress = Callable[[Sequence[float]], Iterable[float]]


@dataclass(frozen=True, eq=False)
class Film:
    """Pictures one after the other, and how long each is shown."""

    frames: tuple[Image.Image, ...]
    lengths_ms: tuple[int, ...]


def frames_of(scene: Scene, frame: Frame, progress: Progress = iter) -> Film:
    """The scene's fall; where nothing falls, once round it."""
    studio = Studio(scene, frame)
    if not scene.motion.falls:
        turns = [float(turn) for turn in np.linspace(0, 360, TURN_FRAMES, endpoint=False)]
        views = (frame.view.turned(turn) for turn in progress(turns))
        pictures = tuple(studio.picture(view=view, note="nothing falls") for view in views)
        return Film(pictures, (round(1e3 * TURN_FRAME_S),) * len(pictures))
    begin, end = scene.motion.span_s
    times = np.linspace(begin, end, min(MOST_FRAMES, round((end - begin) / FRAME_S) + 1))
    pictures = tuple(
        studio.picture(scene.at(time), note=f"{time:.2f} s") for time in progress([float(time) for time in times])
    )
    each = max(20, round(100 * float(times[1] - times[0])) * 10)
    return Film(pictures, (round(1e3 * FIRST_S), *[each] * (len(pictures) - 2), round(1e3 * LAST_S)))


def gif(film: Film) -> bytes:
    """As an animated GIF file.

    One palette for all frames, or colours would flicker; it is made of the first, a middle and the last one.
    """
    width, height = film.frames[0].size
    sample = Image.new("RGB", (width, 3 * height))
    for place, number in enumerate((0, len(film.frames) // 2, -1)):
        sample.paste(film.frames[number], (0, place * height))
    palette = sample.quantize(COLOURS, Image.Quantize.MEDIANCUT)
    small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in film.frames]
    data = io.BytesIO()
    small[0].save(data, "GIF", save_all=True, append_images=small[1:], duration=film.lengths_ms, loop=0)
    return data.getvalue()


def webp(film: Film) -> bytes:
    """As an animated WebP file."""
    data = io.BytesIO()
    first, *others = film.frames
    lengths = list(film.lengths_ms)
    first.save(data, "WEBP", save_all=True, append_images=others, duration=lengths, loop=0, quality=70, method=3)
    return data.getvalue()
