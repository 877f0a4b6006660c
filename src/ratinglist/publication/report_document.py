"""The report of a preview: what an officer reads before a list is published.

It shows what the published files hold; like them it has no date of birth. It is written as ``REPORT.md``, and with its
charts as ``REPORT.html``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import cast

import polars as pl

from ratinglist.analysis.report_figures import ReportFigures, report_figures
from ratinglist.config.settings import Settings
from ratinglist.number_text import grouped
from ratinglist.pages import charts
from ratinglist.pages.charts import Chart, Series
from ratinglist.pages.document import (
    Code,
    Document,
    Entries,
    Entry,
    Figure,
    Figures,
    Heading,
    Paragraph,
    Part,
    Strong,
    Table,
    Text,
)
from ratinglist.pages.html_pages import as_page
from ratinglist.pages.markdown import as_markdown
from ratinglist.period import Period
from ratinglist.publication import account_files, checks
from ratinglist.publication.approvals import preview_again, typed
from ratinglist.publication.list_section import SHOWN, Previewed, distributions, first_of, of_list, totals
from ratinglist.publication.questions import RaisedQuestion, because_options, unanswered
from ratinglist.publication.revision_writer import Revision
from ratinglist.quarantine_text import counted_events, waiting_reasons, waiting_reports
from ratinglist.reasons import sentence
from ratinglist.store import quarantine
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.player_history import players_of
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import games_and_results
from ratinglist.tables import LISTS


def report_texts(
    store: Store, settings: Settings, revision: Revision, questions: Sequence[RaisedQuestion], go_on: str
) -> tuple[str, str]:
    """Return the report of a revision as Markdown, and as a page.

    ``questions``: those that its list raises. ``go_on``: the command that publishes it.
    """
    report = report_document(_previewed(store, settings, revision, questions, go_on))
    return as_markdown(report), as_page(report)


def _previewed(
    store: Store, settings: Settings, revision: Revision, questions: Sequence[RaisedQuestion], go_on: str
) -> Previewed:
    period = revision.period
    calculation, players = current_calculation(store, period), players_of(store, period)
    rule_sets = rule_book().in_force(calculation.family, period.first_day)
    before = checks.lists_before(store, period, players)
    months = [str(period), *before["month"].unique().to_list()]
    # The account of every player whom a shown row of a question names, in the order of the rows.
    named = dict.fromkeys(cast("int", row["fide_id"]) for one in questions for row in one.rows if "fide_id" in row)
    files = account_files.calculated_files(store, settings.published, calculation)
    return Previewed(
        office=settings.office.name,
        period=period,
        revision=revision.number,
        digest=revision.digest,
        is_new=revision.is_new,
        rule_sets=[one["name"] for one in calculation.rule_sets],
        floors={one.time_control: one.list.floor for one in rule_sets},
        tables=calculation.folder.read_tables(),
        before=before,
        counts=store.read("select * from month_count where month in (select unnest($months))", months=months),
        players=players,
        refused=quarantine.of_month(store, period),
        dismissed=quarantine.dismissed_of_month(store, str(period)),
        questions=questions,
        approvals=settings.office.publication.approvals,
        go_on=go_on,
        typed=typed(store),
        accounts=[account_files.account_of(files, fide_id).document() for fide_id in named],
    )


def report_document(preview: Previewed) -> Document:
    """Return the report of a preview; the same preview gives the same report.

    First what those read who answer for a list; then, in a fold and not on paper, the figures in full and the commands.
    """
    figures = _figures(preview.period, preview.tables, preview.before)
    drawn = {control: _charts(control, of_control).figures for control, of_control in figures.items()}
    parts = [_state(preview), *totals(preview, list(figures)), *_questions(preview), *_typed(preview)]
    for control, charts_of in drawn.items():
        parts += of_list(preview, control, Figures(charts_of[:_CHARTS_FIRST]))
    parts += [*_reports(preview), Heading("Details", anchor="details", folds=True), *_results(preview)]
    for control, of_control in figures.items():
        name = control.capitalize()
        if further := drawn[control][_CHARTS_FIRST:]:
            parts += [Heading(f"{name}: further charts", level=3), Figures(further)]
        parts += [*distributions(preview, control), *_flow_table(name, of_control)]
        parts += _calibration_table(name, of_control)
    return Document(f"Rating list of {preview.period.words}", [*parts, *_accounts(preview), *_publishing(preview)])


_CHARTS_FIRST = 4
"""So many charts of a list stand with its movers, two in a row."""


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


def _charts(control: str, figures: ReportFigures) -> Figures:
    """Return the charts of a time control; a chart without figures is left out."""
    drawings = []
    if figures.bands:
        series = [
            Series("now", [(band, now) for band, now, _ in figures.bands]),
            Series("before", [(band, before) for band, _, before in figures.bands]),
        ]
        chart = _chart(control, "Ratings", "Players by rating, in bands of 100 points.", _Unit("players"))
        drawings.append(Figure(chart, charts.line_chart(chart, series)))
    by_rating = "Mean change by rating before, in bands of 200 points."
    by_federation = "Rated results by the player's federation, the largest ones."
    points, players, results = _Unit("points", 2, signed=True), _Unit("players"), _Unit("results")
    bars = (
        ("Mean change by rating", by_rating, points, figures.change_by_rating),
        ("Mean change by age", "Mean change by age in the year of the list.", points, figures.change_by_age),
        ("K", "Players by K from this list on.", players, figures.by_k),
        ("Activity", by_federation, results, figures.by_federation),
    )
    drawings += [
        Figure(chart := _chart(control, title, text, unit), charts.bar_chart(chart, values))
        for title, text, unit, values in bars
        if values
    ]
    if figures.calibration:
        series = [
            Series("expected", [(one.difference, one.expected) for one in figures.calibration]),
            Series("scored", [(one.difference, one.score) for one in figures.calibration]),
        ]
        text = (
            "Score of the higher rated player against the expectation, by rating difference in bands of 50 points. "
            "Shaded: where the score would lie in 95 of 100 such months."
        )
        chart = _chart(control, "Calibration", text, _Unit("score", 2))
        band = [(one.difference, one.low, one.high) for one in figures.calibration]
        drawings.insert(1, Figure(chart, charts.line_chart(chart, series, band=band)))
    return Figures(drawings)


@dataclass(frozen=True, slots=True)
class _Unit:
    """The label of the values of a chart, and how they are written."""

    label: str
    decimals: int = 0
    signed: bool = False


def _chart(control: str, title: str, text: str, unit: _Unit) -> Chart:
    name = f"{control}-{title.lower().replace(' ', '-')}"
    return Chart(name, f"{control.capitalize()}: {title.lower()}", text, "", unit.label, unit.decimals, unit.signed)


_PARTS = {
    "before": "the list before",
    "games": "changes from games of players on both lists",
    "other_changes": "a one-time step of the list, and corrections of the list before",
    "entering": "players who are new on it",
    "leaving": "players who are not on it any more",
    "after": "this list",
}


def _flow_table(name: str, figures: ReportFigures) -> list[Part]:
    flow = figures.flow.select("part", "players", "points", "mean_hundredths")
    rows = [
        [_PARTS[part], f"{players:,}", f"{-points if part == 'leaving' else points:,}", grouped(mean, 2) or "–"]
        for part, players, points, mean in flow.iter_rows()
    ]
    heading = Heading(f"{name}: where the points went", level=3)
    return [heading, Table(("part of the sum", "players", "points", "mean"), rows, (False, True, True, True))]


def _calibration_table(name: str, figures: ReportFigures) -> list[Part]:
    head = ("difference from", "games", "expected", "scored", "95 % from", "to")
    rows = [
        [
            one.difference,
            f"{one.games:,}",
            *(grouped(value, 2) for value in (one.expected, one.score, one.low, one.high)),
        ]
        for one in figures.calibration
    ]
    return [Heading(f"{name}: scores against expectation", level=3), Table(head, rows, [True] * len(head))]


def _state(preview: Previewed) -> Part:
    """Return whose list it is, and whether it is published."""
    state = f"Identical to published r{preview.revision}."
    if preview.is_new:
        state = f"A preview of revision r{preview.revision}: nothing of it is published."
    return Paragraph((Strong(f"{preview.office}."), f" {state}") if preview.office else state)


def _publishing(preview: Previewed) -> list[Part]:
    """Return what an officer needs to publish it: the digest, the rules and the commands."""
    facts: list[Text] = [("digest: ", Code(preview.digest)), f"rules: {', '.join(preview.rule_sets)}"]
    if preview.is_new:
        facts.append(
            ("exactly the files that would be published: ", Code(f"r{preview.revision}/"), " next to this report")
        )
    publishing = Code(preview.go_on)
    if preview.approvals:
        people = "one person" if preview.approvals == 1 else f"{preview.approvals} different people"
        approving = Code(f"ratinglist approve {preview.period} --by NAME --digest {preview.digest[:12]}")
        facts += [(f"to approve it ({people}): ", approving), ("then, to publish it: ", publishing)]
    else:
        facts.append(("to publish it: ", publishing, "; this office requires no approval"))
    return [Heading("For the officer who publishes it"), Entries.of(facts)]


def _questions(preview: Previewed) -> list[Part]:
    parts: list[Part] = [Heading("Questions")]
    if not preview.questions:
        return [*parts, Paragraph("None: nothing unusual was found.")]
    # The answers are part of the manifest and change its digest: where people approve, preview again.
    answering = preview_again(preview.go_on) if preview.approvals else preview.go_on
    if open_ones := unanswered(preview.questions):
        stop = Strong("Not answered yet; until then the list cannot be published.")
        command = Code(f"{answering} {because_options(open_ones)}")
        parts.append(Paragraph((stop, " If it is right, write down why: ", command)))
    entries = []
    for raised in preview.questions:
        _, *found = raised.lines()
        entries.append(Entry(raised.text, [line.strip() for line in found]))
    return [*parts, Entries(entries)]


def _typed(preview: Previewed) -> list[Part]:
    heading = Heading("Typed since the last list")
    if not preview.typed:
        return [heading, Paragraph("Nothing: no correction, no rollback, nothing undone or set aside.")]
    return [heading, Entries.of(preview.typed)]


def _reports(preview: Previewed) -> list[Part]:
    events = preview.tables["events"]
    by_status = dict(events.group_by("status").agg(pl.len().alias("times")).sort("status").iter_rows())
    counts = counted_events(by_status, waiting_reports(preview.refused))
    statuses = ", ".join(f"{count:,} {status}" for status, count in counts.items()) or "none"
    parts: list[Part] = [Heading("Events"), Paragraph(f"{events.height:,} known: {statuses}.")]
    by_report: dict[tuple[object, object], list[Mapping[str, object]]] = {}
    for row in preview.refused:
        by_report.setdefault((row["event_id"], row["file"]), []).append(row)
    refused = {key: rows for key, rows in by_report.items() if rows[0]["status"] == "refused"}
    parts.append(Heading(f"Refused ({len(refused):,})", level=3))
    if preview.dismissed:
        were = "is" if preview.dismissed == 1 else "are"
        parts.append(Paragraph(f"{preview.dismissed:,} more {were} set aside."))
    cells = [[event, _name(file), found[0]["says"], f"{len(found):,}"] for (event, file), found in refused.items()]
    head = ("event", "file", "why", "findings")
    parts += [*first_of(len(refused), "the first"), Table(head, cells[:SHOWN], (False, False, False, True))]
    if number := waiting_reports(preview.refused):
        facts = waiting_reasons(preview.refused)
        cells = [[f"{reports:,}", _name(row["file"]), row["says"], row["remedy"]] for reports, row in facts[:SHOWN]]
        parts.append(Heading(f"Waiting ({number:,})", level=3))
        parts.append(Paragraph("They are not on this list. Each fact that they wait for is named once."))
        head = ("events", "first file", "why", "what to do")
        parts += [*first_of(len(facts), "the first"), Table(head, cells, (True, False, False, False))]
    if by_report:
        parts.append(Paragraph(("Lines and remedies: ", Code(f"ratinglist quarantine {preview.period}"), ".")))
    waiting = [_name(file) for (_, file), rows in by_report.items() if rows[0]["reason"] == "time_control_unknown"]
    if waiting:
        parts += [
            Heading(f"Without a time control ({len(waiting):,})", level=3),
            Paragraph("They wait, and are on no list."),
            Entries.of(waiting),
        ]
    return parts


def _name(file: object) -> str:
    """Return the name of a file as delivered: a board has no use for the folders of the office."""
    return PurePosixPath(str(file)).name


def _accounts(preview: Previewed) -> list[Part]:
    """Return the accounts of the players whom the questions name, each below a heading of its own."""
    if not preview.accounts:
        return []
    parts: list[Part] = [Heading("Accounts of the players whom a question names")]
    for account in preview.accounts:
        below = [replace(one, level=4) if isinstance(one, Heading) else one for one in account.parts]
        parts += [Heading(account.title, level=3), *below]
    of_others = Code(f"ratinglist explain FIDE_ID {preview.period} --preview")
    return [*parts, Paragraph(("Of any other player: ", of_others))]


def _results(preview: Previewed) -> list[Part]:
    games = preview.tables["games"]
    reasons = games.filter(~pl.col("rated")).group_by("reason").agg(pl.len().alias("times"))
    not_rated = reasons.sort("times", "reason", descending=[True, False]).with_columns(
        pl.col("reason").map_elements(sentence, return_dtype=pl.String)
    )
    count = not_rated["times"].sum()
    return [
        Heading("Results"),
        Paragraph(f"{games_and_results(len(games))}: {len(games) - count:,} results rated, {count:,} not."),
        Table.of(("not rated because", "results"), not_rated),
    ]
