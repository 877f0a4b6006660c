"""Which revisions of a month were taken back: ``rollbacks.csv`` beside them, for strangers and the next publication.

The store has the same rows; a publication asks the file, which stands where the revisions stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.durable_files import TEMPORARY_PREFIX, synced
from ratinglist.errors import NothingReadError
from ratinglist.schemas import ROLLED_BACK
from ratinglist.store.table_files import write_csv

NAME = "rollbacks.csv"


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A revision that was taken back, and has not been made current again: since when, and why."""

    revision: int
    since: str
    reason: str


def tell(month: Path, rows: pl.DataFrame) -> None:
    """Write the rollbacks of a month (``ROLLED_BACK``) beside its revisions; readers see the old file or the new."""
    aside = month / f"{TEMPORARY_PREFIX}{NAME}"
    synced(write_csv(aside, ROLLED_BACK.sorted(ROLLED_BACK.conform(rows)))).replace(month / NAME)
    synced(month)


def read(month: Path) -> pl.DataFrame:
    """The rollbacks of a month (``ROLLED_BACK``), none where there is no file.

    Raises :class:`NothingReadError` where the file is not as :func:`tell` writes it.
    """
    path = month / NAME
    if not path.exists():
        return ROLLED_BACK.empty()
    try:
        rows = pl.read_csv(path, schema=ROLLED_BACK.schema, glob=False)
        return ROLLED_BACK.conform(rows.with_columns(pl.col(pl.String).fill_null("")))
    except (pl.exceptions.PolarsError, OSError) as error:
        told = (str(error).splitlines() or ["it cannot be read"])[0]
        raise NothingReadError(
            f"{path}: this is not the file of rollbacks ({told}). `ratinglist rollback` writes it anew from the store; "
            "put back a copy of it before the next publication."
        ) from None


def taken_back(month: Path) -> list[TakenBack]:
    """The revisions of a month that were taken back and not made current again, the newest first.

    What takes back is a step to an older revision. A step to a later one takes such a step back itself: the revision
    it leaves is an older one, as it was before, and no wrong one.
    """
    last_word: dict[int, TakenBack | None] = {}
    rows = read(month).sort("rollback_no", descending=True)
    for row in rows.select("from_revision", "to_revision", "rolled_back_on", "reason").iter_rows():
        was, becomes, day, reason = row
        last_word.setdefault(becomes, None)
        if was > becomes:
            last_word.setdefault(was, TakenBack(was, str(day), reason))
    return [one for _, one in sorted(last_word.items(), reverse=True) if one is not None]
