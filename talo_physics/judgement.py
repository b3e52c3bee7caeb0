"""The main job: a scenario goes in, a judgement comes out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from talo_physics.errors import TowerError
from talo_physics.geometry.profile import Profile
from talo_physics.rules.referee import rule_on
from talo_physics.rules.ruling import Ruling
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Finding, Verdict, Wishes
from talo_physics.tower.space import defects

if TYPE_CHECKING:
    from talo_physics.physics.examiner import Examiner
    from talo_physics.physics.explanation import Explanation


@dataclass(frozen=True)
class Judgement:
    """What physics and the rulebook say of a scenario.

    >>> from talo_physics import Proposal, Scenario, Tower, judge
    >>> answer = judge(Scenario(Tower.parse(["1z@3,4,0"]), Proposal.parse("4x@2,4,1")))
    >>> str(answer.verdict), answer.marginal, answer.legal, answer.violations
    ('topples', True, False, ('balance.falls', 'balance.even-tips'))
    >>> [str(block) for block in answer.finding.fallen], [str(at) for at in answer.finding.counterweights]
    (['4x@2,4,1'], ['@2,4,2', '@3,4,2'])
    >>> answer.to_json()["collapse"]["extent"]
    'proposal'
    """

    scenario: Scenario
    ruling: Ruling
    wall_ms: float = 0.0

    @property
    def finding(self) -> Finding:
        """What physics says."""
        return self.ruling.finding

    @property
    def verdict(self) -> Verdict:
        """What happens to the tower."""
        return self.finding.verdict

    @property
    def marginal(self) -> bool:
        """Whether the answer hangs by a hair."""
        return self.finding.marginal

    @property
    def legal(self) -> bool:
        """Whether no rule is broken."""
        return self.ruling.legal

    @property
    def violations(self) -> tuple[str, ...]:
        """The ids of the rules that are broken."""
        return self.ruling.violations

    @property
    def unmet(self) -> tuple[str, ...]:
        """What the scenario expected and did not get, in words."""
        expect = self.scenario.expect
        if expect is None:
            return ()
        got: dict[str, Any] = {
            "verdict": str(self.verdict),
            "marginal": self.marginal,
            "legal": self.legal,
            "violations": frozenset(self.violations),
            "fallen": frozenset(_texts(self.finding.fallen)),
            "counterweights": frozenset(_texts(self.finding.counterweights)),
        }
        return tuple(
            f"{name}: expected {_shown(wanted)}, got {_shown(got[name])}"
            for name, wanted in vars(expect).items()
            if wanted is not None and wanted != got[name]
        )

    def to_json(self) -> dict[str, Any]:
        """The answer as the contract lays it out."""
        finding, collapse = self.finding, self.ruling.collapse
        return {
            "scenario": self.scenario.source,
            "title": self.scenario.title,
            "verdict": str(finding.verdict),
            "marginal": finding.marginal,
            "legal": self.legal,
            "violations": list(self.violations),
            "fallen": _texts(finding.fallen),
            "moved": _texts(finding.moved),
            "tilt_deg": finding.tilt_deg,
            "static": {"verdict": finding.static.verdict, "tilt_deg": finding.static.tilt_deg},
            "disputed": finding.disputed,
            "counterweights": _texts(finding.counterweights),
            "collapse": collapse
            and {
                "extent": collapse.extent,
                "loser": collapse.loser,
                "winner": list(collapse.winner),
                "rules": list(collapse.rules),
            },
            "warnings": list(self.ruling.warnings),
            "sim": {
                "trials": finding.cost.trials,
                "steps": finding.cost.steps,
                "sim_s": round(finding.cost.sim_s, 3),
                "wall_ms": round(self.wall_ms, 1),
            },
        }


def judge(scenario: Scenario, wishes: Wishes = Wishes()) -> Judgement:
    """Judge a scenario: simulate the proposal, then rule on it.

    >>> from talo_physics import Scenario, Tower, Proposal, judge
    >>> scene = Scenario(Tower.parse(["1z@3,4,0"]), Proposal.parse("4x@2,4,1"))
    >>> answer = judge(scene)
    >>> answer.verdict, answer.violations
    (<Verdict.TOPPLES: 'topples'>, ('balance.falls', 'balance.even-tips'))

    Raises:
        TowerError: the tower cannot exist: blocks in one space, floating blocks, a pawn inside a block.
    """
    for _, _, message in defects(scenario.tower):
        raise TowerError(message)
    physics = examiner_for(scenario.profile)
    begun = time.perf_counter()
    ruling = rule_on(scenario.situation, scenario.proposal, physics, wishes)
    return Judgement(scenario, ruling, 1e3 * (time.perf_counter() - begun))


def explain(answer: Judgement) -> Explanation:
    """Why it stands or falls: who carries what, the weakest joint, what tips over which edge, what would help.

    >>> from talo_physics import Proposal, Scenario, Tower, explain, judge
    >>> why = explain(judge(Scenario(Tower.parse(["1z@3,4,0"]), Proposal.parse("5x@2,4,1"))))
    >>> why.tips.edge, round(why.help.counterweight_g, 1), str(why.help.surface)
    ('edge x=3.99', 9.6, '@2,4,2')
    """
    from talo_physics.physics.explanation import explain_tower  # heavy, and not wanted by whoever only looks

    return explain_tower(answer.ruling.situation.after, answer.scenario.profile)


@lru_cache(maxsize=8)
def examiner_for(profile: Profile) -> Examiner:
    """The examiner of a profile, with what it has found out in this process."""
    from talo_physics.physics.examiner import Examiner  # heavy, and not wanted by whoever only looks

    return Examiner(profile)


def _texts(values: Iterable[object]) -> list[str]:
    return [str(value) for value in values]


def _shown(value: Any) -> str:
    if isinstance(value, frozenset):
        return f"[{', '.join(sorted(value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)
