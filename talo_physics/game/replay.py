"""A record adjudicated turn by turn: does the referee say what was written down?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from talo_physics.game.playing import Played, play
from talo_physics.game.record import Entry, Record
from talo_physics.game.state import IllegalSetupError, State
from talo_physics.judgement import examiner_for
from talo_physics.rules.ruling import Physics


@dataclass(frozen=True)
class Replayed:
    """One line of a record with what the referee says of it."""

    entry: Entry
    played: Played
    wrong: str = ""
    """Why the record is wrong here; empty if it is right."""

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that a wrong turn breaks."""
        out_of_order = ("setup.order",) if self.wrong.startswith("setup.order") else ()
        return tuple(dict.fromkeys((*out_of_order, *self.played.violations)))


def replay(
    record: Record,
    beside: Path | None = None,
    physics: Physics | None = None,
    start: State | None = None,
    cut: bool = False,
) -> Iterator[Replayed]:
    """Play a record from its start, line by line, up to the first that is wrong.

    Of a record that is `cut` the last ruling is not believed.

    >>> from talo_physics import load_record, replay
    >>> from pathlib import Path
    >>> game = "talo: 1\\nplayers: red@2,2,0 blue@7,7,0\\n\\n1 red 4 = 4: 4x@9,2,0 | legal\\n"
    >>> _ = Path("game.talo").write_text(game)
    >>> [(line.entry.number, line.rules) for line in replay(load_record("game.talo")) if line.wrong]
    [(1, ('build.edge',))]

    Raises:
        IllegalSetupError: the game cannot begin like this.
        TaloError: a board or profile that is none.
    """
    state = start or record.start(beside)
    physics = physics or examiner_for(state.setting.profile)
    for number, entry in enumerate(record.entries, start=1):
        played = play(state, entry.turn, physics)
        wrong = _wrong(entry, state, played, cut and number == len(record.entries))
        yield Replayed(entry, played, wrong)
        if wrong:
            return
        state = played.after


def _wrong(entry: Entry, state: State, played: Played, cut: bool) -> str:
    if entry.number != state.number and not state.result:
        return f"setup.order: this is turn {state.number}, not {entry.number}"
    if cut:
        return ""
    if entry.ruling and not _same(entry.ruling, played.words):
        return f"the record says {entry.ruling!r}, the referee {_in_full(played)!r}"
    if not entry.ruling and played.refused:
        return _in_full(played)
    return ""


def _same(one: str, other: str) -> bool:
    """Whether two rulings say the same; the order of rule ids does not matter."""
    said, told = (text.partition(": ") for text in (one, other))
    return said[0] == told[0] and _ids(said[2]) == _ids(told[2])


def _ids(text: str) -> set[str]:
    return {rule.strip() for rule in text.split(",")}


def _in_full(played: Played) -> str:
    why = "; ".join(breach.message for breach in played.ruling.breaches)
    return f"{played.words} ({why})" if why else played.words


def setup_line(record: Record, error: IllegalSetupError) -> int:
    """The line of the header at which the game cannot begin."""
    return record.line_of("ages" if all(breach.rule == "setup.order" for breach in error.breaches) else "players")
