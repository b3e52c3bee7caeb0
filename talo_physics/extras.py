"""Optional packages: imported where they are needed, and where they are missing with the command that installs them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from talo_physics.errors import MissingExtraError


@contextmanager
def extra(name: str, package: str) -> Iterator[None]:
    """Imports from the extra of that name; `package` is the one of it that is wanted.

    Raises:
        MissingExtraError: it, or something that it needs itself, is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or package).partition(".")[0]
        if missing == "talo_physics":  # a fault of this package, which no installing mends
            raise
        raise MissingExtraError(missing, name) from None
    except ImportError as error:  # it is there, but something in it does not work on this machine
        raise MissingExtraError(package, name, str(error)) from None
