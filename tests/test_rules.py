"""The rules, with physics as a table: what they make of a finding, without any simulation."""

from __future__ import annotations

import pytest

from talo_physics import Proposal, Tower
from talo_physics.geometry.board import load_board
from talo_physics.rules.catalogue import RULES, in_order, is_rule
from talo_physics.rules.referee import rule_on
from talo_physics.rules.ruling import Ruling
from talo_physics.rules.situation import Situation
from talo_physics.rules.take import STOCK
from talo_physics.tower.finding import Finding, Verdict
from tests.physics_table import Table, falls


def ruling(tower: list[str], propose: str | list[str] | None, physics: Table | None = None, **more: object) -> Ruling:
    board = load_board(str(more.pop("board", "green")))
    pawns = more.pop("pawns", [])
    situation = Situation(Tower.parse(tower, pawns), (), board, **more)  # type: ignore[arg-type]
    return rule_on(situation, Proposal.parse(propose) if propose else None, physics or Table())


@pytest.mark.parametrize(
    ("tower", "propose", "board", "broken"),
    [
        ([], "4x@6,4,0", "green", ()),
        ([], "4x@7,4,0", "green", ("build.edge",)),
        ([], "4x@-1,4,0", "green", ("build.edge",)),
        ([], "4x@-1,4,0", "table", ()),
        (["1z@9,4,0"], "2x@9,4,1", "green", ()),
        ([], "10z@0,0,0", "green", ()),
        (["1z@0,0,0"], "10z@0,0,1", "green", ("build.height",)),
        (["10z@0,0,0"], "1z@0,0,10", "green", ("build.height",)),
        ([], "3x@0,0,0", "island", ()),
        ([], "4x@0,0,0", "island", ("build.water",)),
        (["3x@0,0,0"], "4x@0,0,1", "island", ()),
        ([], "3x@8,0,0", "island", ("build.edge",)),
        (["3x@3,3,0"], "3y@4,3,0", "green", ("build.space",)),
        ([], "3x@3,3,0 + 3y@4,3,0", "green", ("build.space",)),
        (["1z@3,3,0"], "3x@3,3,2", "green", ("build.support",)),
        ([], "1z@3,3,0 + 3x@2,3,1", "green", ()),
        ([], "3~4.5,4.5,0.5,0,0,0", "green", ()),
        ([], "3~4.4,4.5,0.5,0,0,0", "green", ("build.grid",)),
        ([], "3~4.5,4.5,0.5,0,0,30", "green", ("build.grid", "build.diagonal")),
        ([], "3~0.5,4.5,0.5,0,0,30", "green", ("build.grid", "build.diagonal", "build.edge")),
        ([], "3~3.5,1.5,0.5,0,0,30", "island", ("build.grid", "build.diagonal", "build.water")),
        ([], "3~4.5,4.5,0.2,0,0,0", "green", ("build.grid", "build.space")),
        ([], "3~4.5,4.5,9,0,90,0", "green", ("build.grid", "build.height", "build.support")),
        (["10x@0,0,0"], "10x@0,1,0", "green", ("take.stock",)),
        ([], "7x@0,0,0 + 4x@0,1,0", "green", ("take.sum",)),
        ([], "6x@0,0,0 + 4x@0,1,0", "green", ()),
        ([], "1z@0,0,0 + 1z@2,0,0 + 1z@4,0,0", "green", ("take.sum", "balance.together")),
    ],
)
def test_build_and_take_rules(tower: list[str], propose: str, board: str, broken: tuple[str, ...]) -> None:
    answer = ruling(tower, propose, board=board)
    assert answer.violations == broken
    assert answer.legal == (not broken)


def test_a_pawn_takes_two_levels() -> None:
    for z, broken in ((0, ("build.space",)), (1, ("build.space", "build.support")), (2, ("build.support",))):
        assert ruling([], f"3x@3,3,{z}", pawns=["red@4,3,0"]).violations == broken


def test_what_overlaps_is_not_simulated_and_the_rest_is() -> None:
    physics = Table()
    answer = ruling(["3x@3,3,0"], "3y@4,3,0 + 1z@0,0,0", physics)
    assert physics.asked == ["1z@0,0,0"]
    assert any("3y@4,3,0 not simulated" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    ("tower", "propose", "finding", "edition", "broken"),
    [
        (["1z@3,4,0"], "4x@2,4,1", falls("4x@2,4,1"), "island", ("balance.falls", "balance.even-tips")),
        (["1z@3,4,0"], "4x@2,4,1", Finding(Verdict.STANDS), "island", ()),  # leaning, say: the simulation decides
        (["3y@3,3,0"], "4x@2,4,1", falls("4x@2,4,1"), "island", ("balance.falls",)),
        (["2x@3,4,0"], "4x@3,4,1", falls("4x@3,4,1"), "island", ("balance.falls",)),
        (["1z@3,4,0"], "3x@3,4,1", falls("3x@3,4,1"), "island", ("balance.falls", "balance.odd-centred")),
        (["1z@3,4,0"], "3x@2,4,1", falls("3x@2,4,1"), "island", ("balance.falls",)),
        (["3y@3,3,0"], "3x@3,4,1", falls("3x@3,4,1"), "island", ("balance.falls", "balance.odd-centred")),
        (["3y@3,3,0"], "3x@3,4,1", falls("3x@3,4,1"), "classic", ("balance.falls",)),
        (["1z@3,4,0"], "3x@3,4,1", falls("3x@3,4,1"), "classic", ("balance.falls", "balance.odd-centred")),
        (["1z@3,4,0"], "4x@2,4,1", falls("4x@2,4,1", verdict=Verdict.NEEDS_PAWN), "island", ("balance.pawn",)),
        (["1z@3,4,0"], "3x@2,4,1", falls("3x@2,4,1", verdict=Verdict.PAWN_TOPPLES), "island", ("balance.falls",)),
    ],
)
def test_balance_rules_follow_the_finding(
    tower: list[str], propose: str, finding: Finding, edition: str, broken: tuple[str, ...]
) -> None:
    assert ruling(tower, propose, Table({propose: finding}), edition=edition).violations == broken


def test_a_marginal_tower_that_stands_is_legal_with_a_warning() -> None:
    answer = ruling([], "3x@3,3,0", Table({"3x@3,3,0": Finding(Verdict.STANDS, marginal=True)}))
    assert answer.legal
    assert "marginal" in answer.warnings[0]


def test_steps_are_judged_one_after_the_other_up_to_the_first_that_falls() -> None:
    physics = Table({"4x@2,4,1": falls("4x@2,4,1")})
    answer = ruling(["1z@3,4,0"], ["1z@0,0,0", "4x@2,4,1", "1z@2,4,2"], physics)
    assert physics.asked == ["1z@0,0,0", "4x@2,4,1"]
    assert answer.finding.verdict is Verdict.TOPPLES
    assert any("step 2 of 3" in warning for warning in answer.warnings)


def test_what_is_wrong_with_later_steps_by_their_place_is_told_all_the_same() -> None:
    physics = Table({"4x@2,4,1": falls("4x@2,4,1")})
    answer = ruling(["1z@3,4,0"], ["4x@2,4,1", "4x@8,1,0", "1z@3,4,0"], physics)
    assert answer.violations == ("take.sum", "build.edge", "build.space", "balance.falls", "balance.even-tips")
    assert any("later steps were not simulated" in warning for warning in answer.warnings)


def test_a_block_that_goes_down_with_what_is_under_it_did_not_tip() -> None:
    blocks = Tower.parse(["2z@3,4,0", "4x@2,4,2"]).blocks
    for times, broken in (
        ((0.5, 0.5), ("balance.falls",)),
        ((0.5, 0.3), ("balance.falls", "balance.even-tips")),
    ):
        finding = Finding(Verdict.TOPPLES, fallen=blocks, fell_at_s=times)
        assert ruling(["2z@3,4,0"], "4x@2,4,2", Table({"4x@2,4,2": finding})).violations == broken


def test_no_pawn_stands_on_water() -> None:
    assert ruling([], "1z@0,0,0", board="island", pawns=["red@4,0,0"]).violations == ("setup.water",)
    assert ruling([], "1z@0,0,0", board="island", pawns=["red@4,4,0"]).legal


def test_the_same_block_twice_is_left_out_once() -> None:
    answer = ruling([], "1z@5,5,0 + 1z@5,5,0")
    assert answer.violations == ("build.space",)
    assert any("1z@5,5,0 not simulated" in warning for warning in answer.warnings)


def test_a_step_builds_on_the_one_before() -> None:
    assert ruling([], ["1z@3,4,0", "3x@2,4,1"]).legal
    assert ruling([], ["3x@2,4,1", "1z@3,4,0"]).violations == ("build.support",)


def test_without_a_proposal_the_tower_itself_is_judged() -> None:
    answer = ruling(["4x@8,4,0", "10z@0,0,0", "1z@0,0,10"], None)
    assert answer.violations == ("build.edge", "build.height")


PAWNS = ["red@0,0,0", "blue@3,4,1", "green@5,5,1", "yellow@9,9,0"]


@pytest.mark.parametrize(
    ("fallen", "edition", "turn", "expected"),
    [
        (["4x@7,7,1"], "island", "red", ("proposal", None, (), ("collapse.rebuilt",))),
        (["3x@3,4,0"], "island", "red", ("partial", "red", ("blue", "green"), ("collapse.ends", "collapse.winner"))),
        (["3x@3,4,0"], "island", "blue", ("partial", "blue", ("green",), ("collapse.ends", "collapse.winner"))),
        (["3x@3,4,0"], "classic", "red", ("partial", "red", (), ("collapse.ends",))),
        (["3x@3,4,0"], "island", None, ("partial", None, (), ("collapse.ends", "collapse.winner"))),
        (["3x@3,4,0", "3x@5,5,0", "1z@8,7,0"], "classic", None, ("total", None, (), ("collapse.ends",))),
    ],
)
def test_a_collapse_has_an_extent_a_loser_and_in_the_island_edition_a_winner(
    fallen: list[str], edition: str, turn: str | None, expected: tuple[object, ...]
) -> None:
    physics = Table({"4x@7,7,1": falls(*fallen)})
    tower = ["3x@3,4,0", "3x@5,5,0", "1z@8,7,0"]
    collapse = ruling(tower, "4x@7,7,1", physics, edition=edition, turn=turn, pawns=PAWNS).collapse
    assert collapse is not None
    assert (collapse.extent, collapse.loser, collapse.winner, collapse.rules) == expected


def test_nothing_collapses_where_a_pawn_still_holds_it() -> None:
    physics = Table({"4x@2,4,1": falls("4x@2,4,1", verdict=Verdict.NEEDS_PAWN)})
    assert ruling(["1z@3,4,0"], "4x@2,4,1", physics).collapse is None


def test_in_the_fantasy_variant_only_space_and_balance_count() -> None:
    answer = ruling([], "3~-4.4,4.5,0.5,0,0,30", variant="fantasy", board="table")
    assert answer.legal
    physics = Table({"3~-4.4,4.5,0.5,0,0,30": falls("3~-4.4,4.5,0.5,0,0,30")})
    assert ruling([], "3~-4.4,4.5,0.5,0,0,30", physics, variant="fantasy").violations == ("balance.falls",)


def test_the_catalogue_is_the_rulebook() -> None:
    assert sum(STOCK.values()) == 55
    assert all(rule_id == rule.id and "." in rule_id for rule_id, rule in RULES.items())
    assert is_rule("fantasy.ends")
    assert not is_rule("build.anything")
    assert in_order({"balance.falls", "build.edge"}) == ("build.edge", "balance.falls")


ROW = ["5x@2,4,0"]


@pytest.mark.parametrize(
    ("tower", "pawns", "move", "broken"),
    [
        (ROW, ["red@2,4,1"], "red@2,4,1 -> red@6,4,1", ()),
        (ROW, ["red@2,4,1"], "red@2,4,1 -> red@1,4,0", ("move.free",)),
        (ROW, ["red@2,4,1"], "red@2,4,1 -> red@8,4,1", ("move.free",)),
        (ROW, ["red@1,4,0"], "red@1,4,0 -> red@2,4,1", ()),
        (ROW, ["red@0,4,0"], "red@0,4,0 -> red@2,4,1", ("move.start-waits",)),
        ([*ROW, "1z@4,4,1"], ["red@2,4,1"], "red@2,4,1 -> red@4,4,2", ()),
        ([*ROW, "2z@4,4,1"], ["red@2,4,1"], "red@2,4,1 -> red@4,4,3", ("move.step",)),
        (["2x@2,4,0", "2x@4,5,0"], ["red@2,4,1"], "red@2,4,1 -> red@5,5,1", ("move.diagonal",)),
        (ROW, ["red@2,4,1", "blue@4,4,1"], "red@2,4,1 -> red@6,4,1", ("move.occupied",)),
        (ROW, ["red@2,4,1", "blue@4,4,1"], "red@2,4,1 -> red@4,4,1", ("move.occupied",)),
        ([*ROW, "2z@4,3,0", "2z@4,5,0", "3y@4,3,2"], ["red@2,4,1"], "red@2,4,1 -> red@6,4,1", ("move.headroom",)),
        ([*ROW, "3z@4,3,0", "3z@4,5,0", "3y@4,3,3"], ["red@2,4,1"], "red@2,4,1 -> red@6,4,1", ()),
    ],
)
def test_move_rules(tower: list[str], pawns: list[str], move: str, broken: tuple[str, ...]) -> None:
    assert ruling(tower, move, pawns=pawns).violations == broken


def test_permissions_are_not_in_the_way_of_what_they_permit() -> None:
    """`build.overhang` and `balance.lean`: the simulation alone decides, where it stands nothing is broken."""
    assert ruling(["3x@0,4,0"], "4x@-1,4,1").legal
    assert ruling(["1z@3,4,0", "3z@1,4,0"], "4x@2,4,1").legal


def test_only_the_island_edition_knows_collapse_winner() -> None:
    for edition, cited in (("island", True), ("classic", False)):
        physics = Table({"4x@7,7,1": falls("3x@3,4,0")})
        collapse = ruling(["3x@3,4,0"], "4x@7,7,1", physics, edition=edition, turn="red", pawns=PAWNS).collapse
        assert collapse is not None
        assert ("collapse.winner" in collapse.rules) == cited
