"""Read a file with the library that is named first, in the versions of the lock, and print its rows as JSON."""

from __future__ import annotations

import json
import sys


def rows(library: str, file: str) -> list[dict[str, object]]:
    """Return the rows of a file as a library reads them."""
    if library == "duckdb":
        import duckdb

        found = duckdb.connect().execute("select * from read_parquet(?)", [file])
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    if library == "polars":
        import polars as pl

        return pl.read_parquet(file).to_dicts()
    if library == "pyarrow":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(file).to_pylist()
    if library == "openpyxl":
        import openpyxl

        book = openpyxl.load_workbook(file, read_only=True)
        found = []
        for sheet in book:
            head, *lines = sheet.iter_rows(values_only=True)
            found += [{"sheet": sheet.title, **dict(zip(head, line, strict=True))} for line in lines]
        return found
    import pandas as pd

    if library == "pandas, CSV":
        return pd.read_csv(file).astype(object).where(lambda cells: cells.notna(), "").to_dict("records")
    widths = (15, 61, 4, 4, 5, 5, 15, 4, 6, 4, 3, 6, 4, 3, 6, 4, 3, 6, 4)
    names = (
        *("fideid", "name", "country", "sex", "title", "w_title", "o_title", "foa_title", "rating", "games", "k"),
        *("rapid_rating", "rapid_games", "rapid_k", "blitz_rating", "blitz_games", "blitz_k", "birthday", "flag"),
    )
    figures = dict.fromkeys((*(name for name in names[8:-1]), "fideid"), "int64")
    read = pd.read_fwf(file, widths=widths, names=names, skiprows=1, dtype=figures)
    return read.astype(object).where(lambda cells: cells.notna(), "").to_dict("records")


if __name__ == "__main__":
    sys.stdout.write(json.dumps(rows(*sys.argv[1:]), default=str))
