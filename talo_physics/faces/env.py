"""Talo as a PettingZoo AEC environment: `env(players=2, edition="island")`.

A turn is made step by step: take blocks for the throw, then place them and move the pawn in any order, then end it.
The action mask is what the rules' geometry allows; whether it stands is found out by doing it. What falls is
adjudicated as in any game. An action that the mask does not allow, or that the referee refuses (only a pawn's weight
would hold it), loses the turn: nothing of it counts. Throws without a matching block are thrown again by themselves.
`env_arrays.py` says what the arrays and the actions mean.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from talo_physics.extras import extra
from talo_physics.faces.env_arrays import ACTIONS, BOUNDS, Choice, choices, mask_of, seen
from talo_physics.faces.layers import drawn
from talo_physics.game.computer import throw_for
from talo_physics.game.die import Die
from talo_physics.game.playing import Played, play
from talo_physics.game.session import new_record
from talo_physics.game.state import USUAL_BOARD, Result, State
from talo_physics.game.stepwise import Begun
from talo_physics.game.turn import Turn
from talo_physics.game.unfolding import can_build
from talo_physics.geometry.profile import load_profile
from talo_physics.judgement import examiner_for
from talo_physics.rules.setup import FEWEST_PLAYERS, MOST_PLAYERS, wrong_number
from talo_physics.tower.placement import Placement

with extra("env", "pettingzoo"):
    from gymnasium.spaces import Box, Dict, Discrete, Space
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper

COLOURS = ("red", "blue", "yellow", "green")
RENDER_MODES = ("human", "ansi", "rgb_array")
PICTURE = (480, 400)
LOST = "lost: the action is not allowed"

Observation = dict[str, Any]


def env(**options: Any) -> OrderEnforcingWrapper:
    """The environment, wrapped so that calls in a wrong order are told; options as in `TaloEnv`."""
    return OrderEnforcingWrapper(TaloEnv(**options))


class TaloEnv(AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """A game of 2 to 4 players, `player_0` first.

    Rewards come at the end: 1 for who wins, -1 for who loses. Who brings the tower down loses, and the highest of
    the others win; who is neither, and everybody in a draw, gets 0. After `max_cycles` rounds of turns it is
    truncated.
    """

    metadata = {  # noqa: RUF012  # PettingZoo looks for it on the class
        "name": "talo_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    agent_selection: str
    state: State
    turn: Begun | None
    """The turn under way; None once the game is over."""
    allowed: dict[int, Choice]
    """What the agent whose turn it is may do."""

    def __init__(
        self,
        players: int = 2,
        edition: str = "island",
        board: str | None = None,
        profile: str = "nominal",
        max_cycles: int = 200,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
            raise ValueError(wrong_number(players))
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode {render_mode!r}: one of {', '.join(RENDER_MODES)} was expected")
        self.possible_agents = [f"player_{number}" for number in range(players)]
        self.colours = dict(zip(self.possible_agents, COLOURS, strict=False))
        self.edition, self.board, self.profile = edition, board or USUAL_BOARD[edition], load_profile(profile)
        self.max_cycles, self.render_mode = max_cycles, render_mode
        self.physics = examiner_for(self.profile)
        arrays: dict[str, Space[Any]] = {n: Box(low, high, shape, np.int8) for n, (shape, low, high) in BOUNDS.items()}
        whole: dict[str, Space[Any]] = {"observation": Dict(arrays), "action_mask": Box(0, 1, (ACTIONS,), np.int8)}
        self.observation_spaces = {agent: Dict(whole) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(ACTIONS) for agent in self.possible_agents}
        self._rng = random.Random()

    def observation_space(self, agent: str) -> Dict:
        """What `observe` gives: arrays, and the action mask."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Whole numbers; `env_arrays.choices` says what each stands for."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game. The same seed gives the same start fields and throws."""
        if seed is not None:
            self._rng = random.Random(seed)
        own = self._rng.randrange(10**9)
        seats = [self.colours[agent] for agent in self.possible_agents]
        state = new_record(seats, seed=own, edition=self.edition, board=self.board).start()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"ruling": ""} for agent in self.agents}
        self.die = Die(own)
        self._begin(replace(state, setting=replace(state.setting, profile=self.profile)))

    def observe(self, agent: str) -> Observation:
        """What an agent sees; its mask is empty while it is not its turn."""
        mine = self.turn if agent == self.agent_selection else None
        arrays = seen(self.state, mine, self.colours[agent])
        return {"observation": arrays, "action_mask": mask_of(self.allowed if mine else {})}

    def step(self, action: int | None) -> None:
        """One action of the agent whose turn it is."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        assert self.turn is not None  # there is one as long as the game goes on
        chosen = None if action is None else int(action)
        after = self._chosen(self.turn, self.allowed[chosen]) if chosen in self.allowed else None
        if isinstance(after, Begun):
            self.turn, self.allowed = after, choices(after)
        else:
            self.infos[agent] = {"ruling": after.words if after else LOST}
            self._begin(after.after if after else replace(self.state, number=self.state.number + 1))
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _chosen(self, turn: Begun, choice: Choice) -> Begun | Played | None:
        if choice is None:
            return turn.end(self.physics)
        if isinstance(choice, tuple):
            return turn.take(*choice)
        if isinstance(choice, Placement):
            return turn.place(choice, self.physics)
        return turn.go(choice, self.physics)

    def _begin(self, state: State) -> None:
        """The next turn of somebody who can do something with the throw, or the end of the game."""
        throws: tuple[int, ...] = ()
        while not state.result:
            throws = throw_for(state, self.die, self.physics)
            if can_build(state, throws[-1], self.physics):
                break
            state = play(state, Turn(state.to_move, throws), self.physics).after  # a turn that the die has lost
        self.state, self.turn, self.allowed = state, None, {}
        self.agent_selection = self.possible_agents[(state.number - 1) % len(self.possible_agents)]
        if state.result:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = {agent: _reward(state.result, self.colours[agent]) for agent in self.agents}
        elif state.number > self.max_cycles * len(self.possible_agents):
            self.truncations = dict.fromkeys(self.agents, True)
        else:
            self.turn = Begun(state, throws)
            self.allowed = choices(self.turn)

    def render(self) -> str | NDArray[np.uint8] | None:
        """The game as text (`ansi`; `human` prints it) or as a picture (`rgb_array`)."""
        tower, setting = self.turn.tower if self.turn else self.state.tower, self.state.setting
        if self.render_mode == "rgb_array":
            from talo_physics.faces.view.scene import scene_of
            from talo_physics.faces.view.still import Frame, Studio

            scene = scene_of(tower, setting.board, setting.profile)
            return np.asarray(Studio(scene, Frame(*PICTURE)).picture(), dtype=np.uint8)
        text = "\n".join([self._headline(), *drawn(tower, setting.board)])
        if self.render_mode == "ansi":
            return text
        if self.render_mode == "human":
            print(text)
        return None

    def _headline(self) -> str:
        if self.turn is None:
            return str(self.state.result or "broken off")
        left = " + ".join(str(length) for length in self.turn.left)
        to_build = f", {left} to build" if left else ""
        return f"turn {self.state.number}: {self.state.to_move} threw {self.turn.throws[-1]}{to_build}"

    def close(self) -> None:
        """There is nothing to close."""


def _reward(result: Result, colour: str) -> float:
    if colour in result.winner:
        return 1.0
    lost = result.kind == "won" or colour == result.loser
    return -1.0 if lost else 0.0
