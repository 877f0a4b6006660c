"""Gives commands of the program in processes of their own, and kills one, or makes the disk refuse one of its steps.

A step is whatever the program does to the disk under a home: opening a file to write, half of what is written to it,
a row group, syncing, changing the mode, linking, making, renaming and removing; and to the store: a statement that
writes, the commit, and what follows the commit.

``python -m tests.injected`` reads one JSON document after the other from stdin, one a line (see :func:`main`), and
prints one for each. No thread is started here, so that each command can be a fork of this process, which has imported
everything.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq

from ratinglist.cli import main as command_line
from ratinglist.publication import compared_files
from ratinglist.publication.verify import verify
from ratinglist.store import table_files
from ratinglist.store.database import Store

REMOVALS = {"os.remove", "os.rmdir", "os.rename"}
TOUCHES = {"os.mkdir", "os.chmod", "os.truncate", "os.link", "os.symlink", *REMOVALS}
WRITES = ("insert", "update", "delete", "drop", "create table", "alter")
KILL = 0
"""In the place of an error number: the process is killed."""
NEEDS_SPACE, ENDLESS = errno.ENOSPC, {errno.ENOSPC}
"""A full disk stays full until the command ends, and refuses no removal."""


class Injector:
    """Counts the steps under ``home``, and at one of them kills this process or raises an error of the system."""

    def __init__(self, home: Path, at: int, error: int) -> None:
        self.steps, self.injected = 0, ""
        self._home, self._at, self._error, self._lock = str(home), at, error, threading.Lock()

    def step(self, what: str, path: str = "", *, removes: bool = False, of_store: bool = False) -> None:
        """Count one step; at the chosen one, and after it on a full disk, kill or raise."""
        with self._lock:
            self.steps += 1
            now = self.steps == self._at or (self.steps > self._at > 0 and self._error in ENDLESS)
        if not now:
            return
        if self._error == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if removes and self._error == NEEDS_SPACE:
            return
        self.injected = self.injected or f"{what} {path}"
        text = os.strerror(self._error)
        if of_store:
            raise duckdb.IOException(f'IO Error: Could not write file "{self._home}/ratinglist.duckdb.wal": {text}')
        raise OSError(self._error, text, path or None)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Count an audit event that writes under the home: see ``sys.addaudithook``."""
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if not writes and event not in TOUCHES:
            return
        path = str(arguments[0])
        folder = arguments[-1]
        if event in ("os.remove", "os.rmdir") and isinstance(folder, int) and folder >= 0:
            path = str(Path(f"/proc/self/fd/{folder}").readlink() / path)
        if path.startswith(self._home):
            self.step(event, path, removes=event in REMOVALS)

    def watch(self) -> None:
        """Start counting; functions without an audit event are wrapped."""
        sys.addaudithook(self.hook)
        os.fsync = self._before(os.fsync)
        for name in ("write_table", "close"):
            setattr(pq.ParquetWriter, name, self._before(getattr(pq.ParquetWriter, name)))
        # However young the home is, its files are remembered, so that a command always has the same steps.
        compared_files._COARSEST_TICK = -(10**19)
        table_files._Hashing.write = self._in_halves(table_files._Hashing.write)  # type: ignore[method-assign]
        Path.write_bytes = self._torn("wb")  # type: ignore[method-assign]
        Path.write_text = self._torn("w")  # type: ignore[method-assign]
        Store.execute = self._statement(Store.execute)  # type: ignore[method-assign]
        Store.transaction = self._commit(Store.transaction)  # type: ignore[method-assign]

    def _before(self, touch: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **named: Any) -> Any:
            self.step(touch.__name__)
            return touch(*arguments, **named)

        return wrapper

    def _in_halves(self, write: Callable[..., int]) -> Callable[..., int]:
        def wrapper(to: Any, data: bytes) -> int:
            middle = len(data) // 2
            written = write(to, bytes(data[:middle]))
            if to._file is not None:
                to._file.flush()
                self.step("write")
            return written + write(to, bytes(data[middle:]))

        return wrapper

    def _torn(self, mode: str) -> Callable[..., int]:
        def wrapper(path: Path, data: Any, *_: Any, **named: Any) -> int:
            with path.open(mode, **named) as file:
                file.write(data[: len(data) // 2])
                file.flush()
                self.step("write", str(path))
                file.write(data[len(data) // 2 :])
            return len(data)

        return wrapper

    def _statement(self, execute: Callable[..., None]) -> Callable[..., None]:
        def wrapper(store: Store, statement: str, **params: Any) -> None:
            if statement.lstrip().startswith(WRITES):
                self.step("statement", statement.split()[-1], of_store=True)
            execute(store, statement, **params)
            if statement.lstrip().startswith(WRITES) and not store.in_transaction and self._error == KILL:
                self.step("after the statement")

        return wrapper

    def _commit(self, transaction: Callable[..., Any]) -> Callable[..., Any]:
        @contextmanager
        def wrapper(store: Store) -> Iterator[None]:
            is_outer = not store.in_transaction
            with transaction(store):
                yield
                if is_outer:
                    self.step("commit", of_store=True)
            if is_outer and self._error == KILL:
                self.step("after the commit")

        return wrapper


def give(words: list[str], home: Path, day: str) -> dict[str, Any]:
    """Give a command in this process, and return its exit code and what it printed."""
    sys.argv = ["ratinglist", *words]
    os.environ.update(RATINGLIST_HOME=str(home), RATINGLIST_TODAY=day, POLARS_MAX_THREADS="1")
    out, err = StringIO(), StringIO()
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        command_line.main()
    except SystemExit as ended:
        return {"exit": ended.code or 0, "out": out.getvalue(), "err": err.getvalue()}
    finally:
        sys.stdout, sys.stderr = before


def state(home: Path) -> dict[str, Any]:
    """Return what a home holds: what readers see, the other files by name, and the rows of what was decided."""
    published = {
        path.relative_to(home).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((home / "published").rglob("*"))
        if path.is_file()
    }
    names = [path.relative_to(home) for path in home.rglob("*") if not path.is_dir() or not any(path.iterdir())]
    # How often a month was calculated is in the number of its folder and in the journal; the list of each stays.
    files = {
        f"{name.parts[1]}/{name.name}" if name.parts[0] == "calculations" else name.as_posix()
        for name in names
        if name.parts[0] != "published"
        and not name.name.startswith("ratinglist.duckdb")
        and name.parts[:2] != ("archive", "journal")
        # It is written once the files of the home are two seconds old.
        and name.name != compared_files.NAME
    }
    return {"published": published, "files": sorted(files), "rows": _rows(home), "whole": _whole(home)}


QUERIES = {
    "publication": "select month, revision, digest, manifest_sha256, bytes from publication order by all",
    "current": "select * from current_revision order by all",
    "index": "select md5(content), md5(signature) from published_index",
    "rolled_back": "select * from rolled_back order by all",
    "answer": "select * from answer order by all",
    "preview": "select * exclude (known_on) from preview order by all",
    "approval": "select * from approval order by all",
    "correction": "select correction_no, action, event_id, fide_id from correction order by all",
    "source": "select kind, month, sha256, rows from source_file order by source_no",
    "received": "select count(*), count(distinct report_id) from report",
    "games": "select count(*) from report_game",
    "players": "select count(*) from player",
    "imported": "select month, time_control, count(*) from imported_list group by all order by all",
    "calculated": "select month, calculation_id from calculation order by all",
    "intention": "select what from intention",
}


def _rows(home: Path) -> dict[str, Any]:
    if not (home / "ratinglist.duckdb").exists():
        return {}
    with duckdb.connect(str(home / "ratinglist.duckdb")) as connection:
        return {name: json.loads(json.dumps(_all(connection, query), default=str)) for name, query in QUERIES.items()}


def _all(connection: duckdb.DuckDBPyConnection, query: str) -> list[Any]:
    try:
        return connection.sql(query).fetchall()
    except (duckdb.CatalogException, duckdb.BinderException):
        # The process was killed before the migration that makes the table or the column.
        return []


def _whole(home: Path) -> list[str]:
    published = home / "published"
    if not published.is_dir() or not any(path.is_dir() for path in published.iterdir()):
        return []
    return [f"{one.file}: {one.description}" for one in verify(published).wrong]


def in_a_fork(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Do ``work`` in a fork of this process and return what it returns; ``{"killed": true}`` where it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            answer = work()
        except BaseException:
            answer = {"defect": traceback.format_exc()}
        with os.fdopen(writing, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"killed": True}


def injected(base: Path, home: Path, day: str, words: list[str], at: int, error: int) -> dict[str, Any]:
    """Copy a home and give a command in it with an injection, then describe the home it left."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(base, home) if base.exists() else home.mkdir(parents=True)

    def work() -> dict[str, Any]:
        injector = Injector(home, at, error)
        injector.watch()
        answer = give(words, home, day)
        return {**answer, "steps": injector.steps, "injected": injector.injected}

    return in_a_fork(work)


def followed(home: Path, day: str, commands: list[list[str]]) -> dict[str, Any]:
    """Give commands in a home one after the other, in one process, and describe the home after them."""

    def work() -> dict[str, Any]:
        answers = [give(words, home, day) for words in commands]
        return {"answers": answers, **state(home)}

    return in_a_fork(work)


def main() -> None:
    """Answer the requests of stdin."""
    for line in sys.stdin:
        request = json.loads(line)
        home = Path(request["home"])
        if "at" in request:
            answer = injected(
                Path(request["base"]), home, request["day"], request["words"], request["at"], request["error"]
            )
        else:
            answer = followed(home, request["day"], request["commands"])
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
