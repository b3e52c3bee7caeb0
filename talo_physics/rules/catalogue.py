"""Every rule that a ruling can cite, by its id, in our own words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A rule: its id, what it says, and the rulebook's figures that show it."""

    id: str
    says: str
    figures: tuple[int, ...] = ()
    permits: bool = False
    """Whether it only allows something, or says what follows: then nothing breaks it."""


_ALL = (
    Rule("setup.players", "two to four players, each with a pawn of its own colour"),
    Rule("setup.order", "the youngest begins, then clockwise"),
    Rule("setup.start", "a pawn starts on a free start field of its board"),
    Rule("setup.middle-island", "no pawn starts on the middle island"),
    Rule("setup.water", "no pawn ever stands on water"),
    Rule("take.sum", "a throw is answered by one block of that length or by two that add up to it"),
    Rule("take.stock", "only blocks that are still in stock can be taken"),
    Rule("take.reroll", "without a matching combination throw again, three times in all, then the turn is lost"),
    Rule("build.all", "the blocks that were taken are built in the same turn"),
    Rule("build.grid", "every block lies or stands exactly on the grid"),
    Rule("build.diagonal", "no block is turned against the grid", (6,)),
    Rule("build.edge", "in layer 0 a block stays on the board", (7,)),
    Rule("build.overhang", "from layer 1 on a block may stick out beyond the board", (8,), permits=True),
    Rule("build.height", "nothing reaches above level 10", (9,)),
    Rule("build.water", "in layer 0 only islands are built on"),
    Rule("build.space", "two things cannot be in the same space"),
    Rule("build.support", "a block rests on the board or on another block"),
    Rule("balance.falls", "nothing ever falls"),
    Rule("balance.odd-centred", "an odd block across a single block must lie centred", (18,)),
    Rule("balance.even-tips", "an even block on a single standing block tips", (19,)),
    Rule("balance.lean", "unless a higher block beside it takes its lean", (20,), permits=True),
    Rule("balance.together", "the two blocks of a turn may be placed at the same time to balance each other", (21,)),
    Rule("balance.pawn", "no pawn's weight may be needed to hold the construction", (22,)),
    Rule("move.own", "in a turn only the own pawn moves, before, between or after the building steps"),
    Rule("move.start-waits", "a pawn on level 0 waits until a block lies right beside it", (10,)),
    Rule("move.free", "on blocks a pawn goes any distance in the four directions", (11, 12)),
    Rule("move.step", "each step up or down is exactly one level", (13, 14)),
    Rule("move.diagonal", "a pawn never goes diagonally", (15,)),
    Rule("move.occupied", "a pawn never goes onto, through or over another pawn", (16,)),
    Rule("move.headroom", "a pawn needs two free levels above the surface it stands on", (17,)),
    Rule("win.level-10", "the first pawn on level 10 wins"),
    Rule("blockade.restart", "a pawn that can never reach level 10 any more may start again on level 0"),
    Rule("collapse.rebuilt", "a collapse that can be rebuilt as it was does not end the game"),
    Rule("collapse.ends", "a collapse that cannot be rebuilt ends the game, and who caused it has lost"),
    Rule("collapse.winner", "the winner is the player whose pawn stood highest before the collapse", permits=True),
    Rule("fantasy.free", "the Fantasy variant knows neither grid nor pawns"),
    Rule("fantasy.aim", "a Fantasy game has gone well when the group has reached its own aim"),
    Rule("fantasy.ends", "a Fantasy game ends when the construction comes down, or well when the blocks run out"),
)

RULES: dict[str, Rule] = {rule.id: rule for rule in _ALL}


def is_rule(rule_id: str) -> bool:
    """Whether the id can be cited; everything of the Fantasy variant can."""
    return rule_id in RULES or rule_id.startswith("fantasy.")


def in_order(rule_ids: set[str]) -> tuple[str, ...]:
    """Rule ids in the order of the rulebook."""
    place = {rule_id: number for number, rule_id in enumerate(RULES)}
    return tuple(sorted(rule_ids, key=lambda rule_id: (place.get(rule_id, len(place)), rule_id)))
