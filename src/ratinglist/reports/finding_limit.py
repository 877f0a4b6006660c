"""Enough findings to act on, not thousands: one mistake of a program repeats on every line."""

from __future__ import annotations

from typing import Final

import polars as pl

from ratinglist.findings import finding

FINDINGS_PER_RULE: Final = 20
_ORDER: Final = ("file_no", "line", "column", "rule", "value", "detail")


def limited(findings: pl.DataFrame) -> pl.DataFrame:
    """The first 20 ``findings`` (:data:`~ratinglist.schemas.FILE_FINDING`) of each file and rule, by line.

    Where there were more, a last finding ``more_findings`` says how many.
    """
    ordered = findings.sort(_ORDER, nulls_last=True).with_columns(
        pl.int_range(pl.len()).over("file_no", "rule").alias("place"),
        pl.len().over("file_no", "rule").alias("all"),
    )
    kept = ordered.filter(pl.col("place") < FINDINGS_PER_RULE)
    cut = kept.filter((pl.col("place") == FINDINGS_PER_RULE - 1) & (pl.col("all") > FINDINGS_PER_RULE))
    more = finding("more_findings", cut, value=pl.col("all") - FINDINGS_PER_RULE, detail=pl.col("rule"))
    return pl.concat([kept.select(findings.columns), more]).sort(_ORDER, nulls_last=True)
