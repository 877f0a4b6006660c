"""The catalogue of rules that a report can break, and the frames of findings.

A finding is a row: file, line, column, value, the code of the rule and a detail. The modules that read reports decide
*that* a rule is broken; the catalogue has the sentence, the remedy and the source that an arbiter reads. A rule either
*refuses* the whole report, because half a tournament is worse than none, lets it *wait* until a fact is stated, or
*notes* something and accepts the report.

In a text for people (a finding, a line of a report, what a command prints) what may be a date of birth is hidden. Texts
that are published are compared with the dates that the store knows (:mod:`ratinglist.store.received`). Here no store is
asked: every day is hidden that is not plainly one of an event or of the office.
"""

from __future__ import annotations

import re
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


# -------------------------------------------------------------------------------- what may be a date of birth

WITHHELD = "[...]"
_DAY = re.compile(
    r"(?<![\w/.-])(?:(?P<year>\d{4})([-/._·–−])\d{1,2}\2\d{1,2}|\d{1,2}([-/._·–−])\d{1,2}\3(?:\d{4}|\d{2}))(?![\w-])"
    r"|(?<=')(?:\d{4} \d{1,2} \d{1,2}|\d{1,2} \d{1,2} \d{4}|(?:19|20)\d{6}|\d{4}(?:19|20)\d{2})(?=')"
)
"""A day as reports and tables write it; behind a stroke, as in the name of a rule set, there is none."""
_HOLD_A_LINE = frozenset({"birth_unreadable", "player_line_misplaced", "unknown_text", "unknown_code"})
"""Findings whose value is a birth, or a part of a line that may hold one."""
_OF_THE_EVENT = frozenset(
    {"start_date_unreadable", "end_date_unreadable", "date_implausible", "dates_reversed", "event_too_long"}
    | {"two_digit_year", "round_date_unreadable", "dates_contradicted", "received_before_start"}
    | {"received_in_the_future", "manifest_value", "dates_outside", "days_without_rounds", "rounds_outside"}
    | {"month_or_day_first"}
)
"""Findings whose value is a day of the event or of the office, or a cell of a manifest."""
_YOUNGEST = 4
"""Years: a player is older than this."""
FIDE_ID, BIRTH = (58, 68), (70, 79)
"""The first and the last column of the FIDE ID, and of the birth, in a player's line of a TRF."""
_RECORD_OF_THE_EVENT = re.compile(r"(?:042|052|132|XXD|09[0-9]|16[0-9])\b")
"""Records with dates of the event."""


def without_births(text: str, year: int | None = None) -> str:
    """Return a text without the days in it.

    ``year``: the present one, where a day of an event or a list, written as this program writes days, may stay.
    """

    def shown(day: re.Match[str]) -> str:
        is_of_the_office = year is not None and day[2] == "-" and int(day["year"]) > year - _YOUNGEST
        return day[0] if is_of_the_office else WITHHELD

    return _DAY.sub(shown, text)


def of_finding(rule: str, text: str) -> str:
    """Return a text of a finding of a rule without what may be a date of birth."""
    if rule in _HOLD_A_LINE:
        return WITHHELD
    return text if rule in _OF_THE_EVENT else without_births(text)


def of_line(line: str) -> str:
    """Return a line of a report with a dot for each digit of what may be a date of birth; dates of the event stay."""
    if _RECORD_OF_THE_EVENT.match(line):
        return line
    if line.startswith("001"):
        before, last = BIRTH[0] - 1, BIRTH[1]
        line = line[:before] + _dotted(line[before:last]) + line[last:]
    return _DAY.sub(lambda day: _dotted(day[0]), line)


def _dotted(text: str) -> str:
    return re.sub(r"\d", "·", text)
