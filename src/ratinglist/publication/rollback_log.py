"""The rollbacks of a month, published as ``rollbacks.csv`` in the folder of its revisions.

The store has the same rows. A publication reads the file, which is kept with the revisions it is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.durable_files import synced
from ratinglist.errors import NothingReadError
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
        rows = pl.read_csv(path, schema=ROLLED_BACK.schema, glob=False)
        return ROLLED_BACK.conform(rows.with_columns(pl.col(pl.String).fill_null("")))
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = (str(error).splitlines() or ["it cannot be read"])[0]
        raise NothingReadError(
            f"{path}: this is not the file of rollbacks ({reason}). `ratinglist rollback` writes it again from the "
            "store; put back a copy of it before the next publication."
        ) from None


def rolled_back(month: Path) -> list[RolledBackRevision]:
    """Return the revisions of a month that were rolled back and not made current again, the newest first.

    Only a step to an older revision rolls the revision before it back. A step to a later revision undoes such a step:
    the older revision that it leaves is not wrong.
    """
    last_step: dict[int, RolledBackRevision | None] = {}
    rows = read(month).sort("rollback_no", descending=True)
    for row in rows.select("from_revision", "to_revision", "rolled_back_on", "reason").iter_rows():
        before, current, day, reason = row
        last_step.setdefault(current, None)
        if before > current:
            last_step.setdefault(before, RolledBackRevision(before, str(day), reason))
    return [one for _, one in sorted(last_step.items(), reverse=True) if one is not None]
