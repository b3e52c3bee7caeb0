"""The judge as a whole: verdicts, what looks alike, and towers on which statics is sure."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from talo_physics import Pawn, Placement, Proposal, Scenario, Tower, Wishes, judge, load_scenario
from talo_physics.bench import speed
from talo_physics.bench.growing import grown, random_tower
from talo_physics.geometry.profile import shipped_profile
from talo_physics.physics.counterweight import holding_surfaces
from talo_physics.physics.examiner import Examiner
from talo_physics.physics.steadiness import Steadiness
from talo_physics.tower.finding import Finding, Verdict
from talo_physics.tower.pawn import COLOURS, Surface
from talo_physics.tower.symmetry import SYMMETRIES, Symmetry, moved

ROOT = Path(__file__).parent.parent
NOMINAL = shipped_profile("nominal")
FILES = sorted((ROOT / "scenarios").rglob("*.yaml"))


def examine(blocks: list[str], proposed: tuple[str, ...] = (), pawns: tuple[str, ...] = (), **wishes: bool) -> Finding:
    return Examiner(NOMINAL).examine(Tower.parse(blocks, pawns), Tower.parse(proposed).blocks, Wishes(**wishes))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_scenario(path: Path) -> None:
    scenario = load_scenario(path)
    assert scenario.expect is not None
    assert judge(scenario).unmet == ()


def test_there_are_scenarios_for_each_figure_that_shows_a_construction() -> None:
    figures = {load_scenario(path).figure for path in FILES}
    assert figures >= {*range(1, 10), *range(18, 23)}
    assert len(FILES) >= 80


# ---- what an answer holds


def test_the_four_verdicts() -> None:
    assert examine(["1z@4,4,0"], ("3x@3,4,1",)).verdict is Verdict.STANDS
    assert examine(["1z@4,4,0"], ("3x@4,4,1",)).verdict is Verdict.TOPPLES
    assert examine(["1z@3,4,0", "4x@2,4,1"], pawns=("red@2,4,2",)).verdict is Verdict.NEEDS_PAWN
    loaded = ["1z@4,4,0", "7x@1,4,1", "1z@7,4,2"]
    assert examine(loaded, pawns=("red@7,4,3",)).verdict is Verdict.PAWN_TOPPLES


def test_each_counterweight_was_simulated_and_holds() -> None:
    found = examine(["1z@4,4,0"], ("6x@2,4,1",))
    assert [str(surface) for surface in found.counterweights] == ["@2,4,2", "@3,4,2", "@4,4,2"]
    for surface in found.counterweights:
        held = examine(["1z@4,4,0", "6x@2,4,1"], pawns=(f"red{surface}",))
        assert held.verdict is Verdict.NEEDS_PAWN


def test_a_pawn_is_tried_only_where_something_moves_under_it() -> None:
    tower = Tower.parse(["10x@0,4,0", "1z@3,4,1", "4x@2,4,2", "1z@8,4,1"])
    asked: list[Surface] = []

    def stands(held: Tower) -> bool:
        asked.append(held.pawns[0].surface)
        return False

    for stirred in ({2}, {1, 2}, {3}):
        holding_surfaces(tower, tower, stirred, NOMINAL, stands)
    assert {surface.z for surface in asked} == {3}  # neither on the 10 nor on the 1 beside
    assert {tower.occupancy[surface.x, surface.y, 2] for surface in asked} == {2}


@pytest.mark.slow
def test_counterweights_are_all_surfaces_on_which_a_pawn_holds_it() -> None:
    falling = [tower for size in (3, 4, 5, 6) for tower in list(speed.towers(size, 12, seed=21))[1::2]]
    held, brief = 0, Wishes(marginal=False, counterweights=False, fallen=False)
    for tower in (tower.with_pawns(()) for tower in falling):
        found = Examiner(NOMINAL).examine(tower)
        if found.verdict is Verdict.STANDS:
            continue
        loaded = {at: tower.with_pawns([Pawn("red", at.x, at.y, at.z)]) for at in tower.standing_room if at.z}
        verdicts = {at: Examiner(NOMINAL).examine(one, (), brief).verdict for at, one in loaded.items()}
        holding = {at for at, verdict in verdicts.items() if verdict is Verdict.NEEDS_PAWN}
        assert holding == set(found.counterweights), tower
        held += len(found.counterweights)
    assert held > 20


def test_pawns_elsewhere_do_not_hide_a_counterweight() -> None:
    free = examine(["3z@3,4,0"], ("4x@2,4,3",))
    assert examine(["3z@3,4,0"], ("4x@2,4,3",), pawns=("red@2,4,0",)).counterweights == free.counterweights


def test_an_empty_table_stands() -> None:
    answer = judge(Scenario(Tower()))
    assert (answer.verdict, answer.legal, answer.finding.fallen) == (Verdict.STANDS, True, ())
    assert judge(Scenario(Tower()), Wishes(margin=True)).finding.tilt_deg is not None


def test_the_ground_reaches_as_far_as_coordinates_do() -> None:
    assert examine(["1z@0,0,0", "1z@900,-900,0"]).verdict is Verdict.STANDS


def test_only_what_the_proposal_can_touch_is_simulated_until_it_falls() -> None:
    far = [f"1z@{x},0,0" for x in range(0, 10, 2)]
    near = examine(["1z@4,4,0"], ("3x@3,4,1",))
    assert examine([*far, "1z@4,4,0"], ("3x@3,4,1",)).cost == near.cost
    too_short = examine(["2z@2,4,0", "2z@6,4,0"], ("4x@2,4,2",))
    assert "2z@6,4,0" in [str(block) for block in too_short.fallen]


def test_a_falling_block_knocks_over_a_pawn_on_the_board() -> None:
    found = examine(["3z@4,4,0"], ("5x@4,4,3",), pawns=("red@6,4,0",), counterweights=False)
    assert found.verdict is Verdict.TOPPLES
    assert [str(pawn) for pawn in found.fallen_pawns] == ["red@6,4,0"]


def test_a_tower_that_fell_before_is_told() -> None:
    found = examine(["1z@3,4,0", "4x@2,4,1"], ("1z@2,4,2",))
    assert found.verdict is Verdict.STANDS
    assert found.warnings == ("the tower did not stand before the proposal: 4x@2,4,1 fell",)
    elsewhere = examine(["1z@3,4,0", "4x@2,4,1"], ("1z@9,9,0",))
    assert elsewhere.verdict is Verdict.STANDS
    assert elsewhere.warnings
    held = examine(["1z@3,4,0", "4x@2,4,1"], ("1z@9,9,0",), pawns=("red@2,4,2",))
    assert held.warnings == ("before the proposal only a pawn's weight held 4x@2,4,1",)


@pytest.mark.parametrize(
    ("blocks", "pawns", "figures"),
    [
        (["1z@4,4,0", "3x@3,4,1"], (), ()),
        (["1z@4,4,0", "3x@4,4,1"], (), ()),
        (["1z@3,4,0", "4x@2,4,1"], (), ("edge_inset_mm 0.2",)),
        (["1z@3,4,0", "2z@6,4,0", "4x@2,4,1"], (), ("friction 0.4",)),
        (["1z@4,4,0", "7x@1,4,1", "1z@7,4,2"], ("red@7,4,3",), ("pawn.mass_g 3",)),
    ],
)
def test_an_assumed_figure_that_decided_is_told(
    blocks: list[str], pawns: tuple[str, ...], figures: tuple[str, ...]
) -> None:
    found = examine(blocks, pawns=pawns, counterweights=False)
    assert found.warnings == tuple(f"an assumed figure decided: {figure}" for figure in figures)


def test_a_dispute_that_utmost_effort_does_not_settle_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Steadiness, "supported", False)
    monkeypatch.setattr(Steadiness, "clear", False)
    monkeypatch.setattr(Steadiness, "hopeless", True)
    found = examine(["1z@4,4,0"])
    assert found.verdict is Verdict.STANDS
    assert found.cost.trials >= 2
    assert "disputed: the simulation stands, statics says topples" in found.warnings


def test_the_margin_only_on_request() -> None:
    assert examine(["1z@4,4,0"]).tilt_deg is None
    found = examine(["1z@3,4,0"], ("4x@2,4,1", "1z@2,4,2"), margin=True)
    assert found.tilt_deg == pytest.approx(12.2, abs=0.3)  # atan of 0.323 over 1.5, by hand
    assert found.static.tilt_deg == pytest.approx(12.2, abs=0.1)
    assert examine(["1z@3,4,0"], ("4x@2,4,1",), margin=True).tilt_deg == 0


# The middle of all that lies on the pillar is 7 / 15 of a field beside the pillar's: 0.023 inside its edge. It is 1.3
# up, so a tilt of 1.5 degrees moves it by 0.034.
BY_A_HAIR = ["1z@4,4,0", "9x@0,4,1", "1z@8,4,2", "1z@7,4,2", "4z@4,4,2"]


def test_a_hair_on_either_side_is_marginal() -> None:
    stands = examine(BY_A_HAIR)
    assert (stands.verdict, stands.marginal) == (Verdict.STANDS, True)
    falls = examine(["1z@3,4,0"], ("4x@2,4,1",))
    assert (falls.verdict, falls.marginal) == (Verdict.TOPPLES, True)


@pytest.mark.parametrize(
    ("blocks", "tilt_deg"),
    [
        (["1z@5,4,0", "9x@1,4,1", "1z@1,4,2"], math.degrees(math.atan((0.49 - 4 / 11) / 1.5))),
        (["1z@5,4,0", "9x@1,4,1", "1z@1,4,2", "1z@9,4,2"], math.degrees(math.atan(0.49 / (19 / 12)))),
    ],
)
def test_the_tilt_at_which_it_falls_is_what_one_works_out_by_hand(blocks: list[str], tilt_deg: float) -> None:
    assert examine(blocks, margin=True).tilt_deg == pytest.approx(tilt_deg, abs=0.3)


def test_the_tilt_is_never_negative() -> None:
    hair = ["1z@3,3,0", "1z@2,2,0", "5y@2,-1,1", "5y@2,1,2", "6z@2,3,3", "3y@2,2,9"]
    found = examine(hair, margin=True)
    assert found.verdict is Verdict.STANDS
    assert found.tilt_deg == pytest.approx(found.static.tilt_deg, abs=0.3)
    assert found.tilt_deg >= 0


def test_a_solver_that_gives_way_does_not_make_a_tower_marginal() -> None:
    # Statics bears 1.5 degrees, careful effort falls there, utmost effort stands.
    assert not examine(["3x@0,3,0", "5y@2,1,1", "2z@3,3,0", "3z@3,3,2", "4z@3,3,5", "4z@2,2,2"]).marginal


def test_blocks_that_only_share_an_edge_line_do_not_carry() -> None:
    row = ["1z@2,4,0", "1z@2,5,0", "1z@3,5,0", "1z@4,5,0"]
    found = examine(row, ("3x@2,4,1",), counterweights=False)
    assert (found.verdict, found.marginal, found.static.verdict) == (Verdict.TOPPLES, False, "topples")


def test_a_lean_that_only_sharp_edges_would_take_is_marginal() -> None:
    found = examine(["3z@5,4,0", "1z@2,4,0"], ("3x@2,4,1",), counterweights=False)
    assert (found.verdict, found.marginal) == (Verdict.TOPPLES, True)


def test_more_than_a_hair_is_not_marginal() -> None:
    assert not examine(BY_A_HAIR[:-2]).marginal  # 4 / 10 of a field: 0.09 inside
    assert not examine([f"1z@4,4,{z}" for z in range(10)]).marginal  # bears 5.6 degrees
    assert not examine(["1z@3,4,0"], ("3x@3,4,1",)).marginal  # half a field outside


def test_the_replay_starts_where_the_tower_stands_and_ends_on_the_board() -> None:
    for symmetry in SYMMETRIES:
        tower = Tower(tuple(symmetry.placement(b) for b in Tower.parse(["2z@4,4,0", "5x@4,4,2"]).blocks))  # type: ignore[arg-type]
        replay = Examiner(NOMINAL).examine(tower, (), Wishes(replay=True, counterweights=False)).replay
        assert replay is not None
        first, last = replay.poses[0], replay.poses[-1]
        for block, pose in zip(replay.blocks, first, strict=True):
            low, high = block.cells[0], block.cells[-1]  # type: ignore[union-attr]
            assert pose[:3] == pytest.approx([(a + b + 1) / 2 for a, b in zip(low, high, strict=True)])
            assert pose[3:] == pytest.approx((0, 0, 0, 1))
        assert last[1][2] < 2
        heavy_side = [middle - at for middle, at in zip(first[1][:2], first[0][:2], strict=True)]
        went = [end - start for end, start in zip(last[1][:2], first[1][:2], strict=True)]
        assert heavy_side[0] * went[0] + heavy_side[1] * went[1] > 0


def test_a_replay_does_not_depend_on_what_was_asked_before() -> None:
    tower, beam = Tower.parse(["1z@3,4,0"], ["red@0,0,0"]), Tower.parse(["3x@2,4,1"]).blocks
    fresh = Examiner(NOMINAL).examine(tower, beam, Wishes(replay=True)).replay
    assert fresh is not None
    used = Examiner(NOMINAL)
    used.examine(tower.plus(beam))
    assert used.examine(tower, beam, Wishes(replay=True)).replay == fresh


# ---- towers that look alike


def look_alike(tower: Tower, symmetry: Symmetry, dx: int, dy: int, rng: random.Random) -> Tower:
    blocks = [moved(symmetry.placement(block), dx, dy) for block in tower.blocks]  # type: ignore[arg-type]
    pawns = []
    for pawn in tower.pawns:
        x, y = symmetry.field(pawn.x, pawn.y)
        pawns.append(Pawn(pawn.colour, x + dx, y + dy, pawn.z))
    rng.shuffle(blocks)
    rng.shuffle(pawns)
    return Tower(tuple(blocks), tuple(pawns))


def with_pawns(tower: Tower, rng: random.Random) -> Tower:
    room = list(tower.standing_room)
    places = rng.sample(room, min(len(room), rng.randrange(3)))
    fields = {(place.x, place.y): place for place in places}
    return tower.with_pawns(Pawn(COLOURS[i], p.x, p.y, p.z) for i, p in enumerate(fields.values()))


def as_scenario(tower: Tower) -> str:
    blocks, pawns = ", ".join(map(str, tower.blocks)), ", ".join(map(str, tower.pawns))
    return f"title: falling case\ntower: [{blocks}]\npawns: [{pawns}]"


@pytest.mark.parametrize("seed", range(24))
def test_towers_that_look_alike_get_the_same_answer(seed: int) -> None:
    rng = random.Random(seed)
    tower = with_pawns(grown(rng, rng.randrange(2, 11), daring=0.25), rng)
    first = Examiner(NOMINAL).examine(tower)
    for symmetry in [SYMMETRIES[0], *rng.sample(SYMMETRIES, 3)]:
        dx, dy = rng.randrange(-5, 6), rng.randrange(-5, 6)
        alike = look_alike(tower, symmetry, dx, dy, rng)
        found = Examiner(NOMINAL).examine(alike)

        def there(block: Placement, symmetry: Symmetry = symmetry, dx: int = dx, dy: int = dy) -> Placement:
            return moved(symmetry.placement(block), dx, dy)

        def turned(surfaces: object, symmetry: Symmetry = symmetry, dx: int = dx, dy: int = dy) -> set[tuple[int, ...]]:
            fields = [(*symmetry.field(s.x, s.y), s.z) for s in surfaces]  # type: ignore[attr-defined]
            return {(x + dx, y + dy, z) for x, y, z in fields}

        case = as_scenario(alike)
        assert (found.verdict, found.marginal, found.cost) == (first.verdict, first.marginal, first.cost), case
        assert set(found.fallen) == {there(block) for block in first.fallen}, case  # type: ignore[arg-type]
        assert set(found.moved) == {there(block) for block in first.moved}, case  # type: ignore[arg-type]
        assert {(s.x, s.y, s.z) for s in found.counterweights} == turned(first.counterweights), case


def test_a_judgement_does_not_depend_on_what_was_judged_before() -> None:
    scene = Scenario(Tower.parse(["1z@3,4,0", "2z@6,4,0"]), Proposal.parse("4x@2,4,1"))
    first = {**judge(scene).to_json(), "sim": None}
    judge(scene, Wishes(margin=True))
    judge(Scenario(Tower.parse(["1z@3,4,0"]), Proposal.parse("4x@2,4,1")))
    assert {**judge(scene).to_json(), "sim": None} == first


# ---- towers on which statics is sure


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(25))
def test_towers_that_clearly_stand_or_fall_are_judged_so(batch: int) -> None:
    examiner = Examiner(NOMINAL)
    for number in range(20 * batch, 20 * batch + 20):
        tower = random_tower(seed=3, number=number)
        case = examiner.case(tower)  # the verdict alone; what is marginal or falls where would take longer
        says = case.steadiness.static_verdict
        if says != "undecided":  # also those that stand by the last hair
            assert ("stands" if case.level().stood else "topples") == says, as_scenario(tower)
