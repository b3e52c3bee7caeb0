"""Data files that come with the package, and the user's own beside them."""

from __future__ import annotations

import os.path
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from talo_physics.datafile import Document, parse_document, read_document
from talo_physics.errors import FileError, TaloError
from talo_physics.validation import faults_of

Thing = TypeVar("Thing")
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Shelf(Generic[Thing]):
    """Things of one kind, a file each: shipped ones go by their name, the user's own by their path."""

    kind: str
    """What one of them is called, as in `board`."""
    folder: str
    make: Callable[[Document], Thing]
    """Makes one from a file's data; of faults it raises a FileError."""
    make_own: Callable[[Document], Thing] | None = None
    """The same for the user's own, where these may leave out more."""
    _made: dict[str, Thing] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the files that come with the package."""
        files = (resources.files("talo_physics.geometry") / self.folder).iterdir()
        return tuple(sorted(item.name.removesuffix(".yaml") for item in files if item.name.endswith(".yaml")))

    def shipped(self, name: str) -> Thing:
        """One that comes with the package; each is read once."""
        if name not in self._made:
            path = resources.files("talo_physics.geometry") / self.folder / f"{name}.yaml"
            self._made[name] = self.make(parse_document(path.read_bytes(), f"{name}.yaml"))
        return self._made[name]

    def load(self, name_or_path: str, beside: Path | None = None) -> Thing:
        """A shipped one by its name, or the user's own by its path, relative to `beside`.

        Raises:
            FileError: it cannot be read, or every fault of it with its place.
            TaloError: neither a shipped one nor a file.
        """
        if name_or_path in self.names:
            return self.shipped(name_or_path)
        place = (beside or Path()) / name_or_path
        if not os.path.isfile(place):  # unlike Path.is_file, no names are too odd for it
            known = ", ".join(self.names)
            raise TaloError(f"{name_or_path[:80]!r} is neither a shipped {self.kind} ({known}) nor a file")
        return (self.make_own or self.make)(read_document(place))


def validated(model: type[Model], document: Document, expected: str) -> Model:
    """A file's data as a value of `model`; `expected` says in words what such a file is.

    Raises:
        FileError: every fault of it, with its place.
    """
    if not isinstance(document.data, dict):
        raise FileError([document.fault((), expected)])
    try:
        return model.model_validate(document.data)
    except ValidationError as error:
        raise FileError(faults_of(error, document, model)) from None
