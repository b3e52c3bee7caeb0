"""Statics: closed forms, proofs and their checks, explanations."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from talo_physics import Tower, load_profile
from talo_physics.bench import speed
from talo_physics.bench.growing import random_tower
from talo_physics.errors import StaticsError
from talo_physics.physics import lp
from talo_physics.physics.bodies import bodies_of
from talo_physics.physics.certificates import fall_faults, stance_faults
from talo_physics.physics.examiner import Examiner
from talo_physics.physics.explanation import explain_tower
from talo_physics.physics.numbers import COMPASS
from talo_physics.physics.statics import Statics
from talo_physics.tower.finding import Verdict, Wishes
from talo_physics.tower.symmetry import Scene, canonical

NOMINAL = load_profile("nominal")
SHARP = NOMINAL.changed({"edge_inset_mm": 0.0})
INSET = 0.01


def statics(*blocks: str, outset: float = 0.0, profile: object = NOMINAL) -> Statics:
    return Statics(bodies_of(profile, Tower.parse(blocks).blocks), outset)  # type: ignore[arg-type]


def sharp(*blocks: str) -> Statics:
    return statics(*blocks, outset=INSET)


# ---- closed forms


@pytest.mark.parametrize("length", range(2, 11))
def test_a_block_tips_at_half_its_length(length: int) -> None:
    edge = 6.0  # of a 6 that lies from x=0
    for overhang, stands in ((0.49, True), (0.51, False)):
        middle = edge + (overhang - 0.5) * length
        assert statics("6x@0,4,0", f"{length}~{middle},4.5,1.5,0,0,0", profile=SHARP).stands_on_supports() == stands


@pytest.mark.parametrize("count", range(1, 11))
def test_a_column_of_n_cubes_tilts_over_at_one_in_n(count: int) -> None:
    column = sharp(*(f"1z@4,4,{z}" for z in range(count)))
    for direction in COMPASS[::2]:
        assert column.tilt_margin(direction, steepest=2.0).amount == pytest.approx(1 / count, abs=1e-3)


def test_sliding_starts_at_the_angle_of_friction() -> None:
    assert statics("1z@4,4,0").least_tilt_deg(friction=0.3) == pytest.approx(math.degrees(math.atan(0.3)), abs=0.1)


def harmonic(count: int, stretch: float) -> list[str]:
    """Blocks of 3, each beyond the one under it by 3 / 2k, all times `stretch`; from the top down."""
    x, blocks = 10.0, []
    for number in range(1, count + 1):
        blocks.append(f"3~{x!r},5,{count - number + 0.5},0,0,0")
        x -= stretch * 3 / (2 * number)
    return blocks


@pytest.mark.parametrize("count", range(2, 9))
def test_the_harmonic_stack_stands_inset_and_falls_outset_by_a_hundredth(count: int) -> None:
    for stretch, stands in ((0.99, True), (1.01, False)):
        tower = Tower.parse(harmonic(count, stretch))
        assert Statics(bodies_of(SHARP, tower.blocks)).stands_on_supports() == stands
        assert (Examiner(SHARP).examine(tower, (), Wishes(counterweights=False)).verdict == "stands") == stands


@pytest.mark.parametrize(
    "walls",
    [
        ["3z@3,4,0", "3z@5,4,0"],
        ["3z@3,4,0", "3z@5,4,0", "3z@4,3,0", "3z@4,5,0"],
        ["5y@3,2,0", "5y@5,2,0", "5y@3,2,1", "5y@5,2,1"],
    ],
)
def test_a_pinched_block_falls_though_f_alone_says_it_stands(walls: list[str]) -> None:
    held = sharp(*walls, "1z@4,4,1")
    assert held.could_stand(0.4)
    assert not held.stands_on_supports()
    found = Examiner(NOMINAL).examine(
        Tower.parse(walls), Tower.parse(["1z@4,4,1"]).blocks, Wishes(counterweights=False)
    )
    assert found.verdict is Verdict.TOPPLES
    assert explain_tower(Tower.parse([*walls, "1z@4,4,1"]), NOMINAL).reason == "self-stress"


@pytest.mark.parametrize("length", [2, 4, 6, 8, 10])
def test_an_even_block_on_a_column_has_no_margin_at_all_towards_its_overhang(length: int) -> None:
    knife = sharp("1z@5,4,0", f"{length}x@{6 - length // 2},4,1")
    assert knife.stands_on_supports()
    assert knife.tilt_margin((1, 0), steepest=0.4).amount == pytest.approx(0.0, abs=1e-9)
    assert knife.tilt_margin((-1, 0), steepest=0.3).amount > 0.2


def test_the_margin_is_how_far_the_edges_can_move_in() -> None:
    # 4 and 1 on a 1: the middle of both is 0.3 from the edge.
    assert sharp("1z@3,4,0", "4x@2,4,1", "1z@2,4,2").shrink_margin().amount == pytest.approx(0.3, abs=2e-3)
    assert statics("1z@3,4,0").shrink_margin().amount == pytest.approx(0.49)


def test_contacts_of_free_poses_come_from_geometry() -> None:
    bridge = ["2~3,5,1,0,90,0", "2~7,5,1,0,90,0", "6~5,5,2.5,0,0,20"]
    assert statics(*bridge, profile=SHARP).stands_on_supports()
    assert not statics(*bridge[:1], bridge[2], profile=SHARP).stands_on_supports()
    yawed = statics("1z@4,4,0", "3~4.5,4.5,1.5,0,0,45", profile=SHARP)
    assert yawed.stands_on_supports()
    (area,) = [yawed.supports.points[yawed.supports.owner == c] for c in range(2) if yawed.supports.lower[c] == 0]
    assert len(area) in (6, 8)  # a square cut by a band at 45 degrees
    leaning = statics("4z@6,5,0", "4~4.2322,5.5,1.7678,0,-45,0", profile=SHARP)
    assert not leaning.stands_on_supports()
    assert leaning.could_stand(0.6)
    assert not leaning.could_stand(0.05)


@pytest.mark.parametrize("count", [1, 3, 7])
def test_a_column_bears_all_round_what_it_bears_in_each_direction(count: int) -> None:
    for share, borne in ((0.65, True), (0.95, True), (1.05, False)):  # with four leans, with eight, not at all
        column = sharp(*(f"1z@4,4,{z}" for z in range(count)))
        assert column.bears_all_round(share / count, friction=1000.0) == borne


@pytest.mark.parametrize("friction", [0.0, 1e-320, 0.01])
def test_on_a_lean_as_steep_as_friction_nothing_is_borne(friction: float) -> None:
    assert not sharp("1z@4,4,0").bears_all_round(0.035, friction)


def test_what_is_borne_all_round_is_borne_in_each_direction() -> None:
    slope = math.tan(math.radians(2))
    for number in range(25):
        tower = Statics(bodies_of(NOMINAL, random_tower(seed=6, number=number).blocks))
        leans = [(slope * x / math.hypot(x, y), slope * y / math.hypot(x, y)) for x, y in COMPASS]
        if tower.bears_all_round(slope, friction=0.4):
            assert all(tower.stands_on_supports(lean) for lean in leans)


# ---- proofs


def test_a_fall_that_is_proven_on_a_part_is_one_of_the_whole() -> None:
    found = 0
    for number in range(30):
        program = Statics(bodies_of(NOMINAL, random_tower(seed=7, number=number).blocks)).widened(0.002)
        fall = program.checked_fall(0.4)
        assert (fall is None) == (program.f_balance(0.4).refusal is None)
        found += fall is not None and len(fall.moving) < len(program.bodies)
    assert found


def test_a_fall_on_a_leaning_table_goes_downhill() -> None:
    column = statics(*(f"1z@4,4,{z}" for z in range(8)))
    assert column.checked_fall(0.4) is None
    assert column.checked_fall(0.4, (0.1, 0.0)) is None  # it bears 0.98 in 8
    fall = column.checked_fall(0.4, (0.15, 0.0))
    assert fall is not None
    assert fall.velocities[7, 0] > 0
    assert fall_faults(column.bodies, fall, column.touching, 0.4, (0.15, 0.0)) == []
    assert fall_faults(column.bodies, fall, column.touching, 0.4) != []


def test_a_solver_that_is_used_again_gives_the_same_bits() -> None:
    programs = [Statics(bodies_of(NOMINAL, random_tower(seed=8, number=n).blocks)) for n in range(8)]
    lps = [(program._v_matrix, program._v_loads) for program in programs]
    first = [lp.balance(*each) for each in lps]
    for each, before in zip(reversed(lps), reversed(first), strict=True):
        again = lp.balance(*each)
        for one, other in ((again.forces, before.forces), (again.refusal, before.refusal)):
            assert (one is None) == (other is None)
            assert one is None or other is None or one.tobytes() == other.tobytes()


def test_a_stance_is_checked_by_other_code_and_a_forged_one_is_refused() -> None:
    bridge = statics("2z@2,4,0", "2z@6,4,0", "5x@2,4,2")
    stance = bridge.stance()
    assert stance is not None
    assert stance_faults(bridge.bodies, stance, friction=0.0) == []
    heavier = replace(stance, forces=stance.forces * 1.01)
    assert "out of balance" in stance_faults(bridge.bodies, heavier, friction=0.0)[0]
    pulling = replace(stance, forces=-stance.forces)
    assert "pull" in stance_faults(bridge.bodies, pulling, friction=0.0)[0]
    in_the_air = replace(stance, points=stance.points + np.array([0, 0, 0.5]))
    assert "act where nothing touches" in stance_faults(bridge.bodies, in_the_air, friction=0.0)[0]
    broken = replace(stance, points=stance.points * np.nan)
    assert stance_faults(bridge.bodies, broken, friction=0.0) == ["not all of it is numbers"]
    moved = replace(stance, points=stance.points + np.array([0.1, 0, 0]))
    assert "out of balance" in stance_faults(bridge.bodies, moved, friction=0.0)[-1]
    sideways = stance.forces.copy()
    sideways[0, 0] += 1.0 + sideways[0, 2]
    assert any("cones" in fault for fault in stance_faults(bridge.bodies, replace(stance, forces=sideways), 0.4))


def test_a_fall_is_a_motion_that_goes_down_and_into_nothing() -> None:
    tipping = sharp("1z@4,4,0", "3x@4,4,1")
    fall = tipping.fall(friction=0.4)
    assert fall is not None
    assert fall_faults(tipping.bodies, fall, tipping.touching, 0.4) == []
    assert np.allclose(fall.velocities[0], 0, atol=1e-9)  # the column stays
    assert fall.velocities[1, 2] < 0
    assert fall.turning[1, 1] > 0  # about y, its far end down
    rising = replace(fall, velocities=-fall.velocities, turning=-fall.turning)
    assert fall_faults(tipping.bodies, rising, tipping.touching, 0.4) != []
    sinking = replace(fall, velocities=fall.velocities - (0, 0, 1), turning=fall.turning * 0)
    assert any("into each other" in fault for fault in fall_faults(tipping.bodies, sinking, tipping.touching, 0.4))
    broken = replace(fall, turning=fall.turning * np.nan)
    assert fall_faults(tipping.bodies, broken, tipping.touching, 0.4) == ["not all of it is numbers"]
    still = replace(fall, velocities=fall.velocities * 0, turning=fall.turning * 0)
    assert fall_faults(tipping.bodies, still, tipping.touching, 0.4) == ["nothing moves"]


def test_a_program_that_fails_is_told_and_is_never_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> lp.Balance:
        raise StaticsError("the solver gave up")

    monkeypatch.setattr(lp.Program, "balance", property(fails))
    monkeypatch.setattr("talo_physics.physics.statics.robust_balance", fails)
    found = Examiner(NOMINAL).examine(Tower.parse(["1z@4,4,0"]), (), Wishes(counterweights=False))
    assert found.verdict is Verdict.STANDS
    assert found.static.verdict == "undecided"
    assert any("the solver gave up" in warning for warning in found.warnings)
    assert explain_tower(Tower.parse(["1z@4,4,0"]), NOMINAL).says == "no answer"


LARGE = [random_tower(seed=5, number=number) for number in range(12)]
SMALL = [tower for size in (2, 3, 5, 8) for tower in speed.towers(size, 8, seed=5)]


def balances_of(
    tower: Tower, monkeypatch: pytest.MonkeyPatch
) -> tuple[lp.Columns, NDArray[np.float64], list[lp.Balance]]:
    """The program of a tower on its supports with the answers of every way to solve it."""
    program = Statics(bodies_of(NOMINAL, tower.blocks))
    matrix, loads = program._v_matrix, program._v_loads
    answers = [lp.balance(matrix, loads), lp.robust_balance(matrix, loads)]
    with monkeypatch.context() as patch:
        patch.setattr(lp, "SMALL_ENTRIES", 0)
        answers.append(lp.balance(matrix, loads))
    return matrix, loads, answers


@pytest.mark.parametrize("towers", [SMALL, LARGE], ids=["small", "large"])
def test_all_ways_of_solving_agree(towers: list[Tower], monkeypatch: pytest.MonkeyPatch) -> None:
    for tower in towers:
        matrix, loads, answers = balances_of(tower, monkeypatch)
        assert len({answer.forces is None for answer in answers}) == 1
        for answer in answers:
            if answer.forces is not None:
                assert np.allclose(matrix.dense() @ answer.forces, loads, atol=1e-6)
            elif answer.refusal is not None:
                assert (matrix.dense().T @ answer.refusal).max() <= 1e-7
                assert answer.refusal @ loads > 0


def test_least_squares_that_claim_to_leave_nothing_over_are_not_believed() -> None:
    tower = list(speed.towers(8, 14, seed=77))[13]
    scene = canonical(Scene(tower.blocks, tuple(pawn.surface for pawn in tower.pawns))).scene
    program = Statics(bodies_of(NOMINAL, scene.blocks, scene.pawns))
    assert lp.balance(program._v_matrix, program._v_loads).forces is None
    assert program.proven_stance() is False


def test_small_towers_bear_a_lean_all_round_whichever_way_it_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()
    for tower, slope in product(SMALL, (0.035, 0.1, 0.3)):
        both = []
        for entries in (lp.SMALL_ENTRIES, 0):
            monkeypatch.setattr(lp, "SMALL_ENTRIES", entries)
            both.append(Statics(bodies_of(NOMINAL, tower.blocks)).bears_all_round(slope, friction=0.4))
        monkeypatch.undo()
        assert both[0] == both[1], tower
        seen.add(both[0])
    assert seen == {True, False}


@pytest.mark.parametrize("number", [24, 304])
def test_friction_in_large_towers_does_not_stall_the_solver(number: int) -> None:
    tower = random_tower(seed=3, number=number)  # the direct way takes seconds here, or comes to no end
    program = Statics(bodies_of(NOMINAL, tower.blocks), outset=0.011)
    assert program.proven_fall(0.4) != program.could_stand(0.4)


def test_one_block_and_five_hundred_free_ones_work() -> None:
    assert statics("1z@4,4,0").proven_stance()
    many = [f"1~{3 * (i % 25)},{3 * (i // 25 % 10)},{i // 250 + 0.5},0,0,{i}" for i in range(500)]
    assert statics(*many, profile=SHARP).proven_stance()


# ---- explanations


def test_the_load_path_shares_weights_as_a_lever_does() -> None:
    why = explain_tower(Tower.parse(["2z@2,4,0", "2z@6,4,0", "5x@2,4,2"], ["red@3,4,3"]), NOMINAL)
    loads = {(str(load.piece), str(load.on)): load.grams for load in why.loads}
    assert loads["5x@2,4,2", "2z@2,4,0"] == pytest.approx(14.0 + 3 * 0.75, abs=0.2)
    assert loads["5x@2,4,2", "2z@6,4,0"] == pytest.approx(14.0 + 3 * 0.25, abs=0.2)
    on_board = sum(grams for (_, on), grams in loads.items() if on == "the board")
    assert on_board == pytest.approx(9 * 5.6 + 3, abs=0.3)


def test_the_weakest_joint_is_named_with_its_edge() -> None:
    why = explain_tower(Tower.parse(["1z@3,4,0", "4x@2,4,1", "1z@2,4,2"]), NOMINAL)
    assert why.weakest is not None
    assert (str(why.weakest.piece), str(why.weakest.on), why.weakest.edge) == ("4x@2,4,1", "1z@3,4,0", "edge x=3.99")
    assert why.weakest.spare_mm == pytest.approx(20 * 0.29, abs=0.05)


def test_what_tips_and_what_would_hold_it() -> None:
    why = explain_tower(Tower.parse(["1z@4,4,0", "3x@4,4,1"]), NOMINAL)
    assert why.says == "topples"
    assert why.tips is not None
    assert (str(why.tips.piece), why.tips.edge) == ("3x@4,4,1", "edge x=4.99")
    # 3 blocks' weight, 0.51 outside the edge, against an arm of 0.49.
    assert str(why.help.surface) == "@4,4,2"
    assert why.help.counterweight_g == pytest.approx(3 * 5.6 * 0.51 / 0.49, abs=0.1)
    assert why.help.least_friction is None


@pytest.mark.parametrize(
    ("blocks", "reason"),
    [
        (["1z@3,4,0", "2z@6,4,0", "4x@2,4,1"], "lean"),
        (["3z@3,4,0", "3z@5,4,0", "1z@4,4,1"], "self-stress"),
    ],
)
def test_undecided_has_a_reason(blocks: list[str], reason: str) -> None:
    why = explain_tower(Tower.parse(blocks), NOMINAL)
    assert (why.says, why.reason) == ("undecided", reason)


def test_an_even_block_on_a_column_topples_by_the_edges_there_are() -> None:
    why = explain_tower(Tower.parse(["1z@3,4,0", "4x@2,4,1"]), NOMINAL)
    assert (why.says, why.reason) == ("topples", "sharp edges")


def test_pawns_and_empty_tables_are_explained_too() -> None:
    assert explain_tower(Tower(), NOMINAL).says == "stands"
    with_pawn = explain_tower(Tower.parse(["1z@3,4,0", "4x@2,4,1", "1z@2,4,2"], ["red@7,7,0"]), NOMINAL)
    assert with_pawn.weakest is not None
    assert with_pawn.weakest.spare_mm == pytest.approx(5.8, abs=0.05)  # the pawn far away changes nothing
    tall = NOMINAL.changed({"pawn.height_mm": 40})
    assert explain_tower(Tower.parse(["1z@3,4,0", "3z@5,4,0", "3x@3,4,3"], ["red@3,4,1"]), tall).says
    alone = explain_tower(Tower.parse(["3x@3,4,0"]), NOMINAL).weakest
    assert alone is not None
    assert (str(alone.piece), alone.spare_mm) == ("3x@3,4,0", pytest.approx(9.8))


@pytest.mark.parametrize("yaw", [0, 10, 37, 45, 90])
def test_a_margin_does_not_depend_on_how_the_tower_is_turned(yaw: int) -> None:
    c, s = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
    blocks = [f"4~{c * x!r},{s * x!r},{z},0,0,{yaw}" for x, z in ((0.0, 0.5), (1.2, 1.5))]
    # The upper block overlaps the lower by 2.8; its middle is 0.8 inside, but the faces are only 1 wide.
    assert statics(*blocks, profile=SHARP).shrink_margin().amount == pytest.approx(0.5, abs=2e-3)


def test_the_least_friction_is_that_of_the_round_cone_along_the_grid() -> None:
    why = explain_tower(Tower.parse(["4z@6,5,0", "4~4.2322,5.5,1.7678,0,-45,0"]), SHARP)
    assert why.help.least_friction is not None
    friction = why.help.least_friction
    turn = Statics(bodies_of(SHARP, Tower.parse(["4z@6,5,0", "4~4.2322,5.5,1.7678,0,-45,0"]).blocks))
    assert turn.could_stand(friction)
    assert not turn.could_stand(0.9 * friction)
