"""Scenarios: a tower, a proposal and what to expect, as a value and as a file."""
