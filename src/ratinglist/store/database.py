"""The store: one DuckDB file of the facts received. It keeps, looks up and checks; it never computes a rating.

The file is never changed in place. A command that changes facts works on a copy, and the copy takes the place of the
file by one rename, right after the entry of the log that records the change. So readers and a writer never wait for
each other, and a killed process leaves a whole file: that of the newest entry, or of the one before. Then, and where
the file is damaged or of another layout, it is made again from the log and the originals.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import duckdb
import polars as pl

from ratinglist.errors import UnfinishedError
from ratinglist.files import resources
from ratinglist.files.durable_files import TEMPORARY_PREFIX, made_private, named_in_errors, withheld
from ratinglist.home.entry_kinds import described
from ratinglist.home.history import TABLES
from ratinglist.home.log import Entry, Log
from ratinglist.period import Period
from ratinglist.settings import STORE
from ratinglist.store.calculated_views import damage_named, quoted, standing_folders, views_of
from ratinglist.store.calculation_folder import CalculationFolder
from ratinglist.system_errors import first_line

_NAME = re.compile(r"[a-z_]+")
"""What may be the name of a view of ``sql/views`` in a statement."""

_View = Path | str | Callable[[], pl.DataFrame]
"""A statement that makes a view, its file, or what returns a frame."""


class Store:
    """The facts of a home and its log.

    The facts are tables of the DuckDB file. What the log states is in temporary tables
    (:meth:`~ratinglist.home.history.History.table`). What was calculated is read from Parquet files, through the
    temporary views ``event``, ``game``, ``change``, ``entry``, ``pool``, ``calculation_input``, ``calculated_state``
    and ``first_calculated_state`` (:meth:`show_calculations`), and those of ``sql/views``; the rows of
    ``sql/read_once`` are found once. A view is made when a statement first names it. Facts are changed inside
    :meth:`changing_facts` alone.
    """

    def __init__(
        self,
        log: Log,
        path: Path | None = None,
        threads: int | None = None,
        *,
        is_scratch: bool = False,
        only_facts: bool = False,
    ) -> None:
        """Open the file at ``path``, by default that of the home of ``log``; nothing is written.

        ``is_scratch``: the file is of this process alone and is written in place until :meth:`close`, for facts to be
        received again; it is made where it is missing.
        ``only_facts``: without the views over calculations, whose files are not read.
        Raises ``duckdb.Error`` where it cannot be opened.
        """
        self.log = log
        self.home = log.home
        self.path = path or self.home / STORE
        self._threads = threads
        self._memory_limit = ""
        self._pending: Entry | None = None
        self._is_changing = is_scratch
        self._only_facts = only_facts
        self._withheld = withheld(self.home)
        is_new = is_scratch and not self.path.exists()
        self._open(read_only=not is_scratch)
        if is_new:
            for file in sorted(resources.sql("store").glob("*.sql")):
                self._connection.execute(file.read_text(encoding="utf-8"))
            self._connection.execute("insert into made_from values ($layout, '', 0)", {"layout": layout()})

    def close(self) -> None:
        """Close the file; in a scratch file, note what it was made from first."""
        if self._is_changing:
            self._note_origin([])
            self._is_changing = False
        try:
            self._detach()
        except duckdb.Error:
            self._duckdb.stop()
        else:
            self._duckdb.leave()

    def is_current(self) -> bool:
        """Return whether the file has the layout of this program and was made from the entries of the log."""
        try:
            rows = self.rows("select layout, facts from made_from")
        except duckdb.Error:
            return False
        return rows == [(layout(), self.log.history.facts_digest)]

    def is_cut_off(self) -> bool:
        """Return whether the file has fewer bytes than its blocks that are in use: DuckDB opens such a file."""
        [(used,)] = self.rows("select used_blocks * block_size from pragma_database_size() where database_name='store'")
        return self.path.stat().st_size < int(used)

    def newest_entry_known(self) -> int:
        """Return the number of the newest entry when the file was written; 0 in a file of another layout."""
        with suppress(duckdb.Error):
            rows = self.rows("select entry_no from made_from where layout = $layout", layout=layout())
            return int(rows[0][0]) if rows else 0
        return 0

    @contextmanager
    def changing_facts(self) -> Iterator[None]:
        """Change facts in the block, all or nothing: those of one entry, which the block records (:meth:`record`).

        Where the block raises, and where it records nothing, everything stays as it was.
        """
        if self._is_changing:
            yield
            return
        copy = self._begin()
        try:
            yield
        except BaseException:
            self._discard(copy)
            raise
        entry, self._pending = self._pending, None
        if entry is None:
            self._discard(copy)
            return
        try:
            self._note_origin([entry])
            self._connection.commit()
            # It writes all to the one file. Closing would do that too, and say nothing of a disk that refuses it.
            self._connection.checkpoint()
            self._detach()
            self.log.append(entry)
        except BaseException:
            self._discard(copy)
            raise
        # From here on it is decided. Where the process ends here, the next one makes the file again.
        self._is_changing = False
        self._put_in_place(copy, entry)

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Forget everything at the end of the block: see what would be, and leave facts and log as they were."""
        copy = self._begin()
        try:
            with self.log.trial():
                yield
        finally:
            self._discard(copy)

    def record(self, kind: str, day: date, **facts: object) -> None:
        """Append an entry to the log: what it records is decided. ``facts``: JSON values.

        Inside :meth:`changing_facts` the entry is appended at the end of the block, with the facts.
        """
        entry = self.log.next(kind, day, facts)
        if self._is_changing and self.log.is_written:
            if self._pending is not None:
                raise AssertionError("one change is one entry")
            self._pending = entry
            return
        self.log.append(entry)
        self.show_log()

    def replace_facts(self, made: Path, kind: str, day: date, **facts: object) -> None:
        """Append an entry to the log that makes another file the store: ``made``, which was made for it."""
        entry = self.log.next(kind, day, facts)
        self.log.append(entry)
        self._detach()
        self._put_in_place(made, entry)
        self.show_corrections()

    def _put_in_place(self, made: Path, entry: Entry) -> None:
        """Let the file of a change that is decided be the store. Where that fails, the next command makes it again."""
        try:
            made.replace(self.path)
        except OSError as error:
            raise UnfinishedError.of(described(entry), error) from None
        self._attach(self.path, read_only=True)
        self.show_log()

    def _begin(self) -> Path:
        """Copy the file, and open the copy for writing."""
        copy = self.home / f"{TEMPORARY_PREFIX}{STORE}"
        self._detach()
        try:
            with named_in_errors(copy), made_private(self._withheld):
                copy.unlink(missing_ok=True)
                shutil.copyfile(self.path, copy)
            self._attach(copy, read_only=False)
        except BaseException:
            self._discard(copy)
            raise
        self._is_changing = True
        self._connection.begin()
        return copy

    def _discard(self, copy: Path) -> None:
        """Delete a copy, and open the file again."""
        self._pending = None
        self._is_changing = False
        self._duckdb.stop()
        for path in (copy, copy.with_name(f"{copy.name}.wal")):
            path.unlink(missing_ok=True)
        self._open(read_only=True)

    def _open(self, *, read_only: bool) -> None:
        """Start DuckDB with the file, or take one that is idle, and offer it all temporary tables and views."""
        # What it spills, it writes next to the file, and not to the folder in which the command was typed.
        self._duckdb = StartedDuckDB(self._threads, self.path.with_name(f"{self.path.name}.tmp"))
        self._connection = self._duckdb.connection
        if self._memory_limit:
            self._connection.execute(f"set memory_limit = {quoted(self._memory_limit)}")
        self._attach(self.path, read_only=read_only)
        # To make a view, DuckDB binds all the views below it: to make every one costs longer than most commands take.
        self._views_not_made: dict[str, _View] = {file.stem: file for file in resources.sql("views").rglob("*.sql")}
        self._made: dict[str, _View] = {}
        self.show_corrections()
        self.show_log()

    def _attach(self, path: Path, *, read_only: bool) -> None:
        """Let tables be those of the file at ``path``: to start DuckDB with it instead takes thirty times longer."""
        statement = f"attach {quoted(str(path))} as store"
        with made_private(self._withheld):
            self._connection.execute(statement + " (read_only)" * read_only)
        self._connection.execute("use store")

    def _detach(self) -> None:
        """Close the file."""
        self._connection.execute("use memory; detach store")

    def _note_origin(self, entries: Sequence[Entry]) -> None:
        """Note in the file which entries its facts are from: those of the log, and ``entries`` that follow."""
        numbers = [digest for _, digest in self.log.history.facts] + [one.digest for one in entries]
        self.execute(
            "update made_from set facts = $facts, entry_no = $number",
            facts=hashlib.sha256("".join(numbers).encode()).hexdigest(),
            number=len(self.log.entries) + len(entries),
        )

    def show_log(self) -> None:
        """Offer what the log states, and the files of the calculations that count, as they are now."""
        for name in TABLES:
            self._offer(name, partial(self.log.history.table, name))
        self.show_calculations()

    def _offer(self, name: str, view: _View) -> None:
        """Let statements read a view or a frame by its name: made when the first names it, or again where one has."""
        if name not in self._made:
            self._views_not_made[name] = view
        elif self._made[name] != view:
            self._make(name, view)

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
        with damage_named(self.folders), made_private(self._withheld):
            rows: pl.DataFrame = self._connection.sql(query, params=params or None).pl()
            return rows

    def rows(self, query: str, **params: object) -> list[tuple[Any, ...]]:
        """Return the few rows of a query as values of Python; parameters and errors as of :meth:`read`.

        DuckDB binds the query once here, and twice for a frame: for its columns, then for its rows.
        """
        self._make_views_named_in(query)
        with damage_named(self.folders), made_private(self._withheld):
            return self._connection.execute(query, params or None).fetchall()

    def finds_rows(self, query: str, **params: object) -> bool:
        """Return whether a query has any row; it is bound once, as in :meth:`rows`."""
        self._make_views_named_in(query)
        with damage_named(self.folders), made_private(self._withheld):
            found = self._connection.execute(query, params or None).fetchone() is not None
            self._connection.complete()
            return found

    def execute(self, statement: str, **params: object) -> None:
        """Run a statement whose result does not matter; parameters are named ``$name``. Raises as :meth:`read`."""
        self._make_views_named_in(statement)
        with damage_named(self.folders), made_private(self._withheld):
            self._connection.execute(statement, params or None).fetchall()

    def append(self, table: str, rows: pl.DataFrame) -> None:
        """Append ``rows`` to a table of the store, column by name."""
        # DuckDB reads the strings of Polars as they are; the default would copy millions into an older layout first.
        with self.seeing(rows_to_append=rows.to_arrow(compat_level=pl.CompatLevel.newest())):
            self.execute(f"insert into {table} by name select * from rows_to_append")  # noqa: S608 - our own names

    def copy_to_parquet(self, query: str, path: Path, compression: str = "zstd") -> None:
        """Write the rows of a query to a Parquet file, in their order."""
        self.execute(f"copy ({query}) to {quoted(str(path))} (format parquet, compression {quoted(compression)})")

    @contextmanager
    def bounded_memory(self, limit: str) -> Iterator[None]:
        """Let DuckDB hold ``limit`` at most in the block, as ``512MB``."""
        before, limit_before = str(self.rows("select current_setting('memory_limit')")[0][0]), self._memory_limit
        self._memory_limit = limit
        self.execute(f"set memory_limit = {quoted(limit)}")
        try:
            yield
        finally:
            self._memory_limit = limit_before
            self.execute(f"set memory_limit = {quoted(before)}")

    def folder(self, period: Period, number: int) -> CalculationFolder:
        """Return the folder of a calculation."""
        return CalculationFolder(self.folders, period, number)

    @property
    def folders(self) -> Path:
        """The folder that holds the folders of all calculations."""
        return self.home / "calculations"

    def _make_views_named_in(self, statement: str) -> None:
        """Make the offered views that ``statement`` contains the names of, and by their own statements those below."""
        if not self._views_not_made:
            return
        for name in _NAME.findall(statement):
            view = self._views_not_made.pop(name, None)
            if view is None:
                continue
            self._make(name, view)

    def _make(self, name: str, view: _View) -> None:
        self._made[name] = view
        if isinstance(view, Path):
            self.execute(view.read_text(encoding="utf-8"))
        elif isinstance(view, str):
            self.execute(view)
        else:
            self._connection.register(name, view().to_arrow())

    def show_corrections(self) -> None:
        """Offer what ``sql/read_once`` finds in the corrections, as they are now.

        Most queries need it: a view would be bound for each, and DuckDB keeps wrong limits of the values of a temporary
        table that is made again.
        """
        files = resources.sql("read_once").glob("*.sql")
        found = {file.stem: partial(self.read, file.read_text(encoding="utf-8")) for file in files}
        self._views_not_made |= found
        # One may read another.
        self._make_views_named_in(" ".join(found.keys() & self._made.keys()))

    def show_calculations(self) -> None:
        """Offer the views over the files of the calculations that count (``standing_calculation``).

        A view that was made is made again, because other views read it; the others are made when a statement names
        them: DuckDB opens files of every month to make one.

        Raises :class:`NothingReadError` where a file that they read is missing.
        """
        if self._only_facts:
            return
        for name, query in views_of(standing_folders(self.log.history, self.folders)).items():
            self._offer(name, f"create or replace temp view {name} as {query}")

    def current_folders(self, months: Sequence[str]) -> list[CalculationFolder]:
        """Return the folders of the standing calculations of those ``months`` that were calculated here."""
        standing = standing_folders(self.log.history, self.folders)
        return [current for month, (current, _) in standing.items() if month in months]


def layout() -> str:
    """Return the digest of the statements that make the tables of a store."""
    texts = [file.read_bytes() for file in sorted(resources.sql("store").glob("*.sql"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()


CONFIG: Final[dict[str, Any]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    # A month has some thousand events: what is summed by their numbers finds its place without a hash.
    "perfect_ht_threshold": 16,
}
"""DuckDB's settings for a store."""

_idle: dict[tuple[int, int | None], list[duckdb.DuckDBPyConnection]] = {}
"""DuckDB as closed stores left it, by process and threads: a copy of a process by a fork must not use it."""


class StartedDuckDB:
    """A DuckDB without a file that no other store uses, and a connection to it."""

    def __init__(self, threads: int | None, spilled: Path) -> None:
        """Take one that is idle, or start it. ``spilled``: the folder for what it spills."""
        self._idle, self._spilled = _idle.setdefault((os.getpid(), threads), []), spilled
        config = {**CONFIG, **({"threads": threads} if threads else {})}
        self._duckdb = self._idle.pop() if self._idle else duckdb.connect(config=config)
        self.connection = self._duckdb.cursor()
        self.connection.execute(f"set temp_directory = {quoted(str(spilled))}")

    def leave(self) -> None:
        """Leave it to the next store, without files attached; where it has spilled, end it, which deletes that."""
        if self._spilled.exists():
            self.stop()
            return
        with suppress(duckdb.Error):
            self.connection.execute("reset memory_limit")
            self.connection.close()
            self._idle.append(self._duckdb)

    def stop(self) -> None:
        """End it, with all that it holds and has spilled."""
        with suppress(duckdb.Error):
            self.connection.close()
            self._duckdb.close()


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
