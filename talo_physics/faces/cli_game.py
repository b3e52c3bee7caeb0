"""The commands `talo play` and `talo replay`."""

from __future__ import annotations

import os.path
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from talo_physics.errors import TaloError
from talo_physics.writing import check_folder

if TYPE_CHECKING:
    from talo_physics.game.record import Record
    from talo_physics.game.session import Session

KINDS = ("random", "climber", "reckless")
DESK_OPTIONS = ("host", "port", "save", "open_browser", "wait")


def desk_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of everything that is served to a browser."""
    options = (
        click.option(
            "--host", default="127.0.0.1", show_default=True, help="Address to listen on; this computer alone."
        ),
        click.option(
            "--port", type=click.IntRange(0, 65535), default=8256, show_default=True, help="0 finds a free one."
        ),
        click.option("--save", metavar="FOLDER", help="The one folder that the page may save files in."),
        click.option("--open", "open_browser", is_flag=True, help="Also open the address in a browser."),
        click.option("--wait/--no-wait", default=True, hidden=True, help="Serve until interrupted."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def add_game_commands(group: click.Group) -> None:
    """Put them into the command line."""
    group.add_command(play)
    group.add_command(replay)


@click.command()
@click.argument("file", default="game.talo", metavar="[FILE]")
@click.option("--players", default="red blue", show_default=True, metavar="COLOURS", help="Clockwise, 2 to 4.")
@click.option("--start", "starts", multiple=True, metavar="PAWN", help="A start field, red@2,2,0; random without.")
@click.option("--age", "ages", multiple=True, metavar="COLOUR=YEARS", help="The youngest begins.")
@click.option("--computer", "computers", multiple=True, metavar="COLOUR=KIND", help=f"Played by: {', '.join(KINDS)}.")
@click.option("--edition", type=click.Choice(["island", "classic"]), default="island", show_default=True)
@click.option("--variant", type=click.Choice(["standard", "fantasy"]), default="standard", show_default=True)
@click.option("--board", metavar="NAME", help="green, island, classic, table or a path; the edition's own without.")
@click.option("--profile", default="nominal", show_default=True, metavar="NAME", help="A shipped name or a path.")
@click.option("--option", "options", multiple=True, metavar="READING", help="step_down_to_board, rebuild=3 and so on.")
@click.option("--title", default="", help="Of the record.")
@click.option("--aim", default="", help="What a Fantasy game is to become.")
@click.option("--seed", type=int, default=None, help="Of the die, start fields and computer players; random without.")
@click.option("--own-die", is_flag=True, help="Throw a real die and type what it shows.")
@click.option("--json", "as_json", is_flag=True, help="One object a turn; for games of computer players alone.")
@click.option("--browser", is_flag=True, help="Play at the desk in a browser; the options below are for it.")
@desk_options
def play(file: str, own_die: bool, as_json: bool, browser: bool, **header: Any) -> None:
    """Play a game in the terminal or in a browser, hot-seat or against the computer.

    Every turn is kept in FILE before the next begins; a FILE that is there already is taken up where it ended.
    """
    from talo_physics.faces.playing import Terminal, watch

    place = {name: header.pop(name) for name in DESK_OPTIONS}
    if browser:
        from talo_physics.faces.desk.opening import check_installed

        check_installed()  # a game that nobody can play is not begun
    path = Path(file)
    if not path.exists() and as_json and set(_seats(header)) - {colour for colour, _ in _computers(header)}:
        raise click.UsageError("--json is for games of computer players alone")
    session = _session(path, header)
    try:
        if session.torn:
            click.echo(f"{file}: the last line broke off and was left out: {session.torn[:60]!r}", err=True)
        people = set(session.state.setting.players) - set(dict(session.record.computers))
        if as_json and (people or browser):
            raise click.UsageError("--json is for games of computer players alone, in the terminal")
        if browser:
            _play_in_browser(session, own_die, place)
        elif people:
            Terminal(session, own_die).run()
        else:
            watch(session, as_json)
    finally:
        session.close()


def _play_in_browser(session: Session, own_die: bool, place: dict[str, Any]) -> None:
    from talo_physics.faces.desk.opening import Place, play_match

    play_match(session, own_die, Place(**place))


def _session(path: Path, header: dict[str, Any]) -> Session:
    """The game of the file, or a new one."""
    from talo_physics.game.session import Session

    context = click.get_current_context()
    if path.exists():
        given = [
            name for name in header if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        ]
        if given:
            raise TaloError(f"{path}: exists already; a game that is taken up keeps its header (--{given[0]})")
        return Session.resume(path)
    check_folder(path)
    return Session.begin(_new_record(header, path), path)


def _seats(header: dict[str, Any]) -> list[str]:
    return re.split(r"[\s,]+", header["players"].strip())


def _computers(header: dict[str, Any]) -> list[tuple[str, str]]:
    computers = _pairs("--computer", header["computers"])
    for colour, kind in computers:
        if kind not in KINDS:
            raise TaloError(f"--computer {colour}={kind}: one of {', '.join(KINDS)} was expected")
        if colour not in _seats(header):
            raise TaloError(f"--computer {colour}: {colour} does not play")
    return computers


def _from(record: Path, name: str, shipped: tuple[str, ...]) -> str:
    """A board or profile as the record names it: a path is relative to the record's folder."""
    return name if name in shipped else os.path.relpath(name, record.parent)


def _new_record(header: dict[str, Any], path: Path) -> Record:
    from talo_physics.game.session import new_record, new_seed
    from talo_physics.game.state import USUAL_BOARD, seated
    from talo_physics.geometry.board import BOARDS
    from talo_physics.geometry.profile import PROFILES
    from talo_physics.rules.options import Options
    from talo_physics.tower.pawn import Pawn

    ages = {colour: _number(age) for colour, age in _pairs("--age", header["ages"])}
    seats = _seats(header)
    for colour in ages:
        if colour not in seats:
            raise TaloError(f"--age {colour}: {colour} does not play")
    return new_record(
        seated(seats, ages),
        [Pawn.parse(text) for text in header["starts"]],
        new_seed() if header["seed"] is None else header["seed"],
        edition=header["edition"],
        variant=header["variant"],
        beside=path.parent,
        board=_from(path, header["board"] or USUAL_BOARD[header["edition"]], BOARDS.names),
        profile=_from(path, header["profile"], PROFILES.names),
        options=Options.parse(header["options"]),
        ages=tuple(ages.items()),
        computers=tuple(_computers(header)),
        title=header["title"],
        aim=header["aim"],
    )


def _pairs(option: str, texts: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = [tuple(part.strip() for part in text.partition("=")[::2]) for text in texts]
    for (colour, value), text in zip(pairs, texts, strict=True):
        if not colour or not value:
            raise TaloError(f"{option} {text}: COLOUR=VALUE was expected")
    return [(colour, value) for colour, value in pairs]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise TaloError(f"--age: a number was expected, not {text!r}") from None


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="GAME|FOLDER...")
@click.option("-v", "--verbose", is_flag=True, help="Print every turn with its ruling.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line a record.")
def replay(files: tuple[str, ...], verbose: bool, as_json: bool) -> None:
    """Adjudicate recorded games turn by turn; names the first wrong turn with its rule."""
    from talo_physics.faces.replaying import replay_files

    sys.exit(replay_files(files, verbose, as_json))
