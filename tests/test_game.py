"""Turns and states, with physics as a table: what is refused, what counts, and what follows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talo_physics import Pawn, TaloError, load_board
from talo_physics.game.choices import legal_placements, legal_turns, path, reachable
from talo_physics.game.die import Die
from talo_physics.game.playing import Played, play
from talo_physics.game.state import IllegalSetupError, Setting, State, new_game, seated
from talo_physics.game.turn import Turn
from talo_physics.geometry.board import Board
from talo_physics.rules.options import Options
from talo_physics.rules.take import STOCK, combinations
from talo_physics.tower.finding import Finding, Verdict
from talo_physics.tower.pawn import Surface
from talo_physics.tower.placement import Placement
from talo_physics.tower.proposal import PawnMove, Together
from talo_physics.tower.tower import Tower
from tests.physics_table import Table, falls

PAWNS = ("red@2,2,0", "blue@7,7,0")


def begun(*pawns: str, **setting: object) -> State:
    pieces = [Pawn.parse(text) for text in pawns or PAWNS]
    return new_game(Setting(tuple(pawn.colour for pawn in pieces), **setting), pieces)  # type: ignore[arg-type]


def with_tower(state: State, *blocks: str, pawns: tuple[str, ...] = ()) -> State:
    tower = Tower.parse(blocks, pawns or [str(pawn) for pawn in state.tower.pawns])
    return State(state.setting, tower, state.number)


def played(state: State, *turns: str, physics: Table | None = None) -> Played:
    """The last of several turns; the ones before it must count."""
    for text in turns:
        result = play(state, Turn.parse(text), physics or Table())
        last, state = result, result.after
        assert text is turns[-1] or not result.refused, result.ruling.breaches
    return last


# ---- setting up


def test_a_game_begins_with_all_blocks_in_stock_and_the_first_player() -> None:
    state = begun()
    assert sum(state.stock.values()) == 55
    assert (state.to_move, state.number, state.result) == ("red", 1, None)


@pytest.mark.parametrize(
    ("pawns", "setting", "broken"),
    [
        (["red@2,2,0"], {}, {"setup.players"}),
        (["red@2,2,0", "blue@7,7,0", "green@1,1,0", "pink@8,8,0", "orange@5,5,0"], {}, {"setup.players"}),
        (["red@2,2,1", "blue@7,7,0"], {}, {"setup.start"}),
        (["red@-1,2,0", "blue@7,7,0"], {}, {"setup.start"}),
        (["red@2,2,0", "blue@5,7,0"], {"edition": "classic", "board": "classic"}, {"setup.start"}),
        (["red@2,2,0", "blue@7,7,0"], {"edition": "classic", "board": "classic"}, set()),
        (["red@4,4,0", "blue@3,0,0"], {"board": "island"}, {"setup.middle-island", "setup.water"}),
        (["red@2,2,0", "blue@7,7,0"], {"ages": (("red", 40.0), ("blue", 7.0))}, {"setup.order"}),
        (["red@2,2,0", "blue@7,7,0"], {"ages": (("red", 7.0), ("blue", 7.0))}, set()),
    ],
)
def test_setup_rules_are_all_told(pawns: list[str], setting: dict[str, object], broken: set[str]) -> None:
    if "board" in setting:
        setting = {**setting, "board": load_board(str(setting["board"]))}
    found: set[str] = set()
    try:
        begun(*pawns, **setting)
    except IllegalSetupError as error:
        found = {breach.rule for breach in error.breaches}
    assert found == broken


def test_seats_are_turned_so_that_the_youngest_begins() -> None:
    assert seated(["red", "blue", "green"], {"blue": 6, "red": 9}) == ("blue", "green", "red")
    assert seated(["red", "blue"], {}) == ("red", "blue")


# ---- taking


@pytest.mark.parametrize(("throw", "takes"), [(1, [(1,)]), (5, [(5,), (4, 1), (3, 2)]), (2, [(2,), (1, 1)])])
def test_a_throw_offers_one_block_or_two(throw: int, takes: list[tuple[int, ...]]) -> None:
    assert combinations(throw, begun().stock) == takes


def test_what_is_used_up_is_not_offered() -> None:
    state = with_tower(begun(), *(f"1z@{x},0,0" for x in range(9)))
    assert combinations(2, state.stock) == [(2,)]  # one 1 is left, not two
    assert combinations(1, state.stock) == [(1,)]


@given(st.integers(0, 2**31))
def test_a_seeded_die_shows_1_to_10_and_the_same_again(seed: int) -> None:
    throws = [next(Die(seed).throws(number)) for number in range(20)]
    assert throws == [next(Die(seed).throws(number)) for number in range(20)]
    assert set(throws) <= set(range(1, 11))


@pytest.mark.parametrize(
    ("turn", "broken"),
    [
        ("red 4 = 4: 4x@0,0,0", ()),
        ("red 4 = 3 + 1: 3x@0,0,0; 1z@5,5,0", ()),
        ("red 4 = 4: 4x@0,0,0; 1z@5,5,0", ("take.sum",)),
        ("red 4 = 3 + 1: 3x@0,0,0", ("build.all",)),
        ("red 4 = 2 + 1 + 1: 2x@0,0,0; 1z@5,5,0; 1z@6,5,0", ("take.sum",)),
        ("red 11 = 10 + 1: 10x@0,0,0; 1z@5,5,0", ("take.sum",)),
        ("blue 4 = 4: 4x@0,0,0", ("setup.order",)),
        ("red 4 = 4: 4x@0,0,0; blue@7,7,0 -> blue@7,8,0", ("move.own", "move.start-waits")),
        ("red 4 = 4: 4x@0,0,0; green@7,7,0 -> green@7,8,0", ("move.own", "move.start-waits")),
        ("red 4 = 4: 4x@0,0,0; red@5,5,0 -> red@5,6,0", ("move.own", "move.start-waits")),
        ("red 4, 5 = 5: 5x@0,0,0", ("take.reroll",)),
        ("red 4 = none", ("take.reroll",)),
        ("red 4 = 4: 4x@0,0,0; rebuilt", ("collapse.rebuilt",)),
        ("red 4 = 4: 4x@0,0,0; aim reached", ("win.level-10",)),
        ("red 4 = 4: 4x@8,0,0; red@0,0,0", ("build.edge", "blockade.restart")),
    ],
)
def test_a_turn_breaks_rules_and_then_nothing_changes(turn: str, broken: tuple[str, ...]) -> None:
    state = begun()
    result = played(state, turn)
    assert result.violations == broken
    assert (result.after is state) == bool(broken)


def test_three_throws_without_a_match_lose_the_turn() -> None:
    state = with_tower(begun(), *(f"1z@{x},0,0" for x in range(10)))
    assert played(state, "red 1, 1, 1 = none").words == "lost: take.reroll"
    assert played(state, "red 1, 1, 4 = 4: 4x@0,5,0").words == "legal"
    assert played(state, "red 1, 1 = none").violations == ("take.reroll",)


def islet(fields: int) -> Board:
    """A board with only so many fields of land, in its corner."""
    return load_board("island").model_copy(update={"fields": ("~" * 10,) * 9 + ("g" * fields + "~" * (10 - fields),)})


def test_blocks_that_cannot_be_built_count_as_not_available() -> None:
    pawns = ("red@0,0,0", "blue@1,0,0")
    for options, turn, words in (
        ({}, "red 4, 4, 4 = none", "drawn: take.reroll"),  # nobody will ever build anything here
        ({}, "red 4 = none", "illegal: take.reroll"),
        ({"unplaceable": "pass"}, "red 4 = none", "drawn: take.reroll"),
    ):
        state = begun(*pawns, board=islet(2), options=Options(**options))  # type: ignore[arg-type]
        assert played(state, turn).words == words
    passing = with_tower(begun(options=Options(unplaceable="pass")), "1z@0,0,0")
    assert played(passing, "red 9, 5 = 5: 5z@9,0,0").violations == ("take.reroll",)
    roomy = begun(*pawns, board=islet(3))
    assert played(roomy, "red 4, 4, 4 = none").words == "illegal: take.reroll"


# ---- building, moving, winning


def test_each_step_builds_on_the_one_before_and_the_pawn_moves_between() -> None:
    result = played(begun(), "red 5 = 4 + 1: 4x@3,2,0; red@2,2,0 -> red@3,2,1; 1z@4,2,1; red@3,2,1 -> red@4,2,2")
    assert result.words == "legal"
    assert [str(pawn) for pawn in result.after.tower.pawns] == ["red@4,2,2", "blue@7,7,0"]
    assert result.after.to_move == "blue"
    assert result.after.stock[4] == STOCK[4] - 1


def test_every_intermediate_state_must_stand_but_inside_a_together() -> None:
    physics = Table({"4x@2,4,1": falls("4x@2,4,1")})
    state = with_tower(begun(), "1z@3,4,0")
    assert played(state, "red 5 = 4 + 1: 4x@2,4,1 + 1z@2,4,2", physics=physics).words == "legal"
    one_by_one = played(state, "red 5 = 4 + 1: 4x@2,4,1; 1z@2,4,2", physics=physics)
    assert one_by_one.words == "collapse proposal, rebuilt: collapse.rebuilt"
    assert one_by_one.after.tower == state.tower


def test_only_a_pawns_weight_is_refused_not_adjudicated() -> None:
    physics = Table({"4x@2,4,1": falls("4x@2,4,1", verdict=Verdict.NEEDS_PAWN)})
    state = with_tower(begun(), "1z@3,4,0")
    assert played(state, "red 4 = 4: 4x@2,4,1", physics=physics).words == "illegal: balance.pawn"


STAIR = ("9z@4,4,0", "10z@5,4,0")


def test_level_10_wins_in_the_middle_of_a_turn() -> None:
    state = with_tower(begun(), *STAIR, pawns=("red@4,4,9", "blue@7,7,0"))
    won = played(state, "red 5 = 4 + 1: red@4,4,9 -> red@5,4,10")
    assert won.words == "wins: win.level-10"
    assert won.after.result is not None
    assert won.after.result.winner == ("red",)
    assert played(won.after, "blue 1 = 1: 1z@0,0,0").violations == ("win.level-10",)
    went_on = played(state, "red 1 = 1: red@4,4,9 -> red@5,4,10; 1z@0,0,0")
    assert went_on.violations == ("win.level-10",)


def test_a_pawn_that_only_passes_over_level_10_has_stood_there() -> None:
    tower = (*STAIR, "9z@6,4,0")
    state = with_tower(begun(), *tower, pawns=("red@4,4,9", "blue@7,7,0"))
    assert played(state, "red 1 = 1: red@4,4,9 -> red@6,4,9").words == "wins: win.level-10"


def test_the_last_block_draws_the_game() -> None:
    everything = [length for length, count in STOCK.items() for _ in range(count)]
    blocks = tuple(f"{n}z@{i % 10},{i // 10},0" for i, n in enumerate(everything[:-1]))
    state = with_tower(begun("red@9,9,0", "blue@8,9,0"), *blocks)
    assert played(state, "red 10 = 10: 10z@0,9,0").words == "drawn: take.reroll"


# ---- collapses

TOWER = ("3x@3,4,0", "1z@3,4,1", "10z@7,7,0")
BUMP = "bump 10z@7,7,0 by 0.1,0,0"


@pytest.mark.parametrize(
    ("fallen", "options", "word", "words"),
    [
        (["10z@7,7,0"], {}, "", "collapse partial, red loses, blue wins: collapse.ends, collapse.winner"),
        (["10z@7,7,0"], {"rebuild": "1"}, "", "collapse partial, rebuilt: collapse.rebuilt"),
        (["10z@7,7,0", "1z@3,4,1"], {"rebuild": "1"}, "",
         "collapse partial, red loses, blue wins: collapse.ends, collapse.winner"),
        (list(TOWER), {"rebuild": "always"}, "", "collapse total, rebuilt: collapse.rebuilt"),
        (list(TOWER), {}, "; rebuilt", "collapse total, rebuilt: collapse.rebuilt"),
        (["10z@7,7,0"], {"rebuild": "always"}, "; not rebuilt",
         "collapse partial, red loses, blue wins: collapse.ends, collapse.winner"),
    ],
)  # fmt: skip
def test_a_bump_is_adjudicated_by_word_or_policy(
    fallen: list[str], options: dict[str, str], word: str, words: str
) -> None:
    state = with_tower(begun(options=Options(**options)), *TOWER)  # type: ignore[arg-type]
    result = played(state, f"red 1 = 1: {BUMP}{word}", physics=Table({BUMP: falls(*fallen)}))
    assert result.words == words
    assert result.after.tower == state.tower


def test_of_equally_high_pawns_all_win_or_the_first_in_turn_order() -> None:
    pawns = ("red@0,0,0", "blue@3,4,2", "green@5,4,1", "yellow@4,4,1")
    for options, winner in (({}, ("green", "yellow")), ({"highest_tie": "first_in_turn_order"}, ("yellow",))):
        state = begun("blue@1,1,0", "yellow@0,1,0", "red@0,0,0", "green@9,9,0", options=Options(**options))  # type: ignore[arg-type]
        state = with_tower(state, *TOWER, pawns=pawns)
        result = played(state, f"blue 1 = 1: {BUMP}", physics=Table({BUMP: falls("10z@7,7,0")}))
        assert result.after.result is not None
        assert (result.after.result.loser, result.after.result.winner) == ("blue", winner)


def test_a_step_that_stood_stays_when_a_later_one_is_rebuilt() -> None:
    physics = Table({"4x@2,4,1": falls("4x@2,4,1")})
    state = with_tower(begun(), "1z@3,4,0")
    result = played(state, "red 5 = 1 + 4: 1z@9,9,0; 4x@2,4,1", physics=physics)
    assert [str(block) for block in result.after.tower.blocks] == ["1z@3,4,0", "1z@9,9,0"]
    assert result.after.stock[4] == STOCK[4]


def test_a_pawn_avoids_what_does_not_bear_it_and_falls_where_it_cannot() -> None:
    blocks = ("5x@2,2,0", "5x@2,3,0", "5x@2,4,0")
    state = with_tower(begun(), *blocks, pawns=("red@2,3,1", "blue@7,7,0"))
    turn = "red 1 = 1: red@2,3,1 -> red@6,3,1; 1z@0,0,0"
    assert played(state, turn, physics=Table(breaking=("red@4,3,1",))).words == "legal"
    wall = tuple(f"red@4,{y},1" for y in (2, 3, 4))
    physics = Table({wall[1]: falls("5x@2,3,0", verdict=Verdict.PAWN_TOPPLES)}, breaking=wall)
    assert played(state, turn, physics=physics).words.startswith("collapse partial, red loses, blue wins")


def test_a_win_on_the_way_stops_there_even_if_what_follows_would_tip() -> None:
    state = with_tower(begun(), *STAIR, "9z@6,4,0", pawns=("red@4,4,9", "blue@7,7,0"))
    physics = Table({"red@6,4,9": falls("9z@6,4,0", verdict=Verdict.PAWN_TOPPLES)}, breaking=("red@6,4,9",))
    result = played(state, "red 1 = 1: red@4,4,9 -> red@6,4,9", physics=physics)
    assert result.words == "wins: win.level-10"
    assert "red@5,4,10" in map(str, result.after.tower.pawns)


def test_an_illegal_step_behind_a_fall_does_not_undo_it() -> None:
    state = with_tower(begun(), *TOWER)
    physics = Table({BUMP: falls("10z@7,7,0")})
    result = played(state, f"red 1 = 1: 1z@0,0,0; {BUMP}; red@2,2,0 -> red@9,9,9", physics=physics)
    assert result.words.startswith("collapse partial, red loses")


def test_blocks_of_the_same_turn_are_part_of_the_proposal() -> None:
    state = with_tower(begun(), "10z@5,3,0")
    physics = Table({"6x@3,5,4": falls("4z@3,5,0", "6x@3,5,4")})
    assert played(state, "red 10 = 4 + 6: 4z@3,5,0; 6x@3,5,4", physics=physics).words.startswith("collapse proposal")


def test_an_accident_can_happen_in_a_lost_turn() -> None:
    state = with_tower(begun(), *(f"1z@{x},0,0" for x in range(10)), "10z@7,7,0")
    result = played(state, f"red 1, 1, 1 = none: {BUMP}", physics=Table({BUMP: falls("10z@7,7,0")}))
    assert result.words.startswith("collapse partial, red loses")


def test_a_pawn_starts_again_once_and_only_from_where_it_was_blocked() -> None:
    shaft = ("3z@3,4,0", "3z@5,4,0", "3z@4,3,0", "3z@4,5,0")
    state = with_tower(begun(), *shaft, pawns=("red@4,4,0", "blue@9,9,0"))
    assert played(state, "red 2 = 2: red@0,0,0; 2x@1,0,0; red@0,0,0 -> red@2,0,1").words == "legal"
    for steps in (
        "red@0,0,0; 2x@1,0,0; red@7,7,0",
        "red@0,0,0; 2x@1,0,0; red@0,0,0 -> red@2,0,1; red@7,7,0",
        "red@4,4,0; 2x@1,0,0",
    ):
        assert played(state, f"red 2 = 2: {steps}").violations == ("blockade.restart",)


def test_a_turn_won_after_the_first_of_two_blocks_is_among_the_legal_ones() -> None:
    state = with_tower(begun(), "9z@4,5,0", "9z@5,5,0", pawns=("red@4,5,9", "blue@9,9,0"))
    turn = Turn.parse("red 2 = 1 + 1: 1z@5,5,9; red@4,5,9 -> red@5,5,10")
    assert turn in legal_turns(state, 2, Table())
    assert not legal_turns(state, 11, Table())


# ---- what can be done


def test_reachable_and_path_look_from_the_state() -> None:
    state = with_tower(begun(), "3x@3,2,0")
    assert [str(surface) for surface in reachable(state, "red")] == ["@3,2,1", "@4,2,1", "@5,2,1"]
    way = path(state, "red", Surface(5, 2, 1))
    assert way is not None
    assert [str(surface) for surface in way] == ["@2,2,0", "@3,2,1", "@4,2,1", "@5,2,1"]
    assert reachable(state, "blue") == []


def test_legal_placements_are_asked_one_at_a_time() -> None:
    physics = Table()
    found = legal_placements(begun(), 3, physics)
    assert physics.asked == []
    assert bool(found)
    assert len(physics.asked) == 1
    assert Placement.parse("3x@0,0,0") in found
    assert Placement.parse("3x@8,0,0") not in found
    assert found.count() == 2 * 80 - 2 * 6 + 98
    assert not legal_placements(with_tower(begun(), "10x@0,0,0"), 10, physics)


def test_legal_turns_are_lazy_and_each_is_legal() -> None:
    physics = Table()
    state = with_tower(begun(), "3x@3,2,0")
    turns = legal_turns(state, 2, physics)
    assert physics.asked == []
    first = next(iter(turns))
    assert len(physics.asked) < 5
    assert first in turns
    assert Turn.parse("red 2 = 1 + 1: 1z@0,0,0 + 1z@1,0,0") in turns
    assert Turn.parse("red 2 = 2: 2x@0,0,0; red@2,2,0 -> red@4,2,1") in turns
    assert Turn.parse("red 3 = 2: 2x@0,0,0") not in turns
    assert Turn.parse("red 2 = 2: 2x@9,0,0") not in turns


def test_every_turn_for_a_throw_is_counted_with_its_moves() -> None:
    tower = Tower.parse([], ["red@0,0,0"])  # on the other of two fields; so the 1 has one place, and then one move
    state = State(Setting(("red", "blue"), board=islet(2)), tower)
    turns = [str(turn) for turn in legal_turns(state, 1, Table())]
    assert turns == ["red 1 = 1: 1z@1,0,0", "red 1 = 1: 1z@1,0,0; red@0,0,0 -> red@1,0,1"]


def test_two_blocks_that_only_stand_together_are_found() -> None:
    class OnlyTogether(Table):
        def _answer(self, text: str) -> Finding:
            return Finding(Verdict.STANDS) if "+" in text or "->" in text else Finding(Verdict.TOPPLES)

    state = State(Setting(("red", "blue"), board=islet(4)), Tower.parse([], ["red@0,0,0"]))
    turns = legal_turns(state, 2, OnlyTogether())
    assert bool(turns)
    assert all(
        any(isinstance(s, Together) and len(s.blocks) == 2 for s in turn.steps)
        for turn, _ in zip(turns, range(5), strict=False)
    )


def test_a_finished_game_offers_nothing() -> None:
    state = with_tower(begun(), *STAIR, pawns=("red@4,4,9", "blue@7,7,0"))
    over = played(state, "red 1 = 1: red@4,4,9 -> red@5,4,10").after
    assert not legal_turns(over, 5, Table())
    assert list(legal_turns(over, 5, Table())) == []


# ---- the fantasy variant


def test_fantasy_has_stock_and_die_but_neither_pawns_nor_grid() -> None:
    state = new_game(Setting(("red", "blue"), variant="fantasy", board=load_board("table")))
    assert played(state, "red 3 = 3: 3~0.3,0.2,0.5,0,0,30").words == "legal"
    assert played(state, "red 4 = 3: 3~0.3,0.2,0.5,0,0,30").violations == ("take.sum",)
    assert played(state, "red 3 = 3: 3~0.3,0.2,0.5,0,0,30; red@0,0,0 -> red@0,0,1").violations == ("fantasy.free",)
    assert played(state, "red 3 = 3: 3~0.3,0.2,0.5,0,0,30; aim reached").words == "done: fantasy.aim"
    pose = "3~0.3,0.2,0.5,0,0,30"
    crash = played(state, f"red 3 = 3: {pose}", physics=Table({pose: falls(pose)}))
    assert crash.words == "collapse proposal: fantasy.ends"
    assert crash.after.result is not None
    assert (
        played(state, f"red 3 = 3: {pose}; rebuilt", physics=Table({pose: falls(pose)})).violations[-1]
        == "fantasy.ends"
    )


# ---- text forms

lengths = st.integers(1, 10)
blocks = st.builds(
    Placement, lengths, st.sampled_from("xyz"), st.integers(-3, 12), st.integers(-3, 12), st.integers(0, 9)
)
pawns = st.builds(Pawn, st.sampled_from(["red", "blue"]), st.integers(0, 9), st.integers(0, 9), st.integers(0, 10))
moves = st.builds(lambda a, b: PawnMove(a, Pawn(a.colour, b.x, b.y, b.z)), pawns, pawns)
steps = st.one_of(st.builds(lambda b: Together(tuple(b)), st.lists(blocks, min_size=1, max_size=2)), moves)
turns = st.builds(
    Turn,
    st.sampled_from(["red", "blue", "green"]),
    st.lists(st.integers(0, 12), min_size=1, max_size=4).map(tuple),
    st.lists(lengths, max_size=3).map(tuple),
    st.lists(steps, max_size=4).map(tuple),
    st.sampled_from([None, True, False]),
    st.booleans(),
)  # fmt: skip


@pytest.mark.parametrize("words", ["rebuilt; not rebuilt", "rebuilt; 1z@0,0,0"])
def test_words_stand_last_and_do_not_contradict(words: str) -> None:
    with pytest.raises(TaloError, match="one word of the players"):
        Turn.parse(f"red 1 = 1: 1z@0,0,0; {words}")


@given(turns)
def test_a_turn_reads_back(turn: Turn) -> None:
    assert Turn.parse(str(turn)) == turn


@given(st.text(max_size=60) | st.from_regex(r"red [0-9, ]{1,9}= [0-9+ ]{1,6}: [0-9xyz@,;>+ -]{0,30}", fullmatch=True))
def test_any_text_is_a_turn_or_an_error_in_words(text: str) -> None:
    try:
        turn = Turn.parse(text)
    except TaloError:
        return
    assert Turn.parse(str(turn)) == turn


@settings(max_examples=60)
@given(st.lists(turns, min_size=1, max_size=8), st.integers(0, 1000))
def test_whatever_is_tried_a_refusal_changes_nothing_and_what_counts_is_sound(tried: list[Turn], seed: int) -> None:
    state = begun()
    for turn in tried:
        result = play(state, turn, Table())
        assert result.refused == bool(result.violations)
        if result.refused:
            assert result.after is state
        assert not list(result.after.tower.defects()), str(turn)
        assert all(count >= 0 for count in result.after.stock.values())
        state = result.after
        if state.result:
            break
        legal = next(iter(legal_turns(state, 1 + seed % 10, Table())), None)
        if legal is not None:
            state = play(state, legal, Table()).after
            assert not list(state.tower.defects())
