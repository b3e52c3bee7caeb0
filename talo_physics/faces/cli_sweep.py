"""The command `talo sweep`."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("spec", metavar="SPEC")
@click.option("-o", "output", required=True, metavar="FOLDER", help="Where the rows go; one that was begun goes on.")
@click.option("--jobs", type=click.IntRange(1, 1024), default=None, help="Processes; all cores by default.")
@click.option("--dask", metavar="ADDRESS", help="Work on a Dask cluster instead: tcp://host:port.")
@click.option("--seed", type=int, default=None, help="In place of the one in SPEC.")
@click.option("--limit", type=click.IntRange(1), default=None, help="Only the first so many rows.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as a JSON object.")
def sweep(
    spec: str, output: str, jobs: int | None, dask: str | None, seed: int | None, limit: int | None, as_json: bool
) -> None:
    """Judge many scenarios, towers or games under many parameters, to Parquet.

    SPEC is a YAML file. A sweep that was stopped or killed goes on where it was when it is started again.
    """
    from talo_physics.faces.sweeping import run_sweep

    if jobs is not None and dask is not None:
        raise click.UsageError("--jobs are processes on this machine, --dask is a cluster: give one of them")
    sys.exit(run_sweep(Path(spec), Path(output), jobs, dask, seed, limit, as_json))
