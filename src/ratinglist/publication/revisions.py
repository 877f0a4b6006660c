"""Find and read the revisions under ``published/``, and the rollbacks of a month, ``rollbacks.csv`` next to them.

The rollbacks follow from the log; readers of what is published see the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.errors import AlteredError, CommandLineError, NothingReadError
from ratinglist.files.durable_files import read_regular_file, synced
from ratinglist.home.history import LATEST, WITHDRAWN, History
from ratinglist.office import FieldPolicy
from ratinglist.period import MONTH_NAME, REVISION_NAME, Period
from ratinglist.publication.manifest import MANIFEST
from ratinglist.settings import Settings
from ratinglist.store import table_files
from ratinglist.store.database import Store
from ratinglist.store.table_files import write_csv
from ratinglist.tables import BOTH_NUMBERS, LISTS, PUBLISHED, ROLLED_BACK, published_table

EVENTS = "events.parquet"
"""The status of all events, published once for all months."""
NUMBERS = f"{BOTH_NUMBERS.name}.parquet"
"""The file of a month with both numbers of each player."""
ROLLBACKS = "rollbacks.csv"
_NAME_BYTES = 20


def current(store: Store, settings: Settings, period: Period) -> Path | None:
    """Return the folder of the current revision of ``period`` by the log; None where the month has none.

    For a command that has the home: what is published was compared with the log when it was opened.
    """
    number = store.log.history.current.get(str(period))
    return None if number is None else settings.published / str(period) / f"r{number}"


def latest(folder: Path, period: Period) -> Path | None:
    """Return the revision of ``period`` that ``latest`` names; None where it is not published, or withdrawn.

    For a reader of what is published under ``folder``. Raises :class:`NothingReadError` where ``latest`` is missing
    although the month has revisions, or does not name one of them: then the current list of the month is not known;
    :class:`AlteredError` where it is no regular file, which is not opened, or larger than a name.
    """
    month = folder / str(period)
    pointer = month / LATEST
    not_known = f"which list of {period} is current is not known. Put the file back: ratinglist doctor --rebuild"
    if not os.path.lexists(pointer):
        if withdrawal(month) or not (standing := _complete(month)):
            return None
        names = ", ".join(path.name for path in standing)
        raise NothingReadError(f"{pointer} is missing, and its folder has {names}: {not_known}")
    named = read_regular_file(pointer, _NAME_BYTES)
    if named is None:
        raise AlteredError(f"{pointer} is a link, a folder or a device, or too large: {not_known}")
    for path in _revisions(month):
        if named.strip() == path.name.encode():
            return path
    text = ascii(named.decode("utf-8", errors="replace").strip())[1:-1]
    what = f"it says '{text}'" if text else "it is empty"
    raise NothingReadError(f"{pointer} names no revision of its folder, {what}: {not_known}")


def every_latest(folder: Path) -> dict[Period, Path]:
    """Return the current revision of every month under ``folder``, oldest first; raises what :func:`latest` raises."""
    return {month: revision for month in months(folder) if (revision := latest(folder, month)) is not None}


def chosen(folder: Path, period: Period, revision: str | None) -> Path:
    """Return the folder of a revision of ``period`` under ``folder``: the one named (``rN``), else the current one.

    Raises :class:`CommandLineError` where the name is not that of a revision, :class:`NothingReadError` where there is
    no such revision.
    """
    if revision is None:
        current = latest(folder, period)
        if current is None and (taken_back := withdrawal(folder / str(period))):
            raise NothingReadError(
                f"The list of {period} was withdrawn on {taken_back.day}: {taken_back.reason}. The month has no "
                f"current list. What was published is in {folder / str(period)}: name it with --revision "
                f"r{taken_back.revision}"
            )
        if current is None:
            published = ", ".join(map(str, months(folder))) or "none"
            raise NothingReadError(f"The list of {period} is not published. Published are: {published}.")
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
        if MONTH_NAME.fullmatch(path.name) and ((path / LATEST).exists() or (_complete(path) and not withdrawal(path)))
    )


def next_revision(folder: Path, period: Period) -> int:
    """Return the number of the next revision of a month."""
    return max(map(number_of, _revisions(folder / str(period))), default=0) + 1


def read_tables(revision: Path, stems: Iterable[str] = PUBLISHED) -> dict[str, pl.DataFrame]:
    """Return published tables of a revision by file stem, without its diff; a column left out of it is null."""
    tables = {}
    for stem in stems:
        if stem != "diff" and table_files.has_table(revision, stem):
            rows = table_files.read_table(revision, stem)
            tables[stem] = published_table(stem, rows.schema).completed(rows)
    return tables


def left_out(revision: Path) -> FieldPolicy:
    """Return the columns that are left out of a revision."""
    without = {}
    for stem in PUBLISHED:
        if table_files.has_table(revision, stem):
            present = table_files.scan_table(revision, stem).collect_schema()
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


@dataclass(frozen=True, slots=True)
class RolledBackRevision:
    """A revision that was rolled back and not made current again: its month, when (``YYYY-MM-DD``), and why."""

    month: str
    revision: int
    day: str
    reason: str


def write_rollbacks(path: Path, rollbacks: pl.DataFrame) -> None:
    """Write the rollbacks of a month (``ROLLED_BACK``) to ``path``, and sync them."""
    synced(write_csv(path, ROLLED_BACK.sorted(ROLLED_BACK.conform(rollbacks))))


def read_rollbacks(month: Path) -> pl.DataFrame:
    """Read the rollbacks of a month (``ROLLED_BACK``); none where there is no file.

    Raises :class:`NothingReadError` where the file is not as :func:`write_rollbacks` writes it.
    """
    path = month / ROLLBACKS
    if not path.exists():
        return ROLLED_BACK.empty()
    try:
        text = pl.read_csv(path, schema=ROLLED_BACK.schema, glob=False)
        rollbacks = ROLLED_BACK.conform(text.with_columns(pl.col(pl.String).fill_null("")))
        reason = "a number or a day is missing" if sum(rollbacks.null_count().row(0)) else ""
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = (str(error).splitlines() or ["it cannot be read"])[0]
    if reason:
        raise NothingReadError(
            f"{path}: this is not the file of rollbacks ({reason}). Put it back: ratinglist doctor --rebuild"
        )
    return rollbacks


def rolled_back(history: History, month: str) -> list[RolledBackRevision]:
    """Return the revisions of a month that were rolled back and not made current again, the newest first.

    Only a step to an older revision rolls the revision before it back. A step to a later revision undoes such a step:
    the older revision that it leaves is not wrong.
    """
    last_step: dict[int, RolledBackRevision | None] = {}
    steps = [step for step in reversed(history.rollbacks) if step["month"] == month]
    for step in steps:
        before, current = step["from_revision"], step["to_revision"]
        last_step.setdefault(current, None)
        if before > current:
            last_step.setdefault(before, RolledBackRevision(month, before, str(step["rolled_back_on"]), step["reason"]))
    return [revision for _, revision in sorted(last_step.items(), reverse=True) if revision is not None]


def withdrawal(month: Path) -> RolledBackRevision | None:
    """Return the rollback that withdrew a month; None where it was not withdrawn, or was published again since.

    Only for a month that has no current list. ``month``: the folder of its revisions. Raises what
    :func:`read_rollbacks` raises.
    """
    rollbacks = read_rollbacks(month).sort("rollback_no")
    # It was current before one of the rollbacks, so it was there at the last of them.
    newest_then = max(rollbacks["from_revision"].to_list() + rollbacks["to_revision"].to_list(), default=0)
    newest = max(map(number_of, _revisions(month)), default=0)
    if rollbacks.is_empty() or rollbacks.item(-1, "to_revision") != WITHDRAWN or newest > newest_then:
        return None
    last = rollbacks.row(-1, named=True)
    return RolledBackRevision(month.name, last["from_revision"], str(last["rolled_back_on"]), last["reason"])
