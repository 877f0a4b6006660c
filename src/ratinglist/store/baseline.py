"""The baseline of a journal: what a home held when its journal began, archived by digest.

A home of an earlier version has no journal; one of an earlier version of the program has entries that this version
might make in another way. Both get a baseline when they are opened: every table of the store as a Parquet file, and the
files of the calculations and publications that cannot be calculated from it. A rebuild starts from the newest one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import ratinglist
from ratinglist import digest_folder
from ratinglist.durable_files import TEMPORARY_PREFIX, remove_folder, sha256_of
from ratinglist.private_files import make_private_folder
from ratinglist.store import archive, journal
from ratinglist.store.database import Store
from ratinglist.store.journal import Entry

KIND = "baseline"
_NOT_FACTS = ("migration", "journal")
_PUBLISHED_TABLE = re.compile(r"published/[0-9-]+/r[0-9]+/(\w+/)?[^/]+\.(parquet|csv)")
"""Files that are not archived: they are large, and the revision itself keeps them."""


def write_if_needed(store: Store, newest: Entry | None) -> None:
    """Write a baseline where the home has facts and no journal, or where another version wrote the newest entry."""
    if journal.is_replaying():
        return
    if newest is None and not _has_facts(store):
        return
    if newest is None or newest.version != ratinglist.__version__:
        write(store)


def write(store: Store) -> None:
    """Archive what the home holds and insert the entry that names it."""
    home = store.home
    with store.transaction():
        journal.note(
            store,
            KIND,
            None,
            migrations=store.read("select name from migration order by name")["name"].to_list(),
            snapshot={f"table {name}": _archive_table(store, name) for name in _tables(store)},
            kept=_digests_of(home, _files_of_home(store)),
        )


def insert_tables(store: Store, entry: Entry) -> None:
    """Insert the rows of the archived tables into an empty store, inside a transaction of the caller.

    Raises :class:`~ratinglist.errors.AlteredError` where an archived table is missing or was altered.
    """
    for name, sha256 in entry.facts["snapshot"].items():
        path = archive.input_file(store.home, sha256, f"{name} of the baseline")
        store.insert_parquet(name.removeprefix("table "), path)


def find(home: Path, relative: str, sha256: str) -> Path | None:
    """Return a file of the home that has the bytes which ``relative`` had at the baseline; None where there is none."""
    candidates = [home / relative, archive.inputs(home) / sha256]
    # Below the folder of a revision or of a calculation; a part is in the folder of its table.
    name = relative.split("/", 3)[-1].removeprefix("private/")
    if relative.startswith("calculations/"):
        month = relative.split("/")[1].removeprefix("month=")
        candidates += sorted(home.glob(f"published/{month}/r*/{name}"))
    else:
        month = Path(relative).parts[1]
        candidates += sorted(home.glob(f"calculations/month={month}/c*/{name}"))
    return next((path for path in candidates if path.is_file() and sha256_of(path) == sha256), None)


def _has_facts(store: Store) -> bool:
    queries = [f"select 1 from {name} limit 1" for name in _tables(store)]  # noqa: S608 - our own names
    return any(store.finds_rows(query) for query in queries)


def _tables(store: Store) -> list[str]:
    names = store.read("select table_name from duckdb_tables() where not temporary order by table_name")
    return [name for name in names["table_name"] if name not in _NOT_FACTS]


def _archive_table(store: Store, name: str) -> str:
    """Archive a table as a Parquet file, its rows in the order of the store, and return the digest."""
    make_private_folder(store.home / "archive")
    folder = store.home / "archive" / f"{TEMPORARY_PREFIX}baseline"
    folder.mkdir(exist_ok=True)
    try:
        path = folder / "table.parquet"
        store.copy_to_parquet(f"select * from {name} order by rowid", path)  # noqa: S608 - names of our own
        return digest_folder.keep_file(archive.inputs(store.home), path)
    finally:
        remove_folder(folder)


def _files_of_home(store: Store) -> list[Path]:
    """Return the files of all committed calculations and of all that is published, in the order of their paths."""
    made = store.rows("select month, calculation_no from calculation_made order by all")
    folders = [store.folders / f"month={month}" / f"c{number}" for month, number in made]
    found = [path for folder in (*folders, store.home / "published") for path in folder.rglob("*") if path.is_file()]
    return sorted(path for path in found if not path.relative_to(store.home).as_posix().count(f"/{TEMPORARY_PREFIX}"))


def _digests_of(home: Path, paths: Iterable[Path]) -> dict[str, str]:
    """Return the digest of every file by its path in the home; archive those that no published table equals."""
    digests = {path.relative_to(home).as_posix(): sha256_of(path) for path in paths}
    published = {sha256 for name, sha256 in digests.items() if _PUBLISHED_TABLE.fullmatch(name)}
    for name, sha256 in digests.items():
        if sha256 not in published:
            digest_folder.keep_file(archive.inputs(home), home / name)
    return digests
