"""Records: what is printed reads back, every fault has its line, and a killed process loses nothing."""

from __future__ import annotations

import multiprocessing
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talo_physics.errors import Fault, FileError, TaloError
from talo_physics.game.keeping import Keeper, read_record
from talo_physics.game.record import Entry, Record, parse_record
from talo_physics.game.replay import replay
from talo_physics.game.session import Session, new_record
from talo_physics.game.turn import Turn
from talo_physics.rules.options import Options
from talo_physics.tower.pawn import COLOURS
from tests.physics_table import Table
from tests.test_game import turns

GAME = """# on a rainy day
talo: 1
title: A short game
edition: island
board: green
profile: nominal
options: step_down_to_board, rebuild=2
players: red@2,2,0 blue@7,7,0
ages: red 9, blue 34
seed: 7

# opening
1 red 5 = 4 + 1: 4x@3,2,0; red@2,2,0 -> red@3,2,1; 1z@4,2,1 | legal # up we go
2 blue 9 = 9: 9z@3,2,0 | illegal: build.space
2 blue 9 = 9: 9z@6,7,0 | legal
# to be continued
"""

plain = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), max_size=20).map(lambda t: t.replace("#", ""))
rulings = st.sampled_from(["", "legal", "illegal: take.sum, build.all", "collapse partial, rebuilt: collapse.rebuilt"])
entries = st.builds(Entry, st.integers(0, 999), turns, rulings, plain, st.lists(plain, max_size=2).map(tuple))
records = st.builds(
    Record,
    st.lists(st.sampled_from(COLOURS), min_size=1, max_size=5).map(tuple),
    st.sampled_from(["island", "classic"]),
    st.sampled_from(["standard", "fantasy"]),
    st.sampled_from(["green", "island", "own.yaml"]),
    st.just("nominal"),
    st.builds(Options, st.booleans(), st.booleans(), rebuild=st.sampled_from(["0", "7", "always", "never"])),
    st.lists(st.tuples(st.sampled_from(COLOURS), st.integers(0, 99).map(float)), max_size=2).map(tuple),
    plain,
    plain,
    st.none() | st.integers(0, 10**9),
    st.just((("red", "climber"),)),
    st.just(("take.sum",)),
    st.lists(plain, max_size=2).map(tuple),
    st.lists(entries, max_size=4).map(tuple),
    st.lists(plain, max_size=2).map(tuple),
)


@given(records)
def test_a_record_reads_back(record: Record) -> None:
    text = str(record)
    read = parse_record(text)
    assert (read.record, read.torn) == (record, "")
    assert str(read.record) == text


def test_a_record_written_by_hand_reads_back_to_the_letter() -> None:
    assert str(parse_record(GAME).record) == GAME


def faults(text: str) -> tuple[Fault, ...]:
    try:
        parse_record(text, "game.talo")
    except FileError as error:
        return error.faults
    return ()


@given(st.text(max_size=80) | st.integers(0, len(GAME)).map(lambda cut: GAME[cut:]))
def test_any_text_is_a_record_or_faults_with_lines(text: str) -> None:
    assert all(fault.line and fault.source == "game.talo" for fault in faults(text))


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ("talo: 1", "talo: 2", 2, "one of 1 was expected"),
        ("edition: island", "edition: blue", 4, "one of island, classic"),
        ("rebuild=2", "rebuild=often", 7, "always or never or a number of blocks"),
        ("players: red@2,2,0", "players: black@2,2,0", 8, "pawns are yellow, red"),
        ("ages: red 9", "ages: red nine", 9, "ages such as"),
        ("seed: 7", "sed: 7", 10, "a line of the header was expected"),
        ("4x@3,2,0; red", "4w@3,2,0; red", 13, "a placement such as 4x@2,4,1"),
        ("| legal # up", "| fine # up", 13, "is no ruling"),
        ("build.space", "build.speed", 14, "is no ruling"),
        ("2 blue 9 = 9: 9z@6,7,0", "2 blue 9 = 9 9z@6,7,0", 15, "a turn such as"),
    ],
)
def test_every_fault_has_its_line(old: str, new: str, line: int, expected: str) -> None:
    (fault,) = faults(GAME.replace(old, new))
    assert (fault.line, expected in fault.message) == (line, True), fault


def test_a_record_cut_anywhere_in_its_turns_is_repaired() -> None:
    start = GAME.index("# opening")
    whole = parse_record(GAME).record
    for cut in range(start, len(GAME)):
        read = parse_record(GAME[:cut])
        kept = [entry.turn for entry in read.record.entries]
        assert kept == [entry.turn for entry in whole.entries[: len(kept)]] or cut < GAME.index("2 blue")
        lost = GAME[:cut].rpartition("\n")[2]
        assert len(kept) >= GAME[:cut].count("|") - 1, lost


def test_a_wrong_turn_is_named_and_nothing_is_played_after_it() -> None:
    wrong = parse_record(GAME.replace("1 red 5 = 4 + 1", "1 red 6 = 4 + 1").replace("legal # up we go", "legal")).record
    (line,) = replay(wrong, physics=Table())
    assert line.entry.line == 13
    assert "take.sum" in line.wrong
    out_of_order = parse_record(GAME.replace("2 blue 9 = 9: 9z@6,7,0", "4 blue 9 = 9: 9z@6,7,0")).record
    assert "setup.order" in list(replay(out_of_order, physics=Table()))[-1].wrong


# ---- on disk


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "game.talo"
    path.write_text(GAME)
    return path


def test_a_game_goes_on_where_it_ended(kept: Path) -> None:
    session = Session.resume(kept)
    assert (session.state.number, session.state.to_move) == (3, "red")
    played = session.play(Turn.parse("red 3 = 3: 3x@0,9,0"))
    session.close()
    assert not played.refused
    assert kept.read_text() == GAME + "3 red 3 = 3: 3x@0,9,0 | legal\n"
    assert not Session.resume(kept).play(Turn.parse("blue 3 = 3: 3x@0,8,0")).refused


def test_a_torn_last_line_is_repaired_on_the_disk(kept: Path) -> None:
    kept.write_text(GAME + "3 red 3 = 3: 3x@0,")
    session = Session.resume(kept)
    assert session.torn == "3 red 3 = 3: 3x@0,"
    assert kept.read_text() == GAME
    session.close()
    kept.write_text(GAME + "3 red 3 = 3: 3x@0,9,0 | leg")
    session = Session.resume(kept)
    assert session.state.number == 4
    session.close()


def test_a_letter_torn_in_two_is_repaired(kept: Path) -> None:
    kept.write_bytes(GAME.encode() + "3 red 3 = 3: 3x@0,9,0 | legal # schön".encode()[:-2])
    assert read_record(kept).record.entries[-1].number == 3


def test_undo_takes_the_turn_out_of_the_file(kept: Path) -> None:
    session = Session.resume(kept)
    assert session.undo() == 1
    assert session.state.number == 2
    assert "9z@6,7,0" not in kept.read_text()
    session.play(Turn.parse("blue 2 = 2: 2x@0,9,0"))
    session.close()
    assert kept.read_text().endswith("2 blue 2 = 2: 2x@0,9,0 | legal\n")


def test_a_record_is_kept_by_one_process_at_a_time(kept: Path) -> None:
    keeper = Keeper(kept)
    with pytest.raises(TaloError, match="is being played in another window"):
        Keeper(kept)
    keeper.close()
    Keeper(kept).close()


def test_a_new_game_does_not_write_over_an_old_one(kept: Path) -> None:
    with pytest.raises(TaloError, match="exists already"):
        Keeper(kept, parse_record(GAME).record)
    assert kept.read_text() == GAME


def test_a_game_that_is_wrong_is_not_gone_on_with(kept: Path) -> None:
    kept.write_text(GAME.replace("9z@6,7,0 | legal", "9z@6,7,0 | drawn: take.reroll"))
    with pytest.raises(TaloError, match=r"game.talo:15: turn 2: the record says"):
        Session.resume(kept)
    Keeper(kept).close()  # and nobody holds it


def _play_for_ever(path: str, started: multiprocessing.synchronize.Event) -> None:
    session = Session.begin(
        new_record(["red", "blue"], seed=3, computers=(("red", "random"), ("blue", "random"))), Path(path)
    )
    while session.state.result is None:
        computer = session.computer
        assert computer is not None
        session.play(computer.turn(session.state, session.throws, session.physics))
        if session.state.number > 3:
            started.set()


def test_a_killed_process_leaves_a_game_that_goes_on(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    path, started = tmp_path / "game.talo", context.Event()
    process = context.Process(target=_play_for_ever, args=(str(path), started))
    process.start()
    assert started.wait(120)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    session = Session.resume(path)
    assert session.state.number >= 4
    assert len(session.record.entries) == session.state.number - 1
    session.close()


def test_start_fields_are_chosen_by_the_seed() -> None:
    first = new_record(["red", "blue"], seed=5, board="island")
    assert first == new_record(["red", "blue"], seed=5, board="island")
    assert first.players != new_record(["red", "blue"], seed=6, board="island").players
    assert first.start().to_move == "red"


# ---- what went wrong once


def test_a_header_without_an_empty_line_can_be_played(tmp_path: Path) -> None:
    path = tmp_path / "header.talo"
    path.write_text("talo: 1\nplayers: red@2,2,0 blue@7,7,0\nseed: 1\n")
    session = Session.resume(path)
    session.play(Turn.parse("red 3 = 3: 3x@0,9,0"))
    session.close()
    assert Session.resume(path).state.number == 2


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("1 red 5 = 5: 5x@3,2,0", 0),  # cut from a longer turn: it may have been any
        ("1 red 5 = 4 + 1: 4x@3,2,0", 0),
        ("1 red 5 = 5: 5x@9,2,0 | illegal: build.edge", 1),
        ("1 red 5 = 5: 5x@9,2,0 | illeg", 1),
        ("1 red 5 = 5: 5x@3,2,0 |", 1),
    ],
)
def test_a_first_turn_that_breaks_off_is_repaired(tmp_path: Path, text: str, turns: int) -> None:
    path = tmp_path / "cut.talo"
    path.write_text(f"talo: 1\nplayers: red@2,2,0 blue@7,7,0\nseed: 1\n\n{text}")
    session = Session.resume(path)
    session.close()
    again = read_record(path)
    assert (len(again.record.entries), again.whole) == (turns, True)
    assert all(entry.ruling in ("legal", "illegal: build.edge") for entry in again.record.entries)


def test_a_record_that_is_wrong_is_not_rewritten(kept: Path) -> None:
    wrong = GAME.replace("9z@6,7,0 | legal\n# to be continued\n", "9z@6,7,0 | drawn: take.reroll\n3 red 3 = 3: 3x@0,")
    kept.write_text(wrong)
    with pytest.raises(TaloError, match="the record says"):
        Session.resume(kept)
    assert kept.read_text() == wrong


def test_a_line_that_cannot_be_written_leaves_no_trace(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session.resume(kept)
    before = session.state

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(TaloError, match="No space left"):
            session.play(Turn.parse("red 3 = 3: 3x@0,9,0"))
        with pytest.raises(TaloError, match="No space left"):
            session.undo()
    assert (kept.read_text(), session.state) == (GAME, before)
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]
    session.play(Turn.parse("red 2 = 2: 2x@0,9,0"))
    session.close()
    assert Session.resume(kept).state.number == 4


def test_a_file_that_was_replaced_meanwhile_is_not_written_to(kept: Path) -> None:
    session = Session.resume(kept)
    kept.rename(kept.with_suffix(".old"))
    kept.write_text(GAME)
    for attempt in (lambda: session.play(Turn.parse("red 3 = 3: 3x@0,9,0")), session.undo):
        with pytest.raises(TaloError, match="was moved or replaced"):
            attempt()
    assert kept.read_text() == GAME
    session.close()


def test_undo_keeps_links_modes_and_comments(kept: Path) -> None:
    kept.chmod(0o600)
    link = kept.with_name("link.talo")
    link.symlink_to(kept)
    session = Session.resume(link)
    session.play(Turn.parse("red 3 = 3: 3x@0,9,0"))
    session.undo()
    session.close()
    assert link.is_symlink()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "9z@6,7,0" in kept.read_text()
    assert "3x@0,9,0" not in kept.read_text()


@pytest.mark.parametrize(
    "header",
    [
        {"title": "a\tb"},
        {"title": "a\nseed: 5"},
        {"title": "\udcff"},
        {"ages": (("red", float("nan")),)},
        {"title": " x"},
    ],
)
def test_nothing_is_begun_that_could_not_be_taken_up(tmp_path: Path, header: dict[str, object]) -> None:
    with pytest.raises(TaloError):
        Session.begin(new_record(["red", "blue"], seed=1, **header), tmp_path / "game.talo")
    assert list(tmp_path.iterdir()) == []


SEEDLESS = GAME.replace("seed: 7\n", "")


def test_a_record_without_a_seed_gets_one_when_the_die_is_first_thrown(tmp_path: Path) -> None:
    path = tmp_path / "by-hand.talo"
    path.write_text(SEEDLESS)
    session = Session.resume(path)
    assert path.read_text() == SEEDLESS, "it was only looked at"
    throws = session.throws
    session.close()
    seed = read_record(path).record.seed
    assert seed is not None
    assert replace(read_record(path).record, seed=None) == parse_record(SEEDLESS).record
    again = Session.resume(path)
    assert (again.throws, again.record.seed) == (throws, seed)
    again.close()


def test_two_records_without_a_seed_do_not_throw_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = iter([1, 2])
    monkeypatch.setattr("talo_physics.game.session.new_seed", lambda: next(seeds))
    assert [Session(parse_record(SEEDLESS).record).die.seed for _ in range(2)] == [1, 2]


def test_blanks_behind_a_comment_are_nothing() -> None:
    record = parse_record("# first \ntalo: 1\nplayers: red@2,2,0 blue@7,7,0\n\n# last \t\n").record
    assert (record.notes, record.closing) == (("first",), ("last",))
    assert parse_record(str(record)).record == record


def test_rulings_may_list_their_rules_in_any_order() -> None:
    text = GAME.replace("9z@3,2,0 | illegal: build.space", "9z@3,2,0; 1z@0,0,0|illegal: take.sum, build.space #why")
    assert [line.wrong for line in replay(parse_record(text).record, physics=Table())] == [""] * 3
    assert parse_record(text).record.entries[1].comment == "why"


def test_undo_before_any_turn_of_a_person_takes_nothing_back(tmp_path: Path) -> None:
    session = Session.begin(new_record(["red", "blue"], seed=1, computers=(("red", "random"),)), tmp_path / "g.talo")
    computer = session.computer
    assert computer is not None
    session.play(computer.turn(session.state, session.throws, session.physics))
    assert session.undo() == 0
    assert session.state.number == 2
    session.close()


@pytest.mark.parametrize("before", ["\n", " \n\n", "# found in a drawer\n\n"])
def test_empty_lines_before_the_header_are_nothing(before: str) -> None:
    read, plain = parse_record(before + GAME), parse_record(GAME)
    assert read.whole
    notes = tuple(line.removeprefix("# ") for line in before.split("\n") if line.startswith("#"))
    assert read.record == replace(plain.record, notes=(*notes, *plain.record.notes))
    assert read.record.line_of("talo") == plain.record.line_of("talo") + before.count("\n")


def test_empty_lines_before_the_header_do_not_make_its_last_line_a_torn_turn() -> None:
    read = parse_record("\ntalo: 1\nplayers: red@2,2,0 blue@7,7,0")
    assert (read.torn, read.spaced, len(read.record.players)) == ("", False, 2)
    with pytest.raises(FileError) as caught:
        parse_record("\n\ntalo: 1\nplayers: red@2,2,0 blue@7,7,0\ncolour: red\n")
    assert [fault.line for fault in caught.value.faults] == [5]
