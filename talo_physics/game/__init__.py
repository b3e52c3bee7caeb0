"""Whole games: players, die, stock, turns, records. Pure values; physics is asked through the rules."""
