"""Keep ``HOME/current``: the tables of the current revision of every month, for tools that know no revisions.

A table is a folder in the layout of Hive, ``current/games/month=2025-11/revision=1/games.parquet``, so that DuckDB,
Polars, pyarrow and Spark see each month once, with the columns ``month`` and ``revision``. The three lists are one
table, ``lists``. The files are those of the
revisions, by a second name; the published bytes stay as they are, and a revision that was calculated again with the
same content stays the same revision.

The folder follows from ``published/`` and nothing else. It is made again as a whole where it is not up to date.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from ratinglist.files.durable_files import TEMPORARY_PREFIX, sha256_of
from ratinglist.home.history import LATEST
from ratinglist.publication import revisions
from ratinglist.publication.revisions import number_of
from ratinglist.settings import Settings
from ratinglist.store import table_files
from ratinglist.tables import LISTS, PUBLISHED


def keep(settings: Settings) -> None:
    """Bring ``HOME/current`` up to date with the files ``latest``.

    Where the disk refuses a step, a warning names it, and the next command that writes makes the folder again.
    """
    expected = _expected(settings.published)
    try:
        if not _is_up_to_date(settings.current, expected):
            _make(settings.current, expected)
    except OSError as error:
        settings.warn(
            f"{settings.current} is not up to date ({error.filename or 'the system'}: {error.strerror or error}). The "
            "next command that changes this home brings it up to date; what is published is not concerned."
        )


def differences(folder: Path, published: Path) -> Iterator[tuple[Path, str]]:
    """Yield each table of ``HOME/current`` that is not that of a current revision, and what is wrong with it.

    In a copy of a home the tables are files of their own: then their bytes are compared. A home may be without the
    folder. Raises what :func:`~ratinglist.publication.revisions.latest` raises, and :class:`OSError`.
    """
    if not os.path.lexists(folder):
        return
    expected, there = _expected(published), _tables(folder)
    for name in sorted(expected.keys() | there):
        path, source = folder / name, expected.get(name)
        if source is None:
            yield path, "is no table of a current revision"
        elif name not in there:
            yield path, f"is missing: it is {source}"
        elif not (path.is_file() and (path.samefile(source) or sha256_of(path) == sha256_of(source))):
            yield path, f"is another file than {source}"


def _expected(published: Path) -> dict[str, Path]:
    """Return the published file of each path below ``HOME/current``."""
    files = {}
    for period in revisions.months(published):
        # What no command published has no file that names a revision, and a rebuild leaves it where it is.
        is_pointed_to = os.path.lexists(published / str(period) / LATEST)
        folder = revisions.latest(published, period) if is_pointed_to else None
        if folder is None:
            continue
        for stem in PUBLISHED:
            table = "lists" if stem in LISTS else stem
            source = table_files.table_path(folder, stem)
            if source.is_file():
                files[f"{table}/month={period}/revision={number_of(folder)}/{source.name}"] = source
    return files


def _is_up_to_date(folder: Path, expected: dict[str, Path]) -> bool:
    return _tables(folder) == set(expected) and all(
        (folder / name).samefile(source) for name, source in expected.items()
    )


def _tables(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.parquet")}


def _make(folder: Path, expected: Mapping[str, Path]) -> None:
    """Make the folder next to the old one, and replace that by two renames.

    What stays as it is moves with its folder, ``revision=1``: a new name would change the times of a published file,
    and then the next command would hash it (:mod:`ratinglist.home.published_files`).
    """
    new, old = (folder.with_name(f"{TEMPORARY_PREFIX}{folder.name}-{age}") for age in ("new", "old"))
    for path in (new, old):
        shutil.rmtree(path, ignore_errors=True)
    by_parent: dict[str, dict[str, Path]] = {}
    for name, source in expected.items():
        parent, _, file = name.rpartition("/")
        by_parent.setdefault(parent, {})[file] = source
    staying = [parent for parent, files in by_parent.items() if _has_these(folder / parent, files)]
    for parent, files in by_parent.items():
        (new / parent).parent.mkdir(parents=True, exist_ok=True)
        if parent not in staying:
            (new / parent).mkdir()
            for file, source in files.items():
                _link(source, new / parent / file)
    if folder.exists():
        folder.rename(old)
    for parent in staying:
        (old / parent).rename(new / parent)
    if expected:
        new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _has_these(folder: Path, files: Mapping[str, Path]) -> bool:
    """Return whether a folder has these files, the published ones, and no other."""
    there = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    return there == set(files) and all((folder / name).samefile(source) for name, source in files.items())


def _link(source: Path, target: Path) -> None:
    """Give a file a second name; a symbolic link where the published files are on another disk."""
    try:
        os.link(source, target)
    except OSError:
        target.symlink_to(source.resolve())
