"""Compare the published tables of a month: what differs between two revisions, or from a calculation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from ratinglist.config.field_policy import FieldPolicy
from ratinglist.errors import CheckError
from ratinglist.publication import revision_writer, revisions
from ratinglist.publication.revision_writer import Revision
from ratinglist.publication.verify import against_manifest
from ratinglist.store import table_files
from ratinglist.tables import PUBLISHED


def differences(before: Path, now: Path) -> list[str]:
    """Return a line per published table that differs: how many rows, and the first of them.

    Returns nothing where the folder ``before`` does not exist.
    """
    if not before.is_dir():
        return []
    lines = []
    for stem in PUBLISHED:
        was, is_now = (table_files.table_path(folder, stem) for folder in (before, now))
        if was.is_file() != is_now.is_file():
            lines.append(f"  {stem}.parquet: {'removed' if was.is_file() else 'new'}")
        elif was.is_file() and was.read_bytes() != is_now.read_bytes():
            lines += _differences(stem, table_files.read_table(before, stem), table_files.read_table(now, stem))
    return lines or ["  the tables are the same: the difference is in manifest.json"]


def _differences(stem: str, was: pl.DataFrame, is_now: pl.DataFrame) -> list[str]:
    key = [name for name in PUBLISHED[stem].key if name in was.columns and name in is_now.columns]
    common = [name for name in was.columns if name in is_now.columns]
    gone = was.join(is_now, on=common, how="anti", nulls_equal=True)
    come = is_now.join(was, on=common, how="anti", nulls_equal=True)
    if not key:
        return [f"  {stem}.parquet: {len(gone):,} rows removed, {len(come):,} new"]
    both = gone.join(come, on=key, how="full", coalesce=True, suffix=" now").sort(key)
    if both.is_empty():
        return [f"  {stem}.parquet: it has other columns"]
    first = both.row(0, named=True)
    changes = [
        f"{name} {_cell_text(first[name])}, now {_cell_text(first[f'{name} now'])}"
        for name in common
        if name not in key and first[name] != first[f"{name} now"]
    ]
    named = " ".join(str(first[name]) for name in key)
    rows = "1 row differs" if len(both) == 1 else f"{len(both):,} rows differ"
    return [f"  {stem}.parquet: {rows}, first {named}: {'; '.join(changes)}"]


def _cell_text(value: object) -> str:
    return "none" if value is None else str(value)


Tables = dict[str, pl.DataFrame]
"""Published tables by file stem."""


def differing(
    revision: Path,
    files: Mapping[str, Mapping[str, object]],
    read: Callable[[str], pl.DataFrame],
    fields: FieldPolicy,
) -> tuple[Tables, Tables] | None:
    """Return the tables of a revision and others, with the columns that both have; None where they are equal.

    In: of the other tables, the entries of the published files by name, and what reads one by its file stem. A table
    of equal files is not read. ``fields``: the columns that the office leaves out. Raises
    :class:`~ratinglist.errors.AlteredError` where a table of the revision is not what was published.
    """
    stated = against_manifest.verified_tables(revision, PUBLISHED).files
    digests, others = (
        {stem: entry["sha256"] for stem in PUBLISHED if stem != "diff" and (entry := entries.get(f"{stem}.parquet"))}
        for entries in (stated, files)
    )
    if digests == others:
        return None
    both = fields.and_without(revisions.left_out(revision).without)
    published = revisions.read_tables(revision)
    now = {stem: published[stem] if one == digests.get(stem) else read(stem) for stem, one in others.items()}
    before, after = both.masked(published), both.masked(now)
    if len(before) == len(after) and all(name in before and one.equals(before[name]) for name, one in after.items()):
        return None
    return before, after


def check_same(current: Path, revision: Revision) -> None:
    """Raise :class:`CheckError` where a revision has other figures than the current revision of its month.

    Other facts in the manifest, or other columns, change no figure: such a revision may be published.
    """
    files = [against_manifest.read_manifest(one).files for one in (current, revision.folder)]
    contents = [revision_writer.content_digests(one) for one in files]
    if contents[0] == contents[1]:
        return
    now = revisions.read_tables(revision.folder)
    if differing(current, files[1], now.__getitem__, revisions.left_out(revision.folder)) is None:
        return
    month = revision.period
    raise CheckError(
        f"Nothing was published: the list of {month} is published as {current.name}, and what is calculated now is "
        "different. A published list changes only with an account of every difference (DIFF.md), and together with the "
        f"lists after it. See what would change: ratinglist rerate --from {month} --preview\nThen publish it: "
        f"ratinglist rerate --from {month}"
    )
