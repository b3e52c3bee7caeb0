"""Working out a chunk: towers are grown, games played, scenarios judged. Runs on any worker, and needs no extras."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import lru_cache
from typing import Any

from talo_physics import __version__
from talo_physics.bench.growing import grown, random_tower
from talo_physics.errors import TaloError
from talo_physics.geometry.hand import load_hand
from talo_physics.geometry.profile import Profile
from talo_physics.hand.estimate import steady_hand
from talo_physics.judgement import Judgement, examiner_for, judge
from talo_physics.many import one_at_a_time
from talo_physics.scenario.file import scenario_text
from talo_physics.scenario.model import Scenario
from talo_physics.sweep.columns import COLUMNS, FIGURES, Row
from talo_physics.sweep.gaming import game_row
from talo_physics.sweep.parameters import Point, figures
from talo_physics.sweep.plan import Case, Chunk, Numbered
from talo_physics.sweep.spec import Games, Towers
from talo_physics.tower.finding import Verdict, Wishes
from talo_physics.tower.proposal import Proposal, Together
from talo_physics.tower.tower import Tower

HAND_TRIALS = 100
"""Placements by hand a row: the interval is then 0.2 wide at most."""


def run_chunk(chunk: Chunk) -> list[Row]:
    """The rows of a chunk. They follow from the chunk alone: what this process found out before is forgotten first."""
    with one_at_a_time:
        examiner_for.cache_clear()
        return [_row(case, chunk) for case in chunk.cases]


def _row(case: Case, chunk: Chunk) -> Row:
    """One row; of what cannot be worked out the reason."""
    row: Row = dict.fromkeys(COLUMNS)
    chosen = json.dumps(case.point.to_json())
    row |= {"row": case.row, "version": __version__, "seed": chunk.seed, "parameters": chosen, "draw": case.point.draw}
    row |= {"table_tilt_deg": case.point.tilt_deg, "hand": case.point.hand, **_subject(case.subject)}
    try:
        base = case.subject.profile if isinstance(case.subject, Scenario) else chunk.profile
        profile = case.point.profile(base, chunk.seed)
        row |= _provenance(profile)
        row |= _answer(case, chunk, profile)
    except TaloError as error:
        row["error"] = str(error)
    except Exception as error:  # one row that goes wrong must not take the others with it
        row["error"] = f"{type(error).__name__}: {error}"
    return row


def _subject(subject: Scenario | Numbered) -> Row:
    if isinstance(subject, Scenario):
        return {"kind": "scenario", "source": subject.source, "title": subject.title}
    return {"kind": "game" if isinstance(subject.kind, Games) else "tower", "number": subject.number}


def _provenance(profile: Profile) -> Row:
    known = dict(figures(profile))
    values = {name: known[key].value for key, name in FIGURES.items()}
    return {"profile": profile.name, "profile_fingerprint": profile.fingerprint, **values}


def _answer(case: Case, chunk: Chunk, profile: Profile) -> Row:
    subject = case.subject
    if isinstance(subject, Numbered) and isinstance(subject.kind, Games):
        return game_row(subject.kind, subject.number, chunk.seed, profile)
    if isinstance(subject, Numbered):
        assert isinstance(subject.kind, Towers)
        tower = tower_of(subject.kind.blocks, subject.kind.daring, chunk.seed, subject.number)
        scenario = Scenario(tower, title=f"tower {subject.number} of seed {chunk.seed}", profile=profile)
    else:
        scenario = replace(subject, profile=profile)
    answer = judge(scenario, _wishes(chunk, case.point))
    row = {"title": scenario.title, **_judged(answer, case.point)}
    if case.point.hand:
        try:
            row |= _placed(scenario, case.point.hand, chunk.seed)
        except TaloError as error:
            row["warnings"] = [*row["warnings"], f"not placed by hand: {error}"]
    return row


def _wishes(chunk: Chunk, point: Point) -> Wishes:
    """What a row asks for: where the margin is found anyway, that answers for its tilt as well."""
    tilted_deg = 0.0 if chunk.margin else point.tilt_deg or 0.0
    return Wishes(margin=chunk.margin, tilted_deg=tilted_deg, counterweights=False, before=False)


def _placed(scenario: Scenario, hand: str, seed: int) -> Row:
    """How often the hand brings down what is proposed; of a tower alone, its last block.

    Raises:
        TaloError: there is nothing that a hand could place.
    """
    if scenario.proposal is None and scenario.tower.blocks:
        *below, last = scenario.tower.blocks
        scenario = replace(
            scenario, tower=replace(scenario.tower, blocks=tuple(below)), proposal=Proposal((Together((last,)),))
        )
    *_, steadied = steady_hand(scenario, load_hand(hand), HAND_TRIALS, seed)
    low, high = steadied.interval
    return {"falls_by_hand": steadied.probability, "falls_low": low, "falls_high": high}


def _judged(answer: Judgement, point: Point) -> Row:
    said: dict[str, Any] = answer.to_json()
    same = ("verdict", "marginal", "legal", "violations", "fallen", "moved", "tilt_deg", "disputed", "warnings")
    return {
        **{name: said[name] for name in same},
        **{name: said["sim"][name] for name in ("trials", "steps", "sim_s")},
        "static_verdict": said["static"]["verdict"],
        "stands_tilted": _stands_tilted(answer, point.tilt_deg),
        "unmet": list(answer.unmet),
        "blocks": len(answer.ruling.situation.after.blocks),
        "text": scenario_text(answer.scenario),
    }


def _stands_tilted(answer: Judgement, tilt_deg: float | None) -> bool | None:
    """Whether it stands at this tilt; on a level table that is the verdict, and costs nothing more."""
    if tilt_deg is None:
        return None
    if tilt_deg == 0 or answer.verdict is not Verdict.STANDS:
        return answer.verdict is Verdict.STANDS
    if answer.finding.tilt_deg is not None:
        return tilt_deg < answer.finding.tilt_deg
    return bool(answer.finding.stands_tilted)  # of what was not tried, as it cannot be built, nothing stands


@lru_cache(maxsize=64)
def tower_of(blocks: int | None, daring: float, seed: int, number: int) -> Tower:
    """A generated tower; the same for all parameters."""
    if blocks is None:
        return random_tower(seed, number)
    return grown(random.Random(f"sweep/{seed}/{number}"), blocks, daring)
