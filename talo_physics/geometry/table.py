"""Reading tables (CSV) that a stranger's spreadsheet wrote, with a place for every cell.

Columns are separated by semicolons, tabs or commas, whichever the heading has. Decimals may be written with a
point or a comma. Empty lines and lines that begin with # are skipped.
"""

from __future__ import annotations

import codecs
import csv
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from talo_physics.errors import Fault, FileError

T = TypeVar("T")
MOST_BYTES = 50_000_000
MOST_FAULTS = 20
"""A file that is wrong throughout is told so with its first faults."""
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d{1,3})?")


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    table: Table
    line: int
    text: str
    cells: tuple[str, ...]

    def fault(self, column: int, message: str) -> Fault:
        """A fault of the cell in that column, the first being 0."""
        heading = self.table.heading.cells
        name = heading[column] if column < len(heading) else ""
        return Fault(message, name, self.table.source, self.line, self._start(column))

    def check_width(self) -> None:
        """See that the line has not more cells than the heading.

        Raises:
            FileError: it has.
        """
        width = len(self.table.heading.cells)
        if not any(self.cells[width:]):
            return
        advice = ""
        if self.table.delimiter == ",":
            advice = "; if decimals are written with commas, separate the columns with semicolons or write points"
        raise FileError([self.fault(width, f"{len(self.cells)} cells where the heading has {width}{advice}")])

    def number(self, column: int) -> float | None:
        """The cell's number, None where it is empty.

        Raises:
            FileError: it is not a number.
        """
        text = self.cells[column] if column < len(self.cells) else ""
        if not text:
            return None
        if not _NUMBER.fullmatch(text):
            advice = "a number was expected"
            if "," in text and "." in text:
                advice = "a number without separators for thousands was expected"
            raise FileError([self.fault(column, f"{advice}, not {text[:40]!r}")])
        value = float(text.replace(",", "."))
        if not math.isfinite(value):
            raise FileError([self.fault(column, f"a finite number was expected, not {text[:40]!r}")])
        return value

    def _start(self, column: int) -> int:
        """Where in its line a cell begins, from 1."""
        start, quoted = 0, False
        for place, letter in enumerate(self.text):
            if column == 0:
                break
            if letter == '"':
                quoted = not quoted
            elif letter == self.table.delimiter and not quoted:
                column, start = column - 1, place + 1
        return start + 1 if column == 0 else len(self.text) + 1


@dataclass(frozen=True)
class Table:
    """A table's lines; `heading` is the first of them and holds numbers where the table has no heading."""

    source: str
    delimiter: str
    lines: tuple[tuple[int, str], ...]

    @cached_property
    def heading(self) -> Row:
        """The first line."""
        return self._row(*self.lines[0])

    def rows(self, skip_heading: bool = True) -> Iterator[Row]:
        """The lines, those without any cell filled left out."""
        for line, text in self.lines[1 if skip_heading else 0 :]:
            row = self._row(line, text)
            if any(row.cells):
                yield row

    def _row(self, line: int, text: str) -> Row:
        if len(text) > csv.field_size_limit():
            raise FileError([Fault("a line that is no table's", "", self.source, line, 1)])
        cells = next(csv.reader([text], delimiter=self.delimiter, skipinitialspace=True), [])
        return Row(self, line, text, tuple(cell.strip() for cell in cells))


def read_table(path: Path) -> Table:
    """Read a CSV file.

    Raises:
        FileError: it cannot be read, is not text, too large or empty.
    """
    source = str(path)
    try:
        with path.open("rb") as handle:
            raw = handle.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL in it
        reason = getattr(error, "strerror", None) or error
        raise FileError([Fault(f"cannot be read: {reason}", source=source)]) from None
    if len(raw) > MOST_BYTES:
        raise FileError([Fault(f"larger than {MOST_BYTES // 1_000_000} MB: not a table of blocks", source=source)])
    text = _decoded(raw, source).replace("\r\n", "\n").replace("\r", "\n")
    lines = tuple(
        (number, line)
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    )
    if not lines:
        raise FileError([Fault("the file is empty", source=source, line=1, column=1)])
    heading = lines[0][1]
    return Table(source, next((mark for mark in ";\t" if mark in heading), ","), lines)


def _decoded(raw: bytes, source: str) -> str:
    if raw.startswith(b"PK"):
        raise FileError([Fault("a spreadsheet, not a CSV file: save it as CSV", source=source)])
    encoding = "utf-16" if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        message = f"not UTF-8 text (byte {error.start}): save it as CSV in UTF-8"
        raise FileError([Fault(message, source=source, line=1, column=1)]) from None
    if "\0" in text:
        raise FileError([Fault("not a text file: a CSV file was expected", source=source, line=1, column=1)])
    return text


class Faults:
    """Gathers the faults of a file up to a number that a person still reads."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.more = 0

    def add(self, error: FileError) -> None:
        """Keep the faults of an error, or only count them."""
        for fault in error.faults:
            if len(self.faults) < MOST_FAULTS:
                self.faults.append(fault)
            else:
                self.more += 1

    def trying(self, read: Callable[..., T], *arguments: Any) -> T | None:
        """What `read` returns; None where it finds faults, which are kept."""
        try:
            return read(*arguments)
        except FileError as error:
            self.add(error)
            return None

    def raise_if_any(self) -> None:
        """Tell all of them at once.

        Raises:
            FileError: there were faults.
        """
        if self.more:
            self.faults.append(Fault(f"and {self.more} more faults", source=self.faults[0].source))
        if self.faults:
            raise FileError(self.faults)
