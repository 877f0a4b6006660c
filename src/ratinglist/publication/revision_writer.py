"""Write a month's list as an immutable revision: first as a draft, which no reader sees.

All files are written to ``HOME/drafts`` and synced to the disk, ``manifest.json`` last. The finished files are a
:class:`RevisionDraft`: it can be read, kept as a preview, or signed and moved to its place in ``published/`` by an
entry of the log (:mod:`ratinglist.publication.settle`).

Before the manifest, the files themselves are read, not the frames that they were written from: a column that the office
leaves out, or a date of birth, is in none of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import polars as pl
import pyarrow.parquet as pq

from ratinglist.errors import CheckError
from ratinglist.files.durable_files import link, remove_folder, synced, write_finished
from ratinglist.office import FieldPolicy
from ratinglist.period import Period
from ratinglist.publication import manifest
from ratinglist.publication.manifest import MANIFEST
from ratinglist.publication.revisions import newest_complete, next_revision, number_of
from ratinglist.publication.settle import draft_path
from ratinglist.rating.systems.registry import FIDE_SYSTEM, SYSTEMS
from ratinglist.reports import dates_in
from ratinglist.settings import PUBLISHED as PUBLISHED_FOLDER, Settings
from ratinglist.store import table_files
from ratinglist.store.database import Store
from ratinglist.store.received import birth_dates_of
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import FileEntry, arrow_schema, write_parquet, write_tables, write_text
from ratinglist.tables import LISTS, PUBLISHED, Column, Table, unit_of, with_declared

OF_DIFF = ("diff", "DIFF", "corrections")
"""What a revision says of its differences from the one before: a table and a text, by file stem, and a fact."""
_OF_PLAYERS = (*LISTS, "unrated", "diff", "both_numbers")
"""Tables whose texts are about the player of the row."""

BirthDates = Callable[[pl.Series], pl.DataFrame]
"""A function from FIDE IDs to ``fide_id`` and ``birth_date``: every date ever known of these players."""
OwnColumns = Mapping[str, Mapping[str, Column]]
"""The columns that the system of a list declares besides those of every list, by file stem."""


@dataclass(frozen=True, slots=True)
class RevisionDraft:
    """The finished files of a revision, its manifest included; readers see them once an entry of the log places them.

    ``digest``: the digest of the manifest, which people approve and quote. ``rows``: the number of rows by file stem.
    ``is_new`` is false where the newest revision has exactly this content: then ``folder`` and ``number`` are those
    of that revision.
    """

    period: Period
    number: int
    folder: Path
    digest: str
    rows: dict[str, int]
    is_new: bool


def births_in(store: Store) -> BirthDates:
    """Return the function that looks birth dates up in the store."""
    return partial(birth_dates_of, store)


def write_revision(
    published: Path,
    drafts: Path,
    period: Period,
    tables: Mapping[str, pl.DataFrame],
    facts: Mapping[str, object],
    *,
    linked: Mapping[Path, FileEntry],
    texts: Mapping[str, str],
    fields: FieldPolicy,
    birth_dates: BirthDates,
) -> RevisionDraft:
    """Write the revision that the list of ``period`` would become.

    ``published``: ``HOME/published``, of which the earlier revisions are read. ``drafts``: ``HOME/drafts``.
    ``tables``: the rows of the tables to be written, by file stem; ``linked``: the files of a calculation that are
    published unchanged, with their entries in a manifest. Together they are all tables of
    :data:`~ratinglist.tables.PUBLISHED`; a list may be absent, and a first revision has no diff. ``facts``: what
    the manifest states besides the files, as JSON values without fractions; the caller sorts lists. ``texts``: further
    files for people, by name. ``fields``: the columns left out, which the manifest names under ``without``.
    ``birth_dates``: looks up the dates that no file may contain.

    A draft that a killed run has left is replaced.

    Raises :class:`CheckError`, with nothing published, where a key is not unique, a player of a list is not registered,
    or the files contain what must stay private; ``polars.exceptions`` errors where a frame
    does not have its table's columns.
    """
    own = _own_columns(str(facts.get("family", "")))
    if without := fields.as_dict():
        facts = {**facts, "without": without}
    number = next_revision(published, period)
    draft = _make_draft_folder(drafts, period, number)
    try:
        schemas = {stem: with_declared(fields.table(stem, table.schema), stem, own) for stem, table in tables.items()}
        files = {**_link(draft, linked), **write_tables(draft, tables, schemas)}
        package = described(period, _tables_there(draft, files, fields, own))
        files |= {name: write_text(draft / name, text) for name, text in {**texts, DATA_PACKAGE: package}.items()}
        files = dict(sorted(files.items()))
        refuse(offences(draft, fields, birth_dates, own), f"the files of {period}")
        rows = {stem: int(entry["rows"]) for stem in sorted(PUBLISHED) if (entry := files.get(f"{stem}.parquet"))}
        newest = newest_complete(published / str(period))
        if newest is not None and _has_content(newest, files, facts):
            remove_folder(draft)
            digest = manifest.read((newest / MANIFEST).read_bytes()).digest
            return RevisionDraft(period, number_of(newest), newest, digest, rows, is_new=False)
        data = manifest.encode(period, number, facts, files)
        # All other files of the folder are on the disk already.
        write_finished(draft / MANIFEST, data)
        synced(draft)
    except CheckError:
        remove_folder(draft)
        raise
    return RevisionDraft(period, number, draft, manifest.read(data).digest, rows, is_new=True)


def write_outside(store: Store, settings: Settings, name: str, table: str, rows: pl.DataFrame) -> None:
    """Write a table outside the revisions, such as ``events.parquet``, as a draft without the columns left out.

    ``name``: its path below ``published``. ``table``: its name in SQL. Raises :class:`CheckError` where the file has
    what must stay private.
    """
    path, fields = draft_path(settings.drafts, f"{PUBLISHED_FOLDER}/{name}"), settings.office.fields
    carried = fields.table(table)
    synced(write_parquet(path, carried, carried.conform(rows)))
    refuse(offences_of_table(path, table, fields, births_in(store)), "the tables outside the revisions")


def _tables_there(
    folder: Path, files: Mapping[str, FileEntry], fields: FieldPolicy, own: OwnColumns
) -> dict[str, Table]:
    """Return each table of a revision with the columns that it has, by file stem."""
    there = [stem for stem in PUBLISHED if f"{stem}.parquet" in files]
    columns = {stem: table_files.scan_table(folder, stem).collect_schema() for stem in there}
    return {stem: with_declared(fields.table(stem, columns[stem]), stem, own) for stem in there}


def _own_columns(family: str) -> OwnColumns:
    """Return the columns that the system of a family adds to its tables, by file stem."""
    book = rule_book()
    name = book.of(family)[0].system if family in book.families else FIDE_SYSTEM
    return {} if name == FIDE_SYSTEM else SYSTEMS[name].own_columns


def _link(folder: Path, linked: Mapping[Path, FileEntry]) -> dict[str, FileEntry]:
    """Link the files of a calculation, which were compared with the log, into ``folder``, and return their entries."""
    for path in linked:
        link(path, folder / path.name)
    synced(folder)
    return {path.name: entry for path, entry in linked.items()}


def offences(
    revision: Path,
    fields: FieldPolicy,
    birth_dates: BirthDates,
    own: OwnColumns | None = None,
) -> list[str]:
    """Return a line for everything in the tables of a revision that must not be published.

    A list as CSV need not be searched: its digest is the logical digest of the Parquet file.
    """
    tables = (path for path in sorted(revision.glob("*.parquet")) if path.stem in PUBLISHED)
    return [offence for path in tables for offence in offences_of_table(path, path.stem, fields, birth_dates, own)]


def refuse(offences: list[str], what: str) -> None:
    """Raise :class:`CheckError` where something was found in ``what``, such as "the files of 2025-11"."""
    if offences:
        raise CheckError(
            "\n".join(
                [
                    f"Nothing was published: {what} contain data that must stay private.",
                    *(f"  {offence}" for offence in offences),
                    "Correct the player's data (a correction, or import-players); a column is a defect of the "
                    "program: report it.",
                ]
            )
        )


def offences_of_table(
    path: Path, stem: str, fields: FieldPolicy, birth_dates: BirthDates, own: OwnColumns | None = None
) -> list[str]:
    """Return a line for everything in the file of a table that must not be published.

    That is a column that its table does not have or ``fields`` leaves out, a column of another type, and a date of
    birth of ``birth_dates`` in a text of that player's row. ``own``: the columns that the system of the list declares.
    """
    schema = pq.read_schema(path)
    there = pl.scan_parquet(path, glob=False).collect_schema()
    allowed = arrow_schema(with_declared(fields.table(stem, there), stem, own or {}))
    wrong = [
        f"{path.name}: carries the column {column.name} ({column.type}), which it may not"
        for column in schema
        if column.name not in allowed.names or column.type != allowed.field(column.name).type
    ]
    if stem in _OF_PLAYERS and "fide_id" in schema.names:
        texts = [column.name for column in schema if str(column.type) in ("string", "large_string")]
        wrong += [date for name in texts for date in _published_birth_dates(path, name, birth_dates)]
    return wrong


def _published_birth_dates(path: Path, column: str, birth_dates: BirthDates) -> list[str]:
    """Return a line for the first players whose date of birth is in the text of a column of their rows."""
    cells = pl.read_parquet(path, columns=["fide_id", column], glob=False).rename({column: "text"})
    # A date that is not certain is possible in a name alone: other texts have days of play.
    days = dates_in(cells["text"]).filter(pl.col("certain") | (column == "name"))
    if days.is_empty():
        return []
    suspicious = cells.join(days, on="text")
    # Hardly any text has a date, so only the birth dates of those players are looked up.
    known = birth_dates(suspicious["fide_id"].unique().sort()).select("fide_id", day="birth_date")
    players = suspicious.join(known, on=["fide_id", "day"])["fide_id"].unique().sort().head(5)
    return [f"{path.name}: {column} of player {fide_id} contains the date of birth" for fide_id in players]


def content_digests(files: Mapping[str, FileEntry]) -> dict[str, object]:
    """Return the digest of every file's content by name, without the diff and the data package."""
    return {
        name: entry.get("logical_sha256", entry["sha256"])
        for name, entry in files.items()
        if Path(name).stem not in OF_DIFF and name != DATA_PACKAGE
    }


def _has_content(revision: Path, files: Mapping[str, FileEntry], facts: Mapping[str, object]) -> bool:
    """Return whether ``revision`` has exactly these files and facts, its diff apart, which is about the one before.

    What is published was compared with its manifest when the home was opened.
    """
    published = manifest.read((revision / MANIFEST).read_bytes())
    of_diff = {name: entry for name, entry in published.files.items() if Path(name).stem in OF_DIFF}
    facts_of_diff = {name: fact for name, fact in published.facts.items() if name in OF_DIFF}
    period, number = Period.parse(revision.parent.name), number_of(revision)
    again = manifest.encode(period, number, {**facts_of_diff, **facts}, {**of_diff, **files})
    return (revision / MANIFEST).read_bytes() == again


def _make_draft_folder(drafts: Path, period: Period, number: int) -> Path:
    """Make the folder of a draft, empty: its path below ``drafts`` is the one it will have below the home."""
    folder = draft_path(drafts, f"{PUBLISHED_FOLDER}/{period}/r{number}")
    if folder.exists():
        remove_folder(folder)
    folder.mkdir()
    return folder


DATA_PACKAGE: Final = "datapackage.json"
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


def described(period: Period, tables: Mapping[str, Table]) -> str:
    """Return the data package of a list, as JSON.

    ``tables``: by file stem each published table, with the columns that it has. A list is published as CSV too.
    """
    resources = [
        resource
        for stem, table in tables.items()
        if stem != _DIFF
        for resource in (_of_parquet(stem, table), *([_of_csv(stem, table)] if stem in LISTS else []))
    ]
    package = {
        "profile": "data-package",
        "name": f"rating-list-{period}",
        "title": f"Rating list of {period}",
        "description": _UNITS,
        "resources": resources,
    }
    return json.dumps(package, ensure_ascii=False, indent=2) + "\n"


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
