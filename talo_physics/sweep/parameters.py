"""The parameters of a sweep: figures of the profile, the tilt of the table, draws from the spread, and hands."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from talo_physics.datafile import Path_
from talo_physics.errors import TaloError
from talo_physics.geometry.hand import HANDS
from talo_physics.geometry.profile import Figure, Profile, figure_keys, is_figure_key

TILT, SPREAD, HAND = "tilt_deg", "spread", "hand"
STEEPEST_DEG = 45.0
MOST_VALUES = 100_000
WIDEST_DRAW = 2.0
"""In standard deviations: what strays farther is sorted out by who makes the blocks."""

Wrong = tuple[Path_, str]


@dataclass(frozen=True)
class Axis:
    """One parameter and the values that it takes. Those of `spread` are the numbers of its draws."""

    name: str
    values: tuple[float | str, ...]


@dataclass(frozen=True)
class Point:
    """One choice of all parameters."""

    settings: tuple[tuple[str, float], ...] = ()
    """Figures of the profile, by their keys."""
    tilt_deg: float | None = None
    draw: int | None = None
    hand: str | None = None

    def to_json(self) -> dict[str, float | str]:
        """As it is written in a row."""
        extra = {"table_tilt_deg": self.tilt_deg, "draw": self.draw, "hand": self.hand}
        return {**dict(self.settings), **{name: value for name, value in extra.items() if value is not None}}

    def profile(self, base: Profile, seed: int) -> Profile:
        """The base profile with these figures; what is not set is drawn, if this is a draw.

        Raises:
            TaloError: figures that cannot be, each by itself or together.
        """
        chosen = dict(self.settings)
        changed = base.changed(chosen) if chosen else base
        if self.draw is None:
            return changed
        drawn = {
            key: _drawn(figure, f"spread/{seed}/{self.draw}/{key}")
            for key, figure in figures(changed)
            if figure.spread > 0  # a figure that was set has none
        }
        label = f"{changed.name}, draw {self.draw}"
        return changed.changed(drawn).model_copy(update={"name": label}) if drawn else changed


def points(axes: tuple[Axis, ...]) -> list[Point]:
    """Every combination, the last axis fastest; tilt fastest of all, so that the same blocks follow each other."""
    found = []
    axes = tuple(sorted(axes, key=lambda axis: axis.name == TILT))
    for values in product(*(axis.values for axis in axes)):
        chosen = dict(zip((axis.name for axis in axes), values, strict=True))
        tilt, draw, hand = (chosen.pop(name, None) for name in (TILT, SPREAD, HAND))
        settings = tuple((name, float(value)) for name, value in chosen.items())
        found.append(
            Point(
                settings,
                None if tilt is None else float(tilt),
                None if draw is None else int(draw),
                None if hand is None else str(hand),
            )
        )
    return found


def figures(profile: Profile) -> Iterator[tuple[str, Figure]]:
    """Every figure of a profile that is known, by its key."""
    for key in figure_keys():
        if key.startswith("pawn."):
            yield key, getattr(profile.pawn, key.removeprefix("pawn."))
        elif not key.startswith("blocks."):
            yield key, getattr(profile, key)
    for length, block in sorted(profile.blocks.items()):
        for name in type(block).model_fields:
            if (figure := getattr(block, name)) is not None:
                yield f"blocks.{length}.{name}", figure


def _drawn(figure: Figure, seed: str) -> float:
    """A draw from a normal distribution without its ends; the same for the same seed."""
    rng = random.Random(seed)
    while abs(strays := rng.gauss(0.0, 1.0)) > WIDEST_DRAW:
        pass
    return figure.value + strays * figure.spread


# ---- reading


def read_parameters(given: Mapping[str, Any], profile: Profile) -> tuple[tuple[Axis, ...], list[Wrong]]:
    """The axes, and all that is wrong with them: where, and in words."""
    axes: list[Axis] = []
    wrong: list[Wrong] = []
    for name, value in given.items():
        if name == HAND:
            names, faults = _hands(value)
            wrong += [((HAND, *where), message) for where, message in faults]
            axes.append(Axis(HAND, tuple(names)))
            continue
        values, faults = _values(str(name), value)
        for number in values if not faults and is_figure_key(str(name)) else ():
            try:
                profile.changed({str(name): number})
            except TaloError as error:
                faults.append(((), str(error).removeprefix(f"--set {name}: ")))
        wrong += [((str(name), *where), message) for where, message in faults]
        axes.append(Axis(str(name), tuple(values)))
    return tuple(axes), wrong


def _values(name: str, value: Any) -> tuple[list[float], list[Wrong]]:
    if name == SPREAD:
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_VALUES:
            return [], [((), f"a number of draws from 1 to {MOST_VALUES} was expected, not {value!r:.40}")]
        return [float(draw) for draw in range(value)], []
    if name != TILT and not is_figure_key(name):
        known = ", ".join([TILT, SPREAD, HAND, *figure_keys()])
        return [], [((), f"no such parameter; known: {known}")]
    values, faults = _range(value) if isinstance(value, dict) else _list(value)
    if name == TILT:
        steep = [number for number in values if not 0 <= number <= STEEPEST_DEG]
        faults += [((), f"a tilt lies between 0 and {STEEPEST_DEG:g} degrees, not {number:g}") for number in steep]
    if not faults and len(set(values)) < len(values):
        faults.append(((), "a value is given twice"))
    return values, faults


def _hands(value: Any) -> tuple[list[str], list[Wrong]]:
    """Names of shipped hands."""
    names = value if isinstance(value, list) else [value]
    faults: list[Wrong] = [
        (
            (i,) if isinstance(value, list) else (),
            f"one of the hands {', '.join(HANDS.names)} was expected, not {name!r:.40}",
        )
        for i, name in enumerate(names)
        if name not in HANDS.names
    ]
    if not faults and (not names or len(set(names)) < len(names)):
        faults.append(((), "different hands were expected"))
    return [str(name) for name in names], faults


def _list(value: Any) -> tuple[list[float], list[Wrong]]:
    if not isinstance(value, list):
        return ([float(value)], []) if _is_number(value) else ([], [((), _expected(value))])
    if not value or len(value) > MOST_VALUES:
        return [], [((), f"1 to {MOST_VALUES} numbers were expected, not {len(value)}")]
    faults: list[Wrong] = [((i,), _expected(item)) for i, item in enumerate(value) if not _is_number(item)]
    return [float(item) for item in value if _is_number(item)], faults


def _range(value: dict[Any, Any]) -> tuple[list[float], list[Wrong]]:
    """`{from: 0.2, to: 0.6, steps: 5}`: five numbers, both ends included."""
    faults: list[Wrong] = [((str(key),), "unknown field; known: from, to, steps") for key in set(value) - set(_RANGE)]
    faults += [((), f"{key} is required") for key in _RANGE if key not in value]
    faults += [((key,), _expected(value[key])) for key in _RANGE[:2] if key in value and not _is_number(value[key])]
    steps = value.get("steps", 2)
    if not isinstance(steps, int) or isinstance(steps, bool) or not 2 <= steps <= MOST_VALUES:
        faults.append((("steps",), f"a whole number from 2 to {MOST_VALUES} was expected, not {steps!r:.40}"))
    if faults:
        return [], faults
    low, high = float(value["from"]), float(value["to"])
    # Rounded, so that 0.1 to 0.3 in three steps is 0.2 in the middle and not 0.20000000000000001.
    return [round(low + (high - low) * i / (steps - 1), 12) for i in range(steps)], []


_RANGE = ("from", "to", "steps")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _expected(value: Any) -> str:
    return f"a number, a list of them or {{from: 0.2, to: 0.6, steps: 5}} was expected, not {value!r:.40}"
