"""Read every block of a store that its tables use, to find damage and to compare two stores."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from ratinglist.errors import StoreDamagedError, StoreInUseError
from ratinglist.store import damage, journal, migration
from ratinglist.store.journal import Entry


@dataclass(slots=True)
class TableScan:
    """What a store holds.

    ``tables``: by name, the number of rows and a hash of them that does not depend on their order. ``entries``: those
    of its journal. ``index``: the index of what is published, and its signature. ``wrong``: a sentence for each thing
    that is damaged; empty where all can be read.
    """

    tables: dict[str, tuple[int, int]] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    index: tuple[bytes, bytes] | None = None
    wrong: list[str] = field(default_factory=list)

    def differences(self, other: TableScan) -> list[str]:
        """Return the names of the tables whose rows differ from those of another store."""
        names = sorted({*self.tables, *other.tables})
        return [name for name in names if self.tables.get(name) != other.tables.get(name)]


def scan(path: Path) -> TableScan:
    """Read all tables of the store at ``path`` without changing it; damage is reported, not raised.

    DuckDB compares each block with its checksum when it is read. Raises :class:`StoreInUseError` while another process
    writes, :class:`NewerStoreError` where a newer version of the program made the store.
    """
    found = TableScan()
    if not path.exists():
        found.wrong.append("is missing")
        return found
    try:
        damage.check_files(path)
    except StoreDamagedError as error:
        found.wrong.append(str(error).partition(". Nothing was changed")[0].removeprefix(f"{path} "))
        return found
    try:
        connection = duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        if is_lock_error(error):
            raise StoreInUseError(
                f"{path} is in use by another writer. Wait until it has finished, then run the command again."
            ) from None
        found.wrong.append(f"cannot be opened: {_first_line(error)}")
        return found
    with connection:
        _scan_tables(connection, path, found)
    return found


def _scan_tables(connection: duckdb.DuckDBPyConnection, path: Path, found: TableScan) -> None:
    try:
        names = connection.execute("select table_name from duckdb_tables() where not temporary order by 1").fetchall()
    except duckdb.Error as error:
        found.wrong.append(f"its tables cannot be listed: {_first_line(error)}")
        return
    for (name,) in names:
        query = f"select count(*), coalesce(bit_xor(hash(rows)), 0)::varchar from {name} as rows"  # noqa: S608 - a name of the catalog
        try:
            (count, digest), *_ = connection.execute(query).fetchall()
            found.tables[name] = (int(count), int(digest))
            if name == "migration":
                migration.refuse_newer(path, dict(connection.execute("select name, sha256 from migration").fetchall()))
            if name == "journal":
                texts = connection.execute("select entry from journal order by entry_no").fetchall()
                _add_entries([text for (text,) in texts], found)
            if name == "published_index":
                rows = connection.execute("select content, signature from published_index").fetchall()
                found.index = next(((content.encode(), signature.encode()) for content, signature in rows), None)
        except duckdb.Error as error:
            found.wrong.append(f"the table {name} cannot be read: {_first_line(error)}")


def _add_entries(texts: list[str], found: TableScan) -> None:
    """Add the entries of the journal up to the first that is damaged."""
    for number, text in enumerate(texts, 1):
        try:
            entry = Entry.parse(text)
        except ValueError as error:
            found.wrong.append(f"entry {number} of the journal was altered: {error}")
            return
        if problem := journal.chain_problem([*found.entries[-1:], entry], number):
            found.wrong.append(f"entry {number} of the journal {problem}")
            return
        found.entries.append(entry)


def is_lock_error(error: duckdb.Error) -> bool:
    """Return whether an error of DuckDB says that another process has the store open."""
    return "Could not set lock on file" in str(error)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
