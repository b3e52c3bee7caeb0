"""What the command line was given to judge: files, folders, standard input, or a tower written out."""

from __future__ import annotations

import os.path
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from talo_physics.datafile import MAX_BYTES, Document
from talo_physics.errors import Fault, FileError, TaloError
from talo_physics.game.record import ENDING
from talo_physics.geometry.profile import Profile, figure_keys, is_figure_key, load_profile
from talo_physics.judgement import Judgement
from talo_physics.many import Failed, judge_many
from talo_physics.scenario.file import load_scenario, parse_scenario, scenario_of
from talo_physics.scenario.folder import scenario_files
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Wishes

STDIN, INLINE = "-", "(command line)"


@dataclass(frozen=True)
class Entry:
    """One scenario to come: where it is from and how to get it."""

    source: str
    load: Callable[[], Scenario]

    def complaint(self, error: TaloError | Failed) -> str:
        """What to tell the user of an entry that cannot be judged."""
        if isinstance(error, Failed):
            return f"{self.source}: {error.error}" if error.expected else f"{self.source}: {error.trace.rstrip()}"
        return str(error) if isinstance(error, FileError) else f"{self.source}: {error}"


@dataclass
class Inputs:
    """All scenarios of one command, in input order."""

    entries: list[Entry]
    bad: int = 0
    """How many could not be read or judged."""

    @classmethod
    def gather(
        cls, files: Iterable[str], inline: Mapping[str, Any], profile: str | None, settings: Iterable[str]
    ) -> Inputs:
        """Find what was asked for.

        Raises:
            TaloError: a profile or setting that is none.
            click.UsageError: nothing to judge, or a mix of files and a written-out tower.
        """
        given = {name: value for name, value in inline.items() if value not in (None, ())}
        base = load_profile(profile) if profile is not None else None
        changes = parse_settings(settings)
        files = list(files)
        if files and given:
            raise click.UsageError(_mixed(files, given))
        if not files and not ("tower" in given or "propose" in given):
            raise click.UsageError("give scenario files, a folder, - for standard input, or --tower and --propose")
        entries = [entry for name in files for entry in _entries(name, base)]  # bad folders become bad entries
        if not files:
            entries = [Entry(INLINE, lambda: _inline_scenario(given, base))]
        return cls([_changed(entry, changes) for entry in entries] if changes else entries)

    def judged(self, wishes: Wishes, executor: Executor | None) -> Iterator[Judgement | Failed | TaloError]:
        """What became of each entry, in order; an error where it cannot be read."""
        waiting: deque[TaloError | None] = deque()
        """Of the entries read and not yet answered: what is wrong with them."""

        def readable() -> Iterator[Scenario]:
            for entry in self.entries:
                try:
                    scenario = entry.load()
                except TaloError as error:
                    waiting.append(error)
                else:
                    waiting.append(None)
                    yield scenario

        for answer in judge_many(readable(), wishes, executor=executor):
            while (error := waiting.popleft()) is not None:
                yield error
            yield answer
        yield from (error for error in waiting if error)


def parse_settings(settings: Iterable[str]) -> dict[str, float]:
    """`friction=0.3` and the like.

    Raises:
        TaloError: not of that form.
    """
    result = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        try:
            result[key.strip()] = float(text)
        except ValueError:
            equals = ""
        if not equals:
            raise TaloError(f"--set {setting}: KEY=VALUE with a number was expected, such as friction=0.3")
        if not is_figure_key(key.strip()):
            raise TaloError(f"--set {key.strip()}: no such key; known: {', '.join(figure_keys())}")
    return result


def _entries(name: str, profile: Profile | None) -> list[Entry]:
    if name == STDIN:
        return [Entry(STDIN, lambda: parse_scenario(_standard_input(), STDIN, profile))]
    path = Path(name)
    if not os.path.isdir(path):  # unlike Path.is_dir, no names are too odd for it
        is_record = path.suffix == ENDING
        return [Entry(name, lambda: _refuse_record(name) if is_record else load_scenario(path, profile))]
    found = scenario_files(path)
    for other in found.others:
        click.echo(str(other), err=True)
    if not found.scenarios:
        return [Entry(name, _no_scenarios)]
    return [_file_entry(item, profile) for item in found.scenarios]


def _refuse_record(name: str) -> Scenario:
    message = "a recorded game, not a scenario; 'talo replay' adjudicates it, 'talo view' goes through it"
    raise FileError([Fault(message, source=name)])


def _no_scenarios() -> Scenario:
    raise TaloError("no scenario files (*.yaml) in this folder")


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise TaloError("standard input is closed")
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def _mixed(files: list[str], given: Mapping[str, Any]) -> str:
    """What is wrong with both files and options; mostly quotes were left out, and blocks are taken for files."""
    if "tower" in given and all("@" in name and not os.path.lexists(name) for name in files):
        return f'put all blocks into one quoted text: --tower "{" ".join([*given["tower"], *files])}"'
    return f"--{_option(next(iter(given)))} goes with a tower, not with files"


def _option(field: str) -> str:
    """The option that fills a field."""
    return {"pawns": "pawn"}.get(field, field)


def _file_entry(path: Path, profile: Profile | None) -> Entry:
    return Entry(str(path), lambda: load_scenario(path, profile))


def _changed(entry: Entry, changes: Mapping[str, float]) -> Entry:
    def load() -> Scenario:
        scenario = entry.load()
        return replace(scenario, profile=scenario.profile.changed(changes))

    return Entry(entry.source, load)


def _inline_scenario(given: Mapping[str, Any], profile: Profile | None) -> Scenario:
    """A scenario from options; checked like a file."""
    data: dict[str, Any] = {"title": "from the command line"}
    for name, value in given.items():
        if name in ("tower", "pawns"):
            data[name] = [part.rstrip(",") for text in value for part in re.split(r"[\s;]+", text) if part.strip(",")]
        elif name == "propose":
            data[name] = list(value)
        else:
            data[name] = value
    return scenario_of(_Options(data, INLINE), beside=Path(), profile=profile)


class _Options(Document):
    """Options have no lines and columns; their faults name the option instead."""

    def fault(self, path: Any, message: str) -> Any:
        option = "--" + _option(str(path[0] if path else ""))
        return replace(super().fault(path, message), source=option, field="", line=0)
