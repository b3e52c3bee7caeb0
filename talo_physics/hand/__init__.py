"""The calm hand: how likely a person brings a construction down. Many simulated placements, counted."""
