"""Settings of the whole test run."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples in every run: a failure that comes and goes helps nobody.
settings.register_profile("talo", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("talo")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--refresh-notebooks",
        action="store_true",
        help="write the outputs of tests/test_notebooks.py into the notebooks instead of comparing them",
    )
