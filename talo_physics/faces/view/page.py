"""A scene as one HTML page that needs nothing else: no network, no graphics card.

Titles come from strangers. They reach the page as escaped text, or as JSON in which `<`, `>` and `&` are escaped;
the page's own policy lets no script run but its own and nothing be loaded from anywhere.
"""

from __future__ import annotations

import base64
import json
from functools import lru_cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from talo_physics.faces.view import light
from talo_physics.faces.view.camera import NAMED, View
from talo_physics.faces.view.caption import Caption
from talo_physics.faces.view.drawing import GROUND_SHADE
from talo_physics.faces.view.ground import MARK, RIM, WOODEN_RIM, field_colour
from talo_physics.faces.view.labels import staff_levels
from talo_physics.faces.view.palette import FAINT_INK, FALLEN, HELD, PROPOSED, STAFF, TABLE, VERDICTS, Colour, ink_on
from talo_physics.faces.view.scene import Piece, Scene
from talo_physics.faces.view.shapes import Array, quaternions
from talo_physics.geometry.board import LAND, SIZE, START
from talo_physics.geometry.solids import pawn_outline

DECIMALS = 4
"""Of positions in units and of quaternions: a five-hundredth of a millimetre."""
REST_UNITS = 1e-3
"""What moves less than this needs no track of its own."""


def page(scene: Scene, view: View = NAMED["corner"], bare: bool = False) -> str:
    """The scene as an HTML page with its replay; bare it shows the picture alone, drawn once and fast."""
    style, script = _source("replay.css"), _script()
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    title = escape(scene.caption.title or "Talo")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body{' class="bare"' if bare else ""}>
{_header(scene.caption)}
<noscript><p class="trouble">The tower is drawn by a script; this browser runs none.</p></noscript>
<p class="trouble" id="trouble" hidden>This browser cannot draw on a canvas.</p>
<canvas id="canvas" role="img" aria-label="the tower; drag to turn it, scroll to come nearer"></canvas>
{_footer(scene)}
<script type="application/json" id="scene">{script_json(scene_data(scene, view))}</script>
<script>{script}</script>
</body>
</html>
"""


def scene_data(scene: Scene, view: View) -> dict[str, Any]:
    """All that the page's script draws, as plain data."""
    fields, levels = scene.board.fields, staff_levels(scene)
    corners = scene.corners
    squares = [(x, y, scene.board.field(x, y) or LAND) for y in range(SIZE) for x in range(SIZE)]
    return {
        "view": [view.round_deg, view.up_deg],
        "bounds": [_rounded(corners.min(axis=0)), _rounded(corners.max(axis=0))],
        "levels": levels,
        "fields": None
        if fields is None
        else np.array([field_colour(f, x, y) for x, y, f in squares]).reshape(SIZE, SIZE, 3).tolist(),
        "starts": [(x, y) for x, y, letter in squares if letter == START],
        "pieces": [_piece_data(piece, leaves) for piece, leaves in zip(scene.pieces, _leaving(scene), strict=True)],
        "ghosts": [_piece_data(ghost) for ghost in scene.ghosts],
        "moves": [[[p.x + 0.5, p.y + 0.5, p.z + 1.9] for p in (move.start, move.end)] for move in scene.moves],
        "pawn": [_rounded(point) for point in pawn_outline(scene.profile) / scene.profile.pitch_mm.value],
        **_motion_data(scene),
        **_colours(),
    }


def _colours() -> dict[str, Any]:
    shading = {"ambient": light.AMBIENT, "sun": light.SUN, "sky": light.SKY, "groundShade": 1 - GROUND_SHADE}
    return {
        "light": {**shading, "background": TABLE},
        "rim": RIM,
        "rimColour": WOODEN_RIM,
        "startColour": MARK,
        "staff": STAFF,
        "ink": FAINT_INK,
        "proposedColour": PROPOSED,
        "fallenColour": FALLEN,
    }


def _leaving(scene: Scene) -> list[bool]:
    """Of each piece whether it is gone once the motion starts."""
    return [not there for there in scene.motion.present] or [False] * len(scene.pieces)


def _piece_data(piece: Piece, leaves: bool = False) -> dict[str, Any]:
    half = np.abs(np.vstack(piece.shell)).max(axis=0)
    return {
        "label": piece.label,
        "colour": piece.colour,
        "ink": ink_on(piece.colour),
        "pawn": piece.is_pawn,
        "proposed": piece.proposed,
        "leaves": leaves,
        "half": _rounded(half),
        "pose": _poses(piece.matrix[None])[0],
    }


def _motion_data(scene: Scene) -> dict[str, Any]:
    """The times worth watching, and where each piece that moves is then: centre and quaternion."""
    motion = scene.motion
    begin, end = motion.span_s
    kept = [i for i, time in enumerate(motion.times_s) if begin - 1e-9 <= time <= end + 1e-9]
    tracks: dict[int, list[list[float]]] = {}
    moving = [i for i, there in enumerate(motion.present) if there]
    for place, number in enumerate(moving if motion.falls else ()):
        matrices = motion.matrices[kept, place]
        if np.abs(matrices - scene.pieces[number].matrix).max() > REST_UNITS:
            tracks[number] = _poses(matrices)
    times = [round(motion.times_s[i], 3) for i in kept] if tracks else []
    span = [times[0], times[-1]] if times else [0.0, 0.0]
    return {"falls": bool(tracks), "span": span, "times": times, "tracks": tracks}


def _poses(matrices: Array) -> list[list[float]]:
    """Matrices (n, 4, 4) as rows of x, y, z and a quaternion."""
    return [_rounded(row) for row in np.hstack([matrices[:, :3, 3], quaternions(matrices[:, :3, :3])])]


def _rounded(values: Array) -> list[float]:
    return [round(float(value), DECIMALS) + 0.0 for value in values]  # + 0.0 turns -0 into 0


# ---- the text of the page


def _header(caption: Caption) -> str:
    rows = []
    if caption.title:
        rows.append(f"<h1>{escape(caption.title)}</h1>")
    if caption.verdict:
        pill = f'<span class="verdict {escape(caption.verdict)}" id="verdict">{escape(caption.verdict_text)}</span>'
        rows.append(f'<p>{pill}<span id="ruling">{escape(caption.ruling)}</span></p>')
    for key in caption.keys:
        swatch = f'<span class="swatch {key.name.split()[0]}"></span>'
        rows.append(f'<p class="key">{swatch}{escape(key.name)}: {escape(key.what)}</p>')
    return "<header>" + "\n".join(rows) + "</header>" if rows else ""


def _footer(scene: Scene) -> str:
    data = _motion_data(scene)
    off = "" if data["falls"] else " hidden"
    begin, end = data["span"]
    sides = "".join(
        f'<button type="button" data-view="{view.round_deg:g},{view.up_deg:g}">{name}</button>'
        for name, view in NAMED.items()
    )
    note = "" if data["falls"] else "<span>nothing falls; drag to turn it</span>"
    return f"""<footer>
<button type="button" id="play"{off}>Play</button>
<input type="range" id="time" aria-label="time" min="{begin}" max="{end}" value="{begin}" step="0.01"{off}>
<span id="clock"{off}></span>{note}
<button type="button" id="slower"{off}>slower</button><span id="speed"{off}></span>
<button type="button" id="faster"{off}>faster</button>
<span>{sides}</span>
</footer>"""


def script_json(data: Any) -> str:
    """JSON that cannot end the element it stands in, whatever the texts in it say."""
    text = json.dumps(data, separators=(",", ":"))  # ASCII only: line separators are escaped too
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


@lru_cache(maxsize=8)
def _source(name: str) -> str:
    text = (files("talo_physics.faces.view") / "web" / name).read_text(encoding="utf-8")
    if name.endswith(".css"):
        text += "".join(
            f".verdict.{verdict} {{ background: {_css(colour)}; }}\n" for verdict, colour in VERDICTS.items()
        )
        text += f".swatch.proposed {{ border: 3px solid {_css(PROPOSED)}; }}\n"
        text += f".swatch.fell {{ background: {_css(FALLEN)}; }}\n.swatch.falls {{ background: {_css(HELD)}; }}\n"
    return text


def _script() -> str:
    return f'(() => {{\n"use strict";\n{_source("engine.js")}\n{_source("replay.js")}}})();\n'


def _css(colour: Colour) -> str:
    return "rgb({}, {}, {})".format(*colour)


def _hash(text: str) -> str:
    """How a policy names a script or style that is written into the page itself."""
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"
