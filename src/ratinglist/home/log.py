"""The log of a home: one entry for each change. An entry is a file; its rename is the commit.

``HOME/log/000123.json`` is a JSON object on one line: ``entry`` (its number, from 1), ``kind``, ``day``, ``by`` (who
gave the command), ``version`` (of the program), ``office`` (the digest of ``office.toml``, empty where there is none),
the facts of its kind, ``before`` (the digest of the entry before) and ``digest`` (of all the other keys). So an altered
entry is found, and so is one that is missing between two others.

A log may also be in memory: while recorded changes are made again, and in a trial, of which nothing is kept.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import ratinglist
from ratinglist import office
from ratinglist.errors import HomeError, UnfinishedError
from ratinglist.files.durable_files import (
    digest_of,
    make_private_folder,
    read_regular_file,
    replace_file,
)
from ratinglist.home import originals
from ratinglist.home.history import KINDS, History, described
from ratinglist.limits import LOG_ENTRY_BYTES
from ratinglist.settings import LOG

_OWN_KEYS = ("entry", "kind", "day", "by", "version", "office", "before", "digest")
_FILE_NAME = re.compile(r"([0-9]{6,})\.json")
_PUT_BACK = "Put a copy of it back, or restore a backup: ratinglist restore DIR"


class ReplayError(Exception):
    """A change that is made again is not the recorded one; the message states the difference."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a log. ``facts``: the keys of its kind."""

    number: int
    kind: str
    day: date
    by: str
    version: str
    office: str
    facts: Mapping[str, Any]
    before: str
    digest: str

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Entry:
        """Return the entry that a JSON object encodes."""
        facts = {key: value for key, value in content.items() if key not in _OWN_KEYS}
        others = {key: content[key] for key in ("kind", "by", "version", "office", "before", "digest")}
        return cls(number=content["entry"], day=date.fromisoformat(content["day"]), facts=facts, **others)

    @classmethod
    def parse(cls, data: bytes) -> Entry:
        """Return the entry in the bytes of a file.

        Raises :class:`ValueError`, ``TypeError`` or ``AttributeError`` where the program did not write them.
        """
        content = json.loads(data)
        if not isinstance(content, dict) or not set(_OWN_KEYS) <= set(content):
            raise ValueError("it is not an entry of a log")
        if content["digest"] != digest_of(content):
            raise ValueError("it was altered: its digest is not that of its content")
        return cls.of(content)

    def encode(self) -> bytes:
        """Return the bytes of the file."""
        content = {
            "entry": self.number,
            "kind": self.kind,
            "day": str(self.day),
            "by": self.by,
            "version": self.version,
            "office": self.office,
            **self.facts,
            "before": self.before,
            "digest": self.digest,
        }
        return f"{json.dumps(content, ensure_ascii=False)}\n".encode()


def path_of(home: Path, number: int) -> Path:
    """Return the path of an entry."""
    return home / LOG / f"{number:06d}.json"


def read(home: Path, by: str = "") -> tuple[Log, str]:
    """Return the log up to the first entry that is not whole, and what is wrong with that one; empty where all are."""
    folder = home / LOG
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    newest = max((int(match[1]) for name in names if (match := _FILE_NAME.fullmatch(name))), default=0)
    log = Log(home, by)
    for number in range(1, newest + 1):
        path = path_of(home, number)
        if path.name not in names:
            return log, f"{path} is missing"
        try:
            entry = Entry.parse(read_regular_file(path, LOG_ENTRY_BYTES) or b"")
            if entry.number != number or entry.before != (log.newest.digest if log.newest else ""):
                return log, f"{path} does not continue the entry before it, {number - 1:06}.json"
            _check_kind(entry)
            log.push(entry)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            return log, f"{path} cannot be used: {error}"
    return log, ""


def _check_kind(entry: Entry) -> None:
    """Raise :class:`ValueError` where this version does not know the kind of an entry, or a fact of it is missing."""
    kind = KINDS.get(entry.kind)
    if kind is None or not {*kind.facts} <= entry.facts.keys():
        raise ValueError(
            f"its kind or its facts are none that this version knows; version {entry.version} of ratinglist wrote it"
        )


@dataclass(slots=True)
class Log:
    """The entries of a home in order, and what they state (:class:`History`).

    ``is_written``: an appended entry becomes a file; else it is in memory alone. ``by``: who gives the command.
    """

    home: Path
    by: str = ""
    is_written: bool = True
    entries: list[Entry] = field(default_factory=list)
    history: History = field(default_factory=History)
    _recorded: Entry | None = None
    _is_made_again: bool = False

    @classmethod
    def open(cls, home: Path, by: str = "") -> Log:
        """Read the log of a home.

        Raises :class:`HomeError`, naming the file, where an entry is missing or was altered.
        """
        log, problem = read(home, by)
        if problem:
            raise HomeError(f"{problem}. The log decides what this home holds, so nothing was changed. {_PUT_BACK}")
        return log

    @classmethod
    def of(cls, home: Path, entries: Iterable[Entry], by: str = "", *, is_written: bool = True) -> Log:
        """Return a log of these entries."""
        log = cls(home, by, is_written)
        for entry in entries:
            log.push(entry)
        return log

    @property
    def newest(self) -> Entry | None:
        """The newest entry, or None."""
        return self.entries[-1] if self.entries else None

    @property
    def next_number(self) -> int:
        """The number of the next entry. A fact that is received with it has this number."""
        return len(self.entries) + 1

    @property
    def is_replaying(self) -> bool:
        """Whether a recorded change is being made again."""
        return self._recorded is not None

    @property
    def version(self) -> str:
        """The version of the program that makes the change: this one, or that of the entry that is made again."""
        return ratinglist.__version__ if self._recorded is None else self._recorded.version

    def office_now(self) -> str:
        """Return the digest of ``office.toml`` as it is, or as it was for the entry that is made again."""
        if self._recorded is not None:
            return self._recorded.office
        file = self.home / office.NAME
        return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""

    def next(self, kind: str, day: date, facts: Mapping[str, object]) -> Entry:
        """Return the entry of a change, which is not appended yet.

        ``facts``: JSON values. While a recorded change is made again, its entry is returned, and :class:`ReplayError`
        raised where its kind or facts are others.
        """
        if self._recorded is not None:
            if self._is_made_again:
                raise ReplayError(f"it makes a second change: {kind}")
            _compare(self._recorded, kind, facts)
            self._is_made_again = True
            return self._recorded
        return self.supposed(kind, day, facts)

    def supposed(self, kind: str, day: date, facts: Mapping[str, object]) -> Entry:
        """Return what the next entry would be for a change, whatever is being made again."""
        content: dict[str, object] = {
            "entry": self.next_number,
            "kind": kind,
            "day": str(day),
            "by": self.by,
            "version": ratinglist.__version__,
            "office": _keep_office(self.home) if self.is_written else "",
            **facts,
            "before": self.entries[-1].digest if self.entries else "",
        }
        # Through JSON, so that what is in memory is what will be read.
        return Entry.of(json.loads(json.dumps({**content, "digest": digest_of(content)})))

    @contextmanager
    def supposing(self, kind: str, day: date, facts: Mapping[str, object]) -> Iterator[None]:
        """Know a change inside the block that is not decided."""
        # Made before the trial, in which nothing is written, so that it is the entry that the change will have.
        entry = self.supposed(kind, day, facts)
        with self.trial():
            self.push(entry)
            yield

    def append(self, entry: Entry) -> None:
        """Commit a change: write its entry, synced, by one rename.

        Raises :class:`UnfinishedError` where it is decided, and the disk refused to sync the folder; any other error
        means that nothing was decided.
        """
        if self.is_written:
            make_private_folder(self.home / LOG)
            path = path_of(self.home, entry.number)
            try:
                replace_file(path, entry.encode())
            except OSError as error:
                if not path.exists():
                    raise
                raise UnfinishedError.of(described(entry), error) from None
        self.push(entry)

    def push(self, entry: Entry) -> None:
        """Add an entry in memory alone."""
        self.history.add(entry)
        self.entries.append(entry)

    @contextmanager
    def replaying(self, entry: Entry) -> Iterator[None]:
        """Make the change of ``entry`` again inside the block.

        Raises :class:`ReplayError` where the block makes another change, or none. After an entry was undone, one that
        follows it may have nothing to change any more.
        """
        self._recorded, self._is_made_again = entry, False
        try:
            yield
        finally:
            self._recorded = None
        if not self._is_made_again and not self.history.retracted:
            raise ReplayError("it changes nothing when it is made again")
        if not self._is_made_again:
            self.push(entry)

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Forget at the end of the block what was appended in it; nothing is written."""
        entries, history, is_written = list(self.entries), deepcopy(self.history), self.is_written
        self.is_written = False
        try:
            yield
        finally:
            self.entries, self.history, self.is_written = entries, history, is_written


_NOT_MADE_AGAIN = ("index", "signers", "named")
"""Facts that are not compared: nothing is signed again, and what a load is called in the log is for people alone."""
_SIGNED = ("index.json", "/manifest.json.sig")
"""The ends of the names of files that are not placed again."""


def _compare(entry: Entry, kind: str, facts: Mapping[str, object]) -> None:
    now, recorded = json.loads(json.dumps(facts)), dict(entry.facts)
    for stated in (now, recorded):
        if "placed" in stated:
            stated["placed"] = {name: sha256 for name, sha256 in stated["placed"].items() if not name.endswith(_SIGNED)}
    if kind != entry.kind:
        raise ReplayError(f"it is recorded as {entry.kind}, and made again as {kind}")
    every = [name for name in {**recorded, **now} if name not in _NOT_MADE_AGAIN]
    names = [name for name in every if recorded.get(name) != now.get(name)]
    if names:
        raise ReplayError(f"its {', '.join(names)} {'is' if len(names) == 1 else 'are'} not the recorded one")


def _keep_office(home: Path) -> str:
    """Keep ``office.toml`` as it is and return its digest; empty where there is none."""
    file = home / office.NAME
    return originals.keep_bytes(home, file.read_bytes()) if file.is_file() else ""
