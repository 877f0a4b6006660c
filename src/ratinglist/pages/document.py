"""A report as headings, paragraphs, lists, tables and charts: stated once, and written in the form that a reader needs.

:func:`as_text` writes it for a terminal, :func:`as_markdown` as Markdown, :mod:`~ratinglist.pages.html_pages` as HTML.
Every text in it is shown as it is: a form escapes what it must. In Markdown untrusted text stays in its cell or its
line, and stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ratinglist.text import INDENT, grouped, on_one_line, shown, text_table

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


Span = str | Code | Strong
Text = str | Sequence[Span]
"""A text, or its parts, which follow each other without a blank between them."""


def plain(text: Text) -> str:
    """Return a text on one line, without what distinguishes its parts."""
    return on_one_line(
        text if isinstance(text, str) else "".join(part if isinstance(part, str) else part.text for part in text)
    )


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading. ``level``: 2 for a section, 3 for a part of one."""

    text: Text
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph. ``ends_section``: it is about the whole document, and not about the section before it."""

    text: Text
    ends_section: bool = False


@dataclass(frozen=True, slots=True)
class Entries:
    """A list of texts."""

    texts: Sequence[Text]


NONE = "None."
"""What stands in the place of a table without rows."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table. ``to_right``: which columns are aligned right: those of numbers. None in a cell is blank.

    A table without rows is written as :data:`NONE`.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    to_right: Sequence[bool]

    @classmethod
    def of(cls, head: Sequence[str], rows: pl.DataFrame) -> Table:
        """Return the table of a frame: its columns of numbers are aligned right."""
        return cls(head, rows.rows(), [dtype.is_numeric() for dtype in rows.dtypes])


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


# ------------------------------------------------------------------------------------------------------ plain text


def as_text(document: Document) -> str:
    """Return a document as text: its title, then each section after a blank line, indented below its heading.

    Charts are left out.
    """
    return "\n".join([plain(document.title), *as_lines(document.parts)])


def as_lines(parts: Sequence[Part]) -> list[str]:
    """Return the parts of a document as the lines of a text, below its title."""
    lines = [""] if parts and not isinstance(parts[0], Heading) else []
    indent = ""
    for part in parts:
        if isinstance(part, Heading):
            lines += ["", plain(part.text)]
            indent = INDENT
        elif isinstance(part, Paragraph) and part.ends_section:
            lines += ["", plain(part.text)]
            indent = ""
        else:
            lines += [f"{indent}{line}".rstrip() for line in _lines(part)]
    return lines


def _lines(part: Part) -> Iterator[str]:
    if isinstance(part, Table):
        cells = [[shown(cell) for cell in row] for row in part.rows]
        yield from text_table([*map(shown, part.head)], cells, part.to_right) if cells else [NONE]
    elif isinstance(part, Entries):
        yield from map(plain, part.texts)
    elif not isinstance(part, Figures):
        yield plain(part.text)


# -------------------------------------------------------------------------------------------------------- Markdown

#: Characters that begin a link, an image, emphasis, code or HTML, end a cell, or escape any of these.
_SIGNS: Final = re.compile(r"[\\`*\[\]<>&|~$]|(?<!\w)_|_(?!\w)")
#: The place at the beginning of a line in front of a sign of a heading, a list or a rule.
_LINE_START: Final = re.compile(r"^(\d*)(?=[#+=.)-])")
#: Places inside an address that many renderers turn into a link without any markup.
_ADDRESS: Final = re.compile(r"(?<=\w)(?=://)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)


def cell(value: object) -> str:
    """Return ``value`` escaped as the cell of a table, so that it is rendered as it is written; None is blank."""
    return _ADDRESS.sub(r"\\", _SIGNS.sub(r"\\\g<0>", shown(value)))


def paragraph(text: str) -> str:
    """Return ``text`` escaped as a paragraph, every line of it on a line of its own."""
    # Two blanks at the end of a line are the break that all renderers know; a blank line would end the paragraph.
    return "  \n".join(_LINE_START.sub(r"\1\\", cell(line.strip())) for line in text.splitlines() if line.strip())


def as_markdown(document: Document) -> str:
    """Return a document as Markdown, without its charts."""
    parts = [f"# {cell(document.title)}", *filter(None, map(_part, document.parts))]
    return "\n\n".join(parts) + "\n"


def _part(part: Part) -> str:
    if isinstance(part, Heading):
        return f"{'#' * part.level} {_inline(part.text)}"
    if isinstance(part, Paragraph):
        return paragraph(part.text) if isinstance(part.text, str) else _line(part.text)
    if isinstance(part, Entries):
        return "\n".join(f"- {_line(text)}" for text in part.texts)
    if isinstance(part, Figures):
        return ""
    return _table(part)


def _table(table: Table) -> str:
    if not table.rows:
        return NONE
    rule = "".join("--:|" if right else "---|" for right in table.to_right)
    lines = [f"| {' | '.join(map(cell, row))} |" for row in (table.head, *table.rows)]
    return "\n".join([lines[0], f"|{rule}", *lines[1:]])


def _line(text: Text) -> str:
    return _LINE_START.sub(r"\1\\", _inline(text))


def _inline(text: Text) -> str:
    return cell(text) if isinstance(text, str) else "".join(map(_span, text))


def _span(part: Span) -> str:
    if isinstance(part, str):
        return cell(part)
    if isinstance(part, Code):
        # The fence is longer than any in the text, which is shown as it is.
        fence = "`" * (max(map(len, re.findall("`+", part.text)), default=0) + 1)
        blank = " " if len(fence) > 1 else ""
        return f"{fence}{blank}{on_one_line(part.text)}{blank}{fence}"
    return f"**{cell(part.text)}**"
