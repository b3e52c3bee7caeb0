"""The simulation: exact set-up, named ends, the same bits every time; and the statics beside it."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from talo_physics import Tower
from talo_physics.bench import speed
from talo_physics.geometry.profile import Profile, shipped_profile
from talo_physics.geometry.solids import block_mass
from talo_physics.physics import bullet, numbers, trial
from talo_physics.physics.bodies import Body, Materials, bodies_of, materials
from talo_physics.physics.bullet import World, open_world
from talo_physics.physics.numbers import SWIFT, UTMOST, WARY
from talo_physics.physics.statics import Statics
from talo_physics.physics.steadiness import Steadiness, least_tilt
from talo_physics.physics.trial import End, Setup, run, turned_deg
from talo_physics.tower.symmetry import Scene

NOMINAL = shipped_profile("nominal")
SHARP = NOMINAL.changed({"edge_inset_mm": 0.0})


def bodies(*blocks: str, pawns: tuple[str, ...] = (), profile: Profile = NOMINAL) -> tuple[Body, ...]:
    tower = Tower.parse(blocks, pawns)
    return bodies_of(profile, tower.blocks, tuple(pawn.surface for pawn in tower.pawns))


def simulate(*blocks: str, setup: Setup = Setup(patience=WARY), profile: Profile = NOMINAL) -> trial.Outcome:
    return run(bodies(*blocks, profile=profile), materials(profile), setup)


def steadiness(*blocks: str, profile: Profile = NOMINAL) -> Steadiness:
    return Steadiness(Scene(Tower.parse(blocks).blocks), profile)


# ---- setting up


def test_a_body_has_the_mass_and_inertia_of_its_solid() -> None:
    lying, standing = bodies("4y@0,0,0", "4z@5,5,0")
    solid = block_mass(NOMINAL, 4)
    unit = block_mass(NOMINAL, 1).mass_g
    along, across = (moment / (unit * 20**2) for moment in (solid.inertia_g_mm2[0], solid.inertia_g_mm2[1]))
    assert lying.mass == pytest.approx(solid.mass_g / unit)
    assert lying.inertia == pytest.approx((across, along, across))
    assert standing.inertia == pytest.approx((across, across, along))


def test_bullet_takes_the_inertia_over() -> None:
    with open_world(bodies("4x@0,0,0"), materials(NOMINAL)) as world:
        made = world._p.getDynamicsInfo(world._ids[0], -1, physicsClientId=world._client)
    assert made[0] == pytest.approx(bodies("4x@0,0,0")[0].mass)
    assert made[2] == pytest.approx(bodies("4x@0,0,0")[0].inertia)
    assert made[1] == pytest.approx(math.sqrt(0.4))  # the two bodies' figures are multiplied


def test_blocks_of_one_kind_are_added_at_once_and_each_is_where_it_belongs() -> None:
    alike = bodies("3x@0,0,0", "1z@5,5,0", "3x@0,0,1", "3~20,20,0.5,0,0,30", "3x@0,0,2", "3~25,20,0.5,0,0,30")
    with open_world(alike, materials(NOMINAL)) as world:
        centres, turns = world.poses()
        made = [world._p.getDynamicsInfo(i, -1, physicsClientId=world._client) for i in world._ids]
    assert np.allclose(centres, [body.centre for body in alike])
    assert np.allclose(turns, [body.turn for body in alike])
    assert np.allclose([info[2] for info in made], [body.inertia for body in alike])


def test_footprints_are_inset_and_heights_exact() -> None:
    lying, standing = bodies("3x@0,0,0", "3z@5,5,0")
    assert lying.half == pytest.approx((1.49, 0.49, 0.5))
    assert standing.half == pytest.approx((0.49, 0.49, 1.5))
    assert lying.centre == pytest.approx((1.5, 0.5, 0.5))


def test_sharp_blocks_keep_the_least_gap_to_their_neighbours() -> None:
    (cube,) = bodies("1z@0,0,0", profile=SHARP)
    assert cube.half == pytest.approx((0.499, 0.499, 0.5))


def test_a_pawn_stands_on_its_foot_with_its_centre_of_mass_low() -> None:
    _, pawn = bodies("1z@2,2,0", pawns=("red@2,2,1",))
    assert pawn.centre[2] + pawn.shape_above - pawn.half[2] == pytest.approx(1.0)
    assert pawn.half == pytest.approx((0.375, 0.375, 0.9))
    assert pawn.shape_above > 0


# ---- how simulations end


def test_rest_is_told_from_a_fall() -> None:
    assert simulate("1z@4,4,0", "3x@3,4,1").end is End.STOOD
    fall = simulate("1z@4,4,0", "3x@4,4,1", setup=Setup(aftermath=True))
    assert fall.end is End.FELL
    assert [motion.fell for motion in fall.motions] == [False, True]
    assert 0 < (fall.motions[1].fell_at_s or 0) < 1
    assert fall.motions[1].turn_deg > 20  # it comes to lie with one end on the board


def test_ten_cubes_drift_by_less_than_a_hundredth() -> None:
    outcome = simulate(*(f"1z@4,4,{z}" for z in range(10)))
    assert outcome.stood
    assert max(motion.shift_units for motion in outcome.motions) < 0.01


def test_no_rest_before_the_cap_is_a_result_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "CAP_S", 1.0)
    outcome = simulate("1z@4,4,0")  # wary patience looks for four seconds at least
    assert outcome.end is End.NO_REST
    assert not outcome.stood


def test_positions_that_are_no_numbers_are_a_result_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    real = World.poses

    def broken(self: World) -> tuple[np.ndarray, np.ndarray]:
        centres, turns = real(self)
        broken.calls += 1
        return (centres * np.nan if broken.calls > 3 else centres), turns

    broken.calls = 0  # type: ignore[attr-defined]
    monkeypatch.setattr(World, "poses", broken)
    assert simulate("1z@4,4,0").end is End.BLOWN_UP


def test_what_comes_to_no_end_is_tried_at_utmost_effort_and_never_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "CAP_S", 0.1)
    case = steadiness("1z@4,4,0")
    assert not case.stands
    assert case.costs["level"].trials == 4  # swift, fair, careful, utmost


def test_the_trajectory_is_kept_on_request() -> None:
    outcome = simulate("1z@4,4,0", "3x@4,4,1", setup=Setup(aftermath=True, frames=True))
    assert outcome.frames[0].centres[1] == pytest.approx((5.5, 4.5, 1.5))
    assert outcome.frames[-1].centres[1, 2] < 1.2
    assert [frame.time_s for frame in outcome.frames] == sorted(frame.time_s for frame in outcome.frames)
    assert simulate("1z@4,4,0").frames == ()


def test_an_empty_table_stands() -> None:
    assert run((), materials(NOMINAL), Setup()).stood


def test_the_angle_between_quaternions() -> None:
    half = math.radians(0.001) / 2
    one, other = np.array([[0, 0, 0, 1.0]]), np.array([[0, math.sin(half), 0, math.cos(half)]])
    assert turned_deg(one, other) == pytest.approx(0.001)
    assert turned_deg(one, -other) == pytest.approx(0.001)


# ---- no more effort than the answer needs

_LEAN = ("1z@3,4,0", "2z@6,4,0", "4x@2,4,1")


@pytest.mark.parametrize(
    ("blocks", "effort"),
    [
        (("1z@4,4,0", "3x@3,4,1"), "swift"),  # its supports carry it
        (("1z@4,4,0", "4x@3,4,1"), "swift"),  # nothing can hold it
        (_LEAN, "fair"),  # side faces hold it: statics cannot tell
        (("3z@3,4,0", "3z@5,4,0", "1z@4,4,1"), "careful"),  # pinched: a fall that statics has not proven
    ],
)
def test_effort_is_spent_where_statics_leaves_it_open(blocks: tuple[str, ...], effort: str) -> None:
    assert steadiness(*blocks).level.setup.effort.name == effort


def test_a_tower_within_a_hair_of_its_edge_is_not_judged_swiftly() -> None:
    for beyond, supported in ((1.49, True), (1.505, False)):
        case = steadiness("3~5,5,0.5,0,0,0", f"3~{5 + beyond},5,1.5,0,0,0", profile=SHARP)
        assert (case.supported, case.assured) == (supported, False)
    assert case.hopeless


@pytest.mark.parametrize("blocks", [("1z@4,4,0", "3x@3,4,1"), ("1z@4,4,0", "3x@4,4,1")])
def test_what_does_not_come_out_as_proven_is_looked_at_again(
    blocks: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fooled(bodies: tuple[Body, ...], materials: Materials, setup: Setup) -> trial.Outcome:
        outcome = run(bodies, materials, setup)
        if setup.effort is not SWIFT:
            return outcome
        return replace(outcome, end=End.FELL if outcome.stood else End.STOOD)

    expected = steadiness(*blocks).stands
    monkeypatch.setattr("talo_physics.physics.steadiness.run", fooled)
    case = steadiness(*blocks)
    assert case.stands == expected
    assert case.level.setup.effort is not SWIFT
    assert case.costs["level"].trials >= 2


def test_a_proven_fall_is_over_once_it_is_seen_to_begin_and_followed_on_request() -> None:
    case = steadiness("1z@4,4,0", "4x@3,4,1")
    assert case.level.end is case.followed.end is End.FELL
    assert case.level.sim_s < case.followed.sim_s
    assert [motion.fell for motion in case.followed.motions] == [False, True]


# ---- determinism

_FALL = ("2z@4,4,0", "5x@4,4,2", "2z@8,4,0", "3y@8,3,3", "4x@7,4,3")
_PRINT = f"""
from tests.test_physics import bits
print(bits(*{_FALL!r}))
"""


def bits(*blocks: str) -> str:
    outcome = simulate(*blocks, setup=Setup(aftermath=True, frames=True))
    return b"".join(frame.centres.tobytes() + frame.turns.tobytes() for frame in outcome.frames).hex()[-4000:]


def test_the_same_bits_whatever_ran_before() -> None:
    first = bits(*_FALL)
    simulate("1z@4,4,0", "4x@3,4,1")
    run(bodies("1z@0,0,0"), materials(SHARP), Setup(effort=UTMOST, lean=(0.1, 0.0)))
    assert bits(*_FALL) == first


STILL = Setup(effort=SWIFT, patience=numbers.BRIEF, still=True)


def still_bits(some: tuple[Body, ...]) -> bytes:
    outcome = run(some, materials(NOMINAL), STILL)
    assert outcome.stood
    assert outcome.last is not None
    return outcome.last.centres.tobytes() + outcome.last.turns.tobytes()


def test_where_nothing_moves_a_kept_world_gives_the_bits_of_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    towers = [tower for size in (2, 5, 9, 20, 55) for tower in list(speed.towers(size, 9, seed=11))[::2]]
    scenes = [bodies_of(NOMINAL, tower.blocks, tuple(pawn.surface for pawn in tower.pawns)) for tower in towers]
    with monkeypatch.context() as patch:
        patch.setattr(bullet, "MOST_EMPTIED", 0)  # a new one every time
        fresh = [still_bits(scene) for scene in scenes]
    resets = []
    monkeypatch.setattr(bullet.Client, "reset", lambda self, reset=bullet.Client.reset: (resets.append(1), reset(self)))
    order = list(range(len(scenes))) * 2
    random.Random(4).shuffle(order)
    for count, number in enumerate(order):
        if count % 7 == 3:
            simulate(*_FALL, setup=Setup(aftermath=True))  # what fell and lay about before does not matter
        assert still_bits(scenes[number]) == fresh[number]
    assert 0 < len(resets) < len(order) / 2


def test_a_new_world_takes_one_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    resets = []
    monkeypatch.setattr(bullet.Client, "reset", lambda self, reset=bullet.Client.reset: (resets.append(1), reset(self)))
    for friction in (0.4, 0.4, 0.2):
        run(bodies("3x@2,2,0"), Materials(friction, 0.0), Setup())
    assert len(resets) == 3


def test_a_kept_world_with_another_friction_is_a_new_one() -> None:
    slope, scene = Setup(lean=(0.25, 0.0), still=True), bodies("3x@2,2,0")
    ends = [run(scene, Materials(friction, 0.0), slope).stood for friction in (0.4, 0.1, 0.4)]
    assert ends == [True, False, True]


def test_after_a_world_that_blew_up_there_is_a_new_one() -> None:
    scene = bodies("3z@2,2,0", "5x@0,2,3")
    before = still_bits(scene)
    wild = replace(bodies("2x@0,0,0")[0], centre=(1.0, 1.0, math.nan))
    run((wild,), materials(NOMINAL), Setup())
    assert not bullet._clients.get().sound
    assert still_bits(scene) == before


def test_the_same_bits_in_a_fresh_process(pytestconfig: pytest.Config) -> None:
    fresh = subprocess.run(
        [sys.executable, "-c", _PRINT], capture_output=True, text=True, check=True, cwd=pytestconfig.rootpath
    )
    assert fresh.stdout.strip() == bits(*_FALL)
    assert fresh.stderr == ""  # PyBullet's own build line is kept quiet


# ---- statics


@pytest.mark.parametrize(
    ("blocks", "supported", "could_stand"),
    [
        (("1z@4,4,0", "3x@3,4,1"), True, True),
        (("1z@4,4,0", "3x@4,4,1"), False, False),
        (("1z@4,4,0", "2z@7,4,0", "4x@3,4,1"), False, True),  # a lean: supports alone do not carry it
        (("3z@3,4,0", "3z@5,4,0", "1z@4,4,1"), False, True),  # pinched: F is fooled, V is not
        (("1z@2,4,0", "1z@5,4,0", "6x@2,4,1"), True, True),
        (("2z@2,4,0", "1z@5,4,0", "4x@2,4,2"), False, False),
    ],
)
def test_statics_knows_supports_from_side_faces(blocks: tuple[str, ...], supported: bool, could_stand: bool) -> None:
    assert Statics(bodies(*blocks)).stands_on_supports() == supported
    assert Statics(bodies(*blocks), outset=0.011).could_stand(0.4) == could_stand


@pytest.mark.parametrize("count", [1, 2, 5, 10])
def test_a_column_bears_the_tilt_of_its_half_width_over_its_half_height(count: int) -> None:
    case = steadiness(*(f"1z@4,4,{z}" for z in range(count)), profile=NOMINAL.changed({"friction": 1.5}))
    assert case.static_tilt_deg == pytest.approx(math.degrees(math.atan(2 * 0.49 / count)), abs=0.1)


def test_a_simulated_column_falls_at_the_tilt_that_statics_names() -> None:
    case = steadiness("1z@4,4,0", "1z@4,4,1", "1z@4,4,2")
    assert case.tilt_deg == pytest.approx(case.static_tilt_deg, abs=0.3)


def test_a_cube_slides_at_the_angle_of_friction() -> None:
    assert steadiness("1z@4,4,0").tilt_deg == pytest.approx(math.degrees(math.atan(0.4)), abs=0.2)


def test_the_least_tilt_is_found_over_all_directions() -> None:
    limits = dict(zip(numbers.COMPASS, (9.0, 7.3, 20.0, 44.0, 7.35, 12.0, 7.25, 30.0), strict=True))
    for guess in (None, 7.0, 40.0):
        assert least_tilt(lambda direction, tilt: tilt < limits[direction], guess) == pytest.approx(7.3)


# ---- unequal blocks


def test_a_bridge_on_unequal_pillars_settles_on_the_lower_one() -> None:
    short = NOMINAL.changed({"blocks.3.length_mm": 59.0})
    blocks = ("3z@2,4,0", "1z@6,4,0", "1z@6,4,1", "1z@6,4,2", "5x@2,4,3")
    outcome = simulate(*blocks, setup=Setup(patience=WARY, frames=True), profile=short)
    assert outcome.stood
    start, end = outcome.frames[0], outcome.frames[-1]
    assert start.centres[4, 2] == pytest.approx(3.5)  # laid on the higher support
    turn = math.degrees(math.atan2(1 / 20, 3.5))  # 1 mm over the distance from edge to edge
    assert outcome.motions[4].turn_deg == pytest.approx(turn, abs=0.25)
    assert end.centres[4, 2] < 3.49
