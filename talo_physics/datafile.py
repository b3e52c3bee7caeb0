"""Reading YAML that a stranger wrote: plain data with a line and column for every value, nothing executed.

The file is read as a stream of parse events with limits on size, depth and number of values; aliases are
refused. So a YAML bomb, a deep nest or a custom tag ends in a message, never in a hang or a crash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from talo_physics.errors import Fault, FileError

MAX_BYTES = 2_000_000
MAX_DEPTH = 12
MAX_VALUES = 20_000
LARGEST_NUMBER = 2**63
"""No field needs a whole number beyond it; some thousand digits more and Python refuses to write it down."""

Path_ = tuple[str | int, ...]
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SCALARS: Any = yaml.SafeLoader("")  # resolves and builds plain values

_NO_TAG = {None, "!"}
_PLAIN_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null")}
_GROUP_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in ("seq", "map")}

# `[1z@3,4,0, 4x@2,4,1]`: YAML ends a plain value of a flow list at each comma; these two put it together again.
_OPEN_PLACE = re.compile(r"(?:@[^,@~]*(?:,[^,@~]*){0,1}|~[^,@~]*(?:,[^,@~]*){0,4})$")
_NEXT_NUMBER = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?\s*(?:(?:\+|->).*)?$")


@dataclass
class Document:
    """The plain data of a file and where each value of it stands."""

    data: Any
    source: str
    marks: dict[Path_, tuple[int, int]] = field(default_factory=dict)

    def fault(self, path: Path_, message: str) -> Fault:
        """A fault at the value that `path` leads to, or at its nearest parent that has a place."""
        known = path
        while known and known not in self.marks:
            known = known[:-1]
        line, column = self.marks.get(known, (1, 1))
        return Fault(message, field_name(path), self.source, line, column)


def field_name(path: Path_) -> str:
    """`("tower", 3)` as people write it: `tower[3]`."""
    name = ""
    for part in path:
        name += f"[{part}]" if isinstance(part, int) else (f".{part}" if name else str(part))
    return name


def read_document(path: Path) -> Document:
    """Read a YAML file.

    Raises:
        FileError: it is missing, too large, not text, not YAML, or uses what plain data does not need.
    """
    try:
        with path.open("rb") as handle:
            raw = handle.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise FileError([Fault("no such file", source=str(path))]) from None
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL in it
        reason = getattr(error, "strerror", None) or error
        raise FileError([Fault(f"cannot be read: {reason}", source=str(path))]) from None
    return parse_document(raw, str(path))


def parse_document(raw: bytes, source: str) -> Document:
    """Read YAML from bytes; `source` names it in messages."""
    if len(raw) > MAX_BYTES:
        raise FileError([Fault(f"larger than {MAX_BYTES // 1_000_000} MB: not a file of this kind", source=source)])
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError([Fault(f"not UTF-8 text (byte {error.start})", source=source, line=1, column=1)]) from None
    reader = _Reader(source)
    try:
        return reader.read(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        problem = f"not YAML: {error.problem or error.context}"
        if (
            mark
            and text.splitlines()[mark.line : mark.line + 1]
            and text.splitlines()[mark.line][mark.column :][:1] == "@"
        ):
            problem += "; a text that begins with @ is written in quotes"
        raise FileError([Fault(problem, source=source, line=line, column=column)]) from None
    except yaml.YAMLError as error:
        problem = f"not YAML: {str(error).splitlines()[0]}"
        raise FileError([Fault(problem, source=source, line=1, column=1)]) from None


class _Reader:
    """Builds plain data from YAML events; the recursion is bounded by MAX_DEPTH."""

    def __init__(self, source: str) -> None:
        self.document = Document(None, source)
        self.values = 0

    def read(self, events: Iterator[Any]) -> Document:
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                break
        else:
            raise FileError([Fault("the file is empty", source=self.document.source, line=1, column=1)])
        self.document.data = self._value(next(events), events, ())
        next(events)
        if not isinstance(extra := next(events), yaml.StreamEndEvent):
            raise self._refuse(extra, (), "one document a file, found a second one")
        return self.document

    def _refuse(self, event: Any, path: Path_, message: str) -> FileError:
        mark = event.start_mark
        return FileError([Fault(message, field_name(path), self.document.source, mark.line + 1, mark.column + 1)])

    def _value(self, event: Any, events: Iterator[Any], path: Path_) -> Any:
        self.values += 1
        if self.values > MAX_VALUES:
            raise self._refuse(event, (), f"more than {MAX_VALUES} values: not a file of this kind")
        if len(path) > MAX_DEPTH:
            raise self._refuse(event, path[:3], f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.AliasEvent):
            raise self._refuse(event, path, "aliases (*name) are not used in these files; write the value out")
        if event.tag not in _NO_TAG | (_PLAIN_TAGS if isinstance(event, yaml.ScalarEvent) else _GROUP_TAGS):
            raise self._refuse(event, path, "tags (!name) are not used in these files")
        self.document.marks[path] = (event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(event, events, path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, path)
        return self._scalar(event, path)

    def _scalar(self, event: Any, path: Path_) -> Any:
        tag = event.tag
        if tag is None or tag == "!":
            tag = _SCALARS.resolve(yaml.ScalarNode, event.value, event.implicit)
            if ":" in event.value and tag.endswith((":int", ":float")):
                return event.value  # 1:30 is no number to anybody but YAML 1.1
        # Not by `construct_object`, which remembers every value for ever.
        build = _SCALARS.yaml_constructors.get(tag)
        try:
            value = build(_SCALARS, yaml.ScalarNode(tag, event.value)) if build else None
        except (yaml.YAMLError, ArithmeticError, LookupError, TypeError, ValueError):
            build = None
        if build is None:
            raise self._refuse(event, path, f"a plain value was expected, not {event.value[:40]!r}")
        if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            raise self._refuse(event, path, f"a number beyond all measure: {event.value[:40]}")
        return value

    def _sequence(self, start: Any, events: Iterator[Any], path: Path_) -> list[Any]:
        items: list[Any] = []
        open_text = ""  # the text of a last item that a comma cut short
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            plain = start.flow_style and isinstance(event, yaml.ScalarEvent) and not event.style
            if plain and open_text and _NEXT_NUMBER.match(event.value):
                items[-1] = open_text = f"{open_text},{event.value}"
            else:
                items.append(self._value(event, events, (*path, len(items))))
                open_text = event.value if plain else ""
            if not _OPEN_PLACE.search(open_text):
                open_text = ""
        return items

    def _mapping(self, events: Iterator[Any], path: Path_) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._key(event, path)
            if key in result:
                raise self._refuse(event, (*path, str(key)), "given twice")
            result[key] = self._value(next(events), events, (*path, str(key)))
        return result

    def _key(self, event: Any, path: Path_) -> str | int:
        """A field's name as it is written, or a length; `on` and `2020-01-01` are names like any other."""
        if not isinstance(event, yaml.ScalarEvent) or event.tag not in _NO_TAG | _PLAIN_TAGS:
            raise self._refuse(event, path, "a field name was expected")
        key = self._scalar(event, path) if event.value.isdecimal() else event.value
        return key if isinstance(key, int) else str(event.value)
