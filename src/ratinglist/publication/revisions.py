"""Find and read the revisions under ``published/``."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.field_policy import FieldPolicy
from ratinglist.period import Period
from ratinglist.publication.manifest import MANIFEST
from ratinglist.schemas import LISTS, PUBLISHED

LATEST = "latest"
"""The file of a month that names its current revision."""


def latest(folder: Path, period: Period) -> Path | None:
    """Return the folder of the current revision of ``period``, or None where the month is not published.

    Raises :class:`NothingReadError` where ``latest`` names something that is not a revision.
    """
    pointer = folder / str(period) / LATEST
    if not pointer.exists():
        return None
    revision = pointer.parent / pointer.read_text(encoding="utf-8").strip()
    if revision not in _revisions(pointer.parent):
        raise NothingReadError(f"{pointer} names no revision of its folder: write the name of one into it, such as r1.")
    return revision


def chosen(folder: Path, period: Period, revision: str | None) -> Path:
    """Return the folder of a revision of ``period`` under ``folder``: the one named (``rN``), else the current one.

    Raises :class:`CommandLineError` where the name is not that of a revision, :class:`NothingReadError` where there is
    no such revision.
    """
    if revision is None:
        current = latest(folder, period)
        if current is None:
            published = [str(one) for one in months(folder)] if folder.is_dir() else []
            known = (
                f"Published are: {', '.join(published)}." if published else "Nothing was published in this home yet."
            )
            raise NothingReadError(f"The list of {period} is not published. {known} First: ratinglist publish {period}")
        return current
    if not re.fullmatch(r"r[1-9][0-9]*", revision):
        raise CommandLineError(f"'{revision}' is not a revision: write r and its number, such as r2.")
    named = folder / str(period) / revision
    if not (named / MANIFEST).is_file():
        raise NothingReadError(
            f"The list of {period} has no revision {revision} in {named.parent}. Leave --revision out for the current "
            "one."
        )
    return named


def months(folder: Path) -> list[Period]:
    """Return the months published under ``folder``, oldest first."""
    return sorted(
        Period.parse(pointer.parent.name)
        for pointer in folder.glob(f"*/{LATEST}")
        if re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", pointer.parent.name)
    )


def first(folder: Path, period: Period) -> Path:
    """Return the folder of the first revision of a published month."""
    return min(_revisions(folder / str(period)), key=number_of)


def next_revision(folder: Path, period: Period) -> int:
    """Return the number of the next revision of a month."""
    return max(map(number_of, _revisions(folder / str(period))), default=0) + 1


def read_tables(revision: Path) -> dict[str, pl.DataFrame]:
    """Return the published tables of a revision by file stem, without its diff; a column left out of it is null."""
    tables = {}
    for stem in PUBLISHED:
        if stem != "diff" and (path := revision / f"{stem}.parquet").exists():
            frame = pl.read_parquet(path, glob=False)
            missing = [name for name in PUBLISHED[stem].columns if name not in frame.columns]
            tables[stem] = PUBLISHED[stem].conform(frame.with_columns(pl.lit(None).alias(name) for name in missing))
    return tables


def left_out(revision: Path) -> FieldPolicy:
    """Return the columns that are left out of a revision."""
    without = {}
    for stem, table in PUBLISHED.items():
        if (path := revision / f"{stem}.parquet").exists():
            present = pl.scan_parquet(path, glob=False).collect_schema().names()
            without["lists" if stem in LISTS else stem] = tuple(name for name in table.columns if name not in present)
    return FieldPolicy(without)


def _revisions(month: Path) -> list[Path]:
    if not month.is_dir():
        return []
    return [path for path in month.iterdir() if path.is_dir() and re.fullmatch(r"r[1-9]\d*", path.name)]


def newest_complete(month: Path) -> Path | None:
    """Return the newest revision in the folder of a month that has a manifest, or None."""
    complete = [path for path in _revisions(month) if (path / MANIFEST).is_file()]
    return max(complete, key=number_of, default=None)


def number_of(revision: Path) -> int:
    """Return the number in the name of a revision's folder."""
    return int(revision.name[1:])
