"""The probability that a hand brings it down: seeded trials, in parallel, until the interval is narrow enough."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from talo_physics.errors import TaloError
from talo_physics.geometry.hand import Hand, load_hand
from talo_physics.physics.handling import HandTrial, place_by_hand
from talo_physics.rules.build import build_space, build_support
from talo_physics.rules.steps import after_step, prepared
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Replay
from talo_physics.tower.proposal import Together

BATCH = 20
"""Trials between two looks at the interval; the same whatever number of processes, so that the answer is too."""
FEWEST = 2 * BATCH
"""An interval of fewer trials is narrow by luck."""
QUANTILE = 1.959964
"""Of the normal distribution: 95 % lie within."""


def wilson(falls: int, trials: int) -> tuple[float, float]:
    """The interval in which the true probability lies with 95 % confidence (Wilson's score interval).

    >>> tuple(round(end, 3) for end in wilson(0, 20))
    (0.0, 0.161)
    """
    if not trials:
        return 0.0, 1.0
    share, square = falls / trials, QUANTILE**2
    middle = share + square / (2 * trials)
    reach = QUANTILE * math.sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    low, high = ((middle + sign * reach) / (1 + square / trials) for sign in (-1, 1))
    return max(0.0, low), min(1.0, high)


@dataclass(frozen=True)
class Steadied:
    """What came of many placements by one hand."""

    scenario: Scenario
    hand: Hand
    seed: int
    trials: tuple[HandTrial, ...] = field(repr=False)

    @property
    def falls(self) -> int:
        """How many of them brought something down."""
        return sum(trial.fell for trial in self.trials)

    @property
    def probability(self) -> float:
        """The share of falls."""
        return self.falls / len(self.trials) if self.trials else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true probability lies with 95 % confidence."""
        return wilson(self.falls, len(self.trials))

    @property
    def first(self) -> list[tuple[str, int]]:
        """Which block went first how often, the most frequent first."""
        return Counter(str(trial.first) for trial in self.trials if trial.first).most_common()

    def histogram(self, bins: int = 10) -> list[tuple[float, float, int]]:
        """The margins of the trials that stood, in degrees: from, to, and how many."""
        margins = [trial.margin_deg for trial in self.trials if trial.margin_deg is not None]
        if not margins:
            return []
        counts, edges = np.histogram(margins, bins=bins, range=(0.0, max([1.0, *margins])))
        return [(float(a), float(b), int(n)) for a, b, n in zip(edges, edges[1:], counts, strict=False)]

    @property
    def telling(self) -> tuple[int, ...]:
        """The numbers of the three most telling falls: placed best, with most blocks down, and the usual one."""
        fell = [number for number, trial in enumerate(self.trials) if trial.fell]
        if not fell:
            return ()
        usual = self.first[0][0] if self.first else ""
        like_most = sorted(
            (n for n in fell if str(self.trials[n].first) == usual), key=lambda n: self.trials[n].error_mm
        )
        chosen = [
            min(fell, key=lambda n: self.trials[n].error_mm),
            max(fell, key=lambda n: len(self.trials[n].fallen)),
            *like_most[len(like_most) // 2 :],
            *fell,
        ]
        return tuple(islice(dict.fromkeys(chosen), 3))

    def replay(self, number: int) -> Replay | None:
        """The motion of one trial, simulated once more."""
        return hand_trial(self.scenario, self.hand, self.seed, number, replay=True).replay


def hand_trial(scenario: Scenario, hand: Hand, seed: int, number: int, replay: bool = False) -> HandTrial:
    """The trial of a number: the building steps of the proposal one after the other, up to the first that falls."""
    rng = np.random.default_rng([abs(seed), int(seed < 0), number])
    situation, last = scenario.situation, HandTrial(False)
    for step in scenario.proposal.steps if scenario.proposal else ():
        situation = prepared(situation, step)
        if isinstance(step, Together):
            last = place_by_hand(situation.tower, situation.fit, hand, scenario.profile, rng, replay)
            if last.fell:
                return last
        situation = replace(situation, tower=after_step(situation, step), blocks=())
    return last


def _batch(scenario: Scenario, hand: Hand, seed: int, numbers: range) -> list[HandTrial]:
    return [hand_trial(scenario, hand, seed, number) for number in numbers]


def steady_hand(
    scenario: Scenario,
    hand: Hand,
    most: int = 500,
    seed: int = 1,
    width: float = 0.0,
    executor: Executor | None = None,
) -> Iterator[Steadied]:
    """Place the proposal again and again; what is yielded grows batch by batch.

    It ends after `most` trials, or once the interval is no wider than `width`.

    Raises:
        TaloError: nothing is proposed that a hand could place.
    """
    if not scenario.proposal or not any(isinstance(step, Together) for step in scenario.proposal.steps):
        raise TaloError("no block is proposed: there is nothing for a hand to place")
    _check_places(scenario)
    numbers = [range(begin, min(begin + BATCH, most)) for begin in range(0, most, BATCH)]
    done: list[HandTrial] = []
    for trials in _in_order(lambda some: (scenario, hand, seed, some), numbers, executor):
        done += trials
        so_far = Steadied(scenario, hand, seed, tuple(done))
        yield so_far
        low, high = so_far.interval
        if len(done) >= FEWEST and high - low <= width:
            return


def by_hand(
    scenario: Scenario, hand: str | Hand = "adult", trials: int = 500, seed: int = 1, executor: Executor | None = None
) -> Steadied:
    """How likely a human hand brings the proposal down: a shipped hand by its name, or an own one.

    >>> from talo_physics import Proposal, Scenario, Tower, by_hand
    >>> scene = Scenario(Tower.parse(["1z@3,4,0"]), Proposal.parse("3x@2,4,1"))
    >>> told = by_hand(scene, "steady", trials=5)
    >>> told.falls, told.probability, [round(end, 2) for end in told.interval]
    (0, 0.0, [0.0, 0.43])

    Raises:
        TaloError: nothing is proposed that a hand could place, or a hand that is none.
    """
    if trials < 1:
        raise TaloError(f"trials: at least 1 is needed, not {trials}")
    whose = hand if isinstance(hand, Hand) else load_hand(hand)
    *_, told = steady_hand(scenario, whose, trials, seed, executor=executor)
    return told


def _check_places(scenario: Scenario) -> None:
    """Nobody places a block in the space of another, or in the air.

    Raises:
        TaloError: with the rule that says so.
    """
    situation = scenario.situation
    for step in scenario.proposal.steps if scenario.proposal else ():
        situation = prepared(situation, step)
        for breach in (*build_space(situation), *build_support(situation)):
            raise TaloError(f"no hand can place it: {breach.rule}: {breach.message}")
        situation = replace(situation, tower=after_step(situation, step), blocks=())


def _in_order(
    arguments: Callable[[range], tuple[Scenario, Hand, int, range]],
    numbers: list[range],
    executor: Executor | None,
) -> Iterable[list[HandTrial]]:
    if executor is None:
        yield from (_batch(*arguments(some)) for some in numbers)
        return
    ahead = 4  # batches under way beyond the one waited for: enough for some cores, few to throw away at the end
    waiting = [executor.submit(_batch, *arguments(some)) for some in numbers[:ahead]]
    for place in range(len(numbers)):
        trials = waiting[place].result()
        if place + ahead < len(numbers):
            waiting.append(executor.submit(_batch, *arguments(numbers[place + ahead])))
        try:
            yield trials
        except GeneratorExit:
            for future in waiting[place + 1 :]:
                future.cancel()
            raise
