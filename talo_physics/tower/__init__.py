"""Blocks and pawns on a grid, or in free poses: frozen values, whole numbers where on the grid, no physics."""
