"""Open the store of a home: one writer at a time, migrated to the layout of this program."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from ratinglist import private_files, resources
from ratinglist.errors import CommandLineError, HomeError, NothingReadError, RatinglistError, StoreInUseError
from ratinglist.store import archive, baseline, journal, replaced_parts
from ratinglist.store.database import Store
from ratinglist.store.folders_from_tables import write_folders
from ratinglist.store.home_lock import held_home


@contextmanager
def open_store(path: Path, threads: int | None = None) -> Iterator[Store]:
    """Open the store for writing, creating and migrating it as needed; close its home to other accounts.

    Raises :class:`StoreInUseError` while another process has it open, :class:`NothingReadError` where it cannot be
    opened, :class:`HomeError` where it is missing in a home with publications or older than its journal,
    :class:`CommandLineError` where the home is a file.
    """
    if path.parent.exists() and not path.parent.is_dir():
        raise CommandLineError(
            f"{path.parent} is a file: name a directory with --home, or one that does not exist yet."
        )
    if replaced_parts.is_interrupted(path.parent):
        with held_home(path.parent):
            finish_interrupted(path.parent)
    check_present(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    private_files.close(path.parent)
    withheld = private_files.withheld(path.parent)
    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        # A month has some thousand events: what is summed by their numbers finds its place without a hash.
        "perfect_ht_threshold": 16,
    }
    if threads:
        config["threads"] = threads
    try:
        with private_files.made_private(withheld):
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
    try:
        store = Store(connection, path.parent)
        migrate(store)
        archive.remove_unfinished(store.home)
        journal.complete_copies(store)
        baseline.write_if_needed(store)
        yield store
    finally:
        with private_files.made_private(withheld):
            connection.close()


def finish_interrupted(home: Path) -> None:
    """Put complete parts of a killed rebuild or restore in their place, and delete incomplete ones.

    The caller holds the home (:func:`~ratinglist.store.home_lock.held_home`).
    """
    replaced_parts.put_in_place(home)
    replaced_parts.remove_scratch(home)


def check_present(path: Path) -> None:
    """Raise :class:`HomeError` where the store is missing and its home holds lists or originals: it was lost.

    A new store would publish as if nothing had been published before.
    """
    if path.exists():
        return
    home = path.parent
    kept = [*home.glob("published/*/r*"), *journal.copies(home).values()]
    if kept:
        raise HomeError(
            f"{path} is missing, and this home is not a new one: it has {kept[0]}. Nothing was changed. Rebuild the "
            "store from the archive: ratinglist doctor --rebuild. Or put back the home of one day: ratinglist restore "
            "DIR"
        )


def migrate(store: Store) -> None:
    """Run the migrations not yet run, each in a transaction with its own entry, then offer the views."""
    store.execute("create table if not exists migration (name varchar primary key, sha256 varchar not null)")
    done = dict(store.read("select name, sha256 from migration").rows())
    for file in sorted(resources.sql("migrations").glob("*.sql")):
        text = file.read_text(encoding="utf-8")
        digest = hashlib.sha256(text.encode()).hexdigest()
        if done.get(file.name, digest) != digest:
            raise RatinglistError(
                f"The store was made by another {file.name} than this program has: use the version of ratinglist "
                "that made it, or a newer one that did not change that file."
            )
        if file.name not in done:
            with store.transaction():
                if file.name == "0009_calculations_as_files.sql":
                    write_folders(store)
                store.execute(text)
                store.execute("insert into migration values ($name, $digest)", name=file.name, digest=digest)
    store.show_calculations()
    store.offer_views(resources.sql("views").rglob("*.sql"))
