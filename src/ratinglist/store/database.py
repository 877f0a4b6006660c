"""The store: one DuckDB file of the facts received. It keeps, looks up and checks; it never computes a rating.

The file is never changed in place. A command that changes facts works on a copy, and the copy takes the place of the
file by one rename, right after the entry of the log that records the change. So readers and a writer never wait for
each other, and a killed process leaves a whole file: that of the newest entry, or of the one before. Then, and where
the file is damaged or of another layout, it is made again from the log and the originals.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Final

import duckdb
import polars as pl

from ratinglist.errors import HomeError, UnfinishedError, first_line
from ratinglist.files import resources
from ratinglist.files.durable_files import close, named_in_errors, remove, withheld, work_file
from ratinglist.home.history import KINDS, TABLES, described
from ratinglist.home.log import Entry, Log, path_of
from ratinglist.messages import SETTLED
from ratinglist.settings import LOG, STORE
from ratinglist.store.calculation_folder import (
    VIEWS,
    CalculationFolder,
    standing_folders,
    view_of,
)
from ratinglist.text import quoted

_NAME = re.compile(r"--[^\n]*|'[^']*'|[a-z_]+")
"""What may be the name of a view of ``sql/views`` in a statement; a comment and a text are found as a whole."""

_View = Callable[[], str | pl.DataFrame | None]
"""Returns the statement that makes a view, or its rows; None where it has made a view or a table itself."""


class Store:
    """The facts of a home and its log.

    The facts are tables of the DuckDB file. What the log states is in temporary tables
    (:meth:`~ratinglist.home.history.History.table`). What was calculated is read from Parquet files, through the
    temporary views of :data:`~ratinglist.store.calculation_folder.VIEWS` and those of ``sql/views``; the rows of
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
        received again; it is made where it is missing. ``only_facts``: without the views over calculations, whose
        files are no longer those of the log so far. Raises ``duckdb.Error`` where it cannot be opened.
        """
        self.log = log
        self.home = log.home
        self.path = path or self.home / STORE
        self._threads = threads
        self._pending: Entry | None = None
        self.calculated_here: set[int] = set()
        self._is_changing = is_scratch
        self._only_facts = only_facts
        is_new = is_scratch and not self.path.exists()
        self._open(read_only=not is_scratch)
        if is_new:
            for file in sorted(resources.sql("store").glob("*.sql")):
                self._connection.execute(file.read_text(encoding="utf-8"))
            self._connection.execute("insert into made_from values ($layout, 0, '')", {"layout": layout()})

    def close(self) -> None:
        """Close the file; in a scratch file, note what it was made from first."""
        if self._is_changing:
            self._note_origin(self.log.newest)
            self._is_changing = False
        self._stop()

    def newest_entry(self) -> tuple[int, str] | None:
        """Return number and digest of the newest entry when the file was written; None in a file of another layout."""
        with suppress(duckdb.Error):
            for number, digest in self.rows("select entry_no, digest from made_from where layout = $l", l=layout()):
                return int(number), str(digest)
        return None

    def missing_entries(self) -> list[Entry]:
        """Return the entries of the log that change facts and that the file was not made from.

        Raises :class:`HomeError` where it was made from entries that the log does not have: they would be lost without
        a word.
        """
        number, digest = self.newest_entry() or (0, "")
        entries = self.log.entries
        if number > len(entries):
            lost = f"{path_of(self.home, len(entries) + 1)} is missing, and so is every entry up to {number}"
        elif number and entries[number - 1].digest != digest:
            lost = f"{path_of(self.home, number)} is another entry than the one that was there, or follows another one"
        else:
            return [entry for entry in entries[number:] if self.changes_facts(entry)]
        raise HomeError(
            f"the log has lost entries that {self.path} was made from: {lost}. Nothing was changed. Put the lost ones "
            "back, or the home of one day: ratinglist restore DIR. To go on without what they did: ratinglist doctor "
            "--rebuild"
        )

    def is_cut_off(self) -> bool:
        """Return whether the file has fewer bytes than its blocks that are in use: DuckDB opens such a file."""
        return self.path.stat().st_size < int(
            self.value("select used_blocks * block_size from pragma_database_size() where database_name = 'store'")
        )

    def changes_facts(self, entry: Entry) -> bool:
        """Return whether an entry of the log changed what the store is made from."""
        changed = self.log.entries[entry.facts["entry_retracted"] - 1] if entry.kind == "retract" else entry
        return KINDS[changed.kind].makes_store

    def read_all(self) -> int:
        """Read every row of every table, whose blocks DuckDB compares with their checksums; return how many tables."""
        tables = self.rows("select table_name from duckdb_tables() where database_name = 'store'")
        for (name,) in tables:
            self.rows(f"select bit_xor(hash(rows)) from {name} as rows")  # noqa: S608 - a name of the catalog
        return len(tables)

    def problem(self) -> str:
        """Return why the tables cannot be read; empty where they can."""
        try:
            self.read_all()
        except duckdb.Error as error:
            return first_line(error)
        return ""

    @contextmanager
    def changing_facts(self, folder: Path | None = None) -> Iterator[None]:
        """Change facts in the block, all or nothing: those of one entry, which the block records (:meth:`record`).

        Where the block raises, and where it records nothing, everything stays as it was. ``folder``: where the copy is,
        for a command that does not have the home; by default the home.
        """
        if self._is_changing:
            yield
            return
        copy = self._begin(folder)
        try:
            yield
            entry, self._pending = self._pending, None
            if entry is not None:
                self._note_origin(entry)
                self._connection.commit()
                # It writes all to the one file. Closing would do that too, without a word where the disk refuses it.
                self._connection.checkpoint()
                self._detach()
                self.log.append(entry)
        except BaseException:
            self._discard(copy)
            raise
        if entry is None:
            self._discard(copy)
            return
        # From here on it is decided. Where the process ends here, the next one makes the file again.
        self._is_changing = False
        self._put_in_place(copy, entry)

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Forget at the end of the block what was recorded in it: see what would be, and leave the log as it was."""
        with self.log.trial():
            yield
        self.refresh()

    @contextmanager
    def supposing(self, kind: str, day: date, facts: Mapping[str, object]) -> Iterator[None]:
        """Show everything inside the block as it will be after an entry of the log that is not decided."""
        with self.log.supposing(kind, day, facts):
            self.refresh()
            yield
        self.refresh()

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
        self.refresh()

    def replace_facts(self, file: Path, kind: str, day: date, **facts: object) -> None:
        """Append an entry to the log that makes another file the store: ``file``, which was made for it."""
        entry = self.log.next(kind, day, facts)
        self.log.append(entry)
        self._detach()
        self._put_in_place(file, entry)

    def _put_in_place(self, file: Path, entry: Entry) -> None:
        """Let the file of a change that is decided be the store. Where that fails, the next command makes it again."""
        try:
            file.replace(self.path)
            remove(file.parent)
        except OSError as error:
            raise UnfinishedError.of(described(entry), error) from None
        self._attach(self.path, read_only=True)
        self.refresh()

    def _begin(self, folder: Path | None = None) -> Path:
        """Copy the file, and open the copy for writing."""
        copy = work_file(folder or self.home)
        self._detach()
        try:
            with named_in_errors(copy):
                shutil.copyfile(self.path, copy)
                close(copy, withheld(self.home))
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
        self._stop()
        remove(copy.parent)
        self._open(read_only=True)

    def _open(self, *, read_only: bool) -> None:
        """Start DuckDB, and open the file in it."""
        config = {**_CONFIG, **({"threads": self._threads} if self._threads else {})}
        self._connection = duckdb.connect(config=config)
        self._connection.execute(_MACROS)
        # What it spills, it writes into a private folder of the home, and not into that in which the command was typed.
        # DuckDB makes this folder, and deletes it at the end.
        spilled = self.home / LOG / ".tmp-spilled"
        self._connection.execute(f"set temp_directory = {quoted(str(spilled))}")
        self._attach(self.path, read_only=read_only)
        self.refresh()

    def _stop(self) -> None:
        """End DuckDB, with all that it holds and has spilled."""
        with suppress(duckdb.Error):
            self._connection.close()

    def _attach(self, path: Path, *, read_only: bool) -> None:
        """Let tables be those of the file at ``path``: to start DuckDB with it instead takes thirty times longer."""
        statement = f"attach {quoted(str(path))} as store"
        self._connection.execute(statement + " (read_only)" * read_only)
        self._connection.execute("use store")

    def _detach(self) -> None:
        """Close the file."""
        self._connection.execute("use memory; detach store")

    def _note_origin(self, newest: Entry | None) -> None:
        """Note in the file the newest entry that its facts are from."""
        self.execute(
            "update made_from set entry_no = $number, digest = $digest",
            number=newest.number if newest else 0,
            digest=newest.digest if newest else "",
        )

    def refresh(self) -> None:
        """Offer all temporary tables and views as they are now: what the log states, and the corrections, may differ.

        To make a view, DuckDB binds all the views below it: making all of them takes longer than most commands.
        """
        self._views: dict[str, _View] = {
            **{name: partial(self.log.history.table, name) for name in TABLES},
            **{name: partial(self._calculated, name) for name in VIEWS if not self._only_facts},
            **{file.stem: partial(file.read_text, encoding="utf-8") for file in resources.sql("views").rglob("*.sql")},
            **{
                file.stem: partial(self.read, file.read_text(encoding="utf-8"))
                for file in resources.sql("read_once").glob("*.sql")
            },
        }

    @contextmanager
    def as_published(self, newest_of: Collection[str]) -> Iterator[None]:
        """Let the published calculation of every month count in the block, whatever newer one exists.

        ``newest_of``: the months of which the newest one counts all the same: those that are rated or published now.
        """
        before = self.log.history.newest_of
        self._set_newest_of(newest_of)
        try:
            yield
        finally:
            self._set_newest_of(before)

    def _set_newest_of(self, newest_of: Collection[str] | None) -> None:
        """Let other calculations count; the views stay where these are the same ones."""
        history = self.log.history
        standing, history.newest_of = history.standing_calculations(), newest_of
        if history.standing_calculations() != standing:
            self.refresh()

    def _calculated(self, name: str) -> pl.DataFrame | None:
        """Make a view over the files of calculations; return its rows where there is none."""
        view = view_of(name, standing_folders(self.log.history, self.folders))
        if isinstance(view, pl.DataFrame):
            return view
        # It needs no other view, and a folder of its files may have the name of one.
        self._connection.execute(view)
        return None

    @contextmanager
    def with_views(self, views: Mapping[str, _View]) -> Iterator[None]:
        """Offer ``views``, or temporary tables, in the block: each is made when a statement first names it."""
        self._views |= views
        try:
            yield
        finally:
            used = [name for name in views if self._views.pop(name, None) is None]
            # An aborted transaction takes its tables with it.
            with suppress(duckdb.TransactionException):
                for name in used:
                    self._connection.unregister(name)
                    self._connection.execute(f"drop table if exists temp.{name}")

    def with_frames(self, **frames: pl.DataFrame) -> AbstractContextManager[None]:
        """Let queries read ``frames`` by their names."""
        return self.with_views({name: frame.clone for name, frame in frames.items()})

    def read(self, query: str, **params: object) -> pl.DataFrame:
        """Return the rows of a query; parameters are named ``$name``."""
        self._make_views_named_in(query)
        rows: pl.DataFrame = self._connection.sql(query, params=params or None).pl()
        return rows

    def rows(self, query: str, **params: object) -> list[tuple[Any, ...]]:
        """Return the few rows of a query as values of Python; parameters as of :meth:`read`."""
        self._make_views_named_in(query)
        return self._connection.execute(query, params or None).fetchall()

    def dicts(self, query: str, **params: object) -> list[dict[str, Any]]:
        """Return the few rows of a query, each by the names of its columns; parameters as of :meth:`read`."""
        rows = self.rows(query, **params)
        names = [name for name, *_ in self._connection.description]
        return [dict(zip(names, row, strict=True)) for row in rows]

    def value(self, query: str, **params: object) -> Any:
        """Return the only value that a query has; parameters as of :meth:`read`."""
        return self.rows(query, **params)[0][0]

    def execute(self, statement: str, **params: object) -> None:
        """Run a statement whose result does not matter; parameters are named ``$name``."""
        self.rows(statement, **params)

    def append(self, table: str, rows: pl.DataFrame) -> None:
        """Append ``rows`` to a table of the store, column by name."""
        with self.with_frames(rows_to_append=rows):
            self.execute(f"insert into {table} by name select * from rows_to_append")  # noqa: S608 - our own names

    @property
    def folders(self) -> Path:
        """The folder that holds the folders of all calculations."""
        return self.home / "calculations"

    def _make_views_named_in(self, statement: str) -> None:
        """Make the views that ``statement`` contains the names of, and by their own statements those below."""
        for name in _NAME.findall(statement):
            if (view := self._views.pop(name, None)) is None:
                continue
            source = view()
            if isinstance(source, str):
                self.execute(source)
            elif source is not None:
                # It may have been a view with a statement before.
                self._connection.execute(f"drop view if exists {name}")
                self._connection.register(name, source)

    def current_folders(self, months: Sequence[str]) -> list[CalculationFolder]:
        """Return the folders of the standing calculations of those ``months`` that were calculated here."""
        standing = standing_folders(self.log.history, self.folders)
        return [folder for month, folder in standing.items() if month in months]


def layout() -> str:
    """Return the digest of the statements that make the tables of a store."""
    texts = [file.read_bytes() for file in sorted(resources.sql("store").glob("*.sql"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()


_CONFIG: Final[dict[str, Any]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
"""DuckDB's settings for a store."""
_MACROS: Final = f"""
create temp macro is_settled(status) as status in {SETTLED};
-- How many letters in 100 of two names are the same; a shorter name counts as one of "fewest" letters.
create temp macro similarity(name, other, fewest := 1) as
    100 - 100 * damerau_levenshtein(name, other) // greatest(length(name), length(other), fewest)
"""
"""What the queries call."""
