"""A month's list, from frames to an immutable revision that a reader sees whole or not at all.

Everything is written aside, synced to the disk and renamed to ``r<N>``; only then ``latest`` is moved to it, again by
one rename. A run killed anywhere leaves readers with the revision before or the revision after, and the next run of
the same month ends with the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.errors import CheckError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication.files import write_csv, write_parquet
from ratinglist.schemas import CHANGE, DIFF, ENTRY, EVENT, GAME, LISTED, POOL, Table

LISTS = ("standard", "rapid", "blitz")
"""The time controls, each a list of its own: there where it has a rated player."""

_MAY_BE_ABSENT = {*LISTS, "diff"}
_OF_DIFF = ("diff.parquet", "DIFF.md")

PUBLISHED: dict[str, Table] = {
    **dict.fromkeys(LISTS, LISTED),
    "changes": CHANGE,
    "games": GAME,
    "entries": ENTRY,
    "pool": POOL,
    "events": EVENT,
    "diff": DIFF,
}
"""File stem to table: the allow-list of what may ever be published."""

MANIFEST = "manifest.json"
_LATEST = "latest"
_ASIDE = ".tmp-"
_OWN_FACTS = {"month", "revision", "files"}


@dataclass(frozen=True, slots=True)
class Publication:
    """One published revision.

    ``new`` is false where readers already had exactly this content. ``rows`` counts the rows of every file stem.
    """

    period: Period
    revision: int
    folder: Path
    new: bool
    rows: dict[str, int]


def publish(
    folder: Path,
    period: Period,
    tables: Mapping[str, pl.DataFrame],
    facts: Mapping[str, object],
    texts: Mapping[str, str] | None = None,
) -> Publication:
    """Publish the list of ``period`` under ``folder`` (``HOME/published``) and say which revision it became.

    ``tables`` maps the stems of :data:`PUBLISHED` to frames of those tables; a list may be absent, and the diff of a
    first revision is; the others may not. ``texts``: further files for people, by name. Columns a table
    does not have are never written. ``facts`` are what the manifest says besides: JSON values, sorted by the caller
    where they are lists. Content equal to the newest revision makes no new one.

    Raises :class:`CheckError`, with nothing published, where a table is missing or unknown, a key is not unique, an
    obligatory value is empty, or a row belongs to another list; ``polars.exceptions`` errors where a frame does not
    have its table's columns.
    """
    ready = _checked(period, tables)
    if taken := _OWN_FACTS & set(facts):
        raise CheckError(f"The manifest says {', '.join(sorted(taken))} itself. Nothing was published.")
    month = _month_folder(folder, period)
    _remove_leftovers(month)

    aside = month / f"{_ASIDE}{os.getpid()}"
    aside.mkdir()
    files = _write_files(aside, ready, texts or {})
    rows = {stem: frame.height for stem, frame in ready.items()}

    newest = _newest_complete(month)
    if newest is not None and _holds(newest, files, facts):
        shutil.rmtree(aside)
        return Publication(period, _number(newest), newest, _point_to(newest), rows)

    number = max((_number(path) for path in _revisions(month)), default=0) + 1
    _write_manifest(aside, _manifest(period, number, facts, files))
    revision = month / f"r{number}"
    aside.rename(revision)
    _sync(month)
    _point_to(revision)
    return Publication(period, number, revision, new=True, rows=rows)


def latest(folder: Path, period: Period) -> Path | None:
    """The folder of the current revision of ``period``, or None where the month is not published.

    Raises :class:`NothingReadError` where ``latest`` names something that is not a revision.
    """
    pointer = folder / str(period) / _LATEST
    if not pointer.exists():
        return None
    revision = pointer.parent / pointer.read_text(encoding="utf-8").strip()
    if revision not in _revisions(pointer.parent):
        raise NothingReadError(f"{pointer} names no revision of its folder: write the name of one into it, such as r1.")
    return revision


def months(folder: Path) -> list[Period]:
    """The months published under ``folder``, oldest first."""
    return sorted(
        Period.parse(pointer.parent.name)
        for pointer in folder.glob(f"*/{_LATEST}")
        if re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", pointer.parent.name)
    )


def first(folder: Path, period: Period) -> Path:
    """The folder of the first revision of a published month: what was published, whatever was corrected since."""
    return min(_revisions(folder / str(period)), key=_number)


def next_revision(folder: Path, period: Period) -> int:
    """The number that the next revision of a published month will have."""
    return max(map(_number, _revisions(folder / str(period))), default=0) + 1


def read_tables(revision: Path) -> dict[str, pl.DataFrame]:
    """The published tables of a revision by file stem, without its diff."""
    return {
        stem: PUBLISHED[stem].conform(pl.read_parquet(path))
        for stem in PUBLISHED
        if stem != "diff" and (path := revision / f"{stem}.parquet").exists()
    }


def _checked(period: Period, tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The tables in the order of :data:`PUBLISHED`, conformed, sorted and checked."""
    if wrong := (set(tables) - set(PUBLISHED)) | (set(PUBLISHED) - _MAY_BE_ABSENT - set(tables)):
        raise CheckError(f"Unknown or missing tables: {', '.join(sorted(wrong))}. Nothing was published.")
    ready = {}
    for stem, table in PUBLISHED.items():
        if stem in tables:
            frame = table.conform(tables[stem])
            in_order = table.is_in_order(frame)
            # The order says that no key stands twice, where it is the order of the key; so does a part never repeated.
            unique = (in_order and not table.order) or any(
                table.columns[name].dtype == pl.Int64 and frame[name].n_unique() == frame.height for name in table.key
            )
            _check_rows(stem, table, frame, str(period), unique=unique)
            ready[stem] = frame if in_order else table.sorted(frame)
    return ready


def _check_rows(stem: str, table: Table, frame: pl.DataFrame, month: str, *, unique: bool) -> None:
    for name, column in table.columns.items():
        if not column.null and frame.get_column(name).null_count():
            raise CheckError(f"{stem}: {name} is empty in some rows. Nothing was published.")
    twice = frame.clear() if unique else frame.filter(frame.select(table.key).is_duplicated()).sort(table.key)
    if twice.height:
        first = ", ".join(f"{name} {twice.item(0, name)}" for name in table.key)
        raise CheckError(f"{stem}: more than one row for {first}. Nothing was published.")
    if stem in LISTS:
        strange = frame.filter((pl.col("list_month") != month) | (pl.col("time_control") != stem)).sort("fide_id")
        if strange.height:
            raise CheckError(
                f"{stem}: player {strange.item(0, 'fide_id')} belongs to the {strange.item(0, 'time_control')} list "
                f"of {strange.item(0, 'list_month')}, not to that of {month}. Nothing was published."
            )


def _write_files(
    aside: Path, tables: Mapping[str, pl.DataFrame], texts: Mapping[str, str]
) -> dict[str, dict[str, str | int]]:
    """Write and sync every file but the manifest; what the manifest says of each, in the order of the names."""

    def written(name: str) -> tuple[str, dict[str, str | int]]:
        path = aside / name
        frame = tables[path.stem]
        if path.suffix == ".csv":
            write_csv(path, frame)
        else:
            write_parquet(path, PUBLISHED[path.stem], frame)
        _finish(path)
        return name, {"sha256": _sha256(path), "bytes": path.stat().st_size, "rows": frame.height}

    names = [f"{stem}.parquet" for stem in tables] + [f"{stem}.csv" for stem in tables if stem in LISTS]
    # Two at a time, the longest first: a Parquet file is written by one thread.
    names.sort(key=lambda name: -tables[Path(name).stem].height)
    with ThreadPoolExecutor(max_workers=2) as two:
        files = dict(two.map(written, names))
    for name, text in texts.items():
        path = aside / name
        path.write_text(text, encoding="utf-8", newline="\n")
        _finish(path)
        files[name] = {"sha256": _sha256(path), "bytes": path.stat().st_size, "rows": text.count("\n")}
    return dict(sorted(files.items()))


def _manifest(
    period: Period, number: int, facts: Mapping[str, object], files: Mapping[str, Mapping[str, str | int]]
) -> bytes:
    # Keys of the facts are sorted at every depth, so the order they were gathered in cannot show.
    ordered = json.loads(json.dumps(dict(facts), sort_keys=True, allow_nan=False))
    says = {"month": str(period), "revision": number, **ordered, "files": files}
    return (json.dumps(says, ensure_ascii=False, indent=2) + "\n").encode()


def _write_manifest(aside: Path, manifest: bytes) -> None:
    path = aside / MANIFEST
    path.write_bytes(manifest)
    _finish(path)
    _sync(aside)


def _holds(revision: Path, files: Mapping[str, Mapping[str, str | int]], facts: Mapping[str, object]) -> bool:
    """Whether ``revision`` holds exactly these files, its diff apart, which tells of the revision before it.

    Its bytes are read; its manifest alone is not believed.
    """
    manifest = (revision / MANIFEST).read_bytes()
    try:
        said: dict[str, dict[str, str | int]] = json.loads(manifest)["files"]
    except (ValueError, KeyError, TypeError):
        return False
    of_diff = {name: file for name, file in said.items() if name in _OF_DIFF and name not in files}
    whole = {**files, **of_diff}
    return (
        {path.name for path in revision.iterdir()} == {*whole, MANIFEST}
        and manifest
        == _manifest(Period.parse(revision.parent.name), _number(revision), facts, dict(sorted(whole.items())))
        and all(_sha256(revision / name) == file["sha256"] for name, file in whole.items())
    )


def _point_to(revision: Path) -> bool:
    """Make ``revision`` the current one; False where it already was."""
    pointer = revision.parent / _LATEST
    if pointer.exists() and pointer.read_text(encoding="utf-8").strip() == revision.name:
        return False
    aside = revision.parent / f"{_ASIDE}{_LATEST}"
    aside.write_text(f"{revision.name}\n", encoding="utf-8", newline="\n")
    _sync(aside)
    aside.replace(pointer)
    _sync(revision.parent)
    return True


def _month_folder(folder: Path, period: Period) -> Path:
    month = folder / str(period)
    if not month.is_dir():
        month.mkdir(parents=True)
        _sync(folder)
        _sync(folder.parent)
    return month


def _remove_leftovers(month: Path) -> None:
    # The store admits one writer at a time, so what lies aside was left by a run that was killed.
    for path in month.glob(f"{_ASIDE}*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _revisions(month: Path) -> list[Path]:
    return [path for path in month.iterdir() if path.is_dir() and re.fullmatch(r"r[1-9]\d*", path.name)]


def _newest_complete(month: Path) -> Path | None:
    complete = [path for path in _revisions(month) if (path / MANIFEST).is_file()]
    return max(complete, key=_number, default=None)


def _number(revision: Path) -> int:
    return int(revision.name[1:])


def _finish(path: Path) -> None:
    """The file is on the disk, and nobody writes it again."""
    path.chmod(0o444)
    _sync(path)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
