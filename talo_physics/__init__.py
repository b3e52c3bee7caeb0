"""Simulator and referee for the building game Talo.

You hand it a tower and a proposal; it simulates the proposal as rigid bodies and rules by the rulebook.
Nothing heavy is imported until it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from talo_physics.errors import FileError, TaloError, TextFormError, TowerError
    from talo_physics.faces.notebook import show
    from talo_physics.game.choices import legal_placements, legal_turns, path, reachable
    from talo_physics.game.playing import Played, play
    from talo_physics.game.record import Record
    from talo_physics.game.replay import replay
    from talo_physics.game.state import Setting, State, new_game
    from talo_physics.game.turn import Turn
    from talo_physics.geometry.board import Board, load_board
    from talo_physics.geometry.profile import Profile, load_profile
    from talo_physics.judgement import Judgement, judge
    from talo_physics.many import Failed, judge_many, worker_pool
    from talo_physics.scenario.file import load_scenario
    from talo_physics.scenario.model import Scenario
    from talo_physics.tower.finding import Finding, Replay, Verdict, Wishes
    from talo_physics.tower.pawn import Pawn, Surface
    from talo_physics.tower.placement import FreePose, Placement
    from talo_physics.tower.proposal import Proposal
    from talo_physics.tower.tower import Tower

_HOME = {
    "errors": ("FileError", "TaloError", "TextFormError", "TowerError"),
    "faces.notebook": ("show",),
    "game.choices": ("legal_placements", "legal_turns", "path", "reachable"),
    "game.playing": ("Played", "play"),
    "game.record": ("Record",),
    "game.replay": ("replay",),
    "game.state": ("Setting", "State", "new_game"),
    "game.turn": ("Turn",),
    "geometry.board": ("Board", "load_board"),
    "geometry.profile": ("Profile", "load_profile"),
    "judgement": ("Judgement", "judge"),
    "many": ("Failed", "judge_many", "worker_pool"),
    "scenario.file": ("load_scenario",),
    "scenario.model": ("Scenario",),
    "tower.finding": ("Finding", "Replay", "Verdict", "Wishes"),
    "tower.pawn": ("Pawn", "Surface"),
    "tower.placement": ("FreePose", "Placement"),
    "tower.proposal": ("Proposal",),
    "tower.tower": ("Tower",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Tower",
    "Placement",
    "FreePose",
    "Pawn",
    "Surface",
    "Proposal",
    "Scenario",
    "load_scenario",
    "judge",
    "Judgement",
    "judge_many",
    "Failed",
    "worker_pool",
    "Finding",
    "Replay",
    "Verdict",
    "Wishes",
    "show",
    "Setting",
    "new_game",
    "State",
    "Turn",
    "play",
    "Played",
    "legal_placements",
    "legal_turns",
    "reachable",
    "path",
    "Record",
    "replay",
    "Profile",
    "load_profile",
    "Board",
    "load_board",
    "TaloError",
    "TextFormError",
    "TowerError",
    "FileError",
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(import_module(f"talo_physics.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'talo_physics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))


def _show_in_notebooks() -> None:
    """In a notebook values show themselves. Elsewhere IPython is not imported, and nothing happens."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None:
        from talo_physics.faces.notebook import register

        register(shell)


_show_in_notebooks()
