"""Many scenarios at once: judged by any executor, answered in order, with a bounded number of them in memory."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass

from talo_physics.errors import TaloError
from talo_physics.judgement import Judgement, judge
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Wishes

FEWEST, MOST = 4, 32
"""Scenarios in one errand to a worker: so many that sending them costs little, so few that all workers have some."""
ERRANDS_A_CORE = 3
"""Errands under way for each core: one that is worked on, the others so that nobody waits for the next."""

Errand = tuple[Scenario, ...]


@dataclass(frozen=True)
class Failed:
    """A scenario that could not be judged, and why."""

    scenario: Scenario
    error: str
    """In the user's words."""
    kind: str = ""
    """The name of the exception's class."""
    expected: bool = True
    """Whether it is a fault of the scenario; otherwise `trace` says where this package went wrong."""
    trace: str = ""


def judge_many(
    scenarios: Iterable[Scenario],
    wishes: Wishes = Wishes(),
    *,
    executor: Executor | None = None,
    ahead: int | None = None,
) -> Iterator[Judgement | Failed]:
    """Judge scenarios one after the other, or on the workers of an executor; yields the answers in input order.

    Scenarios are taken as answers are: at most `ahead` errands of up to 32 scenarios are under way, by default three
    for each core of this machine. A scenario that cannot be judged is answered with `Failed`, and the others go on.

    Consecutive scenarios with the same tower and profile, such as all placements of a throw, go to one worker
    together: what it finds out about the parts that they have in common it finds out once.

    The executor may be any of `concurrent.futures`, `worker_pool(2)` or Dask's `Client(...).get_executor()`. Its
    processes must be spawned, not forked: a fork would share the physics client of its parent. Threads take turns.

    >>> from talo_physics import Proposal, Scenario, Tower, judge_many
    >>> column = Tower.parse(["1z@3,4,0"])
    >>> places = ["3x@2,4,1", "3x@1,4,1"]
    >>> [str(answer.verdict) for answer in judge_many(Scenario(column, Proposal.parse(place)) for place in places)]
    ['stands', 'topples']

    Raises:
        BrokenExecutor: the workers are gone. What was under way is answered with `Failed` first.
    """
    if not isinstance(wishes, Wishes):
        raise TaloError(f"wishes: Wishes were expected, not {type(wishes).__name__}; workers go as executor=...")
    if executor is None:
        return (judged_or_failed(scenario, wishes) for scenario in scenarios)
    return _through(executor, scenarios, wishes, ahead or ERRANDS_A_CORE * (os.cpu_count() or 1))


def _through(
    executor: Executor, scenarios: Iterable[Scenario], wishes: Wishes, ahead: int
) -> Iterator[Judgement | Failed]:
    under_way: deque[tuple[Errand, Future[list[Judgement | Failed]]]] = deque()
    try:
        for errand in errands(scenarios):
            under_way.append((errand, executor.submit(_run, errand, wishes)))
            if len(under_way) >= ahead:
                yield from _answers(*under_way.popleft())
        while under_way:
            yield from _answers(*under_way.popleft())
    except BrokenExecutor:  # by the submission of a next errand
        while under_way:
            yield from _answers(*under_way.popleft())
        raise
    finally:
        for _, future in under_way:  # nobody wants the rest any more
            future.cancel()


def _answers(errand: Errand, future: Future[list[Judgement | Failed]]) -> Sequence[Judgement | Failed]:
    try:
        return future.result()
    except Exception as error:  # a worker that died, or an answer that could not be sent
        return [_failed(scenario, error) for scenario in errand]


def errands(scenarios: Iterable[Scenario]) -> Iterator[Errand]:
    """The scenarios cut into errands: where the tower or the profile changes, but none tiny or huge.

    The more there were, the more the others are likely to be, and the larger the errands: sending takes time too.
    """
    errand: list[Scenario] = []
    sent = 0
    for scenario in scenarios:
        changes = bool(errand) and (scenario.tower, scenario.profile) != (errand[-1].tower, errand[-1].profile)
        fewest = min(MOST // 2, FEWEST + sent // MOST)
        if len(errand) >= MOST or (changes and len(errand) >= fewest):
            yield tuple(errand)
            sent, errand = sent + len(errand), []
        errand.append(scenario)
    if errand:
        yield tuple(errand)


def _run(errand: Errand, wishes: Wishes) -> list[Judgement | Failed]:
    return [judged_or_failed(scenario, wishes) for scenario in errand]


one_at_a_time = threading.RLock()
"""A process has one physics client, and its examiners' memory is not made for several threads."""


def judged_or_failed(scenario: Scenario, wishes: Wishes) -> Judgement | Failed:
    """The judgement, or why there is none."""
    try:
        with one_at_a_time:
            return judge(scenario, wishes)
    except Exception as error:  # one bad scenario must not take the others with it
        return _failed(scenario, error)


def _failed(scenario: Scenario, error: Exception) -> Failed:
    expected = isinstance(error, TaloError)
    trace = "" if expected else "".join(traceback.format_exception(error))
    return Failed(scenario, str(error) or type(error).__name__, type(error).__name__, expected, trace)


def worker_pool(jobs: int | None = None) -> ProcessPoolExecutor:
    """Processes for `judge_many`, as many as this machine has cores. They end with the process that started them.

    They are spawned: a script that uses them begins its work under `if __name__ == "__main__":`.

    >>> from talo_physics import Scenario, Tower, judge_many, worker_pool
    >>> with worker_pool(1) as executor:
    ...     [str(answer.verdict) for answer in judge_many([Scenario(Tower.parse(["1z@3,4,0"]))], executor=executor)]
    ['stands']
    """
    return ProcessPoolExecutor(jobs or os.cpu_count() or 1, multiprocessing.get_context("spawn"), initializer=_begin)


def _begin() -> None:
    """Ctrl-C is the parent's to handle; and nobody goes on working for a parent that was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
