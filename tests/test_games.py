"""Whole games by seeded computer players: sound at every moment, and each record replays to the same."""

from __future__ import annotations

from collections import Counter

import pytest

from talo_physics.game.playing import Played
from talo_physics.game.record import parse_record
from talo_physics.game.replay import replay
from talo_physics.game.session import Session, new_record
from talo_physics.game.state import State
from talo_physics.rules.move import Walk
from talo_physics.rules.take import STOCK
from talo_physics.scenario.file import scenario_text
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Verdict, Wishes
from talo_physics.tower.proposal import Proposal

GAMES = 50
BOARDS = (("island", "green"), ("island", "island"), ("classic", "classic"))
COLOURS = ("red", "blue", "green", "yellow")
KINDS = ("random", "climber")
MOST_TURNS = 400
LEVEL = Wishes(marginal=False, counterweights=False, before=False, fallen=False)


def session_of(number: int) -> Session:
    """The game of a number: every board, 2 to 4 players, both kinds of computer players."""
    edition, board = BOARDS[number % 3]
    seats = COLOURS[: 2 + number % 3 if number % 2 else 2 + (number // 2) % 3]
    computers = tuple((colour, KINDS[(number + place) % 2]) for place, colour in enumerate(seats))
    return Session(new_record(seats, seed=number, edition=edition, board=board, computers=computers))


def faults(state: State) -> list[str]:
    """What breaks an invariant of every state of a game."""
    found = [message for _, _, message in state.tower.defects()]
    built = Counter(block.length for block in state.tower.blocks)
    if Counter(STOCK) != built + state.stock:
        found.append(f"stock and built do not make 55: {built} {state.stock}")
    for pawn in state.tower.pawns:
        if not Walk(state.situation, pawn).may_stand(pawn.surface):
            found.append(f"{pawn} cannot stand there")
    if sorted(pawn.colour for pawn in state.tower.pawns) != sorted(state.setting.players):
        found.append("a pawn is missing")
    return found


def as_scenario(played: Played) -> str:
    """A turn as a scenario file, to look at what went wrong."""
    setting = played.before.setting
    return scenario_text(
        Scenario(
            played.before.tower,
            Proposal(played.turn.steps),
            f"turn {played.before.number}: {played.words}",
            board=setting.board,
            edition=setting.edition,
            turn=played.turn.player,
        )
    )


def check_whole_game(session: Session) -> None:
    """Play a game to its end: no turn is refused, every state is sound, and the record replays to the same."""
    states = [session.state]
    while session.state.result is None:
        assert session.state.number < MOST_TURNS
        computer = session.computer
        assert computer is not None
        played = session.play(computer.turn(session.state, session.throws, session.physics))
        assert not played.refused, as_scenario(played)
        assert not faults(session.state), as_scenario(played)
        states.append(session.state)
    record = parse_record(str(session.record)).record
    assert record == session.record
    replayed = list(replay(record))
    assert [line.wrong for line in replayed] == [""] * len(record.entries)
    assert [line.played.after for line in replayed] == states[1:]
    # The whole table at once, where turns were judged by what hangs together.
    if session.state.result.kind != "collapse":
        assert session.physics.examine(session.state.tower, (), LEVEL).verdict is Verdict.STANDS


@pytest.mark.slow
@pytest.mark.parametrize("number", range(GAMES))
def test_a_whole_game_is_sound_and_replays_to_the_same(number: int) -> None:
    check_whole_game(session_of(number))


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [("reckless", "reckless"), ("climber", "reckless"), ("reckless", "random")])
def test_the_reckless_are_never_refused_and_what_they_bring_down_is_adjudicated(kinds: tuple[str, str]) -> None:
    seats = ("red", "blue")
    session = Session(new_record(seats, seed=3, computers=tuple(zip(seats, kinds, strict=True))))
    check_whole_game(session)
    fell = {entry.turn.player for entry in session.record.entries if entry.ruling.startswith("collapse")}
    assert fell
    assert fell <= {colour for colour, kind in zip(seats, kinds, strict=True) if kind == "reckless"}
