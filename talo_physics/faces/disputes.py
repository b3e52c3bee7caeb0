"""Cases on which statics and simulation do not agree, written down for a person to look at."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from talo_physics.judgement import Judgement
from talo_physics.scenario.file import scenario_text
from talo_physics.writing import write_whole


def save_dispute(answer: Judgement, folder: str) -> Path:
    """Write a judgement's scenario into the folder, with what each witness said; its name follows from its content."""
    finding = answer.finding
    note = (
        f"Disputed: the simulation says {finding.verdict}, statics says {finding.static.verdict}.\n"
        f"Profile: {answer.scenario.profile.name}. From: {answer.scenario.source or 'a Python program'}."
    )
    text = scenario_text(answer.scenario, note)
    path = Path(folder) / f"{sha256(text.encode()).hexdigest()[:12]}.yaml"
    write_whole(path, text.encode())
    return path
