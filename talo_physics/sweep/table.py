"""Rows as Parquet, with the schema of `columns.py`; the only module that knows polars."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from talo_physics.extras import extra
from talo_physics.sweep.columns import COLUMNS, Row


def polars() -> ModuleType:
    """The library, imported when it is first needed.

    Raises:
        MissingExtraError: it is not installed.
    """
    with extra("sweep", "polars"):
        import polars
    return polars


def schema() -> dict[str, Any]:
    """The columns with their polars types."""
    pl = polars()
    kinds = {"int": pl.Int64, "float": pl.Float64, "bool": pl.Boolean, "text": pl.String}
    kinds |= {"texts": pl.List(pl.String), "ints": pl.List(pl.Int64)}
    return {name: kinds[kind] for name, (kind, _) in COLUMNS.items()}


def parquet(rows: Sequence[Row]) -> bytes:
    """Rows as the bytes of a Parquet file."""
    data = io.BytesIO()
    polars().DataFrame(rows, schema=schema(), orient="row").write_parquet(data)
    return data.getvalue()


def count_failed(parts: Sequence[Path]) -> int:
    """How many rows of these files have no answer."""
    if not parts:
        return 0
    pl = polars()
    found = pl.scan_parquet(list(parts)).select(pl.col("error").is_not_null().sum()).collect()
    return int(found.item())
