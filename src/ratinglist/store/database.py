"""The store: one DuckDB file with one writer. It keeps, looks up and checks; it never computes a rating."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from ratinglist import resources, schemas
from ratinglist.errors import CommandLineError, NothingReadError, RatinglistError, StoreInUseError
from ratinglist.period import Period
from ratinglist.schemas import Table
from ratinglist.store.calculation_folder import CONSIDERED_EVENT, STATE, CalculationFolder


@contextmanager
def open_store(path: Path, threads: int | None = None) -> Iterator[Store]:
    """Open the store for writing, creating and migrating it as needed.

    Raises :class:`StoreInUseError` while another process has it open, :class:`NothingReadError` where it cannot be
    opened, :class:`CommandLineError` where the home is a file.
    """
    if path.parent.exists() and not path.parent.is_dir():
        raise CommandLineError(
            f"{path.parent} is a file: name a directory with --home, or one that does not exist yet."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        # A month has some thousand events: what is summed by their numbers finds its place without a hash.
        "perfect_ht_threshold": 16,
    }
    if threads:
        config["threads"] = threads
    try:
        connection = duckdb.connect(str(path), config=config)
    except duckdb.Error as error:
        if "lock" in str(error):
            raise StoreInUseError(
                f"{path} is in use by another writer. Wait until it has finished, then run the command again."
            ) from None
        raise NothingReadError(
            f"{path} cannot be opened as a store: {str(error).splitlines()[0]}. Check that it may be read and written; "
            "a damaged file has to be restored from a copy, or rebuilt in a new home from the reports."
        ) from None
    with connection:
        store = Store(connection, path.parent)
        store.migrate()
        yield store


class Store:
    """An open store: the DuckDB file of ``home`` and the folders of its calculations.

    The facts are tables. What was calculated is read from Parquet files, through the temporary views ``list_state``,
    ``event``, ``game``, ``side``, ``change``, ``entry``, ``pool`` and ``first_published_state``, which
    :meth:`show_calculations` makes. Every method that writes is meant to run inside :meth:`transaction`.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, home: Path) -> None:
        self._connection = connection
        self._in_transaction = False
        self.home = home

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction or a trial is open."""
        return self._in_transaction

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit everything at the end of the block, or roll back on any error. A nested one belongs to the outer."""
        if self._in_transaction:
            yield
            return
        self._connection.begin()
        self._in_transaction = True
        try:
            yield
        except BaseException:
            self._in_transaction = False
            self._connection.rollback()
            raise
        self._in_transaction = False
        self._connection.commit()

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Roll everything back at the end of the block: see what would be, and leave the store as it was."""
        self._connection.begin()
        self._in_transaction = True
        try:
            yield
        finally:
            self._connection.rollback()
            self._in_transaction = False
            self.show_calculations()

    @contextmanager
    def seeing(self, **frames: object) -> Iterator[None]:
        """Let queries read ``frames``, of Polars or Arrow, by their names."""
        for name, frame in frames.items():
            self._connection.register(name, frame)
        yield
        for name in frames:
            self._connection.unregister(name)

    def read(self, query: str, **params: object) -> pl.DataFrame:
        """Return the rows of a query; parameters are named ``$name``."""
        rows: pl.DataFrame = self._connection.sql(query, params=params or None).pl()
        return rows

    def execute(self, statement: str, **params: object) -> None:
        """Run a statement whose result does not matter; parameters are named ``$name``."""
        self._connection.execute(statement, params or None).fetchall()

    def append(self, table: str, rows: pl.DataFrame) -> None:
        """Append ``rows`` to a table of the store, column by name."""
        # DuckDB reads the strings of Polars as they are; the default would copy millions into an older layout first.
        with self.seeing(rows_to_append=rows.to_arrow(compat_level=pl.CompatLevel.newest())):
            self.execute(f"insert into {table} by name select * from rows_to_append")  # noqa: S608 - our own names

    def folder(self, period: Period, number: int) -> CalculationFolder:
        """Return the folder of a calculation."""
        return CalculationFolder(self.folders, period, number)

    @property
    def folders(self) -> Path:
        """The folder that holds the folders of all calculations."""
        return self.home / "calculations"

    def migrate(self) -> None:
        """Run the migrations not yet run, each in a transaction with its own entry, then make the views."""
        self.execute("create table if not exists migration (name varchar primary key, sha256 varchar not null)")
        done = dict(self._connection.sql("select name, sha256 from migration").fetchall())
        for file in sorted(resources.sql("migrations").glob("*.sql")):
            text = file.read_text(encoding="utf-8")
            digest = hashlib.sha256(text.encode()).hexdigest()
            if done.get(file.name, digest) != digest:
                raise RatinglistError(
                    f"The store was made by another {file.name} than this program has: use the version of ratinglist "
                    "that made it, or a newer one that did not change that file."
                )
            if file.name not in done:
                with self.transaction():
                    if file.name == "0009_calculations_as_files.sql":
                        # Imported here because it reads a store itself.
                        from ratinglist.store.folders_from_tables import write_folders

                        write_folders(self)
                    self._connection.execute(text).fetchall()
                    self.execute("insert into migration values ($name, $digest)", name=file.name, digest=digest)
        self.show_calculations()
        views = resources.sql("views")
        # Those over the files of calculations first: others read them.
        for file in [*sorted(views.glob("calculated/*.sql")), *sorted(views.glob("*.sql"))]:
            self._connection.execute(file.read_text(encoding="utf-8")).fetchall()

    def show_calculations(self) -> None:
        """Make the views over the files of the current calculations; called whenever a calculation is added."""
        current = self._folders("select month, calculation_no from calculation order by month")
        # What the first revision of a month showed; a month that was never published is shown as it is.
        shown = self._folders(
            """
            select month, coalesce(arg_min(publication.calculation_no, revision), any_value(calculation.calculation_no))
            from calculation left join publication using (month) group by month order by month
            """
        )
        views = {
            "calculated_state": _view_of(STATE, [one.state for one in current]),
            "first_calculated_state": _view_of(STATE, [one.state for one in shown]),
            "event": _view_of(CONSIDERED_EVENT, [one.events for one in current]),
            "game": _view_of(schemas.GAME, [one.table("games") for one in current]),
            "change": _view_of(schemas.CHANGE, [one.table("changes") for one in current]),
            "entry": _view_of(schemas.ENTRY, [one.table("entries") for one in current]),
            "pool": _view_of(schemas.POOL, [one.table("pool") for one in current]),
        }
        if missing := [one.path for one in (*current, *shown) if not one.state.exists()]:
            raise NothingReadError(
                f"{missing[0]} is missing: it holds what the list of that month was calculated to. Put the folder back "
                "from a copy of this home, with the store of the same copy."
            )
        for name, query in views.items():
            self.execute(f"create or replace temp view {name} as {query}")

    def _folders(self, query: str) -> list[CalculationFolder]:
        rows = self._connection.sql(query).fetchall()
        return [self.folder(Period.parse(month), number) for month, number in rows]


def _view_of(table: Table, files: Sequence[Path]) -> str:
    """Return the query of ``month`` and the columns of ``table`` from its files, one for each month."""
    columns = ", ".join(table.columns)
    if not files:
        nothing = ", ".join(f"null::{_TYPES[column.dtype]} as {name}" for name, column in table.columns.items())
        return f"select null::varchar as month, {nothing} where false"
    named = ", ".join("'" + str(path).replace("'", "''") + "'" for path in files)
    source = f"read_parquet([{named}], hive_partitioning = true, hive_types = {{'month': varchar}})"
    return f"select month, {columns} from {source}"  # noqa: S608 - names and paths of our own


_TYPES: dict[pl.DataType, str] = {
    pl.String(): "varchar",
    pl.Int32(): "integer",
    pl.Int64(): "bigint",
    pl.Date(): "date",
    pl.Boolean(): "boolean",
    pl.Decimal(12, 2): "decimal(12, 2)",
}
