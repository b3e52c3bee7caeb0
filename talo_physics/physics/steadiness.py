"""Does it stand, does it only just stand, and what falls: simulation first, statics beside it.

Everything here is worked out on the canonical form of a scene, so that it is the same for all towers that look
alike, and kept in a cache under that form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from talo_physics.errors import StaticsError
from talo_physics.geometry.profile import Profile
from talo_physics.physics import numbers
from talo_physics.physics.bodies import Body, bodies_of, inset_units, materials
from talo_physics.physics.certificates import Fall
from talo_physics.physics.numbers import BRIEF, CALM, FAIR, SWIFT, UTMOST, WARY
from talo_physics.physics.statics import Statics
from talo_physics.physics.trial import End, Outcome, Setup, run
from talo_physics.tower.finding import Cost
from talo_physics.tower.symmetry import Direction, Scene

Answer = TypeVar("Answer")


def sharp_outset(profile: Profile) -> float:
    """How far footprints are widened to see what sharp edges could carry."""
    return inset_units(profile) + numbers.COULD_CARRY_UNITS


class Steadiness:
    """All there is to know of one canonical scene under one profile; worked out when asked, then kept."""

    def __init__(self, scene: Scene, profile: Profile) -> None:
        self.scene, self.profile = scene, profile
        self.costs: dict[str, Cost] = {}
        """What each question that was answered by simulation has cost."""
        self._borne: dict[tuple[Direction, float], bool] = {}
        """What statics said of tilted tables."""
        self._all_round: dict[float, bool] = {}
        """Whether it stands on a table tilted so far, whichever way."""
        self.static_fault = ""
        """What kept statics from an answer, if anything did."""

    @cached_property
    def _bodies(self) -> tuple[Body, ...]:
        return bodies_of(self.profile, self.scene.blocks, self.scene.pawns)

    @cached_property
    def _leaning(self) -> bool:
        """Whether a block leans: statics looks at where it was let go, not at where it finds its hold."""
        return any(body.leans for body in self._bodies)

    @cached_property
    def statics(self) -> Statics:
        """The linear programs of the scene as it is."""
        return Statics(self._bodies)

    @cached_property
    def _softer_statics(self) -> Statics:
        """With every footprint widened by what the simulation's own softness may give."""
        return self.statics.widened(numbers.SOFTNESS_UNITS)

    @cached_property
    def _sharp_statics(self) -> Statics:
        """With every footprint widened to what sharp edges would give, and a little more."""
        return self.statics.widened(sharp_outset(self.profile))

    # ---- what statics says

    @cached_property
    def supported(self) -> bool:
        """Whether statics lets it stand on its supports alone (V), on a level table."""
        return not self._leaning and self._certain(self.statics.proven_stance, False)

    def _bears(self, direction: Direction, tilt_deg: float) -> bool:
        """Whether statics lets it stand on its supports alone on a table tilted that way."""
        known = self._borne.get((direction, tilt_deg))
        if known is None:
            known = self._borne[direction, tilt_deg] = self._bears_anew(direction, tilt_deg)
        return known

    def _bears_anew(self, direction: Direction, tilt_deg: float) -> bool:
        if math.tan(math.radians(tilt_deg)) > self.profile.friction.value:
            return False
        lean = _downhill(direction, math.tan(math.radians(tilt_deg)))
        return self._certain(lambda: self.statics.stands_on_supports(lean), False)

    @cached_property
    def clear(self) -> bool:
        """Whether statics vouches for it on a tilted table: it bears more than the marginal tilt in every direction."""
        if not self.supported:
            return False
        return self._bears_all_round or all(self._bears(d, numbers.CLEAR_TILT_DEG) for d in numbers.COMPASS)

    @cached_property
    def _bears_all_round(self) -> bool:
        """Whether four leans prove that it bears more than the marginal tilt in every direction."""
        slope = math.tan(math.radians(numbers.CLEAR_TILT_DEG))
        return self._certain(lambda: self.statics.bears_all_round(slope, self.profile.friction.value), False)

    @cached_property
    def assured(self) -> bool:
        """Whether statics vouches for it on a level table: it stands, and by more than a little."""
        if not self.supported:
            return False
        return self._bears_all_round or self._certain(lambda: self.statics.stands_shrunk(numbers.ASSURED_UNITS), False)

    @property
    def hopeless(self) -> bool:
        """Whether statics rules it out: no forces at all could hold it, friction and side faces included (F)."""
        return self._fall is not None

    @cached_property
    def _fall(self) -> Fall | None:
        """The way it falls where statics rules it out: with sharp edges, or else with those there are."""
        return None if self.supported else self._sharp_fall or self._proven_fall((0.0, 0.0))

    @cached_property
    def _sharp_fall(self) -> Fall | None:
        """The way it falls where no forces at all could hold it, not even with sharp edges."""
        return (
            None
            if self._leaning
            else self._certain(lambda: self._sharp_statics.checked_fall(self.profile.friction.value), None)
        )

    def _proven_fall(self, lean: tuple[float, float]) -> Fall | None:
        return (
            None
            if self._leaning
            else self._certain(lambda: self._softer_statics.checked_fall(self.profile.friction.value, lean), None)
        )

    @property
    def static_verdict(self) -> str:
        """What statics says: "stands", "topples" or "undecided"."""
        return "stands" if self.supported else "topples" if self.hopeless else "undecided"

    @cached_property
    def static_tilt_deg(self) -> float:
        """The least tilt, over the compass, that the supports alone do not bear."""
        if not self.supported:
            return 0.0
        try:
            return self.statics.least_tilt_deg(self.profile.friction.value)
        except StaticsError as error:
            self.static_fault = str(error)
            return 0.0

    def _certain(self, answer: Callable[[], Answer], otherwise: Answer) -> Answer:
        """The answer of a linear program; the other one where the solver came to no end, and that is noted."""
        try:
            return answer()
        except StaticsError as error:
            self.static_fault = str(error)
            return otherwise

    # ---- what the simulation shows

    def _simulate(self, question: str, setup: Setup, bodies: tuple[Body, ...] = ()) -> Outcome:
        outcome = run(bodies or self._bodies, materials(self.profile), setup)
        cost = self.costs.get(question, Cost())
        self.costs[question] = cost.plus(Cost(1, outcome.steps, outcome.sim_s))
        return outcome

    @cached_property
    def level(self) -> Outcome:
        """The simulation on a level table, up to rest or the first fall."""
        return self._on_level_table("level", aftermath=False)

    @cached_property
    def followed(self) -> Outcome:
        """The simulation on a level table, up to rest or until what fell lies still."""
        return self._on_level_table("followed", aftermath=True)

    def _on_level_table(self, question: str, aftermath: bool) -> Outcome:
        """Swiftly where statics has proven the answer; where it has not, or where the simulation shows another, fairly
        and then carefully; at utmost effort where that came to no end or where statics still says the opposite."""
        setup = Setup(patience=CALM if self.assured else WARY, aftermath=aftermath)
        if (swift := self._as_proven(question, setup, self.assured, self._fall)) is not None:
            return swift
        if not self.hopeless:
            fair = self._simulate(question, replace(setup, effort=FAIR, aftermath=False))
            if fair.stood:
                return fair
        first = self._simulate(question, setup)
        no_end = first.end in (End.NO_REST, End.BLOWN_UP)
        against_statics = self.hopeless if first.stood else self.supported
        if no_end or against_statics:
            return self._simulate(question, replace(setup, effort=UTMOST, patience=WARY))
        return first

    def _as_proven(self, question: str, setup: Setup, assured: bool, fall: Fall | None) -> Outcome | None:
        """The simulation at swift effort, where statics has proven what must come out and that comes out."""
        if not assured and fall is None:
            return None
        doomed = fall.moving if fall else frozenset()
        patience = BRIEF if assured else WARY
        swift = self._simulate(question, replace(setup, effort=SWIFT, patience=patience, doomed=doomed, still=assured))
        as_proven = swift.stood and not swift.stirred if assured else swift.began_with(doomed)
        return swift if as_proven else None

    def replay(self) -> Outcome:
        """The simulation that decided once more, to the end and with every frame kept."""
        return run(self._bodies, materials(self.profile), replace(self.shown.setup, aftermath=True, frames=True))

    @property
    def stands(self) -> bool:
        """Whether it stands on a level table."""
        return self.shown.stood

    @property
    def shown(self) -> Outcome:
        """The simulation on a level table that gave the answer."""
        return self.followed if "followed" in self.__dict__ else self.level

    def stands_tilted(self, question: str, direction: Direction, tilt_deg: float) -> bool:
        """Whether it stands on a table tilted that way, by simulation."""
        lean = _downhill(direction, math.sin(math.radians(tilt_deg)))
        bears = self._bears(direction, tilt_deg)
        assured = bears and self._bears(direction, tilt_deg + numbers.SPARE_TILT_DEG)
        fall = None if bears else self._proven_fall(_downhill(direction, math.tan(math.radians(tilt_deg))))
        if (swift := self._as_proven(question, Setup(lean=lean), assured, fall)) is not None:
            return swift.stood
        # Where statics vouches for it, the simulation need not wait for a fall that begins slowly.
        setup = Setup(lean=lean, patience=CALM if bears else WARY)
        if fall is None and self._simulate(question, replace(setup, effort=FAIR)).stood:
            return True
        first = self._simulate(question, setup)
        if first.stood or (first.end is End.FELL and not bears):
            return first.stood
        return self._simulate(question, replace(setup, effort=UTMOST)).stood

    def stands_all_round(self, question: str, tilt_deg: float) -> bool:
        """Whether it stands on a table tilted that far, in every direction of the compass; by simulation."""
        if tilt_deg == 0 or not self.stands:
            return self.stands
        if tilt_deg not in self._all_round:
            self._all_round[tilt_deg] = all(
                self.stands_tilted(question, direction, tilt_deg)
                for direction in self._likely_falls_first(numbers.COMPASS, tilt_deg)
            )
        return self._all_round[tilt_deg]

    def _likely_falls_first(self, directions: Iterable[Direction], tilt_deg: float) -> list[Direction]:
        """Those first for which statics does not vouch: one in which it falls is enough."""
        return sorted(directions, key=lambda direction: self._bears(direction, tilt_deg))

    @cached_property
    def marginal(self) -> bool:
        """Whether the answer hangs by a hair.

        It stands but falls with the table tilted by the marginal angle: simulated in each direction for which
        statics does not vouch. Or it falls although sharp edges could just carry it.
        """
        if self.stands:
            if self.clear:
                return False
            in_doubt = [d for d in numbers.COMPASS if not self._bears(d, numbers.CLEAR_TILT_DEG)]
            ordered = self._likely_falls_first(in_doubt, numbers.MARGINAL_TILT_DEG)
            return any(not self.stands_tilted("marginal", d, numbers.MARGINAL_TILT_DEG) for d in ordered)
        if self._sharp_fall:
            return False
        return self._certain(self._sharp_statics.stands_on_supports, False) or self._sharp_edges_hold_it()

    def _sharp_edges_hold_it(self) -> bool:
        """Whether sharp edges would carry it by more than supports: a lean. Simulated."""
        sharp = bodies_of(self.profile.changed({"edge_inset_mm": 0.0}), self.scene.blocks, self.scene.pawns)
        setup = Setup(patience=WARY)
        fair = self._simulate("marginal", replace(setup, effort=FAIR), sharp)
        return fair.stood or self._simulate("marginal", setup, sharp).stood

    @cached_property
    def tilt_deg(self) -> float:
        """The least tilt, over the compass, at which the simulated tower falls; 0 if it does not stand level."""
        if not self.stands:
            return 0.0
        guess = self.static_tilt_deg if self.supported else None
        return least_tilt(lambda direction, tilt: self.stands_tilted("tilt_deg", direction, tilt), guess)


def _downhill(direction: Direction, slope: float) -> tuple[float, float]:
    length = math.hypot(*direction)
    return slope * direction[0] / length, slope * direction[1] / length


def least_tilt(stands: Callable[[Direction, float], bool], guess_deg: float | None) -> float:
    """The least tilt over the compass at which `stands` says no, to a tenth of a degree.

    Each direction is first asked just below the best so far; only if it falls there is it searched. A guess
    that holds makes the search short; one that does not costs two questions.
    """
    step = numbers.TILT_RESOLUTION_DEG
    best = round(numbers.STEEPEST_TILT_DEG / step)
    for direction in numbers.COMPASS:
        if best <= 1 or stands(direction, (best - 1) * step):
            continue  # a level table is known to carry it
        low, high = 0, best - 1
        for near in (-3, 3) if guess_deg is not None else ():
            guess = round((guess_deg or 0.0) / step) + near
            if low < guess < high:
                low, high = (guess, high) if stands(direction, guess * step) else (low, guess)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if stands(direction, middle * step) else (low, middle)
        best = high
    return round(best * step, 1)
