"""What there is to see: pieces where they stand, what is marked about them, and how they move.

Every picture, page and desk is drawn from a scene. Lengths are in units, z is up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from talo_physics.faces.view.caption import UNTITLED, Caption, caption_of
from talo_physics.faces.view.motion import STILL, Motion, motion_of
from talo_physics.faces.view.palette import FALLEN, HELD, PAWNS, STATE_SHARE, WOOD, Colour, mixed
from talo_physics.faces.view.shapes import Array, Shell, moved, set_down, shell_of
from talo_physics.geometry.board import Board, shipped_board
from talo_physics.geometry.profile import Profile, shipped_profile
from talo_physics.judgement import Judgement
from talo_physics.tower.finding import Replay, Verdict
from talo_physics.tower.pawn import Pawn
from talo_physics.tower.placement import Block, FreePose
from talo_physics.tower.proposal import PawnMove, Together
from talo_physics.tower.space import snapped
from talo_physics.tower.tower import Tower


class State(StrEnum):
    """What became of a piece."""

    STANDS = "stands"
    FALLEN = "fallen"
    HELD = "held"
    """It stands, but would fall if a pawn left."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A block or a pawn to look at."""

    thing: Block | Pawn
    matrix: Array
    """Where its shell stands (4, 4)."""
    shell: Shell
    state: State = State.STANDS
    proposed: bool = False

    @property
    def is_pawn(self) -> bool:
        """Whether it is a pawn."""
        return isinstance(self.thing, Pawn)

    @property
    def label(self) -> str:
        """What is printed on it: a block's length."""
        return "" if isinstance(self.thing, Pawn) else str(self.thing.length)

    @property
    def colour(self) -> Colour:
        """Pawns have their own, blocks that of their length and of what became of them."""
        if isinstance(self.thing, Pawn):
            return PAWNS[self.thing.colour]
        wood = WOOD[self.thing.length]
        tint = {State.FALLEN: FALLEN, State.HELD: HELD}.get(self.state)
        return mixed(wood, tint, STATE_SHARE) if tint else wood

    @property
    def faces(self) -> Shell:
        """Its faces where it stands."""
        return moved(self.shell, self.matrix)


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that a picture shows."""

    board: Board
    profile: Profile
    pieces: tuple[Piece, ...] = ()
    ghosts: tuple[Piece, ...] = ()
    """Proposed, but not there: their space is taken, or an earlier step fell."""
    moves: tuple[PawnMove, ...] = ()
    motion: Motion = STILL
    caption: Caption = UNTITLED

    def at(self, time_s: float) -> Scene:
        """The scene at one moment of its motion, at rest."""
        placed = self.motion.at(time_s)
        if not placed:
            return replace(self, motion=STILL)
        moved_on = zip(self._moving(), placed, strict=True)
        return replace(self, pieces=tuple(replace(p, matrix=matrix) for p, matrix in moved_on), motion=STILL)

    def _moving(self) -> tuple[Piece, ...]:
        """The pieces that take part in the motion; a motion without a pawn shows what happens when it is gone."""
        return tuple(piece for piece, there in zip(self.pieces, self.motion.present, strict=True) if there)

    @property
    def corners(self) -> Array:
        """(n, 3), all that should be in the picture."""
        shown = [np.vstack(piece.faces) for piece in (*self.pieces, *self.ghosts)]
        if self.board.fields is not None or not shown:
            shown.append(np.array([(x, y, 0.0) for x in (0.0, 10.0) for y in (0.0, 10.0)]))
        shown += self.motion.places()
        return np.vstack(shown)

    @property
    def top(self) -> float:
        """The highest level that anything reaches."""
        tops = [float(np.vstack(piece.faces)[:, 2].max()) for piece in self.pieces if not piece.is_pawn]
        return max(tops, default=0.0)


def scene_of(thing: Tower | Judgement | Replay, board: Board | None = None, profile: Profile | None = None) -> Scene:
    """What there is to see of a tower, a judgement or a replay.

    A judgement knows its board and profile. For the others these are the green board (for blocks in free poses
    the bare table) and the nominal profile, unless told otherwise.
    """
    if isinstance(thing, Judgement):
        return _of_judgement(thing)
    free = any(isinstance(block, FreePose) for block in thing.blocks)
    board = board or shipped_board("table" if free else "green")
    profile = profile or shipped_profile("nominal")
    tower = thing if isinstance(thing, Tower) else Tower(thing.blocks, thing.pawns)
    scene = Scene(board, profile, _pieces(tower, profile))
    if isinstance(thing, Replay):
        return replace(scene, motion=motion_of(thing, tower, [piece.matrix for piece in scene.pieces]))
    return scene


def _of_judgement(answer: Judgement) -> Scene:
    scenario, finding = answer.scenario, answer.finding
    tower, profile = answer.ruling.situation.after, scenario.profile
    steps = scenario.proposal.steps if scenario.proposal else ()
    moves = tuple(step for step in steps if isinstance(step, PawnMove))
    proposed = set(tower.blocks) - set(scenario.tower.blocks)
    fallen = State.HELD if finding.verdict is Verdict.NEEDS_PAWN else State.FALLEN
    states: dict[Block | Pawn, State] = dict.fromkeys((*finding.fallen, *finding.fallen_pawns), fallen)
    pieces = tuple(
        replace(
            piece,
            state=states.get(piece.thing, State.STANDS),
            proposed=piece.thing in proposed or any(piece.thing == move.end for move in moves),
        )
        for piece in _pieces(tower, profile)
    )
    wanted = [block for step in steps if isinstance(step, Together) for block in step.blocks]
    ghosts = [block for block in wanted if not {block, _snapped(block)} & set(tower.blocks)]
    motion = STILL
    if finding.replay:
        needs_pawn = finding.verdict is Verdict.NEEDS_PAWN
        motion = motion_of(finding.replay, tower, [piece.matrix for piece in pieces], without_pawns=needs_pawn)
    return Scene(
        scenario.board, profile, pieces, _pieces(Tower(tuple(ghosts)), profile), moves, motion, caption_of(answer)
    )


def _snapped(block: Block) -> Block:
    return (snapped(block) or block) if isinstance(block, FreePose) else block


def _pieces(tower: Tower, profile: Profile) -> tuple[Piece, ...]:
    things: Iterable[Block | Pawn] = (*tower.blocks, *tower.pawns)
    placed = set_down(profile, tower)
    return tuple(Piece(thing, matrix, shell_of(profile, thing)) for thing, matrix in zip(things, placed, strict=True))
