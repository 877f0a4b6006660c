"""Read the cells of an Excel workbook (.xlsx) as text, row by row.

There is no library for it here: the readers of workbooks that Python has parse XML without the limits that everything
received is under, or need an extension module, and a table of players needs none of their styles, formulas and dates.
A workbook is a zip of XML files, so the zip is checked as every other one (:mod:`~ratinglist.zip_files`), and the XML
is parsed by expat with a document type refused: no entity can be defined, so none can expand.

The format is ECMA-376, part 1, chapter 18.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO
from xml.parsers import expat

from ratinglist import zip_files
from ratinglist.limits import LIST_COLUMNS, SHOWN_LENGTH, WORKBOOK_BYTES, WORKBOOK_ROWS, XML_DEPTH, XML_TEXT_LENGTH
from ratinglist.lists.inspection import Inspection
from ratinglist.safe_text import on_one_line, shortened

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_STRINGS = "xl/sharedStrings.xml"
_REMEDY = "save it again as .xlsx or as CSV"
_CELL = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
_WHOLE = re.compile(r"(-?[0-9]+)\.0*")
_EPOCH_1904 = 1462
"""Days from the first day of a workbook of 1900 to that of a workbook of 1904."""

Attributes = dict[str, str]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook: its name, and each row that is not blank, its number (from 1) with its cells from A on.

    ``first_day``: the days to add to a number that is a date, to count from the end of 1899.
    """

    name: str
    rows: list[tuple[int, list[str]]]
    first_day: int = 0


def sheets(stream: IO[bytes], inspection: Inspection) -> Iterator[Sheet]:
    """Yield the sheets of the workbook in ``stream`` that are not hidden, in order.

    Raises :class:`OfficialListError` for a workbook that is damaged, over a limit, or not of this format.
    """
    try:
        members = {member.name: member for member in zip_files.members(stream, WORKBOOK_BYTES)}
        with zipfile.ZipFile(stream) as archive:

            def content(name: str) -> bytes:
                if name not in members:
                    raise inspection.refused(f"the workbook has no {shortened(name, SHOWN_LENGTH)}", _REMEDY)
                if members[name].problem:
                    raise inspection.refused(f"{name} is not read: {members[name].problem}", _REMEDY)
                return archive.read(members[name].entry)

            book = _Book(inspection)
            book.parse(_WORKBOOK, content(_WORKBOOK), book.on_workbook)
            book.parse(_RELATIONS, content(_RELATIONS), book.on_relation)
            strings = _Strings(inspection)
            if _STRINGS in members:
                strings.parse(_STRINGS, content(_STRINGS), strings.start, strings.end)
            for name, relation in book.sheets:
                part = posixpath.normpath(posixpath.join("xl", book.targets.get(relation, ""))).removeprefix("/")
                rows = _Rows(inspection, strings.texts)
                rows.parse(part, content(part), rows.start, rows.end)
                yield Sheet(name, rows.rows, _EPOCH_1904 if book.from_1904 else 0)
    except zip_files.TooLargeError as wrong:
        raise inspection.refused(f"it {wrong}", "keep the players' sheet alone") from None
    except zip_files.UNREADABLE as wrong:
        raise inspection.refused(f"not a readable workbook ({on_one_line(str(wrong))})", _REMEDY) from None


class _Part:
    """A parser of one XML file of a workbook. ``text`` is what stands in the innermost element so far."""

    def __init__(self, inspection: Inspection) -> None:
        self.inspection = inspection
        self.text = ""
        self._name = ""
        self._depth = 0

    def parse(
        self,
        name: str,
        data: bytes,
        start: Callable[[str, Attributes], None],
        end: Callable[[str], None] | None = None,
    ) -> None:
        """Parse ``data`` and call ``start`` and ``end`` for each element, named without its namespace."""
        self._name = name
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True

        def started(element: str, attributes: Attributes) -> None:
            self._depth += 1
            if self._depth > XML_DEPTH:
                raise self.refused(f"elements are nested more than {XML_DEPTH} deep")
            self.text = ""
            start(_local(element), {_local(key): value for key, value in attributes.items()})

        def ended(element: str) -> None:
            self._depth -= 1
            if end is not None:
                end(_local(element))
            self.text = ""

        def characters(text: str) -> None:
            self.text += text
            if len(self.text) > XML_TEXT_LENGTH:
                raise self.refused(f"a text has more than {XML_TEXT_LENGTH} characters")

        def doctype(*_declaration: object) -> None:
            raise self.refused("it has a document type declaration, which no workbook has")

        parser.StartElementHandler = started
        parser.EndElementHandler = ended
        parser.CharacterDataHandler = characters
        parser.StartDoctypeDeclHandler = doctype
        try:
            parser.Parse(data, True)
        except expat.ExpatError as wrong:
            raise self.refused(f"not well-formed XML ({expat.ErrorString(wrong.code)})") from None
        except LookupError:
            raise self.refused("its encoding is not known") from None

    def refused(self, what: str) -> Exception:
        """Return the error for a problem of this file of the workbook; the caller raises it."""
        return self.inspection.refused(f"{shortened(self._name, SHOWN_LENGTH)}: {what}", _REMEDY)


class _Book(_Part):
    """The sheets of a workbook that are not hidden: name and id of the relation; relation to file."""

    def __init__(self, inspection: Inspection) -> None:
        super().__init__(inspection)
        self.sheets: list[tuple[str, str]] = []
        self.targets: dict[str, str] = {}
        self.from_1904 = False

    def on_workbook(self, element: str, attributes: Attributes) -> None:
        """Keep a sheet, and the first day of the calendar."""
        if element == "sheet" and attributes.get("state", "visible") == "visible":
            self.sheets.append((attributes.get("name", ""), attributes.get("id", "")))
        elif element == "workbookPr":
            self.from_1904 = attributes.get("date1904", "0") in ("1", "true")

    def on_relation(self, element: str, attributes: Attributes) -> None:
        """Keep the file of a sheet."""
        if element == "Relationship":
            target = attributes.get("Target", "")
            # A target that begins with a slash counts from the top of the zip.
            self.targets[attributes.get("Id", "")] = f"../{target}" if target.startswith("/") else target


class _Strings(_Part):
    """The texts that cells share, in order; those of a phonetic reading are left out."""

    def __init__(self, inspection: Inspection) -> None:
        super().__init__(inspection)
        self.texts: list[str] = []
        self._parts: list[str] = []
        self._phonetic = False

    def start(self, element: str, _attributes: Attributes) -> None:
        """Begin a text."""
        if element == "si":
            self._parts = []
        elif element == "rPh":
            self._phonetic = True

    def end(self, element: str) -> None:
        """Keep a part of a text, or the whole one."""
        if element == "t" and not self._phonetic:
            self._parts.append(self.text)
        elif element == "rPh":
            self._phonetic = False
        elif element == "si":
            self.texts.append("".join(self._parts))


class _Rows(_Part):
    """The rows of a sheet."""

    def __init__(self, inspection: Inspection, strings: list[str]) -> None:
        super().__init__(inspection)
        self.rows: list[tuple[int, list[str]]] = []
        self._strings = strings
        self._row = self._column = self._characters = 0
        self._cells: dict[int, str] = {}
        self._kind, self._value = "", ""

    def start(self, element: str, attributes: Attributes) -> None:
        """Begin a row or a cell; either may leave out its place and is then the next one."""
        if element == "row":
            row = attributes.get("r", "")
            self._row = int(row) if re.fullmatch("[1-9][0-9]{0,6}", row) else self._row + 1
            self._column, self._cells = 0, {}
        elif element == "c":
            place = _CELL.fullmatch(attributes.get("r", ""))
            self._column = _column_number(place[1]) if place else self._column + 1
            self._kind, self._value = attributes.get("t", "n"), ""

    def end(self, element: str) -> None:
        """Keep the value of a cell, the cell, or the row."""
        if element in ("v", "t"):
            # A cell with formatted text in it has several <t>.
            self._value += self.text
        elif element == "c" and (text := self._cell_text()):
            if self._column > LIST_COLUMNS:
                raise self.refused(f"row {self._row}: it has more than {LIST_COLUMNS} columns")
            self._cells[self._column] = text
            self._characters += len(text)
            if self._characters > WORKBOOK_BYTES:
                raise self.refused(f"its cells have more than {WORKBOOK_BYTES} characters")
        elif element == "row" and self._cells:
            self.rows.append((self._row, [self._cells.get(at, "") for at in range(1, max(self._cells) + 1)]))
            if len(self.rows) > WORKBOOK_ROWS:
                raise self.refused(f"it has more than {WORKBOOK_ROWS} rows")

    def _cell_text(self) -> str:
        """Return the text of the cell: a whole number without a fraction, nothing for an error of a formula."""
        value = self._value.strip()
        if self._kind == "s":
            if not re.fullmatch("[0-9]{1,9}", value) or int(value) >= len(self._strings):
                raise self.refused(f"row {self._row}: a cell has a text that the workbook does not have")
            return self._strings[int(value)].strip()
        if self._kind == "e":
            return ""
        if self._kind == "n" and (whole := _WHOLE.fullmatch(value)):
            return whole[1]
        return value


def _local(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition(" ")[2]


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
