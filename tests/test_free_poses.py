"""Blocks off the grid: tall stacks against what pencil and paper say, and leaning blocks that find their hold."""

from __future__ import annotations

import random

import pytest

from talo_physics import Proposal, Scenario, Tower, judge, load_board, load_profile
from talo_physics.physics.bodies import bodies_of
from talo_physics.tower.finding import Verdict, Wishes
from talo_physics.tower.placement import FreePose

SHARP = load_profile("nominal").changed({"edge_inset_mm": 0.0, "friction": 0.5})
QUICK = Wishes(marginal=False, counterweights=False, before=False, fallen=False)
CLEAR = 0.01
"""Stacks nearer to an edge than this, in units, are left out: a hundredth of a block, 0.2 mm."""


def stack(rng: random.Random) -> tuple[Tower, float]:
    """Ten 3s on each other, each along x or y and off by chance; and by how much the stack stands.

    Each rests on the one below alone, so it stands just if the common centre of all that is above lies over every
    joint: what is left of that to the nearest edge, negative where it lies beyond.
    """
    daring = rng.uniform(0.1, 0.5)
    boxes = [(0.0, 0.0, rng.choice((0, 90)))]
    for _ in range(9):
        x, y, _ = boxes[-1]
        boxes.append((x + rng.uniform(-daring, daring), y + rng.uniform(-daring, daring) / 2, rng.choice((0, 90))))
    spare = float("inf")
    for joint in range(9):
        above = boxes[joint + 1 :]
        for axis in (0, 1):
            centre = sum(box[axis] for box in above) / len(above)
            ends = []
            for box in boxes[joint : joint + 2]:
                half = 1.5 if (box[2] == 0) == (axis == 0) else 0.5
                ends.append((box[axis] - half, box[axis] + half))
            spare = min(spare, centre - max(end[0] for end in ends), min(end[1] for end in ends) - centre)
    blocks = tuple(FreePose(3, x, y, level + 0.5, 0.0, 0.0, float(turn)) for level, (x, y, turn) in enumerate(boxes))
    return Tower(blocks), spare


def stacks(count: int) -> list[tuple[Tower, float]]:
    rng = random.Random("ten 3s")
    found: list[tuple[Tower, float]] = []
    while len(found) < count:
        tower, spare = stack(rng)
        if abs(spare) > CLEAR:
            found.append((tower, spare))
    return found


@pytest.mark.slow
def test_tall_stacks_off_the_grid_come_out_as_on_paper() -> None:
    wrong = []
    cases = stacks(200)
    for tower, spare in cases:
        scenario = Scenario(tower, board=load_board("table"), profile=SHARP, variant="fantasy")
        if (judge(scenario, QUICK).verdict is Verdict.STANDS) != (spare > 0):
            wrong.append((spare, [str(block) for block in tower.blocks]))
    assert wrong == []
    assert 40 < sum(spare > 0 for _, spare in cases) < 160  # of both kinds


def test_a_block_leans_if_none_of_its_faces_looks_up() -> None:
    poses = {"4~0,0,0.5,0,0,30": False, "4~0,0,2,0,90,0": False, "4~0,0,2.03,0,65,0": True, "4~0,0,0.71,45,0,0": True}
    for text, leans in poses.items():
        (body,) = bodies_of(SHARP, (FreePose.parse(text),))
        assert body.leans == leans, text


def test_a_leaning_block_settles_but_a_flat_one_that_drops_has_fallen() -> None:
    wall = Tower.parse(["8~6.5,0,0.5,0,0,0", "8~6.5,0,1.5,0,0,0", "8~6.5,0,2.5,0,0,0", "7~6,0,3.5,0,0,0"])
    for proposal, stands in (
        ("6~1.52,0,2.98,0,-68,0", True),
        ("6~1.42,0,3.0,0,-68,0", True),  # let go a little too far away: it leans over until it touches
        ("6~-1,0,3.0,0,-68,0", False),  # nothing to lean on
        ("6~-3,0,1.4,0,0,0", False),  # let go in the air
    ):
        scenario = Scenario(wall, Proposal.parse(proposal), board=load_board("table"), variant="fantasy")
        answer = judge(scenario, Wishes(marginal=False, counterweights=False, before=False))
        assert (answer.verdict is Verdict.STANDS) == stands, proposal
