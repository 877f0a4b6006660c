"""The published tables of a site's months as views of DuckDB, and the queries of ``data/site/sql`` over them.

A view has the rows of the months that are asked for, each with ``month``, its number among the months of the site, from
0. A column that the office leaves out is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import duckdb
import polars as pl

from ratinglist.pages import html_pages
from ratinglist.published import Revision
from ratinglist.tables import DIFF, LISTS, PUBLISHED
from ratinglist.text import quoted_path

_MEMORY = "500MB"
"""What DuckDB keeps in memory; more goes to the folder for temporary files."""


class Queries:
    """A session of DuckDB over the months of a site."""

    def __init__(self, months: Iterable[Revision], temporary: Path, *, threads: int | None, birth_years: bool) -> None:
        """Begin without views. Raises :class:`AlteredError` where a table is not as published."""
        self._connection = duckdb.connect(config={"memory_limit": _MEMORY, "temp_directory": str(temporary)})
        self._connection.execute("set preserve_insertion_order = false")
        if threads:
            self._connection.execute(f"set threads = {int(threads)}")
        self._birth_years = birth_years
        self._paths = {number: month.tables() for number, month in enumerate(months)}
        for stem, table in PUBLISHED.items():
            revision = pl.lit(None, pl.Int32).alias("revision")
            self.keep(f"no_{_view(stem)}", table.empty().with_columns([revision] if stem == DIFF.name else []))
        self.run("setup")

    def keep(self, name: str, rows: pl.DataFrame) -> None:
        """Keep rows as a table."""
        self._connection.register("rows_kept", rows.to_arrow())
        self._connection.execute(f"create or replace table {name} as from rows_kept")
        self._connection.unregister("rows_kept")

    def show(self, months: Iterable[int]) -> None:
        """Make the views of these months, by their numbers."""
        chosen = list(months)
        for view in dict.fromkeys(_view(stem) for stem in PUBLISHED if stem != DIFF.name):
            stems = LISTS if view == "lists" else (view,)
            files = [
                (f"{number} as month", self._paths[number][stem])
                for number in chosen
                for stem in stems
                if stem in self._paths[number]
            ]
            self.view(view, files)

    def view(self, name: str, files: Iterable[tuple[str, Path]], of: str = "") -> None:
        """Make the view of a table over ``files``, each with what is selected besides its columns.

        ``of``: the table; by default the one of this name.
        """
        select = "* replace (null::int as birth_year)" if name == "lists" and not self._birth_years else "*"
        parts = [f"select *, null::int as month from no_{of or name}"]  # noqa: S608 - names of our own
        for more, path in files:
            parts.append(f"select *, {more} from read_parquet({quoted_path(str(path))})")  # noqa: S608 - quoted
        query = " union all by name ".join(parts)
        self._connection.execute(
            f"create or replace temp view {name} as select {select} from ({query})"  # noqa: S608 - names of our own
        )

    def run(self, query: str, **values: object) -> None:
        """Run the statements of a file. ``values``: variables of the session, which keep them."""
        self._set(values)
        self._connection.execute(_text(query))

    def rows(self, query: str, **values: object) -> pl.DataFrame:
        """Return the rows of the query of a file. ``values``: variables of the session, which keep them."""
        self._set(values)
        rows: pl.DataFrame = self._connection.sql(_text(query)).pl()
        return rows

    def _set(self, values: Mapping[str, object]) -> None:
        for name, value in values.items():
            self._connection.execute(f"set variable {name} = $value", {"value": value})

    def sliced(self, table: str, at_once: int = 200_000) -> Iterator[tuple[int, pl.DataFrame]]:
        """Yield the rows of a table slice by slice: its number, in the column ``slice``, and its rows by ``position``.

        ``at_once``: about how many rows are in memory.
        """
        sizes = self._connection.sql(
            f"select slice, count(*) from {table} group by slice order by slice"  # noqa: S608 - names of our own
        ).fetchall()
        first, rows = 0, 0
        for at, (_, size) in enumerate(sizes, 1):
            rows += size
            if rows >= at_once or at == len(sizes):
                part: pl.DataFrame = self._connection.sql(
                    f"select * exclude (position) from {table} where slice between $first and $last "  # noqa: S608 - the same
                    "order by slice, position",
                    params={"first": sizes[first][0], "last": sizes[at - 1][0]},
                ).pl()
                parts = part.partition_by("slice", maintain_order=True, include_key=False, as_dict=True)
                yield from ((number, rows_of_slice) for (number,), rows_of_slice in parts.items())
                first, rows = at, 0

    def close(self) -> None:
        """End the session."""
        self._connection.close()


def _view(stem: str) -> str:
    return "lists" if stem in LISTS else stem


def _text(query: str) -> str:
    return (html_pages.folder() / "sql" / f"{query}.sql").read_text(encoding="utf-8")


def by_control(rows: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
    """Return rows by their ``time_control``."""
    parts = rows.partition_by("time_control", maintain_order=True, as_dict=True)
    return {str(control): part for (control,), part in parts.items()}
