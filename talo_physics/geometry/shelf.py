"""Data files that come with the package, and the user's own beside them."""

from __future__ import annotations

import os.path
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

from talo_physics.datafile import Document, parse_document, read_document
from talo_physics.errors import TaloError


@dataclass(frozen=True)
class Shelf:
    """Files of one kind: shipped ones go by their name, the user's own by their path."""

    kind: str
    """What one of them is called, as in `board`."""
    folder: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the files that come with the package."""
        files = (resources.files("talo_physics.geometry") / self.folder).iterdir()
        return tuple(sorted(item.name.removesuffix(".yaml") for item in files if item.name.endswith(".yaml")))

    def shipped(self, name: str) -> Document:
        """A file that comes with the package."""
        path = resources.files("talo_physics.geometry") / self.folder / f"{name}.yaml"
        return parse_document(path.read_bytes(), f"{name}.yaml")

    def own(self, path: str, beside: Path | None) -> Document:
        """A file of the user's; `path` is relative to `beside`.

        Raises:
            FileError: it cannot be read.
            TaloError: there is no such file.
        """
        place = (beside or Path()) / path
        if not os.path.isfile(place):  # unlike Path.is_file, no names are too odd for it
            raise TaloError(f"{path[:80]!r} is neither a shipped {self.kind} ({', '.join(self.names)}) nor a file")
        return read_document(place)
