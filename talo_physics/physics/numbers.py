"""The numbers that decide a verdict, each with its unit in its name and the reason beside it.

A unit is the grid's pitch. The simulation runs at unit = 1 with the gravity of the earth, so its second is not
a second of the real table; where something falls does not depend on that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

GRAVITY = 9.81
"""In units a second squared."""

CONTACT_BREAKING_UNITS = 0.02
"""Bullet's own default, a fiftieth of a block at this scale; it is global to the process, so it is always set."""

LEAST_GAP_UNITS = 0.001
"""Blocks on the grid stay this far inside their cells even with sharp edges: side faces that touch carry weight
that they cannot carry, and make many times the contacts."""


POLL_S = 0.05
"""How often a simulation is looked at."""


@dataclass(frozen=True)
class Effort:
    """How carefully a simulation is solved."""

    name: str
    steps_a_poll: int
    iterations: int
    residual: float


SWIFT = Effort("swift", steps_a_poll=3, iterations=100, residual=1e-3)
"""Steps of 1/60 s, solved until no contact is off by more than 0.03 units a second: an eighth of the time of careful
effort, and a drift of up to 0.03 units in a quarter second. Only where statics has said with a checked proof what must
come out, and only if that does come out. Which blocks a collapse takes along differs from utmost effort no more often
than at careful effort: where more than one falls, that is chance."""
FAIR = Effort("fair", steps_a_poll=3, iterations=300, residual=1e-5)
"""For what statics leaves open, before careful effort and in a third of its time. What comes to rest here stands: a
solver that stops early lets go of what it should hold, not the reverse (on 86 open cases no tower stood here that fell
at careful effort; 4 fell that stood). What does not come to rest is a reason to look again."""
CAREFUL = Effort("careful", steps_a_poll=6, iterations=300, residual=1e-7)
"""Steps of 1/120 s. Ten 1s on each other stand with a drift of 0.001 units."""
UTMOST = Effort("utmost", steps_a_poll=96, iterations=150, residual=0.0)
"""Steps of 1/1920 s, for what came to no clear end at careful effort, or to one that statics contradicts. Small
steps do more than many iterations: 53 blocks with 0.007 units to spare drift by 0.0003 in 6 s, where careful effort
lets them fall; it takes eight times as long."""
DEBRIS = Effort("debris", steps_a_poll=6, iterations=30, residual=1e-4)
"""Once the fall is proven, where the pieces end needs no precision."""


@dataclass(frozen=True)
class Patience:
    """When a tower counts as at rest: nothing moved by more than `drift` within the last `window_s`."""

    name: str
    least_s: float
    window_s: float
    drift_units: float
    """Also in radians: a turn counts like a shift at one unit's distance."""
    most_s: float = math.inf
    """No rest by then is no rest."""


BRIEF = Patience("brief", least_s=0.25, window_s=0.25, drift_units=0.03, most_s=1.0)
"""Where statics has proven that it stands, with room to spare: in that time what nothing holds falls by 0.3 units, and
swift effort drifts by less than 0.03. What does not come to rest like that is looked at again at careful effort."""

CALM = Patience("calm", least_s=0.5, window_s=0.25, drift_units=2e-3)
"""Where statics is clear: the solver's own drift is below 0.002 units from the first quarter second on."""
WARY = Patience("wary", least_s=4.0, window_s=1.0, drift_units=1e-3)
"""Near an edge the start of a fall is slow. The slowest is a 10 on an edge, which strays from balance like
exp(0.77 t): in 4 s an overhang of 0.0005 units has turned it by 0.01 and goes on at 0.005 a second."""

CAP_S = 14.0
"""No rest and no fall by then is a result of its own."""
AFTERMATH_S = 6.0
"""After the first block has fallen, how long the others are watched at most."""
AFTERMATH_WINDOW_S = 0.5
AFTERMATH_DRIFT_UNITS = 0.005
"""Debris that moves less than this within the window has come to lie."""

FALLEN_DROP_UNITS = 0.25
FALLEN_TURN_DEG = 5.0
FALLEN_SHIFT_UNITS = 0.5
"""A block has fallen once it has dropped, turned or slid this far. The gentlest way to lose a level is a 10 with
one end a level down: it turns by 5.7 degrees and its middle drops by half a unit. A slide of half a unit leaves
its field. Settling on unequal blocks and leaning across the play of the grid stay well below."""
LEANS_FROM_DEG = 1.0
"""A block in a free pose leans if no face of it looks up to within this."""
SETTLED_UNITS = 0.5
SETTLED_TURN_DEG = 15.0
"""A leaning block is let go by eye: until it has found its hold it may drop, slide and turn this far without having
fallen. A ladder whose foot is half a unit off, or that is given a few degrees too steep, is still that ladder."""
MOVED_UNITS = 0.05
MOVED_TURN_DEG = 1.0
"""More than a hair: a millimetre, or what an eye sees against the neighbours."""
FALLING_UNITS = 0.1
FALLING_TURN_DEG = 1.5
"""A block of which statics has proven that it must fall is falling once it has moved or turned this far: three times
what swift effort drifts, and what stood so far would not go."""
BLOWN_UP_UNITS = 200.0
"""Nothing in a tower gets this far; the solver has lost it."""

MARGINAL_TILT_DEG = 1.5
"""The contract's hair: the tilt of the table that a tower must bear not to be marginal."""
CLEAR_TILT_DEG = 2.0
"""Statics vouches for a tower that bears this tilt on its supports alone; the third beyond the hair keeps what
the solver gives way (0.002 units) on the safe side."""
SPARE_TILT_DEG = 0.5
"""The same distance for other tilts: a tower that bears this much more is vouched for."""
SOFTNESS_UNITS = 2e-3
"""How far the simulation gives way in a tall tower: statics rules nothing out that is nearer to an edge."""
ASSURED_UNITS = 0.02
"""Statics vouches for a tower on a level table if its supports carry it with all their edges moved in by this much:
ten times what the simulation gives way, 0.4 mm."""
COULD_CARRY_UNITS = 1e-3
"""What "sharp edges could just carry it" allows for: 0.02 mm, the rounding of masses and measures."""
COMPASS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""The directions in which the table is tilted; as symmetric as the board."""

STEEPEST_TILT_DEG = 45.0
"""The tilt search ends here: everything wooden slides long before."""
TILT_RESOLUTION_DEG = 0.1
