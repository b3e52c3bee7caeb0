"""The witnesses one by one, each asked the same plain question: does this tower stand, pawns left aside?"""

from __future__ import annotations

from collections.abc import Callable

from talo_physics.geometry.profile import Profile, shipped_profile
from talo_physics.judgement import judge
from talo_physics.physics import mujoco
from talo_physics.physics.bodies import bodies_of, materials
from talo_physics.physics.naive import naive_stands
from talo_physics.physics.numbers import SOFTNESS_UNITS, WARY
from talo_physics.physics.statics import Statics
from talo_physics.physics.trial import Setup
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Wishes
from talo_physics.tower.placement import Placement
from talo_physics.tower.tower import Tower

NOMINAL = shipped_profile("nominal")
PLAINLY = Wishes(marginal=False, counterweights=False, before=False, fallen=False)


def by_judge(tower: Tower, profile: Profile = NOMINAL) -> bool:
    """What this package says: careful PyBullet, with statics beside it."""
    return judge(Scenario(tower.with_pawns(()), profile=profile), PLAINLY).verdict == "stands"


def by_statics(tower: Tower, profile: Profile = NOMINAL) -> bool | None:
    """What statics alone says: it stands if its supports can carry it, it falls if no forces could hold it; None
    between the two.

    >>> by_statics(Tower.parse(["1z@4,4,0", "3x@3,4,1"])), by_statics(Tower.parse(["1z@4,4,0", "4x@3,4,1"]))
    (True, False)
    >>> by_statics(Tower.parse(["1z@4,4,0", "4x@3,4,1", "2z@7,4,0"]))  # it leans: None
    """
    bodies = bodies_of(profile, tower.blocks)
    if Statics(bodies).stands_on_supports():
        return True
    return None if Statics(bodies, SOFTNESS_UNITS).could_stand(profile.friction.value) else False


def by_mujoco(tower: Tower, profile: Profile = NOMINAL) -> bool:
    """What MuJoCo says, tuned for stacks, of the same bodies as the judge simulates.

    Raises:
        MissingExtraError: MuJoCo is not installed.
    """
    return mujoco.run(bodies_of(profile, tower.blocks), materials(profile), Setup(patience=WARY)).stood


def by_naive(tower: Tower, profile: Profile = NOMINAL) -> bool:
    """What PyBullet says as it comes; blocks in free poses are left out."""
    return naive_stands([block for block in tower.blocks if isinstance(block, Placement)], profile)


WITNESSES: dict[str, Callable[[Tower], bool | None]] = {
    "judge": by_judge,
    "statics": by_statics,
    "mujoco": by_mujoco,
    "naive": by_naive,
}
"""By their names."""
