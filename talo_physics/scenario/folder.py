"""A folder of scenarios: which of its files are some, and which are profiles, boards or hands that lie beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from talo_physics.datafile import read_document
from talo_physics.errors import Fault, FileError
from talo_physics.geometry.board import Board
from talo_physics.geometry.hand import Hand
from talo_physics.geometry.profile import Profile

ENDINGS = (".yaml", ".yml")
_KINDS: dict[str, type[BaseModel]] = {"profile": Profile, "board": Board, "hand": Hand}
_TITLE = re.compile(rb"^title\b", re.MULTILINE)
_HEAD_BYTES = 4096


@dataclass(frozen=True)
class Found:
    """What a folder and the folders in it hold, sorted."""

    scenarios: tuple[Path, ...]
    others: tuple[Fault, ...]
    """Files that scenarios name and that are none: what each is."""


def scenario_files(folder: Path) -> Found:
    """The scenario files of a folder; what is recognised as something else is told apart."""
    scenarios, others = [], []
    for path in sorted(item for item in folder.rglob("*") if item.suffix in ENDINGS and item.is_file()):
        kind = _kind_of(path)
        if kind:
            others.append(no_scenario(kind, str(path)))
        else:
            scenarios.append(path)
    return Found(tuple(scenarios), tuple(others))


def no_scenario(kind: str, source: str) -> Fault:
    """What is said of a file that is something else."""
    return Fault(f"a {kind}, not a scenario", source=source)


def other_kind(data: Any) -> str:
    """`profile`, `board` or `hand`, if that is what a file's data is by its keys; empty for all else."""
    telling = set(data) - {"name"} if isinstance(data, dict) else set()
    kinds = (kind for kind, model in _KINDS.items() if telling <= set(model.model_fields))
    return next(kinds, "") if telling else ""


def _kind_of(path: Path) -> str:
    """As `other_kind`; empty also for what cannot be read, so that its faults are told when it is loaded."""
    try:
        with path.open("rb") as handle:
            if _TITLE.search(handle.read(_HEAD_BYTES)):
                return ""  # as nearly all are: no need to read them twice
        return other_kind(read_document(path).data)
    except (FileError, OSError):
        return ""
