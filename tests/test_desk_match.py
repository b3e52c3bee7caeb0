"""The desk of a game, without a page: throw, take steps in hand, play them, answer after a fall."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from talo_physics import Pawn
from talo_physics.faces.desk.match import Match
from talo_physics.faces.desk.texts import head
from talo_physics.game.record import Record
from talo_physics.game.session import Session, new_record
from tests.test_desk_plain import DONE_S, TIPS, words


@pytest.fixture
def session(tmp_path: Path) -> Session:
    record = new_record(["red", "blue"], [Pawn.parse("red@2,2,0"), Pawn.parse("blue@7,7,0")], 7)
    return Session.begin(record, tmp_path / "game.talo")


def wait(match: Match) -> None:
    match._worker.submit(lambda: None).result(DONE_S)


def test_a_turn_is_thrown_built_tried_played_and_taken_back(session: Session) -> None:
    match = Match(session, own_die=True)
    match.play().result(DONE_S)
    assert match.trouble == "throw the die first"
    match.enter_throw(11)
    wait(match)
    assert match.trouble == "the die shows 1 to 10"
    match.enter_throw(5)
    wait(match)
    assert match.turn == "turn 1: red throws 5; take 5 or 4 + 1 or 3 + 2"
    match.choose(length=4, axis="x", x=3, y=2)
    match.place()
    match.walk("red", "@3,2,1")
    match.judge().result(DONE_S)
    assert words(match)["ruling"] == "illegal: build.all"
    match.add("1z@4,2,1")
    match.play().result(DONE_S)
    assert words(match)["ruling"] == "legal"
    assert match.turn == "turn 2: blue's turn"
    assert session.keeper is not None
    assert session.keeper.path.read_text().splitlines()[-1].startswith("1 red 5 = 4 + 1: 4x@3,2,0; red@2,2,0 -> ")
    match.take_back()
    assert (match.note, match.turn) == ("1 taken back", "turn 1: red's turn")
    match.keep()
    assert "played as a turn" in match.trouble
    match.load(TIPS.read_bytes(), "tips.yaml")
    assert "a game is being played here" in match.trouble
    match.close()


def test_a_fall_is_there_to_be_watched(session: Session) -> None:
    match = Match(session, own_die=True)
    match.enter_throw(2)
    wait(match)
    match.add("1z@0,0,0")
    match.add("1z@0,1,0")
    match.play().result(DONE_S)
    match.enter_throw(4)
    wait(match)
    match.add("4x@-1,0,1")
    match.say("rebuilt")
    match.play().result(DONE_S)
    assert words(match)["ruling"].startswith("collapse proposal, rebuilt")
    assert match.clock.has_fall
    assert match.turn == "turn 3: red's turn"
    assert match.word == ""
    match.close()


def fallen(session: Session) -> Match:
    """A match in which blue's 4 over the edge has just fallen."""
    match = Match(session, own_die=True)
    match.enter_throw(1)
    wait(match)
    match.add("1z@0,0,0")
    match.play().result(DONE_S)
    match.enter_throw(4)
    wait(match)
    match.add("4x@-1,0,1")
    match.play().result(DONE_S)
    return match


@pytest.mark.parametrize(
    ("could", "ruling"), [(True, "collapse proposal, rebuilt"), (False, "collapse proposal, blue")]
)
def test_after_a_fall_the_players_are_asked_for_their_word(session: Session, could: bool, ruling: str) -> None:
    match = fallen(session)
    assert match.question == "4x@-1,0,1 fell. Could you rebuild it as it was?"
    assert 'id="question"' in head(match)
    assert (match.clock.has_fall, match.session.state.number) == (True, 2)
    for forbidden in (lambda: match.add("1z@5,5,0"), match.take_back, match.play, match.judge):
        forbidden()
        wait(match)
        assert match.trouble == f"first your word: {match.question}"
    assert str(match.table.scenario.proposal) == "4x@-1,0,1"
    match.rebuilt(could).result(DONE_S)
    assert words(match)["ruling"].startswith(ruling)
    assert (match.question, match.clock.has_fall) == ("", True)
    assert session.keeper is not None
    assert ("; not rebuilt |" in session.keeper.path.read_text()) is not could
    match.rebuilt(could).result(DONE_S)
    assert match.trouble == "nothing fell that could be rebuilt"
    match.close()


def test_a_game_that_was_killed_while_it_asked_goes_on_before_that_turn(session: Session, tmp_path: Path) -> None:
    fallen(session).close()
    again = Match(Session.resume(tmp_path / "game.talo"), own_die=True)
    assert (again.turn, again.question) == ("turn 2: blue's turn", "")
    again.close()


def test_the_computer_plays_its_own_turns(tmp_path: Path) -> None:
    record = new_record(["red", "blue"], seed=3, computers=(("blue", "random"),))
    match = Match(Session(record))
    match.throw()
    wait(match)
    match.hint()
    wait(match)
    hint = match.note.removeprefix("a hint: ")
    for step in hint.split("; "):
        match.add(step)
    match.play().result(DONE_S)
    assert match.session.state.number == 3
    assert words(match)["turn"].startswith("2 blue")
    match.close()


def test_a_lost_turn_goes_by_itself(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "takes", property(lambda _: []))
    match = Match(session)
    match.throw()
    wait(match)
    assert match.lines
    match.close()


def test_the_record_of_a_match_is_its_session_s(session: Session) -> None:
    match = Match(session)
    assert isinstance(match.record, Record)
    assert re.match(r"talo: 1\n", match.text("record")[0])
    match.close()
