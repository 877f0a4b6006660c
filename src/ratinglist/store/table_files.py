"""Write a table as a Parquet or CSV file. The same rows always give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa

from ratinglist.concurrency import map_ordered
from ratinglist.errors import CheckError, CommandLineError
from ratinglist.files.durable_files import finish, sha256_of
from ratinglist.tables import LISTS, Table, published_table

ROW_GROUP = 131_072
"""Rows of a row group: fixed, because the default depends on the chunks of the frame."""

FileEntry = Mapping[str, str | int]
"""What a manifest states of a file: ``sha256``, ``bytes``, ``rows``; of a list in Parquet ``logical_sha256`` too."""


def table_path(folder: Path, stem: str) -> Path:
    """Return the path of a published table in the folder of a revision or calculation."""
    return folder / f"{stem}.parquet"


def has_table(folder: Path, stem: str) -> bool:
    """Return whether a folder has a published table."""
    return table_path(folder, stem).is_file()


def scan_table(folder: Path, stem: str) -> pl.LazyFrame:
    """Return a table of a folder, lazily; raises ``OSError`` where it is missing."""
    return pl.scan_parquet(table_path(folder, stem), glob=False, hive_partitioning=False)


def read_table(folder: Path, stem: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Return a table of a folder, or ``columns`` of it; raises as :func:`scan_table`."""
    return pl.read_parquet(
        table_path(folder, stem),
        columns=None if columns is None else list(columns),
        glob=False,
        hive_partitioning=False,
    )


def arrow_schema(table: Table) -> pa.Schema:
    """Return the Arrow schema of a published table, of plain types that every Parquet reader supports."""
    types = table.empty().to_arrow(compat_level=pl.CompatLevel.oldest()).schema
    return pa.schema(
        pa.field(name, pa.string() if column.dtype == pl.String() else types.field(name).type, nullable=column.null)
        for name, column in table.columns.items()
    )


def write_parquet(path: Path, table: Table, frame: pl.DataFrame) -> Path:
    """Write the columns of ``table`` of a frame, and return ``path``.

    Raises ``polars.exceptions`` errors, ``pyarrow.ArrowInvalid`` or ``ValueError`` where a value does not fit its
    column.
    """
    # Here, because it takes as long as all of Arrow, and many commands write no Parquet file.
    import pyarrow.parquet as pq

    plain = pl.CompatLevel.oldest()
    # FIDE IDs and names hardly repeat: a dictionary of them is larger, and takes longer to write.
    repeated = [name for name, column in table.columns.items() if column.dtype != pl.Int64() and name != "name"]
    options = {"version": "2.6", "compression": "zstd", "compression_level": 3, "use_dictionary": repeated}
    types = table.empty().to_arrow(compat_level=plain).schema
    held = pa.schema(types.field(name).with_nullable(column.null) for name, column in table.columns.items())
    with pq.ParquetWriter(path, held, store_schema=False, **options) as writer:
        # Slices, so that the texts of some million rows are not all in memory at once.
        for part in table.coded(frame).iter_slices(ROW_GROUP):
            rows = table.conform(part).rechunk().to_arrow(compat_level=plain)
            writer.write_table(pa.Table.from_arrays(rows.columns, schema=held), ROW_GROUP)
    return path


def write_csv(path: Path, frame: pl.DataFrame) -> Path:
    """Write ``frame`` in the format of :func:`csv_text` and return ``path``."""
    frame.with_columns(_BLANK_IS_NULL).write_csv(path, line_terminator="\n", null_value="")
    return path


def csv_text(frame: pl.DataFrame) -> str:
    """Return ``frame`` as CSV without a byte order mark, lines ended by LF, quoted only where RFC 4180 requires it.

    An empty text and a missing value are both an empty cell.
    """
    return frame.with_columns(_BLANK_IS_NULL).write_csv(line_terminator="\n", null_value="")


_BLANK_IS_NULL = pl.when(pl.col(pl.String) != "").then(pl.col(pl.String))


def write_tables(
    folder: Path, tables: Mapping[str, pl.DataFrame], carried: Mapping[str, Table] | None = None
) -> dict[str, FileEntry]:
    """Write published tables into ``folder`` and return what a manifest states of every file, by file name.

    In: rows by file stem, in any order. ``carried``: the table that each file carries, where it lacks columns. A list
    is written as Parquet and as CSV, any other table as Parquet. Every file is synced and read-only. Raises
    :class:`CheckError` where a key is not unique or a player of a list is not registered, and what
    :func:`write_parquet` raises.
    """

    def write(stem: str) -> dict[str, FileEntry]:
        whole = published_table(stem, tables[stem].schema)
        table, rows = carried[stem] if carried else whole, _in_order(stem, whole, whole.coded(tables[stem]))
        entry = file_entry(write_parquet(table_path(folder, stem), table, rows), rows.height)
        if stem not in LISTS:
            return {f"{stem}.parquet": entry}
        csv = file_entry(write_csv(folder / f"{stem}.csv", table.conform(rows)), rows.height)
        return {f"{stem}.csv": csv, f"{stem}.parquet": {**entry, "logical_sha256": csv["sha256"]}}

    # The longest first, and two at once: the games alone take half of the time.
    stems = sorted(tables, key=lambda stem: -tables[stem].height)
    return {name: entry for entries in map_ordered(write, stems) for name, entry in entries.items()}


def _in_order(stem: str, table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a published table in their order; raises what :func:`write_tables` states."""
    if stem in LISTS and rows["name"].null_count():
        nameless = rows.filter(pl.col("name").is_null())["fide_id"].sort().head(5)
        raise CheckError(
            f"The {stem} list has players who are not registered: {', '.join(map(str, nameless))}. Was the file undone "
            "that registered them? Register them again (ratinglist import-players), or calculate the lists again that "
            "they are on (ratinglist rerate). Nothing was published."
        )
    ordered = table.sorted(rows)
    keys = ordered.select(table.key)
    # Sorted by its key, a table has equal keys in neighbouring rows: a tenth of the time.
    is_repeated = keys.is_duplicated() if table.order else pl.all_horizontal(pl.all() == pl.all().shift())
    twice = keys.filter(is_repeated).sort(table.key)
    if twice.height:
        first = ", ".join(f"{name} {value}" for name, value in twice.row(0, named=True).items())
        raise CheckError(f"{stem}: more than one row for {first}. Nothing was published.")
    return ordered


def write_text(path: Path, text: str) -> FileEntry:
    """Write a text file as UTF-8 with LF and return what a manifest states of it; its rows are its lines."""
    path.write_text(text, encoding="utf-8", newline="\n")
    return file_entry(path, text.count("\n"))


def file_entry(path: Path, rows: int) -> FileEntry:
    """Sync a file, make it read-only and return what a manifest states of it."""
    finish(path)
    return {"sha256": sha256_of(path), "bytes": path.stat().st_size, "rows": rows}


_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212"
"""The four signs, their wide and small forms, and the minus."""
_MARKS = "\"'`\u00ab\u00bb\u2018\u2019\u201c\u201d\u201e"
_HIDING = rf"[\s\p{{Z}}\p{{C}}{_MARKS}]*"
_SEPARATORS = ",;|"
_LEADING_CONTROL = r"^[\t\r\n]"


def guard_formulas(rows: pl.DataFrame, separator: str = ",") -> tuple[pl.DataFrame, int]:
    """Return ``rows`` with every text made harmless, and the number of changed cells.

    A spreadsheet calculates a text that begins with ``=``, ``+``, ``-`` or ``@``, so a player's name could send the
    list to a stranger. Such a text gets an apostrophe before that sign, which spreadsheets read as "this is text".
    Blanks, control characters and quotation marks may precede the sign, and its wide and small forms count too. A
    program with another list separator splits a text at it, so the sign is looked for behind every other separator as
    well. Behind the file's own separator it is safe, because a text that holds it is quoted.

    ``separator``: that of the file. A program that reads the file has to remove the apostrophe.
    """
    others = _SEPARATORS.replace(separator, "")
    formula = rf"(^|[{others}\t\r\n])({_HIDING})([{_SIGNS}])"
    texts = [name for name, dtype in rows.schema.items() if dtype == pl.String]
    is_formula = rows.select(pl.col(texts).str.contains(f"{formula}|{_LEADING_CONTROL}"))
    dangerous = [name for name in texts if is_formula[name].any()]
    if not dangerous:
        return rows, 0
    safe = pl.col(dangerous).str.replace_all(formula, "${1}${2}'${3}").str.replace(f"({_LEADING_CONTROL})", "'${1}")
    return rows.with_columns(safe), int(is_formula.sum().sum_horizontal().item())


def formula_problem(text: str) -> str:
    """Return that a spreadsheet calculates a text (:func:`guard_formulas`), as the end of a sentence; empty if not."""
    if not guard_formulas(pl.DataFrame({"text": [text]}))[1]:
        return ""
    return "has a sign that a spreadsheet calculates (=, +, - or @) where it begins, or after a separator"


def check_table_path(path: Path) -> None:
    """Raise :class:`CommandLineError` where ``path`` ends in neither .csv nor .parquet, or its folder is missing."""
    if path.suffix not in (".csv", ".parquet"):
        raise CommandLineError(f"{path}: write a name that ends in .csv or .parquet.")
    if not path.parent.is_dir():
        raise CommandLineError(f"{path.parent} is not a folder: make it, or name a file in another one.")


def write_table(path: Path, table: Table, rows: pl.DataFrame) -> Path:
    """Write ``rows`` of ``table``, replace an existing file and return ``path``; a CSV as for spreadsheets.

    Raises :class:`CommandLineError` as :func:`check_table_path` does.
    """
    check_table_path(path)
    return write_csv(path, guard_formulas(rows)[0]) if path.suffix == ".csv" else write_parquet(path, table, rows)
