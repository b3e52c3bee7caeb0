"""What the fuzz tests share: how texts are spoilt, how many inputs there are, and how a hang is found.

`TALO_FUZZ_SEED` (a whole number) chooses other inputs than those of every run, `TALO_FUZZ_TIMES` takes so many times
more of them.
"""

from __future__ import annotations

import faulthandler
import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
TIMES = int(os.environ.get("TALO_FUZZ_TIMES", "1"))
SEED = os.environ.get("TALO_FUZZ_SEED")
HANGS_S = 20
"""An input that computes for so long hangs; the slowest that does not takes a second or two. No measure of speed."""
STUCK_S = 600
"""Where nothing is computed at all, or not by Python, for so long: it waits for what never comes."""

# ---- hangs


class _Hangs(BaseException):  # no error that anything under test may catch
    """The time is over."""


@contextmanager
def no_hang() -> Iterator[None]:
    """End what hangs: with a failure, or where no Python runs with the whole process and where it was.

    What counts is the time that this process computes: on a busy machine nothing hangs sooner.
    """

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        raise _Hangs

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, HANGS_S)
    faulthandler.dump_traceback_later(STUCK_S, exit=True)
    try:
        yield
    except _Hangs:
        pytest.fail(f"no end after {HANGS_S} s")
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def fuzz(count: int, inputs: SearchStrategy[T], check: Callable[[T], None]) -> None:
    """Check `count` inputs, the same in every run; the one that fails is printed, as small as it can be made."""
    seen = 0

    @settings(
        max_examples=count * TIMES, database=None, derandomize=SEED is None, suppress_health_check=list(HealthCheck)
    )
    @given(inputs)
    def holds(tried: T) -> None:
        nonlocal seen
        seen += 1
        with no_hang():
            check(tried)

    (holds if SEED is None else seed(int(SEED))(holds))()
    assert seen >= count * TIMES, f"only {seen} inputs were tried"


# ---- spoiling

HUGE = ("9" * 5000, "0x" + "f" * 5000, "1e400", "-1e400", "1e-400", "1" + "0" * 400, "0b" + "1" * 20_000)
"""Numbers beyond every machine's."""
ODD_NUMBERS = ("nan", ".nan", "NaN", "inf", ".inf", "-.inf", "-1", "-0", "0", "1.5", ".5", "1_000", "1:30", "0o17")
ODD_NUMBERS += (
    "999",
    "1000",
    "10",
    "11",
    "1e3",
    "\u0663",
    "\uff11",
    "\u00b2",
    "true",
    "null",
    "2020-01-01",
    "2020-13-45",
    "",
)
PIECES = (
    *HUGE,
    *ODD_NUMBERS,
    *("&a ", "*a", "!!int ", "!!seq ", "!!map ", "!!null ", "!!float ", "!!bool ", "!!str ", "! ", "!x "),
    *("!!python/name:os.system ", "!!python/object/apply:os.system [echo]", "!!binary ", "!!timestamp ", "!!set "),
    *("? ", "<<: ", "=", "---\n", "...\n", "%YAML 1.1\n", "%TAG ! tag:x,2000:\n", "|\n", ">\n", "- ", ": ", "#", "`"),
    *("[" * 40, "{" * 40, "- " * 40, "[[[]]]", "{}", "[]", "]", "}", "'", '"', '"\\ud800"', '"\\e[31m"', '"\\0"', "\\"),
    *("\t", "\r", "\n", "\n\n", " ", "\0", "\x1b[31m", "\x7f", "\x85", "\u2028", "\ufeff", "\u202e", "\U0001f600"),
    *(
        "e\u0301",
        "@",
        "~",
        "->",
        "+",
        ";",
        ",",
        "|",
        "..",
        "/",
        "../../etc/passwd",
        "/dev/null",
        "%s",
        "{0}",
        "a" * 5000,
    ),
)


def _at(text: str, place: int) -> int:
    return place % (len(text) + 1)


def _drop(text: str, place: int, _: str) -> str:
    at = _at(text, place)
    return text[:at] + text[at + 1 :]


def _double(text: str, place: int, _: str) -> str:
    at = _at(text, place)
    return text[:at] + text[at : at + 1] + text[at:]


def _swap(text: str, place: int, _: str) -> str:
    at = _at(text, place)
    return text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]


def _cut_off(text: str, place: int, _: str) -> str:
    return text[: _at(text, place)]


def _insert(text: str, place: int, piece: str) -> str:
    at = _at(text, place)
    return text[:at] + piece + text[at:]


def _other_word(text: str, place: int, piece: str) -> str:
    """A word or a number goes, and something else comes in its place."""
    words = list(re.finditer(r"[\w.]+", text))
    if not words:
        return piece
    word = words[place % len(words)]
    return text[: word.start()] + piece + text[word.end() :]


def _other_number(text: str, place: int, _: str) -> str:
    """A number becomes a neighbour of it: most of what comes out is still well written."""
    numbers = list(re.finditer(r"\d+", text))
    if not numbers:
        return text
    number = numbers[place % len(numbers)]
    return text[: number.start()] + str((int(number[0][:9]) + place % 5 - 2) % 12) + text[number.end() :]


def _lines(change: Callable[[list[str], int], None]) -> Callable[[str, int, str], str]:
    def changed(text: str, place: int, _: str) -> str:
        lines = text.splitlines(keepends=True)
        if lines:
            change(lines, place % len(lines))
        return "".join(lines)

    return changed


_EDITS: dict[str, Callable[[str, int, str], str]] = {
    "drop": _drop,
    "double": _double,
    "swap": _swap,
    "cut off": _cut_off,
    "insert": _insert,
    "other word": _other_word,
    "other number": _other_number,
    "drop line": _lines(lambda lines, at: lines.__delitem__(at)),
    "double line": _lines(lambda lines, at: lines.insert(at, lines[at])),
    "line to the end": _lines(lambda lines, at: lines.append(lines.pop(at))),
}
GENTLE = ("other number", "drop line", "double line", "line to the end", "double")
"""Edits after which a file can often still be read."""


def spoilt(
    texts: Sequence[str], edits: Sequence[str] = tuple(_EDITS), most: int = 4, pieces: Sequence[str] = PIECES
) -> SearchStrategy[str]:
    """One of the texts with some edits."""
    # Texts and pieces are drawn by their numbers: hypothesis prints what it draws from, and they are long.
    edit = st.tuples(st.sampled_from(list(edits)), st.integers(0, 9999), st.integers(0, len(pieces) - 1))

    def spoil(drawn: tuple[int, list[tuple[str, int, int]]]) -> str:
        text = texts[drawn[0]]
        for name, place, piece in drawn[1]:
            text = _EDITS[name](text, place, pieces[piece])
        return text

    return st.tuples(st.integers(0, len(texts) - 1), st.lists(edit, max_size=most)).map(spoil)


def as_bytes(texts: SearchStrategy[str]) -> SearchStrategy[bytes]:
    """Texts as a file holds them, now and then with a byte that is no letter's."""

    def with_byte(drawn: tuple[str, int, bytes]) -> bytes:
        raw = drawn[0].encode("utf-8", "surrogatepass")
        at = drawn[1] % (len(raw) + 1)
        return raw[:at] + drawn[2] + raw[at:]

    return st.tuples(texts, st.integers(0, 9999), st.sampled_from([b""] * 9 + [b"\xff", b"\xc3", b"\0"])).map(with_byte)
