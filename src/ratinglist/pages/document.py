"""A report as headings, paragraphs, lists, tables and charts: stated once, and written in the form that a reader needs.

:mod:`~ratinglist.pages.markdown`, :mod:`~ratinglist.pages.html_pages` and :mod:`~ratinglist.pages.plain_text` write it.
Every text in it is shown as it is: a form escapes what it must.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ratinglist.text import grouped, on_one_line

if TYPE_CHECKING:
    # Not at run time: a command that prints a table of texts does not wait for Polars.
    import polars as pl

    from ratinglist.pages.charts import Chart


@dataclass(frozen=True, slots=True)
class Code:
    """A command, a digest or the name of a file within a text."""

    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """A part of a text that no reader may miss."""

    text: str


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a table within the text that explains it."""

    text: str


Span = str | Code | Strong | Word
Text = str | Sequence[Span]
"""A text, or its parts, which follow each other without a blank between them."""


def plain(text: Text) -> str:
    """Return a text on one line, without what distinguishes its parts."""
    return on_one_line(
        text if isinstance(text, str) else "".join(part if isinstance(part, str) else part.text for part in text)
    )


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading. ``level``: 2 for a section, 3 for a part of one. ``anchor``: what a link to it names; empty: none."""

    text: Text
    level: int = 2
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph. ``ends_section``: it is about the whole document, and not about the section before it."""

    text: Text
    ends_section: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list, with those below it."""

    text: Text
    below: Sequence[Text] = ()


@dataclass(frozen=True, slots=True)
class Entries:
    """A list of entries."""

    entries: Sequence[Entry]

    @classmethod
    def of(cls, texts: Iterable[Text]) -> Entries:
        """Return a list of texts."""
        return cls([Entry(text) for text in texts])


NONE = "None."
"""What stands in the place of a table without rows."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table. ``to_right``: which columns are aligned right: those of numbers. None in a cell is blank.

    ``caption``: where the headings above it do not say what it shows. A table without rows is written as :data:`NONE`.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    to_right: Sequence[bool]
    caption: str = ""

    @classmethod
    def of(cls, head: Sequence[str], rows: pl.DataFrame, caption: str = "") -> Table:
        """Return the table of a frame: its columns of numbers are aligned right."""
        return cls(head, rows.rows(), [dtype.is_numeric() for dtype in rows.dtypes], caption)


_PLACES = {"tenths": 1, "hundredths": 2, "millionths": 6}
"""Decimals of a number, by the unit that the name of its column ends with; none of other whole numbers."""


def figures_table(rows: pl.DataFrame, head: Mapping[str, str]) -> Table:
    """Return columns of a frame under the names of ``head``: numbers in points or as shares, thousands with commas."""
    is_number = [rows.schema[name].is_numeric() for name in head]
    places = [_PLACES.get(name.rpartition("_")[2], 0) for name in head]
    cells = [
        [
            grouped(cell, of_unit) if number else cell
            for cell, of_unit, number in zip(row, places, is_number, strict=True)
        ]
        for row in rows.select(*head).iter_rows()
    ]
    return Table(list(head.values()), cells, is_number)


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart and its drawing, an ``<svg>`` element."""

    chart: Chart
    svg: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Charts next to each other."""

    figures: Sequence[Figure]


Part = Heading | Paragraph | Entries | Table | Figures


@dataclass(frozen=True, slots=True)
class Document:
    """A report: its title and its parts, in their order."""

    title: str
    parts: Sequence[Part]
