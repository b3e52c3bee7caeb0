"""Strangers' inputs: whatever is handed in, an answer or a message comes out, never a traceback and never a hang.

The inputs are the same in every run. To try others, and more of them:

    TALO_FUZZ_SEED=7 TALO_FUZZ_TIMES=20 python -m pytest tests/test_fuzz.py -n 1

takes 20 times as many of seed 7. What fails is printed as small as hypothesis can make it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from talo_physics import Pawn, Placement, Proposal, TaloError, Turn
from talo_physics.faces.desk.files import uploaded
from talo_physics.faces.inputs import parse_settings
from talo_physics.game.keeping import read_record
from talo_physics.game.record import parse_record
from talo_physics.geometry.board import load_board
from talo_physics.geometry.callipers import read_callipers
from talo_physics.geometry.hand import load_hand
from talo_physics.geometry.profile import load_profile, shipped_profile
from talo_physics.geometry.scans import read_scan
from talo_physics.geometry.solids import block_solid
from talo_physics.geometry.tilting import read_angles
from talo_physics.rules.options import Options
from talo_physics.scenario.file import ExpectFile, ScenarioFile, parse_scenario, scenario_text
from talo_physics.sweep.plan import Plan
from talo_physics.sweep.spec import load_spec
from talo_physics.tower.pawn import Surface
from talo_physics.tower.placement import FreePose, parse_block
from talo_physics.tower.proposal import Bump, PawnMove, Together, parse_step
from tests.fuzzing import as_bytes, fuzz, spoilt

ROOT = Path(__file__).parent.parent
GEOMETRY = ROOT / "talo_physics" / "geometry"

INPUTS = {
    "text forms": 3000,
    "turns": 1000,
    "scenarios": 2000,
    "scenarios of any YAML": 800,
    "records": 1500,
    "profiles": 500,
    "boards": 300,
    "hands": 300,
    "sweeps": 500,
    "callipers": 500,
    "scans": 50,
    "uploads": 400,
    "angles": 200,
    "settings": 300,
    "options": 300,
}
"""How many inputs each kind of reader gets; those of whole commands in `test_fuzz_commands.py` come on top."""


def texts_of(pattern: str, under: Path = ROOT / "scenarios") -> list[str]:
    return [path.read_text("utf-8") for path in sorted(under.glob(pattern))]


SCENARIOS = texts_of("*/*.yaml")
RECORDS = texts_of("*/*.talo")


@contextmanager
def only_messages() -> Iterator[None]:
    """What is wrong with an input is told in printable words; any other error is a fault of the package."""
    told = None
    try:
        yield
    except TaloError as error:
        told = str(error)
    if told is not None:
        assert told.strip(), "no message"
        assert all(line.isprintable() for line in told.split("\n")), "a message that a terminal would obey"


def test_ten_thousand_inputs_are_tried() -> None:
    assert sum(INPUTS.values()) >= 10_000


# ---- text forms

FORMS: dict[str, tuple[Callable[[str], Any], list[str]]] = {
    "block": (parse_block, ["4x@2,4,1", "1z@-3,4,10", "3~1.5,2,.5,0,0,-45", "10~1e1,2.25,0.5,360,-90,1e-3"]),
    "placement": (Placement.parse, ["4x@2,4,1", " 10y@ -1 , 2 , 3 "]),
    "free pose": (FreePose.parse, ["3~1.5,2,.5,0,0,-45", "3~ 1 , -0.0, 0.5, 0, 0, 4.5e1"]),
    "pawn": (Pawn.parse, ["red@3,4,1", "yellow@-1,0,0"]),
    "surface": (Surface.parse, ["@3,4,1", "@-1,0,2"]),
    "step": (
        parse_step,
        [
            "4x@2,4,1 + 1z@2,4,2",
            "red@3,4,1 -> red@5,4,2",
            "bump 4x@2,4,1 by 0.02,-1e-3,0",
            "bump 3~1.5,2,.5,0,0,-45 by 1,2,3",
            "red@0,0,0",
            "3~1.5,2,.5,0,0,-45 + 4x@2,4,1",
        ],
    ),
    "together": (Together.parse, ["4x@2,4,1 + 1z@2,4,2 + 3~1.5,2,.5,0,0,-45"]),
    "move": (PawnMove.parse, ["red@3,4,1 -> red@5,4,2"]),
    "bump": (Bump.parse, ["bump 4x@2,4,1 by 0.02,-1e-3,0"]),
}
ANYTHING = st.text(max_size=40) | st.from_regex(r"[0-9a-z@~,.+>;:=# \-]{1,30}", fullmatch=True)


def reads_back(parse: Callable[[str], Any]) -> Callable[[str], None]:
    """A check that what is read is printed so that it reads back as the same value."""

    def check(text: str) -> None:
        with only_messages():
            value = parse(text)
            assert parse(str(value)) == value

    return check


@pytest.mark.parametrize("form", FORMS)
def test_a_text_form_is_read_or_refused_and_reads_back(form: str) -> None:
    parse, texts = FORMS[form]
    fuzz(-(-INPUTS["text forms"] // len(FORMS)), spoilt(texts) | ANYTHING, reads_back(parse))


def test_a_turn_is_read_or_refused_and_reads_back() -> None:
    turns = [line.partition("|")[0].partition(" ")[2] for text in RECORDS for line in text.splitlines() if "|" in line]
    fuzz(INPUTS["turns"], spoilt(turns) | ANYTHING, reads_back(Turn.parse))


def test_options_are_read_or_refused_and_read_back() -> None:
    texts = ["step_down_to_board", "rebuild=3, insertion=no", "calm_hand=0.05", "highest_tie=first_in_turn_order"]

    def check(text: str) -> None:
        with only_messages():
            options = Options.parse(text.split(","))
            assert not str(options) or Options.parse(str(options).split(",")) == options

    fuzz(INPUTS["options"], spoilt(texts) | ANYTHING, check)


def test_settings_are_refused_or_make_a_profile() -> None:
    keys = ["friction=0.3", "pawn.mass_g=5", "blocks.3.length_mm=60.1", "pitch_mm=20", "edge_inset_mm=0.1"]

    def check(text: str) -> None:
        with only_messages():
            shipped_profile("nominal").changed(parse_settings([text, "density_kg_m3=700"]))

    fuzz(INPUTS["settings"], spoilt(keys) | ANYTHING, check)


# ---- scenarios and records


def read_scenario(raw: bytes) -> None:
    with only_messages():
        scenario = parse_scenario(raw, "f.yaml")
        again = parse_scenario(scenario_text(scenario).encode(), "f.yaml")
        assert (again.tower, again.proposal, again.title, again.turn) == (
            scenario.tower,
            scenario.proposal,
            scenario.title,
            scenario.turn,
        )
        assert (again.rules, again.figure, again.edition, again.variant) == (
            scenario.rules,
            scenario.figure,
            scenario.edition,
            scenario.variant,
        )
        Proposal.parse([str(step) for step in scenario.proposal.steps] if scenario.proposal else [])


@pytest.mark.slow
def test_a_spoilt_scenario_is_read_or_refused_and_reads_back() -> None:
    fuzz(INPUTS["scenarios"], as_bytes(spoilt(SCENARIOS)) | st.binary(max_size=100), read_scenario)


FIELDS = st.sampled_from(
    [*ScenarioFile.model_fields, *ExpectFile.model_fields, "<<", "y", "1", "2020-01-01", "~", "*a", "? ", '"\\0"']
)
SCALARS = spoilt(["4x@2,4,1", "red@3,4,1", "balance.falls", "green", "classic", "fantasy", "true", "21", "x"], most=2)
YAML = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]")
        | st.dictionaries(FIELDS, inner, max_size=3).map(
            lambda pairs: "{" + ", ".join(f"{key}: {value}" for key, value in pairs.items()) + "}"
        )
    ),
    max_leaves=6,
)


@pytest.mark.slow
def test_any_yaml_is_read_as_a_scenario_or_refused() -> None:
    pairs = st.dictionaries(FIELDS, YAML, max_size=5)
    documents = pairs.map(lambda pairs: "".join(f"{key}: {value}\n" for key, value in pairs.items()))
    fuzz(INPUTS["scenarios of any YAML"], as_bytes(documents), read_scenario)


@pytest.mark.slow
def test_a_spoilt_record_is_read_or_refused_and_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "game.talo"

    def check(raw: bytes) -> None:
        path.write_bytes(raw)
        with only_messages():
            record = read_record(path).record
            assert parse_record(str(record)).record == record
            record.start()

    fuzz(INPUTS["records"], as_bytes(spoilt(RECORDS)) | st.binary(max_size=60), check)


# ---- data files


def read_file(name: str, read: Callable[[Path], Any], folder: Path) -> Callable[[bytes], None]:
    """A check that a file with such bytes is read or refused."""
    path = folder / name

    def check(raw: bytes) -> None:
        path.write_bytes(raw)
        with only_messages():
            read(path)

    return check


@pytest.mark.parametrize(
    ("kind", "load"), [("profiles", load_profile), ("boards", load_board), ("hands", load_hand)], ids=lambda kind: kind
)
def test_a_spoilt_data_file_is_read_or_refused(kind: str, load: Callable[[str], Any], tmp_path: Path) -> None:
    texts = [*texts_of(f"{kind}/*.yaml", GEOMETRY), "friction: {value: 0.3, spread: 0.1, samples: 3}\nblocks: {3: {}}"]
    check = read_file("own.yaml", lambda path: load(str(path)), tmp_path)
    fuzz(INPUTS[kind], as_bytes(spoilt(texts)) | as_bytes(YAML), check)


SWEEPS = [
    *texts_of("sweep.yaml", ROOT / "notebooks"),
    "towers: {count: 8, blocks: 12, daring: 0.1}\nparameters: {friction: {from: 0.1, to: 0.3, steps: 3}, spread: 2}\n",
    "games: {count: 2, players: [red, blue], computers: random, board: island, most_turns: 9}\nchunk: 3\nseed: 5\n",
    "scenarios: [case.yaml]\nprofile: nominal\nmargin: true\nparameters:\n  hand: [adult]\n  tilt_deg: [0, 1.5]\n",
]


@pytest.mark.slow
def test_a_spoilt_sweep_is_planned_or_refused(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text("title: x\ntower: [1z@3,4,0]\n")

    def plan(path: Path) -> None:
        planned = Plan(load_spec(path)).checked()
        assert planned.fingerprint
        for first, _ in zip(planned.ranges(), range(3), strict=False):
            planned.chunk(*first)

    fuzz(INPUTS["sweeps"], as_bytes(spoilt(SWEEPS)) | as_bytes(YAML), read_file("sweep.yaml", plan, tmp_path))


def test_spoilt_calliper_readings_are_read_or_refused(tmp_path: Path) -> None:
    heading = "id;class;length_1;length_2;width_1;height_1;mass\n"
    texts = [*texts_of("examples/*.csv", GEOMETRY), f"{heading}a;3;60,1;60,2;20;19,9;16,8\nb;1;20,1;;20;20;\n"]
    check = read_file("own.csv", lambda path: read_callipers(path, None, 20.0), tmp_path)
    fuzz(INPUTS["callipers"], as_bytes(spoilt(texts)) | st.binary(max_size=60), check)


@pytest.mark.slow
def test_spoilt_scans_are_read_or_refused(tmp_path: Path) -> None:
    solid = block_solid(shipped_profile("nominal"), 3)
    kinds = ("stl", "stl_ascii", "obj", "ply", "glb")
    files = {kind: raw.encode() if isinstance(raw := solid.export(file_type=kind), str) else raw for kind in kinds}

    def check(drawn: tuple[str, str]) -> None:
        path = tmp_path / f"3-a.{drawn[0].partition('_')[0]}"
        path.write_bytes(drawn[1].encode("latin-1", "replace"))
        with only_messages():
            read_scan(path, None, 20.0)

    scans = [st.tuples(st.just(kind), spoilt([files[kind].decode("latin-1")], most=3)) for kind in kinds]
    fuzz(INPUTS["scans"], st.one_of(scans), check)


@pytest.mark.slow
def test_whatever_a_page_uploads_is_read_or_refused() -> None:
    def check(drawn: tuple[bytes, str]) -> None:
        with only_messages():
            uploaded(*drawn)

    names = st.sampled_from(["case.yaml", "game.talo", "\x1b[31m.talo", "\ud800", ""])
    fuzz(INPUTS["uploads"], st.tuples(as_bytes(spoilt([*SCENARIOS, *RECORDS])), names), check)


def test_angles_of_sliding_are_read_or_refused() -> None:
    def check(text: str) -> None:
        with only_messages():
            read_angles(text)

    fuzz(INPUTS["angles"], spoilt(["21.5,22,20.8", "21,5; 22; 20,8", "angles.csv"]) | ANYTHING, check)
