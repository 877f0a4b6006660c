"""Name, find and read the files of a table: one file, or parts in a folder of the table's name.

::

    events.parquet                                          a table in one file
    games/part-00001-of-00003.parquet, part-00002-of-...    a table in three parts

The parts have the rows of the table in their published order, as many in each part as the office chose, fewer in the
last one. So they depend on the rows alone, and not on buckets, threads or workers. The name of a part states how many
there are: a reader notices a missing one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from ratinglist.errors import AlteredError, CheckError
from ratinglist.limits import PARTS_OF_TABLE
from ratinglist.schemas import PUBLISHED

_PART = re.compile(r"part-(?P<number>[0-9]{5})-of-(?P<count>[0-9]{5})\.parquet")


def files_for(stem: str, rows: int, rows_per_part: int) -> dict[str, int]:
    """Return the names of the Parquet files that a table is written to, in order, each with its number of rows.

    ``rows_per_part``: a table of more rows is written as parts; 0: every table is one file. Raises :class:`CheckError`
    where there would be too many parts.
    """
    if not rows_per_part or rows <= rows_per_part:
        return {f"{stem}.parquet": rows}
    count = -(-rows // rows_per_part)
    if count > PARTS_OF_TABLE:
        raise CheckError(
            f"{stem} would have {count:,} parts of {rows_per_part:,} rows, and at most {PARTS_OF_TABLE:,} are allowed. "
            f"Nothing was published. Write a larger rows_per_part into [publication] of office.toml: "
            f"{-(-rows // PARTS_OF_TABLE):,} or more."
        )
    last = rows - (count - 1) * rows_per_part
    return {
        f"{stem}/part-{number:05}-of-{count:05}.parquet": rows_per_part if number < count else last
        for number in range(1, count + 1)
    }


def stem_of(name: str) -> str:
    """Return the table that a file belongs to, by the file's name in a manifest: ``games`` of any part of it."""
    return name.partition("/")[0] if "/" in name else Path(name).stem


def is_part(name: str) -> bool:
    """Return whether a name in a manifest is that of a part of a published table."""
    stem, _, file = name.partition("/")
    return stem in PUBLISHED and _PART.fullmatch(file) is not None


def names_of(stem: str, names: Iterable[str]) -> list[str]:
    """Return those of ``names`` that are the Parquet files of a table, in the order of their rows."""
    return sorted(name for name in names if name == f"{stem}.parquet" or name.startswith(f"{stem}/"))


def wrong_parts(files: Mapping[str, Mapping[str, object]]) -> str:
    """Return what is wrong with the parts that a manifest names; empty where nothing is.

    ``files``: its entries, each with ``rows``, by name. The parts of a table must be all those that its rows are cut
    into, with one logical digest.
    """
    for stem in dict.fromkeys(stem_of(name) for name in files if "/" in name):
        names = names_of(stem, files)
        rows = [int(str(files[name]["rows"])) for name in names]
        is_cut = rows[0] > 0 and -(-sum(rows) // rows[0]) == len(names) <= PARTS_OF_TABLE
        if not is_cut or dict(zip(names, rows, strict=True)) != files_for(stem, sum(rows), rows[0]):
            return f"the parts of {stem} are not those of one table"
        if len({files[name].get("logical_sha256") for name in names}) > 1:
            return f"the parts of {stem} have different logical digests"
    return ""


def rows_per_part(files: Mapping[str, Mapping[str, object]]) -> int:
    """Return how many rows the parts that a manifest names have, but the last of a table; 0 where it names none."""
    return next((int(str(files[name]["rows"])) for name in sorted(files) if is_part(name)), 0)


def names_in(folder: Path) -> list[str]:
    """Return everything in the folder of a revision or calculation by name, a folder of parts by what is in it.

    Nothing is said about what it is: a name may be that of a link, a device or a folder. Raises :class:`OSError` where
    the folder cannot be listed.
    """
    names: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            is_folder = entry.name in PUBLISHED and entry.is_dir(follow_symlinks=False)
            parts = [path.name for path in Path(entry).iterdir()] if is_folder else []
            names += [f"{entry.name}/{part}" for part in parts] or [entry.name]
    return sorted(names)


def files_of(folder: Path, stem: str) -> list[Path]:
    """Return the Parquet files of a table in a folder, in the order of their rows; none where it is not there.

    Raises :class:`AlteredError` where a part is missing.
    """
    single = folder / f"{stem}.parquet"
    if single.is_file():
        return [single]
    parts = sorted((folder / stem).glob("part-*.parquet")) if (folder / stem).is_dir() else []
    if not parts:
        return []
    found = [_PART.fullmatch(path.name) for path in parts]
    if not all(one and one["count"] == f"{len(parts):05}" for one in found):
        raise AlteredError(
            f"{folder / stem} has {len(parts):,} files, among them {parts[0].name}: a part is missing, or another file "
            f"was put there. It was not used. See what is wrong: ratinglist verify {folder}  Then put back a copy of "
            "that folder."
        )
    return parts


def scan(folder: Path, stem: str) -> pl.LazyFrame:
    """Return a table of a folder, lazily; raises what :func:`files_of` raises, and ``OSError`` where it is missing."""
    return pl.scan_parquet(_present(folder, stem), glob=False, hive_partitioning=False)


def read(folder: Path, stem: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Return a table of a folder, or ``columns`` of it; raises as :func:`scan`."""
    files = _present(folder, stem)
    return pl.read_parquet(
        files, columns=None if columns is None else list(columns), glob=False, hive_partitioning=False
    )


def _present(folder: Path, stem: str) -> list[Path]:
    """Return the files of a table; where there are none, the one whose absence the reader reports."""
    return files_of(folder, stem) or [folder / f"{stem}.parquet"]
