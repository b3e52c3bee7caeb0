"""A placement by a hand: blocks that are not quite alike, set down not quite right, on a table that is not level.

Everything that chance decides is drawn from one generator, so that a trial is its seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from talo_physics.geometry.hand import Hand
from talo_physics.geometry.profile import Figure, Profile
from talo_physics.physics.bodies import Body, Materials, bodies_of, inset_units, materials
from talo_physics.physics.motion import replay_as_it_is
from talo_physics.physics.numbers import CAREFUL, FAIR, LEAST_GAP_UNITS, WARY
from talo_physics.physics.statics import Statics
from talo_physics.physics.trial import Outcome, Push, Setup, run
from talo_physics.tower.finding import Replay
from talo_physics.tower.placement import Block, Placement
from talo_physics.tower.tower import Tower

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HandTrial:
    """One placement by a hand, and what came of it."""

    fell: bool
    first: Block | None = None
    """The first block to fall."""
    fallen: tuple[Block, ...] = ()
    error_mm: float = 0.0
    """How far off the block was set down, along the table."""
    margin_deg: float | None = None
    """By how much the table could have leant more before statics gives it up; None where it fell, or where it stood by
    more than its supports and statics cannot tell."""
    replay: Replay | None = None


@dataclass(frozen=True)
class _Slip:
    """How one block of the proposal is let go."""

    shift_mm: tuple[float, float]
    yaw_deg: float
    height_mm: float
    tilt: Rotation
    speed_mm_s: tuple[float, float, float]


def place_by_hand(
    tower: Tower,
    proposed: Sequence[Block],
    hand: Hand,
    profile: Profile,
    rng: np.random.Generator,
    replay: bool = False,
) -> HandTrial:
    """Set the proposed blocks down on the tower as the hand does, and see what happens."""
    whole = tower.plus(proposed)
    drawn = _drawn_bodies(whole, profile, rng)
    friction = max(0.01, _draw(profile.friction, rng))
    azimuth, angle = rng.uniform(0.0, 2 * math.pi), math.radians(abs(rng.normal(0.0, hand.table_deg.value)))
    lean = (math.sin(angle) * math.cos(azimuth), math.sin(angle) * math.sin(azimuth))
    first_new = len(tower.blocks)
    slips = [_slip(whole, block, hand, profile, rng) for block in proposed]
    put = [_put(drawn[first_new + n], slip, profile) for n, slip in enumerate(slips)]
    let_go = [_let_go(body, slip, profile) for body, slip in zip(put, slips, strict=True)]
    stuff = Materials(friction, materials(profile).restitution)
    setup = Setup(
        lean=lean,
        patience=WARY,
        aftermath=True,
        frames=replay,
        pushes=tuple(Push(first_new + n, _velocity(slip, profile)) for n, slip in enumerate(slips)),
        aims=tuple((first_new + n, body) for n, body in enumerate(put)),
    )
    pawns = drawn[len(whole.blocks) :]
    outcome = _simulated([*drawn[:first_new], *let_go, *pawns], stuff, setup)
    margin = _margin_deg([*drawn[:first_new], *put, *pawns], stuff, angle) if outcome.stood else None
    return _trial(outcome, whole, max((math.hypot(*slip.shift_mm) for slip in slips), default=0.0), margin, replay)


def _simulated(bodies: Sequence[Body], stuff: Materials, setup: Setup) -> Outcome:
    """Fairly first; what falls there is looked at again with care."""
    fair = run(bodies, stuff, replace(setup, effort=FAIR))
    return fair if fair.stood else run(bodies, stuff, replace(setup, effort=CAREFUL))


def _trial(outcome: Outcome, whole: Tower, error_mm: float, margin_deg: float | None, replay: bool) -> HandTrial:
    times = {i: m.fell_at_s for i, m in enumerate(outcome.motions) if m.fell_at_s is not None}
    blocks = [i for i in sorted(times, key=lambda i: (times[i], i)) if i < len(whole.blocks)]
    return HandTrial(
        fell=not outcome.stood,
        first=whole.blocks[blocks[0]] if blocks else None,
        fallen=tuple(whole.blocks[i] for i in sorted(blocks)),
        error_mm=error_mm,
        margin_deg=margin_deg,
        replay=replay_as_it_is(outcome, whole) if replay else None,
    )


# ---- what chance decides


def _draw(figure: Figure, rng: np.random.Generator) -> float:
    return float(rng.normal(figure.value, figure.spread))


def _slip(tower: Tower, block: Block, hand: Hand, profile: Profile, rng: np.random.Generator) -> _Slip:
    shift = rng.normal(0.0, hand.position_mm.value, 2)
    yaw = rng.normal(0.0, hand.yaw_deg.value)
    about, tilt = rng.uniform(0.0, 2 * math.pi), rng.normal(0.0, hand.tilt_deg.value)
    height = rng.exponential(hand.height_mm.value)
    along = rng.normal(0.0, hand.speed_mm_s.value, 3)
    if isinstance(block, Placement):
        shift, yaw = _felt(tower, block, shift, yaw, profile)
    axis = np.array([math.cos(about), math.sin(about), 0.0]) * math.radians(tilt)
    speed = (float(along[0]), float(along[1]), -abs(float(along[2])))
    return _Slip((float(shift[0]), float(shift[1])), float(yaw), float(height), Rotation.from_rotvec(axis), speed)


def _felt(tower: Tower, block: Placement, shift: Array, yaw: float, profile: Profile) -> tuple[Array, float]:
    """A hand feels its neighbours: it does not push a block into one that stands right beside it."""
    room = 2 * inset_units(profile) * profile.pitch_mm.value
    shift = shift.copy()
    own = set(block.cells)
    for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1)):
        step = (sign, 0, 0) if axis == 0 else (0, sign, 0)
        beside = {(x + step[0], y + step[1], z) for x, y, z in block.cells} - own
        if any(cell in tower.occupancy for cell in beside):
            shift[axis] = sign * min(sign * shift[axis], room)
            reach = block.length * profile.pitch_mm.value / 2
            most = math.degrees(math.atan2(room, reach))
            yaw = float(np.clip(yaw, -most, most))
    return shift, yaw


def _drawn_bodies(tower: Tower, profile: Profile, rng: np.random.Generator) -> list[Body]:
    """The blocks as single pieces: each with its own length, section and density; stacked as they then lie."""
    bodies = list(bodies_of(profile, tower.blocks, tuple(pawn.surface for pawn in tower.pawns)))
    pitch = profile.pitch_mm.value
    heavier = rng.normal(1.0, profile.density_kg_m3.spread / profile.density_kg_m3.value, len(tower.blocks))
    for number, block in enumerate(tower.blocks):
        figures = profile.blocks[block.length]
        longer = rng.normal(0.0, figures.length_mm.spread) / pitch
        thicker = rng.normal(0.0, figures.section_mm.spread) / pitch
        bodies[number] = _resized(bodies[number], block, longer, thicker, max(0.1, float(heavier[number])))
    return _restacked(bodies, tower)


def _resized(body: Body, block: Block, longer: float, thicker: float, heavier: float) -> Body:
    along = "xyz".index(block.axis) if isinstance(block, Placement) else 0
    growth = np.full(3, thicker)
    growth[along] = longer
    half = np.array(body.half) + growth / 2
    if isinstance(block, Placement):  # its footprint stays in its cells: people make room for a thick block
        cells = np.where(np.arange(3) == along, block.length, 1) / 2 - LEAST_GAP_UNITS
        half[:2] = np.minimum(half, cells)[:2]
    volume = float(np.prod(half / np.array(body.half)))
    mass = body.mass * volume * heavier
    inertia = np.array(body.inertia) * (mass / body.mass)
    return replace(body, half=_vector(half), mass=mass, inertia=_vector(inertia))


def _restacked(bodies: list[Body], tower: Tower) -> list[Body]:
    """Each block on the grid on the highest of what is under it; pawns on what they stand on."""
    tops: dict[int, float] = {}
    order = sorted(range(len(tower.blocks)), key=lambda i: bodies[i].centre[2] - bodies[i].half[2])
    for index in order:
        body = bodies[index]
        if isinstance(tower.blocks[index], Placement):
            under = [tops[i] for i in tower.supports[index] if i in tops]
            bottom = max(under, default=body.centre[2] - body.half[2] if tower.supports[index] else 0.0)
            body = replace(body, centre=(*body.centre[:2], bottom + body.half[2]))
            bodies[index] = body
        tops[index] = body.centre[2] + body.half[2]
    for number, pawn in enumerate(tower.pawns, start=len(tower.blocks)):
        feet = tower.occupancy.get((pawn.x, pawn.y, pawn.z - 1))
        body = bodies[number]
        lift = (tops[feet] if feet is not None else 0.0) - (body.centre[2] + body.shape_above - body.half[2])
        bodies[number] = replace(body, centre=(*body.centre[:2], body.centre[2] + lift))
    return bodies


def _put(body: Body, slip: _Slip, profile: Profile) -> Body:
    """The block at rest where the hand puts it: off its place along the table, and askew."""
    pitch = profile.pitch_mm.value
    turn = Rotation.from_euler("z", slip.yaw_deg, degrees=True) * Rotation.from_quat(body.turn)
    x, y, z = body.centre
    return replace(body, centre=(x + slip.shift_mm[0] / pitch, y + slip.shift_mm[1] / pitch, z), turn=_quaternion(turn))


def _let_go(body: Body, slip: _Slip, profile: Profile) -> Body:
    """The block as the hand lets it go: tilted, and with its lowest corner at the height of release."""
    level = Rotation.from_quat(body.turn)
    turn = slip.tilt * level
    half = np.array(body.half)
    deeper = float(np.abs(turn.as_matrix()[2]) @ half - np.abs(level.as_matrix()[2]) @ half)
    x, y, z = body.centre
    return replace(body, centre=(x, y, z + deeper + slip.height_mm / profile.pitch_mm.value), turn=_quaternion(turn))


def _quaternion(turn: Rotation) -> tuple[float, float, float, float]:
    x, y, z, w = (float(part) for part in turn.as_quat())
    return x, y, z, w


def _velocity(slip: _Slip, profile: Profile) -> tuple[float, float, float]:
    """In units a second of the simulation; see `bumping` for its second."""
    scale = 1e-3 / math.sqrt(profile.pitch_mm.value / 1e3)
    x, y, z = slip.speed_mm_s
    return x * scale, y * scale, z * scale


def _margin_deg(bodies: Sequence[Body], stuff: Materials, angle: float) -> float | None:
    """How much more the table could lean: statics of the blocks where they were put, less the table's own lean."""
    statics = Statics(bodies)
    if any(body.leans for body in bodies) or not statics.stands_on_supports():
        return None
    return max(0.0, statics.least_tilt_deg(stuff.friction) - math.degrees(angle))


def _vector(values: Array) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
