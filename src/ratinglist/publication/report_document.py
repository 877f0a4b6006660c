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

from ratinglist.analysis.list_statistics import mean_hundredths
from ratinglist.analysis.report_figures import ReportFigures, report_figures
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
from ratinglist.publication import account_files
from ratinglist.publication.approvals import preview_again, typed
from ratinglist.publication.doubts import Doubt, because_options, unanswered
from ratinglist.publication.list_doubts import list_before
from ratinglist.publication.revision_writer import Revision
from ratinglist.reasons import counted_events, sentence, waiting_reasons, waiting_reports
from ratinglist.settings import Settings
from ratinglist.store import quarantine
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import players_of
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import games_and_results, removed_text
from ratinglist.tables import LISTS
from ratinglist.text import grouped


@dataclass(frozen=True, slots=True)
class Previewed:
    """The contents of a preview.

    ``office``: its name, empty where it has none. ``is_new``: no published revision has the same bytes. ``floors``: the
    lowest rating listed, by time control. ``tables``: the published tables by file stem. ``before``: ``time_control``,
    ``month``, ``fide_id`` and ``rating`` of the lists before, rated players alone. ``counts``: ``month_count`` of this
    list's month and of the months of the lists before. ``players``: ``fide_id``, ``name``, ``federation``. ``refused``:
    the quarantine of the month; ``dismissed``: how many refused reports were set aside. ``questions``: the questions
    raised. ``approvals``: how many people have to approve it. ``go_on``: the command that publishes it. ``typed``: what
    people typed since the newest published list, a line each. ``accounts``: those of the players whom the shown rows of
    a question name, as text.
    """

    office: str
    period: Period
    revision: int
    digest: str
    is_new: bool
    rule_sets: Sequence[str]
    floors: Mapping[str, int]
    tables: Mapping[str, pl.DataFrame]
    before: pl.DataFrame
    counts: pl.DataFrame
    players: pl.DataFrame
    refused: Sequence[Mapping[str, object]]
    dismissed: int
    questions: Sequence[Doubt]
    approvals: int
    go_on: str
    typed: Sequence[str] = ()
    accounts: Sequence[Document] = ()

    def changes(self, control: str) -> pl.DataFrame:
        """Return the changes of a time control."""
        return self.tables["changes"].filter(pl.col("time_control") == control)

    def list_before(self, control: str) -> pl.DataFrame:
        """Return the rated players of the list before of a time control."""
        return self.before.filter(pl.col("time_control") == control)

    def month_before(self, control: str) -> str:
        """Return the month of the list before, ``none`` where there is none."""
        months = self.list_before(control)["month"]
        return str(months[0]) if len(months) else "none"

    def removed_text(self, control: str) -> str:
        """Return why players of a time control were removed, as text."""
        if self.floors.get(control) == 0:
            # Another system than FIDE's: a rating leaves the list only where it lapses.
            return "lapsed: no longer listed"
        return removed_text([self.floors[control]] if control in self.floors else [])


_MOVERS = 10
"""How many players of the largest gains and of the largest losses are shown; `changes.parquet` has all players."""
_SHOWN = 25
"""How many entries, delistings and refusals are shown; the published files and `ratinglist quarantine` have all."""
_BAND = 200
"""Width of a band of ratings, in points."""
_STEPS = (-100, -50, -20, 0, 1, 21, 51, 101)
"""First changes of the bands of changes; a band below the first one holds the rest."""
_COUNTED = ("events_rated", "results_rated", "players_rated", "entered", "delisted")
_MANY_GAMES = 9
"""Games from which on the mean change is shown separately: with fewer, chance outweighs the system."""


def report_texts(
    store: Store, settings: Settings, revision: Revision, questions: Sequence[Doubt], go_on: str
) -> tuple[str, str]:
    """Return the report of a revision as Markdown, and as a page.

    ``questions``: those that its list raises. ``go_on``: the command that publishes it.
    """
    report = report_document(_previewed(store, settings, revision, questions, go_on))
    return as_markdown(report), as_page(report)


def _previewed(
    store: Store, settings: Settings, revision: Revision, questions: Sequence[Doubt], go_on: str
) -> Previewed:
    period = revision.period
    calculation, players = current_calculation(store, period), players_of(store, period)
    rule_sets = rule_book().in_force(calculation.family, period.first_day)
    before = list_before(store, settings, period)
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
    parts = [_state(preview), *_totals(preview, list(figures)), *_questions(preview), *_typed(preview)]
    for control, charts_of in drawn.items():
        parts += _of_list(preview, control, Figures(charts_of[:_CHARTS_FIRST]))
    parts += [*_reports(preview), Heading("Details", anchor="details", folds=True), *_results(preview)]
    for control, of_control in figures.items():
        name = control.capitalize()
        if further := drawn[control][_CHARTS_FIRST:]:
            parts += [Heading(f"{name}: further charts", level=3), Figures(further)]
        parts += [*_distributions(preview, control), *_flow_table(name, of_control)]
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
        entries.append(Entry(raised.sentence, [line.strip() for line in found]))
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
    parts += [*_first_of(len(refused), "the first"), Table(head, cells[:_SHOWN], (False, False, False, True))]
    if number := waiting_reports(preview.refused):
        facts = waiting_reasons(preview.refused)
        cells = [[f"{reports:,}", _name(row["file"]), row["says"], row["remedy"]] for reports, row in facts[:_SHOWN]]
        parts.append(Heading(f"Waiting ({number:,})", level=3))
        parts.append(Paragraph("They are not on this list. Each fact that they wait for is named once."))
        head = ("events", "first file", "why", "what to do")
        parts += [*_first_of(len(facts), "the first"), Table(head, cells, (True, False, False, False))]
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


def _totals(preview: Previewed, controls: Sequence[str]) -> list[Part]:
    """Return the totals of this list and of the list before: a row per figure and time control."""
    table: list[list[object]] = []
    balances = []
    for control in controls:
        now, old = preview.tables[control]["rating"], preview.list_before(control)
        of_control = preview.counts.filter(pl.col("time_control") == control).rows_by_key(
            "month", named=True, unique=True
        )
        this, past = of_control.get(str(preview.period), {}), of_control.get(preview.month_before(control))
        balance = ListBalance.of(preview.tables[control], old, preview.changes(control))
        balances.append(f"{control.capitalize()}: {balance.text()}")
        # An imported list has no counts of its calculation.
        rows: list[tuple[str, int, int | None]] = [("players listed", len(now), len(old))]
        labels = {"entered": "entered (first rating)", "delisted": f"delisted ({preview.removed_text(control)})"}
        rows += [
            (labels.get(name, name.replace("_", " ")), this.get(name, 0), None if past is None else past[name])
            for name in _COUNTED
        ]
        table += [
            [control, label, f"{count:,}", *(("", "") if past is None else (f"{past:,}", f"{count - past:+,}"))]
            for label, count, past in rows
        ]
        mean, past_mean = mean_hundredths(now), mean_hundredths(old["rating"])
        difference = None if mean is None or past_mean is None else mean - past_mean
        means = (grouped(mean, 2), grouped(past_mean, 2), grouped(difference, 2, sign=True))
        table.append([control, "mean rating", *(one or "–" for one in means)])
    months = ", ".join(f"{control} {preview.month_before(control)}" for control in controls)
    return [
        Heading("Totals"),
        Paragraph("Players listed:"),
        Entries.of(balances),
        Table(("list", "figure", "now", "before", "difference"), table, (False, False, True, True, True)),
        Paragraph(f"Before: {months}."),
    ]


def _of_list(preview: Previewed, control: str, charts: Figures) -> list[Part]:
    """Return the section of one time control: a heading and its parts, ``charts`` among them."""
    named = _named_changes(preview, control)
    moved = _moved(named)
    often = moved.filter(pl.col("games") >= _MANY_GAMES)
    mean, mean_often = (grouped(mean_hundredths(rows["change"]), 2, sign=True) or "–" for rows in (moved, often))
    parts: list[Part] = [
        Heading(control.capitalize()),
        Entries.of(
            [
                f"{len(moved):,} players with rated games, mean change {mean}; {len(often):,} of them with "
                f"{_MANY_GAMES} games or more, mean change {mean_often}",
                f"points given and taken: {moved['change'].sum():+,}",
            ]
        ),
        charts,
        Heading("Biggest movers", level=3),
    ]
    for gained in (True, False):
        head = ("FIDE ID", "name", "fed.", "was", "games", "K", "gained" if gained else "lost", "is")
        caption = f"Biggest {'gains' if gained else 'losses'}"
        movers = _biggest_movers(moved, gained=gained)
        rows = movers.with_columns(pl.col("change").map_elements(lambda change: f"{change:+,}", pl.String)).rows()
        parts.append(Table(head, rows, [dtype.is_numeric() for dtype in movers.dtypes], caption))
    entered = named.filter(pl.col("status") == "entered").sort("new_rating", "fide_id", descending=[True, False])
    parts += [
        Heading(f"First ratings ({len(entered):,} entered)", level=3),
        *_first_of(len(entered), "the highest"),
        Table.of(
            ("FIDE ID", "name", "fed.", "games", "rating"),
            entered.select("fide_id", "name", "federation", "games", "new_rating").head(_SHOWN),
        ),
    ]
    through = named.filter(pl.col("status") == "rated").join(preview.list_before(control), on="fide_id", how="anti")
    if len(through):
        parts += [
            Heading(f"Entered through their standard rating ({len(through):,})", level=3),
            *_first_of(len(through), "the highest"),
            Table.of(
                ("FIDE ID", "name", "fed.", "standard", "games", "change", "rating"),
                through.sort("new_rating", "fide_id", descending=[True, False])
                .select("fide_id", "name", "federation", "old_rating", "games", "change", "new_rating")
                .head(_SHOWN),
            ),
        ]
    left = named.filter(pl.col("status").is_in(["delisted", "lapsed"])).sort(
        "old_rating", "fide_id", descending=[True, False]
    )
    parts += [
        Heading(f"{preview.removed_text(control).capitalize()} ({len(left):,} delisted)", level=3),
        *_first_of(len(left), "the highest"),
        Table.of(
            ("FIDE ID", "name", "fed.", "was", "games", "change"),
            left.select("fide_id", "name", "federation", "old_rating", "games", "change").head(_SHOWN),
        ),
    ]
    return parts


def _biggest_movers(moved: pl.DataFrame, *, gained: bool) -> pl.DataFrame:
    """Return the players who gained or lost most."""
    shown = ("fide_id", "name", "federation", "old_rating", "games", "k", "change", "new_rating")
    most = moved.filter(pl.col("change") > 0 if gained else pl.col("change") < 0)
    return most.sort("change", "fide_id", descending=[gained, False]).select(shown).head(_MOVERS)


def _named_changes(preview: Previewed, control: str) -> pl.DataFrame:
    return preview.changes(control).join(
        preview.players.select("fide_id", "name", "federation"), on="fide_id", how="left"
    )


def _moved(changes: pl.DataFrame) -> pl.DataFrame:
    return changes.filter((pl.col("status") != "entered") & (pl.col("games") > 0))


def _distributions(preview: Previewed, control: str) -> list[Part]:
    """Return how many players of a time control have which rating, and how many gained or lost how much."""
    moved = _moved(preview.changes(control))
    band = (pl.col("rating") // _BAND * _BAND).alias("band")
    now = preview.tables[control].group_by(band).agg(pl.len().alias("now"))
    old = preview.list_before(control).group_by(band).agg(pl.len().alias("old"))
    bands = now.join(old, on="band", how="full", coalesce=True).fill_null(0).sort("band", descending=True)
    counts = bands.select("band", pl.col("now", "old").cast(pl.Int64))
    ratings = [
        [f"{first} to {first + _BAND - 1}", f"{count:,}", f"{past:,}", f"{count - past:+,}"]
        for first, count, past in counts.iter_rows()
    ]
    step = pl.sum_horizontal(pl.col("change") >= least for least in _STEPS).alias("step")
    counted = dict(moved.group_by(step).agg(pl.len().alias("players")).iter_rows())
    changes = []
    for number in reversed(range(len(_STEPS) + 1)):
        if number == 0:
            label = f"{_STEPS[0] - 1} or less"
        elif number == len(_STEPS):
            label = f"{_STEPS[-1]:+} or more"
        else:
            first, last = _STEPS[number - 1], _STEPS[number] - 1
            label = f"{first:+} to {last:+}" if first != last else "0"
        changes.append([label, f"{counted.get(number, 0):,}"])
    return [
        Heading(f"{control.capitalize()}: ratings", level=3),
        Table(("rating", "now", "before", "difference"), ratings, (False, True, True, True)),
        Heading(f"{control.capitalize()}: changes", level=3),
        Table(("change", "players"), changes, (False, True)),
    ]


def _first_of(count: int, which: str) -> list[Part]:
    """Return a sentence that the first rows alone are shown; none where all are."""
    return [Paragraph(f"Shown are {which} {_SHOWN}.")] if count > _SHOWN else []


@dataclass(frozen=True, slots=True)
class ListBalance:
    """The numbers of players that lead from the list before to a list; :attr:`now` is their sum.

    ``entered``: added by a first rating. ``through_standard``: added because their standard rating stood in. ``added``:
    added without a rated game, under a FIDE ID that others were merged into. ``delisted``: removed because they fell
    below the floor. ``lapsed``: removed because they have a rating on the reference list. ``removed``: removed for
    another reason, under a FIDE ID that was merged into another.
    ``never_listed``: players rated from their standard rating who fell below the floor at once; they are on neither.
    """

    before: int
    entered: int
    through_standard: int
    added: int
    delisted: int
    lapsed: int
    removed: int
    never_listed: int

    @classmethod
    def of(cls, listed: pl.DataFrame, before: pl.DataFrame, changes: pl.DataFrame) -> ListBalance:
        """Return the balance of one time control.

        In: ``fide_id`` of the rated players of the list and of the one before; ``changes``: ``fide_id``, ``status``.
        """
        statuses = changes.select("fide_id", "status")
        new = listed.join(before, on="fide_id", how="anti").join(statuses, on="fide_id", how="left")
        gone = before.join(listed, on="fide_id", how="anti").join(statuses, on="fide_id", how="left")
        passing = changes.filter(pl.col("status") == "delisted").join(before, on="fide_id", how="anti")
        return cls(
            before=len(before),
            entered=int((new["status"] == "entered").sum()),
            through_standard=int((new["status"] == "rated").sum()),
            added=new["status"].null_count(),
            delisted=int((gone["status"] == "delisted").sum()),
            lapsed=int((gone["status"] == "lapsed").sum()),
            removed=len(gone) - int(gone["status"].is_in(["delisted", "lapsed"]).sum()),
            never_listed=len(passing),
        )

    @property
    def now(self) -> int:
        """The number of players listed."""
        return (
            self.before + self.entered + self.through_standard + self.added - self.delisted - self.lapsed - self.removed
        )

    def text(self) -> str:
        """Return the balance as one sentence that adds up; parts of nobody are left out."""
        parts = [
            (self.entered, "+", "entered"),
            (self.through_standard, "+", "entered through their standard rating"),
            (self.added, "+", "added under another FIDE ID"),
            (self.delisted, "−", "delisted"),
            (self.lapsed, "−", "lapsed"),
            (self.removed, "−", "removed under another FIDE ID"),
        ]
        moves = "".join(f" {sign} {count:,} {label}" for count, sign, label in parts if count)
        sentence = f"{self.before:,} before{moves} = {self.now:,} now"
        if self.never_listed:
            players = "1 player was" if self.never_listed == 1 else f"{self.never_listed:,} players were"
            sentence += f"; {players} rated from the standard rating and delisted at once"
        return sentence
