"""`REPORT.html`: the report of a preview with charts, one file that loads nothing and is no part of a revision."""

from __future__ import annotations

import re

import polars as pl

from ratinglist.analysis.list_statistics import adds_up, flow_rows, mean_hundredths
from ratinglist.pages.html_pages import single_file_policy
from ratinglist.period import Period
from ratinglist.publication.revisions import read_tables
from ratinglist.summaries import MonthSummary
from ratinglist.workflows import publish
from ratinglist.workflows.quarantine import refused_as_markdown

DECEMBER = Period.parse("2025-12")


def test_the_report_is_one_file_with_the_same_bytes_each_time(rated):
    folder = rated.previews / "2025-12"
    publish.preview(rated, DECEMBER)
    first = (folder / "REPORT.html").read_text(encoding="utf-8")
    publish.preview(rated, DECEMBER)
    assert (folder / "REPORT.html").read_text(encoding="utf-8") == first
    style = re.search(r"<style>(.*?)</style>", first, re.DOTALL)[1]
    assert single_file_policy(style).replace("'", "&#39;") in first
    assert re.findall(r"<script|<link|<img|\ssrc=|\shref=|https?:(?!//www\.w3\.org/2000/svg)", first) == []
    assert first.count("<svg ") == 2
    report = (folder / "REPORT.md").read_text(encoding="utf-8")
    headings = re.findall(r"^(#+) (.*)$", report, re.MULTILINE)
    assert [(f"h{len(level)}", text) for level, text in headings] == re.findall(r"<(h\d)[^>]*>(.*?)</h\d>", first)
    assert first.count("<table>") == len(re.findall(r"^\|[-:|]+$", report, re.MULTILINE)) > 5
    assert "REPORT.html" not in {path.name for path in (rated.published / "2025-12" / "r1").iterdir()}


def test_the_flow_of_points_adds_up(published):
    now, before = (read_tables(published / month / "r1") for month in ("2025-12", "2025-11"))
    rated_before = before["standard"].select("fide_id", "rating")
    changes = now["changes"].filter(pl.col("status") != "entered", pl.col("games") > 0)
    flow = flow_rows(rated_before, now["standard"].select("fide_id", "rating"), changes.select("fide_id", "change"))
    assert adds_up(flow)
    points = dict(flow.select("part", "points").iter_rows())
    assert points["after"] == now["standard"]["rating"].sum()
    assert points["other_changes"] == 0


def test_a_month_without_refusals_says_so():
    summary = MonthSummary("2025-09", "fide", [], {}, 0, 0, {}, {}, 0, {})
    assert refused_as_markdown(Period.parse("2025-09"), summary) == "# 2025-09: no report was refused\n"


def test_a_mean_ignores_what_is_missing():
    assert mean_hundredths(pl.Series([1, None, -2])) == -50
    assert mean_hundredths(pl.Series([], dtype=pl.Int32)) is None
