"""A knock against a block: which blocks come down?

The impulse goes through the block's centre of mass. It is turned into a velocity of the simulation, whose unit of
length is the grid's pitch and whose gravity has the earth's figure in such units: a second of the simulation is
sqrt(pitch in metres), about a seventh, of a real one.
"""

from __future__ import annotations

import math
from dataclasses import replace

from talo_physics.geometry.profile import Profile
from talo_physics.geometry.solids import block_mass
from talo_physics.physics.bodies import bodies_of, materials
from talo_physics.physics.motion import replay_of, resting_places
from talo_physics.physics.numbers import CAREFUL, UTMOST, WARY
from talo_physics.physics.trial import End, Outcome, Push, Setup, run
from talo_physics.tower.finding import Cost, Finding, Verdict
from talo_physics.tower.proposal import Bump
from talo_physics.tower.symmetry import Scene, Way, canonical
from talo_physics.tower.tower import Tower


def bumped(tower: Tower, bump: Bump, profile: Profile, replay: bool = False) -> Finding:
    """What happens to the whole tower when the block is knocked."""
    form = canonical(Scene(tower.blocks, tuple(pawn.surface for pawn in tower.pawns)))
    way = form.ways_back[0]
    bodies = bodies_of(profile, form.scene.blocks, form.scene.pawns)
    index = way.blocks.index(tower.blocks.index(bump.block))
    push = Push(index, _velocity(bump, profile, way))
    cost = Cost()
    for effort in (CAREFUL, UTMOST):
        setup = Setup(effort=effort, patience=WARY, aftermath=True, frames=replay, pushes=(push,))
        outcome = run(bodies, materials(profile), setup)
        cost = cost.plus(Cost(1, outcome.steps, outcome.sim_s))
        if outcome.end in (End.STOOD, End.FELL):
            break
    finding = _finding(outcome, way, tower, cost)
    return replace(finding, replay=replay_of(outcome, way, tower)) if replay else finding


def _velocity(bump: Bump, profile: Profile, way: Way) -> tuple[float, float, float]:
    mass_kg = block_mass(profile, bump.block.length).mass_g / 1e3
    scale = 1.0 / (mass_kg * math.sqrt(profile.pitch_mm.value / 1e3))
    x, y, z = (scale * part for part in bump.impulse_ns)
    x, y = way.symmetry.direction((x, y))
    return x, y, z


def _finding(outcome: Outcome, way: Way, tower: Tower, cost: Cost) -> Finding:
    blocks = len(tower.blocks)
    fell = {way.blocks[i]: m.fell_at_s for i, m in enumerate(outcome.motions[:blocks]) if m.fell_at_s is not None}
    moved = {way.blocks[i] for i, m in enumerate(outcome.motions[:blocks]) if m.moved}
    pawns = {way.pawns[i] for i, m in enumerate(outcome.motions[blocks:]) if m.fell}
    lies = resting_places(outcome, way, tower)
    return Finding(
        Verdict.STANDS if outcome.stood else Verdict.TOPPLES,
        fallen=tuple(tower.blocks[i] for i in sorted(fell)),
        fell_at_s=tuple(round(fell[i], 3) for i in sorted(fell)),
        moved=tuple(tower.blocks[i] for i in sorted(moved)),
        fallen_pawns=tuple(tower.pawns[i] for i in sorted(pawns)),
        lies=tuple(lies[i] for i in sorted(fell)),
        cost=cost,
    )
