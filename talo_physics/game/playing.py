"""Playing a turn: a state and a turn go in, a new state or a refusal comes out, with the ruling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from talo_physics.game.state import Result, State
from talo_physics.game.turn import Turn
from talo_physics.game.unfolding import can_build
from talo_physics.judgement import examiner_for
from talo_physics.rules.referee import rule_on_steps
from talo_physics.rules.ruling import Physics, Ruling
from talo_physics.rules.situation import Breach
from talo_physics.rules.take import HIGHEST_THROW, MOST_THROWS, combinations, take_matches
from talo_physics.tower.finding import Wishes
from talo_physics.tower.proposal import Bump

IN_A_GAME = Wishes(marginal=False, counterweights=False, before=False)
"""What a ruling in the middle of a game needs; the tower is known to have stood before."""
FOR_PEOPLE = replace(IN_A_GAME, marginal=True)
"""People want to be told that what they built hangs by a hair."""
FALLS = frozenset({"balance.falls", "balance.even-tips", "balance.odd-centred"})
"""What a fall breaks. It is not refused: it has happened, and is adjudicated."""


@dataclass(frozen=True)
class Played:
    """A turn, the ruling on it, and the state before and after; the same state where it was refused."""

    turn: Turn
    ruling: Ruling
    before: State
    after: State

    @property
    def refused(self) -> bool:
        """Whether it broke a rule, so that nothing of it counts."""
        return self.after is self.before

    @property
    def wants_word(self) -> bool:
        """Whether the players should say if what fell could be rebuilt as it was."""
        told = self.refused or self.turn.rebuilt is not None or self.before.setting.variant != "standard"
        return self.ruling.collapse is not None and not told

    @property
    def violations(self) -> tuple[str, ...]:
        """The ids of all rules that it breaks."""
        return self.ruling.violations

    @property
    def words(self) -> str:
        """The ruling as a record writes it: `legal`, `illegal: take.sum`, `wins: win.level-10` and so on."""
        if self.refused:
            return f"illegal: {', '.join(self.violations)}"
        if collapse := self.ruling.collapse:
            follows = [f"{collapse.loser} loses"] if collapse.loser else []
            winners, verb = " and ".join(collapse.winner), "wins" if len(collapse.winner) == 1 else "win"
            follows += [f"{winners} {verb}"] if winners else []
            follows += [] if collapse.ends else ["rebuilt"]
            return f"collapse {', '.join([collapse.extent, *follows])}: {', '.join(collapse.rules)}"
        if result := self.after.result:
            word = {"won": "wins"}.get(result.kind, result.kind)
            return f"{word}: {', '.join(result.rules)}"
        return "legal" if self.turn.taken else "lost: take.reroll"


def play(state: State, turn: Turn, physics: Physics | None = None, wishes: Wishes = IN_A_GAME) -> Played:
    """Play a turn. A turn that breaks a rule is refused, with every breach; one that brings something down is not.

    >>> from talo_physics.game.state import Setting, new_game
    >>> from talo_physics import Pawn
    >>> start = new_game(Setting(("red", "blue")), [Pawn.parse("red@2,2,0"), Pawn.parse("blue@7,7,0")])
    >>> played = play(start, Turn.parse("red 4 = 4: 4x@3,2,0; red@2,2,0 -> red@3,2,1"))
    >>> played.words, played.after.to_move
    ('legal', 'blue')
    >>> play(start, Turn.parse("red 5 = 4: 4x@3,2,0")).words
    'illegal: take.sum'
    """
    physics = physics or examiner_for(state.setting.profile)
    ruling = rule_on_steps(state.situation, turn.steps, physics, wishes, turn.rebuilt)
    breaches = [*_order(state, turn), *_taking(state, turn, physics), *_building(turn, ruling), *_words(state, turn)]
    if turn.rebuilt is not None and not ruling.fell:
        breaches.append(Breach("collapse.rebuilt", "nothing fell: there is nothing to rebuild"))
    # What was to come after a fall does not undo it.
    own = tuple(breach for breach in ruling.breaches if not ruling.fell or breach not in ruling.later)
    ruling = replace(ruling, breaches=(*breaches, *own), later=())
    refused = any(breach.rule not in FALLS for breach in ruling.breaches)
    return Played(turn, ruling, state, state if refused else _after(state, turn, ruling, physics))


def _order(state: State, turn: Turn) -> Iterator[Breach]:
    """Whose turn it is, and whether there is any."""
    if state.result:
        yield Breach(state.result.rules[0], f"the game is over: {state.result}")
    elif turn.player != state.to_move:
        yield Breach("setup.order", f"it is {state.to_move}'s turn, not {turn.player}'s")


def _taking(state: State, turn: Turn, physics: Physics) -> Iterator[Breach]:
    """`take.*`: the throws, and what was taken for the last of them."""
    wrong = [throw for throw in turn.throws if not 1 <= throw <= HIGHEST_THROW]
    if wrong or not turn.throws:
        yield Breach("take.sum", f"a throw of {wrong[0] if wrong else 'nothing'}: the die shows 1 to {HIGHEST_THROW}")
        return
    if len(turn.throws) > MOST_THROWS:
        yield Breach("take.reroll", f"{len(turn.throws)} throws; {MOST_THROWS} at most")
    for throw in turn.throws[:-1]:
        if counts(state, throw, physics):
            yield Breach("take.reroll", f"blocks for a throw of {throw} could have been taken")
    if not turn.taken and can_build(state, turn.throws[-1], physics):
        yield Breach("take.reroll", f"blocks for a throw of {turn.throws[-1]} could have been taken and built")
    if turn.taken:
        yield from take_matches(turn.throws[-1], turn.taken)
        for length, count in sorted((Counter(turn.taken) - state.stock).items()):
            yield Breach("take.stock", f"{count} more of length {length} than are left in stock")
        return
    if not all(isinstance(step, Bump) for step in turn.steps):
        yield Breach("take.reroll", "a lost turn has neither building nor a pawn's move")
    if len(turn.throws) < MOST_THROWS and not counts(state, turn.throws[-1], physics):
        yield Breach("take.reroll", f"{len(turn.throws)} of {MOST_THROWS} throws: throw again")


def counts(state: State, throw: int, physics: Physics) -> bool:
    """Whether a throw ends the throwing: something can be taken for it, and built unless the option says `pass`."""
    if not combinations(throw, state.stock):
        return False
    return state.setting.options.unplaceable == "pass" or can_build(state, throw, physics)


def _building(turn: Turn, ruling: Ruling) -> Iterator[Breach]:
    """`build.all`: what was taken is built, and nothing else is."""
    taken, built = Counter(turn.taken), Counter(block.length for block in turn.blocks)
    for length in sorted((built - taken).elements()):
        yield Breach("take.sum", f"a block of length {length} is built that was not taken")
    if ruling.fell or ruling.winner:
        return  # the game stopped before all was built
    for length in sorted((taken - built).elements()):
        yield Breach("build.all", f"a block of length {length} was taken and not built")


def _words(state: State, turn: Turn) -> Iterator[Breach]:
    """What players may say only in the one or the other variant."""
    fantasy = state.setting.variant == "fantasy"
    if turn.aim_reached and not fantasy:
        yield Breach("win.level-10", "the game is won on level 10, not by an aim of one's own")
    if turn.rebuilt is not None and fantasy:
        yield Breach("fantasy.ends", "what comes crashing down ends a Fantasy game")


def _after(state: State, turn: Turn, ruling: Ruling, physics: Physics) -> State:
    """The state after a turn that counts."""
    after = State(state.setting, ruling.after, state.number + 1)
    if ruling.collapse:
        collapse = ruling.collapse
        if not collapse.ends:
            return after
        return replace(after, result=Result("collapse", collapse.winner, collapse.loser, collapse.rules))
    if ruling.winner:
        return replace(after, result=Result("won", (ruling.winner,), None, ("win.level-10",)))
    if turn.aim_reached:
        return replace(after, result=Result("done", rules=("fantasy.aim",)))
    stuck = not turn.taken and not any(can_build(after, throw, physics) for throw in range(1, HIGHEST_THROW + 1))
    if not after.stock or stuck:
        fantasy = state.setting.variant == "fantasy"
        done = Result("done", rules=("fantasy.ends",)) if fantasy else Result("drawn", rules=("take.reroll",))
        return replace(after, result=done)
    return after
