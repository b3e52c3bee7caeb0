"""MuJoCo as a third witness, behind the same interface as the simulation that judges.

Tuned for stacks: Newton's solver, implicit integration, elliptic friction cones, stiff contacts. Needs the extra
`check`; nothing else does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from talo_physics.errors import MissingExtraError
from talo_physics.extras import extra
from talo_physics.physics import numbers
from talo_physics.physics.bodies import Body, Materials
from talo_physics.physics.numbers import Effort
from talo_physics.physics.trial import End, Outcome, Setup, Watch

STEPS_A_POLL = 12
STEP_S = numbers.POLL_S / STEPS_A_POLL
_TIME_CONSTANT_S = 0.01
"""How fast a contact gives back what it was pressed in: just over two steps, the stiffest that MuJoCo takes."""


def _engine() -> ModuleType:
    with extra("check", "mujoco"):
        import mujoco
    module: ModuleType = mujoco
    return module


def is_installed() -> bool:
    """Whether the third witness can be asked."""
    try:
        _engine()
    except MissingExtraError:
        return False
    return True


class _World:
    """A MuJoCo model that looks like `bullet.World` to a watch."""

    def __init__(self, bodies: Sequence[Body], materials: Materials) -> None:
        engine = _engine()
        self._step = engine.mj_step
        self._model = engine.MjModel.from_xml_string(_model_text(bodies, materials))
        self._data = engine.MjData(self._model)
        engine.mj_forward(self._model, self._data)
        self._count = len(bodies)

    def set_gravity(self, lean: tuple[float, float]) -> None:
        down = math.sqrt(max(0.0, 1.0 - lean[0] ** 2 - lean[1] ** 2))
        self._model.opt.gravity[:] = np.array([lean[0], lean[1], -down]) * numbers.GRAVITY

    def set_effort(self, effort: Effort) -> int:
        """One effort serves all: the solver stops when it has converged."""
        return STEPS_A_POLL

    def advance(self) -> None:
        self._step(self._model, self._data, nstep=STEPS_A_POLL)

    def poses(self) -> tuple[Any, Any]:
        rows = self._data.qpos.reshape(self._count, 7)
        return rows[:, :3].copy(), rows[:, [4, 5, 6, 3]].copy()  # MuJoCo puts w first


def run(bodies: Sequence[Body], materials: Materials, setup: Setup) -> Outcome:
    """Simulate the bodies until they rest or fall.

    Raises:
        MissingExtraError: MuJoCo is not installed.
    """
    if not bodies:
        return Outcome(End.STOOD, (), 0, 0.0)
    world = _World(bodies, materials)
    world.set_gravity(setup.lean)
    return Watch(world, setup).until_the_end()


def _model_text(bodies: Sequence[Body], materials: Materials) -> str:
    contact = (
        f'friction="{materials.friction} 0 0" condim="3" margin="0" '
        f'solref="{_TIME_CONSTANT_S} 1" solimp="0.95 0.99 0.001"'
    )
    parts = [
        f'<mujoco><option timestep="{STEP_S}" solver="Newton" integrator="implicitfast" cone="elliptic" '
        'iterations="50" tolerance="1e-10" impratio="10"/>',
        f'<size memory="64M"/><worldbody><geom type="plane" size="500 500 1" {contact}/>',
        *(_body_text(body, contact) for body in bodies),
        "</worldbody></mujoco>",
    ]
    return "\n".join(parts)


def _body_text(body: Body, contact: str) -> str:
    x, y, z, w = body.turn
    kind, size = ("cylinder", f"{body.half[0]} {body.half[2]}") if body.is_pawn else ("box", _text(body.half))
    return (
        f'<body pos="{_text(body.centre)}" quat="{_text((w, x, y, z))}"><freejoint/>'
        f'<inertial pos="0 0 0" mass="{body.mass}" diaginertia="{_text(body.inertia)}"/>'
        f'<geom type="{kind}" size="{size}" pos="0 0 {body.shape_above}" {contact}/></body>'
    )


def _text(values: Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
