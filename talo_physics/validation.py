"""From pydantic's errors to faults in the user's words, each at its line and column."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from talo_physics.datafile import Document, Path_
from talo_physics.errors import Fault

_EXPECTED = {
    "string_type": "a text was expected",
    "int_type": "a whole number was expected",
    "float_type": "a number was expected",
    "bool_type": "true or false was expected",
    "list_type": "a list was expected",
    "dict_type": "a mapping was expected",
    "model_type": "a mapping was expected",
    "finite_number": "a finite number was expected",
    "int_parsing": "a whole number was expected",
    "invalid_key": "a field name was expected",
    "missing": "is required",
}


def faults_of(error: ValidationError, document: Document, model: type[BaseModel] | None = None) -> list[Fault]:
    """Every error of a validation as a fault of `document`; `model` is what it was read as, for suggestions."""
    faults = [
        document.fault(_path(detail["loc"], document), _message(detail, _known(detail["loc"], model)))
        for detail in error.errors(include_url=False)
    ]
    return sorted(dict.fromkeys(faults), key=lambda fault: (fault.line, fault.column))


def _known(loc: tuple[Any, ...], model: type[BaseModel] | None) -> list[str]:
    """The fields there are where `loc` ends, so that a slip is compared with its neighbours."""
    level = [model] if model else []
    for part in loc[:-1]:
        fields = [one.model_fields[part] for one in level if part in one.model_fields]
        # Any other part is a key of a mapping, a place in a list or a union's: the models stay the same.
        level = [inner for field in fields for inner in _models(field.annotation)] if fields else level
    return list(dict.fromkeys(name for one in level for name in one.model_fields))


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in an annotation such as `dict[int, Block] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def _path(loc: tuple[Any, ...], document: Document) -> Path_:
    """Pydantic's loc without the parts it adds for unions and validators, as marks know it."""
    path: Path_ = ()
    for part in loc:
        as_text = str(part)
        if isinstance(part, int) and (*path, part) in document.marks:
            path = (*path, part)
        elif (*path, as_text) in document.marks or not path:
            path = (*path, as_text)
        elif isinstance(part, int) or (as_text.isidentifier() and as_text.islower()):
            path = (*path, part)
    return path


def _message(detail: Any, known: list[str]) -> str:
    kind, given = detail["type"], detail["input"]
    if kind == "extra_forbidden":
        name = str(detail["loc"][-1])
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else (f"; known: {', '.join(known)}" if known else "")
        return f"unknown field{hint}"
    if kind == "literal_error":
        expected = detail["ctx"]["expected"].replace("'", "").replace(" or ", ", ")
        return f"one of {expected} was expected, not {_shown(given)}"
    if kind == "value_error":
        return str(detail["ctx"]["error"])
    if kind == "missing":
        return _EXPECTED[kind]
    expected = _EXPECTED.get(kind, detail["msg"][0].lower() + detail["msg"][1:])
    return f"{expected}, not {_shown(given)}"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None:
        return "nothing"
    text = repr(value) if isinstance(value, str | int | float) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
