"""The rollbacks of a month, published as ``rollbacks.csv`` in the folder of its revisions.

It follows from the log. Readers of what is published see the file, which is kept with the revisions it is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.files.durable_files import synced
from ratinglist.home.kinds import WITHDRAWN
from ratinglist.period import REVISION_NAME
from ratinglist.schemas import ROLLED_BACK
from ratinglist.store.table_files import write_csv

NAME = "rollbacks.csv"


@dataclass(frozen=True, slots=True)
class RolledBackRevision:
    """A revision that was rolled back and not made current again. ``since``: the day, ``YYYY-MM-DD``."""

    revision: int
    since: str
    reason: str


def write(path: Path, rows: pl.DataFrame) -> None:
    """Write the rollbacks of a month (``ROLLED_BACK``) to ``path``, and sync them."""
    synced(write_csv(path, ROLLED_BACK.sorted(ROLLED_BACK.conform(rows))))


def read(month: Path) -> pl.DataFrame:
    """Read the rollbacks of a month (``ROLLED_BACK``); none where there is no file.

    Raises :class:`NothingReadError` where the file is not as :func:`write` writes it.
    """
    path = month / NAME
    if not path.exists():
        return ROLLED_BACK.empty()
    try:
        text = pl.read_csv(path, schema=ROLLED_BACK.schema, glob=False)
        rows = ROLLED_BACK.conform(text.with_columns(pl.col(pl.String).fill_null("")))
        reason = "a number or a day is missing" if sum(rows.null_count().row(0)) else ""
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = (str(error).splitlines() or ["it cannot be read"])[0]
    if reason:
        raise NothingReadError(
            f"{path}: this is not the file of rollbacks ({reason}). put it back: ratinglist doctor --rebuild"
        )
    return rows


def rolled_back(month: Path) -> list[RolledBackRevision]:
    """Return :func:`rolled_back_by` of the rollbacks in the folder of a month; raises what :func:`read` raises."""
    return rolled_back_by(read(month))


def rolled_back_by(rows: pl.DataFrame) -> list[RolledBackRevision]:
    """Return the revisions of a month that were rolled back and not made current again, the newest first.

    In: the rollbacks of the month (``ROLLED_BACK``). Only a step to an older revision rolls the revision before it
    back. A step to a later revision undoes such a step: the older revision that it leaves is not wrong.
    """
    last_step: dict[int, RolledBackRevision | None] = {}
    newest_first = rows.sort("rollback_no", descending=True)
    for row in newest_first.select("from_revision", "to_revision", "rolled_back_on", "reason").iter_rows():
        before, current, day, reason = row
        last_step.setdefault(current, None)
        if before > current:
            last_step.setdefault(before, RolledBackRevision(before, str(day), reason))
    return [one for _, one in sorted(last_step.items(), reverse=True) if one is not None]


def withdrawal(month: Path) -> RolledBackRevision | None:
    """Return :func:`withdrawal_by` of the rollbacks in the folder of a month; raises what :func:`read` raises."""
    return withdrawal_by(read(month), _newest_revision(month))


def withdrawal_by(rows: pl.DataFrame, newest: int) -> RolledBackRevision | None:
    """Return the rollback that withdrew a month; None where it was not withdrawn, or was published again since.

    Only for a month that has no current list. In: the rollbacks of the month (``ROLLED_BACK``), and the number of its
    newest revision.
    """
    rows = rows.sort("rollback_no")
    if rows.is_empty() or rows.item(-1, "to_revision") != WITHDRAWN or newest > _newest_named(rows):
        return None
    last = rows.row(-1, named=True)
    return RolledBackRevision(last["from_revision"], str(last["rolled_back_on"]), last["reason"])


def withdrawn_revisions(month: Path) -> set[int]:
    """Return the revisions that count as never published, as the view ``withdrawn_revision`` of the store has them.

    They were there when the month was withdrawn, and were not made current again since.
    """
    found: set[int] = set()
    rows = read(month).sort("rollback_no")
    for at, target in enumerate(rows["to_revision"]):
        if target == WITHDRAWN:
            found |= set(range(1, _newest_named(rows.head(at + 1)) + 1))
        else:
            found.discard(target)
    return found


def _newest_named(rows: pl.DataFrame) -> int:
    """Return the newest revision that was there at the last of some rollbacks: it was current before one of them."""
    return max(rows["from_revision"].to_list() + rows["to_revision"].to_list(), default=0)


def _newest_revision(month: Path) -> int:
    """Return the number of the newest revision in the folder of a month; 0 where there is none."""
    names = [path.name for path in month.iterdir()] if month.is_dir() else []
    return max((int(name[1:]) for name in names if REVISION_NAME.fullmatch(name)), default=0)
