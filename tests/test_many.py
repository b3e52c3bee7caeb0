"""Many scenarios at once: in order, lazily, bounded, and one bad one does not take the others with it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from talo_physics import Judgement, Proposal, Scenario, Tower, Wishes, judge, judge_many, worker_pool
from talo_physics.bench.scale import STATM, Endurance, endurance, rates, scenes
from talo_physics.faces.cli import main
from talo_physics.many import FEWEST, MOST, Failed, errands
from talo_physics.rules.placing import placements

COLUMN = Tower.parse(["1z@3,4,0"])
FLOATS = Scenario(Tower.parse(["1z@3,4,5"]), title="floats")
QUICK = Wishes(counterweights=False, before=False)
FIGURES = Path(__file__).parent.parent / "scenarios" / "figures"


def throw_on(tower: Tower, length: int) -> list[Scenario]:
    start = Scenario(tower)
    return [Scenario(tower, Proposal.parse(str(place))) for place in placements(start.situation, length)]


def said(answers: Iterator[Judgement | Failed]) -> list[str]:
    return [answer.error if isinstance(answer, Failed) else str(answer.verdict) for answer in answers]


class AtOnce(Executor):
    """Does what it is given when it is given it, and counts."""

    def __init__(self) -> None:
        self.errands = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.errands += 1
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_answers_come_in_input_order_and_are_those_of_judge() -> None:
    scenes = [Scenario(COLUMN, Proposal.parse(f"{n}x@{x},4,1")) for n in (3, 4, 5) for x in (1, 2, 3)]
    one_by_one = [str(judge(scene, QUICK).verdict) for scene in scenes]
    with ThreadPoolExecutor(3) as threads:
        for executor in (None, AtOnce(), threads):
            answers = list(judge_many(scenes, QUICK, executor=executor))
            assert [answer.scenario for answer in answers] == scenes
            assert said(iter(answers)) == one_by_one


def test_a_scenario_that_cannot_be_judged_is_reported_and_the_others_go_on() -> None:
    scenes = [Scenario(COLUMN), FLOATS, Scenario(COLUMN, Proposal.parse("3x@2,4,1"))]
    for executor in (None, AtOnce()):
        first, second, third = judge_many(scenes, QUICK, executor=executor)
        assert isinstance(second, Failed)
        assert (second.scenario, second.kind, second.expected) == (FLOATS, "TowerError", True)
        assert "floats" in second.error
        assert isinstance(first, Judgement)
        assert isinstance(third, Judgement)


def test_a_fault_of_the_package_is_reported_with_where_it_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> Judgement:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("talo_physics.many.judge", breaks)
    (answer,) = judge_many([Scenario(COLUMN)])
    assert isinstance(answer, Failed)
    assert (answer.error, answer.kind, answer.expected) == ("a bug", "ZeroDivisionError", False)
    assert "in breaks" in answer.trace


def test_scenarios_are_taken_as_answers_are() -> None:
    taken = 0

    def endless() -> Iterator[Scenario]:
        nonlocal taken
        while True:
            taken += 1
            yield Scenario(COLUMN)

    assert said(islice(judge_many(endless(), QUICK), 2)) == ["stands"] * 2
    assert taken == 2
    executor = AtOnce()
    assert said(islice(judge_many(endless(), QUICK, executor=executor, ahead=2), 5)) == ["stands"] * 5
    assert executor.errands == 2
    assert taken <= 2 + 2 * MOST + 1


def test_all_placements_of_a_throw_go_together() -> None:
    scenes = [*throw_on(COLUMN, 1)[:20], *throw_on(Tower.parse(["2x@3,4,0"]), 1)[:20]]
    assert [len(errand) for errand in errands(scenes)] == [20, 20]
    assert [len(errand) for errand in errands(throw_on(COLUMN, 1)[:70])] == [MOST, MOST, 70 - 2 * MOST]
    different = [Scenario(Tower.parse([f"1z@{x},4,0"])) for x in range(9)]
    assert [len(errand) for errand in errands(different)] == [FEWEST, FEWEST, 1]


def _die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_processes_say_the_same_and_workers_that_die_are_told() -> None:
    scenes = [*throw_on(COLUMN, 4)[:12], FLOATS]
    with worker_pool(2) as pool:
        assert said(judge_many(scenes, QUICK, executor=pool)) == said(judge_many(scenes, QUICK))
        answers = judge_many(iter([scenes[0]] * (MOST * 4)), QUICK, executor=pool, ahead=1)
        assert isinstance(next(answers), Judgement)
        with pytest.raises(BrokenExecutor):
            pool.submit(_die).result()
        with pytest.raises(BrokenExecutor):
            list(answers)


@pytest.mark.slow
def test_jobs_change_neither_the_order_nor_the_words_of_judge_and_check(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("title: x\ntower: [12x@3,4,0]\n")
    files = [str(FIGURES / "21-together.yaml"), str(bad), str(FIGURES / "19-even-4-on-standing.yaml")]
    for command in ("judge", "check"):
        alone, together = (CliRunner().invoke(main, [command, *files, *jobs]) for jobs in ([], ["--jobs", "2"]))
        assert alone.exit_code == together.exit_code == 2
        assert alone.stdout == together.stdout
        assert alone.stderr == together.stderr


@pytest.mark.slow
def test_scale_is_measured_on_the_same_towers() -> None:
    measured = rates(8, blocks=3, jobs=2)
    assert measured.one > 0
    assert measured.ratio == measured.many / measured.one
    assert len({scene.tower for scene in scenes(8, 1, 3)}) == 8


@pytest.mark.slow
def test_ten_thousand_judgements_in_a_row_say_the_same_twice_and_take_no_more_memory() -> None:
    endured = endurance(10_000)
    assert endured.judgements == 10_000
    assert endured.differing == ()
    if STATM.exists():
        assert len(endured.memory_mb) == 20
        assert endured.growth is not None
        assert endured.growth <= 1.05, endured.memory_mb


def test_towers_that_are_judged_otherwise_the_second_time_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = iter(range(8))
    monkeypatch.setattr("talo_physics.bench.scale._answer", lambda _: str(1 if next(calls) == 6 else 0))
    assert endurance(8).differing == (2,)


def test_memory_that_grows_after_the_warm_up_is_told() -> None:
    assert Endurance(10, (), (10.0, 50.0, 100.0, *[100.0] * 16, 120.0)).growth == 1.2
    assert Endurance(10, (), ()).growth is None
