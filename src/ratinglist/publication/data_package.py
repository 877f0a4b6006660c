"""Describe the tables of a revision for data tools and for people: ``datapackage.json`` and ``SCHEMA.md``.

The first is a Frictionless Data Package: every table with the types, units and keys that
:mod:`~ratinglist.tables` declares, so that a tool that knows the standard needs no other information. The second is
the same as a page. Both stand in each revision and not once for all: a revision is copied, signed and proved as a
whole, it never changes, and it describes exactly the columns that it has. They depend on the tables alone, not on the
number of the revision, so the same list keeps the same bytes.

The diff of a corrected list is left out of the data package, because it depends on the revision before: the page
describes its columns in any case.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

import polars as pl

from ratinglist.pages.document import Code, Document, Heading, Paragraph, Span
from ratinglist.pages.document import Table as Rows
from ratinglist.pages.markdown import as_markdown
from ratinglist.period import Period
from ratinglist.tables import LISTS, PUBLISHED, Column, Table, unit_of

DATA_PACKAGE: Final = "datapackage.json"
PAGE: Final = "SCHEMA.md"
STEMS: Final = ("datapackage", "SCHEMA")
"""The files of this module by file stem."""
_DIFF: Final = "diff"
_TYPES: Final = {
    pl.Int32(): "integer",
    pl.Int64(): "integer",
    pl.String(): "string",
    pl.Boolean(): "boolean",
    pl.Date(): "date",
}
_UNITS: Final = (
    "A month is text, YYYY-MM, and means the list that takes effect on its first day. A score is in half points, an "
    "expected score and a change in hundredths of a point: the end of a column's name is its unit."
)


def described(period: Period, tables: Mapping[str, Table]) -> dict[str, str]:
    """Return the texts of both files by name.

    ``tables``: by file stem each published table, with the columns that it has. A list is published as CSV too.
    """
    resources = [
        one
        for stem, table in tables.items()
        if stem != _DIFF
        for one in (_of_parquet(stem, table), *([_of_csv(stem, table)] if stem in LISTS else []))
    ]
    package = {
        "profile": "data-package",
        "name": f"rating-list-{period}",
        "title": f"Rating list of {period}",
        "description": _UNITS,
        "resources": resources,
    }
    return {
        DATA_PACKAGE: json.dumps(package, ensure_ascii=False, indent=2) + "\n",
        PAGE: as_markdown(_page(period, tables)),
    }


def _of_parquet(stem: str, table: Table) -> dict[str, object]:
    return {
        "name": stem,
        "path": f"{stem}.parquet",
        "title": f"One row per {table.one_row_per}",
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "schema": _schema(table),
    }


def _of_csv(stem: str, table: Table) -> dict[str, object]:
    return {
        "name": f"{stem}-csv",
        "path": f"{stem}.csv",
        "profile": "tabular-data-resource",
        "title": f"One row per {table.one_row_per}",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "schema": _schema(table),
    }


def _schema(table: Table) -> dict[str, object]:
    fields = [_field(name, column) for name, column in table.columns.items()]
    schema: dict[str, object] = {"fields": fields, "missingValues": [""], "primaryKey": list(table.key)}
    if table.name == "games":
        events = {"resource": "events", "fields": "event_id"}
        schema["foreignKeys"] = [{"fields": "event_id", "reference": events}]
    return schema


def _field(name: str, column: Column) -> dict[str, object]:
    unit = unit_of(name)
    # An empty text is a value here, and a missing one by the standard: no text is required.
    is_required = not column.null and column.dtype != pl.String()
    return {
        "name": name,
        "type": _type(column),
        "description": column.description,
        **({"unit": unit} if unit else {}),
        **({"constraints": {"required": True}} if is_required else {}),
    }


def _type(column: Column) -> str:
    return _TYPES.get(column.dtype, "number")


def _page(period: Period, tables: Mapping[str, Table]) -> Document:
    lists = [stem for stem in tables if stem in LISTS]
    named = {
        **({", ".join(lists): tables[lists[0]]} if lists else {}),
        **{stem: table for stem, table in tables.items() if stem not in LISTS},
    }
    named.setdefault(_DIFF, PUBLISHED[_DIFF])
    parts = [part for names, table in named.items() for part in _section(names, table)]
    intro: list[Span] = [
        _UNITS,
        " Every table is a Parquet file of its name; a list is there as CSV too. ",
        Code(DATA_PACKAGE),
        " says the same to programs, and ",
        Code("manifest.json"),
        " has the digest of every file.",
    ]
    return Document(f"The tables of the rating list of {period}", [Paragraph(intro), *parts])


def _section(names: str, table: Table) -> list[Heading | Paragraph | Rows]:
    rows = [
        (name, _type(column), unit_of(name), "may be missing" if column.null else "", column.description)
        for name, column in table.columns.items()
    ]
    key = f" The key is {', '.join(table.key)}." if table.key else ""
    only = " Only a corrected list has it." if table.name == _DIFF else ""
    return [
        Heading(names),
        Paragraph(f"One row per {table.one_row_per}.{key}{only}"),
        Rows(("column", "type", "unit", "value", "what it is"), rows, [False] * 5),
    ]
