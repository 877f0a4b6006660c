"""Read the TOML files that officers write: settings, corrections and rule sets.

Officers write them by hand, so they are limited in length alone: :func:`parse`. The keys of a file are the fields of a
dataclass, and pydantic checks them: :func:`checked`. Both raise :class:`ValueError` with one sentence for the officer,
without the file's name and without a full stop.

pydantic with its schemas takes 50 ms to load. So only this module imports it, and not before a file is checked.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar, cast, get_args, get_type_hints

from ratinglist.limits import SHOWN_LENGTH, TOML_BYTES
from ratinglist.text import code_point, first_forbidden, shortened

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, TypeAdapter
    from pydantic_core import CoreSchema, ErrorDetails

Checked = TypeVar("Checked")

FORBID_UNKNOWN_KEYS: Final = {"extra": "forbid"}
"""The ``__pydantic_config__`` of a dataclass for :func:`checked`; the dataclasses of its fields inherit it."""


class Allowed:
    """What a key may hold: ``Annotated[int, Allowed(ge=0)]`` takes integers from 0 on, and nothing else.

    ``limits`` are ``ge``, ``le`` and ``max_length`` of pydantic. ``test`` receives the value and raises
    :class:`ValueError` with the end of a sentence that begins with the key, such as "is blank".
    """

    def __init__(self, test: Callable[[Any], None] | None = None, **limits: int) -> None:
        self.test, self.limits = test, limits

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return pydantic's schema of the type, made strict."""
        from pydantic_core.core_schema import no_info_after_validator_function

        schema: Any = {**handler(source), **self.limits, "strict": True}
        return no_info_after_validator_function(self._tested, schema) if self.test else schema

    def _tested(self, value: Any) -> Any:
        if self.test:
            self.test(value)
        return value


def matching(pattern: str, otherwise: str) -> Allowed:
    """Return that a key may hold a text that matches a pattern in full.

    ``otherwise``: the end of the sentence on any other one, in which ``{text}`` is the text.
    """

    def test(text: str) -> None:
        if not re.fullmatch(pattern, text):
            raise ValueError(otherwise.format(text=text))

    return Allowed(test)


Whole = Annotated[int, Allowed()]
Text = Annotated[str, Allowed()]
Flag = Annotated[bool, Allowed()]
Day = Annotated[date, Allowed()]

_UNKNOWN_KEY: Final = "unexpected_keyword_argument"
_KEYS_ON_A_LINE: Final = 5
_MUST_BE: Final = {
    "int_type": "a whole number",
    "string_type": "a text in quotes",
    "bool_type": "true or false",
    "date_type": "a date without quotes, such as 2025-11-03",
    "tuple_type": 'a list of texts in quotes: ["...", "..."]',
    "dict_type": "a table",
    "mapping_type": "a table",
    "literal_error": "{expected}",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
}
"""What a value must be, by pydantic's type of error; the braces name keys of the error's context."""


_MOST_DOTS = 200
"""In a line; a comment may have more."""


def parse(text: str) -> dict[str, Any]:
    """Return the tables of a TOML ``text``; raise :class:`ValueError` saying what is wrong and where."""
    # Editors of Windows begin a file with a byte order mark.
    text = text.removeprefix("\ufeff")
    size = len(text.encode(errors="replace"))
    if size > TOML_BYTES:
        raise ValueError(f"it has {size} bytes, and at most {TOML_BYTES} are read")
    offset = first_forbidden(text)
    if offset is not None:
        line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
        raise ValueError(f"line {line}, column {column}: the character {code_point(text[offset])} is not allowed")
    # Python takes a minute for a key of thirty thousand parts.
    lines = [line.lstrip() for line in text.split("\n")]
    if dotted := next((at for at, line in enumerate(lines, 1) if line.count(".") > _MOST_DOTS and line[0] != "#"), 0):
        raise ValueError(f"line {dotted}: it has more than {_MOST_DOTS} dots: a key has a few parts, and no more")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("tables and arrays are nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {error}") from None


def checked(kind: type[Checked], tables: object, names: Mapping[str, str] | None = None) -> Checked:
    """Return ``tables`` as a ``kind``: a dataclass whose fields are the keys, types and choices that are allowed.

    ``names``: what messages call a key, by its path such as ``match.round``, where it was not written into a file.
    Raises :class:`ValueError` with one sentence about the first thing that is wrong: the outermost table first, and in
    a table an unknown key first, because a misspelt key is missing too.
    """
    from pydantic import ValidationError

    try:
        return cast("Checked", _adapter(kind).validate_python(tables))  # type: ignore[arg-type] # a type is hashable
    except ValidationError as error:
        wrong = error.errors(include_url=False)
        first = min(wrong, key=lambda difference: (len(difference["loc"]), difference["type"] != _UNKNOWN_KEY))
        sentence = _sentence(kind, first, names or {})
    # Not in the block: Python never frees pydantic's error with the stack of the caller, were it the context of ours.
    raise ValueError(sentence)


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _sentence(kind: type, error: ErrorDetails, names: Mapping[str, str]) -> str:
    """Return what is wrong: the key with the tables it is in, the value, and what is allowed."""
    context, value, place = error.get("ctx", {}), error["input"], error["loc"]
    path = _dotted(place)
    name = names.get(path, f"'{path}'")
    where = f" in [{_dotted(place[:-1])}]" if place[:-1] else ""
    match error["type"]:
        case "unexpected_keyword_argument":
            return f"unknown key {as_toml(place[-1])}{where} - known are {', '.join(_keys(kind, place[:-1]))}"
        case "missing":
            return f"key '{place[-1]}' is missing{where}"
        case "value_error":
            return f"{name} {context['error']}" if path else str(context["error"])
        case "string_too_long":
            return f"{name} has {len(value)} characters; at most {context['max_length']} are allowed"
        case "dataclass_type":
            keys = _keys(kind, place)
            inline = f"{{ {', '.join(f'{key} = ...' for key in keys)} }}"
            must_be = f"a table: {inline}" if len(keys) <= _KEYS_ON_A_LINE else f"a section: [{path}]"
        case "tuple_type" if is_dataclass(_kind_in(_kind_at(kind, place))):
            must_be = f"sections in two brackets, one for each: [[{path}]]"
        case _:
            must_be = _MUST_BE[error["type"]].format(**context)
    return f"{name} is {as_toml(value)}; it must be {must_be}"


def _dotted(place: Sequence[int | str]) -> str:
    return shortened(".".join(str(key) for key in place), SHOWN_LENGTH)


def _keys(kind: Any, path: Sequence[int | str]) -> list[str]:
    return [field.name for field in fields(_kind_at(kind, path))]


def _kind_at(kind: Any, path: Sequence[int | str]) -> Any:
    for key in path:
        kind = get_type_hints(kind)[str(key)] if is_dataclass(kind) else _kind_in(kind)
    return kind


def _kind_in(kind: Any) -> Any:
    """Return the type of the values in a list or a table."""
    return next(arg for arg in reversed(get_args(kind)) if arg is not Ellipsis)


def written(value: object) -> str:
    """Return a value as TOML writes it: a date plainly, a table on one line, all else as JSON does.

    The texts of JSON are texts of TOML too, except that TOML wants U+007F escaped.
    """
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {written(cell)}' for key, cell in value.items())} }}"
    return str(value) if isinstance(value, date) else json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def as_toml(value: object) -> str:
    """Return a refused ``value`` as TOML writes it, shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    return shortened(str(value) if isinstance(value, date) else repr(value), SHOWN_LENGTH)
