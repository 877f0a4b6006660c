"""Find data in the files of a revision that must stay private: columns left out, and dates of birth.

The files themselves are read, not the frames that they were written from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from ratinglist.errors import CheckError
from ratinglist.office import FieldPolicy
from ratinglist.publication.data_package import DATA_PACKAGE, PAGE
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.publication.policy import BirthDates
from ratinglist.reports import Circle, dates_in
from ratinglist.store.table_files import arrow_schema
from ratinglist.tables import LISTS, PUBLISHED, Column, with_declared

_OF_PLAYERS = (*LISTS, "unrated", "diff", "both_numbers")
"""Tables whose texts are about the player of the row."""

Own = Mapping[str, Mapping[str, Column]]
_NONE: Own = {}

_OUTSIDE_REVISIONS = {"both_numbers": "both_numbers", "events": "event_status"}
"""Names of the tables outside the revisions, by file stem."""


def offences(
    revision: Path,
    fields: FieldPolicy,
    birth_dates: BirthDates,
    texts: Iterable[str] = (),
    own: Own = _NONE,
) -> list[str]:
    """Return a line for everything in a revision that must not be published; none where nothing is found.

    These are the files of :func:`unknown_files`, and what :func:`of_table` finds in the others. ``own``: the columns
    that the system of the list declares, by file stem.
    """
    tables = [name for name in _names_in(revision) if _is_table(name)]
    return unknown_files(revision, texts) + [
        one for name in tables for one in of_table(revision / name, Path(name).stem, fields, birth_dates, own)
    ]


def unknown_files(revision: Path, texts: Iterable[str] = ()) -> list[str]:
    """Return a line for each file of a revision that is neither a published table, its description nor in ``texts``."""
    allowed = {MANIFEST, SIGNATURE, DATA_PACKAGE, PAGE, *texts}
    return [
        f"{name}: no such file may be published"
        for name in _names_in(revision)
        if name not in allowed and not _is_table(name)
    ]


def _names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _is_table(name: str) -> bool:
    return Path(name).stem in PUBLISHED and name.endswith((".parquet", ".csv"))


def offences_outside_revisions(paths: Iterable[Path], fields: FieldPolicy, birth_dates: BirthDates) -> list[str]:
    """Return what :func:`of_table` finds in the tables outside the revisions: ``both_numbers`` and ``events``.

    Other files among ``paths``, as that of rollbacks, are no tables of players; the texts typed by people in them were
    examined when they were given.
    """
    return [
        one
        for path in paths
        if path.stem in _OUTSIDE_REVISIONS
        for one in of_table(path, _OUTSIDE_REVISIONS[path.stem], fields, birth_dates)
    ]


def refuse(found: Sequence[str], what: str) -> None:
    """Raise :class:`CheckError` where something was found in ``what``, such as "the files of 2025-11"."""
    if found:
        raise CheckError(
            "\n".join(
                [
                    f"Nothing was published: {what} contain data that must stay private.",
                    *(f"  {one}" for one in found),
                    "Correct the player's data (a correction, or import-players); a column is a defect of the "
                    "program: report it.",
                ]
            )
        )


def of_table(path: Path, stem: str, fields: FieldPolicy, birth_dates: BirthDates, own: Own = _NONE) -> list[str]:
    """Return a line for everything in the file of a table that must not be published.

    That is a column that its table does not have or ``fields`` leaves out, a column of another type, and a date of
    birth of ``birth_dates`` in a text of that player's row.
    """
    if path.suffix == ".csv":
        with path.open("rb") as file:
            columns = file.readline().decode().rstrip("\n").split(",")
        table = with_declared(fields.table(stem, dict.fromkeys(columns, pl.Null())), stem, own)
        # Its cells need no search: its digest is the logical digest of the Parquet file, which is searched.
        return [f"{path.name}: carries the columns {', '.join(columns)}"] if columns != list(table.columns) else []
    schema = pq.read_schema(path)
    there = pl.scan_parquet(path, glob=False).collect_schema()
    table = with_declared(fields.table(stem, there), stem, own)
    allowed = arrow_schema(table)
    wrong = [
        f"{path.name}: carries the column {column.name} ({column.type}), which it may not"
        for column in schema
        if column.name not in allowed.names or column.type != allowed.field(column.name).type
    ]
    if not wrong and schema.names != allowed.names:
        wrong = [f"{path.name}: carries {', '.join(schema.names)} instead of {', '.join(allowed.names)}"]
    if stem in _OF_PLAYERS and "fide_id" in schema.names:
        wrong += [f"{path.name}: {one}" for one in _published_birth_dates(path, birth_dates)]
    return wrong


def _published_birth_dates(path: Path, birth_dates: BirthDates) -> list[str]:
    """Return a line for the first texts of a table of players that contain the player's date of birth."""
    texts = [column.name for column in pq.read_schema(path) if str(column.type) in ("string", "large_string")]
    found = []
    for name in texts:
        # A date whose month is a word is possible in a name alone: other texts have days of play.
        days = dates_in(_distinct_texts(path, name)).filter(
            pl.col("circle") <= (Circle.EVENT if name == "name" else Circle.ANY)
        )
        if days.is_empty():
            continue
        cells = pl.read_parquet(path, columns=["fide_id", name], glob=False).rename({name: "text"})
        suspicious = cells.join(days, on="text")
        # Hardly a text has a date: the birth dates of those players alone are looked up.
        known = birth_dates(suspicious["fide_id"].unique().sort()).select("fide_id", day="birth_date")
        rows = suspicious.join(known, on=["fide_id", "day"])
        found += [
            f"{name} of player {fide_id} contains the date of birth"
            for fide_id in rows["fide_id"].unique().sort().head(5)
        ]
    return found


def _distinct_texts(path: Path, name: str) -> pl.Series:
    """Return all texts of a column, each at least once; of a dictionary-encoded column only the dictionary is read."""
    file = pq.ParquetFile(path, read_dictionary=[name])
    position = file.schema_arrow.names.index(name)
    groups = (file.metadata.row_group(number).column(position) for number in range(file.num_row_groups))
    if not all("RLE_DICTIONARY" in group.encodings for group in groups):
        return pl.read_parquet(path, columns=[name], glob=False)[name]
    column = file.read(columns=[name])[name]
    texts = [pl.Series(name, chunk.dictionary, dtype=pl.String) for chunk in column.chunks]
    return pl.concat([pl.Series(name, [], dtype=pl.String), *texts]).unique()
