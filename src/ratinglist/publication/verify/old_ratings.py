"""Compare the old ratings of a published list with the revision that its manifest names as the list before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pyarrow as pa

from ratinglist.errors import AlteredError
from ratinglist.files.parquet_files import RowLimit, TooLargeError, bounded
from ratinglist.period import MONTH_NAME, REVISION_NAME
from ratinglist.publication.manifest import Manifest
from ratinglist.publication.verify.against_manifest import verified_files
from ratinglist.tables import LISTS

_ROWS = RowLimit(small=1_000_000, bytes_per_row=1, most=20_000_000)
_BATCH, _TEXT_BYTES = 500_000, 100


def lists_before(content: Manifest) -> dict[str, str]:
    """Return the revision that the ratings of each time control were added to, as a manifest names it."""
    stated = content.facts.get("lists_before")
    return {str(control): str(name) for control, name in stated.items()} if isinstance(stated, dict) else {}


def wrong_old_ratings(revision: Path, content: Manifest) -> Iterator[str]:
    """Yield a sentence for each list of a whole revision that was not calculated from the revision it names.

    A player may have been listed under another FIDE ID, or have come by a standard rating: compared are those who are
    on the list before. Nothing is compared where that list is not here or is not whole, which is found by itself, and
    where the office leaves out one of the columns.
    """
    for control, name in sorted(lists_before(content).items()):
        month, _, number = name.partition("/")
        if control not in LISTS or not (MONTH_NAME.fullmatch(month) and REVISION_NAME.fullmatch(number)):
            yield f"was calculated from what cannot be a list: {name!a}"
            continue
        try:
            _, files = verified_files(revision.resolve().parents[1] / name, [f"{control}.parquet"])
            changes = _read(revision / "changes.parquet", ("time_control", "fide_id", "old_rating", "status"))
            listed = _read(files[0], ("fide_id", "rating")) if files else None
        except AlteredError:
            continue
        except (TooLargeError, ValueError, pa.ArrowException) as error:
            yield f"cannot be compared with {name}: {error}"
            continue
        if changes is None or listed is None:
            continue
        of_list = changes.filter(pl.col("time_control") == control, pl.col("status") != "entered")
        both = of_list.join(listed, on="fide_id").filter(pl.col("old_rating").ne_missing(pl.col("rating")))
        if len(both):
            fide_id, old, rating = both.sort("fide_id").select("fide_id", "old_rating", "rating").row(0)
            yield (
                f"was not calculated from {name}, which the manifest names as the list before: {len(both):,} {control} "
                f"ratings differ, first that of {fide_id}, {old} in place of {rating}"
            )


def _read(path: Path, columns: tuple[str, ...]) -> pl.DataFrame | None:
    """Return columns of a published table; None where it leaves one of them out, or has no row."""
    with bounded(path, _ROWS) as file:
        if not {*columns} <= {*file.schema.names}:
            return None
        batches = list(file.batches(columns, _BATCH, _TEXT_BYTES))
    return pl.DataFrame(pa.Table.from_batches(batches)) if batches else None
