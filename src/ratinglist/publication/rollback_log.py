"""The rollbacks of a month, published as ``rollbacks.csv`` in the folder of its revisions.

It follows from the log. Readers of what is published see the file, which is kept with the revisions it is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.files.durable_files import synced
from ratinglist.home.history import WITHDRAWN
from ratinglist.period import REVISION_NAME
from ratinglist.store.table_files import write_csv
from ratinglist.tables import ROLLED_BACK

if TYPE_CHECKING:
    from ratinglist.store.database import Store

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
            f"{path}: this is not the file of rollbacks ({reason}). Put it back: ratinglist doctor --rebuild"
        )
    return rows


def rolled_back(store: Store, month: str) -> list[RolledBackRevision]:
    """Return the revisions of a month that were rolled back and not made current again, the newest first.

    Only a step to an older revision rolls the revision before it back. A step to a later revision undoes such a step:
    the older revision that it leaves is not wrong.
    """
    last_step: dict[int, RolledBackRevision | None] = {}
    steps = store.rows(
        """
        select from_revision, to_revision, rolled_back_on::varchar, reason
        from rolled_back where month = $month order by rollback_no desc
        """,
        month=month,
    )
    for before, current, day, reason in steps:
        last_step.setdefault(current, None)
        if before > current:
            last_step.setdefault(before, RolledBackRevision(before, day, reason))
    return [one for _, one in sorted(last_step.items(), reverse=True) if one is not None]


def withdrawal(month: Path) -> RolledBackRevision | None:
    """Return the rollback that withdrew a month; None where it was not withdrawn, or was published again since.

    Only for a month that has no current list. ``month``: the folder of its revisions. Raises what :func:`read` raises.
    """
    rows = read(month).sort("rollback_no")
    # It was current before one of the rollbacks, so it was there at the last of them.
    newest_then = max(rows["from_revision"].to_list() + rows["to_revision"].to_list(), default=0)
    if rows.is_empty() or rows.item(-1, "to_revision") != WITHDRAWN or _newest_revision(month) > newest_then:
        return None
    last = rows.row(-1, named=True)
    return RolledBackRevision(last["from_revision"], str(last["rolled_back_on"]), last["reason"])


def _newest_revision(month: Path) -> int:
    """Return the number of the newest revision in the folder of a month; 0 where there is none."""
    names = [path.name for path in month.iterdir()] if month.is_dir() else []
    return max((int(name[1:]) for name in names if REVISION_NAME.fullmatch(name)), default=0)
