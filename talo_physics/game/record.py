"""The record of a game, `.talo`: text that a person can read and write. A header, an empty line, a line a turn.

    talo: 1
    edition: island
    board: green
    profile: nominal
    players: red@2,2,0 blue@7,7,0

    1 red 5 = 4 + 1: 4x@3,2,0; red@2,2,0 -> red@3,2,1; 1z@4,2,1 | legal # up we go
    2 blue 9 = 9: 9x@3,2,1 | illegal: build.space
    2 blue 9 = 9: 9z@6,7,0 | legal

Behind `|` stands the ruling, behind `#` a comment. A turn that was refused keeps its number for the next try. What
is printed reads back as the same record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from talo_physics.errors import Fault, FileError, TaloError, TextFormError
from talo_physics.game.state import USUAL_BOARD, Setting, State, new_game
from talo_physics.game.turn import Turn
from talo_physics.geometry.board import load_board
from talo_physics.geometry.profile import load_profile
from talo_physics.rules.catalogue import is_rule
from talo_physics.rules.options import Options
from talo_physics.tower.pawn import COLOURS, Pawn
from talo_physics.tower.placement import shown

VERSION = "1"
ENDING = ".talo"
MOST_LINES = 10_000
LONGEST_LINE = 4_000
_ENTRY = re.compile(r"\s*(\d{1,6})\s+([^|#]*?)\s*(?:\|\s*([^#]*?)\s*)?(?:#\s?(.*))?", re.ASCII)
_RULING = re.compile(r"(legal|(?:illegal|lost|wins|drawn|done|collapse [a-z, ]+): [a-z0-9., -]+)", re.ASCII)
_HEADER = re.compile(r"([a-z]+):(?: (.*))?", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """One line: the turn as it was tried, and what the referee said."""

    number: int
    turn: Turn
    ruling: str = ""
    """As `Played.words` has it; empty where nobody wrote it down."""
    comment: str = ""
    notes: tuple[str, ...] = ()
    """The lines of comment above it."""
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        ruling = f" | {self.ruling}" if self.ruling else ""
        comment = f" # {self.comment}" if self.comment else ""
        return f"{self.number} {self.turn}{ruling}{comment}"


@dataclass(frozen=True)
class Record:
    """A whole record. Board and profile are named as the file names them."""

    players: tuple[str, ...]
    """Each as `red@2,2,0`, in the order of turns; in the Fantasy variant only the colours."""
    edition: str = "island"
    variant: str = "standard"
    board: str = "green"
    profile: str = "nominal"
    options: Options = field(default_factory=Options)
    ages: tuple[tuple[str, float], ...] = ()
    title: str = ""
    aim: str = ""
    """What a Fantasy game is to become."""
    seed: int | None = None
    """Of the die, where it was thrown here."""
    computers: tuple[tuple[str, str], ...] = ()
    """Which colours are played by which computer player."""
    rules: tuple[str, ...] = ()
    """The rule ids that this game is about, where it is kept as an example."""
    notes: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
    closing: tuple[str, ...] = ()
    """Comments behind the last turn."""
    source: str = field(default="", compare=False)
    lines: tuple[tuple[str, int], ...] = field(default=(), compare=False)
    """Where each field of the header stands."""

    def plus(self, entry: Entry) -> Record:
        """The record with one more line; comments behind the last turn stand above it then."""
        noted = replace(entry, notes=(*self.closing, *entry.notes))
        return replace(self, entries=(*self.entries, noted), closing=())

    def line_of(self, name: str) -> int:
        """The line of a field of the header."""
        return dict(self.lines).get(name, 1)

    def start(self, beside: Path | None = None) -> State:
        """The state before the first turn; paths in the header are relative to `beside`.

        Raises:
            IllegalSetupError: it breaks a `setup.*` rule.
            TaloError: a board or profile that is none.
        """
        setting = Setting(
            players=tuple(player.partition("@")[0] for player in self.players),
            edition=self.edition,  # type: ignore[arg-type]  # checked by the header's reader
            variant=self.variant,  # type: ignore[arg-type]
            board=load_board(self.board, beside),
            profile=load_profile(self.profile, beside),
            options=self.options,
            ages=self.ages,
        )
        return new_game(setting, [Pawn.parse(player) for player in self.players if "@" in player])

    def __str__(self) -> str:
        lines = [f"# {note}".rstrip() for note in self.notes]
        lines += [f"{name}: {value}" for name, value in self._header() if value]
        lines.append("")
        for entry in self.entries:
            lines += [f"# {note}".rstrip() for note in entry.notes]
            lines.append(str(entry))
        lines += [f"# {note}".rstrip() for note in self.closing]
        return "\n".join(lines) + "\n"

    def _header(self) -> Iterator[tuple[str, str]]:
        yield "talo", VERSION
        yield "title", self.title
        yield "edition", self.edition
        yield "variant", self.variant if self.variant != "standard" else ""
        yield "board", self.board
        yield "profile", self.profile
        yield "options", str(self.options)
        yield "players", " ".join(self.players)
        yield "ages", ", ".join(f"{colour} {repr(age).removesuffix('.0')}" for colour, age in self.ages)
        yield "computers", ", ".join(f"{colour} {kind}" for colour, kind in self.computers)
        yield "aim", self.aim
        yield "rules", ", ".join(self.rules)
        yield "seed", "" if self.seed is None else str(self.seed)


@dataclass(frozen=True)
class Read:
    """A record as it was read, and the torn last line that was left out of it."""

    record: Record
    torn: str = ""
    cut: bool = False
    """Whether the last turn has no line end: its ruling may be cut short, even if it looks whole."""
    spaced: bool = True
    """Whether there is an empty line between header and turns."""

    @property
    def whole(self) -> bool:
        """Whether lines can be appended as it is."""
        return not self.torn and not self.cut and self.spaced


def parse_record(text: str, source: str = "") -> Read:
    """Read a record. A last line that breaks off, as a killed process leaves it, is left out and told.

    Raises:
        FileError: every fault, with line and column.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    begin = _begin(lines)
    cut = bool(lines) and not text.endswith("\n") and not all(line.strip() for line in lines[begin:-1])
    torn = ""
    if cut and not lines[-1].startswith("#"):
        if "|" not in lines[-1]:
            torn = lines.pop()
        elif not _Reader("").is_entry(lines[-1]):
            lines[-1] = lines[-1].partition("|")[0]  # a ruling cut short: the referee will say it again
    spaced = any(not line.strip() for line in lines[begin:])
    return Read(_Reader(source).read(lines), torn, cut and not torn and not lines[-1].startswith("#"), spaced)


class _Reader:
    """Reads line by line and gathers every fault."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.faults: list[Fault] = []

    def _fault(self, line: int, message: str, name: str = "", column: int = 1) -> None:
        self.faults.append(Fault(message, name, self.source, line, column))

    def read(self, lines: list[str]) -> Record:
        if len(lines) > MOST_LINES:
            self._fault(MOST_LINES, f"more than {MOST_LINES} lines: not a record")
            raise FileError(self.faults)
        begin = _begin(lines)
        end = next((i for i, line in enumerate(lines) if i >= begin and not line.strip()), len(lines))
        header, notes = self._header(lines[:end])
        entries, closing = self._entries(lines, end)
        record = self._record(header)
        if self.faults or record is None:
            raise FileError(sorted(self.faults, key=lambda fault: (fault.line, fault.column)))
        return replace(record, notes=notes, entries=entries, closing=closing)

    def _header(self, lines: list[str]) -> tuple[dict[str, tuple[int, str]], tuple[str, ...]]:
        header: dict[str, tuple[int, str]] = {}
        notes: list[str] = []
        for number, line in enumerate(lines, start=1):
            if line.startswith("#"):
                notes.append(_note(line))
            elif not line.strip():
                continue  # only before the header: the first empty line behind it ends it
            elif not (match := _HEADER.fullmatch(line.rstrip())) or match[1] not in _FIELDS:
                self._fault(number, f"a line of the header was expected ({', '.join(_FIELDS)}), not {shown(line)}")
            elif match[1] in header:
                self._fault(number, "given twice", match[1])
            elif not (match[2] or "").isprintable():
                self._fault(number, "a line of plain text was expected, without control characters", match[1])
            else:
                header[match[1]] = number, (match[2] or "").strip()
        return header, tuple(notes)

    def _record(self, header: dict[str, tuple[int, str]]) -> Record | None:
        values: dict[str, Any] = {}
        for name, (line, text) in header.items():
            try:
                values[name] = _FIELDS[name](text)
            except (TaloError, ValueError) as error:
                self._fault(line, str(error), name, len(name) + 3)
        for name in ("talo", "players"):
            if name not in header:
                self._fault(1, "is required in the header", name)
        if self.faults:
            return None
        values.pop("talo")
        values.setdefault("board", USUAL_BOARD[values.get("edition", "island")])
        lines = tuple((name, line) for name, (line, _) in header.items())
        return Record(**values, source=self.source, lines=lines)

    def _entries(self, lines: list[str], begin: int) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
        entries: list[Entry] = []
        notes: list[str] = []
        for number, line in enumerate(lines[begin:], start=begin + 1):
            if line.startswith("#"):
                notes.append(_note(line))
            elif line.strip():
                entry = self._entry(number, line.rstrip())
                if entry:
                    entries.append(replace(entry, notes=tuple(notes)))
                notes = []
        return tuple(entries), tuple(notes)

    def is_entry(self, line: str) -> bool:
        """Whether the line is a turn without a fault."""
        return self._entry(1, line.rstrip()) is not None and not self.faults

    def _entry(self, number: int, line: str) -> Entry | None:
        line = line.replace("\t", " ")
        match = _ENTRY.fullmatch(line) if len(line) <= LONGEST_LINE and line.isprintable() else None
        if not match:
            self._fault(number, f"a turn such as '1 red 5 = 5: 5x@0,0,0 | legal' was expected, not {shown(line)}")
            return None
        ruling = (match[3] or "").strip()
        if ruling and not _is_ruling(ruling):
            self._fault(number, f"{shown(ruling)} is no ruling; one is 'legal', 'illegal: take.sum' and so on", "", 1)
        try:
            return Entry(int(match[1]), Turn.parse(match[2]), ruling, (match[4] or "").strip(), line=number)
        except TextFormError as error:
            self._fault(number, str(error), column=match.start(2) + 1)
            return None


def _begin(lines: list[str]) -> int:
    """Where the header begins: empty lines and comments may stand before it."""
    return next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))


def _note(line: str) -> str:
    """A line of comment without its mark, as it is printed again."""
    return line[1:].removeprefix(" ").rstrip()


def _is_ruling(text: str) -> bool:
    rules = text.partition(": ")[2]
    return bool(_RULING.fullmatch(text)) and all(is_rule(rule.strip()) for rule in rules.split(",") if rules)


def _one_of(*known: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in known:
            raise TextFormError(f"one of {', '.join(known)} was expected, not {shown(text)}")
        return text

    return read


def _name(text: str) -> str:
    if not text:
        raise TextFormError("a name or a path was expected")
    return text


def _players(text: str) -> tuple[str, ...]:
    players = text.split()
    if not players:
        raise TextFormError("players such as 'red@2,2,0 blue@7,7,0' were expected")
    for player in players:
        if "@" in player:
            Pawn.parse(player)
        elif player not in COLOURS:
            raise TextFormError(f"{shown(player)}: players are {', '.join(COLOURS)}")
    return tuple(str(Pawn.parse(player)) if "@" in player else player for player in players)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    pairs = []
    for part in _parts(text):
        colour, _, value = part.partition(" ")
        if colour not in COLOURS or not value.strip():
            raise TextFormError(f"{shown(part)}: a colour and a value, such as 'red 9', were expected")
        pairs.append((colour, value.strip()))
    return tuple(pairs)


def _ages(text: str) -> tuple[tuple[str, float], ...]:
    try:
        ages = tuple((colour, float(age)) for colour, age in _pairs(text))
    except ValueError:
        ages = (("", -1.0),)
    if any(not 0 <= age <= 150 for _, age in ages):
        raise TextFormError(f"{shown(text)}: ages such as 'red 9, blue 34' were expected")
    return ages


def _seed(text: str) -> int:
    if not re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        raise TextFormError(f"{shown(text)}: a whole number was expected")
    return int(text)


def _rules(text: str) -> tuple[str, ...]:
    for rule in _parts(text):
        if not is_rule(rule):
            raise TextFormError(f"{shown(rule)} is no rule id")
    return tuple(_parts(text))


_FIELDS: dict[str, Callable[[str], Any]] = {
    "talo": _one_of(VERSION),
    "title": str,
    "edition": _one_of("island", "classic"),
    "variant": _one_of("standard", "fantasy"),
    "board": _name,
    "profile": _name,
    "options": lambda text: Options.parse(_parts(text)),
    "players": _players,
    "ages": _ages,
    "computers": _pairs,
    "aim": str,
    "rules": _rules,
    "seed": _seed,
}
