"""The store: one DuckDB file with one writer. It keeps, looks up and checks; it never computes a rating."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import duckdb
import polars as pl

from ratinglist import resources
from ratinglist.errors import CommandLineError, NothingReadError, RatinglistError, StoreInUseError

Value = TypeVar("Value")


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
        store = Store(connection)
        store.migrate()
        yield store


class Store:
    """An open store. Every method that writes is meant to run inside :meth:`transaction`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._in_transaction = False

    @contextmanager
    def for_another_thread(self) -> Iterator[Store]:
        """The same store for a thread of its own: it reads what is committed when it asks."""
        with self._connection.cursor() as connection:
            yield Store(connection)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: commit at the end, roll back on any error. Inside another it is part of that one."""
        if self._in_transaction:
            yield
            return
        with self._begun():
            yield
        self._commit()

    def held(self, work: Callable[[], Value]) -> tuple[Value, Callable[[], None]]:
        """What ``work`` gives, in a transaction that only this store sees until what also comes back commits it.

        That may be called more than once and in any thread, while no other uses this store: every call returns when all
        is committed, or raises why it is not. Where ``work`` goes wrong, nothing has happened.
        """
        with self._begun():
            value = work()
        committing, committed = Lock(), Future[None]()

        def commit() -> None:
            with committing:
                if not committed.done():
                    try:
                        self._commit()
                    except Exception as error:  # whatever it is, everybody who asks is told
                        committed.set_exception(error)
                    else:
                        committed.set_result(None)
            committed.result()

        return value, commit

    @contextmanager
    def _begun(self) -> Iterator[None]:
        """A transaction, rolled back where anything goes wrong in the block, and else open when it ends."""
        self._connection.begin()
        self._in_transaction = True
        try:
            yield
        except BaseException:
            self._in_transaction = False
            self._connection.rollback()
            raise

    def _commit(self) -> None:
        self._in_transaction = False
        self._connection.commit()

    @contextmanager
    def trial(self) -> Iterator[None]:
        """See what would be, and leave everything as it was: always rolled back at the end."""
        self._connection.begin()
        self._in_transaction = True
        try:
            yield
        finally:
            self._connection.rollback()
            self._in_transaction = False

    @contextmanager
    def seeing(self, **frames: object) -> Iterator[None]:
        """Let queries read ``frames``, of Polars or Arrow, by their names."""
        for name, frame in frames.items():
            self._connection.register(name, frame)
        yield
        for name in frames:
            self._connection.unregister(name)

    def read(self, query: str, **params: object) -> pl.DataFrame:
        """The rows of a query; parameters are named ``$name``."""
        rows: pl.DataFrame = self._connection.sql(query, params=params or None).pl()
        return rows

    def execute(self, statement: str, **params: object) -> None:
        """Run a statement that returns nothing of interest; parameters are named ``$name``."""
        self._connection.execute(statement, params or None).fetchall()

    def append(self, table: str, rows: pl.DataFrame) -> None:
        """Add ``rows`` to a table of the store, column by name."""
        # As Polars holds them: DuckDB reads that, and millions of words need not be copied into an older form first.
        with self.seeing(rows_to_append=rows.to_arrow(compat_level=pl.CompatLevel.newest())):
            self.execute(f"insert into {table} by name select * from rows_to_append")  # noqa: S608 - our own names

    def migrate(self) -> None:
        """Run the migrations not yet run, each in a transaction with its own entry, then re-apply the views."""
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
                    self._connection.execute(text).fetchall()
                    self.execute("insert into migration values ($name, $digest)", name=file.name, digest=digest)
        for file in sorted(resources.sql("views").glob("*.sql")):
            self._connection.execute(file.read_text(encoding="utf-8")).fetchall()
