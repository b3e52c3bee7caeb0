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
    from talo_physics.errors import TaloError
    from talo_physics.faces.notebook import show
    from talo_physics.game.choices import legal_placements, reachable
    from talo_physics.game.keeping import load_record
    from talo_physics.game.playing import play
    from talo_physics.game.replay import replay
    from talo_physics.game.state import Setting, new_game
    from talo_physics.game.turn import Turn
    from talo_physics.geometry.board import load_board
    from talo_physics.geometry.profile import load_profile
    from talo_physics.hand.estimate import by_hand
    from talo_physics.judgement import Judgement, explain, judge
    from talo_physics.many import judge_many, worker_pool
    from talo_physics.scenario.file import load_scenario
    from talo_physics.scenario.model import Scenario
    from talo_physics.tower.finding import Wishes
    from talo_physics.tower.pawn import Pawn
    from talo_physics.tower.placement import Placement
    from talo_physics.tower.proposal import Proposal
    from talo_physics.tower.tower import Tower

_MODULE_OF = {
    "Tower": "tower.tower",
    "Placement": "tower.placement",
    "Pawn": "tower.pawn",
    "Proposal": "tower.proposal",
    "Scenario": "scenario.model",
    "load_scenario": "scenario.file",
    "judge": "judgement",
    "Judgement": "judgement",
    "explain": "judgement",
    "Wishes": "tower.finding",
    "judge_many": "many",
    "worker_pool": "many",
    "by_hand": "hand.estimate",
    "show": "faces.notebook",
    "Setting": "game.state",
    "new_game": "game.state",
    "Turn": "game.turn",
    "play": "game.playing",
    "legal_placements": "game.choices",
    "reachable": "game.choices",
    "load_record": "game.keeping",
    "replay": "game.replay",
    "load_profile": "geometry.profile",
    "load_board": "geometry.board",
    "TaloError": "errors",
}

__all__ = [
    "Tower",
    "Placement",
    "Pawn",
    "Proposal",
    "Scenario",
    "load_scenario",
    "judge",
    "Judgement",
    "explain",
    "Wishes",
    "judge_many",
    "worker_pool",
    "by_hand",
    "show",
    "Setting",
    "new_game",
    "Turn",
    "play",
    "legal_placements",
    "reachable",
    "load_record",
    "replay",
    "load_profile",
    "load_board",
    "TaloError",
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(import_module(f"talo_physics.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'talo_physics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__", "__all__", "__doc__"]


def _show_in_notebooks() -> None:
    """In a notebook values show themselves. Elsewhere IPython is not imported, and nothing happens."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None:
        from talo_physics.faces.notebook import register

        register(shell)


_show_in_notebooks()
