"""The PettingZoo environment: PettingZoo's own tests, and that it is Talo that is played."""

from __future__ import annotations

import importlib
import sys
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, max_cycles_test, render_test, seed_test
from pettingzoo.utils.conversions import aec_to_parallel

from talo_physics import Pawn, Scenario, Setting, Tower, judge, new_game
from talo_physics.errors import MissingExtraError
from talo_physics.faces import env as talo
from talo_physics.faces.env_arrays import ACTIONS, END, PAD, TAKE, TAKE_TOGETHER, choices, mask_of
from talo_physics.game.state import State
from talo_physics.game.stepwise import Begun
from talo_physics.tower.finding import Verdict
from talo_physics.tower.placement import Placement
from talo_physics.tower.proposal import PawnMove, Together


@pytest.mark.parametrize("edition", ["island", "classic"])
def test_it_passes_the_api_test(edition: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Its list of environments whose observation is a mapping with a mask is closed.
        warnings.filterwarnings("ignore", message="Observation (is not|space for each)")
        warnings.filterwarnings("ignore", message="Action mask numpy array is all zeros")  # once the game is over
        api_test(talo.env(edition=edition), num_cycles=100)


@pytest.mark.parametrize("options", [{"board": "island"}, {"edition": "classic", "players": 4}], ids=str)
def test_it_passes_the_seed_test(options: dict[str, Any]) -> None:
    seed_test(lambda: talo.env(**options), num_cycles=10)


def test_it_passes_the_max_cycles_test() -> None:
    def seeded(max_cycles: int) -> Any:
        env = talo.env(max_cycles=max_cycles)
        for number, agent in enumerate(env.possible_agents):
            env.action_space(agent).seed(number)
        return env

    def parallel(max_cycles: int) -> Any:
        # The test asks for a parallel form too. It takes actions without looking at the mask: each of these loses
        # the turn, so that the agents take turns action by action. In a real game they do not.
        env = seeded(max_cycles)
        env.metadata = {**env.metadata, "is_parallelizable": True}
        return aec_to_parallel(env)

    max_cycles_test(SimpleNamespace(env=seeded, parallel_env=parallel))


def test_it_passes_the_render_test(capsys: pytest.CaptureFixture[str]) -> None:
    def told(text: str) -> bool:
        """A drawing under whose turn it is; chance plays, so the game may be over before the last drawing."""
        headline = text.splitlines()[0]
        return "layer 0" in text and (headline.startswith("turn ") or " has lost" in headline)

    render_test(talo.env, custom_tests={"ansi": told})
    assert "turn 1: red threw" in capsys.readouterr().out  # human


# ---- it is Talo


def begun(blocks: list[str], pawns: list[str], throw: int, edition: str = "island") -> talo.TaloEnv:
    """The environment in the middle of a game of red and blue, red's turn."""
    env = talo.TaloEnv(edition=edition)
    env.reset(seed=1)
    setting = Setting(("red", "blue"), edition=edition)  # type: ignore[arg-type]
    env.state = State(setting, Tower.parse(blocks, pawns))
    env.turn = Begun(env.state, (throw,))
    env.allowed = choices(env.turn)
    env.agent_selection = "player_0"
    return env


def act(env: talo.TaloEnv, wanted: object) -> None:
    """The action that stands for a take, the text form of a placement, a move, or the end."""
    (action,) = [
        action
        for action, choice in env.allowed.items()
        if choice == wanted or str(choice) == wanted or (wanted == "end" and choice is None)
    ]
    env.step(action)


def test_the_mask_is_what_the_rules_geometry_allows() -> None:
    env = talo.TaloEnv()
    env.reset(seed=3)
    throw = int(env.observe("player_0")["observation"]["throw"][0])
    mask = env.observe("player_0")["action_mask"]
    takes = {TAKE, *range(TAKE + 1, TAKE + throw // 2 + 1), *range(TAKE_TOGETHER + 1, TAKE_TOGETHER + throw // 2 + 1)}
    assert set(np.flatnonzero(mask)) == takes
    assert not env.observe("player_1")["action_mask"].any()
    start = new_game(Setting(("red", "blue")), [Pawn.parse("red@2,2,0"), Pawn.parse("blue@7,7,0")])
    turn = Begun(start, (10,)).take((10,), False)
    found = [choice for choice in choices(turn).values() if isinstance(choice, Placement)]
    assert sorted(str(block) for block in found) == [str(block) for block in turn.places(10)]
    assert END not in choices(turn)
    assert mask_of(choices(turn)).sum() == len(found)


def test_what_reaches_beyond_the_window_is_not_offered() -> None:
    env = begun(["1z@0,4,0"], ["red@2,2,0", "blue@7,7,0"], 10)
    act(env, ((10,), False))
    lowest = min(choice.x for choice in env.allowed.values() if isinstance(choice, Placement) and choice.z == 1)
    assert lowest == -PAD


def test_a_turn_is_made_step_by_step() -> None:
    env = begun([], ["red@2,2,0", "blue@7,7,0"], 5)
    act(env, ((4, 1), False))
    act(env, "4x@3,2,0")
    assert env.observe("player_0")["observation"]["left"].tolist() == [1, 0]
    assert (env.observe("player_0")["observation"]["lengths"] == 4).sum() == 4
    act(env, "red@2,2,0 -> red@3,2,1")
    assert not any(isinstance(choice, PawnMove) for choice in env.allowed.values())  # not twice in a row
    act(env, "1z@4,2,1")
    act(env, "end")
    assert env.infos["player_0"] == {"ruling": "legal"}
    assert (env.agent_selection, env.state.number) == ("player_1", 2)
    assert [str(block) for block in env.state.tower.blocks] == ["4x@3,2,0", "1z@4,2,1"]
    assert env.observe("player_1")["observation"]["pawns"][1].tolist() == [3, 2, 1]


def test_two_blocks_at_the_same_time_hold_each_other() -> None:
    env = begun(["1z@3,4,0"], ["red@2,2,0", "blue@7,7,0"], 5)
    act(env, ((4, 1), True))
    act(env, "4x@2,4,1")
    assert env.observe("player_0")["observation"]["held"].tolist() == [4, 1, 2, 4, 1]
    act(env, "1z@2,4,2")
    act(env, "end")
    assert env.infos["player_0"] == {"ruling": "legal"}


def test_who_brings_the_tower_down_loses_and_the_highest_other_wins() -> None:
    # A 4 upright on one end of a balanced 5 brings it down, with blue on its other end.
    env = begun(["1z@4,4,0", "5x@2,4,1"], ["red@8,8,0", "blue@6,4,2"], 4)
    act(env, ((4,), False))
    act(env, "4z@2,4,2")
    assert env.infos["player_0"]["ruling"].startswith("collapse partial, red loses, blue wins")
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}
    assert all(env.terminations.values())


def test_who_stands_on_level_10_wins() -> None:
    env = begun(["9z@3,3,0", "10z@4,3,0"], ["red@3,3,9", "blue@7,7,0"], 1)
    act(env, ((1,), False))
    act(env, "red@3,3,9 -> red@4,3,10")
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert all(env.terminations.values())


def test_what_the_mask_or_the_referee_refuses_loses_the_turn() -> None:
    env = begun([], ["red@2,2,0", "blue@7,7,0"], 5)
    env.step(END)
    assert env.infos["player_0"] == {"ruling": talo.LOST}
    assert (env.agent_selection, env.state.tower.blocks) == ("player_1", ())
    # A 7 upright on one arm of a balanced 5: only the weight of the pawn on the other arm holds it.
    env = begun(["1z@3,4,0", "5x@1,4,1"], ["red@1,4,2", "blue@7,7,0"], 7)
    act(env, ((7,), False))
    act(env, "7z@4,4,2")
    assert env.infos["player_0"] == {"ruling": talo.LOST}
    assert (env.agent_selection, len(env.state.tower.blocks)) == ("player_1", 2)
    assert not any(env.rewards.values())


def test_who_can_build_no_further_loses_the_turn() -> None:
    env = begun([], ["red@2,2,0", "blue@7,7,0"], 5)
    env.turn = Begun(env.state, (5,), (5,), steps=(Together.parse("5x@0,0,0"),), moved=True)
    assert set(choices(env.turn)) == {END}
    # As if there were no place for what is left in hand.
    full = Begun(State(env.state.setting, Tower.parse([f"10z@{x},{y},0" for x in range(10) for y in range(10)])), (1,))
    assert set(choices(full.take((1,), False))) == {END}
    assert full.take((1,), False).end(env.physics) is None


def test_the_same_seed_is_the_same_game_and_no_seed_another() -> None:
    first, second = talo.TaloEnv(), talo.TaloEnv()
    first.reset(seed=5)
    second.reset(seed=5)
    assert first.state == second.state
    start = first.state
    first.reset()
    second.reset()
    assert first.state == second.state != start


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"edition": "classic", "players": 4}, {"board": "island", "players": 3}], ids=str
)
def test_who_plays_at_random_within_the_mask_plays_a_whole_game_that_stood_until_the_end(
    options: dict[str, Any],
) -> None:
    env, rng = talo.TaloEnv(**options), np.random.default_rng(1)
    env.reset(seed=1)
    for agent in env.agent_iter():
        seen, _, over, cut, _ = env.last()
        assert env.observation_space(agent).contains(seen)
        env.step(None if over or cut else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    result = env.state.result
    assert result is not None
    assert result.kind in ("won", "collapse", "drawn")
    assert not list(env.state.tower.defects())
    assert judge(Scenario(env.state.tower)).verdict is Verdict.STANDS


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "talo_physics.faces.env")
    with pytest.raises(MissingExtraError, match=r"pettingzoo is not installed.*talo-physics\[env\]"):
        importlib.import_module("talo_physics.faces.env")


def test_two_to_four_can_play() -> None:
    with pytest.raises(ValueError, match="5 players; 2 to 4 can play"):
        talo.TaloEnv(players=5)
    env = talo.TaloEnv(players=3, edition="classic")
    env.reset(seed=1)
    assert env.observe("player_0")["observation"]["pawns"][3].tolist() == [-PAD - 1] * 3
    assert env.observation_space("player_0").contains(env.observe("player_2"))
    assert env.action_space("player_0").n == ACTIONS


def test_a_way_to_render_that_is_unknown_is_refused() -> None:
    with pytest.raises(ValueError, match="render_mode 'foo': one of human, ansi, rgb_array was expected"):
        talo.env(render_mode="foo")
