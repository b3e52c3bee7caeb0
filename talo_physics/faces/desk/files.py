"""Files of the desk. Content comes by upload and goes by download or into one folder chosen at the start.

What is uploaded is a stranger's: it may name boards and profiles that come with the package, no paths.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from talo_physics.datafile import MAX_BYTES, Document, parse_document
from talo_physics.errors import Fault, FileError, TaloError
from talo_physics.game.record import ENDING, Record, parse_record
from talo_physics.geometry.board import BOARDS, shipped_board
from talo_physics.geometry.profile import PROFILES, shipped_profile
from talo_physics.geometry.shelf import Shelf
from talo_physics.scenario.file import scenario_of
from talo_physics.scenario.model import Scenario
from talo_physics.writing import write_whole

SCENARIO, RECORD = ".yaml", ENDING
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,60}", re.ASCII)
_SHELVES: dict[str, Shelf[Any]] = {"board": BOARDS, "profile": PROFILES}
_LONGEST_NAME = 80


@dataclass(frozen=True)
class Folder:
    """Where the page may save; None: nowhere, then it only offers downloads."""

    path: Path | None = None

    def save(self, name: str, ending: str, text: str) -> str:
        """Write a new file; says where.

        Raises:
            TaloError: no folder was chosen, the name is none, or the file exists or cannot be written.
        """
        if self.path is None:
            raise TaloError("no folder to save in was given at the start (--save FOLDER); download it instead")
        file_name = checked_name(name, ending)
        path = self.path / file_name
        if os.path.lexists(path):
            raise TaloError(f"{file_name}: exists already; choose another name")
        write_whole(path, text.encode())
        return f"saved as {path}"


def checked_name(name: str, ending: str) -> str:
    """The name of a file with its ending.

    Raises:
        TaloError: it is more than a plain name.
    """
    plain = name.strip().removesuffix(ending)
    if not _NAME.fullmatch(plain):
        raise TaloError("a name of letters, digits, spaces, - and _ was expected")
    return plain + ending


def left_out(thing: Scenario | Record) -> str:
    """What of a table its file only names, in words; empty where it comes with the package."""
    named = ((field, getattr(thing, field), shelf.names) for field, shelf in _SHELVES.items())
    if isinstance(thing, Record):
        own = [f"{field} {name}" for field, name, names in named if name not in names]
        return f"the file only names its {' and '.join(own)}: keep that in the same place beside it" if own else ""
    shipped = {"board": shipped_board, "profile": shipped_profile}
    own = [
        f"{field} {kept.name!r}"
        for field, kept, names in named
        if kept.name not in names or kept != shipped[field](kept.name)
    ]
    words = "which does not come with the package: write the path of its own file there, and open it with `talo view`"
    return f"the file only names its {' and '.join(own)}, {words}" if own else ""


def uploaded(raw: bytes, name: str) -> Scenario | Record:
    """What a page sends: a scenario or a record, told apart by the name's ending.

    Raises:
        FileError: every fault of it.
    """
    shown = _shown(name)
    return _record(raw, shown) if shown.endswith(RECORD) else _scenario(raw, shown)


def too_large(name: str) -> str:
    """What to tell of a file that nobody need read to know that it is none."""
    return f"{_shown(name)}: larger than {MAX_BYTES // 1_000_000} MB: neither a scenario nor a record"


def _shown(name: str) -> str:
    return "".join(letter for letter in name if letter.isprintable())[:_LONGEST_NAME] or "upload"


def _scenario(raw: bytes, name: str) -> Scenario:
    document = parse_document(raw, name)
    faults = [document.fault((field,), _message(shelf)) for field, shelf in _SHELVES.items() if _leads(document, field)]
    if faults:
        raise FileError(faults)
    return scenario_of(document, beside=Path())


def _leads(document: Document, field: str) -> bool:
    """Whether a field would be followed as a path; what is no text is told of by the scenario's own checks."""
    value = document.data.get(field) if isinstance(document.data, dict) else None
    return isinstance(value, str) and value not in _SHELVES[field].names


def _record(raw: bytes, name: str) -> Record:
    if len(raw) > MAX_BYTES:
        raise FileError([Fault(f"larger than {MAX_BYTES // 1_000_000} MB: not a record", source=name)])
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError([Fault(f"not UTF-8 text (byte {error.start})", source=name, line=1)]) from None
    record = parse_record(text.replace("\r\n", "\n"), name).record
    faults = [
        Fault(_message(shelf), field, name, record.line_of(field), 1)
        for field, shelf in _SHELVES.items()
        if getattr(record, field) not in shelf.names
    ]
    if faults:
        raise FileError(faults)
    return record


def _message(shelf: Shelf[Any]) -> str:
    return f"what is uploaded may name one of {', '.join(shelf.names)}; paths are not followed"
