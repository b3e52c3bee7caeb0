"""The texts of the page. Titles, names and steps may be a stranger's: everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from talo_physics.faces.desk.desk import Desk
from talo_physics.faces.desk.words import Line
from talo_physics.faces.view.palette import FALLEN, HELD, PAWNS, PROPOSED, VERDICTS, Colour
from talo_physics.tower.finding import Verdict

_SMALL = "font-size:0.85em;line-height:1.35;overflow-wrap:anywhere"
_TROUBLE = f"{_SMALL};color:#a01010;background:#fdeaea;padding:0.4em 0.6em;border-radius:4px;white-space:pre-wrap"
_NOTE = f"{_SMALL};background:#eef3fb;padding:0.4em 0.6em;border-radius:4px"
_ASKED = f"{_NOTE};background:#fdf3da;font-weight:600"
_ABOUT = "color:#777;vertical-align:top;padding-right:0.7em;white-space:nowrap"
_ROOM = "padding:0.15em 0.9em"


def head(desk: Desk) -> str:
    """The title, whose turn it is, what is going on, and what went wrong."""
    title = f'<div id="title" style="font-weight:600">{escape(desk.table.scenario.title or "untitled")}</div>'
    turn = f'<div id="turn">{_pawn(desk.table.scenario.turn)}{escape(desk.turn)}</div>' if desk.turn else ""
    hand = "; ".join(str(step) for step in desk.table.steps)
    in_hand = f'<div id="hand" style="{_SMALL}">in hand: {escape(hand)}</div>' if hand else ""
    note = f'<div id="note" style="{_NOTE}">{escape(desk.note)}</div>' if desk.note else ""
    asked = f'<div id="question" role="alert" style="{_ASKED}">{escape(desk.question)}</div>' if desk.question else ""
    doing = f'<div id="doing" style="{_NOTE}">{escape(desk.doing)} …</div>' if desk.doing else ""
    trouble = f'<div id="trouble" role="alert" style="{_TROUBLE}">{escape(desk.trouble)}</div>' if desk.trouble else ""
    return f'<div style="{_ROOM}">{title}{turn}{in_hand}{note}{asked}{doing}{trouble}</div>'


def verdict(desk: Desk) -> str:
    """What the referee says, as he says it in the terminal."""
    if not desk.lines:
        empty = "not judged yet" if desk.table.steps or desk.table.tower.blocks else "nothing is built yet"
        return f'<div id="verdict" style="{_ROOM};{_SMALL};color:#777">{empty}</div>'
    return f'<div id="verdict" style="{_ROOM}">{_table(desk.lines)}</div>'


def reasons(desk: Desk) -> str:
    """Why, as `talo explain` says it."""
    if desk.answer is None:
        return f'<div id="reasons" style="{_ROOM};{_SMALL};color:#777">the reasons come with the verdict</div>'
    return f'<div id="reasons" style="{_ROOM}">{_table(desk.answer.reasons)}</div>'


def ghost(desk: Desk) -> str:
    """Where the chosen block would lie, or why it cannot."""
    found = desk.ghost
    colour = "#a01010" if found.breaches else "#1c6e3a"
    return f'<div id="ghost" style="{_ROOM};{_SMALL};color:{colour}">{escape(found.words)}</div>'


def key() -> str:
    """The key to the colours."""
    rows = ((PROPOSED, "blue outline: in hand"), (FALLEN, "red: falls"), (HELD, "amber: falls without a pawn"))
    chips = " ".join(f"{_chip(colour)}{escape(text)}<br>" for colour, text in rows)
    return f'<div style="{_ROOM};{_SMALL}">{chips}</div>'


def _table(lines: Iterable[Line]) -> str:
    rows = "".join(
        f'<tr><td style="{_ABOUT}">{escape(line.about)}</td>'
        f'<td class="{escape(line.about)}" style="{_colour_of(line)}">{escape(line.text)}</td></tr>'
        for line in lines
    )
    return f'<table style="{_SMALL};border-collapse:collapse">{rows}</table>'


def _colour_of(line: Line) -> str:
    word = line.text.split(" ")[0].rstrip(":,")
    if line.about in ("verdict", "simulation") and word in set(Verdict):
        return f"font-weight:600;color:{_css(VERDICTS[Verdict(word)])}"
    if line.about == "ruling":
        bad = word in ("illegal", "collapse", "lost")
        return f"font-weight:600;color:{_css(VERDICTS[Verdict.TOPPLES if bad else Verdict.STANDS])}"
    return ""


def _pawn(colour: str | None) -> str:
    return _chip(PAWNS[colour]) if colour in PAWNS else ""


def _chip(colour: Colour) -> str:
    style = "display:inline-block;width:0.8em;height:0.8em;border-radius:50%;margin-right:0.4em"
    return f'<span style="{style};background:{_css(colour)}"></span>'


def _css(colour: Colour) -> str:
    return "rgb({},{},{})".format(*colour)


def replay(seen: str) -> str:
    """How far a replay has come; empty where nothing falls."""
    words = seen or "nothing falls: there is nothing to replay"
    return f'<div id="replay" style="{_ROOM};{_SMALL}">{escape(words)}</div>'
