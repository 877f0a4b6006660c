"""Tables that are queries over frames: what statistics and the laboratory measure.

A table is the query of its name in ``sql/measures``. Whole numbers are summed, so the figures are the same in any order
of the rows and on any number of threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb
import polars as pl

from ratinglist.files import resources
from ratinglist.tables import Table


def measured(
    tables: Sequence[Table], made_first: str, frames: Mapping[str, pl.DataFrame], **parameters: object
) -> dict[str, pl.DataFrame]:
    """Return the ``tables`` by name, in the order of their queries, as these give them of ``frames``.

    ``made_first``: the query that makes a table which they read. Columns that a query lacks are null.
    """
    queries = {file.stem: file.read_text(encoding="utf-8") for file in resources.sql("measures").glob("*.sql")}
    used = {
        name: {key: value for key, value in parameters.items() if f"${key}" in query} for name, query in queries.items()
    }
    with duckdb.connect(config={"temp_directory": ""}) as connection:
        for name, frame in frames.items():
            connection.register(name, frame.to_arrow())
        connection.execute(queries["means"])
        connection.execute(queries[made_first], used[made_first])
        return {
            table.name: table.completed(connection.sql(queries[table.name], params=used[table.name]).pl())
            for table in tables
        }
