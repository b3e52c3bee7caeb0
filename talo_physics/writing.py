"""Writing files whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from talo_physics.errors import TaloError


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees a part of it, also when the process is killed.

    Raises:
        TaloError: it cannot be written there.
    """
    half_way = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644  # a temporary file is for its owner alone
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name[:40]}.", delete=False) as handle:
            half_way = handle.name
            handle.write(data)
            handle.flush()
            os.fchmod(handle.fileno(), mode)
            os.fsync(handle.fileno())
        os.replace(handle.name, path)
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL in it
        if half_way:
            with suppress(OSError):
                os.unlink(half_way)
        reason = getattr(error, "strerror", None) or error
        raise TaloError(f"{str(path)[:200]!r}: cannot be written: {reason}") from None


def check_folder(path: Path) -> None:
    """Refuse a file in a folder that is not there: more often a slip than a wish for a new one.

    Raises:
        TaloError: there is no such folder.
    """
    if not os.path.isdir(path.parent):
        raise TaloError(f"{str(path)[:200]}: there is no folder {str(path.parent)[:200]}")


def make_folder(path: Path) -> None:
    """Make a folder to write into, with its parents.

    Raises:
        TaloError: it cannot be one.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise TaloError(
            f"{str(path)[:200]!r}: cannot be a folder: {getattr(error, 'strerror', None) or error}"
        ) from None
