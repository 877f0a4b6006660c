"""Gives commands of the program in processes of their own, and kills one, or makes the disk refuse one of its steps.

A step is whatever the program does to the disk under a home: opening a file to write, half of what is written to it
or copied, a row group, syncing, changing the mode, linking, making, renaming and removing. So the entry of the log,
each draft that is moved to its place, and the store that takes the place of the one before are steps. In the copy of
the store that a command changes, steps are each statement that writes, the commit, what writes all to the one file, and
the closing.

``python -m tests.injected`` reads one JSON document after the other from stdin, one a line (see :func:`main`), and
prints one for each. No thread is started here, so that each command can be a fork of this process, which has imported
everything.
"""

from __future__ import annotations

import errno
import hashlib
import importlib
import json
import os
import pkgutil
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import date
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, cast

import duckdb
import pyarrow.parquet as pq

import ratinglist
from ratinglist.cli import main as command_line
from ratinglist.errors import BeingPublishedError
from ratinglist.home.log import Log
from ratinglist.publication import settle
from ratinglist.publication.published_files import verify
from ratinglist.settings import LOG, STORE, Settings
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from tests.conftest import asking_only

REMOVALS = {"os.remove", "os.rmdir", "os.rename"}
TOUCHES = {"os.mkdir", "os.chmod", "os.truncate", "os.link", "os.symlink", *REMOVALS}
WRITES = ("insert", "update", "delete", "drop", "create table", "alter")
KILL, PAUSE = 0, -1
"""In the place of an error number: the process is killed, or waits until other commands were given."""
LONGEST = 600
"""Seconds after which a process that waits for ever, such as on a pipe, is killed."""
NEEDS_SPACE, ENDLESS = errno.ENOSPC, {errno.ENOSPC}
"""A full disk stays full until the command ends, and refuses no removal."""


class Injector:
    """Counts the steps under ``home``, and at one of them kills this process or raises an error of the system.

    ``pause``: what is done at that step in place of an error, with ``PAUSE``.
    """

    def __init__(self, home: Path, at: int, error: int, pause: Callable[[], object] = lambda: None) -> None:
        self.steps, self.injected, self._pause = 0, "", pause
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
        if self._error == PAUSE:
            self._pause()
            return
        if removes and self._error == NEEDS_SPACE:
            return
        self.injected = self.injected or f"{what} {path}"
        text = os.strerror(self._error)
        if of_store:
            raise duckdb.IOException(f'IO Error: Could not write file "{self._home}/.tmp-store/{STORE}.wal": {text}')
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
        Path.write_bytes = self._torn("wb")  # type: ignore[method-assign]
        Path.write_text = self._torn("w")  # type: ignore[method-assign]
        shutil.copyfile = self._torn_copy(shutil.copyfile)
        Store.execute = self._statement(Store.execute)  # type: ignore[method-assign]
        Store._open = self._connected(Store._open)  # type: ignore[method-assign]
        Store._detach = self._closing(Store._detach)  # type: ignore[method-assign]
        Store.close = self._closing(Store.close)  # type: ignore[method-assign]

    def _before(self, touch: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **named: Any) -> Any:
            self.step(touch.__name__)
            return touch(*arguments, **named)

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

    def _torn_copy(self, copyfile: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(source: Any, target: Any, **named: Any) -> Any:
            copied = copyfile(source, target, **named)
            path = Path(target)
            if str(path).startswith(self._home):
                data = path.read_bytes()
                os.truncate(path, len(data) // 2)
                self.step("write", str(path))
                path.write_bytes(data)
            return copied

        return wrapper

    def _statement(self, execute: Callable[..., None]) -> Callable[..., None]:
        def wrapper(store: Store, statement: str, **params: Any) -> None:
            if statement.lstrip().startswith(WRITES):
                self.step("statement", statement.split()[-1], of_store=True)
            execute(store, statement, **params)

        return wrapper

    def _connected(self, start: Callable[..., None]) -> Callable[..., None]:
        def wrapper(store: Store, *, read_only: bool) -> None:
            start(store, read_only=read_only)
            store._connection = cast("duckdb.DuckDBPyConnection", Connection(store._connection, self))

        return wrapper

    def _closing(self, close: Callable[[Store], None]) -> Callable[[Store], None]:
        def wrapper(store: Store) -> None:
            try:
                if store._is_changing:
                    self.step("close", of_store=True)
            finally:
                close(store)

        return wrapper


class Connection:
    """A connection to a file of DuckDB: to write to the file is a step."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, injector: Injector) -> None:
        self._connection, self._injector = connection, injector

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def commit(self) -> None:
        self._injector.step("commit", of_store=True)
        self._connection.commit()

    def checkpoint(self) -> None:
        self._injector.step("checkpoint", of_store=True)
        self._connection.checkpoint()


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
    """Return what a home holds: what readers see, the other files by name, and the rows of what was decided.

    ``outside``: the files next to it, such as those of a backup.
    """
    published = {
        path.relative_to(home).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((home / "published").rglob("*"))
        if path.is_file()
    }
    names = [path.relative_to(home) for path in home.rglob("*") if not path.is_dir() or not any(path.iterdir())]
    # How often a month was calculated is in the number of its folder and in the log; the list of each stays.
    files = {
        f"{name.parts[1]}/{name.name}" if name.parts[0] == "calculations" else name.as_posix()
        for name in names
        if name.parts[0] not in ("published", LOG)
    }
    outside = {
        path.relative_to(home.parent).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in home.parent.rglob("*")
        if path.is_file() and home not in path.parents
    }
    facts = {"published": published, "files": sorted(files), **_decided(home), "whole": _whole(home)}
    return {**facts, "outside": sorted(outside.items())}


def _decided(home: Path) -> dict[str, Any]:
    """Return what the log of a home states, and the rows of every table of its store where that is made from the log.

    ``rows`` are without the numbers of entries: a command that is given again may have one more. ``entries``: how many
    there are; ``open``: whether a change is decided and not in place; ``store``: whether it fits the log.
    """
    log = Log.open(home)
    history = log.history
    index, newest = history.index, history.newest_calculations()
    rows: dict[str, Any] = {
        "kinds": sorted({entry.kind for entry in log.entries}),
        "published": [
            [publication.month, publication.revision, publication.digest, publication.published_on]
            for publication in history.publications
        ],
        "current": sorted(history.current.items()),
        "index": [index[name] for name in ("counter", "digest", "signature")] if index else None,
        "rolled back": history.rollbacks,
        "signers": history.signers,
        "answers": history.answers,
        "previews": [
            [name, preview["revision"], preview["manifest"]] for name, preview in sorted(history.previews.items())
        ],
        "approvals": history.approvals,
        "dismissals": [[dismissal["report_id"], dismissal["reason"]] for dismissal in history.dismissals],
        "retracted": sorted(history.retracted),
        "calculated": [[name, calculation.facts["calculation_id"]] for name, calculation in sorted(newest.items())],
        "placed": history.placed,
    }
    settings = Settings(home, "fide", date(2025, 12, 1))
    store = None
    if (home / STORE).is_file():
        store = Store(log)
    is_current = store is not None and not store.missing_entries()
    if store is not None and is_current:
        rows |= _tables(store)
    if store is not None:
        store.close()
    return {
        "rows": json.loads(json.dumps(rows, default=str)),
        "entries": len(log.entries),
        "open": settle.is_open(log, settings),
        "store": is_current,
    }


def _tables(store: Store) -> dict[str, list[Any]]:
    """Return how many rows each table of a store has that has any, and a hash of all of them."""
    names = store.rows("select table_name from duckdb_tables() where not temporary order by 1")
    query = "select count(*), coalesce(bit_xor(hash(rows)), 0)::varchar from {} as rows"
    counted = {f"table {name}": list(store.rows(query.format(name))[0]) for (name,) in names if name != "made_from"}
    return {name: content for name, content in counted.items() if content[0]}


def _whole(home: Path) -> list[str]:
    published = home / "published"
    if not published.is_dir() or not any(path.is_dir() for path in published.iterdir()):
        return []
    try:
        return [f"{difference.path}: {difference.description}" for difference in verify(published).wrong]
    except BeingPublishedError:
        # Readers are told to try again: nothing is called wrong.
        return []


def in_a_fork(work: Callable[[], dict[str, Any]], between: Callable[[], object] = lambda: None) -> dict[str, Any]:
    """Do ``work`` in a fork of this process and return what it returns; ``{"killed": true}`` where it was killed.

    ``between``: what this process does before it waits for the fork.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(LONGEST)
        try:
            answer = work()
        except BaseException:
            answer = {"defect": traceback.format_exc()}
        with os.fdopen(writing, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(writing)
    between()
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"killed": True}


def injected(
    bases: dict[str, str], home: Path, day: str, words: list[str], at: int, error: int, between: list[list[str]]
) -> dict[str, Any]:
    """Copy folders and give a command in the home among them with an injection, then describe the home it left.

    ``bases``: what is copied, by its name next to the home. ``between``: commands that are given in processes of their
    own while the command waits at its step, with ``PAUSE``; their answers are the ``between`` of the answer.
    """
    copied(bases, home)
    (step, reached), (go, goes_on) = os.pipe(), os.pipe()
    answers: list[dict[str, Any]] = []

    def work() -> dict[str, Any]:
        os.close(step)
        injector = Injector(home.parent, at, error, lambda: (os.write(reached, b"."), os.read(go, 1)))
        injector.watch()
        answer = give(words, home, day)
        return {**answer, "steps": injector.steps, "injected": injector.injected}

    def others() -> None:
        os.close(reached)
        if os.read(step, 1):
            answers.extend(in_a_fork(partial(give, command, home, day)) for command in between)
        os.write(goes_on, b".")

    answer = in_a_fork(work, others)
    for end in (step, go, goes_on):
        os.close(end)
    return {**answer, "between": answers}


def copied(bases: dict[str, str], home: Path) -> None:
    """Empty the folder of a home, and copy folders into it."""
    shutil.rmtree(home.parent, ignore_errors=True)
    home.mkdir(parents=True)
    for name, base in bases.items():
        if Path(base).exists():
            shutil.copytree(base, home.parent / name, dirs_exist_ok=True)


def followed(home: Path, day: str, commands: list[list[str]], *, with_state: bool) -> dict[str, Any]:
    """Give commands in a home one after the other, in one process, and describe the home after them."""

    def work() -> dict[str, Any]:
        answers = [give(words, home, day) for words in commands]
        return {"answers": answers, **(state(home) if with_state else {})}

    return in_a_fork(work)


def main() -> None:
    """Answer the requests of stdin, after all that a command would import was imported, and the rules were read."""
    for module in pkgutil.walk_packages(ratinglist.__path__, "ratinglist."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    rule_book()
    # Doubts write nothing.
    with asking_only():
        for line in sys.stdin:
            request = json.loads(line)
            home, day = Path(request.pop("home")), request["day"]
            if "at" in request:
                answer = injected(home=home, **request)
            else:
                answer = followed(home, day, request["commands"], with_state=request["with_state"])
            sys.stdout.write(f"{json.dumps(answer)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
