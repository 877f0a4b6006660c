"""Read a file with the library that is named first, in the versions of the lock, and print its rows as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def rows(library: str, file: str) -> list[dict[str, object]]:
    """Return the rows of a file as a library reads them."""
    if library.startswith("duckdb"):
        import duckdb

        call = {
            "duckdb": "read_parquet(?)",
            "duckdb, CSV": "read_csv_auto(?, all_varchar = true, header = true)",
        }[library]
        cursor = duckdb.connect().execute(f"select * from {call}", [file])
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    if library == "polars":
        import polars as pl

        return pl.read_parquet(file).to_dicts()
    if library == "pyarrow":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(file).to_pylist()
    if library == "openpyxl":
        import openpyxl

        book = openpyxl.load_workbook(file, read_only=True)
        contents = []
        for sheet in book:
            head, *lines = sheet.iter_rows(values_only=True)
            contents += [{"sheet": sheet.title, **dict(zip(head, line, strict=True))} for line in lines]
        return contents
    import pandas as pd

    if library == "pandas, CSV":
        with Path(file).open(encoding="utf-8-sig") as stream:
            separator = ";" if ";" in stream.readline() else ","
        return _plain(pd.read_csv(file, sep=separator, encoding="utf-8-sig"))
    if library == "pandas, SQL":
        import sqlite3

        order = "case time_control when 'standard' then 0 when 'rapid' then 1 else 2 end, rating desc, fide_id"
        return _plain(pd.read_sql(f"select * from rating_list order by {order}", sqlite3.connect(file)))
    widths = (15, 61, 4, 4, 5, 5, 15, 4, 6, 4, 3, 6, 4, 3, 6, 4, 3, 6, 4)
    names = (
        *("fideid", "name", "country", "sex", "title", "w_title", "o_title", "foa_title", "rating", "games", "k"),
        *("rapid_rating", "rapid_games", "rapid_k", "blitz_rating", "blitz_games", "blitz_k", "birthday", "flag"),
    )
    figures = ("fideid", *names[8:-1])
    return _plain(pd.read_fwf(file, widths=widths, names=names, skiprows=1, dtype=dict.fromkeys(figures, "int64")))


def _plain(table: object) -> list[dict[str, object]]:
    return table.astype(object).where(lambda cells: cells.notna(), "").to_dict("records")


if __name__ == "__main__":
    sys.stdout.write(json.dumps(rows(*sys.argv[1:]), default=str))
