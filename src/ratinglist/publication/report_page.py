"""The report of a preview with pictures, ``REPORT.html``: one file that loads nothing, next to ``REPORT.md``."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ratinglist import charts, html_pages
from ratinglist.charts import Chart, Series, number_text
from ratinglist.period import Period
from ratinglist.publication.list_section import Previewed, biggest_movers
from ratinglist.publication.report_figures import ReportFigures, report_figures
from ratinglist.safe_text import on_one_line
from ratinglist.schemas import LISTS

_SHOWN = 25


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart of the report: its title, what it shows, and its SVG."""

    title: str
    text: str
    svg: str


def report_page(preview: Previewed) -> str:
    """Return ``REPORT.html``; the same preview gives the same text."""
    sections = []
    for control, figures in _figures(preview.period, preview.tables, preview.before).items():
        movers = [
            (f"Biggest {'gains' if gained else 'losses'}", _MOVERS, [_cells(row) for row in rows.iter_rows()])
            for gained, rows in biggest_movers(preview, control)
        ]
        sections.append(
            {
                "heading": control.capitalize(),
                "charts": [
                    {"svg": html_pages.drawing(one.svg), "text": one.text} for one in _drawings(control, figures)
                ],
                "tables": [_flow_table(figures), _calibration_table(figures), *movers],
            }
        )
    return html_pages.single_file(
        "report.html",
        heading=f"The list of {preview.period}, a preview of r{preview.revision}",
        digest=preview.digest,
        rules=", ".join(preview.rule_sets),
        questions=[[on_one_line(line) for line in one.lines()] for one in preview.questions],
        sections=sections,
        refused=("Refused reports", _REFUSED, _refused(preview.refused)),
        refused_count=len({(row["event_id"], row["file"]) for row in preview.refused}),
    )


def report_markdown(period: Period, tables: Mapping[str, pl.DataFrame], before: pl.DataFrame) -> str:
    """Return the charts of a month as Markdown with the pictures in it, for Prefect's page, which drops inline SVG.

    In: the published tables by file stem; ``before``: ``time_control``, ``fide_id``, ``rating`` of the lists before.
    """
    lines = [f"# The list of {period} in pictures", ""]
    for control, figures in _figures(period, tables, before).items():
        lines += [f"## {control.capitalize()}", ""]
        for drawing in _drawings(control, figures):
            picture = base64.b64encode(drawing.svg.encode()).decode("ascii")
            lines += [drawing.text, "", f"![{drawing.title}](data:image/svg+xml;base64,{picture})", ""]
    return "\n".join(lines)


def _figures(period: Period, tables: Mapping[str, pl.DataFrame], before: pl.DataFrame) -> dict[str, ReportFigures]:
    def of(table: pl.DataFrame, control: str) -> pl.DataFrame:
        return table.filter(pl.col("time_control") == control)

    return {
        control: report_figures(
            period, tables[control], of(before, control), of(tables["changes"], control), of(tables["games"], control)
        )
        for control in LISTS
        if control in tables
    }


def _drawings(control: str, figures: ReportFigures) -> list[Drawing]:
    """Return the charts of a time control; a chart without figures is left out."""
    drawings = []
    if figures.bands:
        series = [
            Series("now", [(band, now) for band, now, _ in figures.bands]),
            Series("before", [(band, before) for band, _, before in figures.bands]),
        ]
        drawings.append(_lines(control, "Ratings", "Players by rating, in bands of 100 points.", "players", series))
    by_rating = "Mean change by rating before, in bands of 200 points."
    by_federation = "Rated results by the player's federation, the largest ones."
    bars = (
        ("Mean change by rating", by_rating, "points", 2, figures.change_by_rating),
        ("Mean change by age", "Mean change by age in the year of the list.", "points", 2, figures.change_by_age),
        ("K", "Players by K from this list on.", "players", 0, figures.by_k),
        ("Activity", by_federation, "results", 0, figures.by_federation),
    )
    drawings += [
        Drawing(title, text, charts.bar_chart(_chart(control, title, text, unit, decimals), values))
        for title, text, unit, decimals, values in bars
        if values
    ]
    if figures.calibration:
        series = [
            Series("expected", [(one.difference, one.expected) for one in figures.calibration]),
            Series("scored", [(one.difference, one.score) for one in figures.calibration]),
            Series("95 % from", [(one.difference, one.low) for one in figures.calibration]),
            Series("95 % to", [(one.difference, one.high) for one in figures.calibration]),
        ]
        text = "Score of the higher rated player against the expectation, by rating difference in bands of 50 points."
        drawings.insert(1, _lines(control, "Calibration", text, "score", series, decimals=2))
    return drawings


def _lines(control: str, title: str, text: str, unit: str, series: Sequence[Series], decimals: int = 0) -> Drawing:
    return Drawing(title, text, charts.line_chart(_chart(control, title, text, unit, decimals), series))


def _chart(control: str, title: str, text: str, unit: str, decimals: int) -> Chart:
    name = f"{control}-{title.lower().replace(' ', '-')}"
    return Chart(name, f"{control.capitalize()}: {title.lower()}", text, "", unit, decimals)


Table = tuple[str, list[tuple[str, bool]], list[list[str]]]
"""The caption of a table, its head (text, whether its numbers are aligned right), and its rows."""

_MOVERS = [
    *(("FIDE ID", True), ("name", False), ("fed.", False), ("was", True), ("games", True), ("K", True)),
    *(("change", True), ("is", True)),
]
_REFUSED = [("event", False), ("file", False), ("why", False)]


_PARTS = {
    "before": "the list before",
    "games": "changes from games of players on both lists",
    "other_changes": "a one-time step of the list, and corrections of the list before",
    "entering": "players who are new on it",
    "leaving": "players who are not on it any more",
    "after": "this list",
}


def _flow_table(figures: ReportFigures) -> Table:
    head = [("where the points went", False), ("players", True), ("points", True), ("mean", True)]
    flow = figures.flow.select("part", "players", "points", "mean_hundredths")
    rows = [
        [_PARTS[part], f"{players:,}", f"{-points if part == 'leaving' else points:,}", _mean(mean)]
        for part, players, points, mean in flow.iter_rows()
    ]
    return "Where the points went", head, rows


def _mean(hundredths: int | None) -> str:
    return "–" if hundredths is None else number_text(hundredths, 2)


def _calibration_table(figures: ReportFigures) -> Table:
    head = [(text, True) for text in ("difference from", "games", "expected", "scored", "95 % from", "to")]
    rows = [
        [
            str(one.difference),
            f"{one.games:,}",
            *(number_text(value, 2) for value in (one.expected, one.score, one.low, one.high)),
        ]
        for one in figures.calibration
    ]
    return "Scores against expectation", head, rows


def _cells(row: Sequence[object]) -> list[str]:
    return ["" if cell is None else on_one_line(str(cell)) for cell in row]


def _refused(rows: Sequence[Mapping[str, object]]) -> list[list[str]]:
    reports = dict.fromkeys((row["event_id"], row["file"], row["reason"]) for row in rows)
    return [_cells(report) for report in list(reports)[:_SHOWN]]
