"""`talo replay`: recorded games, adjudicated turn by turn."""

from __future__ import annotations

import json
import os.path
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from talo_physics.errors import FileError, TaloError
from talo_physics.faces.show import Show
from talo_physics.game.keeping import read_record
from talo_physics.game.record import ENDING, Record
from talo_physics.game.replay import Replayed, replay, setup_line
from talo_physics.game.state import IllegalSetupError, State

DONE, WRONG, BAD_INPUT = 0, 1, 2


def replay_files(names: Iterable[str], verbose: bool, as_json: bool) -> int:
    """Adjudicate every record; returns the exit code."""
    show, code = Show(), DONE
    for path in _paths(names):
        try:
            answer = _Answer(path)
            for replayed in show.progress(answer.turns(), total=len(answer.record.entries)):
                if verbose and not as_json:
                    click.echo(f"{path}:{replayed.entry.line}: {replayed.entry.turn} | {replayed.played.words}")
        except TaloError as error:
            click.echo(str(error) if isinstance(error, FileError) else f"{path}: {error}", err=True)
            code = BAD_INPUT
            continue
        if answer.torn:
            click.echo(f"{path}: the last line has no end and is left out: {answer.torn[:60]!r}", err=True)
        click.echo(json.dumps(answer.to_json()) if as_json else answer.in_words())
        code = max(code, WRONG if answer.wrong else DONE)
    return code


def _paths(names: Iterable[str]) -> Iterator[Path]:
    """The records; a folder without any is left to say so itself when it is read."""
    for name in names:
        path = Path(name)
        found = sorted(item for item in path.rglob(f"*{ENDING}") if item.is_file()) if os.path.isdir(name) else []
        yield from found or [path]


class _Answer:
    """What comes of one record."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if os.path.isdir(path):
            raise TaloError(f"no records (*{ENDING}) in this folder")
        read = read_record(path)
        self.record: Record = read.record
        self.torn, self.cut = read.torn, read.cut
        self.state: State | None = None
        self.right = 0
        self.wrong: dict[str, Any] | None = None

    def turns(self) -> Iterator[Replayed]:
        """Adjudicate turn by turn."""
        try:
            for replayed in replay(self.record, self.path.parent, cut=self.cut):
                yield replayed
                self._note(replayed)
        except IllegalSetupError as error:
            rules = [breach.rule for breach in error.breaches]
            line = setup_line(self.record, error)
            self.wrong = {"line": line, "turn": None, "rules": rules, "message": str(error)}

    def _note(self, replayed: Replayed) -> None:
        self.state = replayed.played.after
        if not replayed.wrong:
            self.right += 1
            return
        self.wrong = {
            "line": replayed.entry.line,
            "turn": replayed.entry.number,
            "rules": list(replayed.rules),
            "message": f"turn {replayed.entry.number}, {replayed.entry.turn.player}: {replayed.wrong}",
        }

    def to_json(self) -> dict[str, Any]:
        result = self.state.result if self.state else None
        ended = result and {
            "kind": result.kind,
            "winner": list(result.winner),
            "loser": result.loser,
            "rules": list(result.rules),
        }
        return {
            "record": str(self.path),
            "turns": len(self.record.entries),
            "right": self.right,
            "result": ended,
            "wrong": self.wrong,
            "torn": bool(self.torn),
        }

    def in_words(self) -> str:
        if self.wrong:
            return f"{self.path}:{self.wrong['line']}: {self.wrong['message']}"
        ended = f"{self.state.result}" if self.state and self.state.result else "the game is not over"
        noun = "turn" if self.right == 1 else "turns"
        return f"{self.path}: {self.right} {noun} as recorded; {ended}"
