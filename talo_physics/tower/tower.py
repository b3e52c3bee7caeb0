"""A tower: blocks and pawns as they stand, and what follows from where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from talo_physics.tower.pawn import HEADROOM, Pawn, Surface
from talo_physics.tower.placement import Block, Cell, Placement, parse_block

Pair = tuple[int, int]


@dataclass(frozen=True)
class Tower:
    """Blocks in the order they were built, and the pawns where they stand. Nothing checks it until asked.

    >>> tower = Tower.parse("1z@3,4,0 3x@2,4,1")  # or a list of texts
    >>> [str(surface) for surface in tower.surfaces if surface.z == 2]
    ['@2,4,2', '@3,4,2', '@4,4,2']
    """

    blocks: tuple[Block, ...] = ()
    pawns: tuple[Pawn, ...] = ()

    @classmethod
    def parse(cls, blocks: str | Iterable[str], pawns: str | Iterable[str] = ()) -> Tower:
        """Read a tower from text forms: lists of them, or one text with blanks between them.

        Raises:
            TextFormError: one that is none.
        """
        blocks = blocks.split() if isinstance(blocks, str) else blocks
        pawns = pawns.split() if isinstance(pawns, str) else pawns
        return cls(tuple(parse_block(text) for text in blocks), tuple(Pawn.parse(text) for text in pawns))

    def plus(self, blocks: Iterable[Block]) -> Tower:
        """This tower with more blocks."""
        return replace(self, blocks=(*self.blocks, *blocks))

    def with_pawns(self, pawns: Iterable[Pawn]) -> Tower:
        """This tower with other pawns."""
        return replace(self, pawns=tuple(pawns))

    @cached_property
    def on_grid(self) -> bool:
        """Whether every block is on the grid."""
        return all(isinstance(block, Placement) for block in self.blocks)

    @cached_property
    def occupancy(self) -> dict[Cell, int]:
        """Which block fills each cell; the first one listed where two claim it. Free poses fill none."""
        filled: dict[Cell, int] = {}
        for index, block in self._grid_blocks():
            for cell in block.cells:
                filled.setdefault(cell, index)
        return filled

    def _grid_blocks(self) -> Iterator[tuple[int, Placement]]:
        return ((i, block) for i, block in enumerate(self.blocks) if isinstance(block, Placement))

    @cached_property
    def surfaces(self) -> tuple[Surface, ...]:
        """The free upper faces of blocks, sorted."""
        tops = (Surface(x, y, z + 1) for x, y, z in self.occupancy if (x, y, z + 1) not in self.occupancy)
        return tuple(sorted(tops))

    def has_headroom(self, surface: Surface) -> bool:
        """Whether a pawn fits on the surface as far as blocks go."""
        return all((surface.x, surface.y, surface.z + i) not in self.occupancy for i in range(HEADROOM))

    @cached_property
    def standing_room(self) -> tuple[Surface, ...]:
        """The surfaces of blocks on which one more pawn fits, sorted."""
        taken = {cell for pawn in self.pawns for cell in pawn.cells}
        rooms = (s for s in self.surfaces if self.has_headroom(s))
        return tuple(s for s in rooms if not any((s.x, s.y, s.z + i) in taken for i in range(HEADROOM)))

    @cached_property
    def contacts(self) -> tuple[Pair, ...]:
        """Pairs of blocks that share a face, sorted, the lower or listed first one first."""
        pairs: set[Pair] = set()
        for (x, y, z), index in self.occupancy.items():
            for beside in ((x + 1, y, z), (x, y + 1, z), (x, y, z + 1)):
                other = self.occupancy.get(beside)
                if other is not None and other != index:
                    pairs.add((index, other) if beside[2] > z else (min(index, other), max(index, other)))
        return tuple(sorted(pairs))

    @cached_property
    def supports(self) -> tuple[tuple[int, ...], ...]:
        """For each block the blocks right under it, sorted."""
        below: list[set[int]] = [set() for _ in self.blocks]
        for (x, y, z), index in self.occupancy.items():
            other = self.occupancy.get((x, y, z - 1))
            if other is not None and other != index:
                below[index].add(other)
        return tuple(tuple(sorted(under)) for under in below)

    @cached_property
    def components(self) -> tuple[frozenset[int], ...]:
        """Groups of blocks that hang together by shared faces. A free pose may touch anything: then all are one."""
        if not self.on_grid:
            return (frozenset(range(len(self.blocks))),)
        group = list(range(len(self.blocks)))

        def root(index: int) -> int:
            while group[index] != index:
                group[index] = group[group[index]]
                index = group[index]
            return index

        for one, other in self.contacts:
            group[root(one)] = root(other)
        members: dict[int, set[int]] = {}
        for index in range(len(self.blocks)):
            members.setdefault(root(index), set()).add(index)
        return tuple(frozenset(component) for component in members.values())

    def part(self, indices: Iterable[int]) -> Tower:
        """Only these blocks, in their order, with the pawns that stand on them."""
        keep = set(indices)
        blocks = tuple(block for i, block in enumerate(self.blocks) if i in keep)
        pawns = tuple(pawn for pawn in self.pawns if self.occupancy.get((pawn.x, pawn.y, pawn.z - 1)) in keep)
        return Tower(blocks, pawns)

    def is_supported(self, block: Placement) -> bool:
        """Whether the block rests on the board or on another block of this tower."""
        if block.z == 0:
            return True
        under = (self.occupancy.get((x, y, block.z - 1)) for x, y in block.footprint)
        return any(index is not None and self.blocks[index] != block for index in under)

    def clashes(self, block: Placement) -> list[Block | Pawn]:
        """The blocks and pawns of this tower in whose space the block would be."""
        found: dict[Block | Pawn, None] = {}
        for cell in block.cells:
            if (index := self.occupancy.get(cell)) is not None:
                found[self.blocks[index]] = None
            for pawn in self.pawns:
                if cell in pawn.cells:
                    found[pawn] = None
        return list(found)

    def defects(self) -> Iterator[tuple[str, int, str]]:
        """What keeps it from existing, as far as the grid shows; `space.defects` also knows free poses."""
        yield from self._block_defects()
        yield from self._pawn_defects()

    def _block_defects(self) -> Iterator[tuple[str, int, str]]:
        filled: dict[Cell, int] = {}
        for index, block in self._grid_blocks():
            clash = next((cell for cell in block.cells if cell in filled), None)
            if clash:
                x, y, z = clash
                other = self.blocks[filled[clash]]
                yield "tower", index, f"{block} overlaps {other} in cell {x},{y},{z}"
            for cell in block.cells:
                filled.setdefault(cell, index)
        for index, block in self._grid_blocks():
            if self.on_grid and not self.is_supported(block):
                yield "tower", index, f"{block} floats: nothing is under it in layer {block.z - 1}"

    def _pawn_defects(self) -> Iterator[tuple[str, int, str]]:
        taken: dict[Cell, Pawn] = {}
        colours: set[str] = set()
        for index, pawn in enumerate(self.pawns):
            inside = [cell for cell in pawn.cells if cell in self.occupancy]
            if inside:
                other = self.blocks[self.occupancy[inside[0]]]
                yield "pawns", index, f"{pawn} is inside block {other}: a pawn needs {HEADROOM} free levels"
            elif pawn.z > 0 and (pawn.x, pawn.y, pawn.z - 1) not in self.occupancy:
                yield "pawns", index, f"{pawn} stands on nothing: no block has its top there"
            if clash := next((taken[cell] for cell in pawn.cells if cell in taken), None):
                yield "pawns", index, f"{pawn} stands where {clash} stands: one pawn a field"
            taken.update(dict.fromkeys(pawn.cells, pawn))
            if pawn.colour in colours:
                yield "pawns", index, f"{pawn} is a second {pawn.colour} pawn"
            colours.add(pawn.colour)
