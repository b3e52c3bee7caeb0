"""The folder of a sweep: a manifest, and one Parquet file a chunk, each whole or not there.

What is there is done; so a sweep that was killed goes on by doing what is not there. One process at a time works in
a folder.
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from talo_physics.errors import TaloError
from talo_physics.sweep.plan import Plan
from talo_physics.writing import write_whole

FORMAT = 1
PARTS, MANIFEST, LOCK = "parts", "manifest.json", ".lock"
_PART = re.compile(r"rows-(\d{9})-(\d{9})\.parquet")


class Folder:
    """Where the rows of a plan are kept. Made by `open_folder`, which also locks it."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path, self.plan = path, plan

    @property
    def pattern(self) -> str:
        """All rows in their order, for `polars.scan_parquet`."""
        return str(self.path / PARTS / "*.parquet")

    def part(self, first: int, end: int) -> Path:
        """The file of these rows; files sorted by name are sorted by row."""
        return self.path / PARTS / f"rows-{first:09}-{end:09}.parquet"

    def has(self, first: int, end: int) -> bool:
        """Whether these rows are there."""
        return self.part(first, end).is_file()

    def keep(self, first: int, end: int, data: bytes) -> None:
        """Write the file of these rows."""
        write_whole(self.part(first, end), data)

    def parts(self) -> list[Path]:
        """All files of rows."""
        return sorted(item for item in (self.path / PARTS).glob("*.parquet") if _PART.fullmatch(item.name))

    def prepare(self) -> None:
        """Check the manifest or write it, and clear away what a killed process or a limit left half done.

        Raises:
            TaloError: rows of another sweep are here, or something else altogether.
        """
        there = self.path / MANIFEST
        if there.is_file():
            self._compare(_read(there))
        else:
            strange = next((item.name for item in sorted(self.path.iterdir()) if not item.name.startswith(".")), None)
            if strange:
                raise TaloError(f"{self.path}: holds {strange} and no sweep; give a new or empty folder")
            manifest = {"sweep": FORMAT, "fingerprint": self.plan.fingerprint, "rows": self.plan.rows}
            manifest |= {"title": self.plan.spec.title, "spec": self.plan.described}
            write_whole(there, (json.dumps(manifest, indent=1) + "\n").encode())
        (self.path / PARTS).mkdir(exist_ok=True)
        for item in (*self.path.glob(f".{MANIFEST}.*"), *(self.path / PARTS).glob(".rows-*")):
            item.unlink(missing_ok=True)
        whole = {self.part(*rows) for rows in self.plan.ranges()}
        for item in self.parts():
            if item not in whole:  # cut short by a limit
                item.unlink()

    def _compare(self, manifest: dict[str, Any]) -> None:
        if manifest.get("fingerprint") == self.plan.fingerprint:
            return
        old, new = manifest.get("spec", {}), json.loads(json.dumps(self.plan.described))
        changed = [name for name in new if old.get(name) != new[name]]
        raise TaloError(
            f"{self.path}: holds rows of another sweep ({', '.join(changed) or 'its format'} changed); "
            "give another folder with -o, or remove this one"
        )


def _read(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise TaloError(f"{path}: cannot be read: {error}") from None
    if not isinstance(manifest, dict) or "sweep" not in manifest:
        raise TaloError(f"{path}: not the manifest of a sweep")
    return manifest


@contextmanager
def open_folder(path: Path, plan: Plan) -> Iterator[Folder]:
    """The folder, for this process alone.

    Raises:
        TaloError: another process works there, it cannot be written, or it holds something else.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        handle = (path / LOCK).open("ab")
    except OSError as error:
        raise TaloError(f"{path}: cannot be written: {error.strerror or error}") from None
    with handle:
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # no such locks on this system: one process at a time is up to the user
            pass
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise TaloError(f"{path}: cannot be locked: {error.strerror}") from None
            raise TaloError(f"{path}: another process is sweeping into this folder") from None
        folder = Folder(path, plan)
        try:
            folder.prepare()
        except OSError as error:
            raise TaloError(f"{path}: cannot be written: {error.strerror or error}") from None
        yield folder
