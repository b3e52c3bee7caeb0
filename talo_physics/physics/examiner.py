"""Physics as rules see it: a tower and what is proposed go in, a finding comes out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from talo_physics.geometry.hand import HANDS
from talo_physics.geometry.profile import Profile
from talo_physics.physics.bumping import bumped
from talo_physics.physics.counterweight import holding_surfaces
from talo_physics.physics.handling import place_by_hand
from talo_physics.physics.motion import replay_of, resting_places
from talo_physics.physics.numbers import SOFTNESS_UNITS
from talo_physics.physics.steadiness import Steadiness
from talo_physics.physics.trial import End, Outcome
from talo_physics.tower.finding import Cost, Finding, StaticFinding, Verdict, Wishes
from talo_physics.tower.pawn import Pawn, Surface
from talo_physics.tower.placement import Block, FreePose
from talo_physics.tower.proposal import Bump
from talo_physics.tower.symmetry import Canonical, Scene, canonical
from talo_physics.tower.tower import Tower

RISK_HAND, RISK_TRIALS = "adult", 100
"""For advice: enough to tell one in twenty from none, some seconds at most."""
CACHE_SIZE = 256
"""Canonical scenes an examiner remembers; each takes some tens of kilobytes."""


class Case:
    """One scene under examination: its canonical form, what is known of that, and the questions asked."""

    def __init__(self, tower: Tower, form: Canonical, steadiness: Steadiness) -> None:
        self.tower, self.form, self.steadiness = tower, form, steadiness
        self.asked: set[str] = set()

    def level(self) -> Outcome:
        """What happens on a level table, up to the first fall."""
        self.asked.add("level")
        return self.steadiness.level

    def followed(self) -> Outcome:
        """What happens on a level table, to the end."""
        self.asked.add("followed")
        return self.steadiness.followed

    def marginal(self) -> bool:
        """Whether the answer hangs by a hair."""
        self.asked.add("marginal")
        return self.steadiness.marginal

    def tilt_deg(self) -> float:
        """The least tilt at which it falls."""
        self.asked.add("tilt_deg")
        return self.steadiness.tilt_deg

    def stands_tilted(self, tilt_deg: float) -> bool:
        """Whether it stands on a table tilted that far, whichever way."""
        question = f"tilted {tilt_deg!r}"  # each tilt has a cost of its own
        self.asked.add(question)
        return self.steadiness.stands_all_round(question, tilt_deg)

    def cost(self) -> Cost:
        """What the questions asked here have cost, now or when they were first asked."""
        total = Cost()
        for question in sorted(self.asked):
            total = total.plus(self.steadiness.costs.get(question, Cost()))
        return total

    def settled(self) -> bool:
        """Whether blocks in free poses came to stand elsewhere than they were set down, where statics looks."""
        outcome = self.steadiness.followed if "followed" in self.asked else self.steadiness.level
        free = not self.form.scene.on_grid and outcome.stood
        return free and max(motion.shift_units for motion in outcome.motions) > SOFTNESS_UNITS

    def fallen(self) -> tuple[dict[int, float], set[int], set[int]]:
        """When which blocks fell, which blocks moved, and which pawns fell, by their indices."""
        stood = "level" in self.asked and self.steadiness.level.stood
        motions, blocks = (self.level() if stood else self.followed()).motions, len(self.tower.blocks)
        fell: dict[int, float] = {}
        for number, motion in enumerate(motions[:blocks]):
            if motion.fell_at_s is not None:
                for original in self.form.blocks_back([number]):
                    fell[original] = min(fell.get(original, motion.fell_at_s), motion.fell_at_s)
        moved = self.form.blocks_back(i for i in range(blocks) if motions[i].moved) - set(fell)
        pawns = self.form.pawns_back(i for i, motion in enumerate(motions[blocks:]) if motion.fell)
        return fell, moved, pawns

    def stirred(self) -> set[int]:
        """The blocks that had moved when the first one fell, if only by a little."""
        return self.form.blocks_back(i for i in self.steadiness.shown.astir if i < len(self.tower.blocks))

    def lies(self) -> tuple[FreePose, ...]:
        """Where each block is in the end."""
        return resting_places(self.followed(), self.form.ways_back[0], self.tower)


class Examiner:
    """Examines towers built of the blocks of one profile. Answers are kept by canonical form."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._known: OrderedDict[Scene, Steadiness] = OrderedDict()

    def examine(self, tower: Tower, placed: Iterable[Block | Pawn] = (), wishes: Wishes = Wishes()) -> Finding:
        """What happens when these are placed at the same time; without any, what the tower itself does.

        A pawn is placed by going there from where it stands.
        """
        return _Examination(self, tower, tuple(placed), wishes).finding()

    def risk(self, tower: Tower, placed: tuple[Block, ...]) -> float:
        """The share of falls in some seeded placements by an adult's hand."""
        hand = HANDS.shipped(RISK_HAND)
        rngs = (np.random.default_rng(number) for number in range(RISK_TRIALS))
        return sum(place_by_hand(tower, placed, hand, self.profile, rng).fell for rng in rngs) / RISK_TRIALS

    def bump(self, tower: Tower, bump: Bump, wishes: Wishes = Wishes()) -> Finding:
        """What happens when a block of the tower is knocked, with the pawns where they stand."""
        return bumped(tower, bump, self.profile, wishes.replay)

    def vouches(self, tower: Tower, placed: Iterable[Block | Pawn] = ()) -> bool:
        """Whether statics alone vouches for what hangs together with what is placed, bare and loaded."""
        whole, touched = _placed(tower, tuple(placed))
        parts = [whole.part(group) for group in whole.components if group & touched]
        scenes = [scene for part in parts for scene in dict.fromkeys((part.with_pawns(()), part))]
        return all(self.case(scene).steadiness.assured for scene in scenes)

    def bears(self, tower: Tower) -> bool:
        """Whether a tower stands with its pawns where they are; by statics alone where that is clear."""
        parts = (tower.part(group) for group in tower.components)
        loaded = (self.case(part) for part in parts if part.pawns)
        return all(case.steadiness.assured or case.level().stood for case in loaded)

    def case(self, tower: Tower) -> Case:
        """The tower as a scene, with what is known of it."""
        form = canonical(Scene(tower.blocks, tuple(pawn.surface for pawn in tower.pawns)))
        if form.scene not in self._known:
            self._known[form.scene] = Steadiness(form.scene, self.profile)
            if len(self._known) > CACHE_SIZE:
                self._known.popitem(last=False)
        self._known.move_to_end(form.scene)
        return Case(tower, form, self._known[form.scene])


def _placed(tower: Tower, placed: tuple[Block | Pawn, ...]) -> tuple[Tower, set[int]]:
    """The tower with what was placed, and the blocks that are touched by that: new, or under a pawn's feet."""
    whole = tower.plus(block for block in placed if not isinstance(block, Pawn))
    if not placed:
        return whole, set(range(len(whole.blocks)))
    touched = set(range(len(tower.blocks), len(whole.blocks)))
    for pawn in (pawn for pawn in placed if isinstance(pawn, Pawn)):
        old = [other for other in whole.pawns if other.colour == pawn.colour]
        whole = whole.with_pawns((*(other for other in whole.pawns if other not in old), pawn))
        feet = (whole.occupancy.get((foot.x, foot.y, foot.z - 1)) for foot in (*old, pawn))
        touched |= {index for index in feet if index is not None}
    return whole, touched


class _Examination:
    """One call of `examine`."""

    def __init__(self, examiner: Examiner, tower: Tower, placed: tuple[Block | Pawn, ...], wishes: Wishes) -> None:
        self.examiner, self.before, self.wishes = examiner, tower, wishes
        self.cases: list[Case] = []
        self.warnings: list[str] = []
        self.whole, touched = _placed(tower, placed)
        concerned = {i for group in self.whole.components if group & touched for i in group}
        self.part = self.whole.part(concerned)
        self.concerned = sorted(concerned)
        self.alone = len(self.part.blocks) == len(self.whole.blocks) and self.part.pawns == self.whole.pawns
        """Whether there is nothing else that a falling block could hit."""

    def finding(self) -> Finding:
        bare = self._case(self.part.with_pawns(()))
        loaded = self._case(self.part) if self.part.pawns else bare
        stands = {bare: self._stands(bare, follow=loaded is bare)}
        stands[loaded] = stands[bare] if loaded is bare else self._stands(loaded, follow=True)
        verdict = Verdict.of(stands[bare], stands[loaded])
        marginal = self.wishes.marginal and any(case.marginal() for case in dict.fromkeys((bare, loaded)))
        shown = bare if verdict is Verdict.NEEDS_PAWN else loaded
        result = Finding(verdict, marginal)
        if self.wishes.fallen or self.wishes.replay or stands[shown]:
            result = self._with_motion(result, shown, stands[shown])
        result = replace(result, static=self._static(bare, loaded))
        if self.wishes.margin:
            tilt = min(bare.tilt_deg(), loaded.tilt_deg()) if verdict is Verdict.STANDS else 0.0
            result = replace(result, tilt_deg=tilt)
        if self.wishes.tilted_deg:
            result = replace(result, stands_tilted=self._stands_tilted(verdict, bare, loaded))
        if self.wishes.counterweights and not stands[bare]:
            result = replace(result, counterweights=self._counterweights(bare))
        result = replace(result, disputed=self._note_disputes(bare, loaded))
        self._note_assumptions(verdict, bare, loaded)
        if self.wishes.before:
            self._look_before()
        cost = Cost()
        for case in self.cases:
            cost = cost.plus(case.cost())
        return replace(result, warnings=tuple(self.warnings), cost=cost)

    def _stands_tilted(self, verdict: Verdict, bare: Case, loaded: Case) -> bool:
        """Whether it stands on the tilted table that was asked for, without the pawns and with them."""
        cases = dict.fromkeys((bare, loaded))
        return verdict is Verdict.STANDS and all(case.stands_tilted(self.wishes.tilted_deg) for case in cases)

    def _case(self, tower: Tower) -> Case:
        case = self.examiner.case(tower)
        self.cases.append(case)
        return case

    def _stands(self, case: Case, follow: bool) -> bool:
        """What is most likely shown is followed at once, where it is asked for and nothing else could be hit."""
        outcome = case.followed() if follow and self.alone and self.wishes.fallen else case.level()
        if outcome.end in (End.NO_REST, End.BLOWN_UP):
            words = {End.NO_REST: "came to no rest", End.BLOWN_UP: "left all bounds"}[outcome.end]
            self.warnings.append(f"the simulation {words}, even at utmost effort: counted as falling")
        return outcome.stood

    def _with_motion(self, finding: Finding, shown: Case, stands: bool) -> Finding:
        """Which blocks fell or moved; once something falls, everything that it may hit is simulated too."""
        case, numbers = shown, self.concerned
        if not stands and not self.alone:
            with_pawns = finding.verdict is not Verdict.NEEDS_PAWN
            wider = self._case(self.whole if with_pawns else self.whole.with_pawns(()))
            if not wider.followed().stood:  # a hair may make it stand with company; then what fell alone counts
                case, numbers = wider, list(range(len(self.whole.blocks)))
        fell, moved, pawns_fell = case.fallen()
        fallen = {numbers[i]: at for i, at in sorted(fell.items())}
        blocks, lies = self.whole.blocks, case.lies() if fell else ()
        result = replace(
            finding,
            lies=tuple(lies[i] for i in sorted(fell)),
            fallen=tuple(blocks[i] for i in fallen),
            fell_at_s=tuple(round(at, 3) for at in fallen.values()),
            moved=tuple(blocks[i] for i in sorted(numbers[i] for i in moved)),
            fallen_pawns=tuple(case.tower.pawns[i] for i in sorted(pawns_fell)),
        )
        if self.wishes.replay:
            outcome = case.steadiness.replay()
            result = replace(result, replay=replay_of(outcome, case.form.ways_back[0], case.tower))
        return result

    def _static(self, bare: Case, loaded: Case) -> StaticFinding:
        says = [case.steadiness.static_verdict for case in (bare, loaded)]
        verdict = "undecided" if "undecided" in says else str(Verdict.of(says[0] == "stands", says[1] == "stands"))
        tilt = None
        if self.wishes.margin and verdict != "undecided":
            tilt = min(bare.steadiness.static_tilt_deg, loaded.steadiness.static_tilt_deg)
        return StaticFinding(verdict, tilt)

    def _note_disputes(self, bare: Case, loaded: Case) -> bool:
        """Whether statics still says the opposite after the simulation at utmost effort."""
        disputed = False
        for name, case in {"bare": bare, "loaded": loaded}.items() if loaded is not bare else [("", bare)]:
            if case.steadiness.static_fault:
                self.warnings.append(f"statics gave no answer: {case.steadiness.static_fault}")
            says, stands = case.steadiness.static_verdict, case.steadiness.stands
            if says != "undecided" and (says == "stands") != stands and not case.settled():
                shows = "stands" if stands else "falls"
                self.warnings.append(f"disputed: the simulation {shows}, statics says {says} {name}".rstrip())
                disputed = True
        return disputed

    def _note_assumptions(self, verdict: Verdict, bare: Case, loaded: Case) -> None:
        """Warn where a figure decided that nobody has measured."""
        cases = [case.steadiness for case in dict.fromkeys((bare, loaded))]
        profile = self.examiner.profile
        deciding = {
            "edge_inset_mm": (
                profile.edge_inset_mm,
                self.wishes.marginal and any(not s.stands and s.marginal for s in cases),
            ),
            "friction": (profile.friction, any(s.stands and not s.supported for s in cases)),
            "pawn.mass_g": (profile.pawn.mass_g, verdict in (Verdict.NEEDS_PAWN, Verdict.PAWN_TOPPLES)),
        }
        for key, (figure, decided) in deciding.items():
            if decided and figure.provenance == "assumed":
                self.warnings.append(f"an assumed figure decided: {key} {figure.value:g}")

    def _counterweights(self, bare: Case) -> tuple[Surface, ...]:
        return holding_surfaces(bare.tower, self.whole, bare.stirred(), self.examiner.profile, self._holds)

    def _holds(self, tower: Tower) -> bool:
        return self._case(tower).level().stood

    def _look_before(self) -> None:
        """Warn where the tower fell before anything was proposed: then the proposal is not to blame."""
        if len(self.before.blocks) == len(self.whole.blocks):
            return
        for group in self.before.components:
            tower = self.before.part(group)
            case = self._case(tower.with_pawns(()))
            if case.steadiness.supported or case.level().stood:
                continue
            fallen = ", ".join(str(b) for b in self._fallen_of(case))
            if tower.pawns and self._case(tower).level().stood:
                self.warnings.append(f"before the proposal only a pawn's weight held {fallen}")
            else:
                self.warnings.append(f"the tower did not stand before the proposal: {fallen} fell")

    def _fallen_of(self, case: Case) -> list[Block]:
        return [case.tower.blocks[i] for i in sorted(case.fallen()[0])] or list(case.tower.blocks)
