"""Compare the published files that no manifest names with what the store knows, before a command uses them.

They are ``events.parquet``, and ``both_numbers.parquet`` and ``rollbacks.csv`` of each month. Their digests are in the
newest index; in an office that never signed, in the journal. A file is hashed only where it may have changed since it
was compared last (:mod:`ratinglist.publication.compared_files`). Besides them, only revisions, ``latest`` and the index
belong into ``published`` and the folders of the months. A file that is still being written is not compared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from ratinglist.durable_files import TEMPORARY_PREFIX, sha256_of
from ratinglist.period import MONTH_NAME
from ratinglist.publication import kept_index, published_index, published_tables, rollback_log
from ratinglist.publication.compared_files import ComparedFiles, file_state
from ratinglist.publication.published_index import INDEX, INDEX_SIGNATURE, NEXT_INDEX
from ratinglist.publication.revisions import LATEST
from ratinglist.store.database import Store
from ratinglist.store.published_revisions import REVISION_NAME

IS_NO_FILE = "is a link, a folder or a device, and was published as a file"
_NOT_PUBLISHED = "was not published: no command wrote it. Move it out of the way"
_OF_ALL = {published_tables.EVENTS, INDEX, INDEX_SIGNATURE, NEXT_INDEX}
_OF_MONTH = {LATEST, *published_tables.OF_MONTH}


def problems(
    store: Store,
    published: Path,
    names: Collection[str],
    names_of_months: Mapping[str, Collection[str]],
    compared: ComparedFiles,
) -> Iterator[tuple[Path, str]]:
    """Yield each of these files that is not as it was published, and each file that no command wrote.

    ``names``: what is in the folder ``published``. ``names_of_months``: what is in the folder of each month; a month
    that is not among them is not compared.
    """
    for name in sorted(names):
        if not (MONTH_NAME.fullmatch(name) or name in _OF_ALL or name.startswith(TEMPORARY_PREFIX)):
            yield published / name, _NOT_PUBLISHED
    there = {name for name in names if published_tables.is_file(name)}
    for month, of_month in sorted(names_of_months.items()):
        there |= {f"{month}/{name}" for name in of_month if published_tables.is_file(name)}
        for name in sorted(of_month):
            if not (REVISION_NAME.fullmatch(name) or name in _OF_MONTH or name.startswith(TEMPORARY_PREFIX)):
                yield published / month / name, _NOT_PUBLISHED
    stated, has_all = _stated(store)
    for name, sha256 in sorted(stated.items()):
        if "/" in name and name.partition("/")[0] not in names_of_months and (published / name).parent.is_symlink():
            continue
        if problem := _problem(published, name, sha256, compared, is_there=name in there):
            yield published / name, problem
    months_with_rollbacks = {month for (month,) in store.rows("select distinct month from rolled_back")}
    for name in sorted(there - set(stated)):
        month, _, file = name.rpartition("/")
        if has_all or (file == rollback_log.NAME and month not in months_with_rollbacks):
            yield published / name, _NOT_PUBLISHED


def _stated(store: Store) -> tuple[dict[str, str], bool]:
    """Return the digest of each file by its path below the published folder, and whether every file is among them.

    The journal of a home of an earlier version does not have all.
    """
    if index := kept_index.kept(store):
        stated = published_index.read(index[0]).published
        return {name: sha256 for name, sha256 in stated.items() if published_tables.is_file(name) and sha256}, True
    return published_tables.recorded_of_all(store), False


def _problem(published: Path, name: str, sha256: str, compared: ComparedFiles, *, is_there: bool) -> str:
    """Return what is wrong with a file; empty where nothing is. ``sha256``: its digest when it was published."""
    if not is_there:
        return f"is missing: it was published with the digest {sha256}"
    path = published / name
    state = file_state(path)
    if state is None:
        return IS_NO_FILE
    if compared.is_unchanged(name, sha256, {path.name: state}):
        return ""
    try:
        if sha256_of(path) != sha256:
            return "was altered: its digest is not the one it was published with"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    compared.remember(name, path.name, state)
    return ""
