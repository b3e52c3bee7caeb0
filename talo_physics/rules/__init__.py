"""The rulebook: what is allowed, citing the rule. Knows towers; asks physics through one small interface."""
