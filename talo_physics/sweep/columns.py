"""The columns of a sweep's rows: what they are called, what they hold, and what they mean."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]

FIGURES = {
    "pitch_mm": "pitch_mm",
    "density_kg_m3": "density_kg_m3",
    "edge_inset_mm": "edge_inset_mm",
    "friction": "friction",
    "restitution": "restitution",
    "pawn.base_mm": "pawn_base_mm",
    "pawn.height_mm": "pawn_height_mm",
    "pawn.mass_g": "pawn_mass_g",
}
"""Figures of the profile that have a column of their own, and its name; those of single lengths are in `parameters`."""

COLUMNS: dict[str, tuple[str, str]] = {
    "row": ("int", "the row's number; rows are in this order"),
    "kind": ("text", "scenario, tower or game"),
    "source": ("text", "the scenario's file, as seen from the sweep file"),
    "number": ("int", "of a generated tower or game, from 0 on"),
    "title": ("text", "the scenario's"),
    "text": ("text", "what was judged, as a scenario file; of a game its record"),
    "version": ("text", "of this package"),
    "profile": ("text", "the profile's name, with what was changed"),
    "profile_fingerprint": ("text", "equal for equal figures"),
    "seed": ("int", "the sweep's"),
    "parameters": ("text", "what this row chose, as a JSON object"),
    "draw": ("int", "which draw from the spread"),
    "table_tilt_deg": ("float", "the tilt of the table that was asked for"),
    "hand": ("text", "the hand that placed what is proposed, of a generated tower its last block"),
    **{name: ("float", f"{key} in force in this row") for key, name in FIGURES.items()},
    "blocks": ("int", "how many there are with what was proposed; of a game at its end"),
    "verdict": ("text", "on a level table"),
    "marginal": ("bool", "whether the answer hangs by a hair"),
    "legal": ("bool", "whether no rule is broken"),
    "violations": ("texts", "the ids of the rules that are broken"),
    "fallen": ("texts", "what fell"),
    "moved": ("texts", "what was shifted, but did not fall"),
    "tilt_deg": ("float", "the least tilt at which it falls; with margin"),
    "stands_tilted": ("bool", "whether it stands with the table tilted by table_tilt_deg, whichever way"),
    "falls_by_hand": ("float", "the share of its placements by that hand that bring something down"),
    "falls_low": ("float", "the lower end of the 95 % interval of that"),
    "falls_high": ("float", "its upper end"),
    "static_verdict": ("text", "what statics says"),
    "disputed": ("bool", "whether statics says the opposite"),
    "warnings": ("texts", "in words; also why a hand did not place anything"),
    "unmet": ("texts", "what the scenario expected and did not get"),
    "trials": ("int", "simulations"),
    "steps": ("int", "their solver steps"),
    "sim_s": ("float", "their simulated seconds"),
    "result": ("text", "of a game: won, collapse, drawn, or unfinished after the most turns"),
    "winner": ("texts", "of a game"),
    "loser": ("text", "of a game"),
    "turns": ("int", "of a game"),
    "computers": ("texts", "of a game: who played, in the order of turns"),
    "levels": ("ints", "of a game: how high the pawns stood at its end, in the order of turns"),
    "built": ("ints", "of a game: how many blocks of length 1, 2 and so on to 10 were in its tower at its end"),
    "falls": ("int", "of a game: turns in which something fell, those that were put right too"),
    "extent": ("text", "of a game that a collapse ended: partial or total"),
    "error": ("text", "why there is no answer; null where there is one"),
}
"""Each with its type and what it means. What a row has no answer for is null."""
