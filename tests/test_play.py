"""`talo play` and `talo replay` as people use them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from talo_physics import Tower, load_board
from talo_physics.faces.cli import main
from talo_physics.faces.layers import drawn
from talo_physics.faces.playing import Terminal
from talo_physics.game.record import parse_record
from talo_physics.game.session import Session
from tests.test_records import GAME


def talo(*arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(main, arguments, input=typed, catch_exceptions=False)


@pytest.fixture
def game(tmp_path: Path) -> str:
    return str(tmp_path / "game.talo")


NEW = ("--seed", "7", "--start", "red@2,2,0", "--start", "blue@7,7,0", "--own-die")


def test_two_people_play_with_a_real_die(game: str) -> None:
    typed = "5\n4x@3,2,0; go @3,2,1; 1z@4,2,1\n9\n9z@6,7,0\nquit\n"
    result = talo("play", game, *NEW, typed=typed)
    assert result.exit_code == 0
    assert "take 5 or 4 + 1 or 3 + 2" in result.stdout
    lines = Path(game).read_text().splitlines()
    assert lines[-2:] == [
        "1 red 5 = 4 + 1: 4x@3,2,0; red@2,2,0 -> red@3,2,1; 1z@4,2,1 | legal",
        "2 blue 9 = 9: 9z@6,7,0 | legal",
    ]


def test_a_refusal_is_told_in_words_and_asked_again(game: str) -> None:
    result = talo("play", game, *NEW, typed="5\n4x@9,2,0; 1z@0,0,0\n5w@1,1,1\nquit\n")
    assert "illegal: build.edge" in result.stdout
    assert "build.edge: 4x@9,2,0 sticks out beyond the board in layer 0" in result.stdout
    assert "'help' shows how turns are written" in result.stdout
    assert Path(game).read_text().endswith("\n\n")  # no turn was written


def test_the_die_is_only_believed_between_1_and_10(game: str) -> None:
    result = talo("play", game, *NEW, typed="0\n11\nred\n3\nquit\n")
    assert result.stdout.count("the die shows 1 to 10") == 3
    assert "red throws 3" in result.stdout


def test_undo_hint_reach_moves_and_stock(game: str) -> None:
    typed = "5\nstock\nhint\nreach\nmoves 5\ntry 5x@0,0,0\nmoves 11\n5x@3,2,0\n4\nundo\n2\nhelp\nsave\nquit\n"
    result = talo("play", game, *NEW, typed=typed)
    assert "1: 10  2: 9  3: 8" in result.stdout
    assert "nowhere yet" in result.stdout
    assert "5x@0,0,0  5x@0,1,0" in result.stdout
    assert "a length from 1 to 10 was expected" in result.stdout
    assert "1 taken back" in result.stdout
    assert "two blocks placed at the same time" in result.stdout
    assert "a file name was expected" in result.stdout
    assert Path(game).read_text().endswith("\n\n")


def test_a_game_is_taken_up_and_saved_elsewhere(game: str, tmp_path: Path) -> None:
    Path(game).write_text(GAME + "3 red 3 = 3: 3x@0,")
    copy = tmp_path / "copy.talo"
    result = talo("play", game, typed=f"save {copy}\nquit\n")
    assert "the last line broke off" in result.stderr
    assert "turn 3: red throws" in result.stdout
    assert copy.read_text() == GAME
    assert "keeps its header (--seed)" in talo("play", game, "--seed", "3").stderr


def test_the_end_of_input_keeps_the_game(game: str) -> None:
    result = talo("play", game, *NEW, typed="5\n5x@3,2,0\n")
    assert result.exit_code == 0
    assert f"'talo play {game}' goes on" in result.stdout
    assert Path(game).read_text().endswith("1 red 5 = 5: 5x@3,2,0 | legal\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--players", "red blue green pink orange"), "setup.players: 5 players"),
        (("--players", "red"), "setup.players: 1 player; 2 to 4 can play"),
        (("--players", "red red"), "setup.players: red is taken by 2 players"),
        (("--players", "red black"), "pawns are yellow, red, blue, green, pink, orange, not black"),
        (("--computer", "blue=clever"), "one of random, climber, reckless was expected"),
        (("--computer", "green=random"), "green does not play"),
        (("--start", "red@2,2,1"), "setup.start"),
        (("--board", "island", "--start", "red@3,0,0"), "setup.water"),
        (("--option", "rebuild=often"), "rebuild is always or never or a number of blocks"),
        (("--board", "nowhere"), "neither a shipped board"),
        (("--age", "red=old"), "a number was expected"),
        (("--edition", "classic", "--variant", "fantasy"), "the classic edition has no Fantasy variant"),
    ],
)
def test_a_game_that_cannot_begin_leaves_no_file(game: str, arguments: tuple[str, ...], expected: str) -> None:
    result = talo("play", game, *arguments)
    assert (result.exit_code, expected in result.stderr) == (2, True), result.stderr
    assert not Path(game).exists()


def test_the_youngest_begins(game: str) -> None:
    talo("play", game, "--age", "red=40", "--age", "blue=8", typed="quit\n")
    assert "players: blue@" in Path(game).read_text()


def test_fantasy_is_played_without_pawns(game: str) -> None:
    result = talo(
        "play",
        game,
        "--variant",
        "fantasy",
        "--board",
        "table",
        "--own-die",
        typed="3\n3~0,0,0.5,0,0,30; aim reached\n",
    )
    assert "done: fantasy.aim" in result.stdout
    assert "it went well" in result.stdout


def test_replay_says_what_is_right_and_names_what_is_wrong(game: str, tmp_path: Path) -> None:
    Path(game).write_text(GAME)
    right = talo("replay", game)
    assert (right.exit_code, right.stdout) == (0, f"{game}: 3 turns as recorded; the game is not over\n")
    wrong = tmp_path / "wrong.talo"
    wrong.write_text(GAME.replace("1 red 5 = 4 + 1", "1 red 6 = 4 + 1"))
    result = talo("replay", str(tmp_path))
    assert result.exit_code == 1
    assert f"{wrong}:13: turn 1, red: the record says 'legal', the referee 'illegal: take.sum" in result.stdout
    answer = json.loads(talo("replay", "--json", str(wrong)).stdout)
    assert (answer["right"], answer["wrong"]["line"], answer["wrong"]["rules"]) == (0, 13, ["take.sum"])
    wrong.write_text("talo: 1\nplayers: red\n\n1 red: nothing\n")
    result = talo("replay", str(wrong))
    assert (result.exit_code, f"{wrong}:4:" in result.stderr) == (2, True)
    assert talo("replay", str(tmp_path / "none.talo")).exit_code == 2
    assert "1 red 5 = 4 + 1" not in talo("replay", game).stdout
    assert "red 5 = 4 + 1" in talo("replay", "-v", game).stdout


def test_a_drawing_shows_every_layer_with_its_pieces() -> None:
    tower = Tower.parse(["3x@8,0,0", "2z@0,0,0", "4y@0,-1,2"], ["red@8,0,1"])
    lines = drawn(tower, load_board("green"), width=30)
    assert lines[0].startswith("layer 0")
    bottom = next(line for line in lines if line.startswith("  0 "))
    assert bottom.startswith("  0 2|. . . . . . . 3-3-3-")
    assert any(line.startswith(" -1 4:") for line in lines)
    assert sum("R" in line for line in lines if line[:3].strip().lstrip("-").isdigit()) == 1


def test_a_collapse_asks_the_players_for_their_word(game: str) -> None:
    typed = (
        "10\n10z@5,5,0\n1\n1z@0,0,0; bump 10z@5,5,0 by 0.06,0,0\nmaybe\ny\n3\n3x@2,3,0; bump 10z@5,5,0 by 0.06,0,0\nn\n"
    )
    result = talo("play", game, *NEW, typed=typed)
    assert result.stdout.count("Could you rebuild it as it was?") == 3
    assert ", rebuilt: collapse.rebuilt" in Path(game).read_text()
    assert "red has lost, blue won" in result.stdout


def test_odd_wishes_are_told(game: str, tmp_path: Path) -> None:
    for arguments, expected in (
        (("--start", "green@1,1,0"), "green does not play"),
        (("--start", "red@1,1,0", "--start", "red@2,2,0"), "red starts from one field"),
        (("--age", "green=4"), "green does not play"),
        (("--age", "red=nan"), "ages such as"),
        (("--seed", "99999999999999999999"), "a whole number was expected"),
        (("--json",), "computer players alone"),
    ):
        result = talo("play", game, *arguments)
        assert (result.exit_code, expected in result.stderr) == (2, True), result.stderr
        assert not Path(game).exists()
    Path(game).write_text(GAME.replace("seed: 7", "computers: red alien"))
    assert "one of random, climber, reckless was expected" in talo("play", game).stderr
    os.mkfifo(tmp_path / "pipe.talo")
    assert "not a file" in talo("play", str(tmp_path / "pipe.talo")).stderr
    typed = "5\nmoves 4 loudly\nsave \0x\n0011\nquit\n"
    result = talo("play", str(tmp_path / "other.talo"), *NEW, typed=typed)
    assert "or moves 4 judge" in result.stdout
    assert "no name for a file" in result.stdout


def test_a_board_beside_the_player_is_found_from_the_records_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "\n".join("  " + "g" * 10 for _ in range(10))
    Path("own.yaml").write_text(f"name: own\nfields: |\n{rows}\n")
    Path("games").mkdir()
    assert talo("play", "games/g.talo", "--board", "own.yaml", typed="quit\n").exit_code == 0
    assert "board: ../own.yaml" in Path("games/g.talo").read_text()
    assert talo("play", "games/g.talo", typed="quit\n").exit_code == 0


def test_an_empty_folder_does_not_keep_other_records_from_being_replayed(game: str, tmp_path: Path) -> None:
    Path(game).write_text(GAME)
    (tmp_path / "empty").mkdir()
    result = talo("replay", str(tmp_path / "empty"), game)
    assert (result.exit_code, "3 turns as recorded" in result.stdout) == (2, True)
    assert "no records" in result.stderr


FELL = "10\n10z@5,5,0\n1\n1z@0,0,0; bump 10z@5,5,0 by 0.06,0,0\n"
"""A turn of blue's that brings down what red built; the question for the players' word comes next."""
KEPT = "2 blue 1 = 1: 1z@0,0,0; bump 10z@5,5,0 by 0.06,0,0 | collapse "


@pytest.mark.parametrize("leaving", ["quit\n", "Q\n", "maybe\nexit\n", ""])
def test_who_leaves_instead_of_giving_a_word_keeps_the_collapse(game: str, leaving: str) -> None:
    result = talo("play", game, *NEW, "--option", "rebuild=never", typed=FELL + leaving)
    assert result.exit_code == 0
    last = Path(game).read_text().splitlines()[-1]
    assert last.startswith(KEPT + "total, blue loses")
    assert "blue has lost, red won" in result.stdout
    assert talo("replay", game).exit_code == 0


def test_leaving_ends_the_program_also_where_the_game_goes_on(game: str) -> None:
    result = talo("play", game, *NEW, "--option", "rebuild=always", typed=FELL + "quit\n3\n3x@2,3,0\n")
    assert Path(game).read_text().splitlines()[-1].startswith(KEPT + "total, rebuilt")
    assert "red throws 3" not in result.stdout
    assert f"'talo play {game}' goes on" in result.stdout


def test_an_interrupt_at_the_question_keeps_the_collapse(tmp_path: Path) -> None:
    record = parse_record(GAME.partition("\n\n")[0] + "\n\n").record
    session = Session.begin(record, tmp_path / "new.talo")
    typed = iter(FELL.splitlines())

    def ask(prompt: str) -> str:
        if "rebuild" in prompt:
            raise KeyboardInterrupt
        return next(typed)

    Terminal(session, own_die=True, ask=ask).run()
    session.close()
    assert (tmp_path / "new.talo").read_text().splitlines()[-1].startswith(KEPT)


def test_many_moves_are_wrapped_to_the_terminal(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    result = talo("play", game, *NEW, typed="5\nmoves 2\nquit\n")
    listed = [line for line in result.stdout.splitlines() if "2x@" in line or "2y@" in line]
    assert len(listed) > 5
    assert max(len(line.removeprefix("red> ")) for line in listed) <= 60
    assert "2x@0,0,0" in result.stdout
    assert all(word.count("@") == 1 for line in listed for word in line.removeprefix("red> ").split())


def test_no_folder_is_made_for_a_game(tmp_path: Path) -> None:
    result = talo("play", str(tmp_path / "nope" / "g.talo"), *NEW, typed="quit\n")
    assert (result.exit_code, f"there is no folder {tmp_path / 'nope'}" in result.stderr) == (2, True)
    result = talo("play", str(tmp_path / "g.talo"), *NEW, typed=f"5\nsave {tmp_path / 'nope' / 'g.talo'}\nquit\n")
    assert "there is no folder" in result.stdout
    assert not (tmp_path / "nope").exists()
