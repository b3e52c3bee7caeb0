"""Measuring the judge: random towers, other ways of judging, and how often they agree."""
