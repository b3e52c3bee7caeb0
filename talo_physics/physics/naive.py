"""What most people write: PyBullet as it comes. Kept to be measured against, never to be trusted.

A new client, default bodies, real scale, sharp boxes, 2 s at 240 Hz, and then: has anything moved?
"""

from __future__ import annotations

from collections.abc import Iterable

from talo_physics.geometry.profile import Profile
from talo_physics.physics.bullet import engine
from talo_physics.tower.placement import Placement

SECONDS, HERTZ = 2, 240
MOVED_M = 0.005
"""A quarter of a block."""


def naive_stands(blocks: Iterable[Placement], profile: Profile) -> bool:
    """Whether the blocks are still where they were."""
    p = engine()
    client = p.connect(p.DIRECT)
    try:
        p.setGravity(0, 0, -9.81, physicsClientId=client)
        ground = p.createCollisionShape(p.GEOM_PLANE, physicsClientId=client)
        p.createMultiBody(0, ground, physicsClientId=client)
        starts = []
        for block in blocks:
            low, high = block.cells[0], block.cells[-1]
            unit = profile.pitch_mm.value / 1000
            half = [(b + 1 - a) * unit / 2 for a, b in zip(low, high, strict=True)]
            centre = [(b + 1 + a) * unit / 2 for a, b in zip(low, high, strict=True)]
            shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=half, physicsClientId=client)
            mass = profile.density_kg_m3.value * block.length * unit**3
            body = p.createMultiBody(mass, shape, basePosition=centre, physicsClientId=client)
            p.changeDynamics(body, -1, lateralFriction=profile.friction.value, physicsClientId=client)
            starts.append((body, centre))
        for _ in range(SECONDS * HERTZ):
            p.stepSimulation(physicsClientId=client)
        ends = [p.getBasePositionAndOrientation(body, physicsClientId=client)[0] for body, _ in starts]
        pairs = ((a, b) for (_, start), end in zip(starts, ends, strict=True) for a, b in zip(start, end, strict=True))
        return all(abs(b - a) <= MOVED_M for a, b in pairs)
    finally:
        p.disconnect(physicsClientId=client)
