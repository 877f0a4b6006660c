"""Read every block of a store that its tables use, to find damage: DuckDB compares each with its checksum."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from ratinglist.system_errors import first_line


def problems(path: Path) -> tuple[int, list[str]]:
    """Return the number of tables of the store at ``path``, and a sentence on each thing that cannot be read."""
    if not path.is_file():
        return 0, ["is missing"]
    try:
        connection = duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        return 0, [f"cannot be opened: {first_line(error)}"]
    wrong: list[str] = []
    with connection:
        try:
            names = connection.execute(
                "select table_name from duckdb_tables() where not temporary order by 1"
            ).fetchall()
        except duckdb.Error as error:
            return 0, [f"its tables cannot be listed: {first_line(error)}"]
        for (name,) in names:
            query = f"select count(*), coalesce(bit_xor(hash(rows)), 0)::varchar from {name} as rows"  # noqa: S608 - a name of the catalog
            try:
                connection.execute(query).fetchall()
            except duckdb.Error as error:
                wrong.append(f"the table {name} cannot be read: {first_line(error)}")
    return len(names), wrong


def problems_of_copy(path: Path) -> list[str]:
    """Return what :func:`problems` finds in a copy of the store: what is wrong with its bytes."""
    with TemporaryDirectory(prefix="ratinglist-") as folder:
        copy = Path(folder) / path.name
        try:
            shutil.copyfile(path, copy)
            if (log := Path(f"{path}.wal")).is_file():
                shutil.copyfile(log, f"{copy}.wal")
        except OSError as error:
            return [f"cannot be read: {error.strerror}"]
        return problems(copy)[1]
