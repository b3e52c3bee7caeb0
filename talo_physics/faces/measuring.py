"""`talo measure`: readings and scans become a profile file, with a report of what is odd and what it changes."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import talo_physics
from talo_physics.errors import Fault, FileError, TaloError
from talo_physics.faces.inputs import Entry, Inputs
from talo_physics.geometry.callipers import read_callipers
from talo_physics.geometry.measuring import Measured, measured_profile, profile_text
from talo_physics.geometry.oddities import oddities
from talo_physics.geometry.profile import PROFILES, Figure, Profile
from talo_physics.geometry.scans import MOST_MB, read_scan
from talo_physics.geometry.specimen import Oddity, Specimen, plain
from talo_physics.geometry.weighing import MASSES, read_masses
from talo_physics.judgement import Judgement, judge
from talo_physics.writing import write_whole

TABLES = (".csv", ".tsv", ".txt")
CASES = Path("scenarios") / "figures"
Progress = Callable[[list[Any], str], Iterable[Any]]


@dataclass(frozen=True)
class Job:
    """One file to measure from."""

    path: Path
    masses: dict[str, float] = field(default_factory=dict)
    """Of the scans in its folder, by their names."""

    @property
    def names(self) -> tuple[str, str]:
        """What a list of masses may call it."""
        return plain(self.path.stem), plain(self.path.name)

    def read(self, unit: str | None, pitch_mm: float) -> list[Specimen]:
        """Its blocks.

        Raises:
            FileError: every fault of the file.
        """
        if self.path.suffix.lower() in MOST_MB:
            mass = next((self.masses[name] for name in self.names if name in self.masses), None)
            return [read_scan(self.path, unit, pitch_mm, mass)]
        return read_callipers(self.path, unit, pitch_mm)


def jobs(names: Iterable[str]) -> list[Job]:
    """The files that were asked for, each once; of a folder its scans and tables, `masses.csv` being the scans' masses.

    Raises:
        TaloError: nothing to measure from there.
    """
    once = {os.path.realpath(job.path): job for job in reversed(list(_named(names)))}
    return list(reversed(once.values()))


def _named(names: Iterable[str]) -> Iterator[Job]:
    for name in names:
        path = Path(name)
        if os.path.isdir(path):
            yield from _in_folder(path)
        elif not os.path.isfile(path):  # unlike Path.is_file, no names are too odd for it
            raise FileError([Fault("no such file", source=name)])
        elif path.suffix.lower() not in (*TABLES, *MOST_MB):
            raise FileError([Fault(f"{_kinds()} was expected", source=name)])
        else:
            yield Job(path)


def _in_folder(folder: Path) -> Iterator[Job]:
    files = sorted(item for item in folder.rglob("*") if item.is_file())
    wanted = [item for item in files if item.suffix.lower() in (*MOST_MB, ".csv") and not _is_masses(item)]
    if not wanted:
        raise FileError(
            [Fault(f"no files in this folder to measure from: {_kinds()} was expected", source=str(folder))]
        )
    masses = {item.parent: read_masses(item) for item in files if _is_masses(item)}
    for item in wanted:
        yield Job(item, masses.get(item.parent, {}))


def _is_masses(path: Path) -> bool:
    return path.name.lower() == MASSES


def strange_masses(work: Sequence[Job]) -> list[Oddity]:
    """Masses that belong to none of the scans."""
    folders = {job.path.parent: job.masses for job in work}
    names = {(job.path.parent, name) for job in work for name in job.names}
    return [
        Oddity("mass", f"a mass for {name}, but no such scan", plain(str(folder / MASSES)))
        for folder, masses in folders.items()
        for name in masses
        if (folder, name) not in names
    ]


def _kinds() -> str:
    return f"a table ({', '.join(TABLES)}) or a scan ({', '.join(MOST_MB)})"


def read_blocks(
    work: Sequence[Job], unit: str | None, pitch_mm: float, progress: Progress
) -> tuple[list[Specimen], list[TaloError]]:
    """The blocks of all files, and what is wrong with those that have faults."""
    specimens, errors = list[Specimen](), list[TaloError]()
    for job in progress(list(work), "measuring"):
        try:
            specimens += job.read(unit, pitch_mm)
        except TaloError as error:
            errors.append(error)
    return specimens, errors


@dataclass(frozen=True)
class Report:
    """What came of a measuring."""

    base: Profile
    profile: Profile
    measured: Measured
    odd: tuple[Oddity, ...]

    @classmethod
    def of(cls, base: Profile, measured: Measured, name: str) -> Report:
        """Do the statistics.

        Raises:
            TaloError: the figures cannot be those of one set of blocks.
        """
        profile = measured_profile(base, measured, name)
        return cls(base, profile, measured, tuple(oddities(measured, base, profile)))

    def figures(self) -> Iterator[tuple[str, Figure, Figure | None]]:
        """Every figure that is new: its key, itself, and what it was before."""
        before = dict(_figures(self.base))
        for key, figure in _figures(self.profile):
            if figure != before.get(key):
                yield key, figure, before.get(key)

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "blocks": len(self.measured.specimens),
            "figures": [
                {"key": key, **figure.model_dump(), "before": before and before.value}
                for key, figure, before in self.figures()
            ],
            "odd": [
                {"kind": odd.kind, "message": odd.message, "where": odd.where, "lengths": list(odd.lengths)}
                for odd in self.odd
            ],
        }


def _figures(profile: Profile) -> Iterator[tuple[str, Figure]]:
    for key, value in profile:
        if isinstance(value, Figure):
            yield key, value
    for length, block in sorted(profile.blocks.items()):
        for key, figure in block:
            if figure is not None:
                yield f"blocks.{length}.{key}", figure


def profile_name(output: str | None) -> str:
    """What a profile is called that goes into a file.

    Raises:
        TaloError: the file cannot be one of a profile.
    """
    if output is None:
        return "measured"
    if os.path.isdir(output):
        raise TaloError(f"-o {output}: a file was expected, not a folder")
    name = plain(Path(output).stem)
    if name in PROFILES.names:
        raise TaloError(f"-o {output}: {name} is the name of a shipped profile; choose another")
    return name


def write_profile(profile: Profile, output: str) -> None:
    """Write the file, whole or not at all.

    Raises:
        TaloError: it cannot be written there.
    """
    write_whole(Path(output), profile_text(profile).encode())


# ---- what changes


@dataclass(frozen=True)
class Change:
    """A case that comes out otherwise with the new profile."""

    before: Judgement
    after: Judgement

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        scenario = self.before.scenario
        return {
            "scenario": scenario.source,
            "title": scenario.title,
            "before": _outcome(self.before),
            "after": _outcome(self.after),
        }


def _outcome(answer: Judgement) -> dict[str, Any]:
    return {"verdict": str(answer.verdict), "marginal": answer.marginal, "legal": answer.legal}


@dataclass
class Comparison:
    """All cases judged with the figures known before and with the new ones."""

    folder: str
    judged: int = 0
    changes: list[Change] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    """Of cases that could not be read or judged."""

    def run(self, base: Profile, profile: Profile, progress: Progress) -> None:
        """Judge every case twice."""
        entries = Inputs.gather([self.folder], {}, None, ()).entries
        for entry in progress(entries, "judging cases"):
            try:
                change = _both(entry, base, profile)
            except TaloError as error:
                self.complaints.append(entry.complaint(error))
                continue
            self.judged += 1
            if _outcome(change.before) != _outcome(change.after):
                self.changes.append(change)

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "folder": self.folder,
            "judged": self.judged,
            "changed": [change.to_json() for change in self.changes],
            "bad": len(self.complaints),
        }


def _both(entry: Entry, base: Profile, profile: Profile) -> Change:
    scenario = entry.load()
    return Change(judge(replace(scenario, profile=base)), judge(replace(scenario, profile=profile)))


def cases_folder(given: str | None) -> str | None:
    """The folder of cases: the given one, or that of the rulebook's figures here or beside the package.

    Raises:
        TaloError: the given one is not there.
    """
    if given is not None:
        if not os.path.exists(given):
            raise TaloError(f"--cases {given}: no such file or folder")
        return given
    package = Path(talo_physics.__file__).parent.parent
    return next((str(place) for place in (CASES, package / CASES) if place.is_dir()), None)
