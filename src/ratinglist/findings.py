"""What can be wrong with a report, once each: the sentence, the remedy and the source of every rule.

A finding is a row: file, line, column, value, the rule's code and a detail. The modules that read reports only decide
*that* a rule is broken; what an arbiter reads about it is written here. A rule either *refuses* the whole report, for
half a tournament is worse than none, or *notes* something and lets the report through.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from ratinglist.schemas import FILE_FINDING


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule a report can break. ``says`` and ``remedy`` may use ``{value}`` and ``{detail}``."""

    effect: Literal["refused", "noted"]
    says: str
    remedy: str
    source: str


RULES: dict[str, Rule] = {
    # the file as a whole
    "not_a_report": Rule(
        "refused",
        "this is not a tournament report: {detail}",
        "send the TRF16 or TRF26 file that the pairing program exports (lines 012, 042, 052 and one 001 per player)",
        "C.04 Annex 2",
    ),
}


def refuses(rule: str) -> bool:
    """Whether breaking ``rule`` refuses the whole report."""
    return RULES[rule].effect == "refused"


def finding(
    rule: str,
    rows: pl.DataFrame,
    *,
    line: pl.Expr | None = None,
    column: pl.Expr | int | None = None,
    value: pl.Expr | None = None,
    detail: pl.Expr | None = None,
) -> pl.DataFrame:
    """One finding of ``rule`` for each of ``rows``, which must hold ``file_no``.

    Expressions are evaluated on ``rows``; ``line`` and ``column`` default to null, the texts to empty.
    Returns a frame of :data:`ratinglist.schemas.FILE_FINDING`. Raises ``KeyError`` for a rule that is not in the
    catalogue.
    """
    RULES[rule]
    where = pl.lit(column) if not isinstance(column, pl.Expr) else column
    return FILE_FINDING.conform(
        rows.select(
            "file_no",
            (pl.lit(None) if line is None else line).alias("line"),
            where.alias("column"),
            (pl.lit("") if value is None else value.cast(pl.String).fill_null("")).alias("value"),
            pl.lit(rule).alias("rule"),
            (pl.lit("") if detail is None else detail.cast(pl.String).fill_null("")).alias("detail"),
        )
    )
