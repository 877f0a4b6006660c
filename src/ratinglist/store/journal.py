"""The journal: one entry for each change of the store, with all that is needed to make the change again.

An entry is a row of the table ``journal``, inserted in the transaction of the change. Its copy under
``HOME/archive/journal`` is written after the commit, or by the next command where a process was killed in between. The
row is the truth while the store can be read; the copies rebuild a store that cannot.

An entry is a JSON object: ``entry`` (its number, from 1), ``kind``, ``day``, ``version`` (of the program), ``office``
(digest of ``office.toml``, empty where there is none), the facts of its kind, ``before`` (digest of the entry before)
and ``digest`` (of all the other keys). So an altered copy is found, and so are two journals that went different ways.

That a recorded change is being made again, and by which readings, is the one thing that a step takes from a context
variable (here) and not from its arguments: every command can be made again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import ratinglist
from ratinglist import office, readings
from ratinglist.canonical_json import digest_of
from ratinglist.durable_files import replace_file
from ratinglist.errors import HomeError
from ratinglist.private_files import make_private_folder
from ratinglist.store import archive
from ratinglist.store.database import Store

_OWN_KEYS = ("entry", "kind", "day", "version", "office", "before", "digest")
_FILE_NAME = re.compile(r"([0-9]{6,})\.json")


class ReplayError(Exception):
    """A change that is made again is not the recorded one; the message states the difference."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the journal. ``facts``: the keys of its kind. ``text``: the JSON as it is stored."""

    number: int
    kind: str
    day: date | None
    version: str
    office: str
    before: str
    digest: str
    facts: Mapping[str, Any]
    text: str

    @classmethod
    def parse(cls, text: str) -> Entry:
        """Return the entry that ``text`` encodes; raises :class:`ValueError` where :func:`note` did not write it."""
        content = json.loads(text)
        if not isinstance(content, dict) or not set(_OWN_KEYS) <= set(content):
            raise ValueError("it is no entry of a journal")
        if content["digest"] != digest_of(content):
            raise ValueError("its digest is not that of its content")
        facts = {key: value for key, value in content.items() if key not in _OWN_KEYS}
        day = date.fromisoformat(content["day"]) if content["day"] else None
        others = {key: content[key] for key in ("kind", "version", "office", "before", "digest")}
        return cls(number=content["entry"], day=day, facts=facts, text=text, **others)


@dataclass(slots=True)
class _Replay:
    """The entry whose change is being made again, and whether it was noted."""

    entry: Entry
    noted: bool = False


_REPLAY: ContextVar[_Replay | None] = ContextVar("replay", default=None)


@contextmanager
def replaying(entry: Entry) -> Iterator[None]:
    """Make the change of ``entry`` again inside the block: :func:`note` then inserts the recorded entry.

    Raises :class:`ReplayError` where the block changes something else, or nothing.
    """
    replay = _Replay(entry)
    token = _REPLAY.set(replay)
    try:
        yield
    finally:
        _REPLAY.reset(token)
    if not replay.noted:
        raise ReplayError("it changes nothing when it is made again")


def is_replaying() -> bool:
    """Return whether a recorded change is being made again."""
    return _REPLAY.get() is not None


def recorded_version() -> str:
    """Return the version of the program that made the change: this one, or that of the entry made again."""
    replay = _REPLAY.get()
    return ratinglist.__version__ if replay is None else replay.entry.version


def readings_now() -> int:
    """Return the newest readings, or those of the entry that is made again (:mod:`ratinglist.readings`)."""
    replay = _REPLAY.get()
    return readings.NEWEST if replay is None else readings.recorded(replay.entry.facts)


def note(store: Store, kind: str, day: date | None, **facts: object) -> None:
    """Insert an entry into the journal, in the transaction of the change that it records.

    ``facts``: JSON values. While an entry is replayed, that entry is inserted, and :class:`ReplayError` raised where
    its kind or facts are others.
    """
    replay = _REPLAY.get()
    if replay is not None:
        if replay.noted:
            raise ReplayError(f"it makes a second change: {kind}")
        _compare(replay.entry, kind, facts)
        replay.noted = True
        insert(store, replay.entry)
        return
    newest = newest_entry(store)
    content: dict[str, object] = {
        "entry": newest.number + 1 if newest else 1,
        "kind": kind,
        "day": str(day) if day else None,
        "version": ratinglist.__version__,
        "office": _keep_office(store.home),
        **facts,
        "before": newest.digest if newest else "",
    }
    text = json.dumps({**content, "digest": digest_of(content)}, ensure_ascii=False)
    insert(store, Entry.parse(text))


def insert(store: Store, entry: Entry) -> None:
    """Insert an entry as it is; its copy is written after the commit."""
    with store.transaction():
        store.execute("insert into journal values ($number, $text)", number=entry.number, text=entry.text)
        store.after_commit(partial(write_copy, store.home, entry))


def newest_entry(store: Store) -> Entry | None:
    """Return the newest entry, or None."""
    rows = store.rows("select entry from journal order by entry_no desc limit 1")
    return Entry.parse(rows[0][0]) if rows else None


def entries(store: Store) -> list[Entry]:
    """Return all entries in the store, in order; raises :class:`ValueError` where one is damaged."""
    return [Entry.parse(text) for text in store.read("select entry from journal order by entry_no")["entry"]]


def entries_with(store: Store, text: str) -> list[Entry]:
    """Return the entries whose JSON contains ``text``, such as a digest, in order."""
    rows = store.rows("select entry from journal where contains(entry, $text) order by entry_no", text=text)
    return [Entry.parse(row[0]) for row in rows]


def folder(home: Path) -> Path:
    """Return the folder of the copies."""
    return home / "archive" / "journal"


def path_of(home: Path, number: int) -> Path:
    """Return the path of the copy of an entry."""
    return folder(home) / f"{number:06d}.json"


def copies(home: Path) -> dict[int, Path]:
    """Return the path of every copy by the number of its entry, in order."""
    if not folder(home).is_dir():
        return {}
    found = {path: _FILE_NAME.fullmatch(path.name) for path in folder(home).iterdir()}
    return dict(sorted((int(match[1]), path) for path, match in found.items() if match))


def write_copy(home: Path, entry: Entry) -> None:
    """Write the copy of an entry: to a temporary file, synced and renamed."""
    path = path_of(home, entry.number)
    make_private_folder(home / "archive")
    make_private_folder(path.parent)
    replace_file(path, f"{entry.text}\n".encode())


def has_copy(home: Path, entry: Entry) -> bool:
    """Return whether the copy of an entry is whole."""
    path = path_of(home, entry.number)
    return path.is_file() and path.read_bytes() == f"{entry.text}\n".encode()


def complete_copies(store: Store) -> Entry | None:
    """Write the copies that a killed process did not; return the newest entry, or None.

    Raises what :func:`check_copies` raises.
    """
    newest, there = check_copies(store)
    number = newest.number if newest else 0
    if missing := [one for one in range(1, number + 1) if one not in there]:
        rows = store.read("select entry from journal where entry_no in (select unnest($missing))", missing=missing)
        for text in rows["entry"]:
            write_copy(store.home, Entry.parse(text))
    return newest


def check_copies(store: Store) -> tuple[Entry | None, dict[int, Path]]:
    """Check that store and copies are one journal; return the newest entry, or None, and the copies by their numbers.

    Raises :class:`HomeError` where there are copies of entries that the store does not have, or of other ones: then the
    store is older than its home, or another home's.
    """
    newest = newest_entry(store)
    number = newest.number if newest else 0
    there = copies(store.home)
    unknown = [one for one in there if one > number]
    differs = newest is not None and number in there and _digest_of_copy(there[number]) not in ("", newest.digest)
    if unknown or differs:
        first = there[unknown[0] if unknown else number]
        state = "is older than this home" if unknown else "is not the store of this home"
        raise HomeError(
            f"{store.home / 'ratinglist.duckdb'} {state}: {first} records a change that the store does not have. "
            "Nothing was changed. Perhaps a copy of the store was put back. Put back the whole home of one day "
            "(ratinglist restore DIR), or rebuild the store from the archive: ratinglist doctor --rebuild"
        )
    return newest, there


def read_copies(home: Path) -> tuple[list[Entry], str]:
    """Return the entries in the copies up to the first that is missing or damaged, and what is wrong with that one.

    The text is empty where all are whole.
    """
    found: list[Entry] = []
    there = copies(home)
    for number in range(1, max(there, default=0) + 1):
        path = path_of(home, number)
        try:
            entry = Entry.parse(path.read_text(encoding="utf-8").removesuffix("\n"))
        except FileNotFoundError:
            return found, f"{path} is missing"
        except (OSError, ValueError) as error:
            return found, f"{path} was altered: {error}"
        if problem := chain_problem([*found[-1:], entry], number):
            return found, f"{path} {problem}"
        found.append(entry)
    return found, ""


def chain_problem(last: Sequence[Entry], number: int) -> str:
    """Return why the last entry does not continue the one before; empty where it does."""
    *before, entry = last
    if entry.number != number:
        return f"is entry {entry.number}"
    if entry.before != (before[-1].digest if before else ""):
        return "does not continue the entry before it"
    return ""


def _digest_of_copy(path: Path) -> str:
    """Return the digest in a copy; empty where it cannot be read, which ``doctor`` reports."""
    try:
        return Entry.parse(path.read_text(encoding="utf-8").removesuffix("\n")).digest
    except (OSError, ValueError):
        return ""


def _compare(entry: Entry, kind: str, facts: Mapping[str, object]) -> None:
    now = json.loads(json.dumps(facts))
    if kind != entry.kind:
        raise ReplayError(f"it is recorded as {entry.kind}, and made again as {kind}")
    names = [name for name in {**entry.facts, **now} if entry.facts.get(name) != now.get(name)]
    if names:
        raise ReplayError(f"its {', '.join(names)} {'is' if len(names) == 1 else 'are'} not the recorded one")


def _keep_office(home: Path) -> str:
    """Archive ``office.toml`` as it is and return its digest; empty where there is none."""
    file = home / office.NAME
    return archive.keep_bytes(home, file.read_bytes()) if file.is_file() else ""
