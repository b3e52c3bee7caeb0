"""Measured blocks, pawns and boards. Knows nothing of towers, physics or rules."""
