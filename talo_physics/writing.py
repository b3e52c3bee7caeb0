"""Writing files whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from talo_physics.errors import TaloError


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees a part of it, also when the process is killed.

    Raises:
        TaloError: it cannot be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as handle:
            handle.write(data)
            handle.flush()
            os.fchmod(handle.fileno(), 0o644)  # a temporary file is for its owner alone
            os.fsync(handle.fileno())
        os.replace(handle.name, path)
    except OSError as error:
        raise TaloError(f"{path}: cannot be written: {error.strerror or error}") from None
