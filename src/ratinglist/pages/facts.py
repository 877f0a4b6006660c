"""What a command calculated, as data with one rendering: facts and tables by name.

Commands whose result says what comes next have summaries with sentences of their own (:mod:`ratinglist.summaries`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import polars as pl

from ratinglist.pages.plain_text import first_lines, text_table
from ratinglist.summaries import Summary
from ratinglist.text import halves, hundredths, quarters, shown

_UNITS: dict[str, Callable[[int | None], str]] = {"halves": halves, "quarters": quarters, "hundredths": hundredths}
"""How the numbers of a column are written, by the unit that its name ends with."""
_LINE = 100
"""How many characters of a list are one line."""


class Result(Summary):
    """What a command did, printed field by field; its classes are dataclasses. ``DONE``: the first line for people."""

    __slots__ = ()
    DONE: ClassVar[str] = ""

    @property
    def done(self) -> str:
        """Return the first line for people, for a class of which it is not always the same."""
        return self.DONE

    def text(self) -> str:
        """Return what was done, and a line for each field that is not empty."""
        return "\n".join([self.done, *fact_lines(self.as_dict())])


@dataclass(frozen=True, slots=True)
class Facts(Summary):
    """Facts and tables by name. ``title``: what they are of, the first line for people."""

    title: str
    values: dict[str, Any]

    def as_dict(self) -> dict[str, object]:
        """Return the facts as JSON-able values by name, a frame as its rows."""
        return {
            name: value.to_dicts() if isinstance(value, pl.DataFrame) else value for name, value in self.values.items()
        }

    def text(self) -> str:
        """Return the title and :func:`fact_lines`."""
        facts = {name: value for name, value in self.values.items() if value is not self.title}
        return "\n".join([self.title, *fact_lines(facts)])


def fact_lines(facts: Mapping[str, object]) -> list[str]:
    """Return a line for each fact that is not empty, and the tables as tables; a long list has a line for each part."""
    lines = []
    for name, value in facts.items():
        if isinstance(value, pl.DataFrame):
            lines += ["", *frame_table(value)]
        elif isinstance(value, Mapping):
            lines += [f"{_words(name)}, {_words(str(key))}: {_text(of_key)}" for key, of_key in value.items()]
        elif isinstance(value, list) and len(_text(value)) > _LINE:
            lines += [f"{_words(name)}: {len(value):,}", *first_lines([_text(part) for part in value])]
        elif value is not False and value not in (None, "", [], ()):
            lines.append(f"{_words(name)}: {_text(value)}")
    return lines


def frame_table(rows: pl.DataFrame) -> list[str]:
    """Return rows as a table, in points where the name of a column ends with halves, quarters or hundredths."""
    units = [_UNITS.get(name.rpartition("_")[2]) for name in rows.columns]
    names = [_words(name.rpartition("_")[0] if unit else name) for name, unit in zip(rows.columns, units, strict=True)]
    cells = [
        [unit(cell) if unit else _text(cell) for cell, unit in zip(row, units, strict=True)] for row in rows.iter_rows()
    ]
    return text_table(names, cells, [dtype.is_numeric() for dtype in rows.dtypes], rule=True)


def _words(name: str) -> str:
    return shown(name.replace("_", " "))


def _text(value: object) -> str:
    """Return a value on one line: four places of a number that is not whole, and the parts of a list."""
    if isinstance(value, Real) and not isinstance(value, Integral):
        return f"{value:.4f}"
    if isinstance(value, list | tuple):
        return ", ".join("-".join(map(str, part)) if isinstance(part, tuple) else _text(part) for part in value)
    return shown(value)
