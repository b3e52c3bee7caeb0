"""The main job: a scenario goes in, a judgement comes out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from talo_physics.errors import TaloError, TowerError
from talo_physics.geometry.profile import Profile
from talo_physics.rules.referee import rule_on
from talo_physics.rules.ruling import Ruling
from talo_physics.scenario.model import Scenario
from talo_physics.tower.finding import Finding, Verdict, Wishes
from talo_physics.tower.space import defects

if TYPE_CHECKING:
    from talo_physics.physics.examiner import Examiner
    from talo_physics.physics.explanation import Explanation


@dataclass(frozen=True, repr=False)
class Judgement:
    """What physics and the rulebook say of a scenario.

    >>> from talo_physics import Scenario, judge
    >>> answer = judge(Scenario.parse("1z@3,4,0", propose="4x@2,4,1"))
    >>> print(answer)
    topples (marginal), illegal: balance.falls, balance.even-tips
      balance.falls: 4x@2,4,1 falls
      balance.even-tips: 4x@2,4,1 is even and tips on the single block 1z@3,4,0
      a pawn on @2,4,2, @3,4,2 would hold it
      note: marginal: the answer hangs by a hair
      note: an assumed figure decided: edge_inset_mm 0.2
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
    error: ClassVar[str] = ""
    """Always empty: what `judge_many` could not judge it answers with a `Failed`, whose error says why."""

    def __repr__(self) -> str:
        about = self.scenario.title or self.scenario.proposal or "a tower"
        return f"<Judgement of {about}: {self.in_short}>"

    def __str__(self) -> str:
        lines = [self.in_short, *(f"{breach.rule}: {breach.message}" for breach in self.ruling.breaches)]
        if self.finding.counterweights:
            lines.append(f"a pawn on {', '.join(_texts(self.finding.counterweights))} would hold it")
        return "\n  ".join([*lines, *(f"note: {warning}" for warning in self.ruling.warnings)])

    @property
    def in_short(self) -> str:
        """The verdict and the ruling on a line."""
        return f"{self.verdict}{' (marginal)' if self.marginal else ''}, {self.legal_or_not}"

    @property
    def legal_or_not(self) -> str:
        """`legal`, or `illegal` with the ids of the rules that are broken."""
        return "legal" if self.legal else f"illegal: {', '.join(self.violations)}"

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

    >>> from talo_physics import Scenario, judge
    >>> answer = judge(Scenario.parse("1z@3,4,0", propose="4x@2,4,1"))
    >>> answer.verdict, answer.violations
    (<Verdict.TOPPLES: 'topples'>, ('balance.falls', 'balance.even-tips'))

    Raises:
        TowerError: the tower cannot exist: blocks in one space, floating blocks, a pawn inside a block.
    """
    if not isinstance(scenario, Scenario):
        raise TaloError(f"a Scenario was expected, such as Scenario(tower), not {type(scenario).__name__}")
    for _, _, message in defects(scenario.tower):
        raise TowerError(message)
    physics = examiner_for(scenario.profile)
    begun = time.perf_counter()
    ruling = rule_on(scenario.situation, scenario.proposal, physics, wishes)
    return Judgement(scenario, ruling, 1e3 * (time.perf_counter() - begun))


def explain(answer: Judgement) -> Explanation:
    """Why it stands or falls: who carries what, the weakest joint, what tips over which edge, what would help.

    >>> from talo_physics import Scenario, explain, judge
    >>> why = explain(judge(Scenario.parse("1z@3,4,0", propose="5x@2,4,1")))
    >>> print(why)
    statics: topples
      5x@2,4,1 tips over the edge x=3.99 of 1z@3,4,0
      9.6 g on @2,4,2 would hold it
    >>> why.tips.edge, str(why.help.surface)
    ('edge x=3.99', '@2,4,2')
    """
    if not isinstance(answer, Judgement):
        raise TaloError(f"a Judgement was expected, such as explain(judge(scene)), not {type(answer).__name__}")
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
