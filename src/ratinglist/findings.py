"""The catalogue of rules that a report can break, and the frames of findings.

A finding is a row: file, line, column, value, the code of the rule and a detail. The modules that read reports decide
*that* a rule is broken; the catalogue has the sentence, the remedy and the source that an arbiter reads. A rule either
*refuses* the whole report, because half a tournament is worse than none, lets it *wait* until a fact is stated, or
*notes* something and accepts the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import polars as pl

from ratinglist.messages import messages
from ratinglist.tables import FILE_FINDING


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule that a report can break.

    ``sentence`` and ``remedy`` may use ``{value}`` and ``{detail}`` of a finding. ``summary``, of every noted rule,
    is the sentence about several reports: it may use ``{reports}`` (``2 reports``) and ``{are}`` or ``{have}``, the
    verb in the same number. Findings that differ in the value or detail it uses are summarised apart.
    """

    effect: Literal["refused", "waits", "noted"]
    sentence: str
    remedy: str
    source: str
    summary: str = ""


FINDINGS_PER_RULE: Final = 20
_ORDER: Final = ("file_no", "line", "column", "rule", "value", "detail")
_LOOKED_UP: Final = ("fide_id_missing", "fide_id_unreadable", "fide_id_repeated")
_NONE: Final = FILE_FINDING.empty()

RULES: Final = messages("finding", Rule)


def refuses(rule: str) -> bool:
    """Return whether breaking ``rule`` refuses the whole report."""
    return RULES[rule].effect == "refused"


def refused_files(findings: pl.DataFrame) -> pl.Series:
    """Return the ``file_no`` of each file that one of ``findings`` refuses."""
    rules = [rule for rule in findings["rule"].unique() if refuses(rule)]
    return findings.filter(pl.col("rule").is_in(rules))["file_no"].unique()


def finding(
    rule: str,
    rows: pl.DataFrame,
    *,
    line: pl.Expr | None = None,
    column: pl.Expr | int | None = None,
    value: pl.Expr | None = None,
    detail: pl.Expr | None = None,
) -> pl.DataFrame:
    """Return one finding of ``rule`` for each of ``rows``, as :data:`ratinglist.tables.FILE_FINDING`.

    ``rows`` must have ``file_no``. The expressions are evaluated on ``rows``; ``line`` and ``column`` default to null,
    ``value`` and ``detail`` to empty text. Raises ``KeyError`` for a rule that is not in the catalogue.
    """
    RULES[rule]
    if rows.is_empty():
        return _NONE
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


def limit_per_rule(findings: pl.DataFrame) -> pl.DataFrame:
    """Return the first 20 ``findings`` (:data:`ratinglist.tables.FILE_FINDING`) of each file and rule, by line.

    Where there were more, a last finding ``more_findings`` has their number: one mistake of a pairing program repeats
    on every line, and twenty findings are enough to act on. Players without a usable FIDE ID are all named: each of
    them is looked up.
    """
    ordered = findings.sort(_ORDER, nulls_last=True).with_columns(
        pl.int_range(pl.len()).over("file_no", "rule").alias("place"),
        pl.len().over("file_no", "rule").alias("all"),
    )
    is_cut = ~pl.col("rule").is_in(_LOOKED_UP) & (pl.col("all") > FINDINGS_PER_RULE)
    kept = ordered.filter(~is_cut | (pl.col("place") < FINDINGS_PER_RULE))
    cut = kept.filter(is_cut & (pl.col("place") == FINDINGS_PER_RULE - 1))
    omitted = pl.col("all") - FINDINGS_PER_RULE
    more = finding("more_findings", cut, line=pl.col("line"), value=omitted, detail=pl.col("rule"))
    return pl.concat([kept.select(findings.columns), more]).sort(_ORDER, nulls_last=True)
