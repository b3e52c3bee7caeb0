"""The options by which commands are given what to judge: files, or a tower written out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from talo_physics.errors import TaloError

if TYPE_CHECKING:
    from talo_physics.scenario.model import Scenario

Command = Callable[..., None]
Decorator = Callable[[Command], Command]


def together(*options: Decorator) -> Decorator:
    """Several options as one decorator, in the order given."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _without_plus(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    """A `+` between blocks, as proposals have it, is understood in towers too: what stands there stands together."""
    return tuple(re.sub(r"(?<=\s)\+(?=\s)", " ", text) for text in texts)


figures = together(
    click.option("--profile", metavar="NAME", help="Geometry profile: a shipped name or a path."),
    click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a figure, e.g. friction=0.3."),
)
_files = click.argument("files", nargs=-1, metavar="[FILE|FOLDER|-]...")
_tower = click.option(
    "--tower",
    multiple=True,
    callback=_without_plus,
    metavar="BLOCKS",
    help='Instead of a file: "1z@3,4,0 4x@2,4,1".',
)
_propose = click.option(
    "--propose", multiple=True, metavar="STEP", help='"4x@2,4,1 + 1z@2,4,2"; again for a next step.'
)
_around = together(
    click.option("--pawn", "pawns", multiple=True, metavar="PAWN", help='With --tower: "red@3,4,1".'),
    click.option("--board", metavar="NAME", help="With --tower: green, island, classic, table or a path."),
    click.option("--edition", type=click.Choice(["island", "classic"]), help="With --tower."),
    click.option("--variant", type=click.Choice(["standard", "fantasy"]), help="With --tower."),
    click.option("--turn", metavar="COLOUR", help="With --tower: whose turn it is."),
)
inline_options = together(_tower, _propose, _around)
"""A scenario written out."""
tower_options = together(_tower, _around)
"""A tower written out, for commands that look at no proposal."""
input_options = together(_files, inline_options)


def one_scenario(
    files: tuple[str, ...], profile: str | None, settings: tuple[str, ...], inline: Mapping[str, Any] | None = None
) -> Scenario:
    """The one scenario that a command was given.

    Raises:
        TaloError: it cannot be read, or there are several.
        click.UsageError: nothing was given, or a mix of files and a written-out tower.
    """
    from talo_physics.faces.inputs import Inputs

    entries = Inputs.gather(files, inline or {}, profile, settings).entries
    if len(entries) != 1:
        raise TaloError(f"{' '.join(files)}: one scenario file was expected, not {len(entries)}")
    return entries[0].load()
