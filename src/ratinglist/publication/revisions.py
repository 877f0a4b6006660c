"""Find and read the revisions under ``published/``."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ratinglist.config.field_policy import FieldPolicy
from ratinglist.errors import AlteredError, CommandLineError, NothingReadError
from ratinglist.files.durable_files import read_beginning
from ratinglist.home.history import LATEST
from ratinglist.period import MONTH_NAME, REVISION_NAME, Period
from ratinglist.publication import rollback_log
from ratinglist.publication.manifest import MANIFEST
from ratinglist.schemas import LISTS, PUBLISHED, published_table
from ratinglist.store import table_parts
from ratinglist.store.calculation_folder import complete_table

_NAME_BYTES = 20
_REMEDY = "Put the file back: ratinglist doctor --rebuild"


def latest(folder: Path, period: Period) -> Path | None:
    """Return the folder of the current revision of ``period``; None where the month is not published, or withdrawn.

    Raises :class:`NothingReadError` where ``latest`` is missing although the month has revisions, or does not name one
    of them: then the current list of the month is not known.
    """
    current = pointed_to(folder, period)
    if current is None and _is_withdrawn(folder / str(period)):
        return None
    if current is None and (standing := _complete(folder / str(period))):
        names = ", ".join(path.name for path in standing)
        raise NothingReadError(
            f"{folder / str(period) / LATEST} is missing, and its folder has {names}: which list of {period} is "
            f"current is not known. {_REMEDY}"
        )
    return current


def pointed_to(folder: Path, period: Period) -> Path | None:
    """Return the revision that ``latest`` names, or None where there is no such file.

    Raises :class:`NothingReadError` where it does not name a revision of its month, :class:`AlteredError` where it is
    no regular file, which is not opened.
    """
    pointer = folder / str(period) / LATEST
    try:
        named = read_beginning(pointer, _NAME_BYTES)
    except FileNotFoundError:
        return None
    if named is None:
        raise AlteredError(
            f"{pointer} is a link, a folder or a device, and was published as a file: which list of {period} is "
            f"current is not known. {_REMEDY}"
        )
    for path in _revisions(pointer.parent):
        if named.strip() == path.name.encode():
            return path
    text = ascii(named.decode("utf-8", errors="replace").strip())[1:-1]
    what = f"it says '{text}'" if text else "it is empty"
    raise NothingReadError(
        f"{pointer} names no revision of its folder, {what}: which list of {period} is current is not known. {_REMEDY}"
    )


def chosen(folder: Path, period: Period, revision: str | None) -> Path:
    """Return the folder of a revision of ``period`` under ``folder``: the one named (``rN``), else the current one.

    Raises :class:`CommandLineError` where the name is not that of a revision, :class:`NothingReadError` where there is
    no such revision.
    """
    if revision is None:
        current = latest(folder, period)
        if current is None and (taken_back := rollback_log.withdrawal(folder / str(period))):
            raise NothingReadError(
                f"The list of {period} was withdrawn on {taken_back.since}: {taken_back.reason}. The month has no "
                f"current list. What was published is in {folder / str(period)}: name it with --revision "
                f"r{taken_back.revision}"
            )
        if current is None:
            published = [str(one) for one in months(folder)] if folder.is_dir() else []
            known = (
                f"Published are: {', '.join(published)}." if published else "Nothing was published in this home yet."
            )
            # What is before the first published list was imported, or is not calculated here.
            first = "" if published and str(period) < published[0] else f" First: ratinglist publish {period}"
            raise NothingReadError(f"The list of {period} is not published. {known}{first}")
        return current
    if not REVISION_NAME.fullmatch(revision):
        raise CommandLineError(f"'{revision}' is not a revision: write r and its number, such as r2.")
    named = folder / str(period) / revision
    if not (named / MANIFEST).is_file():
        raise NothingReadError(
            f"The list of {period} has no revision {revision} in {named.parent}. Leave --revision out for the current "
            "one."
        )
    return named


def months(folder: Path) -> list[Period]:
    """Return the months published under ``folder``, oldest first; those too whose file ``latest`` is lost.

    A month that was withdrawn is not among them.
    """
    return sorted(
        Period.parse(path.name)
        for path in folder.glob("*")
        if MONTH_NAME.fullmatch(path.name)
        and ((path / LATEST).exists() or (_complete(path) and not _is_withdrawn(path)))
    )


def withdrawn_months(folder: Path) -> list[tuple[Period, rollback_log.RolledBackRevision]]:
    """Return the months under ``folder`` that were withdrawn, oldest first, each with what is known of that."""
    found = []
    for path in sorted(folder.glob(f"*/{rollback_log.NAME}")):
        if MONTH_NAME.fullmatch(path.parent.name) and not (path.parent / LATEST).exists():
            taken_back = rollback_log.withdrawal(path.parent)
            found += [(Period.parse(path.parent.name), taken_back)] if taken_back else []
    return found


def _is_withdrawn(month: Path) -> bool:
    return rollback_log.withdrawal(month) is not None


def first(folder: Path, period: Period) -> Path:
    """Return the folder of the first revision of a published month, without those that were withdrawn."""
    month = folder / str(period)
    withdrawn = rollback_log.withdrawn_revisions(month)
    return min((path for path in _revisions(month) if number_of(path) not in withdrawn), key=number_of)


def next_revision(folder: Path, period: Period) -> int:
    """Return the number of the next revision of a month."""
    return max(map(number_of, _revisions(folder / str(period))), default=0) + 1


def read_tables(revision: Path) -> dict[str, pl.DataFrame]:
    """Return the published tables of a revision by file stem, without its diff; a column left out of it is null."""
    tables = {}
    for stem in PUBLISHED:
        if stem != "diff" and table_parts.files_of(revision, stem):
            tables[stem] = complete_table(stem, table_parts.read(revision, stem))
    return tables


def left_out(revision: Path) -> FieldPolicy:
    """Return the columns that are left out of a revision."""
    without = {}
    for stem in PUBLISHED:
        if table_parts.files_of(revision, stem):
            present = table_parts.scan(revision, stem).collect_schema().names()
            table = published_table(stem, present)
            without["lists" if stem in LISTS else stem] = tuple(name for name in table.columns if name not in present)
    return FieldPolicy(without)


def _revisions(month: Path) -> list[Path]:
    if not month.is_dir():
        return []
    return [path for path in month.iterdir() if path.is_dir() and REVISION_NAME.fullmatch(path.name)]


def newest_complete(month: Path) -> Path | None:
    """Return the newest revision in the folder of a month that has a manifest, or None."""
    return max(_complete(month), key=number_of, default=None)


def _complete(month: Path) -> list[Path]:
    """Return the revisions of a month that have a manifest, in order."""
    return sorted((path for path in _revisions(month) if (path / MANIFEST).is_file()), key=number_of)


def number_of(revision: Path) -> int:
    """Return the number in the name of a revision's folder."""
    return int(revision.name[1:])
