"""`REPORT.md`, the report of a preview, and the figures of reports."""

from __future__ import annotations

import re

import polars as pl

from ratinglist.period import Period
from ratinglist.publication.report_document import mean_hundredths
from ratinglist.summaries import MonthSummary
from ratinglist.workflows import publish
from ratinglist.workflows.quarantine import refused_as_markdown

DECEMBER = Period.parse("2025-12")


def test_the_report_has_the_same_bytes_each_time_and_is_no_part_of_a_revision(rated):
    report = rated.previews / "2025-12" / "REPORT.md"
    publish.preview(rated, DECEMBER)
    first = report.read_text(encoding="utf-8")
    publish.preview(rated, DECEMBER)
    assert report.read_text(encoding="utf-8") == first
    assert len(re.findall(r"^\|[-:|]+$", first, re.MULTILINE)) == 5
    assert "REPORT.md" not in {path.name for path in (rated.published / "2025-12" / "r1").iterdir()}


def test_a_month_without_refusals_says_so():
    summary = MonthSummary("2025-09", "fide", [], {}, 0, 0, {}, {}, 0, {})
    assert refused_as_markdown(Period.parse("2025-09"), summary) == "# 2025-09: no report was refused\n"


def test_a_mean_ignores_what_is_missing():
    assert mean_hundredths(pl.Series([1, None, -2])) == -50
    assert mean_hundredths(pl.Series([], dtype=pl.Int32)) is None
