"""The store: one DuckDB file with one writer. It keeps, looks up and checks; it never computes a rating."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from ratinglist import private_files, schemas
from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.schemas import Table
from ratinglist.store.calculation_folder import (
    CONSIDERED_EVENT,
    MISSING_REMEDY,
    MONTH_OF_PATH,
    STATE,
    CalculationFolder,
)

_NAME = re.compile(r"[a-z_]+")
"""What may be the name of a view of ``sql/views`` in a statement."""


_STANDING = """
    select month, any_value(calculation.calculation_no) as current_no,
        coalesce(arg_min(shown.calculation_no, revision), current_no) as shown_no
    from standing_calculation as calculation
    left join (select * from publication anti join withdrawn_revision using (month, revision)) as shown using (month)
    group by month order by month
"""
"""The calculations that count: month, number, and the number of the calculation that is shown.

Shown is what the first revision of a month showed, without withdrawn ones; a month that was never published is shown as
it is. There is one calculation for each month.
"""

_NONE_WITHDRAWN = """
    select month, any_value(calculation.calculation_no) as current_no,
        coalesce(arg_min(shown.calculation_no, revision), current_no) as shown_no
    from calculation left join publication as shown using (month)
    group by month order by month
"""
"""The same where no list was ever withdrawn: without the views over withdrawn lists it takes a quarter of the time."""

BOUNDED_MEMORY = "2GB"
"""What DuckDB may hold of a month that is calculated in buckets."""


class Store:
    """An open store: the DuckDB file of ``home`` and the folders of its calculations.

    The facts are tables. What was calculated is read from Parquet files, through the temporary views ``event``,
    ``game``, ``change``, ``entry``, ``pool``, ``calculated_state`` and ``first_calculated_state``
    (:meth:`show_calculations`), and through those of ``sql/views`` (:meth:`offer_views`). A view is made when a
    statement first names it. Every method that writes is meant to run inside :meth:`transaction`. The files that
    DuckDB makes next to its own, such as its log, are private. ``is_copy``: it is a copy of
    a store that another process is writing.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, home: Path, *, is_copy: bool = False) -> None:
        self._connection = connection
        self._in_transaction = False
        self._after_commit: list[Callable[[], None]] = []
        self._withheld = private_files.withheld(home)
        self._views_not_made: dict[str, Path | str] = {}
        self._calculation_views: frozenset[str] = frozenset()
        self.home = home
        self.is_copy = is_copy

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
        views_not_made = dict(self._views_not_made)
        self._connection.begin()
        self._in_transaction = True
        try:
            yield
        except BaseException:
            self._in_transaction = False
            self._after_commit.clear()
            self._connection.rollback()
            self._views_not_made = views_not_made
            raise
        self._in_transaction = False
        with private_files.made_private(self._withheld):
            self._connection.commit()
        while self._after_commit:
            self._after_commit.pop(0)()

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Roll everything back at the end of the block: see what would be, and leave the store as it was."""
        views_not_made = dict(self._views_not_made)
        self._connection.begin()
        self._in_transaction = True
        try:
            yield
        finally:
            self._connection.rollback()
            self._after_commit.clear()
            self._views_not_made = views_not_made
            self._in_transaction = False
            self.show_calculations()

    def after_commit(self, action: Callable[[], None]) -> None:
        """Call ``action`` once the open transaction is committed; not at all where it is rolled back."""
        self._after_commit.append(action)

    @contextmanager
    def seeing(self, **frames: object) -> Iterator[None]:
        """Let queries read ``frames``, of Polars or Arrow, by their names."""
        for name, frame in frames.items():
            self._connection.register(name, frame)
        yield
        for name in frames:
            self._connection.unregister(name)

    def read(self, query: str, **params: object) -> pl.DataFrame:
        """Return the rows of a query; parameters are named ``$name``.

        Raises :class:`NothingReadError` where a file of a calculation is missing or damaged.
        """
        self._make_views_named_in(query)
        with _damage_named(self.folders), private_files.made_private(self._withheld):
            rows: pl.DataFrame = self._connection.sql(query, params=params or None).pl()
            return rows

    def rows(self, query: str, **params: object) -> list[tuple[Any, ...]]:
        """Return the few rows of a query as values of Python; parameters and errors as of :meth:`read`.

        DuckDB binds the query once here, and twice for a frame: for its columns, then for its rows.
        """
        self._make_views_named_in(query)
        with _damage_named(self.folders), private_files.made_private(self._withheld):
            return self._connection.execute(query, params or None).fetchall()

    def finds_rows(self, query: str, **params: object) -> bool:
        """Return whether a query has any row; it is bound once, as in :meth:`rows`."""
        self._make_views_named_in(query)
        with _damage_named(self.folders), private_files.made_private(self._withheld):
            found = self._connection.execute(query, params or None).fetchone() is not None
            self._connection.complete()
            return found

    def execute(self, statement: str, **params: object) -> None:
        """Run a statement whose result does not matter; parameters are named ``$name``. Raises as :meth:`read`."""
        self._make_views_named_in(statement)
        with _damage_named(self.folders), private_files.made_private(self._withheld):
            self._connection.execute(statement, params or None).fetchall()

    def append(self, table: str, rows: pl.DataFrame) -> None:
        """Append ``rows`` to a table of the store, column by name."""
        # DuckDB reads the strings of Polars as they are; the default would copy millions into an older layout first.
        with self.seeing(rows_to_append=rows.to_arrow(compat_level=pl.CompatLevel.newest())):
            self.execute(f"insert into {table} by name select * from rows_to_append")  # noqa: S608 - our own names

    def copy_to_parquet(self, query: str, path: Path, compression: str = "zstd") -> None:
        """Write the rows of a query to a Parquet file, in their order."""
        self.execute(f"copy ({query}) to {_quoted(str(path))} (format parquet, compression {_quoted(compression)})")

    def copy_to_buckets(self, query: str, folder: Path, number: int = 0) -> None:
        """Write the rows of a query to Parquet files below ``folder``: one folder for each value of ``bucket``.

        ``number``: of the query, where several write to one folder.
        """
        # To keep the order of the rows, DuckDB would hold all of them.
        self.execute("set preserve_insertion_order = false")
        try:
            self.execute(
                f"copy ({query}) to {_quoted(str(folder))} (format parquet, partition_by (bucket), "
                f"overwrite_or_ignore, filename_pattern 'query{int(number)}_{{i}}')"
            )
        finally:
            self.execute("set preserve_insertion_order = true")

    def bound_memory(self) -> None:
        """Let DuckDB hold :data:`BOUNDED_MEMORY` at most from now on; what is more it writes to files of its own."""
        self.execute(f"set memory_limit = {_quoted(BOUNDED_MEMORY)}")

    @contextmanager
    def bounded_memory(self, limit: str) -> Iterator[None]:
        """Let DuckDB hold ``limit`` at most in the block, as ``512MB``."""
        before = str(self.read("select current_setting('memory_limit')").item())
        self.execute(f"set memory_limit = {_quoted(limit)}")
        try:
            yield
        finally:
            self.execute(f"set memory_limit = {_quoted(before)}")

    def insert_parquet(self, table: str, path: Path) -> None:
        """Append the rows of a Parquet file to a table of the store, column by name."""
        self.execute(f"insert into {table} by name select * from {parquet_source(path)}")  # noqa: S608 - our own names

    def folder(self, period: Period, number: int) -> CalculationFolder:
        """Return the folder of a calculation."""
        return CalculationFolder(self.folders, period, number)

    @property
    def folders(self) -> Path:
        """The folder that holds the folders of all calculations."""
        return self.home / "calculations"

    def offer_views(self, files: Iterable[Path]) -> None:
        """Make the temporary view or macro of each file when a statement first contains its name, the file's stem.

        To make a view, DuckDB binds all the views below it: to make every one costs longer than most commands take.
        """
        self._views_not_made |= {file.stem: file for file in files}

    def _make_views_named_in(self, statement: str) -> None:
        """Make the offered views that ``statement`` contains the names of, and by their own statements those below."""
        if not self._views_not_made:
            return
        for name in _NAME.findall(statement):
            if view := self._views_not_made.pop(name, None):
                self.execute(view if isinstance(view, str) else view.read_text(encoding="utf-8"))

    def show_calculations(self) -> None:
        """Offer the views over the files of the calculations that count (``standing_calculation``).

        Called whenever a calculation is added, and whenever a month is withdrawn or has a current list again. A view
        that was made is made again, because other views read it; the others are made when a statement names them:
        DuckDB opens files of every month to make one.

        Raises :class:`NothingReadError` where a file that they read is missing.
        """
        # Every command reads this, and most homes have no withdrawn list.
        is_withdrawn = self.finds_rows("select 1 from rolled_back where to_revision = 0")
        standing = self.rows(_STANDING if is_withdrawn else _NONE_WITHDRAWN)
        current = [self.folder(Period.parse(month), number) for month, number, _ in standing]
        shown = [self.folder(Period.parse(month), number) for month, _, number in standing]
        for folder in current:
            folder.check_complete()
        for folder in shown:
            folder.check_state()
        views = {
            "calculated_state": _view_of(STATE, [one.state for one in current]),
            "first_calculated_state": _view_of(STATE, [one.state for one in shown]),
            "calculated_system_state": _view_of(
                schemas.SYSTEM_STATE, [one.system_state for one in current if one.system_state.exists()]
            ),
            "first_calculated_system_state": _view_of(
                schemas.SYSTEM_STATE, [one.system_state for one in shown if one.system_state.exists()]
            ),
            "event": _view_of(CONSIDERED_EVENT, [one.events for one in current]),
            "game": _view_of(schemas.GAME, [path for one in current for path in one.table_files("games")]),
            "change": _view_of(schemas.CHANGE, [path for one in current for path in one.table_files("changes")]),
            "entry": _view_of(schemas.ENTRY, [path for one in current for path in one.table_files("entries")]),
            "pool": _view_of(schemas.POOL, [path for one in current for path in one.table_files("pool")]),
        }
        made = self._calculation_views - self._views_not_made.keys()
        self._calculation_views = frozenset(views)
        for name, query in views.items():
            statement = f"create or replace temp view {name} as {query}"
            if name in made:
                self.execute(statement)
            else:
                self._views_not_made[name] = statement

    def current_folders(self, months: Sequence[str]) -> list[CalculationFolder]:
        """Return the folders of the standing calculations of those ``months`` that were calculated here."""
        standing = self.rows(
            "select month, calculation_no from standing_calculation where month in (select unnest($months)) "
            "order by month",
            months=list(months),
        )
        return [self.folder(Period.parse(month), number) for month, number in standing]


@contextmanager
def _damage_named(folders: Path) -> Iterator[None]:
    """Raise :class:`NothingReadError` for an error of DuckDB that names a file of a calculation."""
    try:
        yield
    except duckdb.Error as error:
        if str(folders) not in str(error):
            raise
        first_line = str(error).splitlines()[0].partition(": ")[2] or str(error)
        raise NothingReadError(f"{first_line.rstrip('.')}. The file is damaged. {MISSING_REMEDY}") from None


def _view_of(table: Table, files: Sequence[Path]) -> str:
    """Return the query of ``month`` and the columns of ``table`` from its files, one or several for each month."""
    columns = ", ".join(table.columns)
    if not files:
        nothing = ", ".join(f"null::{_TYPES[column.dtype]} as {name}" for name, column in table.columns.items())
        return f"select null::varchar as month, {nothing} where false"
    # DuckDB could read the month from the folder's name itself, but would then take any folder above the home that is
    # named so for a column too.
    named = ", ".join(_quoted(_literal_path(path)) for path in files)
    month = f"regexp_extract(filename, {_quoted(MONTH_OF_PATH)}, 1) as month"
    source = f"read_parquet([{named}], filename = true, hive_partitioning = false)"
    return f"select {month}, {columns} from {source}"  # noqa: S608 - names and paths of our own


def parquet_source(*paths: Path) -> str:
    """Return what a statement reads the Parquet files of one table from, whatever characters their paths have."""
    named = ", ".join(_quoted(_literal_path(path)) for path in paths)
    return f"read_parquet([{named}], hive_partitioning = false)"


def _literal_path(path: Path) -> str:
    """Return a path with the characters escaped that DuckDB takes for a pattern."""
    return re.sub(r"([\[*?])", r"[\1]", str(path))


def _quoted(text: str) -> str:
    """Return ``text`` as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


_TYPES: dict[pl.DataType, str] = {
    pl.String(): "varchar",
    pl.Int32(): "integer",
    pl.Int64(): "bigint",
    pl.Date(): "date",
    pl.Boolean(): "boolean",
    pl.Decimal(12, 2): "decimal(12, 2)",
}
