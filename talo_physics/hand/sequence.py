"""A recorded game once more, by hands that are not perfect: does it survive?"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from talo_physics.game.record import Record
from talo_physics.game.replay import replay
from talo_physics.geometry.hand import Hand, load_hand
from talo_physics.hand.estimate import Steadied, steady_hand
from talo_physics.scenario.model import Scenario
from talo_physics.tower.proposal import Proposal, Together


@dataclass(frozen=True)
class Survival:
    """One turn of a game, and how likely it has come so far."""

    number: int
    player: str
    steadied: Steadied | None
    """None where nothing was built or placed, or where it fell in the record."""
    fell: bool
    """Whether it fell in the record itself."""
    survives: float
    """The probability that nothing has fallen up to and with this turn."""
    survives_low: float
    survives_high: float
    illegal: tuple[str, ...] = ()
    """The rules that it breaks, if it is illegal: then nothing of it is placed."""
    wrong: str = ""
    """Why the record is wrong here, if it is: then it is not placed, and no turn after it can be."""


def survival(
    record: Record,
    hand: str | Hand = "adult",
    trials: int = 100,
    seed: int = 1,
    width: float = 0.0,
    beside: Path | None = None,
    executor: Executor | None = None,
) -> Iterator[Survival]:
    """Turn by turn the probability that a whole game survives its players' hands: a shipped one, or an own one.

    >>> from talo_physics.game.record import parse_record
    >>> game = "talo: 1\\nplayers: red@2,2,0 blue@7,7,0\\n\\n1 red 4 = 4: 4x@3,2,0\\n2 blue 3 = 3: 3y@7,3,0\\n"
    >>> [(turn.number, turn.survives) for turn in survival(parse_record(game).record, "steady", trials=5)]
    [(1, 1.0), (2, 1.0)]

    Each turn is tried on the tower as the record has it: a hand's small errors of earlier turns are not carried on.

    Raises:
        TaloError: the record cannot be played, or a hand that is none.
    """
    whose = hand if isinstance(hand, Hand) else load_hand(hand)
    likely = (1.0, 1.0, 1.0)
    for line in replay(record, beside):
        if line.wrong or line.played.refused:
            broken = line.rules if line.played.refused else ()
            number, player = line.entry.number, line.entry.turn.player
            yield Survival(number, player, None, False, *likely, illegal=broken, wrong=line.wrong)
            continue
        before, turn, collapse = line.played.before, line.played.turn, line.played.ruling.collapse
        steadied = None
        if collapse:
            likely = (0.0, 0.0, 0.0) if collapse.ends else likely
        elif any(isinstance(step, Together) for step in turn.steps):
            setting = before.setting
            scenario = Scenario(
                before.tower,
                Proposal(turn.steps),
                f"turn {before.number}",
                board=setting.board,
                profile=setting.profile,
                edition=setting.edition,
                variant=setting.variant,
                turn=turn.player,
            )
            *_, steadied = steady_hand(scenario, whose, trials, seed + before.number, width, executor)
            low, high = steadied.interval
            so_far, least, most = likely
            likely = (so_far * (1.0 - steadied.probability), least * (1.0 - high), most * (1.0 - low))
        yield Survival(before.number, turn.player, steadied, collapse is not None, *likely)
