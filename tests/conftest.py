"""Settings of the whole test run."""

from __future__ import annotations

from hypothesis import settings

# The same examples in every run: a failure that comes and goes helps nobody.
settings.register_profile("talo", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("talo")
