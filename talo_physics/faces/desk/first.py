"""The page that is there first: the table as a picture without WebGL, and in words, until viser's page takes over."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from html import escape
from importlib.resources import files

from talo_physics.faces.desk import texts
from talo_physics.faces.desk.desk import Desk
from talo_physics.faces.view.motion import STILL
from talo_physics.faces.view.page import page
from talo_physics.faces.view.scene import Scene

PANEL_PX = 360
"""How wide the controls are, in words and later in viser's page."""
COMING = "The controls are coming …"
GONE = "The desk does not answer: has it been ended? This page goes on by itself when it is back."


def first_page(desk: Desk) -> str:
    """The desk's page: a picture of the table as it is now, and the script that brings viser's page."""
    picture, words = _seen(desk, bare=True)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Talo</title>
<link rel="icon" href="data:,">
<style>{_source("first.css")}</style>
</head>
<body>
<noscript>The desk needs a browser that runs scripts. The terminal does without: talo judge, talo play.</noscript>
<div id="first" style="--panel: {PANEL_PX}px">
<iframe title="the table" srcdoc="{escape(picture)}"></iframe>
<aside><p id="first-said" role="status">{COMING}</p><div id="first-words">{words}</div></aside>
</div>
<div id="root"></div>
<p id="gone" role="alert" hidden>{GONE}</p>
<script type="module">{_source("first.js")}</script>
</body>
</html>
"""


def table_json(desk: Desk) -> str:
    """The table as it is now, for a page on which the picture has to last."""
    picture, words = _seen(desk, bare=False)
    return json.dumps({"picture": picture, "words": words})


def _seen(desk: Desk, bare: bool) -> tuple[str, str]:
    """The table as a page of its own, and what is said about it."""
    with desk.still() as (scene, time_s):
        words = texts.head(desk) + texts.verdict(desk) + texts.reasons(desk)
    # Viser's page has the same texts; what is a stranger's in them is escaped and holds no such mark.
    return _picture(scene, time_s, bare), words.replace(' id="', ' id="first-')


@lru_cache(maxsize=2)  # whoever follows the table asks again and again
def _picture(scene: Scene, time_s: float | None, bare: bool) -> str:
    if time_s is not None:
        scene = scene.at(time_s)
    elif bare:  # a long fall would take longer to send than the picture to draw
        scene = replace(scene, motion=STILL)
    return page(scene, bare=bare)


@lru_cache(maxsize=2)
def _source(name: str) -> str:
    return (files("talo_physics.faces.desk") / "web" / name).read_text(encoding="utf-8")
