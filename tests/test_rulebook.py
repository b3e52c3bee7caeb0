"""Every rule has a scenario that keeps it and one that breaks it, and every recorded game is as the referee says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from talo_physics.game.keeping import read_record
from talo_physics.game.replay import replay
from talo_physics.game.state import IllegalSetupError
from talo_physics.rules.catalogue import RULES

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "scenarios"
GAMES = sorted((SCENARIOS / "games").glob("*.talo"))
UNPLAYABLE = sorted((SCENARIOS / "unplayable").glob("*.talo"))
TESTS = "\n".join(path.read_text() for path in (ROOT / "tests").glob("test_*.py") if path != Path(__file__))


def kept_and_broken() -> tuple[set[str], set[str], set[str]]:
    """Rules that a scenario is about and keeps, rules that one breaks, and rules that one narrowly misses."""
    kept: set[str] = set()
    broken: set[str] = set()
    missed: set[str] = set()
    for path in SCENARIOS.rglob("*.yaml"):
        scenario = yaml.safe_load(path.read_text())
        expect = scenario.get("expect", {})
        about, violations = set(scenario.get("rules", [])), set(expect.get("violations", []))
        broken |= violations
        if expect.get("legal"):
            kept |= about
        else:
            missed |= about - violations
    for path in GAMES:
        record = read_record(path).record
        refused = {rule for entry in record.entries if "illegal" in entry.ruling for rule in _rules(entry.ruling)}
        applied = {rule for entry in record.entries if "illegal" not in entry.ruling for rule in _rules(entry.ruling)}
        broken |= refused
        kept |= set(record.rules) & applied
        kept |= {rule for rule in record.rules if not rule.startswith(("collapse.", "fantasy.", "blockade."))}
        kept |= {rule for rule in record.rules if rule in refused}  # refused first, then done rightly
        missed |= set(record.rules) - applied
    for path in UNPLAYABLE:
        broken |= set(read_record(path).record.rules)
    return kept, broken, missed


def _rules(ruling: str) -> list[str]:
    return re.split(r",\s*", ruling.partition(": ")[2])


def test_every_rule_is_kept_by_one_scenario_and_broken_by_another() -> None:
    kept, broken, missed = kept_and_broken()
    assert set(RULES) - kept == set()
    assert {rule.id for rule in RULES.values() if not rule.permits} - broken == set()
    assert {rule.id for rule in RULES.values() if rule.permits} - missed == set()


def test_every_rule_is_named_in_a_test() -> None:
    assert [rule for rule in RULES if rule not in TESTS] == []


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_recorded_game_is_as_the_referee_says(path: Path) -> None:
    record = read_record(path).record
    lines = list(replay(record, path.parent))
    assert [line.wrong for line in lines] == [""] * len(record.entries)
    assert all(entry.ruling for entry in record.entries)


@pytest.mark.parametrize("path", UNPLAYABLE, ids=lambda path: path.stem)
def test_a_game_that_cannot_begin_says_by_which_rule(path: Path) -> None:
    record = read_record(path).record
    with pytest.raises(IllegalSetupError) as error:
        record.start(path.parent)
    assert {breach.rule for breach in error.value.breaches} == set(record.rules)
