"""The report of a preview: what an officer reads before a list is published.

It shows what the published files hold; like them it has no date of birth. It is written as ``REPORT.md``. How the
number of a player came about is said by ``ratinglist explain ID MONTH --preview``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

import polars as pl

from ratinglist.analysis.list_statistics import mean_hundredths
from ratinglist.pages.document import (
    Code,
    Document,
    Entries,
    Entry,
    Heading,
    Paragraph,
    Part,
    Strong,
    Table,
    Text,
)
from ratinglist.pages.markdown import as_markdown
from ratinglist.period import Period
from ratinglist.publication.approvals import preview_again, typed
from ratinglist.publication.doubts import Doubt, list_before, unanswered
from ratinglist.publication.revision_writer import Revision
from ratinglist.settings import Settings
from ratinglist.store import report_states
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import players_of
from ratinglist.summaries import because_options, counted_events, waiting_reports
from ratinglist.tables import LISTS
from ratinglist.text import grouped

_MOVERS = 10
"""How many players of the largest gains and of the largest losses are shown; `changes.parquet` has all players."""
_SHOWN = 25
"""How many entries, delistings and refusals are shown; the published files and `ratinglist quarantine` have all."""
_COUNTED = ("events_rated", "results_rated", "players_rated", "entered", "delisted")
Tables = Mapping[str, pl.DataFrame]


def report_text(store: Store, settings: Settings, revision: Revision, questions: Sequence[Doubt], go_on: str) -> str:
    """Return the report of a revision as Markdown; the same preview gives the same report.

    ``questions``: those that its list raises. ``go_on``: the command that publishes it.
    """
    period = revision.period
    calculation, players = current_calculation(store, period), players_of(store, period)
    tables, before = calculation.folder.read_tables(), list_before(store, settings, period)
    changes = tables["changes"].join(
        players.select("fide_id", "name", "federation"), on="fide_id", how="left", maintain_order="left"
    )
    approvals = settings.office.publication.approvals
    parts: list[Part] = [
        _state(settings.office.name, revision),
        *_totals(store, period, tables, before),
        *_questions(questions, preview_again(go_on) if approvals else go_on),
        *_typed(typed(store)),
    ]
    for control in (name for name in LISTS if name in tables):
        parts += _of_list(control, changes.filter(time_control=control), before.filter(time_control=control))
    parts += _reports(store, period, tables["events"])
    rule_sets = [one["name"] for one in calculation.rule_sets]
    report = Document(
        f"Rating list of {period.words}", [*parts, *_publishing(revision, rule_sets, go_on, approvals=approvals)]
    )
    return as_markdown(report)


def _state(office: str, revision: Revision) -> Part:
    """Return whose list it is, and whether it is published."""
    state = f"Identical to published r{revision.number}."
    if revision.is_new:
        state = f"A preview of revision r{revision.number}: nothing of it is published."
    return Paragraph((Strong(f"{office}."), f" {state}") if office else state)


def _totals(store: Store, period: Period, tables: Tables, before: pl.DataFrame) -> list[Part]:
    """Return the totals of this list and of the list before: a row per figure and time control."""
    months = dict(before.select("time_control", "month").unique().iter_rows())
    counts = store.read(
        "select * from month_count where month in (select unnest($months))", months=[str(period), *months.values()]
    ).rows_by_key(["time_control", "month"], named=True, unique=True)
    rows: list[list[object]] = []
    for control in (name for name in LISTS if name in tables):
        now, old = tables[control]["rating"], before.filter(time_control=control)["rating"]
        # An imported list has no counts of its calculation.
        this, past = (counts.get((control, month), {}) for month in (str(period), months.get(control, "")))
        rows.append([control, "players listed", *_compared(len(now), len(old))])
        rows += [[control, name.replace("_", " "), *_compared(this.get(name, 0), past.get(name))] for name in _COUNTED]
        rows.append([control, "mean rating", *(grouped(mean_hundredths(one), 2) or "–" for one in (now, old)), ""])
    named = ", ".join(f"{control} {month}" for control, month in sorted(months.items()))
    head = ("list", "figure", "now", "before", "difference")
    table = Table(head, rows, (False, False, True, True, True))
    return [Heading("Totals"), table, Paragraph(f"Before: {named or 'none'}.")]


def _compared(now: int, before: int | None) -> tuple[str, str, str]:
    return (f"{now:,}", "", "") if before is None else (f"{now:,}", f"{before:,}", f"{now - before:+,}")


def _questions(questions: Sequence[Doubt], answering: str) -> list[Part]:
    """Return the questions; ``answering``: the command that takes answers, which change the digest of the manifest."""
    if not questions:
        return [Heading("Questions"), Paragraph("None: nothing unusual was found.")]
    parts: list[Part] = [Heading("Questions")]
    if open_ones := unanswered(questions):
        stop = Strong("Not answered yet; until then the list cannot be published.")
        command = Code(f"{answering} {because_options(question.code for question in open_ones)}")
        parts.append(Paragraph((stop, " If it is right, write down why: ", command)))
    return [*parts, Entries([Entry(one.sentence, [line.strip() for line in one.lines()[1:]]) for one in questions])]


def _typed(lines: Sequence[str]) -> list[Part]:
    nothing = Paragraph("Nothing: no correction, no rollback, nothing undone or set aside.")
    return [Heading("Typed since the last list"), Entries.of(lines) if lines else nothing]


def _of_list(control: str, changes: pl.DataFrame, before: pl.DataFrame) -> list[Part]:
    """Return the section of one time control: the players who moved, entered and left."""
    moved = changes.filter(pl.col("status") != "entered", pl.col("games") > 0)
    mean = grouped(mean_hundredths(moved["change"]), 2, sign=True) or "–"
    text = f"{len(moved):,} players with rated games, mean change {mean}."
    parts: list[Part] = [Heading(control.capitalize()), Paragraph(text), Heading("Biggest movers", level=3)]
    signed = moved.with_columns(
        pl.format("{}{}", pl.when(pl.col("change") > 0).then(pl.lit("+")).otherwise(pl.lit("")), "change").alias(
            "moved"
        )
    )
    for what, is_shown in (("gained", pl.col("change") > 0), ("lost", pl.col("change") < 0)):
        most = signed.filter(is_shown).sort(pl.col("change").abs(), "fide_id", descending=[True, False]).head(_MOVERS)
        columns = ("fide_id", "name", "federation", "old_rating", "games", "k", "moved", "new_rating")
        head = ("FIDE ID", "name", "fed.", "was", "games", "K", what, "is")
        parts.append(Table.of(head, most.select(columns), f"Biggest {'gains' if what == 'gained' else 'losses'}"))
    through = changes.filter(pl.col("status") == "rated").join(before, on="fide_id", how="anti")
    entered = changes.filter(pl.col("status") == "entered")
    left = changes.filter(pl.col("status").is_in(["delisted", "lapsed"]))
    parts += _players("First ratings", entered, "new_rating", {"games": "games", "new_rating": "rating"})
    if len(through):
        columns_through = {"old_rating": "standard", "games": "games", "change": "change", "new_rating": "rating"}
        parts += _players("Entered through their standard rating", through, "new_rating", columns_through)
    columns_left = {"old_rating": "was", "games": "games", "change": "change"}
    return [*parts, *_players("No longer listed", left, "old_rating", columns_left)]


def _players(title: str, rows: pl.DataFrame, by: str, columns: Mapping[str, str]) -> list[Part]:
    """Return players, the highest first; ``columns``: those shown besides who they are, with their headings."""
    shown = rows.sort(by, "fide_id", descending=[True, False]).head(_SHOWN)
    table = Table.of(
        ("FIDE ID", "name", "fed.", *columns.values()), shown.select("fide_id", "name", "federation", *columns)
    )
    return [Heading(f"{title} ({len(rows):,})", level=3), *_first_of(len(rows), "the highest"), table]


def _first_of(count: int, which: str) -> list[Part]:
    """Return a sentence that the first rows alone are shown; none where all are."""
    return [Paragraph(f"Shown are {which} {_SHOWN}.")] if count > _SHOWN else []


def _reports(store: Store, period: Period, events: pl.DataFrame) -> list[Part]:
    """Return what became of the reports: how many have which status, and those refused, with the reason."""
    rows = report_states.of_month(store, period)
    by_status = dict(events["status"].value_counts().sort("status").iter_rows())
    counts = counted_events(by_status, waiting_reports(rows))
    statuses = ", ".join(f"{count:,} {status}" for status, count in counts.items()) or "none"
    parts: list[Part] = [Heading("Events"), Paragraph(f"{events.height:,} known: {statuses}.")]
    by_report: dict[tuple[object, object], list[Mapping[str, object]]] = {}
    for row in rows:
        by_report.setdefault((row["event_id"], row["file"]), []).append(row)
    refused = {key: findings for key, findings in by_report.items() if findings[0]["status"] == "refused"}
    parts.append(Heading(f"Refused ({len(refused):,})", level=3))
    cells = [[event, _name(file), found[0]["says"], f"{len(found):,}"] for (event, file), found in refused.items()]
    head: tuple[str, ...] = ("event", "file", "why", "findings")
    parts += [*_first_of(len(refused), "the first"), Table(head, cells[:_SHOWN], (False, False, False, True))]
    if by_report:
        parts.append(Paragraph(("Lines and remedies: ", Code(f"ratinglist quarantine {period}"), ".")))
    return parts


def _name(file: object) -> str:
    """Return the name of a file as delivered: a board has no use for the folders of the office."""
    return PurePosixPath(str(file)).name


def _publishing(revision: Revision, rule_sets: Sequence[str], go_on: str, *, approvals: int) -> list[Part]:
    """Return what an officer needs to publish it: the digest, the rules and the commands."""
    facts: list[Text] = [("digest: ", Code(revision.digest)), f"rules: {', '.join(rule_sets)}"]
    if revision.is_new:
        folder = Code(f"r{revision.number}/")
        facts.append(("exactly the files that would be published: ", folder, " next to this report"))
    if approvals:
        people = "one person" if approvals == 1 else f"{approvals} different people"
        approving = Code(f"ratinglist approve {revision.period} --by NAME --digest {revision.digest[:12]}")
        facts += [(f"to approve it ({people}): ", approving), ("then, to publish it: ", Code(go_on))]
    else:
        facts.append(("to publish it: ", Code(go_on), "; this office requires no approval"))
    return [Heading("For the officer who publishes it"), Entries.of(facts)]
