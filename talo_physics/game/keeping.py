"""A game's record on disk: every turn is there before the next begins, and a killed process loses none.

Turns are appended, one line in one write, and brought to the disk. A line that breaks off is the mark of a process
that was killed in that moment; it is left out and the file made whole again. One process at a time keeps a record.
"""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import IO

from talo_physics.datafile import MAX_BYTES
from talo_physics.errors import Fault, FileError, TaloError
from talo_physics.game.record import Entry, Read, Record, parse_record
from talo_physics.writing import write_whole


def read_record(path: Path) -> Read:
    """Read a record from a file.

    Raises:
        FileError: it cannot be read, or every fault of it.
    """
    try:
        with path.open("rb") as handle:
            raw = handle.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else getattr(error, "strerror", None) or error
        raise FileError([Fault(f"cannot be read: {reason}", source=str(path))]) from None
    if len(raw) > MAX_BYTES:
        raise FileError([Fault(f"larger than {MAX_BYTES // 1_000_000} MB: not a record", source=str(path))])
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if not (raw.rfind(b"\n") < error.start and len(raw) - error.start < 4):
            raise FileError([Fault(f"not UTF-8 text (byte {error.start})", source=str(path), line=1)]) from None
        text = raw[: error.start].decode("utf-8")  # torn in the middle of a letter
    return parse_record(text.replace("\r\n", "\n"), str(path))


def _without_last_ruling(record: Record) -> Record:
    """A last ruling without a line end may be cut short and still look whole: the referee will say it again."""
    if not record.entries:
        return record
    return replace(record, entries=(*record.entries[:-1], replace(record.entries[-1], ruling="")))


class Keeper:
    """Keeps the record of a game in progress."""

    def __init__(self, path: Path, record: Record | None = None) -> None:
        """Begin a new file with `record`, or take up the one that is there.

        Raises:
            TaloError: it is being kept by another process, exists already, or cannot be written.
        """
        self.path = path
        self.torn = ""
        if record is not None:
            if os.path.lexists(path):
                raise TaloError(f"{path}: exists already; 'talo play {path}' takes it up")
            self.record = record
            write_whole(path, str(record).encode())
            self._handle = self._locked()
            return
        self._handle = self._locked()
        read = read_record(path)
        self.record, self.torn = read.record, read.torn
        if read.cut:
            self._rewrite(self.record if self.torn else _without_last_ruling(self.record))

    def _locked(self) -> IO[bytes]:
        try:
            handle = self.path.open("ab")
        except OSError as error:
            raise TaloError(f"{self.path}: cannot be written: {error.strerror or error}") from None
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # no such locks on this system: one player at a time is up to the players
            return handle
        except OSError as error:
            handle.close()
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise TaloError(f"{self.path}: cannot be locked: {error.strerror}") from None
            raise TaloError(f"{self.path}: is being played in another window") from None
        return handle

    def add(self, entry: Entry) -> None:
        """Write one more line, and bring it to the disk."""
        try:
            notes = "".join(f"# {note}\n" for note in entry.notes)
            self._handle.write(f"{notes}{entry}\n".encode())
            self._handle.flush()
            os.fsync(self._handle.fileno())
        except OSError as error:
            raise TaloError(f"{self.path}: cannot be written: {error.strerror or error}") from None
        self.record = self.record.plus(entry)

    def keep_first(self, count: int) -> None:
        """Leave out all but the first lines of turns."""
        self._rewrite(replace(self.record, entries=self.record.entries[:count], closing=()))

    def close(self) -> None:
        """Let go of the file."""
        self._handle.close()

    def _rewrite(self, record: Record) -> None:
        write_whole(self.path, str(record).encode())
        old, self._handle, self.record = self._handle, self._locked(), record
        old.close()
