"""The two reports of a preview: ``REPORT.md`` in sentences and totals, ``REPORT.html`` with pictures.

They are what an officer reads before a list is published, and show what the published files hold; like them they have
no date of birth. The page is one file that loads nothing.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ratinglist import charts, html_pages
from ratinglist.charts import Chart, Series, number_text
from ratinglist.markdown import cell, table
from ratinglist.period import Period
from ratinglist.publication.list_section import SHOWN, Previewed, biggest_movers, first_of, hundredths, of_list, totals
from ratinglist.publication.questions import because_options, unanswered
from ratinglist.publication.report_figures import ReportFigures, report_figures
from ratinglist.safe_text import on_one_line
from ratinglist.schemas import LISTS
from ratinglist.summaries import games_and_results


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
        [_PARTS[part], f"{players:,}", f"{-points if part == 'leaving' else points:,}", hundredths(mean)]
        for part, players, points, mean in flow.iter_rows()
    ]
    return "Where the points went", head, rows


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
    return [_cells(report) for report in list(reports)[:SHOWN]]


def markdown(preview: Previewed) -> str:
    """Return ``REPORT.md``; the same preview gives the same text."""
    controls = [name for name in ("standard", "rapid", "blitz") if name in preview.tables]
    lines = [f"# The list of {preview.period}, a preview of r{preview.revision}", "", *_head(preview), ""]
    lines += totals(preview, controls)
    lines += _questions(preview)
    for control in controls:
        lines += of_list(preview, control)
    lines += _reports(preview) + _results(preview) + _accounts(preview)
    # Each part adds blank lines around itself; keep one.
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*lines, ""])).rstrip("\n") + "\n"


def _head(preview: Previewed) -> list[str]:
    lines = [
        f"Nothing here is published. The folder `r{preview.revision}/` next to this report has the exact files that "
        "would be."
        if preview.is_new
        else f"Identical to published r{preview.revision}.",
        "",
        f"- digest: `{preview.digest}`",
        f"- rules: {', '.join(preview.rule_sets)}",
    ]
    if preview.approvals:
        people = "one person" if preview.approvals == 1 else f"{preview.approvals} different people"
        lines += [
            f"- to approve it ({people}): `ratinglist approve {preview.period} --by NAME "
            f"--digest {preview.digest[:12]}`",
            f"- then, to publish it: `{preview.go_on}`",
        ]
    else:
        lines.append(f"- to publish it: `{preview.go_on}`; this office requires no approval")
    return lines


def _questions(preview: Previewed) -> list[str]:
    lines = ["", "## Questions", ""]
    if not preview.questions:
        return [*lines, "None: nothing unusual was found."]
    # The answers are part of the manifest and change its digest: where people approve, preview again.
    answering = preview.go_on.preview if preview.approvals else str(preview.go_on)
    if open_ones := unanswered(preview.questions):
        lines += [
            "**Not answered yet; until then the list cannot be published.** If it is right, write down why: "
            f"`{answering} {because_options(open_ones)}`",
            "",
        ]
    for raised in preview.questions:
        question, *found = raised.lines()
        lines += [f"- {cell(question)}", *(f"  - {cell(line.strip())}" for line in found)]
    return lines


def _reports(preview: Previewed) -> list[str]:
    events = preview.tables["events"]
    by_status = dict(events.group_by("status").agg(pl.len().alias("times")).sort("status").iter_rows())
    statuses = ", ".join(f"{count:,} {status}" for status, count in by_status.items()) or "none"
    by_report: dict[tuple[object, object], list[Mapping[str, object]]] = {}
    for row in preview.refused:
        by_report.setdefault((row["event_id"], row["file"]), []).append(row)
    lines = ["", "## Events", "", f"{events.height:,} known: {statuses}.", "", f"### Refused ({len(by_report):,})", ""]
    if preview.dismissed:
        lines += [f"{preview.dismissed:,} more {'is' if preview.dismissed == 1 else 'are'} set aside.", ""]
    lines += first_of(len(by_report), "the first")
    if by_report:
        lines += ["| event | file | why | findings |", "|---|---|---|--:|"]
        lines += [
            f"| {cell(event)} | {cell(file)} | {cell(rows[0]['reason'])} | {len(rows):,} |"
            for (event, file), rows in list(by_report.items())[:SHOWN]
        ]
        lines += ["", f"Lines and remedies: `ratinglist quarantine {preview.period}`."]
        waiting = [file for (_, file), rows in by_report.items() if rows[0]["reason"] == "time_control_unknown"]
        if waiting:
            lines += ["", f"### Without a time control ({len(waiting):,})", "", "They wait, and are on no list."]
            lines += ["", *(f"- {cell(file)}" for file in waiting)]
    else:
        lines.append("None.")
    return lines


def _accounts(preview: Previewed) -> list[str]:
    """Return the accounts of the players whom the questions name. Indented lines of Markdown are shown as they are."""
    if not preview.accounts:
        return []
    lines = ["", "## Accounts of the players whom a question names"]
    for text in preview.accounts:
        lines += ["", *(f"    {line}" if line else "" for line in text.splitlines())]
    return [*lines, "", f"Of any other player: `ratinglist explain FIDE_ID {preview.period} --preview`."]


def _results(preview: Previewed) -> list[str]:
    games = preview.tables["games"]
    reasons = games.filter(~pl.col("rated")).group_by("reason").agg(pl.len().alias("times"))
    not_rated = reasons.sort("times", "reason", descending=[True, False])
    lines = [
        "",
        "## Results",
        "",
        f"{games_and_results(len(games))}: {len(games) - not_rated['times'].sum():,} results rated, "
        f"{not_rated['times'].sum():,} not.",
        "",
    ]
    return lines + table(("not rated because", "results"), not_rated)
