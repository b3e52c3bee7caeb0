"""A game of computer players, played to its end by the referee, as the columns of a row."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import product

from talo_physics.errors import TaloError
from talo_physics.game.computer import COMPUTERS, throw_for
from talo_physics.game.die import Die
from talo_physics.game.playing import Played, play
from talo_physics.game.record import Entry, Record
from talo_physics.game.session import new_record
from talo_physics.game.state import State
from talo_physics.geometry.profile import Profile
from talo_physics.judgement import examiner_for
from talo_physics.rules.take import STOCK
from talo_physics.sweep.columns import Row
from talo_physics.sweep.spec import Games


def game_seed(seed: int, number: int) -> int:
    """The seed of the die, the start fields and the players of a game."""
    return random.Random(f"games/{seed}/{number}").randrange(10**9)


def seating(games: Games, number: int) -> tuple[str, ...]:
    """Who plays the game of a number, in the order of turns: every way to seat the kinds, one after the other."""
    ways = list(product(games.computers, repeat=len(games.players)))
    return ways[number % len(ways)]


def game_row(games: Games, number: int, sweep_seed: int, profile: Profile) -> Row:
    """Play a game; what came of it."""
    kinds = seating(games, number)
    record = new_record(
        games.players,
        seed=game_seed(sweep_seed, number),
        edition=games.edition,
        board=games.board_name,
        computers=tuple(zip(games.players, kinds, strict=True)),
    )
    start = record.start()
    state = replace(start, setting=replace(start.setting, profile=profile))
    played = _played(record, state, games.most_turns)
    record = replace(record, profile=profile.name)
    for turn in played:
        record = record.plus(Entry(turn.before.number, turn.turn, turn.words))
    return {"text": str(record), "computers": list(kinds), **_ended(played)}


def _played(record: Record, state: State, most_turns: int) -> list[Played]:
    """The turns to the end of the game, or as many as are wanted."""
    seed, physics = record.seed or 0, examiner_for(state.setting.profile)
    die = Die(seed)
    computers = {colour: COMPUTERS[kind](seed, kind) for colour, kind in record.computers}
    turns: list[Played] = []
    while state.result is None and state.number <= most_turns:
        turn = computers[state.to_move].turn(state, throw_for(state, die, physics), physics)
        played = play(state, turn, physics)
        if played.refused:
            raise TaloError(f"turn {state.number}: the computer's turn was refused: {played.words}")
        turns.append(played)
        state = played.after
    return turns


def _ended(turns: list[Played]) -> Row:
    """How it ended. Of a game that ended with a collapse, tower and pawns are those before what fell was placed."""
    last = turns[-1]
    state, result, collapse = last.after, last.after.result, last.ruling.collapse
    lengths = Counter(block.length for block in state.tower.blocks)
    pawns = [state.pawn_of(colour) for colour in state.setting.players]
    return {
        "blocks": len(state.tower.blocks),
        "built": [lengths[length] for length in STOCK],
        "levels": [pawn.z for pawn in pawns if pawn],
        "result": result.kind if result else "unfinished",
        "winner": list(result.winner) if result else [],
        "loser": result.loser if result else None,
        "extent": collapse.extent if collapse and collapse.ends else None,
        "falls": sum(turn.ruling.collapse is not None for turn in turns),
        "turns": state.number - 1,
    }
