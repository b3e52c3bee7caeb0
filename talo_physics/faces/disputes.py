"""Cases on which statics and simulation do not agree, written down for a person to look at."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import yaml

from talo_physics.errors import TaloError
from talo_physics.geometry.profile import PROFILES
from talo_physics.judgement import Judgement
from talo_physics.scenario.file import scenario_text
from talo_physics.writing import write_whole


def save_dispute(answer: Judgement, folder: str) -> str:
    """Write a judgement's scenario into the folder, with what each witness said; says where, or why not.

    Names follow from the content. A profile that is not a shipped one is written beside the scenario.
    """
    finding, scenario = answer.finding, answer.scenario
    note = (
        f"Disputed: the simulation says {finding.verdict}, statics says {finding.static.verdict}.\n"
        f"Profile: {scenario.profile.name}. From: {scenario.source or 'a Python program'}."
    )
    name = sha256((scenario_text(scenario) + scenario.profile.fingerprint).encode()).hexdigest()[:12]
    path = Path(folder or ".") / f"{name}.yaml"
    try:
        if scenario.profile.name not in PROFILES.names:
            figures = yaml.safe_dump(scenario.profile.model_dump(exclude_none=True), sort_keys=False)
            write_whole(path.with_suffix(".profile"), figures.encode())
            scenario = replace(scenario, profile=scenario.profile.model_copy(update={"name": f"{name}.profile"}))
        write_whole(path, scenario_text(scenario, note).encode())
    except TaloError as error:
        return f"not written: {error}"
    return f"written as {path}"
