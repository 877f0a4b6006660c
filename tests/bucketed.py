"""Calculate a month that is in memory in buckets, as a store's month is calculated."""

from __future__ import annotations

from pathlib import Path

from ratinglist.engine import BucketFolder, Engine, calculate_month, plan_month
from ratinglist.rating.model import MonthInputs, MonthResult


def rate_in_buckets(
    inputs: MonthInputs, folder: Path | None, buckets: int, engine: Engine | None = None
) -> MonthResult:
    """The month as :func:`~ratinglist.engine.rate_month` returns it, calculated in ``buckets`` of files or memory."""
    made = None if folder is None else BucketFolder(folder)
    if made is not None:
        made.make()
    return calculate_month(plan_month(inputs, buckets, made), engine).result()
