"""Reading YAML that a stranger wrote."""

from __future__ import annotations

import gc
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from talo_physics.datafile import parse_document, read_document
from talo_physics.errors import FileError


def faults(text: str | bytes) -> str:
    with pytest.raises(FileError) as error:
        parse_document(text if isinstance(text, bytes) else text.encode(), "f.yaml")
    return str(error.value)


def test_every_value_has_its_place() -> None:
    document = parse_document(b"title: x\ntower:\n  - 1z@0,0,0\n  - 4x@2,4,1\n", "f.yaml")
    assert document.marks["tower", 1] == (4, 5)


def test_placements_in_a_flow_list_keep_their_commas() -> None:
    text = b"t: [1z@3,4,0, 4x@2,4,1 + 1z@2,4,2, 'a,b', red@3,4,1 -> red@5,4,2, 3~1.5,2,.5,0,0,-45, balance.falls, 7]"
    assert parse_document(text, "f.yaml").data["t"] == [
        "1z@3,4,0",
        "4x@2,4,1 + 1z@2,4,2",
        "a,b",
        "red@3,4,1 -> red@5,4,2",
        "3~1.5,2,.5,0,0,-45",
        "balance.falls",
        7,
    ]


def test_a_placement_cut_short_does_not_swallow_its_neighbour() -> None:
    assert parse_document(b"t: [1z@3,4, 4x@2,4,1]", "f.yaml").data["t"] == ["1z@3,4", "4x@2,4,1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty"),
        ("# only a comment\n", "empty"),
        ("a: [1, 2", "f.yaml:2:1"),
        ("a: b: c", "f.yaml:1:5"),
        ("a: 1\na: 2", "f.yaml:2:1: a: given twice"),
        ("a: 1\n---\nb: 2", "second"),
        (b"\xff\xfe\x00", "UTF-8"),
        ("a: " + "[" * 50 + "]" * 50, "deeper"),
        ("a: !!python/object/apply:os.system [echo]", "tags"),
        ("a: !!python/name:os.system x", "tags"),
        ("a: !mine {b: 1}", "f.yaml:1:4: a: tags"),
        ("a: !!int x", "plain value"),
        ("a: !!float", "plain value"),
        ("a: !!seq x", "f.yaml:1:4: a: tags"),
        ("!!map x", "tags"),
        ("? !!seq x\n: 1", "field name"),
        ("a: 0x" + "f" * 5000, "f.yaml:1:4: a: a number beyond all measure: 0xfff"),
        ("a: 1" + "0" * 400, "beyond all measure"),
        ("a: " + "9" * 5000, "plain value"),
        ("? [a, b]\n: 1", "field name"),
        ("a: \x00", "not YAML"),
    ],
)
def test_bad_yaml_is_one_message_with_its_place(text: str | bytes, expected: str) -> None:
    assert expected in faults(text)


def test_a_message_never_moves_the_cursor_or_colours_the_terminal() -> None:
    assert faults('a: 1\n"b\\e[31m\\n": !x 1') == r"f.yaml:2:14: b\x1b[31m\n: tags (!name) are not used in these files"


def test_field_names_are_read_as_they_are_written_but_lengths_are_numbers() -> None:
    data = parse_document(b"{on: 1, 2020-01-01: 2, 3: {~: 4}, '3': 5, 1.5: 6}", "f.yaml").data
    assert data == {"on": 1, "2020-01-01": 2, 3: {"~": 4}, "3": 5, "1.5": 6}


def test_nothing_is_remembered_of_a_file_once_it_is_read() -> None:
    parse_document(b"a: {b: only-this-once}", "f.yaml")
    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, yaml.ScalarNode) and one.value == "only-this-once"]


def test_a_yaml_bomb_is_refused_at_its_first_alias() -> None:
    bomb = "a: &a [lol, lol]\n" + "".join(
        f"{x}: &{x} [{', '.join([f'*{y}'] * 9)}]\n" for y, x in zip("abcdefg", "bcdefgh", strict=True)
    )
    assert "f.yaml:2:8: b[0]: aliases" in faults(bomb)


def test_too_many_values_and_too_large_a_file_are_refused() -> None:
    assert "values" in faults("t:\n" + "- 1\n" * 30_000)
    assert "MB" in faults(b"#" * 2_000_001)


def test_a_missing_file_and_a_folder_are_messages(tmp_path: Path) -> None:
    for path, expected in ((tmp_path / "none.yaml", "no such file"), (tmp_path, "cannot be read")):
        with pytest.raises(FileError, match=expected):
            read_document(path)


@given(st.binary(max_size=200) | st.text(alphabet="ab:-[]{},&*!?|>'\"\n #%@`1", max_size=60).map(str.encode))
def test_no_bytes_at_all_bring_it_down(raw: bytes) -> None:
    with suppress(FileError):
        parse_document(raw, "f.yaml")
