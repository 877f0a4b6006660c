"""Tables checked against a dataclass: one sentence about the first fault, whatever the keys and values are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, ClassVar, Literal

import pytest
from pydantic import Field, Strict, StrictBool, StrictInt, StrictStr

from ratinglist import strict_toml


@dataclass(frozen=True, slots=True)
class Inner:
    number: Annotated[int, Field(strict=True, ge=1, le=9)] = 1
    text: Annotated[str, Field(strict=True, max_length=3)] = ""
    choice: Literal["one", "two"] = "one"


@dataclass(frozen=True, slots=True)
class Outer:
    __pydantic_config__: ClassVar = strict_toml.FORBID_UNKNOWN_KEYS

    count: StrictInt
    day: Annotated[date, Strict()] = date(2025, 1, 1)
    flag: StrictBool = False
    word: StrictStr = ""
    inner: Inner = field(default_factory=Inner)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)


def test_tables_become_the_dataclass():
    tables = strict_toml.parse("count = 1\nday = 2025-11-03\ninner.number = 2\nnames.a = ['b', 'c']")
    wanted = Outer(1, date(2025, 11, 3), inner=Inner(2), names={"a": ("b", "c")})
    assert strict_toml.checked(Outer, tables) == wanted


FAULTS = {
    "": "key 'count' is missing",
    "count = 1\ncoutn = 2": "unknown key 'coutn' - known are count, day, flag, word, inner, names",
    "coutn = 2": "unknown key 'coutn' - known are count, day, flag, word, inner, names",
    "count = 1\ninner.'a.b' = 1": "unknown key 'a.b' in [inner] - known are number, text, choice",
    "count = 1\ninner.__dataclass_self__ = 1": (
        "unknown key '__dataclass_self__' in [inner] - known are number, text, choice"
    ),
    "count = 1.0": "'count' is 1.0; it must be a whole number",
    "count = true": "'count' is true; it must be a whole number",
    "count = '1'": "'count' is '1'; it must be a whole number",
    "count = 2025-11-03": "'count' is 2025-11-03; it must be a whole number",
    "count = inf": "'count' is inf; it must be a whole number",
    "count = 1\nday = '2025-11-03'": "'day' is '2025-11-03'; it must be a date without quotes, such as 2025-11-03",
    "count = 1\nday = 2025-11-03T00:00:00": (
        "'day' is 2025-11-03 00:00:00; it must be a date without quotes, such as 2025-11-03"
    ),
    "count = 1\nflag = 0": "'flag' is 0; it must be true or false",
    "count = 1\nword = 1": "'word' is 1; it must be a text in quotes",
    "count = 1\ninner = 1": "'inner' is 1; it must be a table: { number = ..., text = ..., choice = ... }",
    "count = 1\ninner.number = 0": "'inner.number' is 0; it must be at least 1",
    "count = 1\ninner.number = 10": "'inner.number' is 10; it must be at most 9",
    "count = 1\ninner.text = 'four'": "'inner.text' has 4 characters; at most 3 are allowed",
    "count = 1\ninner.choice = 'six'": "'inner.choice' is 'six'; it must be 'one' or 'two'",
    "count = 1\nnames = 1": "'names' is 1; it must be a table",
    "count = 1\nnames.a = 'b'": "'names.a' is 'b'; it must be a list of texts in quotes: [\"...\", \"...\"]",
    "count = 1\nnames.a = [1]": "'names.a.0' is 1; it must be a text in quotes",
    f"count = 1\nword = ['{'x' * 100}']": f"'word' is ['{'x' * 78}...; it must be a text in quotes",
    "count = [\ninner.number = 0": "not valid TOML: Invalid value (at line 2, column 1)",
    'word = "a': "not valid TOML: Unterminated string (at end of document)",
    "inner.number = 0": "key 'count' is missing",
}


@pytest.mark.parametrize(("text", "sentence"), FAULTS.items())
def test_the_first_fault_is_named(text, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        strict_toml.checked(Outer, strict_toml.parse(text))


@pytest.mark.parametrize("text", ["a = 1\n", "# a remark\r\na = 1\r\n", "\n[b]\n"])
def test_a_byte_order_mark_begins_a_file_as_nothing(text):
    assert strict_toml.parse(f"\ufeff{text}") == strict_toml.parse(text)
