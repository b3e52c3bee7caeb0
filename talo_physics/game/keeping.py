"""A game's record on disk: every turn is there before the next begins, and a killed process loses none.

Turns are appended, one line in one write, and brought to the disk. A line that breaks off is the mark of a process
that was killed in that moment; it is left out, and the file made whole again once the rest of it has been played
through. One process at a time keeps a record.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

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
        if os.path.exists(path) and not os.path.isfile(path):
            raise FileError([Fault("not a file", source=str(path))])
        with path.open("rb") as handle:
            raw = handle.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
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


def load_record(path: Path | str) -> Record:
    """Read a recorded game; a last line that was torn off by a crash is left out.

    >>> from pathlib import Path
    >>> from talo_physics import load_record
    >>> game = "talo: 1\\nplayers: red@2,2,0 blue@7,7,0\\n\\n1 red 4 = 4: 4x@3,2,0 | legal\\n"
    >>> _ = Path("game.talo").write_text(game)
    >>> record = load_record("game.talo")
    >>> record.players, str(record.entries[0].turn), record.entries[0].ruling
    (('red@2,2,0', 'blue@7,7,0'), 'red 4 = 4: 4x@3,2,0', 'legal')

    Raises:
        FileError: it cannot be read, or every fault of it.
    """
    return read_record(Path(path)).record


class Keeper:
    """Keeps the record of a game in progress."""

    def __init__(self, path: Path, record: Record | None = None) -> None:
        """Begin a new file with `record`, or take up the one that is there.

        Raises:
            TaloError: it is being kept by another process, exists already, or cannot be written.
        """
        self.path = path
        if record is not None:
            if os.path.lexists(path):
                raise TaloError(f"{path}: exists already; 'talo play {path}' takes it up")
            write_whole(path, str(record).encode())
        self._place = path.resolve()  # a link stays a link when the file is written anew
        self._handle = self._locked()
        try:
            self.read = Read(record) if record is not None else read_record(path)
        except BaseException:
            self.close()
            raise
        self.record = self.read.record

    def _locked(self) -> int:
        try:
            if os.path.exists(self._place) and not os.path.isfile(self._place):
                raise TaloError(f"{self.path}: not a file")
            handle = os.open(self._place, os.O_WRONLY | os.O_APPEND)
        except (OSError, ValueError) as error:
            raise TaloError(f"{self.path}: cannot be written: {getattr(error, 'strerror', None) or error}") from None
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # no such locks on this system: one player at a time is up to the players
            return handle
        except OSError as error:
            os.close(handle)
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise TaloError(f"{self.path}: cannot be locked: {error.strerror}") from None
            raise TaloError(f"{self.path}: is being played in another window") from None
        return handle

    def repair(self, record: Record) -> None:
        """Write the record that was made of a file that breaks off, or has no empty line, or no seed yet."""
        self._rewrite(record)

    def add(self, entry: Entry) -> None:
        """Write one more line, and bring it to the disk; where that fails, nothing of it stays.

        Raises:
            TaloError: it cannot be written, or the file is another one by now.
        """
        with_entry = self.record.plus(entry)
        if not self._is_there():
            raise TaloError(f"{self.path}: was moved or replaced since; 'save FILE' keeps the game elsewhere")
        line = "".join(f"# {note}\n" for note in entry.notes) + f"{entry}\n"
        size = os.fstat(self._handle).st_size
        try:
            data = line.encode()
            while data:
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, size)
            raise TaloError(f"{self.path}: cannot be written: {error.strerror or error}") from None
        self.record = with_entry

    def _is_there(self) -> bool:
        """Whether the file that is kept is still the one of this name."""
        try:
            return os.path.samestat(os.stat(self._place), os.fstat(self._handle))
        except OSError:
            return False

    def keep_first(self, count: int) -> None:
        """Leave out all but the first lines of turns."""
        self._rewrite(replace(self.record, entries=self.record.entries[:count]))

    def _rewrite(self, record: Record) -> None:
        if not self._is_there():
            raise TaloError(f"{self.path}: was moved or replaced since; 'save FILE' keeps the game elsewhere")
        write_whole(self._place, str(record).encode())
        old, self._handle, self.record = self._handle, self._locked(), record
        os.close(old)

    def close(self) -> None:
        """Let go of the file."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
